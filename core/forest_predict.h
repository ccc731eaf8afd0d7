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
  const void* leaf_value = nullptr;   // classes: their weights at each leaf [leaf, class]
  u8 value_bytes = 0;                 // 2: u16, 4: u32, 8: double
  std::vector<PackedNode> bits = {};  // see with_bits
};

// How a walk can fail: the arrays are damaged, or a row has to follow several branches.
enum class Trouble : int32_t { none = 0, unsound = 1, spreads = 2 };

constexpr int forest_lanes = 16;            // rows that walk in step
constexpr int64_t most_block_rows = 2048;   // rows that go through all trees together,
constexpr size_t block_bytes = 192 * 1024;  // if their cells fit the second cache

inline int64_t rows_in_block(size_t bytes_a_row) {
  return std::clamp<int64_t>(static_cast<int64_t>(block_bytes / bytes_a_row), 64, most_block_rows);
}

// Whether the links of a node stay inside the tree and lead downwards, and its question asks what is there.
inline bool sound(const PackedView& tree, const std::vector<Column>& columns, int64_t i) {
  const PackedNode& node = tree.nodes[i];
  bool threshold = node.kind == static_cast<u8>(SplitKind::threshold);
  if (node.kind == 0) {
    bool number = tree.value_bytes == 0 || std::bit_cast<u64>(node.key) < static_cast<u64>(tree.n_leaves);
    return node.first_child == i && node.attribute == columns.size() && node.missing_child == 0 && number;
  }
  if (!threshold && node.kind != static_cast<u8>(SplitKind::subset)) return false;
  if (node.first_child <= i || node.first_child + 1 >= tree.n_nodes || node.attribute >= columns.size()) return false;
  if (node.missing_child < -1 || node.missing_child > 1 || columns[node.attribute].nominal() == threshold) return false;
  return threshold || std::bit_cast<u64>(node.key) < static_cast<u64>(tree.n_groups);
}

inline bool sound(const PackedView& tree, const std::vector<Column>& columns) {
  if (tree.n_groups < 1 || tree.group[tree.n_groups - 1] != -1) return false;
  for (int64_t i = 0; i < tree.n_nodes; ++i)
    if (!sound(tree, columns, i)) return false;
  return true;
}

// One row through one tree, looking only at what lies on its way.
inline Trouble walk_alone(const PackedView& tree, const std::vector<Column>& columns, int64_t row, int32_t& end) {
  int64_t at = 0;
  for (;;) {
    if (!sound(tree, columns, at)) return Trouble::unsound;
    const PackedNode& node = tree.nodes[at];
    if (node.kind == 0) break;
    const Column& column = columns[node.attribute];
    auto r = static_cast<size_t>(row);
    int32_t side = node.missing_child;
    if (column.nominal()) {
      u64 place = std::bit_cast<u64>(node.key) + static_cast<u64>(std::max(column.code(r), 0));
      bool known = column.code(r) >= 0 && place + 1 < static_cast<u64>(tree.n_groups) && tree.group[place] >= 0;
      if (known) side = tree.group[place] & 1;
    } else if (double x = column.number(r); x == x) {
      side = static_cast<int32_t>(x > node.key);
    }
    if (side < 0) return Trouble::spreads;
    at = node.first_child + side;
  }
  end = static_cast<int32_t>(at);
  return Trouble::none;
}

// Of an unknown code: no number as a number, and behind every table of codes.
constexpr u64 unknown_code = std::bit_cast<u64>(std::numeric_limits<double>::quiet_NaN());

// A copy of a tree's nodes in which subsets of at most 64 values are bits: bit c is the child of code c, values without
// a child going where unknown ones go. Empty if a subset has more values, or some node no child for unknown ones.
inline std::vector<PackedNode> with_bits(const PackedView& tree) {
  std::vector<PackedNode> nodes(tree.nodes, tree.nodes + tree.n_nodes);
  u64 end = static_cast<u64>(tree.n_groups) - 1;
  for (size_t i = nodes.size(); i-- > 0;) {
    PackedNode& node = nodes[i];
    if (node.kind != static_cast<u8>(SplitKind::subset)) {
      if (node.missing_child < 0) return {};
      continue;
    }
    u64 start = std::bit_cast<u64>(node.key), bits = 0;
    if (end < start || end - start > 64 || node.missing_child < 0) return {};
    for (u64 c = 0; c < end - start; ++c) {
      int8_t child = tree.group[start + c];
      bits |= static_cast<u64>(child < 0 ? node.missing_child : child) << c;
    }
    node.key = std::bit_cast<double>(bits);
    end = start;
  }
  return nodes;
}

