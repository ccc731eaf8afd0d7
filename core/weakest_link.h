// Weakest link: for each node of a tree the price of a leaf from which on the node is better a leaf, for all nodes at
// once.
//
// C(v, a), the least risk + a·leaves of what can stay below v, is the lesser of risk(v) + a and the sum over the
// children. The price alpha(v) at which both are equal is found from above: with every child a leaf,
// g = (risk(v) − Σ risk(child)) / (children − 1); as long as a node below v stays a branch up to a price of at least
// g, its branch is put back and g computed again. A node put back can never be cut before v, so it is forgotten: every
// node enters and leaves a heap once, and heaps of siblings are merged, O(n log n) for any shape of tree.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace quercus {

struct WeakestLinks {
  std::vector<double> alpha;           // by node; infinite at a leaf
  std::vector<double> branch_risk;     // of what stands below the node just before it is cut
  std::vector<int32_t> branch_leaves;  // the same for its leaves
  std::vector<int32_t> links;          // the nodes that are cut, by rising alpha; all others go with one above
};

// Leftist heaps of nodes, the greatest alpha on top; at equal alpha the greater number.
class AlphaHeaps {
 public:
  AlphaHeaps(const std::vector<double>& alpha, size_t n) : alpha_(alpha), left_(n, -1), right_(n, -1), rank_(n, 1) {}

  int32_t merge(int32_t a, int32_t b) {
    if (a < 0) return b;
    if (b < 0) return a;
    if (below(a, b)) std::swap(a, b);
    right_[a] = merge(right_[a], b);  // the right spine has at most log2 n nodes
    if (rank(left_[a]) < rank(right_[a])) std::swap(left_[a], right_[a]);
    rank_[a] = rank(right_[a]) + 1;
    return a;
  }
  int32_t without_top(int32_t top) { return merge(left_[top], right_[top]); }

 private:
  bool below(int32_t a, int32_t b) const { return alpha_[a] < alpha_[b] || (alpha_[a] == alpha_[b] && a < b); }
  int32_t rank(int32_t node) const { return node < 0 ? 0 : rank_[node]; }

  const std::vector<double>& alpha_;
  std::vector<int32_t> left_, right_, rank_;
};

// Children have greater numbers than their parents. Prices closer than rounding can tell apart are cut together.
inline WeakestLinks weakest_links(const int32_t* first_child, const int32_t* n_children, const double* risk, size_t n) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  WeakestLinks result{
      std::vector<double>(n, infinity), std::vector<double>(risk, risk + n), std::vector<int32_t>(n, 1), {}};
  std::vector<int32_t> top(n, -1);
  AlphaHeaps heaps(result.alpha, n);
  const double noise = 1e-14 * std::abs(risk[0]);
  for (size_t i = n; i-- > 0;) {
    if (n_children[i] == 0) continue;
    int32_t heap = -1, leaves = n_children[i];
    double below = 0.0;
    for (int32_t child = first_child[i], end = child + leaves; child < end; ++child) {
      below += risk[child];
      heap = heaps.merge(heap, top[child]);
    }
    auto price = [&] {
      double saved = risk[i] - below;
      return leaves > 1 ? saved / (leaves - 1) : saved > noise ? infinity : 0.0;
    };
    double g = price();
    while (heap >= 0 && result.alpha[heap] >= g - noise - 1e-12 * std::abs(g)) {
      below -= risk[heap] - result.branch_risk[heap];
      leaves += result.branch_leaves[heap] - 1;
      heap = heaps.without_top(heap);
      g = price();
    }
    result.alpha[i] = std::max(g, 0.0);
    result.branch_risk[i] = below;
    result.branch_leaves[i] = leaves;
    top[i] = heaps.merge(static_cast<int32_t>(i), heap);
  }
  for (int32_t heap = top[0]; heap >= 0; heap = heaps.without_top(heap)) result.links.push_back(heap);
  std::reverse(result.links.begin(), result.links.end());
  return result;
}

}  // namespace quercus
