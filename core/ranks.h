// Ranks: every column of a table as small integers in the order of its values, shared by all trees of a forest.
#pragma once

#include "frame.h"

namespace quercus {

struct RankColumn {
  std::vector<u16> narrow;  // one of these two holds the rank of each row
  Large<u32> wide;
  u32 n_ranks = 0;  // ranks of known values: 0 ... n_ranks - 1; unknown: n_ranks
  bool nominal = false, has_unknown = false;
  Large<u32> row_of_rank;         // exact numbers: a row that holds the value
  std::vector<double> low, high;  // bins: the smallest and the largest number of each

  u32 rank(u32 row) const { return narrow.empty() ? wide[row] : narrow[row]; }
};

// The number that stands on the left (right) of a cut behind (before) a rank.
inline double highest_of(const RankColumn& ranks, const Column& column, u32 rank) {
  return ranks.high.empty() ? column.number(ranks.row_of_rank[rank]) : ranks.high[rank];
}
inline double lowest_of(const RankColumn& ranks, const Column& column, u32 rank) {
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

inline void rank_numbers(const Column& column, u32 n, int max_bins, SortScratch& sorted, RankColumn& ranks) {
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
