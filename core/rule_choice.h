// Choosing rules: for each class the subset of its rules of least description length.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "change_groups.h"
#include "predict.h"

namespace quercus {

// Which rows each rule covers, with the classes and weights of the rows and the classes of the rules.
struct CoverTable {
  int64_t n_rows = 0, n_rules = 0;
  int32_t n_classes = 0;
  const int64_t* start = nullptr;  // [n_rules + 1], into rows
  const int32_t* rows = nullptr;
  const int32_t* rule_label = nullptr;
  const int32_t* labels = nullptr;
  const double* weights = nullptr;  // null: all one
  double weight(int32_t row) const { return weights ? weights[row] : 1.0; }
};

struct ChoiceOptions {
  double theory_weight = 0.5;
  int all_subsets = 10;  // up to this many rules, every subset is tried
  u64 seed = 1;
};

// Bits to say which k of n cases are exceptions, if each is one with probability p.
inline double exception_bits(double n, double k, double p) {
  double bits = 0.0;
  if (k > 0.0) bits -= k * std::log2(std::max(p, 1e-300));
  if (n - k > 0.0) bits -= (n - k) * std::log2(std::max(1.0 - p, 1e-300));
  return bits;
}

// Bits to name the false positives among the covered and the false negatives among the rest, biased to errors of both
// kinds being equally frequent (Quinlan 1995): the larger side is expected to hold half of all errors.
inline double exceptions_length(double covered, double rest, double wrong, double missed) {
  double half = (wrong + missed) / 2;
  double bits = std::log2(covered + rest + 1.0);
  if (covered > rest) {
    bits += exception_bits(covered, wrong, half / covered);
    if (rest > 0.0) bits += exception_bits(rest, missed, missed / rest);
  } else {
    if (covered > 0.0) bits += exception_bits(covered, wrong, wrong / covered);
    if (rest > 0.0) bits += exception_bits(rest, missed, half / rest);
  }
  return bits;
}

// One class's rules and the rows they cover; a subset of them that is changed one rule at a time. For each rule it is
// known what would change if it went in or out: the weight of the rows that it alone would cover, or covers alone.
class SubsetSearch {
 public:
  SubsetSearch(const CoverTable& table, const std::vector<int32_t>& rules, int32_t of_class, const double* rule_bits,
               const ChoiceOptions& options)
      : table_(table),
        rules_(rules),
        options_(options),
        in_(rules.size(), 0),
        right_(rules.size()),
        wrong_(rules.size()) {
    size_t m = rules.size();
    for (int32_t r : rules) bits_.push_back(rule_bits[r]);
    log2_factorial_.assign(m + 1, 0.0);
    for (size_t i = 1; i <= m; ++i) log2_factorial_[i] = log2_factorial_[i - 1] + std::log2(static_cast<double>(i));
    right_class_.assign(static_cast<size_t>(table.n_rows), 0);
    for (int32_t row = 0; row < table.n_rows; ++row) {
      right_class_[static_cast<size_t>(row)] = table.labels[row] == of_class;
      (table.labels[row] == of_class ? all_right_ : all_wrong_) += table.weight(row);
    }
    index_rows();
    clear();
  }

  size_t size() const { return rules_.size(); }
  const std::vector<u8>& chosen() const { return in_; }
  double length() const { return length(covered_right_, covered_wrong_, sum_bits_, n_in_); }

  // The description length if one rule went in or out.
  double length_with_change(size_t r) const {
    if (in_[r]) return length(covered_right_ - right_[r], covered_wrong_ - wrong_[r], sum_bits_ - bits_[r], n_in_ - 1);
    return length(covered_right_ + right_[r], covered_wrong_ + wrong_[r], sum_bits_ + bits_[r], n_in_ + 1);
  }

  void clear() {
    std::fill(in_.begin(), in_.end(), u8{0});
    count_.assign(static_cast<size_t>(table_.n_rows), 0);
    owner_.assign(static_cast<size_t>(table_.n_rows), 0);
    covered_right_ = covered_wrong_ = sum_bits_ = 0.0;
    n_in_ = 0;
    groups_.clear(size());
    changed_.clear();
    is_changed_.assign(size(), 0);
    for (size_t r = 0; r < size(); ++r) {
      right_[r] = wrong_[r] = 0.0;
      note_change(r);
      for_rows(r, [&](int32_t row) { change(r, row, 1.0); });
    }
  }

