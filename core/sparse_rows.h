// SparseRows: the cells of sparse columns that are not 0, row by row; and those of one node, attribute by attribute.
#pragma once

#include <algorithm>
#include <vector>

#include "dataset.h"
#include "memory.h"

namespace quercus {

constexpr u32 NO_ZERO = ~u32{0};  // the code of 0 in a column that has no 0

struct SparseCell {
  u32 attribute, code;
};

struct SparseRows {
  std::vector<size_t> start;  // of each row its first cell, and the end
  Large<SparseCell> cells;    // of a row by attribute, rising

  const SparseCell* begin(u32 row) const { return cells.data() + start[row]; }
  const SparseCell* end(u32 row) const { return cells.data() + start[row + size_t{1}]; }

  // The code of a row's value, `zero` if the cell is not stored.
  u32 code(u32 row, u32 attribute, u32 zero) const {
    const SparseCell* last = end(row);
    const SparseCell* at = std::lower_bound(begin(row), last, attribute,
                                            [](const SparseCell& cell, u32 wanted) { return cell.attribute < wanted; });
    return at != last && at->attribute == attribute ? at->code : zero;
  }
};

// The stored cells of a node's rows.
class SparseNode {
 public:
  struct Cell {
    u32 code, instance;
  };
  struct Part {
    const Cell *first, *last;
    const Cell* begin() const { return first; }
    const Cell* end() const { return last; }
    size_t size() const { return static_cast<size_t>(last - first); }
  };

  // row_of(instance): the row of each of the instances.
  template <typename RowOf>
  void gather(const SparseRows& rows, const u32* instances, u32 n, size_t n_attributes, RowOf row_of) {
    if (end_.size() < n_attributes) end_.resize(n_attributes, 0), count_.resize(n_attributes, 0);
    for (u32 attribute : touched_) count_[attribute] = 0;
    touched_.clear();
    for (u32 i = 0; i < n; ++i) {
      u32 row = row_of(instances[i]);
      for (const SparseCell* cell = rows.begin(row); cell != rows.end(row); ++cell)
        if (!count_[cell->attribute]++) touched_.push_back(cell->attribute);
    }
    size_t next = 0;
    for (u32 attribute : touched_) {
      end_[attribute] = next;
      next += count_[attribute];
    }
    cells_.resize(next);
    for (u32 i = 0; i < n; ++i) {
      u32 row = row_of(instances[i]);
      for (const SparseCell* cell = rows.begin(row); cell != rows.end(row); ++cell)
        cells_[end_[cell->attribute]++] = {cell->code, instances[i]};
    }
  }

  // The attributes that have a cell here, in no order.
  const std::vector<u32>& touched() const { return touched_; }

  // The cells of one attribute, in the order of the instances.
  Part of(u32 attribute) const {
    const Cell* last = cells_.data() + end_[attribute];
    return count_[attribute] ? Part{last - count_[attribute], last} : Part{nullptr, nullptr};
  }
  // Whether an attribute has several values here. n: the instances of the node.
  bool varies(u32 attribute, u32 n) const {
    Part cells = of(attribute);
    if (!cells.size() || cells.size() < n) return cells.size() != 0;
    return std::any_of(cells.begin(), cells.end(), [&](const Cell& cell) { return cell.code != cells.first->code; });
  }

 private:
  std::vector<u32> touched_, count_;  // attributes that have a cell here, and how many
  std::vector<size_t> end_;
  std::vector<Cell> cells_;
};

}  // namespace quercus
