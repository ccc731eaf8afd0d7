// Forest prediction: blocks of rows go through tree after tree. Arrays are not trusted: a tree is looked through before
// rows follow its links.
#pragma once

#include <algorithm>
#include <atomic>

#include "forest_route.h"
#include "predict.h"

namespace quercus {

// For each tree one bit per row: set for the rows that the tree does not answer. Empty: every tree answers all rows.
using SkippedRows = std::vector<std::vector<u64>>;

inline bool is_answered(const SkippedRows& skipped, size_t tree, int64_t row) {
  return skipped.empty() || !(skipped[tree][static_cast<size_t>(row) >> 6] >> (row & 63) & 1);
}

// The question to a forest: how its trees are combined, and for which rows.
struct ForestQuestion {
  int64_t width = 0;  // classes; numbers: 1
  bool numbers = false;
  bool majority = false;  // each tree votes for one class, instead of sharing its vote
  std::vector<double> tree_weight;
  SkippedRows skipped;  // out-of-bag answers: the rows that a tree learned from
};

// What a leaf adds to the answer of each row that reaches it: pairs of a place in the answer and the number to add.
using LeafAnswer = std::vector<std::pair<size_t, double>>;

constexpr double tied_shares = 1e-12;

// The class that a leaf votes for: the first of those tied up to rounding.
template <class Value>
size_t vote_of(const Value* value, size_t width) {
  auto most = static_cast<double>(*std::max_element(value, value + width));
  double sum = 0.0;
  for (size_t j = 0; j < width; ++j) sum += static_cast<double>(value[j]);
  size_t j = 0;
  while (static_cast<double>(value[j]) / sum < most / sum - tied_shares) ++j;
  return j;
}

template <class Value>
void read_leaf(const PackedView& tree, const PackedNode& node, const ForestQuestion& question, double weight,
               LeafAnswer& answer) {
  auto width = static_cast<size_t>(question.width);
  const Value* value = static_cast<const Value*>(tree.leaf_value) + std::bit_cast<u64>(node.key) * width;
  if (question.majority) {
    answer.emplace_back(vote_of(value, width), weight);
    return;
  }
  double sum = 0.0;
  for (size_t j = 0; j < width; ++j) sum += static_cast<double>(value[j]);
  for (size_t j = 0; j < width; ++j)
    if (value[j] > 0) answer.emplace_back(j, weight * (static_cast<double>(value[j]) / sum));
}

inline void read_leaf(const PackedView& tree, const PackedNode& node, const ForestQuestion& question, double weight,
                      LeafAnswer& answer) {
  answer.clear();
  if (question.numbers)
    answer.emplace_back(0, weight * node.key);
  else if (tree.value_bytes == 2)
    read_leaf<u16>(tree, node, question, weight, answer);
  else if (tree.value_bytes == 4)
    read_leaf<u32>(tree, node, question, weight, answer);
  else
    read_leaf<double>(tree, node, question, weight, answer);
}

// Whether looking through the trees would take longer than bringing the rows to their leaves.
inline bool few_rows(const std::vector<PackedView>& trees, int64_t n_rows) {
  int64_t n_nodes = 0;
  for (const PackedView& tree : trees) n_nodes += tree.n_nodes;
  return n_rows * static_cast<int64_t>(trees.size()) * 16 < n_nodes;
}

// Few rows through large trees: one by one.
template <class Arrive>
Trouble walk_few(const std::vector<PackedView>& trees, const std::vector<AskedColumn>& columns, int64_t n_rows,
                 const SkippedRows& skipped, Arrive&& arrive) {
  constexpr u16 itself = 0;
  for (size_t t = 0; t < trees.size(); ++t)
    for (int64_t row = 0; row < n_rows; ++row) {
      if (!is_answered(skipped, t, row)) continue;
      int32_t end = 0;
      Trouble row_trouble = walk_alone(trees[t], columns, row, end);
      if (row_trouble != Trouble::none) return row_trouble;
      arrive(0, t, end, row, &itself, 1);
    }
  return Trouble::none;
}

constexpr size_t route_bytes = 16 << 20;  // the cells of a block are at most so large

// Rows that go through all trees together: many, as each question is read once for all of them; the same number for
// each thread.
inline int64_t rows_in_block(int64_t n_rows, size_t bytes_a_row, int threads) {
  int64_t most = std::clamp<int64_t>(static_cast<int64_t>(route_bytes / std::max<size_t>(bytes_a_row, 1)), 256, 65536);
  int64_t rounds = (n_rows + most * threads - 1) / (most * threads);
  return std::clamp<int64_t>((n_rows + rounds * threads - 1) / std::max<int64_t>(rounds * threads, 1), 256, most);
}

template <class Number, class Arrive>
Trouble route_forest(const std::vector<PackedView>& trees, const std::vector<AskedColumn>& columns, int64_t n_rows,
                     const SkippedRows& skipped, const Running& running, Arrive&& arrive) {
  auto asked =
      std::count_if(columns.begin(), columns.end(), [](const AskedColumn& one) { return one.data != nullptr; });
  size_t bytes_a_row = static_cast<size_t>(asked) * sizeof(typename RouteCells<Number>::Cell);
  int64_t size = rows_in_block(n_rows, bytes_a_row, std::max(1, running.threads));
  auto blocks = static_cast<size_t>((n_rows + size - 1) / size);
  int threads = static_cast<int>(std::clamp<size_t>(blocks, 1, static_cast<size_t>(std::max(1, running.threads))));
  std::vector<Router<Number>> routers(static_cast<size_t>(threads));
  std::atomic<int32_t> trouble{0};
  Pause pause(running);
  Pool pool(threads);
  pool.run(blocks, [&](size_t number, int thread) {
    int64_t first = static_cast<int64_t>(number) * size;
    auto count = static_cast<u32>(std::min(size, n_rows - first));
    Router<Number>& router = routers[static_cast<size_t>(thread)];
    if (router.block.fill(columns, first, count)) trouble = static_cast<int32_t>(Trouble::infinite);
    for (size_t t = 0; t < trees.size() && !trouble; ++t) {
      router.start(count, [&](u32 row) { return is_answered(skipped, t, first + row); });
      Trouble row_trouble = router.route(
          trees[t], [&](int32_t leaf, const u16* rows, u32 n) { arrive(thread, t, leaf, first, rows, n); });
      auto none = static_cast<int32_t>(Trouble::none);
      if (row_trouble != Trouble::none) trouble.compare_exchange_strong(none, static_cast<int32_t>(row_trouble));
      pause(thread);
    }
  });
  return static_cast<Trouble>(trouble.load());
}

// Takes the rows through tree after tree, without the skipped ones: arrive(thread, tree, leaf, first row, rows counted
// from it, how many). Each row meets the trees in their order.
template <class Arrive>
Trouble walk_forest(const std::vector<PackedView>& trees, const std::vector<AskedColumn>& columns, int64_t n_rows,
                    const SkippedRows& skipped, const Running& running, Arrive&& arrive) {
  if (few_rows(trees, n_rows)) return walk_few(trees, columns, n_rows, skipped, arrive);
  for (const PackedView& tree : trees)
    if (!sound(tree, columns)) return Trouble::unsound;
  if (floats_hold(columns, n_rows)) return route_forest<float>(trees, columns, n_rows, skipped, running, arrive);
  return route_forest<double>(trees, columns, n_rows, skipped, running, arrive);
}

// out [n_rows, width]: the weighted sum of the trees' answers; used [n_rows]: the weight of the trees that answered.
// Both are 0 at first.
inline Trouble predict_forest(const std::vector<PackedView>& trees, const std::vector<AskedColumn>& columns,
                              int64_t n_rows, const ForestQuestion& question, const Running& running, double* out,
                              double* used) {
  auto width = static_cast<size_t>(question.width);
  bool everyone = question.skipped.empty();
  std::vector<LeafAnswer> answers(static_cast<size_t>(std::max(1, running.threads)));
  auto arrive = [&](int thread, size_t t, int32_t leaf, int64_t first, const u16* rows, u32 n) {
    double weight = question.tree_weight[t];
    LeafAnswer& answer = answers[static_cast<size_t>(thread)];
    read_leaf(trees[t], trees[t].nodes[leaf], question, weight, answer);
    for (auto [place, amount] : answer) {
      double* to = out + static_cast<size_t>(first) * width + place;
      for (u32 i = 0; i < n; ++i) to[rows[i] * width] += amount;
    }
    for (u32 i = 0; !everyone && i < n; ++i) used[first + rows[i]] += weight;
  };
  Trouble trouble = walk_forest(trees, columns, n_rows, question.skipped, running, arrive);
  if (everyone)
    std::fill(used, used + n_rows, std::accumulate(question.tree_weight.begin(), question.tree_weight.end(), 0.0));
  return trouble;
}

// out [n_rows, trees]: the leaf that each row reaches in each tree.
inline Trouble forest_leaves(const std::vector<PackedView>& trees, const std::vector<AskedColumn>& columns,
                             int64_t n_rows, const Running& running, int32_t* out) {
  return walk_forest(trees, columns, n_rows, {}, running,
                     [&](int, size_t t, int32_t leaf, int64_t first, const u16* rows, u32 n) {
                       for (u32 i = 0; i < n; ++i)
                         out[(static_cast<size_t>(first) + rows[i]) * trees.size() + t] = leaf;
                     });
}

}  // namespace quercus