// The cells of a block, row after row. Numbers alone are kept as they are, NaN where unknown; in a mixed table a cell
// is the bits of a double, or a code. Behind each row stands what leaves ask for.
template <class Cell>
class ForestCells {
  static constexpr bool mixed = std::is_same_v<Cell, u64>;

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
      cells[static_cast<size_t>(r + 1) * stride - 1] = cell_of(-std::numeric_limits<double>::infinity());
  }

  std::vector<Cell> cells;
  size_t stride = 0;
  bool unknown = false;

 private:
  static Cell cell_of(double number) {
    if constexpr (mixed)
      return std::bit_cast<u64>(number);
    else
      return static_cast<Cell>(number);
  }
  template <class From>
  void copy(const From* from, int64_t count, Cell* to) {
    bool found = false;
    for (int64_t r = 0; r < count; ++r, to += stride) {
      *to = cell_of(static_cast<double>(from[r]));
      found |= from[r] != from[r];
    }
    unknown |= found;
  }
  void copy_codes(const int32_t* from, int64_t count, Cell* to) {
    if constexpr (mixed)
      for (int64_t r = 0; r < count; ++r, to += stride) {
        unknown |= from[r] < 0;
        *to = from[r] < 0 ? unknown_code : static_cast<u64>(from[r]);
      }
  }
};

// Brings `count` rows of a block to their leaves; the tree is sound. No step branches on what it finds.
template <class Cell>
Trouble walk_packed(const PackedView& tree, const ForestCells<Cell>& block, int64_t count, int32_t* ends) {
  const PackedNode* nodes = tree.nodes;
  if (!block.unknown) {
    step_lanes<forest_lanes>(block.cells.data(), block.stride, count, ends, [=](int32_t at, const Cell* values) {
      const PackedNode& node = nodes[at];
      return node.first_child + static_cast<int32_t>(static_cast<double>(values[node.attribute]) > node.key);
    });
    return Trouble::none;
  }
  int32_t lowest = 0;
  step_lanes<forest_lanes>(block.cells.data(), block.stride, count, ends, [&](int32_t at, const Cell* values) {
    const PackedNode& node = nodes[at];
    auto x = static_cast<double>(values[node.attribute]);
    int32_t side = x != x ? node.missing_child : static_cast<int32_t>(x > node.key);
    lowest = std::min(lowest, side);
    return node.first_child + (side & 1);
  });
  return lowest < 0 ? Trouble::spreads : Trouble::none;
}

// The same for nodes with bits; every node has a child for unknown values.
template <bool Unknown>
void walk_bits(const std::vector<PackedNode>& packed, const ForestCells<u64>& block, int64_t count, int32_t* ends) {
  const PackedNode* nodes = packed.data();
  step_lanes<forest_lanes>(block.cells.data(), block.stride, count, ends, [=](int32_t at, const u64* values) {
    const PackedNode& node = nodes[at];
    u64 cell = values[node.attribute];
    double x = std::bit_cast<double>(cell);
    int32_t codes = -static_cast<int32_t>(node.kind >> 2);  // all bits for a subset, none for a threshold
    auto by_code = static_cast<int32_t>(std::bit_cast<u64>(node.key) >> (cell & 63) & 1);
    auto by_number = static_cast<int32_t>(x > node.key);
    int32_t side = (by_code & codes) | (by_number & ~codes);
    if constexpr (Unknown) {
      int32_t none = -static_cast<int32_t>(x != x);
      side = (side & ~none) | (node.missing_child & none);
    }
    return node.first_child + side;
  });
}

template <>
inline Trouble walk_packed(const PackedView& tree, const ForestCells<u64>& block, int64_t count, int32_t* ends) {
  if (!tree.bits.empty()) {
    if (block.unknown)
      walk_bits<true>(tree.bits, block, count, ends);
    else
      walk_bits<false>(tree.bits, block, count, ends);
    return Trouble::none;
  }
  const PackedNode* nodes = tree.nodes;
  const int8_t* group = tree.group;
  u64 last = static_cast<u64>(tree.n_groups) - 1;  // what an unknown code finds: no child
  int32_t lowest = 0;
  step_lanes<forest_lanes>(block.cells.data(), block.stride, count, ends, [&](int32_t at, const u64* values) {
    const PackedNode& node = nodes[at];
    u64 cell = values[node.attribute];
    double x = std::bit_cast<double>(cell);
    int64_t codes = -static_cast<int64_t>(node.kind >> 2);  // all bits for a subset, none for a threshold
    u64 place = (std::bit_cast<u64>(node.key) + cell) & static_cast<u64>(codes);
    int32_t by_code = group[std::min(place, last)];
    int32_t by_number = static_cast<int32_t>(x > node.key) - static_cast<int32_t>(x != x);
    int32_t side = (by_code & static_cast<int32_t>(codes)) | (by_number & ~static_cast<int32_t>(codes));
    int32_t none = side >> 31;
    side = (side & ~none) | (node.missing_child & none);
    lowest |= side;
    return node.first_child + (side & 1);
  });
  return lowest < 0 ? Trouble::spreads : Trouble::none;
}

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

