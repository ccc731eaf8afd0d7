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
  double put(size_t q, double answer) const { return std::clamp(answer, low[q], high[q]); }
};

// The watched answers of a node from the numbers that are stored of it: a class share, or the numbers it predicts.
inline std::vector<double> stored_answers(const Options& options, const double* value, int n_classes) {
  if (!n_classes) return {value, value + options.n_watched()};
  double whole = 0.0;
  for (int j = 0; j < n_classes; ++j) whole += value[j];
  return {whole > 0.0 ? value[options.watched_class] / whole : 0.0};
}

// The bounds of both sides of a cut of an attribute: the middle of their answers divides those of the node.
inline void divide_bounds(const Options& options, const Bounds& node, u32 attribute, const std::vector<double>& left,
                          const std::vector<double>& right, Bounds (&sides)[2]) {
  sides[0] = sides[1] = node;
  int32_t sign = options.sign(attribute);
  for (size_t q = 0; q < left.size() && sign; ++q) {
    double middle = node.put(q, left[q] / 2 + right[q] / 2);
    sides[sign > 0 ? 0 : 1].high[q] = middle;
    sides[sign > 0 ? 1 : 0].low[q] = middle;
  }
}

// Changes the stored numbers of a node so that it answers between its bounds: the number that it predicts; or the
// weight of the watched class, and those of the others in proportion, or alike if they have none.
inline void put_between(const Options& options, const Bounds& bounds, int n_classes, double* value) {
  for (size_t q = 0; q < bounds.low.size() && !n_classes; ++q) value[q] = bounds.put(q, value[q]);
  if (n_classes < 2) return;
  double whole = 0.0, &watched = value[options.watched_class];
  for (int j = 0; j < n_classes; ++j) whole += value[j];
  double share = whole > 0.0 ? bounds.put(0, watched / whole) : 0.0;
  if (!(whole > 0.0) || share == watched / whole) return;
  double others = whole - watched, left = whole - share * whole;
  for (int j = 0; j < n_classes; ++j)
    value[j] = j == options.watched_class ? share * whole
               : others > 0.0             ? value[j] * (left / others)
                                          : left / (n_classes - 1);
}

// Whether the cuts of an attribute keep the order, from the sums of both sides or from their answers.
class OrderCheck {
 public:
  OrderCheck(const NodeView& node, u32 attribute)
      : node_(node),
        bounds_(node.bounds),
        sign_(node.bounds ? node.plan.options.sign(attribute) : 0),
        slack_(node.plan.options.order_slack) {}

  bool active() const { return sign_ != 0; }

  bool allows(const double* left, const double* right) const {
    return sign_ == 0 || keeps(answer_of(left), answer_of(right), 0);
  }
  bool allows(const std::vector<double>& left, const std::vector<double>& right) const {
    for (size_t q = 0; q < left.size() && sign_; ++q)
      if (!keeps(left[q], right[q], q)) return false;
    return true;
  }

 private:
  bool keeps(double left, double right, size_t q) const {
    return sign_ * (left - right) <= slack_ && std::min(left, right) >= bounds_->low[q] - slack_ &&
           std::max(left, right) <= bounds_->high[q] + slack_;
  }
  // What the instances of a side answer, by their sums.
  double answer_of(const double* sums) const {
    if (!node_.plan.data.n_classes) return node_.center + sums[1] / sums[0];
    double whole = node_.measure.weight(sums);
    return whole > 0.0 ? class_sum(sums) / whole : 0.0;
  }
  double class_sum(const double* sums) const {
    int32_t watched = node_.plan.options.watched_class;
    if (!node_.classes) return sums[watched];
    bool occurs = std::binary_search(node_.classes->begin(), node_.classes->end(), static_cast<u32>(watched));
    return occurs ? sums[node_.place(watched)] : 0.0;
  }

  const NodeView& node_;
  const Bounds* bounds_;
  int32_t sign_;
  double slack_;
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
