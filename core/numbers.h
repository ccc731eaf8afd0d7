// Numbers: what a node knows of its instances: weight, class weights or mean; whether it must be a leaf.
#pragma once

#include "choice.h"
#include "constraints.h"
#include "quantiles.h"

namespace quercus {

// A node that is not finished.
struct Open {
  std::shared_ptr<Frame> frame;
  u32 begin = 0, end = 0;
  int32_t record = 0;
  int32_t depth = 0;
  bool unit = true;
  std::shared_ptr<const std::vector<u32>> active;  // columns of the frame that may still split
  std::shared_ptr<CodeCounts> counts;              // of the coded columns, if at hand
  u64 key = 0;                                     // forests: the key from which the draw of attributes is made
  std::shared_ptr<const Bounds> bounds{};          // of the answers; null: there is no order
  OpenSets sets{};                                 // of the attributes that may meet those asked above

  u32 count() const { return end - begin; }
};

class NodeNumbers {
 public:
  NodeNumbers(const Plan& plan, Builder& builder)
      : plan_(plan), options_(plan.options), target_(plan.target()), builder_(builder) {}

  // What constrains the root: nothing yet.
  void constrain_root(Open& root) const {
    if (options_.has_order()) root.bounds = std::make_shared<Bounds>(options_.n_watched());
    root.sets = all_sets(options_);
  }

  // Whether a node whose numbers are known needs no search.
  bool settle(const Open& open) {
    if (plan_.every_node || !builder_.nodes[open.record].count) return !builder_.nodes[open.record].count;
    return open.active->empty() || why_leaf(open) != Stop::no;
  }

  // Why a node that has instances must be a leaf, whatever its attributes.
  Stop why_leaf(const Open& open) {
    const NodeRecord& node = builder_.nodes[open.record];
    if (pure(open)) return Stop::pure;
    if (majority(open)) return Stop::majority;
    if (options_.max_depth >= 0 && open.depth >= options_.max_depth) return Stop::depth;
    if (node.weight < about(2 * options_.min_objects)) return Stop::min_objects;
    if (node.count < options_.min_samples_split || shares(open) < options_.least_to_split())
      return Stop::min_samples_split;
    return node.weight < about(2 * options_.min_weight_leaf) ? Stop::min_weight_leaf : Stop::no;
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
    const double* value = builder_.value(open.record);
    double mean = value[target_.mean()], whole = builder_.nodes[open.record].weight;
    if (options_.criterion == Criterion::squared_error) return value[target_.squares()] / whole;
    if (options_.criterion == Criterion::pinball) return value[target_.loss()] / whole;
    const Frame& frame = *open.frame;
    double sum = 0.0, weight = 0.0, center = value[0];
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
    view.bounds = open.bounds.get();
    view.measure.criterion = options_.criterion;
    view.measure.width = plan_.width;
    view.measure.multipliers = options_.class_multipliers.empty() ? nullptr : options_.class_multipliers.data();
    view.weight = node.weight;
    if (open.frame->sparse) {
      const Frame& frame = *open.frame;
      cells_.gather(*frame.sparse, frame.order.data() + open.begin, open.count(), plan_.attributes.size(),
                    [&](u32 instance) { return frame.row_of(instance); });
      view.cells = &cells_;
    }
    if (plan_.data.n_classes) {
      view.sums.assign(value, value + plan_.width);
      view.measure.totals = view.sums.data();
      view.scale = view.measure.multiplied_weight(view.sums.data());
      view.tolerance = TIE_GAIN;
      if (!(view.scale > 0.0)) view.scale = std::numeric_limits<double>::infinity();  // gains are 0
      return view;
    }
    view.scale = node.weight;
    view.center = view.measure.mean = value[target_.mean()];
    view.sums = {node.weight, 0.0};  // the mean is rounded: what is left of the sum matters where the spread is small
    for (u32 i = open.begin; i < open.end; ++i) {
      u32 instance = open.frame->order[i];
      view.sums[1] += open.frame->weight_of(instance) * view.target(instance);
    }
    view.variance = value[target_.squares()] / node.weight;
    if (plan_.fixed.usable()) view.fixed_center = plan_.fixed.parts_of(view.center);
    if (options_.by_quantiles()) rank_numbers(open, view);
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
      return present < 2;
    }
    const Frame& frame = *open.frame;
    for (u32 i = open.begin + 1; i < open.end; ++i)
      if (frame.target[frame.order[i]] != frame.target[frame.order[open.begin]]) return false;
    return true;
  }

  bool majority(const Open& open) const {
    if (!plan_.data.n_classes || !(options_.sufficient_majority > 0.0)) return false;
    const double* value = builder_.value(open.record);
    return options_.enough(*std::max_element(value, value + plan_.width), builder_.nodes[open.record].weight);
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
    value[0] = mean;
    value[target_.mean()] = mean;
    value[target_.squares()] = squares;
    if (options_.by_quantiles()) measure_quantiles(open, node.weight, value);
  }

  // The quantiles of a node and, by pinball, their loss.
  void measure_quantiles(const Open& open, double whole, double* value) {
    sort_targets(open);
    double loss = 0.0;
    for (size_t i = 0; i < options_.quantiles.size(); ++i) {
      QuantileOf quantile{whole, options_.quantiles[i]};
      for (auto [y, w] : targets_) quantile.add(y, w);
      value[i] = quantile.value();
      for (auto [y, w] : targets_) loss += w * pinball(options_.quantiles[i], y, value[i]);
    }
    if (options_.criterion == Criterion::pinball) value[target_.loss()] = loss;
  }

  // The numbers of a node by their ranks among all, each once, for the search.
  void rank_numbers(const Open& open, NodeView& view) {
    const Frame& frame = *open.frame;
    if (rank_of_.size() < frame.size) rank_of_.resize(frame.size);
    sort_keys(open);
    ranked_.clear();
    for (size_t i = 0; i < keys_.size(); ++i) {
      u32 instance = static_cast<u32>(keys_[i]);
      if (!i || keys_[i] >> 32 != keys_[i - 1] >> 32) ranked_.push_back(frame.target[instance]);
      rank_of_[instance] = static_cast<u32>(ranked_.size() - 1);
    }
    view.ranked = &ranked_;
    view.rank_of = rank_of_.data();
  }

  // The instances of a node by the rank of their numbers among all, in the lower halves of the keys.
  void sort_keys(const Open& open) {
    const Frame& frame = *open.frame;
    keys_.clear();
    for (u32 i = open.begin; i < open.end; ++i) {
      u32 instance = frame.order[i];
      keys_.push_back(u64{plan_.target_rank[frame.row_of(instance)]} << 32 | instance);
    }
    sort_by_rank(keys_, spare_keys_, plan_.data.n_rows);
  }
  void sort_targets(const Open& open) {
    sort_keys(open);
    targets_.clear();
    for (u64 key : keys_) {
      u32 instance = static_cast<u32>(key);
      targets_.emplace_back(open.frame->target[instance], open.frame->weight_of(instance));
    }
  }

  const Plan& plan_;
  const Options& options_;
  TargetKind target_;
  Builder& builder_;
  std::vector<std::pair<double, double>> targets_;
  std::vector<double> ranked_;
  std::vector<u32> rank_of_;
  std::vector<u64> keys_, spare_keys_;
  std::vector<u32> counts_;
  SparseNode cells_;
};

}  // namespace quercus
