// Numbers: what a node knows of its instances: weight, class weights or mean; whether it must be a leaf.
#pragma once

#include "node_view.h"

namespace quercus {

// A node that is not finished.
struct Open {
  std::shared_ptr<Frame> frame;
  u32 begin = 0, end = 0;
  int32_t record = 0;
  int32_t depth = 0;
  bool unit = true;
  std::shared_ptr<const std::vector<u32>> active;  // columns of the frame that may still split
  std::shared_ptr<std::vector<u32>> counts;        // class counts [column, code, class] of coded columns, if at hand
  u64 key = 0;                                     // forests: what the draw of attributes is made from

  u32 count() const { return end - begin; }
};

class NodeNumbers {
 public:
  NodeNumbers(const Plan& plan, Builder& builder) : plan_(plan), options_(plan.options), builder_(builder) {}

  // Whether a node, its numbers known, must be a leaf.
  bool settle(const Open& open) {
    NodeRecord& node = builder_.nodes[open.record];
    if (!node.count) return true;
    if (options_.max_depth >= 0 && open.depth >= options_.max_depth) return true;
    if (node.weight < about(2 * options_.min_objects)) return true;
    if (node.weight < about(2 * options_.min_weight_leaf)) return true;
    if (node.count < options_.min_samples_split || shares(open) < options_.least_to_split()) return true;
    return pure(open);
  }

  // Sums over the instances order[begin, end).
  void measure_node(const Open& open) {
    NodeRecord& node = builder_.nodes[open.record];
    double* value = builder_.value(open.record);
    const Frame& frame = *open.frame;
    node.count = open.count();
    node.weight = 0.0;
    if (plan_.data.n_classes) {
      std::fill(value, value + plan_.width, 0.0);
      if (open.unit)
        count_classes(open, value);
      else
        for (u32 i = open.begin; i < open.end; ++i)
          value[frame.label[frame.order[i]]] += frame.weight_of(frame.order[i]);
      for (int j = 0; j < plan_.width; ++j) node.weight += value[j];
    } else {
      measure_numbers(open, node, value);
    }
  }

  // Regression: the impurity of a node.
  double impurity(const Open& open) {
    double mean = builder_.value(open.record)[1];
    if (options_.criterion == Criterion::squared_error)
      return builder_.value(open.record)[2] / builder_.nodes[open.record].weight;
    const Frame& frame = *open.frame;
    double sum = 0.0, weight = 0.0, center = builder_.value(open.record)[0];
    for (u32 i = open.begin; i < open.end; ++i) {
      double y = frame.target[frame.order[i]], w = frame.weight_of(frame.order[i]);
      weight += w;
      if (options_.criterion == Criterion::absolute_error)
        sum += w * std::abs(y - center);
      else
        sum += w * ((y > 0.0 ? y * std::log(y / mean) : 0.0) - y + mean);
    }
    return std::max(sum, 0.0) / weight;
  }

  NodeView look(const Open& open) {
    const NodeRecord& node = builder_.nodes[open.record];
    const double* value = builder_.value(open.record);
    NodeView view{plan_, *open.frame, open.begin, open.end, open.unit, {}, {}};
    view.measure.criterion = options_.criterion;
    view.measure.width = plan_.width;
    view.measure.multipliers = options_.class_multipliers.empty() ? nullptr : options_.class_multipliers.data();
    view.weight = node.weight;
    view.counts = open.counts.get();
    if (plan_.data.n_classes) {
      view.sums.assign(value, value + plan_.width);
      view.scale = view.measure.multiplied_weight(view.sums.data());
      view.tolerance = TIE_GAIN;
      if (!(view.scale > 0.0)) view.scale = std::numeric_limits<double>::infinity();  // gains are 0
      return view;
    }
    view.scale = node.weight;
    view.center = value[1];
    view.measure.mean = value[1];
    view.sums = {node.weight, 0.0};  // the mean is rounded: what is left of the sum matters where the spread is small
    for (u32 i = open.begin; i < open.end; ++i) {
      u32 instance = open.frame->order[i];
      view.sums[1] += open.frame->weight_of(instance) * view.target(instance);
    }
    view.variance = value[2] / node.weight;
    view.tolerance = TIE_REGRESSION * impurity(open);
    return view;
  }