// Few rows through large trees: one by one.
template <class Use>
Trouble walk_few(const std::vector<PackedView>& trees, const std::vector<Column>& columns, int64_t n_rows, Use&& use) {
  for (size_t t = 0; t < trees.size(); ++t)
    for (int64_t row = 0; row < n_rows; ++row) {
      int32_t end = 0;
      Trouble met = walk_alone(trees[t], columns, row, end);
      if (met != Trouble::none) return met;
      use(t, row, 1, &end);
    }
  return Trouble::none;
}

// Takes blocks of rows through tree after tree: use(tree, first row, rows, leaves) for each block and tree.
template <class Cell, class Use>
Trouble walk_forest(std::vector<PackedView>& trees, const std::vector<Column>& columns, int64_t n_rows,
                    const Running& running, Use&& use) {
  int64_t n_nodes = 0;
  for (const PackedView& tree : trees) n_nodes += tree.n_nodes;
  if (n_rows * static_cast<int64_t>(trees.size()) * 16 < n_nodes) return walk_few(trees, columns, n_rows, use);
  for (PackedView& tree : trees) {
    if (!sound(tree, columns)) return Trouble::unsound;
    if (std::is_same_v<Cell, u64> && n_rows >= tree.n_nodes / 8) tree.bits = with_bits(tree);
  }
  int64_t size = rows_in_block((columns.size() + 1) * sizeof(Cell));
  auto blocks = static_cast<size_t>((n_rows + size - 1) / size);
  int threads = static_cast<int>(std::clamp<size_t>(blocks, 1, static_cast<size_t>(std::max(1, running.threads))));
  std::vector<ForestCells<Cell>> cells(static_cast<size_t>(threads));
  std::atomic<int32_t> trouble{0};
  Pause pause(running);
  Pool pool(threads);
  pool.run(blocks, [&](size_t block, int thread) {
    int64_t first = static_cast<int64_t>(block) * size, count = std::min(size, n_rows - first);
    std::array<int32_t, most_block_rows> ends;
    cells[static_cast<size_t>(thread)].fill(columns, first, count);
    for (size_t t = 0; t < trees.size() && !trouble; ++t) {
      Trouble met = walk_packed(trees[t], cells[static_cast<size_t>(thread)], count, ends.data());
      if (met != Trouble::none) trouble = static_cast<int32_t>(met);
      use(t, first, count, ends.data());
      pause(thread);
    }
  });
  return static_cast<Trouble>(trouble.load());
}

template <class Use>
Trouble walk_forest(std::vector<PackedView>& trees, const std::vector<Column>& columns, int64_t n_rows,
                    const Running& running, Use&& use) {
  auto any = [&](ColumnKind kind) {
    return std::any_of(columns.begin(), columns.end(), [=](const Column& column) { return column.kind == kind; });
  };
  if (any(ColumnKind::nominal)) return walk_forest<u64>(trees, columns, n_rows, running, use);
  if (any(ColumnKind::number64)) return walk_forest<double>(trees, columns, n_rows, running, use);
  return walk_forest<float>(trees, columns, n_rows, running, use);
}

// out [n_rows, width]: the weighted sum of the trees' answers; used [n_rows]: the weight of the trees that answered.
// Both are 0 at first.
inline Trouble predict_forest(std::vector<PackedView>& trees, const std::vector<Column>& columns, int64_t n_rows,
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
inline Trouble forest_leaves(std::vector<PackedView>& trees, const std::vector<Column>& columns, int64_t n_rows,
                             const Running& running, int32_t* out) {
  auto n_trees = static_cast<int64_t>(trees.size());
  return walk_forest(trees, columns, n_rows, running, [&](size_t t, int64_t first, int64_t count, const int32_t* ends) {
    for (int64_t r = 0; r < count; ++r) out[(first + r) * n_trees + static_cast<int64_t>(t)] = ends[r];
  });
}

}  // namespace quercus
