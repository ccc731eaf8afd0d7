// Absolute error: sums of deviations from the weighted median on both sides of every cut.
#pragma once

#include "node_view.h"

namespace quercus {

// Weights and weighted numbers by rank of y, with their running sums found in logarithmic time.
class MedianTree {
 public:
  explicit MedianTree(const std::vector<double>& ranked)
      : y_(ranked), weight_(ranked.size() + 1), sum_(ranked.size() + 1) {
    while ((size_t{1} << (levels_ + 1)) <= ranked.size()) ++levels_;
  }
  void clear() {
    std::fill(weight_.begin(), weight_.end(), 0.0);
    std::fill(sum_.begin(), sum_.end(), 0.0);
    total_weight_ = total_sum_ = 0.0;
  }
  void add(size_t rank, double w) {
    for (size_t i = rank + 1; i < weight_.size(); i += i & (~i + 1)) {
      weight_[i] += w;
      sum_[i] += w * y_[rank];
    }
    total_weight_ += w;
    total_sum_ += w * y_[rank];
  }
  // Sum of w |y - median| of what was added.
  double deviation() const {
    if (total_weight_ <= 0.0) return 0.0;
    double need = total_weight_ / 2 - WEIGHT_SLACK * total_weight_, below = 0.0, below_sum = 0.0;
    size_t at = 0;
    for (size_t step = size_t{1} << levels_; step; step >>= 1)
      if (at + step < weight_.size() && below + weight_[at + step] < need) {
        at += step;
        below += weight_[at];
        below_sum += sum_[at];
      }
    double median = y_[std::min(at, y_.size() - 1)];
    return median * below - below_sum + (total_sum_ - below_sum) - median * (total_weight_ - below);
  }

 private:
  const std::vector<double>& y_;
  std::vector<double> weight_, sum_;
  double total_weight_ = 0.0, total_sum_ = 0.0;
  int levels_ = 0;
};

// Deviations left and right of each boundary between ordered groups of instances, with or without the unknown ones.
class Deviations {
 public:
  void prepare(const NodeView& node, const std::vector<std::vector<u32>>& groups, const std::vector<u32>& unknown,
               bool with_unknown) {
    rank(node);
    MedianTree tree(ranked_);
    size_t n = groups.size();
    for (int u = 0; u < (with_unknown ? 2 : 1); ++u) {
      left_[u].assign(n + 1, 0.0);
      right_[u].assign(n + 1, 0.0);
      tree.clear();
      if (u) add(node, tree, unknown);
      left_[u][0] = tree.deviation();
      for (size_t i = 0; i < n; ++i) {
        add(node, tree, groups[i]);
        left_[u][i + 1] = tree.deviation();
      }
      tree.clear();
      if (u) add(node, tree, unknown);
      right_[u][n] = tree.deviation();
      for (size_t i = n; i-- > 0;) {
        add(node, tree, groups[i]);
        right_[u][i] = tree.deviation();
      }
    }
  }
  // side_and_unknown: 0 left, 1 left with unknown, 2 right, 3 right with unknown; cut -1: everything known.
  double of(int64_t cut, int side_and_unknown) const {
    if (cut < 0) return left_[0].back();
    return (side_and_unknown & 2) ? right_[side_and_unknown & 1][static_cast<size_t>(cut)]
                                  : left_[side_and_unknown & 1][static_cast<size_t>(cut)];
  }
  double whole(bool with_unknown) const { return left_[with_unknown ? 1 : 0].back(); }
  double unknown_alone() const { return left_[1].front(); }

 private:
  void rank(const NodeView& node) {
    ranked_.clear();
    for (u32 i = node.begin; i < node.end; ++i) ranked_.push_back(node.target(node.frame.order[i]));
    std::sort(ranked_.begin(), ranked_.end());
    ranked_.erase(std::unique(ranked_.begin(), ranked_.end()), ranked_.end());
  }
  void add(const NodeView& node, MedianTree& tree, const std::vector<u32>& instances) const {
    for (u32 instance : instances) {
      auto it = std::lower_bound(ranked_.begin(), ranked_.end(), node.target(instance));
      tree.add(static_cast<size_t>(it - ranked_.begin()), node.frame.weight_of(instance));
    }
  }
  std::vector<double> ranked_, left_[2], right_[2];
};

}  // namespace quercus
