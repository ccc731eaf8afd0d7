// Forest prediction: blocks of rows go through tree after tree, several rows in step. Arrays are not trusted: every
// step looks whether it stays inside the tree and goes downwards.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>

#include "packed.h"
#include "predict.h"

namespace quercus {

// What prediction sees of one packed tree.
struct PackedView {
  const PackedNode* nodes = nullptr;
  int64_t n_nodes = 0, n_leaves = 0, n_groups = 0;
  const int8_t* group = nullptr;
  const void* leaf_value = nullptr;  // classes: their weights at each leaf [leaf, class]
  u8 value_bytes = 0;                // 2: u16, 4: u32, 8: double
};

// How a row's walk through a tree can end other than at a leaf.
enum class Trouble : int32_t { none = 0, unsound = 1, spreads = 2 };

constexpr int64_t forest_block = 2048;  // rows that go through all trees together
constexpr int forest_lanes = 12;        // rows that walk in step

// The cells of a block, row after row, as numbers: codes too; NaN where unknown.
struct ForestCells {
  std::vector<double> cells;
  size_t stride = 0;

  void fill(const std::vector<Column>& columns, int64_t first, int64_t count) {
    stride = columns.size();
    cells.resize(static_cast<size_t>(count) * stride);
    for (size_t a = 0; a < columns.size(); ++a) {
      const Column& column = columns[a];
      double* to = cells.data() + a;
      if (column.data == nullptr) continue;
      if (column.kind == ColumnKind::number64)
        copy(static_cast<const double*>(column.data) + first, count, to);
      else if (column.kind == ColumnKind::number32)
        copy(static_cast<const float*>(column.data) + first, count, to);
      else
        copy_codes(static_cast<const int32_t*>(column.data) + first, count, to);
    }
  }

 private:
  template <class From>
  void copy(const From* from, int64_t count, double* to) const {
    for (int64_t r = 0; r < count; ++r, to += stride) *to = static_cast<double>(from[r]);
  }
  void copy_codes(const int32_t* from, int64_t count, double* to) const {
    for (int64_t r = 0; r < count; ++r, to += stride)
      *to = from[r] < 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(from[r]);
  }
};

class PackedWalk {
 public:
  PackedWalk(const PackedView& tree, const ForestCells& cells) : tree_(tree), cells_(cells) {}

  // Brings the rows to their leaves: arrive(row, node) for each; skip(row) leaves rows out.
  template <class Skip, class Arrive>
  Trouble run(int64_t count, Skip skip, Arrive arrive) const {
    struct Lane {
      const double* values;
      int32_t at, row;
    };
    std::array<Lane, forest_lanes> lanes;
    int32_t active = 0, next = 0;
    auto n = static_cast<int32_t>(count);
    auto start = [&](Lane& lane) {
      while (next < n && skip(next)) ++next;
      if (next >= n) return false;
      lane = {cells_.cells.data() + static_cast<size_t>(next) * cells_.stride, 0, next};
      ++next;
      return true;
    };
    while (active < forest_lanes && start(lanes[static_cast<size_t>(active)])) ++active;
    while (active) {
      for (int32_t l = 0; l < active; ++l) {
        Lane& lane = lanes[static_cast<size_t>(l)];
        const PackedNode& node = tree_.nodes[lane.at];
        if (node.kind == 0) {
          if (!arrive(lane.row, node, lane.at)) return Trouble::unsound;
          if (!start(lane)) lane = lanes[static_cast<size_t>(--active)];
          continue;
        }
        if (node.attribute >= cells_.stride) [[unlikely]]
          return Trouble::unsound;
        int32_t side = branch(node, lane.values[node.attribute]);
        int32_t child = node.first_child + side;
        if (child <= lane.at || child >= tree_.n_nodes || side > 1) [[unlikely]]
          return Trouble::unsound;
        if (side < 0) [[unlikely]]
          return Trouble::spreads;
        lane.at = child;
      }
    }
    return Trouble::none;
  }

 private:
  int32_t branch(const PackedNode& node, double x) const {
    if (node.kind == static_cast<u8>(SplitKind::threshold))
      return x != x ? node.missing_child : static_cast<int32_t>(x > node.key);
    if (x != x) return node.missing_child;
    u64 at = std::bit_cast<u64>(node.key) + static_cast<u64>(x);
    if (at >= static_cast<u64>(tree_.n_groups)) return 2;
    int32_t side = tree_.group[at];
    return side < 0 ? node.missing_child : side;
  }