  void toggle(size_t r) {
    bool enters = !in_[r];
    double sign = enters ? 1.0 : -1.0;
    covered_right_ += sign * right_[r];
    covered_wrong_ += sign * wrong_[r];
    sum_bits_ += sign * bits_[r];
    n_in_ += enters ? 1 : -1;
    in_[r] = enters;
    note_change(r);
    for_rows(r, [&](int32_t row) {
      auto at = static_cast<size_t>(row);
      u32 before = count_[at];
      count_[at] = enters ? before + 1 : before - 1;
      if (!enters) owner_[at] ^= static_cast<u32>(r);
      u32 smaller = std::min(before, count_[at]);
      if (smaller == 0) {  // covered by r alone, or not at all: what the others would add changes
        for (int64_t i = row_start_[at]; i < row_start_[at + 1]; ++i) {
          u32 other = row_rules_[static_cast<size_t>(i)];
          if (other != r) change(other, row, -sign);
        }
      } else if (smaller == 1) {  // the one other rule that covers it is no longer, or again, the only one
        change(owner_[at], row, -sign);
      }
      if (enters) owner_[at] ^= static_cast<u32>(r);
    });
  }

  void become(const std::vector<u8>& subset) {
    for (size_t r = 0; r < size(); ++r)
      if (in_[r] != subset[r]) toggle(r);
  }

  // Makes the change that shortens the description most, while one does.
  void descend(const std::function<void()>& pause) {
    for (size_t rule = best_change(); rule < size(); rule = best_change()) {
      toggle(rule);
      pause();
    }
  }

  // Every subset, in an order in which neighbours differ by one rule; of equally short ones the first in binary order.
  void try_all() {
    std::vector<double> lengths(size_t{1} << size());
    lengths[0] = length();
    size_t mask = 0;
    for (size_t step = 1; step < lengths.size(); ++step) {
      auto r = static_cast<size_t>(std::countr_zero(step));
      toggle(r);
      mask ^= size_t{1} << r;
      lengths[mask] = length();
    }
    size_t best = 0;
    for (size_t i = 1; i < lengths.size(); ++i)
      if (lengths[i] < lengths[best] - 1e-9) best = i;
    std::vector<u8> subset(size());
    for (size_t r = 0; r < size(); ++r) subset[r] = best >> r & 1;
    become(subset);
  }

  // From no rule and from all rules downhill; then, from the better one, some rules at random in or out and downhill.
  void search(const std::function<void()>& pause) {
    descend(pause);
    std::vector<u8> best = in_;
    double shortest = length();
    auto keep = [&] {
      if (length() >= shortest - 1e-9) return false;
      shortest = length();
      best = in_;
      return true;
    };
    become(std::vector<u8>(size(), 1));
    descend(pause);
    keep();
    become(best);
    u64 state = options_.seed * 0x9e3779b97f4a7c15u + size();
    auto random = [&](size_t below) {
      state += 0x9e3779b97f4a7c15u;
      u64 z = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
      return static_cast<size_t>((z ^ (z >> 31)) % below);
    };
    size_t tries = std::clamp<size_t>(20000 / size(), 10, 200);
    for (size_t i = 0; i < tries; ++i) {
      size_t changes = 2 + random(4);
      for (size_t j = 0; j < changes; ++j) toggle(random(size()));
      descend(pause);
      if (!keep()) become(best);
      pause();
    }
  }

