// Rows on their way through packed trees: a block of rows is divided at node after node, as growing divides it, so that
// each question is read once for all the rows that meet it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "asked_column.h"
#include "divide_wide.h"
#include "packed.h"

namespace quercus {

// The largest number of type Value that is <= threshold: for every x of that type, x <= threshold says the same.
template <class Value>
Value round_down(double threshold) {
  if constexpr (std::is_same_v<Value, float>) {
    constexpr float infinity = std::numeric_limits<float>::infinity(), most = std::numeric_limits<float>::max();
    if (threshold == std::numeric_limits<double>::infinity()) return infinity;
    if (threshold >= static_cast<double>(most)) return most;
    if (threshold < -static_cast<double>(most)) return -infinity;
    auto value = static_cast<float>(threshold);
    return static_cast<double>(value) > threshold ? std::nextafter(value, -infinity) : value;
  } else {
    return threshold;
  }
}

// What prediction sees of one packed tree.
struct PackedView {
  const PackedNode* nodes = nullptr;
  int64_t n_nodes = 0, n_leaves = 0;
  ValueSets sets;
  const void* leaf_value = nullptr;  // classes: their weights at each leaf [leaf, class]
  u8 value_bytes = 0;                // 2: u16, 4: u32, 8: double
};

// How a walk can fail: the arrays are damaged, a row has to follow several branches, or a number is infinite.
enum class Trouble : int32_t { none = 0, unsound = 1, spreads = 2, infinite = 3 };

// Whether the links of a node stay inside the tree and lead downwards, and its question asks what is there.
inline bool sound(const PackedView& tree, const std::vector<AskedColumn>& columns, int64_t i) {
  const PackedNode& node = tree.nodes[i];
  bool threshold = by_threshold(node);
  if (node.kind == 0) {
    bool number = tree.value_bytes == 0 || std::bit_cast<u64>(node.key) < static_cast<u64>(tree.n_leaves);
    return node.first_child == i && node.attribute == columns.size() && node.missing_child == 0 && number;
  }
  if (!threshold && !by_groups(node)) return false;
  if (node.first_child <= i || node.first_child + 1 >= tree.n_nodes || node.attribute >= columns.size()) return false;
  const AskedColumn& column = columns[node.attribute];
  if (node.missing_child < -1 || node.missing_child > 1 || !column.data || column.nominal() == threshold) return false;
  return threshold || tree.sets.sound(std::bit_cast<u64>(node.key));
}

inline bool sound(const PackedView& tree, const std::vector<AskedColumn>& columns) {
  for (int64_t i = 0; i < tree.n_nodes; ++i)
    if (!sound(tree, columns, i)) return false;
  return true;
}

// The child of a code at a subset; −1: none.
inline int32_t child_of_code(const PackedView& tree, const PackedNode& node, u32 code) {
  return tree.sets.branch(std::bit_cast<u64>(node.key), code);
}

// One row through one tree, looking only at what lies on its way.
inline Trouble walk_alone(const PackedView& tree, const std::vector<AskedColumn>& columns, int64_t row, int32_t& end) {
  int64_t at = 0;
  for (;;) {
    if (!sound(tree, columns, at)) return Trouble::unsound;
    const PackedNode& node = tree.nodes[at];
    if (node.kind == 0) break;
    const AskedColumn& column = columns[node.attribute];
    int32_t side = -1;
    if (column.nominal())
      side = child_of_code(tree, node, static_cast<u32>(column.code(row)));
    else if (double x = column.number(row); std::isinf(x))
      return Trouble::infinite;
    else if (x == x)
      side = static_cast<int32_t>(x > node.key);
    if (side < 0) side = node.missing_child;
    if (side < 0) return Trouble::spreads;
    at = node.first_child + (side & 1);
  }
  end = static_cast<int32_t>(at);
  return Trouble::none;
}

// The cells of a block, row after row: the bits of a number, or a code. Number: float, if it holds all numbers exactly.
template <class Number>
struct RouteCells {
  using Cell = std::conditional_t<sizeof(Number) == 4, u32, u64>;

  // Columns that are not asked have no data and no place in a row. Says whether a number is infinite.
  bool fill(const std::vector<AskedColumn>& columns, int64_t first, u32 count) {
    slot.assign(columns.size(), 0);
    stride = 0;
    for (size_t a = 0; a < columns.size(); ++a)
      if (columns[a].data) slot[a] = static_cast<u32>(stride++);
    cells.resize(count * stride);
    few_codes.assign(columns.size(), 0);
    bool infinite = false;
    for (size_t a = 0; a < columns.size(); ++a) {
      if (!columns[a].data) continue;
      Cell* to = cells.data() + slot[a];
      if (columns[a].kind == ColumnKind::number64)
        infinite |= copy_numbers<double>(columns[a], first, count, to);
      else if (columns[a].kind == ColumnKind::number32)
        infinite |= copy_numbers<float>(columns[a], first, count, to);
      else
        few_codes[a] = copy_codes(columns[a], first, count, to);
    }
    return infinite;
  }
  static double number(Cell cell) { return static_cast<double>(std::bit_cast<Number>(cell)); }

  std::vector<Cell> cells;
  std::vector<u8> few_codes;  // by attribute: whether it is nominal and its codes are below 32
  std::vector<u32> slot;      // by attribute: its place in a row
  size_t stride = 0;

