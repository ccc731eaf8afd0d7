// UnusualCells: of every row the attributes whose value is not the most frequent one of its column. In a wide table of
// counts most cells are 0, so that a small node finds out quickly which of its attributes may vary at all.
#pragma once

#include "ranks.h"

namespace quercus {

class UnusualCells {
 public:
  static constexpr u32 LEAST_COLUMNS = 128;  // of fewer, the ranks are gathered as quickly
  static constexpr u32 MOST_SHARE = 8;       // at most one cell of so many is unusual
  static constexpr u32 SPAN = 32;            // cells of a column that are compared together

  UnusualCells() = default;
  UnusualCells(const std::vector<RankColumn>& columns, u32 n_rows) {
    if (columns.size() < LEAST_COLUMNS || n_rows == 0) return;
    size_t most = n_rows * columns.size() / MOST_SHARE, unusual = 0;
    for (const RankColumn& column : columns) unusual += n_rows - column.n_usual;
    if (unusual <= most) fill(columns, n_rows, unusual);
  }

  bool empty() const { return start_.empty(); }

  // The rows whose value of an attribute is unusual.
  struct Rows {
    const u32 *first, *last;
    const u32* begin() const { return first; }
    const u32* end() const { return last; }
  };
  Rows rows(u32 attribute) const {
    return {row_.data() + column_start_[attribute], row_.data() + column_start_[attribute + size_t{1}]};
  }
  size_t n_rows(u32 attribute) const { return column_start_[attribute + size_t{1}] - column_start_[attribute]; }

  // The attributes that have an unusual value in one of these rows, one bit each. The others are constant there.
  void mark(const u32* rows, u32 n, std::vector<u64>& bits) const {
    bits.assign(words_, 0);
    for (u32 i = 0; i < n; ++i)
      for (size_t c = start_[rows[i]]; c < start_[rows[i] + 1]; ++c)
        bits[attribute_[c] >> 6] |= u64{1} << (attribute_[c] & 63);
  }

 private:
  void fill(const std::vector<RankColumn>& columns, u32 n_rows, size_t unusual) {
    words_ = (columns.size() + 63) / 64;
    std::vector<u32> count(n_rows, 0);
    for (const RankColumn& column : columns) {
      const u16* rank = column.narrow.data();
      auto usual = static_cast<u16>(column.usual);
      if (column.n_usual)
        for (u32 row = 0; row < n_rows; ++row) count[row] += rank[row] != usual;
      else
        for (u32& each : count) ++each;
    }
    start_.assign(n_rows + size_t{2}, 0);  // one place on: filling moves each start to its place
    for (size_t row = 0; row < n_rows; ++row) start_[row + 2] = start_[row + 1] + count[row];
    attribute_.resize(unusual);
    row_.reserve(unusual);
    column_start_.assign(1, 0);
    for (size_t a = 0; a < columns.size(); ++a) {
      for (u32 first = 0; first < n_rows; first += SPAN) {
        u32 end = std::min(first + SPAN, n_rows);
        if (all_usual(columns[a], first, end)) continue;
        for (u32 row = first; row < end; ++row)
          if (is_unusual(columns[a], row)) {
            attribute_[start_[row + 1]++] = static_cast<u32>(a);
            row_.push_back(row);
          }
      }
      column_start_.push_back(row_.size());
    }
  }
  static bool all_usual(const RankColumn& column, u32 first, u32 end) {
    if (!column.n_usual) return false;
    u32 different = 0;
    for (u32 row = first; row < end; ++row) different |= column.narrow[row] ^ column.usual;
    return !different;
  }
  // A column whose usual value is not known has unusual cells only.
  static bool is_unusual(const RankColumn& column, u32 row) {
    return !column.n_usual || column.narrow[row] != column.usual;
  }

  std::vector<size_t> start_, column_start_;  // of each row, of each column its first cell
  std::vector<u32> attribute_, row_;          // by row, by column
  size_t words_ = 0;
};

}  // namespace quercus
