// Bit sets of conditions: the rows that meet each condition, and what a rule covers as it is and without each of them.
//
// Every distinct condition has one bit per row, in blocks of 512 rows, and above them one bit per block: does any row
// of the block meet it? A rule without its condition d covers the rows that meet all conditions, and those that fail d
// alone. Both are counted for every d in one pass over the conditions: `once` collects the rows that failed at least
// once, `twice` those that failed again. A block in which every row fails two conditions is passed over; the rows stand
// in the order of the tree's leaves, so there are many.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "partition.h"
#include "routing.h"

namespace quercus {

enum class ConditionKind : u8 { at_most, above, among };

// Conditions, each on one column: x <= t, x > t, or a code among some; and whether an unknown value meets it.
struct Conditions {
  int64_t size = 0;
  const int32_t* attribute = nullptr;
  const u8* kind = nullptr;
  const u8* unknown = nullptr;
  const double* threshold = nullptr;
  const int64_t* value_start = nullptr;  // [size + 1], into values: the codes
  const int32_t* values = nullptr;
};

constexpr size_t block_words = 8;  // 512 rows

// The bit sets of all conditions over some rows, given in the order in which they shall stand.
class BitTable {
 public:
  BitTable(const Rows& rows, const Conditions& conditions, const u32* order, size_t n) : n_(n) {
    n_blocks_ = (n + 64 * block_words - 1) / (64 * block_words);
    stride_ = n_blocks_ * block_words;
    any_stride_ = (n_blocks_ + 63) / 64;
    auto m = static_cast<size_t>(conditions.size);
    bits_.assign(m * stride_, 0);
    any_.assign(m * any_stride_, 0);
    std::vector<std::vector<u32>> of_column(rows.columns.size());
    for (size_t c = 0; c < m; ++c)
      of_column[static_cast<size_t>(conditions.attribute[c])].push_back(static_cast<u32>(c));
    for (size_t a = 0; a < of_column.size(); ++a) {
      if (of_column[a].empty()) continue;
      if (rows.columns[a].nominal())
        fill_codes(rows.columns[a], conditions, of_column[a], order);
      else
        fill_numbers(rows.columns[a], conditions, of_column[a], order);
    }
    for (size_t c = 0; c < m; ++c)
      for (size_t b = 0; b < n_blocks_; ++b) {
        const u64* block = bits(c) + b * block_words;
        u64 joined = 0;
        for (size_t w = 0; w < block_words; ++w) joined |= block[w];
        if (joined) any_[c * any_stride_ + b / 64] |= u64{1} << (b % 64);
      }
  }
  // How many rows may be in memory at once for this many conditions.
  static size_t rows_at_once(int64_t n_conditions) {
    constexpr size_t bytes = size_t{1} << 28;
    size_t words = bytes / 8 / static_cast<size_t>(std::max<int64_t>(1, n_conditions));
    return std::max<size_t>(1, words / block_words) * block_words * 64;
  }
  const u64* bits(size_t condition) const { return bits_.data() + condition * stride_; }
  const u64* any(size_t condition) const { return any_.data() + condition * any_stride_; }
  size_t n_rows() const { return n_; }
  size_t n_blocks() const { return n_blocks_; }
  size_t stride() const { return stride_; }
  size_t any_stride() const { return any_stride_; }

 private:
  static void set(u64* bits, u32 at) { bits[at / 64] |= u64{1} << (at % 64); }

  void fill_codes(const Column& column, const Conditions& conditions, const std::vector<u32>& mine, const u32* order) {
    int32_t most = -1;
    for (size_t i = 0; i < n_; ++i) most = std::max(most, column.code(order[i]));
    std::vector<std::vector<u32>> places(static_cast<size_t>(most) + 2);  // the first: unknown
    for (size_t i = 0; i < n_; ++i)
      places[static_cast<size_t>(std::max(column.code(order[i]), -1) + 1)].push_back(static_cast<u32>(i));
    for (u32 c : mine) {
      u64* to = bits_.data() + c * stride_;
      for (int64_t v = conditions.value_start[c]; v < conditions.value_start[c + 1]; ++v)
        if (conditions.values[v] <= most)
          for (u32 at : places[static_cast<size_t>(conditions.values[v]) + 1]) set(to, at);
      if (conditions.unknown[c])
        for (u32 at : places[0]) set(to, at);
    }
  }

  // Thresholds ascending: each bit set is the one before it and the rows between the two thresholds.
  void fill_numbers(const Column& column, const Conditions& conditions, std::vector<u32> mine, const u32* order) {
    std::vector<std::pair<double, u32>> sorted;
    std::vector<u64> known(stride_, 0), unknown(stride_, 0), low(stride_, 0);
    for (size_t i = 0; i < n_; ++i) {
      double x = column.number(order[i]);
      if (std::isnan(x)) {
        set(unknown.data(), static_cast<u32>(i));
      } else {
        set(known.data(), static_cast<u32>(i));
        sorted.emplace_back(x, static_cast<u32>(i));
      }
    }
    std::sort(sorted.begin(), sorted.end());
    std::stable_sort(mine.begin(), mine.end(),
                     [&](u32 a, u32 b) { return conditions.threshold[a] < conditions.threshold[b]; });
    size_t next = 0;
    for (u32 c : mine) {
      for (; next < sorted.size() && sorted[next].first <= conditions.threshold[c]; ++next)
        set(low.data(), sorted[next].second);
      bool above = conditions.kind[c] == static_cast<u8>(ConditionKind::above);
      u64* to = bits_.data() + c * stride_;
      for (size_t w = 0; w < stride_; ++w)
        to[w] = (above ? known[w] & ~low[w] : low[w]) | (conditions.unknown[c] ? unknown[w] : 0);
    }
  }

