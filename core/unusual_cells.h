// UnusualCells: the cells of a wide table whose value is not the most frequent one of their column. In a table of
// counts most cells are 0, so a node looks at few cells, and finds out quickly which of its attributes may vary at all.
#pragma once

#include "ranks.h"

namespace quercus {

// A set of rows, one bit each.
class RowSet {
 public:
  void fill(const u32* rows, u32 n, u32 n_rows) {
    clear();
    bits_.resize((n_rows + size_t{63}) / 64, 0);
    rows_.assign(rows, rows + n);
    for (u32 row : rows_) bits_[row >> 6] |= u64{1} << (row & 63);
  }
  void clear() {
    for (u32 row : rows_) bits_[row >> 6] = 0;
    rows_.clear();
  }
  bool has(u32 row) const { return bits_[row >> 6] >> (row & 63) & 1; }
  u64 word(size_t i) const { return bits_[i]; }

 private:
  std::vector<u64> bits_;
  std::vector<u32> rows_;
};

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
    if (unusual <= most) fill(columns, n_rows);
  }

  bool empty() const { return start_.empty(); }
  // Unusual cells of a row, on average.
  size_t per_row() const { return attribute_.size() / (start_.size() - 2) + 1; }

  // What it takes to go through the unusual cells of an attribute whose usual value is known.
  size_t effort(u32 attribute) const { return std::min<size_t>(cells_[attribute].n, row_words_); }

  // Calls use(row, rank) for each row of a set whose value of the attribute is unusual, in ascending order.
  template <typename Use>
  void each(u32 attribute, const RankColumn& column, const RowSet& rows, Use use) const {
    const Cells& cells = cells_[attribute];
    if (is_listed(cells)) {
      const u32* row = row_.data() + cells.start;
      const u8* rank = rank_.data() + cells.start;
      for (size_t i = 0; i < cells.n; ++i)
        if (rows.has(row[i])) use(row[i], u32{rank[i]});
      return;
    }
    const u64* bits = bits_.data() + cells.start;
    for (size_t i = 0; i < row_words_; ++i)
      for (u64 both = bits[i] & rows.word(i); both; both &= both - 1) {
        u32 row = static_cast<u32>(i * 64) + static_cast<u32>(std::countr_zero(both));
        use(row, u32{column.narrow[row]});
      }
  }
  // Calls use(attribute, rank) for each unusual cell of a row, of the attributes whose usual value is known.
  template <typename Use>
  void each_of_row(u32 row, Use use) const {
    for (size_t c = start_[row]; c < start_[row + size_t{1}]; ++c) use(attribute_[c], u32{rank_of_row_[c]});
  }

  // The attributes that may vary in these rows, one bit each: those that have an unusual value there, and those whose
  // usual value is not known. The others are constant there.
  void mark(const u32* rows, u32 n, std::vector<u64>& bits) const {
    bits = without_usual_;
    for (u32 i = 0; i < n; ++i)
      for (size_t c = start_[rows[i]]; c < start_[rows[i] + size_t{1}]; ++c)
        bits[attribute_[c] >> 6] |= u64{1} << (attribute_[c] & 63);
  }

 private:
  // Of one column: where its rows, or its bits, begin, and how many rows they are.
  struct Cells {
    size_t start = 0, n = 0;
  };
  // Few rows are listed, with their ranks; of many, every row of the table has a bit.
  bool is_listed(const Cells& cells) const { return cells.n < 4 * row_words_; }

  void fill(const std::vector<RankColumn>& columns, u32 n_rows) {
    row_words_ = (n_rows + size_t{63}) / 64;
    without_usual_.assign((columns.size() + 63) / 64, 0);
    start_.assign(n_rows + size_t{2}, 0);  // one place on: filling moves each start to its place
    cells_.resize(columns.size());
    std::vector<u32> rows;
    size_t total = 0;
    for (size_t a = 0; a < columns.size(); ++a) {
      if (!columns[a].n_usual) {
        without_usual_[a >> 6] |= u64{1} << (a & 63);
        continue;
      }
      find_rows(columns[a], n_rows, rows);
      keep_rows(columns[a], rows, cells_[a]);
      for (u32 row : rows) ++start_[row + size_t{2}];
      total += rows.size();
    }
    for (size_t row = 0; row < n_rows; ++row) start_[row + 2] += start_[row + 1];
    attribute_.resize(total);
    rank_of_row_.resize(total);
    RowSet all;
    std::vector<u32> every(n_rows);
    std::iota(every.begin(), every.end(), 0u);
    all.fill(every.data(), n_rows, n_rows);
    for (size_t a = 0; a < columns.size(); ++a)
      if (columns[a].n_usual)
        each(static_cast<u32>(a), columns[a], all, [&](u32 row, u32 rank) {
          size_t to = start_[row + size_t{1}]++;
          attribute_[to] = static_cast<u32>(a);
          rank_of_row_[to] = static_cast<u8>(rank);
        });
  }
  static void find_rows(const RankColumn& column, u32 n_rows, std::vector<u32>& rows) {
    rows.clear();
    const u16* rank = column.narrow.data();
    for (u32 first = 0; first < n_rows; first += SPAN) {
      u32 end = std::min(first + SPAN, n_rows), different = 0;
      for (u32 row = first; row < end; ++row) different |= rank[row] ^ column.usual;
      if (!different) continue;
      for (u32 row = first; row < end; ++row)
        if (rank[row] != column.usual) rows.push_back(row);
    }
  }
  void keep_rows(const RankColumn& column, const std::vector<u32>& rows, Cells& cells) {
    cells = {row_.size(), rows.size()};
    if (is_listed(cells)) {
      row_.insert(row_.end(), rows.begin(), rows.end());
      for (u32 row : rows) rank_.push_back(static_cast<u8>(column.narrow[row]));
      return;
    }
    cells.start = bits_.size();
    bits_.resize(cells.start + row_words_, 0);
    for (u32 row : rows) bits_[cells.start + (row >> 6)] |= u64{1} << (row & 63);
  }

  // A column whose usual value is known has at most 256 ranks: they fit into a byte.
  std::vector<size_t> start_;       // of each row its first cell
  std::vector<u32> attribute_;      // of the cells, row by row
  std::vector<u8> rank_of_row_;     // of the same
  std::vector<Cells> cells_;        // by attribute
  std::vector<u32> row_;            // of the cells, column by column, where there are few
  std::vector<u8> rank_;            // of the same
  std::vector<u64> bits_;           // of the rows, column by column, where there are many
  std::vector<u64> without_usual_;  // by attribute: whether its usual value is not known
  size_t row_words_ = 0;            // words for a bit of each row
};

}  // namespace quercus
