// ShapTree: a tree made ready for Shapley values: training shares of the branches, and what the leaves say
// (docs/concepts/shap.md).
#pragma once

#include <algorithm>
#include <utility>

#include "compact_tree.h"
#include "gauss.h"

namespace quercus {

// A branch. Behind the branches of a question without training weight stands one more, to the node's own answer.
struct ShapEdge {
  int32_t child = 0;
  double share = 0.0;  // of the training weight: that of a row whose value does not count
  double zero = 1.0;   // the product of the shares of all branches of the same attribute from the root to here
  double above = 1.0;  // the same without this branch
  bool again = false;  // whether the attribute is asked above, too
};

// What nodes say, without zeros. A number that all leaves below a node share is said once, by the node, which leaves
// many of them nothing to say: if each part of a row goes down some branch, the sums are the same.
class ShapValues {
 public:
  // The classes that the node or one below it speaks of, in their order.
  std::vector<int64_t> below_start{0};
  std::vector<int32_t> below_class;
  std::vector<int32_t> above;  // where each stands in the list of the node above
  // What the node itself says: pairs of the place in its list, and the number.
  std::vector<int64_t> own_start{0};
  std::vector<int32_t> own_place;
  std::vector<double> own_number;

  int32_t n_below(int64_t node) const {
    return static_cast<int32_t>(below_start[static_cast<size_t>(node) + 1] - below_start[static_cast<size_t>(node)]);
  }
};

using SparseNumbers = std::vector<std::pair<int32_t, double>>;

inline SparseNumbers difference(const SparseNumbers& one, const SparseNumbers& other) {
  SparseNumbers result;
  auto a = one.begin(), b = other.begin();
  while (a != one.end() || b != other.end()) {
    if (b == other.end() || (a != one.end() && a->first < b->first)) {
      result.push_back(*a++);
    } else if (a == one.end() || b->first < a->first) {
      result.emplace_back(b->first, -b->second);
      ++b;
    } else {
      double number = (a++)->second - b->second;
      if (number != 0.0) result.emplace_back(b->first, number);
      ++b;
    }
  }
  return result;
}

class ShapTree {
 public:
  const CompactTree& questions;
  std::vector<int32_t> edge_start;  // by node; a leaf has none
  std::vector<ShapEdge> edges;
  ShapValues values;
  std::vector<double> base;  // by class: what is answered if no value counts
  int64_t width = 0;
  int depth = 0;         // questions on the longest path
  int n_points = 1;      // quadrature points that are enough for every path
  int32_t n_widest = 0;  // the longest list of classes

  // weight [n_nodes]: of the training rows; node_values [n_nodes, width]: what nodes say; factor: multiplies it.
  ShapTree(const CompactTree& compact, const double* weight, const double* node_values, int64_t n_classes,
           double factor)
      : questions(compact), width(n_classes) {
    add_edges(weight);
    measure_paths();
    add_values(node_values, factor);
  }

  int64_t n_nodes() const { return static_cast<int64_t>(edge_start.size()) - 1; }
  bool leaf(int64_t node) const { return n_edges(node) == 0; }
  int32_t n_edges(int64_t node) const {
    return edge_start[static_cast<size_t>(node) + 1] - edge_start[static_cast<size_t>(node)];
  }

 private:
  std::vector<int32_t> source_;  // the node of the tree whose values a node has

  void add_edges(const double* weight) {
    int64_t n = questions.n_nodes();
    for (int64_t node = 0; node < n; ++node) source_.push_back(static_cast<int32_t>(node));
    for (int64_t node = 0; node < n; ++node) {
      edge_start.push_back(static_cast<int32_t>(edges.size()));
      int32_t first = questions.first_child(node), count = questions.n_children(node);
      double total = 0.0;
      for (int32_t c = 0; c < count; ++c) total += weight[first + c];
      for (int32_t c = 0; c < count; ++c) edges.push_back({first + c, total > 0.0 ? weight[first + c] / total : 0.0});
      if (count == 0 || total > 0.0) continue;
      edges.push_back({static_cast<int32_t>(source_.size()), 1.0});
      source_.push_back(static_cast<int32_t>(node));
    }
    edge_start.resize(source_.size() + 1, static_cast<int32_t>(edges.size()));
  }

  // Depth, the products of shares, and how many attributes a path asks.
  void measure_paths() {
    struct Visit {
      int32_t node, edge;
    };
    std::vector<double> zero(questions.asked().size(), 1.0);
    std::vector<int32_t> times(zero.size(), 0), asks(zero.size(), 0);  // readings, and questions of its own
    std::vector<std::pair<uint32_t, double>> before;  // by depth: the attribute's product above the node
    std::vector<Visit> stack;
    int players = 0, most = 0;
    auto read = [&](int32_t node, int32_t change) {  // counts the attributes that a question reads
      auto one = [&](const CompactNode& question) {
        int32_t& count = times[question.slot()];
        players += change > 0 ? count == 0 : -(count == 1);
        count += change;
      };
      one(questions.nodes()[node]);
      asks[questions.nodes()[node].slot()] += change;
      for (const CompactNode& surrogate : questions.surrogates(node)) one(surrogate);
    };
    auto enter = [&](int32_t node) {
      stack.push_back({node, edge_start[static_cast<size_t>(node)]});
      read(node, 1);
      uint32_t slot = questions.nodes()[node].slot();
      before.emplace_back(slot, zero[slot]);
      depth = std::max(depth, static_cast<int>(stack.size()));
      most = std::max(most, players);
    };
    if (!leaf(0)) enter(0);
    while (!stack.empty()) {
      Visit& top = stack.back();
      auto [slot, product] = before.back();
      if (top.edge == edge_start[static_cast<size_t>(top.node) + 1]) {
        zero[slot] = product;
        read(top.node, -1);
        stack.pop_back();
        before.pop_back();
        continue;
      }
      ShapEdge& edge = edges[static_cast<size_t>(top.edge++)];
      edge.above = product;
      edge.zero = zero[slot] = product * edge.share;
      edge.again = asks[slot] > 1;
      if (!leaf(edge.child)) enter(edge.child);
    }
    n_points = std::max(1, (most + 1) / 2);
  }

