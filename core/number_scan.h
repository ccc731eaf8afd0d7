// NumberScan: the best cut of a sorted list for squared error and Poisson deviance, by running sums.
#pragma once

#include "node_view.h"

namespace quercus {

// ---- how the sides of a cut are judged, from their weight and their sum of weight * (y - node's mean) ----

struct BySquaredError {
  explicit BySquaredError(const NodeView&) {}
  double purity(double weight, double sum) const { return SquaredError::purity(weight, sum); }
  bool sensible(double, double) const { return true; }
  bool may_exceed(double, double, double, double, double) const { return true; }
};

// The logarithms are dear, so a cut is first compared by an upper bound: with d = sum / (weight * mean), (1 + d) ln(1 +
// d) - d is at most d^2 (3 + d) / (6 + 4d) from 0 on and d^2 (3 + 2d) / (6 + 6d + d^2) below (Pade approximants of the
// logarithm that lie above it).
struct ByPoisson {
  double mean, least;  // least: what a branch's sum of weight * y must exceed

  explicit ByPoisson(const NodeView& node) : mean(node.measure.mean), least(1e-10 * node.sums[0] * node.measure.mean) {}
  double purity(double weight, double sum) const { return Poisson::purity(weight, sum, mean); }
  bool sensible(double weight, double sum) const { return sum + weight * mean > least; }
  bool may_exceed(double best, double weight, double sum, double other_weight, double other_sum) const {
    double rounding = 1e-14 * (std::abs(sum) + std::abs(other_sum));
    return !(bound(weight, sum) + bound(other_weight, other_sum) + rounding <= best);
  }

 private:
  double bound(double weight, double sum) const {
    double whole = weight * mean, d = sum / whole;
    double above = d >= 0.0 ? d * d * (3.0 + d) / (6.0 + 4.0 * d) : d * d * (3.0 + 2.0 * d) / (6.0 + 6.0 * d + d * d);
    return whole * above;
  }
};

// Calls use(By) for the criterion of the node, which is one of these.
template <typename Use>
auto with_number_criterion(const NodeView& node, Use use) {
  return node.measure.criterion == Criterion::poisson ? use(ByPoisson(node)) : use(BySquaredError(node));
}

// What a scan reads beside the list.
struct NumberColumn {
  const double* target;
  const double* weight;                // null: all one
  double center;                       // subtracted from the target
  double total_weight, total_sum;      // of both sides together
  double unknown_weight, unknown_sum;  // of it, what stands left in form 0 and right in form 1
  u32 unknown_rows;                    // 0: only form 1
  double least_weight;
  u32 row_mask;
};

// Streams over the list with running sums; puts each admissible cut that may be the best into the tracker. Returns the
// number of admissible cuts, those of both forms.
template <bool Weighted, typename By>
u32 number_scan(ListPart part, const NumberColumn& numbers, const By& by, TieTracker& tracker) {
  constexpr u32 ahead = 16;
  u32 known = part.n, all = known + numbers.unknown_rows, least = std::max(part.least, 1u), cuts = 0;
  double left_sum = 0.0, left_weight = 0.0, group_sum = 0.0, group_weight = 0.0;
  auto consider = [&](u32 cut, u32 rows, double weight, double sum, int form) {
    double right_weight = numbers.total_weight - weight, right_sum = numbers.total_sum - sum;
    if (rows < least || all - rows < least || weight < numbers.least_weight || right_weight < numbers.least_weight)
      return;
    if (!by.sensible(weight, sum) || !by.sensible(right_weight, right_sum)) return;
    ++cuts;
    if (by.may_exceed(tracker.largest, weight, sum, right_weight, right_sum))
      tracker.add(by.purity(weight, sum) + by.purity(right_weight, right_sum), cut, form);
  };
  for (u32 i = 0; i < known; ++i) {
    u32 entry = part.entries[i];
#if defined(__GNUC__) || defined(__clang__)
    if (i + ahead < known) __builtin_prefetch(numbers.target + (part.entries[i + ahead] & numbers.row_mask));
#endif
    if (i > 0 && !(entry & TIE)) {
      left_sum += group_sum;
      left_weight = Weighted ? left_weight + group_weight : static_cast<double>(i);
      group_sum = group_weight = 0.0;
      if (numbers.unknown_rows)
        consider(i, i + numbers.unknown_rows, left_weight + numbers.unknown_weight, left_sum + numbers.unknown_sum, 0);
      consider(i, i, left_weight, left_sum, 1);
    }
    u32 instance = entry & numbers.row_mask;
    double y = numbers.target[instance] - numbers.center;
    if constexpr (Weighted) {
      group_sum += numbers.weight[instance] * y;
      group_weight += numbers.weight[instance];
    } else {
      group_sum += y;
    }
  }
  return cuts;
}

}  // namespace quercus