 private:
  bool copy_codes(const AskedColumn& column, int64_t first, u32 count, Cell* to) {
    int32_t most = 0;
    for (u32 r = 0; r < count; ++r, to += stride) {
      int32_t code = column.code(first + r);
      *to = static_cast<u32>(code);
      most = std::max(most, code);
    }
    return most < 32;
  }
  template <class From>
  bool copy_numbers(const AskedColumn& column, int64_t first, u32 count, Cell* to) {
    bool infinite = false;
    for (u32 r = 0; r < count; ++r, to += stride) {
      From x = column.cell<From>(first + r);
      infinite |= std::abs(x) == std::numeric_limits<From>::infinity();
      *to = std::bit_cast<Cell>(static_cast<Number>(x));
    }
    return infinite;
  }
};

// Whether every number of the columns is a float's.
inline bool floats_hold(const std::vector<AskedColumn>& columns, int64_t n_rows) {
  return std::all_of(columns.begin(), columns.end(), [=](const AskedColumn& column) {
    if (column.kind != ColumnKind::number64 || !column.data) return true;
    for (int64_t row = 0; row < n_rows; ++row) {
      auto x = column.cell<double>(row);
      if (static_cast<double>(static_cast<float>(x)) != x && x == x) return false;
    }
    return true;
  });
}

template <class Number>
class Router {
  using Block = RouteCells<Number>;
  using Cell = typename Block::Cell;

 public:
  Block block;
  bool wide = divides_wide();

  // Chooses the rows of the block, which has so many, that are to be routed.
  template <class Chosen>
  void start(u32 count, Chosen&& chosen) {
    for (auto& list : lists_) list.resize(count);
    count_ = 0;
    for (u32 row = 0; row < count; ++row) {
      lists_[0][count_] = static_cast<u16>(row);
      count_ += static_cast<u32>(chosen(row));
    }
  }

  // Brings the rows to their leaves: arrive(leaf, rows, how many). The tree is sound.
  template <class Arrive>
  Trouble route(const PackedView& tree, Arrive&& arrive) {
    spreads_ = false;
    waiting_.clear();
    if (count_) waiting_.push_back({0, 0, count_, 0});
    while (!waiting_.empty()) {
      Visit visit = waiting_.back();
      waiting_.pop_back();
      for (;;) {
        const PackedNode& node = tree.nodes[visit.node];
        const u16* rows = lists_[visit.list].data() + visit.begin;
        u32 n = visit.end - visit.begin;
        if (node.kind == 0) {
          arrive(visit.node, rows, n);
          break;
        }
        if (n == 1) {
          arrive(alone(tree, visit.node, *rows), rows, 1);
          break;
        }
        u32 left = divide(tree, node, rows, n, lists_[visit.list ^ 1].data() + visit.begin);
        u32 middle = visit.begin + left, list = visit.list ^ 1;
        if (left == n) {
          visit = {node.first_child, visit.begin, visit.end, list};
        } else {
          if (left > 0) waiting_.push_back({node.first_child, visit.begin, middle, list});
          visit = {node.first_child + 1, middle, visit.end, list};
        }
      }
    }
    return spreads_ ? Trouble::spreads : Trouble::none;
  }

 private:
  struct Visit {
    int32_t node;
    u32 begin, end, list;
  };

  u32 divide(const PackedView& tree, const PackedNode& node, const u16* rows, u32 n, u16* to) {
    if (node.missing_child < 0) return divide_by(rows, n, to, [&](u16 row) { return side(tree, node, row); });
    const Cell* cells = block.cells.data() + block.slot[node.attribute];
    size_t stride = block.stride;
    double key = node.key;
    bool subset = by_groups(node), unknown_right = node.missing_child == 1;
    auto step = static_cast<u32>(stride);
    if (wide && n >= 16 && !subset)
      return divide_numbers_wide(cells, step, rows, n, to, round_down<Number>(key), unknown_right);
    if (wide && n >= 64 && subset && block.few_codes[node.attribute])
      return divide_codes_wide(cells, step, rows, n, to, right_bits(tree, node), unknown_right);
    if (subset) {
      return divide_by(rows, n, to, [&](u16 row) {
        int32_t child = child_of_code(tree, node, static_cast<u32>(cells[row * stride]));
        return child < 0 ? unknown_right : child == 1;
      });
    }
    if (unknown_right)
      return divide_by(rows, n, to, [=](u16 row) { return !(Block::number(cells[row * stride]) <= key); });
    return divide_by(rows, n, to, [=](u16 row) { return Block::number(cells[row * stride]) > key; });
  }
  // The codes below 32 that go right, values without a child being unknown ones.
  static u32 right_bits(const PackedView& tree, const PackedNode& node) {
    u32 bits = 0;
    for (u32 code = 0; code < 32; ++code) {
      int32_t child = child_of_code(tree, node, code);
      bits |= static_cast<u32>((child < 0 ? node.missing_child : child) == 1) << code;
    }
    return bits;
  }

  int32_t side(const PackedView& tree, const PackedNode& node, u16 row) {
    Cell cell = block.cells[row * block.stride + block.slot[node.attribute]];
    int32_t side = 0;
    if (by_groups(node)) {
      side = child_of_code(tree, node, static_cast<u32>(cell));
    } else {
      double x = Block::number(cell);
      side = static_cast<int32_t>(x > node.key) - static_cast<int32_t>(x != x);
    }
    if (side < 0) side = node.missing_child;
    spreads_ |= side < 0;
    return side & 1;
  }
  int32_t alone(const PackedView& tree, int32_t at, u16 row) {
    while (tree.nodes[at].kind != 0) at = tree.nodes[at].first_child + side(tree, tree.nodes[at], row);
    return at;
  }

  std::array<std::vector<u16>, 2> lists_;  // rows by node; a division reads one and writes the other
  std::vector<Visit> waiting_;
  u32 count_ = 0;
  bool spreads_ = false;
};

}  // namespace quercus