 private:
  // Unit weights: class weights are counts. Two rows of them, so that equal classes in turn do not wait for each other.
  void count_classes(const Open& open, double* value) {
    const Frame& frame = *open.frame;
    size_t k = static_cast<size_t>(plan_.width);
    counts_.assign(2 * k, 0);
    u32 *even = counts_.data(), *odd = even + k;
    for (u32 i = open.begin; i < open.end; ++i) ++(i & 1 ? odd : even)[frame.label[frame.order[i]]];
    for (size_t j = 0; j < k; ++j) value[j] = static_cast<double>(even[j] + odd[j]);
  }

  // The rows of a node, parts of them by their shares; of whole ones just enough to split.
  double shares(const Open& open) const {
    const Frame& frame = *open.frame;
    if (frame.share.empty() || options_.min_samples_split <= 2) return options_.least_to_split();
    double rows = 0.0;
    for (u32 i = open.begin; i < open.end; ++i) rows += frame.share[frame.order[i]];
    return rows;
  }

  bool pure(const Open& open) const {
    if (plan_.data.n_classes) {
      const double* value = builder_.value(open.record);
      int present = 0;
      for (int j = 0; j < plan_.width; ++j) present += value[j] > 0.0;
      return present < 2 ||
             options_.enough(*std::max_element(value, value + plan_.width), builder_.nodes[open.record].weight);
    }
    const Frame& frame = *open.frame;
    for (u32 i = open.begin + 1; i < open.end; ++i)
      if (frame.target[frame.order[i]] != frame.target[frame.order[open.begin]]) return false;
    return true;
  }

  void measure_numbers(const Open& open, NodeRecord& node, double* value) {
    const Frame& frame = *open.frame;
    double sum = 0.0, low = frame.target[frame.order[open.begin]], high = low;
    for (u32 i = open.begin; i < open.end; ++i) {
      double w = frame.weight_of(frame.order[i]), y = frame.target[frame.order[i]];
      node.weight += w;
      sum += w * y;
      low = std::min(low, y);
      high = std::max(high, y);
    }
    double mean = low == high ? low : sum / node.weight, squares = 0.0;
    for (u32 i = open.begin; i < open.end; ++i) {
      double d = frame.target[frame.order[i]] - mean;
      squares += frame.weight_of(frame.order[i]) * d * d;
    }
    value[0] = options_.criterion == Criterion::absolute_error ? middle(open) : mean;
    value[1] = mean;
    value[2] = squares;
  }

  // Midpoint of the lower and upper weighted median.
  double middle(const Open& open) {
    sort_targets(open);
    double whole = 0.0, run = 0.0;
    for (auto [y, w] : targets_) whole += w;
    double lower = targets_.back().first, upper = lower;
    bool has_lower = false;
    for (auto [y, w] : targets_) {
      run += w;
      if (!has_lower && run >= whole / 2 - WEIGHT_SLACK * whole) {
        lower = y;
        has_lower = true;
      }
      if (run > whole / 2 + WEIGHT_SLACK * whole) {
        upper = y;
        break;
      }
    }
    return lower == upper ? lower : lower / 2 + upper / 2;
  }
  void sort_targets(const Open& open) {
    const Frame& frame = *open.frame;
    targets_.clear();
    for (u32 i = open.begin; i < open.end; ++i)
      targets_.emplace_back(frame.target[frame.order[i]], frame.weight_of(frame.order[i]));
    std::sort(targets_.begin(), targets_.end());
  }

  const Plan& plan_;
  const Options& options_;
  Builder& builder_;
  std::vector<std::pair<double, double>> targets_;
  std::vector<u32> counts_;
};

}  // namespace quercus
