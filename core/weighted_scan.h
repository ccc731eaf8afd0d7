// WeightedScan: the best cut of a sorted list of two classes with any weights, by blocks with bounds.
#pragma once

#include <array>

#include "node_view.h"

namespace quercus {

// Sums of weights stand for counts. Visits, in order, every admissible cut that may come within `slack` of the best.
template <typename C>
class WeightedScan {
 public:
  WeightedScan(const Plan& plan, const Measure& measure, ListPart part, const double* weight, double least_weight,
               double slack)
      : measure_(measure),
        part_(part),
        weight_(weight),
        least_weight_(least_weight),
        slack_(slack),
        mask_(plan.row_mask),
        use_bounds_(!plan.options.off(no_block_bounds)) {
    total_ = {0.0, 0.0};
    blocks_.clear();
    for (u32 from = 0; from < part.n; from += BLOCK) {
      std::array<double, 2> sums{0.0, 0.0};
      for (u32 i = from; i < std::min(from + BLOCK, part.n); ++i) add(sums, i);
      blocks_.push_back(sums);
      total_[0] += sums[0];
      total_[1] += sums[1];
    }
  }

  const std::array<double, 2>& total() const { return total_; }

  // Calls visit(cut, purity) where it may matter; returns the number of admissible cuts.
  template <typename Visit>
  u32 run(Visit visit) const {
    double best = coarse();
    u32 cuts = 0;
    std::array<double, 2> left{0.0, 0.0};
    for (u32 b = 0; b * BLOCK < part_.n; ++b) {
      const auto& sums = blocks_[b];
      bool promising = !use_bounds_ || bound(left, sums) >= best - slack_;
      for (u32 i = b * BLOCK; i < std::min((b + 1) * BLOCK, part_.n); ++i) {
        if (admissible(i, left)) {
          ++cuts;
          if (promising) {
            double p = purity(left);
            best = std::max(best, p);
            visit(i, p);
          }
        }
        add(left, i);
      }
    }
    return cuts;
  }

 private:
  void add(std::array<double, 2>& sums, u32 i) const {
    u32 entry = part_.entries[i];
    sums[(entry >> 30) & 1u] += weight_[entry & mask_];
  }
  double purity(const std::array<double, 2>& left) const {
    std::array<double, 2> right{std::max(total_[0] - left[0], 0.0), std::max(total_[1] - left[1], 0.0)};
    return measure_.purity_by<C>(left.data()) + measure_.purity_by<C>(right.data());
  }
  bool admissible(u32 cut, const std::array<double, 2>& left) const {
    if (cut == 0 || (part_.entries[cut] & TIE) || cut < part_.least || part_.n - cut < part_.least) return false;
    double weight = left[0] + left[1];
    return weight >= least_weight_ && total_[0] + total_[1] - weight >= least_weight_;
  }
  double bound(const std::array<double, 2>& at, const std::array<double, 2>& block) const {
    return std::max(std::max(purity(at), purity({at[0] + block[0], at[1] + block[1]})),
                    std::max(purity({at[0] + block[0], at[1]}), purity({at[0], at[1] + block[1]})));
  }
  double coarse() const {
    double best = -std::numeric_limits<double>::infinity();
    std::array<double, 2> left{0.0, 0.0};
    for (u32 b = 0; b < blocks_.size(); ++b) {
      u32 cut = b * BLOCK;
      if (b && admissible(cut, left)) best = std::max(best, purity(left));
      left[0] += blocks_[b][0];
      left[1] += blocks_[b][1];
    }
    return best;
  }

  const Measure& measure_;
  ListPart part_;
  const double* weight_;
  double least_weight_, slack_;
  u32 mask_;
  bool use_bounds_;
  std::array<double, 2> total_{};
  std::vector<std::array<double, 2>>& blocks_ = kept_blocks();
  static std::vector<std::array<double, 2>>& kept_blocks() {
    static thread_local std::vector<std::array<double, 2>> blocks;
    return blocks;
  }
};

}  // namespace quercus
