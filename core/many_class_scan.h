// ManyClassScan: the best cut of a sorted list of any number of classes whose instances all weigh one.
#pragma once

#include <numeric>

#include "node_view.h"

namespace quercus {

// Purity of both sides from their class counts. left and extra stand on the left, n instances; both sides hold m.
template <typename C>
double many_class_purity(const double* table, const std::vector<u32>& present, const u32* left, const u32* extra,
                         const u32* totals, u32 n, u32 m) {
  CountParts<C> part{table};
  double a = 0.0, b = 0.0;
  for (u32 j : present) {
    u32 l = left[j] + extra[j];
    include<C>(a, part(l));
    include<C>(b, part(totals[j] - l));
  }
  return C::whole(a, n, part) + C::whole(b, m - n, part);
}

// ---- the parts of a side together, kept up while counts change ----

// Sums of whole numbers.
template <typename C>
class RunningWhole {
 public:
  void start(const std::vector<u32>& counts, const double*) {
    sum_ = 0;
    for (u32 count : counts) sum_ += C::part(u64{count});
  }
  void rise(u32 from, u32 to) { sum_ += C::part(u64{to}) - C::part(u64{from}); }
  void fall(u32 from, u32 to) { sum_ -= C::part(u64{from}) - C::part(u64{to}); }
  double value() const { return static_cast<double>(sum_); }

 private:
  u64 sum_ = 0;
};

// Sums that keep what rounding takes away.
class RunningSum {
 public:
  void start(const std::vector<u32>& counts, const double* table) {
    table_ = table;
    high_ = low_ = 0.0;
    for (u32 count : counts) add(table[count]);
  }
  void rise(u32 from, u32 to) { add(table_[to] - table_[from]); }
  void fall(u32 from, u32 to) { add(table_[to] - table_[from]); }
  double value() const { return high_ + low_; }

 private:
  void add(double x) {
    double sum = high_ + x;
    low_ += std::abs(high_) >= std::abs(x) ? (high_ - sum) + x : (x - sum) + high_;
    high_ = sum;
  }
  const double* table_ = nullptr;
  double high_ = 0.0, low_ = 0.0;
};

// The largest count. Of one side counts only rise, of the other they only fall.
class RunningLargest {
 public:
  void start(const std::vector<u32>& counts, const double*) {
    largest_ = *std::max_element(counts.begin(), counts.end());
    with_count_.assign(size_t{largest_} + 1, 0);
    for (u32 count : counts) ++with_count_[count];
  }
  void rise(u32, u32 to) { largest_ = std::max(largest_, to); }
  void fall(u32 from, u32 to) {
    --with_count_[from];
    ++with_count_[to];
    while (!with_count_[largest_]) --largest_;
  }
  double value() const { return largest_; }

 private:
  std::vector<u32> with_count_;  // how many classes have this count
  u32 largest_ = 0;
};

template <typename C>
using RunningParts = std::conditional_t<C::parts == Parts::whole, RunningWhole<C>,
                                        std::conditional_t<C::parts == Parts::costly, RunningSum, RunningLargest>>;

// The purity of both sides of a cut that moves along a list, kept up one entry at a time.
template <typename C>
class RunningSides {
 public:
  // Left begins with the counts `extra`, right with what is left of the totals, which must stay.
  RunningSides(const double* table, const std::vector<u32>& totals, const std::vector<u32>& extra,
               std::vector<u32>& left)
      : part_{table}, totals_(totals.data()) {
    left.resize(totals.size());
    for (size_t j = 0; j < totals.size(); ++j) left[j] = totals[j] - extra[j];
    of_right_.start(left, table);
    n_right_ = std::accumulate(left.begin(), left.end(), 0u);
    left = extra;
    of_left_.start(left, table);
    n_left_ = std::accumulate(left.begin(), left.end(), 0u);
    left_ = left.data();
  }

  // One entry of this class goes from right to left.
  void move(u32 label) {
    u32 count = left_[label]++;
    of_left_.rise(count, count + 1);
    of_right_.fall(totals_[label] - count, totals_[label] - count - 1);
    ++n_left_;
    --n_right_;
  }

  double purity() const {
    return C::whole(of_left_.value(), n_left_, part_) + C::whole(of_right_.value(), n_right_, part_);
  }

 private:
  CountParts<C> part_;
  const u32* totals_;
  u32* left_;
  RunningParts<C> of_left_, of_right_;
  u32 n_left_ = 0, n_right_ = 0;
};

constexpr size_t FEW_CLASSES = 8;  // the parts of so many are looked up at each cut

// The scan of many_class_scan where a cut costs the same for any number of classes.
template <typename C, typename Visit>
void running_scan(const Plan& plan, ListPart part, const std::vector<u32>& totals, const std::vector<u32>& unknown,
                  u32 m, u32 extra, Visit visit) {
  static thread_local std::vector<u32> nothing, left_with, left_without;
  nothing.assign(totals.size(), 0);
  RunningSides<C> with(plan.parts.data(), totals, unknown, left_with);
  RunningSides<C> without(plan.parts.data(), totals, nothing, left_without);
  u32 least = std::max(part.least, 1u);
  for (u32 i = 0; i < part.n; ++i) {
    u32 entry = part.entries[i];
    if (i > 0 && !(entry & TIE)) {
      if (extra && i + extra >= least && m - i - extra >= least) visit(i, with.purity(), 0);
      if (i >= least && m - i >= least) visit(i, without.purity(), 1);
    }
    if (extra) with.move(plan.label_in(entry));
    without.move(plan.label_in(entry));
  }
}

// Streams over the list with running class counts; calls visit(cut, purity, form) for each admissible cut. `totals` is
// what both sides hold together; of it `unknown` stands on the left in form 0 and on the right in form 1 (none: form
// 1).
template <typename C, typename Visit>
void many_class_scan(const Plan& plan, ListPart part, const std::vector<u32>& totals, const std::vector<u32>& unknown,
                     Visit visit) {
  static thread_local std::vector<u32> left, present, nothing;
  size_t k = totals.size();
  left.assign(k, 0);
  nothing.assign(k, 0);
  present.clear();
  u32 m = 0, extra = 0;
  for (u32 j = 0; j < k; ++j) {
    if (totals[j]) present.push_back(j);
    m += totals[j];
    extra += unknown[j];
  }
  if ((C::parts == Parts::whole || present.size() > FEW_CLASSES) && !plan.options.off(no_running))
    return running_scan<C>(plan, part, totals, unknown, m, extra, visit);
  const double* table = plan.parts.data();
  u32 least = std::max(part.least, 1u);
  for (u32 i = 0; i < part.n; ++i) {
    u32 entry = part.entries[i];
    if (i > 0 && !(entry & TIE)) {
      if (extra && i + extra >= least && m - i - extra >= least)
        visit(i, many_class_purity<C>(table, present, left.data(), unknown.data(), totals.data(), i + extra, m), 0);
      if (i >= least && m - i >= least)
        visit(i, many_class_purity<C>(table, present, left.data(), nothing.data(), totals.data(), i, m), 1);
    }
    ++left[plan.label_in(entry)];
  }
}

}  // namespace quercus
