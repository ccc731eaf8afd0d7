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

// How a walk can fail: the arrays are damaged, or a row has to follow several branches.
enum class Trouble : int32_t { none = 0, unsound = 1, spreads = 2 };

constexpr int64_t forest_block = 512;  // rows that go through all trees together

// Whether every link stays inside the tree and leads downwards, and every question asks what is there.
inline bool sound(const PackedView& tree, const std::vector<Column>& columns) {
  for (int64_t i = 0; i < tree.n_nodes; ++i) {
    const PackedNode& node = tree.nodes[i];
    bool threshold = node.kind == static_cast<u8>(SplitKind::threshold), leaf = node.kind == 0;
    if (leaf) {
      bool number = tree.value_bytes == 0 || std::bit_cast<u64>(node.key) < static_cast<u64>(tree.n_leaves);
      if (node.first_child != i || node.attribute != columns.size() || node.missing_child != 0 || !number) return false;
      continue;
    }
    if (!threshold && node.kind != static_cast<u8>(SplitKind::subset)) return false;
    if (node.first_child <= i || node.first_child + 1 >= tree.n_nodes || node.attribute >= columns.size()) return false;
    if (node.missing_child < -1 || node.missing_child > 1 || columns[node.attribute].nominal() == threshold)
      return false;
    if (!threshold && std::bit_cast<u64>(node.key) > static_cast<u64>(tree.n_groups)) return false;
  }
  return true;
}

// The cells of a block, row after row: numbers, and codes as numbers; NaN where unknown. Behind each row stands what
// leaves ask for.
template <class Cell>
class ForestCells {
 public:
  void fill(const std::vector<Column>& columns, int64_t first, int64_t count) {
    stride = columns.size() + 1;
    cells.resize(static_cast<size_t>(count) * stride);
    unknown = false;
    for (size_t a = 0; a < columns.size(); ++a) {
      const Column& column = columns[a];
      Cell* to = cells.data() + a;
      if (column.kind == ColumnKind::number64)
        copy(static_cast<const double*>(column.data) + first, count, to);
      else if (column.kind == ColumnKind::number32)
        copy(static_cast<const float*>(column.data) + first, count, to);
      else
        copy_codes(static_cast<const int32_t*>(column.data) + first, count, to);
    }
    for (int64_t r = 0; r < count; ++r)
      cells[static_cast<size_t>(r + 1) * stride - 1] = -std::numeric_limits<Cell>::infinity();
  }

  std::vector<Cell> cells;
  size_t stride = 0;
  bool unknown = false;

 private:
  template <class From>
  void copy(const From* from, int64_t count, Cell* to) {
    bool found = false;
    for (int64_t r = 0; r < count; ++r, to += stride) {
      *to = static_cast<Cell>(from[r]);
      found |= from[r] != from[r];
    }
    unknown |= found;
  }
  void copy_codes(const int32_t* from, int64_t count, Cell* to) {
    for (int64_t r = 0; r < count; ++r, to += stride) {
      unknown |= from[r] < 0;
      *to = from[r] < 0 ? std::numeric_limits<Cell>::quiet_NaN() : static_cast<Cell>(from[r]);
    }
  }
};

// Brings `count` rows of a block to their leaves; the tree is sound.
template <class Cell>
class PackedWalk {
 public:
  PackedWalk(const PackedView& tree, bool codes) : tree_(tree), codes_(codes) {}

  Trouble run(const ForestCells<Cell>& block, int64_t count, int32_t* ends) const {
    const PackedNode* nodes = tree_.nodes;
    if (!codes_ && !block.unknown) {
      step_lanes(block.cells.data(), block.stride, count, ends, [=](int32_t at, const Cell* values) {
        const PackedNode& node = nodes[at];
        return node.first_child + static_cast<int32_t>(static_cast<double>(values[node.attribute]) > node.key);
      });
      return Trouble::none;
    }
    if (!codes_) {
      bool spreads = false;
      step_lanes(block.cells.data(), block.stride, count, ends, [&](int32_t at, const Cell* values) {
        const PackedNode& node = nodes[at];
        auto x = static_cast<double>(values[node.attribute]);
        int32_t side = x != x ? node.missing_child : static_cast<int32_t>(x > node.key);
        spreads |= side < 0;
        return node.first_child + (side & 1);
      });
      return spreads ? Trouble::spreads : Trouble::none;
    }
    return run_mixed(block, count, ends);
  }

 private:
  Trouble run_mixed(const ForestCells<Cell>& block, int64_t count, int32_t* ends) const {
    const PackedNode* nodes = tree_.nodes;
    const int8_t* group = tree_.group;
    auto n_groups = static_cast<u64>(tree_.n_groups);
    bool spreads = false;
    step_lanes(block.cells.data(), block.stride, count, ends, [&](int32_t at, const Cell* values) {
      const PackedNode& node = nodes[at];
      auto x = static_cast<double>(values[node.attribute]);
      auto side = static_cast<int32_t>(x > node.key);
      if (node.kind == static_cast<u8>(SplitKind::subset)) {
        u64 place = std::bit_cast<u64>(node.key) + (x == x ? static_cast<u64>(x) : 0);
        side = place < n_groups ? group[place] : -1;
        side = side < 0 ? node.missing_child : side;
      }
      side = x != x ? node.missing_child : side;
      spreads |= side < 0;
      return node.first_child + (side & 1);
    });
    return spreads ? Trouble::spreads : Trouble::none;
  }

