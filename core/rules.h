// Rules: bit sets of the rows that meet each condition; which rows a rule covers; dropping conditions as C4.5 does.
//
// Every distinct condition has one bit a row, in blocks of 512 rows, and above them one bit a block: does any row of
// the block meet it? A rule without its condition d covers the rows that meet all conditions, and those that fail d
// alone. Both are counted for every d in one pass over the conditions: `once` collects the rows that failed at least
// once, `twice` those that failed again. Blocks that no row of can fail fewer than two conditions are passed over; the
// rows stand in the order of the tree's leaves, so there are many.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "error_based.h"
#include "partition.h"
#include "predict.h"

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

// Rules as lists of conditions, one after the other, each with a class.
struct RuleLists {
  std::vector<int64_t> start = {0};
  std::vector<int32_t> condition;
  std::vector<int32_t> label;
  size_t size() const { return label.size(); }
  void add(const std::vector<int32_t>& conditions, int32_t of_class) {
    condition.insert(condition.end(), conditions.begin(), conditions.end());
    start.push_back(static_cast<int64_t>(condition.size()));
    label.push_back(of_class);
  }
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
  // How many rows may be held at once for so many conditions.
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

#if defined(__GNUC__) || defined(__clang__)
#define QUERCUS_INLINE inline __attribute__((always_inline))
#else
#define QUERCUS_INLINE inline
#endif

// The blocks in which some row may fail at most one condition, one bit a block, into `twice` (complemented there).
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

// Labelled rows: what rules are judged on.
struct LabelledRows {
  Rows rows;
  const int32_t* labels = nullptr;
  int32_t n_classes = 0;
  const double* weights = nullptr;  // null: all one
};

struct DropOptions {
  ErrorEstimate estimate;
  bool plain = false;  // by the plain error rate alone: for rows that the tree was not grown from
};

// The rates by which a rule is judged; a rule that covers nothing has nothing to speak for it: 1.
struct RuleRates {
  double pessimistic = 1.0, plain = 1.0, wrong = 0.0;
  RuleRates() = default;
  RuleRates(double all, double right, const DropOptions& options) {
    if (!(all > 0.0)) return;
    wrong = std::max(0.0, all - right);
    plain = wrong / all;
    pessimistic = options.plain ? plain : options.estimate.of(all, wrong) / all;
  }
};

// The condition to drop: among those without which the pessimistic or the plain rate is no higher, the one of lowest
// pessimistic rate, of such the one with the fewest errors, of such the last. −1: none.
inline int64_t condition_to_drop(const NearMisses& counts, const DropOptions& options) {
  constexpr double same = 1e-9;
  RuleRates whole(counts.all[0], counts.right[0], options), best;
  int64_t found = -1;
  for (size_t d = 1; d < counts.all.size(); ++d) {
    RuleRates less(counts.all[0] + counts.all[d], counts.right[0] + counts.right[d], options);
    if (less.pessimistic > whole.pessimistic + same && less.plain > whole.plain + same) continue;
    bool better = found < 0 || less.pessimistic < best.pessimistic - same ||
                  (less.pessimistic <= best.pessimistic + same && less.wrong <= best.wrong + same);
    if (!better) continue;
    best = less;
    found = static_cast<int64_t>(d) - 1;
  }
  return found;
}

struct ListHash {
  size_t operator()(const std::vector<int32_t>& list) const {
    u64 h = 0x9e3779b97f4a7c15u;
    for (int32_t x : list) h = (h ^ static_cast<u64>(static_cast<u32>(x))) * 0xff51afd7ed558ccdu + (h >> 29);
    return static_cast<size_t>(h ^ (h >> 32));
  }
};

// Drops conditions of every rule, one a round, until no rule wants to drop one. A rule that comes to where another has
// been is given up: it would end as that one does, which then stands for both, at the place of the first of them.
class ConditionDropper {
 public:
  ConditionDropper(const LabelledRows& data, const Conditions& conditions, const u32* order, const DropOptions& options,
                   const Running& running)
      : data_(data),
        conditions_(conditions),
        order_(order),
        options_(options),
        running_(running),
        pool_(running.threads) {}

  RuleLists drop(const RuleLists& given) {
    std::vector<Open> open;
    stands_for_.resize(given.size());
    std::iota(stands_for_.begin(), stands_for_.end(), u32{0});
    first_ = stands_for_;
    for (size_t r = 0; r < given.size(); ++r) {
      Open rule{{given.condition.begin() + given.start[r], given.condition.begin() + given.start[r + 1]},
                given.label[r],
                {},
                static_cast<u32>(r)};
      if (is_new(rule)) open.push_back(std::move(rule));
    }
    std::vector<Open> done;
    while (!open.empty()) {
      count(open);
      std::vector<Open> still;
      for (Open& rule : open) {
        int64_t d = condition_to_drop(rule.counts, options_);
        if (d >= 0) rule.conditions.erase(rule.conditions.begin() + d);
        if (d < 0)
          done.push_back(std::move(rule));
        else if (is_new(rule))
          still.push_back(std::move(rule));
      }
      open = std::move(still);
    }
    for (Open& rule : done) rule.number = first_[rule.number];
    return distinct(done);
  }

 private:
  struct Open {
    std::vector<int32_t> conditions;
    int32_t label;
    NearMisses counts;
    u32 number;  // among the given rules
  };

