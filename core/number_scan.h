// NumberScan: the best cut of a sorted list for squared error, by running sums.
#pragma once

#include "node_view.h"

namespace quercus {

// What a scan for squared error reads beside the list.
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

// Streams over the list with running sums; calls visit(cut, purity, form) for each admissible cut.
template <bool Weighted, typename Visit>
void number_scan(ListPart part, const NumberColumn& numbers, Visit visit) {
  constexpr u32 ahead = 16;
  u32 known = part.n, all = known + numbers.unknown_rows, least = std::max(part.least, 1u);
  double left_sum = 0.0, left_weight = 0.0, group_sum = 0.0, group_weight = 0.0;
  auto consider = [&](u32 cut, u32 rows, double weight, double sum, int form) {
    double right_weight = numbers.total_weight - weight, right_sum = numbers.total_sum - sum;
    if (rows >= least && all - rows >= least && weight >= numbers.least_weight && right_weight >= numbers.least_weight)
      visit(cut, SquaredError::purity(weight, sum) + SquaredError::purity(right_weight, right_sum), form);
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
}

}  // namespace quercus