  size_t n_, n_blocks_, stride_, any_stride_;
  std::vector<u64> bits_, any_;
};

// What a rule covers as it is (entry 0) and without its d-th condition (entry d + 1): all weight, and that of its
// class.
struct NearMisses {
  std::vector<double> all, right;
  std::vector<u64> once, twice;  // scratch
  void clear(size_t n_conditions) {
    all.assign(n_conditions + 1, 0.0);
    right.assign(n_conditions + 1, 0.0);
  }
};

namespace detail {

// The blocks in which some row may fail at most one condition, one bit per block, into `twice` (as its
// complement).
QUERCUS_INLINE void live_blocks(const BitTable& table, const int32_t* conditions, size_t m, NearMisses& out) {
  size_t words = table.any_stride();
  out.once.assign(words, 0);
  out.twice.assign(words, 0);
  for (size_t d = 0; d < m; ++d) {
    const u64* any = table.any(static_cast<size_t>(conditions[d]));
    for (size_t w = 0; w < words; ++w) {
      out.twice[w] |= out.once[w] & ~any[w];
      out.once[w] |= ~any[w];
    }
  }
}

QUERCUS_INLINE double counted(const u64* bits) {
  int n = 0;
  for (size_t w = 0; w < block_words; ++w) n += std::popcount(bits[w]);
  return n;
}

QUERCUS_INLINE double summed(const u64* bits, const double* weights) {
  double sum = 0.0;
  for (size_t w = 0; w < block_words; ++w)
    for (u64 rest = bits[w]; rest; rest &= rest - 1)
      sum += weights[w * 64 + static_cast<size_t>(std::countr_zero(rest))];
  return sum;
}

QUERCUS_INLINE void add_counts(const u64* bits, const u64* of_class, const double* weights, double& all,
                               double& right) {
  alignas(64) u64 both[block_words];
  for (size_t w = 0; w < block_words; ++w) both[w] = bits[w] & of_class[w];
  all += weights ? summed(bits, weights) : counted(bits);
  right += weights ? summed(both, weights) : counted(both);
}

// valid: the rows of the table; of_class: those of the rule's class; weights: by place, null for ones.
QUERCUS_INLINE void near_misses_body(const BitTable& table, const int32_t* conditions, size_t m, const u64* valid,
                                     const u64* of_class, const double* weights, NearMisses& out) {
  live_blocks(table, conditions, m, out);
  alignas(64) u64 once[block_words], twice[block_words], part[block_words];
  for (size_t b = 0; b < table.n_blocks(); ++b) {
    if (out.twice[b / 64] >> (b % 64) & 1) continue;
    size_t at = b * block_words;
    for (size_t w = 0; w < block_words; ++w) {
      once[w] = ~valid[at + w];
      twice[w] = ~valid[at + w];
    }
    bool dead = false;
    for (size_t d = 0; d < m && !dead; ++d) {
      const u64* bits = table.bits(static_cast<size_t>(conditions[d])) + at;
      u64 alive = 0;
      for (size_t w = 0; w < block_words; ++w) {
        twice[w] |= once[w] & ~bits[w];
        once[w] |= ~bits[w];
        alive |= ~twice[w];
      }
      dead = alive == 0;
    }
    if (dead) continue;
    u64 some_covered = 0, some_near = 0;
    for (size_t w = 0; w < block_words; ++w) {
      part[w] = ~once[w];
      some_covered |= part[w];
      once[w] &= ~twice[w];
      some_near |= once[w];
    }
    const double* w = weights ? weights + at * 64 : nullptr;
    if (some_covered) add_counts(part, of_class + at, w, out.all[0], out.right[0]);
    for (size_t d = 0; some_near && d < m; ++d) {
      const u64* bits = table.bits(static_cast<size_t>(conditions[d])) + at;
      u64 some = 0;
      for (size_t i = 0; i < block_words; ++i) {
        part[i] = once[i] & ~bits[i];
        some |= part[i];
      }
      if (some) add_counts(part, of_class + at, w, out.all[d + 1], out.right[d + 1]);
    }
  }
}

inline void near_misses_plain(const BitTable& table, const int32_t* conditions, size_t m, const u64* valid,
                              const u64* of_class, const double* weights, NearMisses& out) {
  near_misses_body(table, conditions, m, valid, of_class, weights, out);
}
#ifdef QUERCUS_X86
__attribute__((target("avx2,bmi,popcnt"))) inline void near_misses_256(const BitTable& table, const int32_t* conditions,
                                                                       size_t m, const u64* valid, const u64* of_class,
                                                                       const double* weights, NearMisses& out) {
  near_misses_body(table, conditions, m, valid, of_class, weights, out);
}
#endif

}  // namespace detail

// Adds what the rule covers in this table, entire and without each condition; out.clear() comes first.
inline void near_misses(const BitTable& table, const int32_t* conditions, size_t m, const u64* valid,
                        const u64* of_class, const double* weights, NearMisses& out) {
#ifdef QUERCUS_X86
  if (machine_width() > 0) return detail::near_misses_256(table, conditions, m, valid, of_class, weights, out);
#endif
  detail::near_misses_plain(table, conditions, m, valid, of_class, weights, out);
}

}  // namespace quercus
