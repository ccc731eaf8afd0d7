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
#include <limits>
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

// The rows in the order of each column that is asked: by number, or by code. Bit sets of any of the conditions are made
// from it without looking at the values again. Rows go by their places in `order`.
class SortedPlaces {
 public:
  SortedPlaces(const Rows& rows, const Conditions& conditions, const u32* order, size_t n)
      : conditions_(conditions), n_(n), columns_(rows.columns.size()), cut_(static_cast<size_t>(conditions.size)) {
    for (size_t c = 0; c < cut_.size(); ++c)
      columns_[static_cast<size_t>(conditions.attribute[c])].conditions.push_back(static_cast<u32>(c));
    for (size_t a = 0; a < columns_.size(); ++a) {
      if (columns_[a].conditions.empty()) continue;
      if (rows.columns[a].nominal())
        sort_codes(rows.columns[a], order, columns_[a]);
      else
        sort_numbers(rows.columns[a], order, columns_[a]);
      std::vector<u32>().swap(columns_[a].conditions);
    }
  }
  const Conditions& conditions() const { return conditions_; }
  size_t n_rows() const { return n_; }
  // Of the places of a column those that are at most the condition's threshold come first.
  size_t cut(u32 condition) const { return cut_[condition]; }

  struct Sorted {
    std::vector<u32> places, unknown;
    std::vector<int32_t> codes;      // of a nominal column: those that occur, ascending,
    std::vector<size_t> code_start;  // and where the places of each begin; last: the end
    std::vector<u32> conditions;     // that ask this column; while it is being made
  };
  const Sorted& of(u32 condition) const { return columns_[static_cast<size_t>(conditions_.attribute[condition])]; }

 private:
  void sort_codes(const Column& column, const u32* order, Sorted& to) const {
    std::vector<u64> sorted;  // code and place; a code may be any number
    sorted.reserve(n_);
    for (size_t i = 0; i < n_; ++i) {
      int32_t code = column.code(order[i]);
      if (code < 0)
        to.unknown.push_back(static_cast<u32>(i));
      else
        sorted.push_back(static_cast<u64>(code) << 32 | i);
    }
    std::sort(sorted.begin(), sorted.end());
    to.places.reserve(sorted.size());
    for (size_t i = 0; i < sorted.size(); ++i) {
      auto code = static_cast<int32_t>(sorted[i] >> 32);
      if (to.codes.empty() || to.codes.back() != code) {
        to.codes.push_back(code);
        to.code_start.push_back(i);
      }
      to.places.push_back(static_cast<u32>(sorted[i]));
    }
    to.code_start.push_back(sorted.size());
  }

  void sort_numbers(const Column& column, const u32* order, Sorted& to) {
    std::vector<std::pair<double, u32>> sorted;
    sorted.reserve(n_);
    for (size_t i = 0; i < n_; ++i) {
      double x = column.number(order[i]);
      if (std::isnan(x))
        to.unknown.push_back(static_cast<u32>(i));
      else
        sorted.emplace_back(x, static_cast<u32>(i));
    }
    std::sort(sorted.begin(), sorted.end());
    to.places.reserve(sorted.size());
    for (const auto& [number, place] : sorted) to.places.push_back(place);
    for (u32 c : to.conditions) {
      double t = conditions_.threshold[c];
      auto above = [](double limit, const std::pair<double, u32>& entry) { return limit < entry.first; };
      cut_[c] = static_cast<size_t>(std::upper_bound(sorted.begin(), sorted.end(), t, above) - sorted.begin());
    }
  }

  const Conditions& conditions_;
  size_t n_;
  std::vector<Sorted> columns_;
  std::vector<size_t> cut_;
};

// The bit sets of some of the conditions over all rows; filled again for others.
class BitTable {
 public:
  explicit BitTable(const SortedPlaces& places) : places_(places) {
    n_blocks_ = (places.n_rows() + 64 * block_words - 1) / (64 * block_words);
    stride_ = n_blocks_ * block_words;
    any_stride_ = (n_blocks_ + 63) / 64;
    slot_.resize(static_cast<size_t>(places.conditions().size), none);
    rows_.assign(stride_, 0);
    for (size_t i = 0; i < places.n_rows(); ++i) set(rows_.data(), static_cast<u32>(i));
  }

  // How many conditions may be in memory at once.
  size_t most_conditions() const {
    constexpr size_t bytes = size_t{1} << 27;
    return std::max<size_t>(1, bytes / 8 / std::max<size_t>(1, stride_));
  }

  // Takes rules, from `first` on, as long as their conditions fit; at least one. Returns where the next one is.
  size_t take_rules(const std::vector<int64_t>& start, const std::vector<int32_t>& condition, size_t first) {
    for (u32 c : held_) slot_[c] = none;
    held_.clear();
    size_t most = most_conditions(), end = first;
    for (; end + 1 < start.size(); ++end) {
      size_t before = held_.size();
      for (auto i = static_cast<size_t>(start[end]); i < static_cast<size_t>(start[end + 1]); ++i) {
        auto c = static_cast<u32>(condition[i]);
        if (slot_[c] != none) continue;
        slot_[c] = static_cast<u32>(held_.size());
        held_.push_back(c);
      }
      if (held_.size() <= most || end == first) continue;
      for (size_t i = before; i < held_.size(); ++i) slot_[held_[i]] = none;
      held_.resize(before);
      break;
    }
    fill();
    return end;
  }

