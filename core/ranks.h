// Ranks: every column of a table as small integers in the order of its values, shared by all trees of a forest.
#pragma once

#include <numeric>

#include "frame.h"

namespace quercus {

struct RankColumn {
  std::vector<u16> narrow;  // one of these two holds the rank of each row
  Large<u32> wide;
  u32 n_ranks = 0;  // ranks of known values: 0 ... n_ranks - 1; unknown: n_ranks
  bool nominal = false, has_unknown = false;
  Large<u32> row_of_rank;              // exact numbers: a row that holds the value
  std::vector<double> low, high;       // bins: the smallest and the largest number of each
  std::vector<double> number_of_rank;  // few distinct numbers
  u32 usual = 0, n_usual = 0;          // few distinct numbers: the most frequent rank, in how many rows

  u32 rank(u32 row) const { return narrow.empty() ? wide[row] : narrow[row]; }
};

// The number that stands on the left (right) of a cut behind (before) a rank.
inline double highest_of(const RankColumn& ranks, const Column& column, u32 rank) {
  if (!ranks.number_of_rank.empty()) return ranks.number_of_rank[rank];
  return ranks.high.empty() ? column.number(ranks.row_of_rank[rank]) : ranks.high[rank];
}
inline double lowest_of(const RankColumn& ranks, const Column& column, u32 rank) {
  if (!ranks.number_of_rank.empty()) return ranks.number_of_rank[rank];
  return ranks.low.empty() ? column.number(ranks.row_of_rank[rank]) : ranks.low[rank];
}

namespace detail {

template <typename Rank>
void keep_ranks(RankColumn& ranks, u32 n, Rank rank) {
  if (ranks.n_ranks < 65535) {
    ranks.narrow.resize(n);
    rank([&](u32 row, u32 r) { ranks.narrow[row] = static_cast<u16>(r); });
  } else {
    ranks.wide.resize(n);
    rank([&](u32 row, u32 r) { ranks.wide[row] = r; });
  }
}

// The distinct numbers of a column while there are few of them, by hashing: most columns with few are not sorted.
class FewNumbers {
 public:
  static constexpr u32 MOST = 255;

  // Numbers every row by its value; false: there are more than a few distinct ones.
  bool read(const Column& column, u32 n) {
    return column.kind == ColumnKind::number64 ? read(static_cast<const double*>(column.data), n)
                                               : read(static_cast<const float*>(column.data), n);
  }
  template <typename Number>
  bool read(const Number* numbers, u32 n) {
    place_.assign(SLOTS, NONE);
    number_.clear();
    row_.clear();
    of_row.resize(n);
    count_.assign(UNKNOWN + 1, 0);
    Number last = std::numeric_limits<Number>::quiet_NaN();
    u32 index = 0, first = 0;  // of the run of equal numbers that goes on
    for (u32 row = 0; row < n;) {
      if (row + SPAN <= n && all_equal(numbers + row, last)) {
        std::fill_n(of_row.data() + row, SPAN, static_cast<u16>(index));
        row += SPAN;
        continue;
      }
      for (u32 end = std::min(row + SPAN, n); row < end; ++row) {
        Number x = numbers[row];
        if (x != last) {
          count_[index] += row - first;
          first = row;
          last = x;
          index = std::isnan(x) ? UNKNOWN : index_of(static_cast<double>(x) + 0.0, row);  // one zero
          if (number_.size() > MOST) return false;
        }
        of_row[row] = static_cast<u16>(index);
      }
    }
    count_[index] += n - first;
    return true;
  }
  u32 unknown() const { return count_[UNKNOWN]; }
  u32 count(u32 index) const { return count_[index]; }
  double number(u32 index) const { return number_[index]; }

  // The ranks by index, and a row of each rank.
  template <typename Rows>
  std::vector<u32> ranks(Rows& row_of_rank) const {
    std::vector<u32> order(number_.size()), rank(number_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](u32 a, u32 b) { return number_[a] < number_[b]; });
    row_of_rank.resize(order.size());
    for (u32 r = 0; r < order.size(); ++r) {
      rank[order[r]] = r;
      row_of_rank[r] = row_[order[r]];
    }
    return rank;
  }

  static constexpr u32 UNKNOWN = MOST + 1;
  std::vector<u16> of_row;

 private:
  static constexpr u32 SLOTS = 1024, NONE = 65535;
  static constexpr u32 SPAN = 16;  // numbers that are compared together

  template <typename Number>
  static bool all_equal(const Number* numbers, Number to) {
    u32 different = 0;
    for (u32 i = 0; i < SPAN; ++i) different += numbers[i] != to;
    return different == 0;
  }