  const PackedView& tree_;
  bool codes_;
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
void add_leaf(const PackedView& tree, const PackedNode& node, const ForestQuestion& question, double weight,
              double* to) {
  auto leaf = std::bit_cast<u64>(node.key);
  auto width = static_cast<u64>(question.width);
  const Value* value = static_cast<const Value*>(tree.leaf_value) + leaf * width;
  if (question.majority) {
    to[std::max_element(value, value + width) - value] += weight;
    return;
  }
  double sum = 0.0;
  for (u64 j = 0; j < width; ++j) sum += static_cast<double>(value[j]);
  for (u64 j = 0; j < width; ++j)
    if (value[j] > 0) to[j] += weight * (static_cast<double>(value[j]) / sum);
}

inline void add_answer(const PackedView& tree, const PackedNode& node, const ForestQuestion& question, double weight,
                       double* to) {
  if (question.numbers) {
    *to += weight * node.key;
    return;
  }
  if (tree.value_bytes == 2) return add_leaf<u16>(tree, node, question, weight, to);
  if (tree.value_bytes == 4) return add_leaf<u32>(tree, node, question, weight, to);
  return add_leaf<double>(tree, node, question, weight, to);
}

// Takes blocks of rows through tree after tree: use(tree, first row, rows, leaves) for each block and tree.
template <class Cell, class Use>
Trouble walk_forest(const std::vector<PackedView>& trees, const std::vector<Column>& columns, int64_t n_rows,
                    const Running& running, Use&& use) {
  for (const PackedView& tree : trees)
    if (!sound(tree, columns)) return Trouble::unsound;
  bool codes = std::any_of(columns.begin(), columns.end(), [](const Column& column) { return column.nominal(); });
  auto blocks = static_cast<size_t>((n_rows + forest_block - 1) / forest_block);
  int threads = static_cast<int>(std::clamp<size_t>(blocks, 1, static_cast<size_t>(std::max(1, running.threads))));
  std::vector<ForestCells<Cell>> cells(static_cast<size_t>(threads));
  std::atomic<int32_t> trouble{0};
  Pause pause(running);
  Pool pool(threads);
  pool.run(blocks, [&](size_t block, int thread) {
    int64_t first = static_cast<int64_t>(block) * forest_block, count = std::min(forest_block, n_rows - first);
    std::array<int32_t, forest_block> ends;
    cells[static_cast<size_t>(thread)].fill(columns, first, count);
    for (size_t t = 0; t < trees.size() && !trouble; ++t) {
      Trouble met = PackedWalk<Cell>(trees[t], codes).run(cells[static_cast<size_t>(thread)], count, ends.data());
      if (met != Trouble::none) trouble = static_cast<int32_t>(met);
      use(t, first, count, ends.data());
      pause(thread);
    }
  });
  return static_cast<Trouble>(trouble.load());
}

template <class Use>
Trouble walk_forest(const std::vector<PackedView>& trees, const std::vector<Column>& columns, int64_t n_rows,
                    const Running& running, Use&& use) {
  bool narrow =
      std::all_of(columns.begin(), columns.end(), [](const Column& c) { return c.kind == ColumnKind::number32; });
  if (narrow) return walk_forest<float>(trees, columns, n_rows, running, use);
  return walk_forest<double>(trees, columns, n_rows, running, use);
}

// out [n_rows, width]: the weighted sum of the trees' answers; used [n_rows]: the weight of the trees that answered.
// Both are 0 at first.
inline Trouble predict_forest(const std::vector<PackedView>& trees, const std::vector<Column>& columns, int64_t n_rows,
                              const ForestQuestion& question, const Running& running, double* out, double* used) {
  return walk_forest(trees, columns, n_rows, running, [&](size_t t, int64_t first, int64_t count, const int32_t* ends) {
    const PackedView& tree = trees[t];
    double weight = question.tree_weight[t];
    const u64* seen = question.seen.empty() ? nullptr : question.seen[t].data();
    for (int64_t r = 0; r < count; ++r) {
      auto row = static_cast<u64>(first + r);
      if (seen && (seen[row >> 6] >> (row & 63) & 1)) continue;
      used[row] += weight;
      add_answer(tree, tree.nodes[ends[r]], question, weight, out + row * static_cast<u64>(question.width));
    }
  });
}

// out [n_rows, trees]: the leaf that each row reaches in each tree.
inline Trouble forest_leaves(const std::vector<PackedView>& trees, const std::vector<Column>& columns, int64_t n_rows,
                             const Running& running, int32_t* out) {
  auto n_trees = static_cast<int64_t>(trees.size());
  return walk_forest(trees, columns, n_rows, running, [&](size_t t, int64_t first, int64_t count, const int32_t* ends) {
    for (int64_t r = 0; r < count; ++r) out[(first + r) * n_trees + static_cast<int64_t>(t)] = ends[r];
  });
}

}  // namespace quercus
