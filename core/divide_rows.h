// Dividing rows: a block of rows goes down a compact tree together and is divided at node after node, so that each
// question is read once for all rows that meet it; sixteen rows at a time where AVX-512 is.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "compact_tree.h"
#include "divide_wide.h"
#include "forest_route.h"

namespace quercus {

// Number: float if all numbers are floats, else double.
template <class Number>
class RowDivider {
 public:
  using Cell = std::conditional_t<sizeof(Number) == 4, u32, u64>;
  static constexpr int64_t most_rows = 16384;  // in a block

  // Copies the cells of a block, row after row: numbers, and the places of codes. Says whether a number is infinite.
  bool fill(const CompactTree& tree, const AskedRows& rows, int64_t first, int64_t count) {
    tree_ = &tree;
    stride_ = rows.columns.size();
    cells_.resize(static_cast<size_t>(count) * stride_);
    unknown_.assign(stride_, 0);
    bool infinite = false;
    for (size_t slot = 0; slot < stride_; ++slot) {
      const AskedColumn& column = rows.columns[slot];
      if (column.nominal())
        copy_codes(column, first, count, slot);
      else if (column.kind == ColumnKind::number32)
        infinite |= copy_numbers<float>(column, first, count, slot);
      else
        infinite |= copy_numbers<double>(column, first, count, slot);
    }
    return infinite;
  }

  // ends [count]: where each row of the block ends, at a leaf or where it goes no single way.
  void locate(int64_t count, int32_t* ends) {
    ends_ = ends;
    for (auto& list : lists_) list.resize(static_cast<size_t>(count));
    for (int64_t row = 0; row < count; ++row) lists_[0][static_cast<size_t>(row)] = static_cast<u16>(row);
    waiting_.assign(1, {0, 0, static_cast<u32>(count), 0});
    while (!waiting_.empty()) {
      Visit visit = waiting_.back();
      waiting_.pop_back();
      while (goes_on(visit)) {
      }
    }
  }

 private:
  struct Visit {
    int32_t node;
    u32 begin, end, list;
  };

  // Divides the rows of a visit and makes it the visit of one of the children; false: all rows have arrived.
  bool goes_on(Visit& visit) {
    const CompactNode& node = tree_->nodes()[visit.node];
    u16* rows = lists_[visit.list].data() + visit.begin;
    u32 n = visit.end - visit.begin;
    if (node.first_child == visit.node) return arrive(rows, n, visit.node);
    if (n == 1) return arrive(rows, 1, alone(visit.node, *rows));
    u32 list = visit.list ^ 1;
    u16* to = lists_[list].data() + visit.begin;
    if (node.is(CompactNode::has_table) && tree_->n_children(visit.node) != 2)
      return divide_by_table(visit, node, rows, n, to);
    n = without_staying(visit.node, node, rows, n);
    if (n == 0) return false;
    u32 left = node.is(CompactNode::asks_code) ? divide_codes(node, rows, n, to) : divide_numbers(node, rows, n, to);
    u32 begin = visit.begin, middle = begin + left, end = begin + n;
    visit = {node.first_child, begin, end, list};
    if (left == n) return true;
    visit = {node.first_child + 1, middle, end, list};
    if (left > 0) waiting_.push_back({node.first_child, begin, middle, list});
    return true;
  }

  bool arrive(const u16* rows, u32 n, int32_t node) {
    for (u32 i = 0; i < n; ++i) ends_[rows[i]] = node;
    return false;
  }

  int32_t alone(int32_t at, u16 row) const {
    for (;;) {
      const CompactNode& node = tree_->nodes()[at];
      if (node.first_child == at) return at;
      Cell cell = cells_[row * stride_ + node.slot()];
      int32_t child = node.is(CompactNode::asks_code) ? tree_->branch_of_place(node, static_cast<u32>(cell))
                                                      : CompactTree::branch_of_number(node, number(cell));
      if (child < 0) return at;
      at = node.first_child + child;
    }
  }

  // Leaves out the rows that go no single way; how many are left.
  u32 without_staying(int32_t at, const CompactNode& node, u16* rows, u32 n) {
    bool codes = node.is(CompactNode::asks_code);
    if (codes ? !tree_->code_may_stay(node) : !node.is(CompactNode::unknown_stays) || !unknown_[node.slot()]) return n;
    u32 kept = 0;
    for (u32 i = 0; i < n; ++i) {
      u16 row = rows[i];
      Cell cell = cells_[row * stride_ + node.slot()];
      bool stays = codes ? tree_->branch_of_place(node, static_cast<u32>(cell)) < 0 : number(cell) != number(cell);
      if (stays) ends_[row] = at;
      rows[kept] = row;
      kept += static_cast<u32>(!stays);
    }
    return kept;
  }