  void add_values(const double* node_values, double factor) {
    auto n = static_cast<size_t>(n_nodes());
    std::vector<SparseNumbers> own(n);
    std::vector<std::vector<int32_t>> below(n);
    base.assign(static_cast<size_t>(width), 0.0);
    std::vector<double> part(n, 0.0);  // of a row whose values do not count, which part comes here
    part[0] = 1.0;
    for (size_t node = 0; node < n; ++node) {  // a child's number is above its parent's
      for (int32_t e = edge_start[node]; e < edge_start[node + 1]; ++e)
        part[static_cast<size_t>(edges[static_cast<size_t>(e)].child)] =
            part[node] * edges[static_cast<size_t>(e)].share;
      if (!leaf(static_cast<int64_t>(node))) continue;
      const double* value = node_values + source_[node] * width;
      for (int64_t j = 0; j < width; ++j) {
        if (value[j] == 0.0) continue;
        own[node].emplace_back(static_cast<int32_t>(j), factor * value[j]);
        base[static_cast<size_t>(j)] += part[node] * (factor * value[j]);
      }
    }
    for (size_t node = n; node-- > 0;) lift_values(node, own, below);
    store(own, below);
  }

  // Moves what one leaf below a question says to the question; lists the classes below it.
  void lift_values(size_t node, std::vector<SparseNumbers>& own, std::vector<std::vector<int32_t>>& below) const {
    auto first = static_cast<size_t>(edge_start[node]), last = static_cast<size_t>(edge_start[node + 1]);
    size_t chosen = last;
    for (size_t e = first; e < last; ++e) {
      auto child = static_cast<size_t>(edges[e].child);
      bool more = chosen == last || own[child].size() > own[static_cast<size_t>(edges[chosen].child)].size();
      if (leaf(edges[e].child) && more) chosen = e;
    }
    if (chosen < last) own[node] = own[static_cast<size_t>(edges[chosen].child)];
    for (size_t e = first; e < last; ++e) {
      auto child = static_cast<size_t>(edges[e].child);
      if (chosen < last) own[child] = difference(own[child], own[node]);
      for (auto [j, number] : own[child]) below[child].push_back(j);
      std::sort(below[child].begin(), below[child].end());
      below[child].erase(std::unique(below[child].begin(), below[child].end()), below[child].end());
      below[node].insert(below[node].end(), below[child].begin(), below[child].end());
    }
    if (node > 0) return;
    for (auto [j, number] : own[0]) below[0].push_back(j);
    std::sort(below[0].begin(), below[0].end());
    below[0].erase(std::unique(below[0].begin(), below[0].end()), below[0].end());
  }

  void store(const std::vector<SparseNumbers>& own, const std::vector<std::vector<int32_t>>& below) {
    auto place = [](const std::vector<int32_t>& list, int32_t j) {
      return static_cast<int32_t>(std::lower_bound(list.begin(), list.end(), j) - list.begin());
    };
    std::vector<int32_t> parent(own.size(), 0);
    for (size_t node = 0; node < own.size(); ++node) {
      for (int32_t e = edge_start[node]; e < edge_start[node + 1]; ++e)
        parent[static_cast<size_t>(edges[static_cast<size_t>(e)].child)] = static_cast<int32_t>(node);
      for (int32_t j : below[node]) {
        values.below_class.push_back(j);
        values.above.push_back(place(below[static_cast<size_t>(parent[node])], j));
      }
      for (auto [j, number] : own[node]) {
        values.own_place.push_back(place(below[node], j));
        values.own_number.push_back(number);
      }
      values.below_start.push_back(static_cast<int64_t>(values.below_class.size()));
      values.own_start.push_back(static_cast<int64_t>(values.own_place.size()));
      n_widest = std::max(n_widest, values.n_below(static_cast<int64_t>(node)));
    }
  }
};

// The cells of one row that a tree asks, side by side.
class ShapRow {
 public:
  void read(const CompactTree& tree, const AskedRows& rows, int64_t row) {
    number_.resize(rows.columns.size());
    place_.resize(rows.columns.size());
    for (size_t slot = 0; slot < rows.columns.size(); ++slot) {
      const AskedAttribute& asked = tree.asked()[slot];
      if (asked.codes)
        place_[slot] = CompactTree::place_of(rows.columns[slot].code(row), asked.n_codes);
      else
        number_[slot] = rows.columns[slot].number(row);
    }
  }
  // The branch that the value takes, or no_branch.
  int32_t branch(const CompactTree& tree, const CompactNode& question) const {
    if (!question.is(CompactNode::asks_code)) return CompactTree::branch_of_number(question, number_[question.slot()]);
    return tree.branch_of_place(question, place_[question.slot()]);
  }
  // The same of a surrogate, as a branch of its question.
  int32_t branch_of_surrogate(const CompactTree& tree, const CompactNode& surrogate) const {
    int32_t child = branch(tree, surrogate);
    return child >= 0 && surrogate.is(CompactNode::low_goes_right) ? 1 - child : child;
  }

 private:
  std::vector<double> number_;
  std::vector<uint32_t> place_;
};

}  // namespace quercus
