// ValueCounts: the values of one attribute at a node of a forest's tree, each with the weight of its instances and with
// what of it belongs to the second of two classes; rows count as often as they were drawn.
#pragma once

#include "ranks.h"
#include "unusual_cells.h"

namespace quercus {

struct CountedValue {
  u32 code, weight, ones, rows;  // rows: where they are asked for, else 1
};

// Counts columns whose ranks are below 65,536. Of a nominal one, unknown is a value of its own, the last.
class ValueCounter {
 public:
  // Whether counting a node's values costs less than gathering and sorting its ranks.
  static bool serves(const RankColumn& column, u32 n) {
    return (column.nominal || !column.has_unknown) && !column.narrow.empty() && n > 20 &&
           column.n_ranks <= std::min(2 * n, MOST);
  }

  void count(const RankColumn& column, const u32* rows, const u32* tag, u32 n, std::vector<CountedValue>& to) {
    u32 n_ranks = column.n_ranks + column.has_unknown;
    const u16* rank = column.narrow.data();
    if (n_ranks > FEW || n < 4 * n_ranks) {
      reserve(n_ranks);
      u32* sums = sums_.data();
      for (u32 i = 0; i < n; ++i) add(sums, rank[rows[i]], tag[i]);
      take(n_ranks, 1, to);
      return;
    }
    // Neighbours in different tables: equal values need not wait for each other.
    reserve(4 * size_t{n_ranks});
    u32 *a = sums_.data(), *b = a + 2 * n_ranks, *c = b + 2 * n_ranks, *d = c + 2 * n_ranks, i = 0;
    for (; i + 4 <= n; i += 4) {
      add(a, rank[rows[i]], tag[i]);
      add(b, rank[rows[i + 1]], tag[i + 1]);
      add(c, rank[rows[i + 2]], tag[i + 2]);
      add(d, rank[rows[i + 3]], tag[i + 3]);
    }
    for (; i < n; ++i) add(a, rank[rows[i]], tag[i]);
    take(n_ranks, 4, to);
  }

  // The same from the rows whose value is not the usual one. tag_of_row: the tag of each row of the tree; zeros, ones:
  // what of the node belongs to the classes.
  void count_unusual(const RankColumn& column, const UnusualCells& cells, u32 attribute, const RowSet& node,
                     const u32* tag_of_row, u32 zeros, u32 ones, std::vector<CountedValue>& to) {
    reserve(column.n_ranks);
    u32 left[2] = {zeros, ones};  // of the usual value
    cells.each(attribute, column, node, [&](u32 row, u32 rank) {
      u32 tag = tag_of_row[row];
      add(sums_.data(), rank, tag);
      left[tag & 1] -= tag >> 16;
    });
    sums_[2 * size_t{column.usual}] = left[0];
    sums_[2 * size_t{column.usual} + 1] = left[1];
    take(column.n_ranks, 1, to);
  }

 private:
  static constexpr u32 FEW = 256, MOST = 8192;  // ranks: more would not stay in the nearest cache

  static void add(u32* sums, u32 rank, u32 tag) { sums[2 * rank + (tag & 1)] += tag >> 16; }
  void reserve(size_t n) {
    if (sums_.size() < 2 * n) sums_.resize(2 * n, 0);  // all 0 between calls
  }
  void take(u32 n_ranks, u32 tables, std::vector<CountedValue>& to) {
    to.clear();
    for (u32 v = 0; v < n_ranks; ++v) {
      u32 zeros = 0, ones = 0;
      for (u32 t = 0; t < tables; ++t) {
        u32* at = sums_.data() + 2 * (size_t{t} * n_ranks + v);
        zeros += at[0];
        ones += at[1];
        at[0] = at[1] = 0;
      }
      if (zeros + ones) to.push_back({v, zeros + ones, ones, 1});
    }
  }

  std::vector<u32> sums_;  // by rank, of both classes
};

}  // namespace quercus