  u32 divide_numbers(const CompactNode& node, const u16* rows, u32 n, u16* to) const {
    const Cell* cells = cells_.data() + node.slot();
    bool unknown_right = node.is(CompactNode::unknown_right);
    size_t stride = stride_;
    if (wide_ && n >= 16)
      return divide_numbers_wide(cells, static_cast<u32>(stride), rows, n, to, round_down<Number>(node.threshold()),
                                 unknown_right);
    double key = node.threshold();
    if (unknown_right) return divide_by(rows, n, to, [=](u16 row) { return !(number(cells[row * stride]) <= key); });
    return divide_by(rows, n, to, [=](u16 row) { return number(cells[row * stride]) > key; });
  }

  u32 divide_codes(const CompactNode& node, const u16* rows, u32 n, u16* to) const {
    const Cell* cells = cells_.data() + node.slot();
    size_t stride = stride_;
    if (node.is(CompactNode::has_table))
      return divide_by(rows, n, to, [&](u16 row) {
        return tree_->branch_of_place(node, static_cast<u32>(cells[row * stride])) == 1;
      });
    const u64* bits = tree_->bits() + (node.key & 0xffffffffu);
    if (wide_ && n >= 16) return divide_places_wide(cells, static_cast<u32>(stride), rows, n, to, bits);
    return divide_by(rows, n, to, [=](u16 row) {
      Cell place = cells[row * stride];
      return (bits[place >> 6] >> (place & 63) & 1) != 0;
    });
  }

  bool divide_by_table(const Visit& visit, const CompactNode& node, const u16* rows, u32 n, u16* to) {
    auto child_of = [&](u16 row) {
      return tree_->branch_of_place(node, static_cast<u32>(cells_[row * stride_ + node.slot()]));
    };
    next_.assign(static_cast<size_t>(tree_->n_children(visit.node)) + 1, 0);
    for (u32 i = 0; i < n; ++i)
      if (int32_t child = child_of(rows[i]); child >= 0) ++next_[static_cast<size_t>(child) + 1];
    for (size_t child = 1; child < next_.size(); ++child) {
      u32 begin = visit.begin + next_[child - 1], end = begin + next_[child];
      next_[child] += next_[child - 1];
      if (begin < end)
        waiting_.push_back({node.first_child + static_cast<int32_t>(child) - 1, begin, end, visit.list ^ 1});
    }
    for (u32 i = 0; i < n; ++i) {
      int32_t child = child_of(rows[i]);
      if (child < 0)
        ends_[rows[i]] = visit.node;
      else
        to[next_[static_cast<size_t>(child)]++] = rows[i];
    }
    return false;
  }

  static double number(Cell cell) { return static_cast<double>(std::bit_cast<Number>(cell)); }

  void copy_codes(const AskedColumn& column, int64_t first, int64_t count, size_t slot) {
    uint32_t n_codes = tree_->asked()[slot].n_codes;
    Cell* to = cells_.data() + slot;
    for (int64_t r = 0; r < count; ++r, to += stride_) *to = CompactTree::place_of(column.code(first + r), n_codes);
  }
  template <class From>
  bool copy_numbers(const AskedColumn& column, int64_t first, int64_t count, size_t slot) {
    Cell* to = cells_.data() + slot;
    bool infinite = false, unknown = false;
    for (int64_t r = 0; r < count; ++r, to += stride_) {
      From x = column.cell<From>(first + r);
      infinite |= std::abs(x) == std::numeric_limits<From>::infinity();
      unknown |= x != x;
      *to = std::bit_cast<Cell>(static_cast<Number>(x));
    }
    unknown_[slot] = unknown;
    return infinite;
  }

  const CompactTree* tree_ = nullptr;
  size_t stride_ = 0;
  std::vector<Cell> cells_;
  std::vector<u8> unknown_;                // by slot: whether a number of the block is unknown
  std::array<std::vector<u16>, 2> lists_;  // rows by node; a division reads one and writes the other
  std::vector<Visit> waiting_;
  std::vector<u32> next_;  // by child
  int32_t* ends_ = nullptr;
  bool wide_ = divides_wide();
};

}  // namespace quercus