  const u64* bits(size_t condition) const { return bits_.data() + slot_[condition] * stride_; }
  const u64* any(size_t condition) const { return any_.data() + slot_[condition] * any_stride_; }
  const u64* rows() const { return rows_.data(); }
  size_t n_rows() const { return places_.n_rows(); }
  size_t n_blocks() const { return n_blocks_; }
  size_t stride() const { return stride_; }
  size_t any_stride() const { return any_stride_; }

 private:
  static constexpr u32 none = std::numeric_limits<u32>::max();
  static void set(u64* bits, u32 at) { bits[at / 64] |= u64{1} << (at % 64); }
  u64* to(u32 condition) { return bits_.data() + slot_[condition] * stride_; }

  void fill() {
    const Conditions& conditions = places_.conditions();
    bits_.assign(held_.size() * stride_, 0);
    any_.assign(held_.size() * any_stride_, 0);
    std::vector<u32> by_column = held_;
    std::stable_sort(by_column.begin(), by_column.end(),
                     [&](u32 a, u32 b) { return conditions.attribute[a] < conditions.attribute[b]; });
    for (size_t from = 0, end = 0; from < by_column.size(); from = end) {
      for (end = from; end < by_column.size() && &places_.of(by_column[end]) == &places_.of(by_column[from]);) ++end;
      std::vector<u32> mine(by_column.begin() + static_cast<std::ptrdiff_t>(from),
                            by_column.begin() + static_cast<std::ptrdiff_t>(end));
      bool codes = conditions.kind[mine[0]] == static_cast<u8>(ConditionKind::among);
      codes ? fill_codes(mine) : fill_numbers(mine);
    }
    for (size_t slot = 0; slot < held_.size(); ++slot)
      for (size_t b = 0; b < n_blocks_; ++b) {
        const u64* block = bits_.data() + slot * stride_ + b * block_words;
        u64 joined = 0;
        for (size_t w = 0; w < block_words; ++w) joined |= block[w];
        if (joined) any_[slot * any_stride_ + b / 64] |= u64{1} << (b % 64);
      }
  }

  void fill_codes(const std::vector<u32>& mine) {
    const Conditions& conditions = places_.conditions();
    const SortedPlaces::Sorted& column = places_.of(mine[0]);
    for (u32 c : mine) {
      for (int64_t v = conditions.value_start[c]; v < conditions.value_start[c + 1]; ++v) {
        auto at = std::lower_bound(column.codes.begin(), column.codes.end(), conditions.values[v]);
        if (at == column.codes.end() || *at != conditions.values[v]) continue;
        auto code = static_cast<size_t>(at - column.codes.begin());
        for (size_t i = column.code_start[code]; i < column.code_start[code + 1]; ++i) set(to(c), column.places[i]);
      }
      if (conditions.unknown[c])
        for (u32 at : column.unknown) set(to(c), at);
    }
  }

  // Thresholds ascending: each bit set is the one before it and the rows between the two thresholds.
  void fill_numbers(std::vector<u32>& mine) {
    const Conditions& conditions = places_.conditions();
    const SortedPlaces::Sorted& column = places_.of(mine[0]);
    std::vector<u64> unknown(stride_, 0), low(stride_, 0);
    for (u32 at : column.unknown) set(unknown.data(), at);
    std::stable_sort(mine.begin(), mine.end(), [&](u32 a, u32 b) { return places_.cut(a) < places_.cut(b); });
    size_t next = 0;
    for (u32 c : mine) {
      for (; next < places_.cut(c); ++next) set(low.data(), column.places[next]);
      bool above = conditions.kind[c] == static_cast<u8>(ConditionKind::above);
      u64* bits = to(c);
      for (size_t w = 0; w < stride_; ++w)
        bits[w] = (above ? rows_[w] & ~unknown[w] & ~low[w] : low[w]) | (conditions.unknown[c] ? unknown[w] : 0);
    }
  }

  const SortedPlaces& places_;
  size_t n_blocks_, stride_, any_stride_;
  std::vector<u64> bits_, any_, rows_;  // rows: one bit for each row
  std::vector<u32> slot_, held_;        // by condition: its bit set; the conditions that have one
};

// What a rule covers as it is (entry 0) and without its d-th condition (entry d + 1): all weight, and that of its
// class.
struct NearMisses {
  std::vector<double> all, right;
  std::vector<u64> once, twice;            // scratch
  std::vector<const u64*> condition_bits;  // scratch: of each condition
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
  out.condition_bits.resize(m);
  for (size_t d = 0; d < m; ++d) out.condition_bits[d] = table.bits(static_cast<size_t>(conditions[d]));
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
      const u64* bits = out.condition_bits[d] + at;
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
      const u64* bits = out.condition_bits[d] + at;
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
