// Constraints: answers that must rise or fall with an attribute, and attributes that may not meet on one path
// (docs/specification.md, "Constraints").
#pragma once

#include <algorithm>
#include <limits>
#include <memory>

#include "node_view.h"

namespace quercus {

// ---- order ----

// Where the watched answers of a node and of all nodes below it must lie.
struct Bounds {
  std::vector<double> low, high;

  explicit Bounds(size_t n = 0)
      : low(n, -std::numeric_limits<double>::infinity()), high(n, std::numeric_limits<double>::infinity()) {}
};

// The watched answers of a node from the numbers that are stored of it: class shares, or the numbers it predicts.
inline void stored_answers(const Options& options, const double* value, int n_classes, std::vector<double>& to) {
  to.assign(value, value + (n_classes ? 0 : options.n_watched()));
  double whole = 0.0;
  for (int j = 0; j < n_classes; ++j) whole += value[j];
  for (int32_t watched : options.watched_classes) to.push_back(whole > 0.0 ? value[watched] / whole : 0.0);
}

// The bounds of both sides of a cut of an attribute: the middle of their answers divides those of the node.
inline void divide_bounds(const Options& options, const Bounds& node, u32 attribute, const std::vector<double>& left,
                          const std::vector<double>& right, Bounds (&sides)[2]) {
  sides[0] = sides[1] = node;
  for (size_t q = 0; q < left.size(); ++q) {
    int32_t sign = options.sign(attribute, q);
    if (!sign) continue;
    double middle = left[q] / 2 + right[q] / 2;
    Bounds &lower = sides[sign > 0 ? 0 : 1], &upper = sides[sign > 0 ? 1 : 0];
    lower.high[q] = std::min(lower.high[q], middle);
    upper.low[q] = std::max(upper.low[q], middle);
  }
}

// Puts the numbers that a node predicts, which rounding may have moved, between its bounds.
inline void clip_numbers(const Bounds& bounds, double* value) {
  for (size_t q = 0; q < bounds.low.size(); ++q) value[q] = std::clamp(value[q], bounds.low[q], bounds.high[q]);
}

// Whether the branches of a division of one attribute keep the order, from their sums or their answers.
class OrderCheck {
 public:
  OrderCheck(const NodeView& node, u32 attribute)
      : node_(node), options_(node.plan.options), bounds_(node.bounds), attribute_(attribute) {}

  bool active() const { return bounds_ != nullptr; }

  // Instances that go down every branch, by the share of the branch in the weight of all branches.
  void spread(const std::vector<double>& sums, double known_weight) {
    spread_ = node_.measure.weight(sums.data()) > 0.0 ? &sums : nullptr;
    known_weight_ = known_weight;
  }

  // Two branches; ordered: the first holds the smaller values.
  bool allows(const double* left, const double* right, bool ordered) {
    answers_of(left, left_);
    answers_of(right, right_);
    return allows(left_, right_, ordered);
  }
  bool allows(const std::vector<double>& left, const std::vector<double>& right, bool ordered) const {
    if (!inside(left) || !inside(right)) return false;
    for (size_t q = 0; q < left.size() && ordered; ++q)
      if (options_.sign(attribute_, q) * (left[q] - right[q]) > options_.order_slack) return false;
    return true;
  }
  // One of several branches.
  bool allows(const double* branch) {
    answers_of(branch, left_);
    return inside(left_);
  }
  bool inside(const std::vector<double>& answers) const {
    for (size_t q = 0; q < answers.size(); ++q)
      if (answers[q] < bounds_->low[q] - options_.order_slack || answers[q] > bounds_->high[q] + options_.order_slack)
        return false;
    return true;
  }

 private:
  // What the instances of a branch answer, by their sums.
  void answers_of(const double* sums, std::vector<double>& to) {
    if (spread_) {
      all_.assign(sums, sums + spread_->size());
      double share = node_.measure.weight(sums) / known_weight_;
      for (size_t j = 0; j < all_.size(); ++j) all_[j] += share * (*spread_)[j];
      sums = all_.data();
    }
    to.clear();
    if (!node_.plan.data.n_classes) {
      to.push_back(node_.center + sums[1] / sums[0]);
      return;
    }
    double whole = node_.measure.weight(sums);
    for (int32_t watched : options_.watched_classes) to.push_back(whole > 0.0 ? class_sum(sums, watched) / whole : 0.0);
  }
  double class_sum(const double* sums, int32_t watched) const {
    if (!node_.classes) return sums[watched];
    bool occurs = std::binary_search(node_.classes->begin(), node_.classes->end(), static_cast<u32>(watched));
    return occurs ? sums[node_.place(watched)] : 0.0;
  }

  const NodeView& node_;
  const Options& options_;
  const Bounds* bounds_;
  u32 attribute_;
  const std::vector<double>* spread_ = nullptr;
  double known_weight_ = 0.0;
  std::vector<double> left_, right_, all_;
};

// ---- attributes that may meet ----

// The sets of attributes, by their numbers, that contain all attributes asked so far; null: all may meet.
using OpenSets = std::shared_ptr<const std::vector<u32>>;

inline OpenSets all_sets(const Options& options) {
  if (options.together.empty()) return nullptr;
  auto sets = std::make_shared<std::vector<u32>>(options.together.size());
  for (u32 i = 0; i < sets->size(); ++i) (*sets)[i] = i;
  return sets;
}

// Those that are left when one more attribute is asked.
inline OpenSets sets_with(const Options& options, const OpenSets& sets, u32 attribute) {
  if (!sets) return nullptr;
  auto left = std::make_shared<std::vector<u32>>();
  for (u32 set : *sets)
    if (std::binary_search(options.together[set].begin(), options.together[set].end(), attribute)) left->push_back(set);
  return left->size() == sets->size() ? sets : left;
}

// Whether each attribute may be asked next.
inline std::vector<u8> may_meet(const Options& options, const OpenSets& sets, size_t n_attributes) {
  std::vector<u8> may(n_attributes, 0);
  for (u32 set : *sets)
    for (u32 attribute : options.together[set]) may[attribute] = 1;
  return may;
}

}  // namespace quercus
