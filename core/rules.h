// Rules: which rows a rule covers, and dropping its conditions as C4.5 does.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "condition_bits.h"
#include "error_based.h"
#include "predict.h"

namespace quercus {

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

// The rates by which a rule is judged; a rule that covers nothing gets the worst rate: 1.
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
  int64_t weakest = -1;
  for (size_t d = 1; d < counts.all.size(); ++d) {
    RuleRates less(counts.all[0] + counts.all[d], counts.right[0] + counts.right[d], options);
    if (less.pessimistic > whole.pessimistic + same && less.plain > whole.plain + same) continue;
    bool better = weakest < 0 || less.pessimistic < best.pessimistic - same ||
                  (less.pessimistic <= best.pessimistic + same && less.wrong <= best.wrong + same);
    if (!better) continue;
    best = less;
    weakest = static_cast<int64_t>(d) - 1;
  }
  return weakest;
}

struct ListHash {
  size_t operator()(const std::vector<int32_t>& list) const {
    u64 h = 0x9e3779b97f4a7c15u;
    for (int32_t x : list) h = (h ^ static_cast<u64>(static_cast<u32>(x))) * 0xff51afd7ed558ccdu + (h >> 29);
    return static_cast<size_t>(h ^ (h >> 32));
  }
};

// Drops conditions of every rule, one in each round, until no rule has a condition to drop. If a rule gets the
// conditions that another rule has or had, it is given up: it would end like that rule, which then stands for both, at
// the place of the first of them.
class ConditionDropper {
 public:
  ConditionDropper(const LabelledRows& data, const Conditions& conditions, const u32* order, const DropOptions& options,
                   const Running& running)
      : options_(options),
        running_(running),
        pool_(running.threads),
        places_(data.rows, conditions, order, static_cast<size_t>(data.rows.n_rows)),
        table_(places_) {
    look_at_rows(data, order);
  }

  RuleLists drop(const RuleLists& lists) {
    stands_for_.resize(lists.size());
    std::iota(stands_for_.begin(), stands_for_.end(), u32{0});
    first_ = stands_for_;
    std::vector<Open> finished;
    for (size_t first = 0, end = 0; first < lists.size(); first = end) {
      end = table_.take_rules(lists.start, lists.condition, first);
      drop_batch(lists, first, end, finished);
    }
    for (Open& rule : finished) rule.number = first_[rule.number];
    return distinct(finished);
  }

 private:
  struct Open {
    std::vector<int32_t> conditions;
    int32_t label;
    NearMisses counts;
    u32 number;  // among the rules at the start
  };

  // Drops what can be dropped of the rules from `first` to `end`, whose conditions are in the table.
  void drop_batch(const RuleLists& lists, size_t first, size_t end, std::vector<Open>& finished) {
    std::vector<Open> open;
    for (size_t r = first; r < end; ++r) {
      Open rule{{lists.condition.begin() + lists.start[r], lists.condition.begin() + lists.start[r + 1]},
                lists.label[r],
                {},
                static_cast<u32>(r)};
      if (is_new(rule)) open.push_back(std::move(rule));
    }
    while (!open.empty()) {
      count(open);
      std::vector<Open> still;
      for (Open& rule : open) {
        int64_t d = condition_to_drop(rule.counts, options_);
        if (d >= 0) rule.conditions.erase(rule.conditions.begin() + d);
        if (d < 0)
          finished.push_back(std::move(rule));
        else if (is_new(rule))
          still.push_back(std::move(rule));
      }
      open = std::move(still);
    }
  }

  // Whether no rule has had these conditions yet; otherwise the one that had them stands for this one.
  bool is_new(const Open& rule) {
    std::vector<int32_t> key = rule.conditions;
    key.push_back(rule.label);
    auto [at, is_first] = number_of_.emplace(std::move(key), rule.number);
    if (is_first) return true;
    u32 other = at->second;
    while (stands_for_[other] != other) other = stands_for_[other] = stands_for_[stands_for_[other]];
    stands_for_[rule.number] = other;
    first_[other] = std::min(first_[other], first_[rule.number]);
    return false;
  }