  u32 index_of(double x, u32 row) {
    u64 slot = std::bit_cast<u64>(x) * 0x9e3779b97f4a7c15ull >> 54;
    for (; place_[slot] != NONE; slot = (slot + 1) % SLOTS)
      if (number_[place_[slot]] == x) return place_[slot];
    place_[slot] = static_cast<u16>(number_.size());
    number_.push_back(x);
    row_.push_back(row);
    return static_cast<u32>(number_.size() - 1);
  }

  std::vector<u16> place_;
  std::vector<double> number_;
  std::vector<u32> row_;    // the first that holds the number
  std::vector<u32> count_;  // by index
};

// Ranks of a column of few distinct numbers; false: it has more.
inline bool rank_few(const Column& column, u32 n, RankColumn& ranks) {
  static thread_local FewNumbers few;
  if (!few.read(column, n)) return false;
  std::vector<u32> rank = few.ranks(ranks.row_of_rank);
  ranks.n_ranks = static_cast<u32>(rank.size());
  ranks.has_unknown = few.unknown() > 0;
  ranks.number_of_rank.resize(ranks.n_ranks);
  std::vector<u32> counts(ranks.n_ranks + 1, 0);
  for (u32 index = 0; index < ranks.n_ranks; ++index) {
    counts[rank[index]] = few.count(index);
    ranks.number_of_rank[rank[index]] = few.number(index);
  }
  counts[ranks.n_ranks] = few.unknown();
  bool in_order = !ranks.has_unknown && std::is_sorted(rank.begin(), rank.end());
  rank.resize(FewNumbers::UNKNOWN + 1, ranks.n_ranks);
  ranks.narrow = few.of_row;
  if (!in_order)
    for (u16& r : ranks.narrow) r = static_cast<u16>(rank[r]);
  ranks.usual = static_cast<u32>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  ranks.n_usual = counts[ranks.usual];
  return true;
}

inline void rank_numbers(const Column& column, u32 n, int max_bins, SortScratch& sorted, RankColumn& ranks) {
  if (max_bins == 0 && rank_few(column, n, ranks)) return;
  constexpr u32 row_mask = TIE - 1;
  sort_column(column, n, row_mask, sorted, [](u32 row) { return row; });
  u32 distinct = mark_ties(column, sorted, row_mask);
  ranks.has_unknown = !sorted.unknown.empty();
  u32 bins = max_bins > 0 ? std::min<u32>(static_cast<u32>(max_bins), MOST_CODES) : 0;
  if (bins) {
    Attribute attribute;
    std::vector<u8> codes;
    make_codes(column, sorted, row_mask, n, distinct, bins, attribute, codes);
    ranks.low = std::move(attribute.low);
    ranks.high = std::move(attribute.high);
    ranks.n_ranks = static_cast<u32>(ranks.low.size());
    keep_ranks(ranks, n, [&](auto keep) {
      for (u32 row = 0; row < n; ++row) keep(row, codes[row] == UNKNOWN8 ? ranks.n_ranks : codes[row]);
    });
    return;
  }
  ranks.n_ranks = distinct;
  ranks.row_of_rank.resize(distinct);
  keep_ranks(ranks, n, [&](auto keep) {
    u32 next = 0;
    for (const SortItem& item : sorted.items) {
      u32 row = item.cargo & row_mask;
      if (!(item.cargo & TIE)) ranks.row_of_rank[next++] = row;
      keep(row, next - 1);
    }
    for (u32 row : sorted.unknown) keep(row, distinct);
  });
}

inline void rank_codes(const Column& column, u32 n, RankColumn& ranks) {
  ranks.nominal = true;
  ranks.n_ranks = static_cast<u32>(column.n_values);
  keep_ranks(ranks, n, [&](auto keep) {
    for (u32 row = 0; row < n; ++row) {
      int32_t code = column.code(row);
      ranks.has_unknown = ranks.has_unknown || code < 0;
      keep(row, code < 0 ? ranks.n_ranks : static_cast<u32>(code));
    }
  });
}

}  // namespace detail

inline std::vector<RankColumn> rank_columns(const Dataset& data, int max_bins, Pool& pool) {
  std::vector<RankColumn> ranks(data.columns.size());
  std::vector<SortScratch> scratch(static_cast<size_t>(pool.threads()));
  pool.run(data.columns.size(), [&](size_t a, int thread) {
    if (data.columns[a].nominal())
      detail::rank_codes(data.columns[a], data.n_rows, ranks[a]);
    else
      detail::rank_numbers(data.columns[a], data.n_rows, max_bins, scratch[static_cast<size_t>(thread)], ranks[a]);
  });
  return ranks;
}

}  // namespace quercus