 private:
  // The change that shortens the description most, the first of equals; size() if none does. Going through all rules in
  // their order, one takes the place of the best if it is shorter by more than `same`. The same one is found among the
  // changes that are near the least: those that are farther are neither taken after these nor left in their place.
  size_t best_change() {
    regroup();
    double least = std::numeric_limits<double>::infinity(), best = length() - 1e-9;
    with_.resize(groups_.size());
    for (size_t g = 0; g < groups_.size(); ++g) {
      const ChangeGroups::Members& members = groups_.members(g);
      with_[g] =
          members.empty() ? std::numeric_limits<double>::infinity() : length_with_change(members.begin()->second);
      least = std::min(least, with_[g]);
    }
    if (!(least < best - same)) return size();
    near_.clear();
    for (size_t g = 0; g < groups_.size(); ++g)
      if (with_[g] <= least + 1e-9) add_near(groups_.members(g), least + 1e-9);
    std::sort(near_.begin(), near_.end());
    size_t n = 1;
    while (n < near_.size() && !(near_[n - 1].first < near_[n].first - same)) ++n;
    near_.resize(n);
    std::sort(near_.begin(), near_.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    size_t best_rule = size();
    for (const auto& [with, rule] : near_)
      if (with < best - same) {
        best = with;
        best_rule = rule;
      }
    return best_rule;
  }

  // Of the rules of a group the first of each number of bits, while the change is within the limit.
  void add_near(const ChangeGroups::Members& members, double limit) {
    constexpr u32 last = std::numeric_limits<u32>::max();
    for (auto at = members.begin(); at != members.end(); at = members.upper_bound({at->first, last})) {
      double with = length_with_change(at->second);
      if (with > limit) return;
      near_.emplace_back(with, at->second);
    }
  }

  // Puts the rules that changed into their groups.
  void regroup() {
    for (u32 r : changed_) {
      groups_.put(r, in_[r], right_[r], wrong_[r], bits_[r]);
      is_changed_[r] = 0;
    }
    changed_.clear();
  }

  void note_change(size_t r) {
    if (is_changed_[r]) return;
    is_changed_[r] = 1;
    changed_.push_back(static_cast<u32>(r));
  }

  double length(double right, double wrong, double bits, int64_t n) const {
    right = std::max(right, 0.0);
    wrong = std::max(wrong, 0.0);
    double covered = right + wrong, missed = std::max(all_right_ - right, 0.0);
    double rest = std::max(all_right_ + all_wrong_ - covered, missed);
    return options_.theory_weight * (bits - log2_factorial_[static_cast<size_t>(n)]) +
           exceptions_length(covered, rest, wrong, missed);
  }

  void change(size_t r, int32_t row, double sign) {
    (right_class_[static_cast<size_t>(row)] ? right_ : wrong_)[r] += sign * table_.weight(row);
    note_change(r);
  }

  template <class Use>
  void for_rows(size_t r, Use&& use) const {
    auto rule = rules_[r];
    for (int64_t i = table_.start[rule]; i < table_.start[rule + 1]; ++i) use(table_.rows[i]);
  }

  // For each row the rules that cover it.
  void index_rows() {
    row_start_.assign(static_cast<size_t>(table_.n_rows) + 1, 0);
    for (size_t r = 0; r < size(); ++r) for_rows(r, [&](int32_t row) { ++row_start_[static_cast<size_t>(row) + 1]; });
    for (size_t i = 1; i < row_start_.size(); ++i) row_start_[i] += row_start_[i - 1];
    row_rules_.resize(static_cast<size_t>(row_start_.back()));
    std::vector<int64_t> next(row_start_.begin(), row_start_.end() - 1);
    for (size_t r = 0; r < size(); ++r)
      for_rows(r, [&](int32_t row) {
        row_rules_[static_cast<size_t>(next[static_cast<size_t>(row)]++)] = static_cast<u32>(r);
      });
  }

  static constexpr double same = 1e-12;
  const CoverTable& table_;
  const std::vector<int32_t>& rules_;
  ChoiceOptions options_;
  ChangeGroups groups_;
  std::vector<u32> changed_;                  // rules that are not in their group yet
  std::vector<std::pair<double, u32>> near_;  // scratch of best_change
  std::vector<double> with_;                  // scratch of best_change
  std::vector<u8> in_, right_class_, is_changed_;
  std::vector<double> right_, wrong_, bits_, log2_factorial_;
  std::vector<int64_t> row_start_;
  std::vector<u32> row_rules_, count_, owner_;  // owner: the xor of the chosen rules that cover a row
  double all_right_ = 0.0, all_wrong_ = 0.0, covered_right_ = 0.0, covered_wrong_ = 0.0, sum_bits_ = 0.0;
  int64_t n_in_ = 0;
};

// chosen [n_rules]: 1 for the rules to keep; lengths [n_classes]: the description length of each class's choice.
inline void choose_rules(const CoverTable& table, const double* rule_bits, const ChoiceOptions& options,
                         const Running& running, u8* chosen, double* lengths) {
  std::vector<std::vector<int32_t>> of_class(static_cast<size_t>(table.n_classes));
  for (int32_t r = 0; r < table.n_rules; ++r) of_class[static_cast<size_t>(table.rule_label[r])].push_back(r);
  Pool pool(std::min<int>(running.threads, std::max(1, table.n_classes)));
  Pause pause(running);
  pool.run(of_class.size(), [&](size_t c, int thread) {
    SubsetSearch search(table, of_class[c], static_cast<int32_t>(c), rule_bits, options);
    if (static_cast<int>(search.size()) <= options.all_subsets)
      search.try_all();
    else
      search.search([&] { pause(thread); });
    for (size_t r = 0; r < search.size(); ++r) chosen[of_class[c][r]] = search.chosen()[r];
    lengths[c] = search.length();
  });
}

}  // namespace quercus