  // Whether no rule has had these conditions yet; otherwise the one that had them stands for this one.
  bool is_new(const Open& rule) {
    std::vector<int32_t> key = rule.conditions;
    key.push_back(rule.label);
    auto [at, is_first] = seen_.emplace(std::move(key), rule.number);
    if (is_first) return true;
    u32 other = at->second;
    while (stands_for_[other] != other) other = stands_for_[other] = stands_for_[stands_for_[other]];
    stands_for_[rule.number] = other;
    first_[other] = std::min(first_[other], first_[rule.number]);
    return false;
  }

  void count(std::vector<Open>& open) {
    constexpr size_t at_once = 16;
    for (Open& rule : open) rule.counts.clear(rule.conditions.size());
    auto n = static_cast<size_t>(data_.rows.n_rows);
    size_t chunk = BitTable::rows_at_once(conditions_.size);
    Pause pause(running_);
    for (size_t first = 0; first < n; first += chunk) {
      size_t size = std::min(chunk, n - first);
      if (!table_ || size < n) look_at(first, size);
      pool_.run((open.size() + at_once - 1) / at_once, [&](size_t piece, int thread) {
        for (size_t r = piece * at_once; r < std::min(open.size(), (piece + 1) * at_once); ++r) {
          Open& rule = open[r];
          near_misses(*table_, rule.conditions.data(), rule.conditions.size(), valid_.data(),
                      classes_.data() + static_cast<size_t>(rule.label) * table_->stride(),
                      weights_.empty() ? nullptr : weights_.data(), rule.counts);
        }
        pause(thread);
      });
    }
  }

  // The bit sets of some rows: conditions, classes, and their weights by place.
  void look_at(size_t first, size_t size) {
    table_ = std::make_unique<BitTable>(data_.rows, conditions_, order_ + first, size);
    size_t stride = table_->stride();
    valid_.assign(stride, 0);
    classes_.assign(stride * static_cast<size_t>(data_.n_classes), 0);
    if (data_.weights) weights_.assign(stride * 64, 0.0);
    for (size_t i = 0; i < size; ++i) {
      u32 row = order_[first + i];
      u64 bit = u64{1} << (i % 64);
      if (data_.weights) weights_[i] = data_.weights[row];
      if (data_.weights && !(data_.weights[row] > 0.0)) continue;
      valid_[i / 64] |= bit;
      classes_[static_cast<size_t>(data_.labels[row]) * stride + i / 64] |= bit;
    }
  }

  // The rules with different conditions, by where they came from.
  static RuleLists distinct(std::vector<Open>& done) {
    std::sort(done.begin(), done.end(), [](const Open& a, const Open& b) { return a.number < b.number; });
    std::unordered_set<std::vector<int32_t>, ListHash> kept;
    RuleLists result;
    for (Open& rule : done) {
      std::vector<int32_t> key = rule.conditions;
      std::sort(key.begin(), key.end());
      key.push_back(rule.label);
      if (kept.insert(std::move(key)).second) result.add(rule.conditions, rule.label);
    }
    return result;
  }

  const LabelledRows& data_;
  const Conditions& conditions_;
  const u32* order_;
  DropOptions options_;
  Running running_;
  Pool pool_;
  std::unique_ptr<BitTable> table_;
  std::vector<u64> valid_, classes_;
  std::vector<double> weights_;
  std::unordered_map<std::vector<int32_t>, u32, ListHash> seen_;
  std::vector<u32> stands_for_, first_;  // by rule: the one that took its place, the first rule it stands for
};

// By rule, the rows that meet all its conditions, ascending.
inline std::vector<std::vector<int32_t>> covered_rows(const Rows& rows, const Conditions& conditions,
                                                      const RuleLists& rules, const Running& running) {
  std::vector<std::vector<int32_t>> result(rules.size());
  std::vector<u32> order(static_cast<size_t>(rows.n_rows));
  std::iota(order.begin(), order.end(), 0u);
  size_t chunk = BitTable::rows_at_once(conditions.size);
  Pool pool(running.threads);
  Pause pause(running);
  for (size_t first = 0; first < order.size(); first += chunk) {
    size_t size = std::min(chunk, order.size() - first);
    BitTable table(rows, conditions, order.data() + first, size);
    pool.run(rules.size(), [&](size_t r, int thread) {
      std::vector<u64> bits(table.stride(), ~u64{0});
      for (size_t w = 0; w < bits.size(); ++w) {
        size_t from = w * 64;
        bits[w] = from >= size ? 0 : size - from >= 64 ? ~u64{0} : (u64{1} << (size - from)) - 1;
      }
      for (int64_t i = rules.start[r]; i < rules.start[r + 1]; ++i) {
        const u64* met = table.bits(static_cast<size_t>(rules.condition[static_cast<size_t>(i)]));
        for (size_t w = 0; w < bits.size(); ++w) bits[w] &= met[w];
      }
      for (size_t w = 0; w < bits.size(); ++w)
        for (u64 rest = bits[w]; rest; rest &= rest - 1)
          result[r].push_back(static_cast<int32_t>(first + w * 64 + static_cast<size_t>(std::countr_zero(rest))));
      pause(thread);
    });
  }
  return result;
}

}  // namespace quercus