  void count(std::vector<Open>& open) {
    constexpr size_t at_once = 16;
    Pause pause(running_);
    pool_.run((open.size() + at_once - 1) / at_once, [&](size_t piece, int thread) {
      for (size_t r = piece * at_once; r < std::min(open.size(), (piece + 1) * at_once); ++r) {
        Open& rule = open[r];
        rule.counts.clear(rule.conditions.size());
        near_misses(table_, rule.conditions.data(), rule.conditions.size(), valid_.data(),
                    classes_.data() + static_cast<size_t>(rule.label) * table_.stride(),
                    weights_.empty() ? nullptr : weights_.data(), rule.counts);
      }
      pause(thread);
    });
  }

  // The rows that count, and those of each class, as bit sets; their weights by place.
  void look_at_rows(const LabelledRows& data, const u32* order) {
    size_t stride = table_.stride();
    valid_.assign(stride, 0);
    classes_.assign(stride * static_cast<size_t>(data.n_classes), 0);
    if (data.weights) weights_.assign(stride * 64, 0.0);
    for (size_t i = 0; i < table_.n_rows(); ++i) {
      u32 row = order[i];
      u64 bit = u64{1} << (i % 64);
      if (data.weights) weights_[i] = data.weights[row];
      if (data.weights && !(data.weights[row] > 0.0)) continue;
      valid_[i / 64] |= bit;
      classes_[static_cast<size_t>(data.labels[row]) * stride + i / 64] |= bit;
    }
  }

  // The rules with different conditions, by where they came from.
  static RuleLists distinct(std::vector<Open>& finished) {
    std::sort(finished.begin(), finished.end(), [](const Open& a, const Open& b) { return a.number < b.number; });
    std::unordered_set<std::vector<int32_t>, ListHash> keys;
    RuleLists result;
    for (Open& rule : finished) {
      std::vector<int32_t> key = rule.conditions;
      std::sort(key.begin(), key.end());
      key.push_back(rule.label);
      if (keys.insert(std::move(key)).second) result.add(rule.conditions, rule.label);
    }
    return result;
  }

  DropOptions options_;
  Running running_;
  Pool pool_;
  SortedPlaces places_;
  BitTable table_;
  std::vector<u64> valid_, classes_;
  std::vector<double> weights_;
  std::unordered_map<std::vector<int32_t>, u32, ListHash> number_of_;
  std::vector<u32> stands_for_, first_;  // by rule: the one that took its place, the first rule it stands for
};

// By rule, the rows that meet all its conditions, ascending.
inline std::vector<std::vector<int32_t>> covered_rows(const Rows& rows, const Conditions& conditions,
                                                      const RuleLists& rules, const Running& running) {
  std::vector<std::vector<int32_t>> result(rules.size());
  std::vector<u32> order(static_cast<size_t>(rows.n_rows));
  std::iota(order.begin(), order.end(), 0u);
  SortedPlaces places(rows, conditions, order.data(), order.size());
  BitTable table(places);
  Pool pool(running.threads);
  Pause pause(running);
  for (size_t first = 0, end = 0; first < rules.size(); first = end) {
    end = table.take_rules(rules.start, rules.condition, first);
    pool.run(end - first, [&](size_t piece, int thread) {
      size_t r = first + piece;
      std::vector<u64> bits(table.rows(), table.rows() + table.stride());
      for (int64_t i = rules.start[r]; i < rules.start[r + 1]; ++i) {
        const u64* condition_bits = table.bits(static_cast<size_t>(rules.condition[static_cast<size_t>(i)]));
        for (size_t w = 0; w < bits.size(); ++w) bits[w] &= condition_bits[w];
      }
      for (size_t w = 0; w < bits.size(); ++w)
        for (u64 rest = bits[w]; rest; rest &= rest - 1)
          result[r].push_back(static_cast<int32_t>(w * 64 + static_cast<size_t>(std::countr_zero(rest))));
      pause(thread);
    });
  }
  return result;
}

}  // namespace quercus