  const PackedView& tree_;
  const ForestCells& cells_;
};

// What is asked of a forest.
struct ForestQuestion {
  int64_t width = 0;  // classes; numbers: 1
  bool numbers = false;
  bool majority = false;  // each tree votes for one class, instead of sharing its vote
  std::vector<double> tree_weight;
  std::vector<std::vector<u64>> seen;  // by tree, a bit a row: rows that it learned from, which it does not answer
};

// Adds what one leaf says to the answer of a row.
template <class Value>
bool add_leaf(const PackedView& tree, const PackedNode& node, const ForestQuestion& question, double weight,
              double* to) {
  auto leaf = std::bit_cast<u64>(node.key);
  if (leaf >= static_cast<u64>(tree.n_leaves)) return false;
  auto width = static_cast<u64>(question.width);
  const Value* value = static_cast<const Value*>(tree.leaf_value) + leaf * width;
  if (question.majority) {
    to[std::max_element(value, value + width) - value] += weight;
    return true;
  }
  double sum = 0.0;
  for (u64 j = 0; j < width; ++j) sum += static_cast<double>(value[j]);
  for (u64 j = 0; j < width; ++j)
    if (value[j] > 0) to[j] += weight * (static_cast<double>(value[j]) / sum);
  return true;
}

inline bool add_answer(const PackedView& tree, const PackedNode& node, const ForestQuestion& question, double weight,
                       double* to) {
  if (question.numbers) {
    *to += weight * node.key;
    return true;
  }
  if (tree.value_bytes == 2) return add_leaf<u16>(tree, node, question, weight, to);
  if (tree.value_bytes == 4) return add_leaf<u32>(tree, node, question, weight, to);
  return add_leaf<double>(tree, node, question, weight, to);
}

// out [n_rows, width]: the weighted sum of the trees' answers; used [n_rows]: the weight of the trees that answered.
inline Trouble predict_forest(const std::vector<PackedView>& trees, const std::vector<Column>& columns, int64_t n_rows,
                              const ForestQuestion& question, const Running& running, double* out, double* used) {
  auto blocks = static_cast<size_t>((n_rows + forest_block - 1) / forest_block);
  int threads = static_cast<int>(std::clamp<size_t>(blocks, 1, static_cast<size_t>(std::max(1, running.threads))));
  std::vector<ForestCells> cells(static_cast<size_t>(threads));
  std::atomic<int32_t> trouble{0};
  Pause pause(running);
  Pool pool(threads);
  pool.run(blocks, [&](size_t block, int thread) {
    int64_t first = static_cast<int64_t>(block) * forest_block, count = std::min(forest_block, n_rows - first);
    ForestCells& mine = cells[static_cast<size_t>(thread)];
    mine.fill(columns, first, count);
    std::fill(out + first * question.width, out + (first + count) * question.width, 0.0);
    std::fill(used + first, used + first + count, 0.0);
    for (size_t t = 0; t < trees.size() && !trouble; ++t) {
      const PackedView& tree = trees[t];
      double weight = question.tree_weight[t];
      const u64* seen = question.seen.empty() ? nullptr : question.seen[t].data();
      auto skip = [&](int32_t row) {
        auto at = static_cast<u64>(first + row);
        return seen && (seen[at >> 6] >> (at & 63) & 1);
      };
      auto arrive = [&](int32_t row, const PackedNode& node, int32_t) {
        used[first + row] += weight;
        return add_answer(tree, node, question, weight, out + (first + row) * question.width);
      };
      Trouble met = PackedWalk(tree, mine).run(count, skip, arrive);
      if (met != Trouble::none) trouble = static_cast<int32_t>(met);
      pause(thread);
    }
  });
  return static_cast<Trouble>(trouble.load());
}

// out [n_rows, trees]: the leaf that each row reaches in each tree.
inline Trouble forest_leaves(const std::vector<PackedView>& trees, const std::vector<Column>& columns, int64_t n_rows,
                             const Running& running, int32_t* out) {
  auto blocks = static_cast<size_t>((n_rows + forest_block - 1) / forest_block);
  int threads = static_cast<int>(std::clamp<size_t>(blocks, 1, static_cast<size_t>(std::max(1, running.threads))));
  std::vector<ForestCells> cells(static_cast<size_t>(threads));
  std::atomic<int32_t> trouble{0};
  Pause pause(running);
  Pool pool(threads);
  auto n_trees = static_cast<int64_t>(trees.size());
  pool.run(blocks, [&](size_t block, int thread) {
    int64_t first = static_cast<int64_t>(block) * forest_block, count = std::min(forest_block, n_rows - first);
    cells[static_cast<size_t>(thread)].fill(columns, first, count);
    for (int64_t t = 0; t < n_trees && !trouble; ++t) {
      auto arrive = [&](int32_t row, const PackedNode&, int32_t at) {
        out[(first + row) * n_trees + t] = at;
        return true;
      };
      Trouble met = PackedWalk(trees[static_cast<size_t>(t)], cells[static_cast<size_t>(thread)])
                        .run(count, [](int32_t) { return false; }, arrive);
      if (met != Trouble::none) trouble = static_cast<int32_t>(met);
      pause(thread);
    }
  });
  return static_cast<Trouble>(trouble.load());
}

}  // namespace quercus
