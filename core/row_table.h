// RowTable: the few rows of a small subtree, sorted by every column; the table is divided in place down to the leaves.
#pragma once

#include <array>

#include "numbers.h"

namespace quercus {

constexpr u32 FEW_ROWS = 128;

template <typename T>
using PerRow = std::array<T, FEW_ROWS>;

// An entry of a sorted column: the place of a row among the rows, and above it the rank of its value.
inline u32 rank_in(u16 entry) { return entry >> 8; }
inline u32 row_in(u16 entry) { return entry & 255; }

struct SortedColumn {
  const FrameColumn* cells;
  const Attribute* attribute;
  PerRow<u16> entries;
  PerRow<u32> code;  // coded columns: the code of each rank

  bool listed() const { return !cells->list.empty(); }
  bool constant(u32 begin, u32 end) const { return rank_in(entries[begin]) == rank_in(entries[end - 1]); }
  bool starts(u32 p) const { return rank_in(entries[p]) != rank_in(entries[p - 1]); }  // a value
};

class RowTable {
 public:
  PerRow<u8> order;  // the rows, grouped by node, in rising order within a node
  PerRow<u8> side;   // the side of each row in the next division
  PerRow<u32> instance;
  std::vector<SortedColumn> columns;

  // Fills the table with a node's rows and columns; false if a value is unknown, or a column sparse.
  bool fill(const Plan& plan, const Open& open) {
    const Frame& frame = *open.frame;
    if (frame.sparse) return false;
    u32 n = open.count();
    const u32* list = frame.order.empty() ? frame.columns[open.active->front()].list.data() : frame.order.data();
    if (place_.size() < frame.size) place_.resize(frame.size);
    for (u32 i = 0; i < n; ++i) {
      instance[i] = list[open.begin + i] & (frame.order.empty() ? plan.row_mask : ~u32{0});
      order[i] = static_cast<u8>(i);
      place_[instance[i]] = static_cast<u8>(i);
    }
    if (columns.size() < open.active->size()) columns.resize(open.active->size());
    for (size_t c = 0; c < open.active->size(); ++c) {
      SortedColumn& column = columns[c];
      column.cells = &frame.columns[(*open.active)[c]];
      column.attribute = &plan.attributes[column.cells->attribute];
      if (column.attribute->has_unknown && any_unknown(plan, open, *column.cells)) return false;
      if (column.listed())
        rank_list(column, column.cells->list.data() + open.begin, n, plan.row_mask);
      else
        sort_codes(column, n);
    }
    return true;
  }

  // Divides a column, or the order, by the sides of the rows; each side keeps its order.
  template <typename Entry>
  void divide(PerRow<Entry>& entries, u32 begin, u32 end) const {
    PerRow<Entry> right;
    u32 left = begin, n = 0;
    for (u32 p = begin; p < end; ++p) {
      Entry entry = entries[p];
      u8 s = side[row_in(entry)];
      entries[left] = entry;
      right[n] = entry;
      left += !s;
      n += s;
    }
    std::copy_n(right.begin(), n, entries.begin() + left);
  }

 private:
  // Unknown entries stand at the end of a list.
  bool any_unknown(const Plan& plan, const Open& open, const FrameColumn& cells) const {
    const Column& column = plan.data.columns[cells.attribute];
    if (!cells.list.empty()) return column.unknown(open.frame->row_of(cells.list[open.end - 1] & plan.row_mask));
    for (u32 i = 0; i < open.count(); ++i)
      if (cells.code32.empty() ? cells.code8[instance[i]] == UNKNOWN8 : cells.code32[instance[i]] < 0) return true;
    return false;
  }
  void rank_list(SortedColumn& column, const u32* list, u32 n, u32 row_mask) const {
    u32 rank = 0;
    for (u32 p = 0; p < n; ++p) {
      rank += p && !(list[p] & TIE);
      column.entries[p] = static_cast<u16>(rank << 8 | place_[list[p] & row_mask]);
    }
  }
  void sort_codes(SortedColumn& column, u32 n) const {
    PerRow<u64> keys;
    const FrameColumn& cells = *column.cells;
    for (u32 i = 0; i < n; ++i) {
      u32 code = cells.code32.empty() ? cells.code8[instance[i]] : static_cast<u32>(cells.code32[instance[i]]);
      keys[i] = u64{code} << 8 | i;
    }
    std::sort(keys.begin(), keys.begin() + n);
    u32 rank = 0;
    for (u32 p = 0; p < n; ++p) {
      rank += p && keys[p] >> 8 != keys[p - 1] >> 8;
      column.code[rank] = static_cast<u32>(keys[p] >> 8);
      column.entries[p] = static_cast<u16>(rank << 8 | (keys[p] & 255));
    }
  }

  std::vector<u8> place_;  // the place among the rows, by instance of the frame
};

}  // namespace quercus
