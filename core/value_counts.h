// ValueCounts: the values of one attribute at a node of a forest's tree, each with the weight of its instances and with
// what of it belongs to the second of two classes; rows count as often as they were drawn.
#pragma once

#include "ranks.h"
#include "unusual_cells.h"

namespace quercus {

struct CountedValue {
  u32 code, weight, ones, rows;  // rows: where they are asked for, else 1
};

// The weight of an instance and, in the lower half, what of it belongs to the second class.
inline u64 counted_pair(u32 tag) {
  u64 times = tag >> 16;
  return times << 32 | (times & (u64{0} - (tag & 1)));
}

// Counts columns whose ranks are below 65,536; every value known.
class ValueCounter {
 public:
  // Whether counting a node's values costs less than gathering and sorting its ranks.
  static bool serves(const RankColumn& column, u32 n) {
    return !column.has_unknown && !column.narrow.empty() && n > 20 && column.n_ranks <= std::min(2 * n, MOST);
  }

  void count(const RankColumn& column, const u32* rows, const u32* tag, u32 n, std::vector<CountedValue>& to) {
    u32 n_ranks = column.n_ranks;
    const u16* rank = column.narrow.data();
    if (n_ranks > FEW || n < 4 * n_ranks) {
      reserve(n_ranks);
      u64* sums = sums_.data();
      for (u32 i = 0; i < n; ++i) sums[rank[rows[i]]] += counted_pair(tag[i]);
      take(n_ranks, 1, to);
      return;
    }
    // Neighbours in different tables: equal values need not wait for each other.
    reserve(4 * n_ranks);
    u64 *a = sums_.data(), *b = a + n_ranks, *c = b + n_ranks, *d = c + n_ranks;
    u32 i = 0;
    for (; i + 4 <= n; i += 4) {
      a[rank[rows[i]]] += counted_pair(tag[i]);
      b[rank[rows[i + 1]]] += counted_pair(tag[i + 1]);
      c[rank[rows[i + 2]]] += counted_pair(tag[i + 2]);
      d[rank[rows[i + 3]]] += counted_pair(tag[i + 3]);
    }
    for (; i < n; ++i) a[rank[rows[i]]] += counted_pair(tag[i]);
    take(n_ranks, 4, to);
  }

  // The same from the rows whose value is not the usual one. place: of each row its place among the instances; the node
  // holds n places from `begin` on, all of them together `total`.
  void count_unusual(const RankColumn& column, const UnusualCells& cells, u32 attribute, const std::vector<u32>& place,
                     const u32* tag, u32 begin, u32 n, u64 total, std::vector<CountedValue>& to) {
    reserve(column.n_ranks);
    for (u32 row : cells.rows(attribute)) {
      u32 at = place[row] - begin;
      if (at >= n) continue;
      u64 pair = counted_pair(tag[place[row]]);
      sums_[column.narrow[row]] += pair;
      total -= pair;
    }
    sums_[column.usual] = total;
    take(column.n_ranks, 1, to);
  }

 private:
  static constexpr u32 FEW = 256, MOST = 8192;  // ranks: more would not stay in the nearest cache

  void reserve(size_t n) {
    if (sums_.size() < n) sums_.resize(n, 0);  // all 0 between calls
  }
  void take(u32 n_ranks, u32 tables, std::vector<CountedValue>& to) {
    to.clear();
    for (u32 v = 0; v < n_ranks; ++v) {
      u64 sum = 0;
      for (u32 t = 0; t < tables; ++t) {
        sum += sums_[t * n_ranks + v];
        sums_[t * n_ranks + v] = 0;
      }
      if (sum) to.push_back({v, static_cast<u32>(sum >> 32), static_cast<u32>(sum), 1});
    }
  }

  std::vector<u64> sums_;
};

}  // namespace quercus
