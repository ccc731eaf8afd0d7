// Worker: what is done at one node: stop or find a split, send the instances to the branches, make the children.
#pragma once

#include "evaluate.h"

namespace quercus {

// A node that is not finished.
struct Open {
  std::shared_ptr<Frame> frame;
  u32 begin = 0, end = 0;
  int32_t record = 0;
  int32_t depth = 0;
  bool unit = true;
  std::shared_ptr<const std::vector<u32>> active;  // columns of the frame that may still split

  u32 count() const { return end - begin; }
};

constexpr u32 REBASE_ROWS = 16384;  // subtrees of at most this size move to a frame of their own
constexpr u32 REBASE_RATIO = 4;     // if their frame is this many times larger
constexpr int32_t SPREAD = -1;

class Worker {
 public:
  Worker(const Plan& plan, Builder& builder, Pool* pool)
      : plan_(plan), options_(plan.options), builder_(builder), pool_(pool), evaluator_(plan, pool) {}

  // Writes the root's or a child's numbers; says whether it must be a leaf.
  bool settle(const Open& open) {
    NodeRecord& node = builder_.nodes[open.record];
    if (!node.count) return true;
    if (options_.max_depth >= 0 && open.depth >= options_.max_depth) return true;
    if (node.weight < 2 * options_.min_objects - WEIGHT_SLACK) return true;
    if (node.weight < 2 * options_.min_weight_leaf - WEIGHT_SLACK) return true;
    if (node.count < options_.min_samples_split) return true;
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
      for (u32 i = open.begin; i < open.end; ++i) value[frame.label[frame.order[i]]] += frame.weight_of(frame.order[i]);
      for (int j = 0; j < plan_.width; ++j) node.weight += value[j];
    } else {
      measure_numbers(open, node, value);
    }
  }

  bool find_split(const Open& open, Candidate& candidate) {
    NodeView view = look(open);
    if (!evaluator_.evaluate(view, *open.active, candidate)) return false;
    return !options_.significance || significant(open, candidate);
  }

  // Makes the children of a node; those that are not leaves are appended to `open_children`.
  void split(const Open& open, Candidate& candidate, std::vector<Open>& open_children) {
    Frame& frame = *open.frame;
    const FrameColumn& column = frame.columns[candidate.column];
    NodeRecord& node = builder_.nodes[open.record];
    node.kind = candidate.kind;
    node.attribute = static_cast<int32_t>(column.attribute);
    node.gain = candidate.gain;
    node.n_children = candidate.branches;
    node.group = candidate.branch_of_value;
    node.missing_child = missing_child(candidate);
    if (candidate.kind == SplitKind::threshold) node.threshold = threshold(candidate, column.attribute);
    int32_t first = builder_.add(candidate.branches);
    builder_.nodes[open.record].first_child = first;
    auto active = children_active(open, candidate);
    bool by_position = candidate.cut && candidate.unknown_weight == 0.0 && options_.missing != Missing::surrogate &&
                       open.unit && plan_.data.n_classes;
    if (by_position)
      split_list(open, candidate, active, open_children);
    else
      split_any(open, candidate, active, open_children);
  }

  // A frame of its own for a small subtree.
  void rebase(Open& open) {
    const Frame& frame = *open.frame;
    if (!plan_.options.off(no_rebase) && frame.size >= REBASE_RATIO * open.count()) move_to_own_frame(open);
  }

  void move_to_own_frame(Open& open) {
    const Frame& frame = *open.frame;
    instances_.clear();
    if (plan_.keep_order)
      instances_.assign(frame.order.begin() + open.begin, frame.order.begin() + open.end);
    else
      for (u32 i = open.begin; i < open.end; ++i)
        instances_.push_back(frame.columns[open.active->front()].list[i] & plan_.row_mask);
    open.frame = sub_frame(plan_, frame, open.begin, open.end, instances_, {}, *open.active, map_);
    open.begin = 0;
    open.end = open.frame->size;
    auto all = std::make_shared<std::vector<u32>>(open.active->size());
    std::iota(all->begin(), all->end(), 0u);
    open.active = all;
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

 private:
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

  NodeView look(const Open& open) {
    const NodeRecord& node = builder_.nodes[open.record];
    const double* value = builder_.value(open.record);
    NodeView view{plan_, *open.frame, open.begin, open.end, open.unit, {}, {}};
    view.measure.criterion = options_.criterion;
    view.measure.width = plan_.width;
    view.measure.multipliers = options_.class_multipliers.empty() ? nullptr : options_.class_multipliers.data();
    view.weight = node.weight;
    if (plan_.data.n_classes) {
      view.sums.assign(value, value + plan_.width);
      view.scale = view.measure.multiplied_weight(view.sums.data());
      view.tolerance = TIE_GAIN;
      if (!(view.scale > 0.0)) view.scale = std::numeric_limits<double>::infinity();  // gains are 0
      return view;
    }
    view.scale = node.weight;
    view.center = options_.criterion == Criterion::poisson ? 0.0 : value[1];
    view.sums = {node.weight, (value[1] - view.center) * node.weight};
    view.variance = value[2] / node.weight;
    view.tolerance = TIE_REGRESSION * impurity(open);
    return view;
  }

  // ---- details of the split ----
  int32_t missing_child(const Candidate& c) const {
    if (c.missing_child >= 0) return c.missing_child;
    if (options_.missing == Missing::fractional) return -1;
    double largest = 0.0, whole = 0.0;
    for (double w : c.branch_weight) {
      largest = std::max(largest, w);
      whole += w;
    }
    for (size_t i = 0; i < c.branch_weight.size(); ++i)
      if (c.branch_weight[i] >= largest - WEIGHT_SLACK * whole) return static_cast<int32_t>(i);
    return 0;
  }

  double threshold(const Candidate& c, u32 attribute) const {
    if (c.known_against_unknown) return c.low;
    double middle = midpoint(c.low, c.high);
    if (!options_.data_value_threshold) return middle;
    const std::vector<double>& distinct = plan_.attributes[attribute].distinct;
    return *(std::upper_bound(distinct.begin(), distinct.end(), middle) - 1);
  }

  std::shared_ptr<const std::vector<u32>> children_active(const Open& open, const Candidate& c) const {
    bool changed = c.kind == SplitKind::multiway;
    if (!options_.off(no_constants))
      for (u8 flag : c.constant) changed = changed || flag;
    if (!changed) return open.active;
    auto active = std::make_shared<std::vector<u32>>();
    for (size_t i = 0; i < open.active->size(); ++i) {
      u32 column = (*open.active)[i];
      bool drop = (c.kind == SplitKind::multiway && column == c.column) || (!options_.off(no_constants) && c.constant[i]);
      if (!drop) active->push_back(column);
    }
    return active;
  }

  // The branch of each instance as the evaluation saw it, by position in order; SPREAD: none.
  void assign(const Open& open, const Candidate& c) {
    const Frame& frame = *open.frame;
    const FrameColumn& column = frame.columns[c.column];
    const Column& cells = plan_.data.columns[column.attribute];
    const Attribute& attribute = plan_.attributes[column.attribute];
    double cut = c.known_against_unknown ? c.low : midpoint(c.low, c.high);
    int32_t last_code = 0;
    if (c.kind == SplitKind::threshold && !column.code8.empty())
      last_code = static_cast<int32_t>(std::upper_bound(attribute.high.begin(), attribute.high.end(), cut) -
                                       attribute.high.begin()) - 1;
    branch_.resize(open.count());
    for (u32 i = 0; i < open.count(); ++i) {
      u32 instance = frame.order[open.begin + i];
      int32_t branch = SPREAD;
      if (!column.list.empty()) {
        double x = cells.number(frame.row_of(instance));
        if (!std::isnan(x)) branch = x <= cut ? 0 : 1;
      } else {
        int32_t code = column.code32.empty() ? column.code8[instance] : column.code32[instance];
        if (code >= 0 && !(column.code32.empty() && code == UNKNOWN8)) {
          if (c.kind == SplitKind::threshold)
            branch = code <= last_code ? 0 : 1;
          else
            branch = c.kind == SplitKind::multiway ? code : c.branch_of_value[static_cast<size_t>(code)];
        }
      }
      if (branch == SPREAD) branch = place_unknown(c, frame, instance);
      branch_[i] = branch;
    }
  }
  int32_t place_unknown(const Candidate& c, const Frame& frame, u32 instance) const {
    switch (options_.missing) {
      case Missing::own_value: return c.missing_child;
      case Missing::most_common: return c.fill_branch;
      case Missing::class_most_common: return c.fill_of_class[static_cast<size_t>(frame.label[instance])];
      default: return SPREAD;
    }
  }

  bool significant(const Open& open, const Candidate& c) {
    const Frame& frame = *open.frame;
    assign(open, c);
    size_t k = static_cast<size_t>(plan_.width), b = static_cast<size_t>(c.branches);
    std::vector<double> table(b * k, 0.0), rows(b, 0.0), columns(k, 0.0);
    double total = 0.0;
    for (u32 i = 0; i < open.count(); ++i) {
      if (branch_[i] == SPREAD) continue;
      u32 instance = frame.order[open.begin + i];
      double w = frame.weight_of(instance);
      table[static_cast<size_t>(branch_[i]) * k + static_cast<size_t>(frame.label[instance])] += w;
    }
    for (size_t i = 0; i < b; ++i)
      for (size_t j = 0; j < k; ++j) {
        rows[i] += table[i * k + j];
        columns[j] += table[i * k + j];
        total += table[i * k + j];
      }
    size_t r = 0, s = 0;
    for (double x : rows) r += x > 0.0;
    for (double x : columns) s += x > 0.0;
    if (r < 2 || s < 2) return false;
    double statistic = 0.0;
    for (size_t i = 0; i < b; ++i)
      for (size_t j = 0; j < k; ++j) {
        double expected = rows[i] * columns[j] / total;
        if (expected > 0.0) statistic += (table[i * k + j] - expected) * (table[i * k + j] - expected) / expected;
      }
    size_t degrees = (r - 1) * (s - 1);
    return degrees < options_.critical.size() && statistic >= options_.critical[degrees];
  }

  // ---- the quick way: unit weights, classes, a cut in a list, nothing unknown ----
  void split_list(const Open& open, const Candidate& c, const std::shared_ptr<const std::vector<u32>>& active,
                  std::vector<Open>& open_children) {
    Frame& frame = *open.frame;
    const u32* list = frame.columns[c.column].list.data() + open.begin;
    int32_t first = builder_.nodes[open.record].first_child;
    count_sides(open, list, c.cut, first);
    Open child[2];
    bool leaf[2];
    for (int s = 0; s < 2; ++s) {
      child[s] = {open.frame, s ? open.begin + c.cut : open.begin, s ? open.end : open.begin + c.cut, first + s,
                  open.depth + 1, true, active};
      leaf[s] = settle(child[s]) || active->empty();
    }
    if (leaf[0] && leaf[1]) return;
    u32 n = open.count();
    for (u32 i = 0; i < c.cut; ++i) frame.side[list[i] & plan_.row_mask] = 0;
    for (u32 i = c.cut; i < n; ++i) frame.side[list[i] & plan_.row_mask] = 1;
    partition_sides(open, c.column, *active);
    for (int s = 0; s < 2; ++s)
      if (!leaf[s]) open_children.push_back(std::move(child[s]));
  }

  void count_sides(const Open& open, const u32* list, u32 cut, int32_t first) {
    const double* total = builder_.value(open.record);
    double *left = builder_.value(first), *right = builder_.value(first + 1);
    u32 n = open.count();
    bool count_left = cut <= n - cut;
    double* counted = count_left ? left : right;
    double* rest = count_left ? right : left;
    counts_.assign(static_cast<size_t>(plan_.width), 0);
    for (u32 i = count_left ? 0 : cut; i < (count_left ? cut : n); ++i) ++counts_[plan_.label_in(list[i])];
    for (int j = 0; j < plan_.width; ++j) {
      counted[j] = static_cast<double>(counts_[j]);
      rest[j] = total[j] - counted[j];
    }
    builder_.nodes[first].count = cut;
    builder_.nodes[first].weight = cut;
    builder_.nodes[first + 1].count = n - cut;
    builder_.nodes[first + 1].weight = n - cut;
  }

  // Two branches, marked in frame.side: divide the order and the lists of the columns that go on. The winner's own list
  // is divided by its order already.
  void partition_sides(const Open& open, u32 winner, const std::vector<u32>& active) {
    Frame& frame = *open.frame;
    u32 n = open.count();
    auto divide = [&](size_t i, int thread) {
      std::vector<u32>& list = i < active.size() ? frame.columns[active[i]].list : frame.order;
      if (list.empty() || (i < active.size() && active[i] == winner)) return;
      std::vector<u32>& spare = spare_[static_cast<size_t>(thread)];
      if (spare.size() < n + 16) spare.resize(n + 16);
      partition_two(list.data() + open.begin, n, spare.data(), i < active.size() ? plan_.row_mask : ~u32{0},
                    frame.side.data(), plan_.wide);
    };
    run(active.size() + 1, n, divide);
  }

  template <typename Work>
  void run(size_t pieces, u32 n, const Work& work) {
    size_t threads = pool_ ? static_cast<size_t>(pool_->threads()) : 1;
    if (spare_.size() < threads) spare_.resize(threads);
    if (threads > 1 && static_cast<u64>(n) * pieces > 40000) {
      pool_->run(pieces, [&](size_t i, int thread) { work(i, thread); });
    } else {
      for (size_t i = 0; i < pieces; ++i) work(i, 0);
    }
  }

  // ---- the general way ----
  void split_any(const Open& open, const Candidate& c, const std::shared_ptr<const std::vector<u32>>& active,
                 std::vector<Open>& open_children) {
    assign(open, c);
    if (options_.missing == Missing::surrogate) use_surrogates(open, c);
    bool spreads = false;
    for (int32_t b : branch_) spreads = spreads || b == SPREAD;
    if (spreads)
      split_spread(open, c, active, open_children);
    else
      split_in_place(open, c, active, open_children);
  }

  void use_surrogates(const Open& open, const Candidate& c) {
    const Frame& frame = *open.frame;
    sides_.resize(std::max<size_t>(sides_.size(), frame.size));
    for (u32 i = 0; i < open.count(); ++i)
      sides_[frame.order[open.begin + i]] = branch_[i] == SPREAD ? NO_SIDE : static_cast<u8>(branch_[i]);
    NodeView view = look(open);
    NodeRecord& node = builder_.nodes[open.record];
    node.surrogates = find_surrogates(view, sides_, *open.active, c.column, options_.max_surrogates);
    for (u32 i = 0; i < open.count(); ++i) {
      if (branch_[i] != SPREAD) continue;
      u32 row = frame.row_of(frame.order[open.begin + i]);
      branch_[i] = node.missing_child;
      for (const Surrogate& s : node.surrogates) {
        const Column& cells = plan_.data.columns[static_cast<size_t>(s.attribute)];
        if (cells.unknown(row)) continue;
        int32_t to = s.kind == SplitKind::threshold
                         ? (cells.number(row) <= s.threshold ? s.low_child : 1 - s.low_child)
                         : s.group[static_cast<size_t>(cells.code(row))];
        if (to < 0) continue;
        branch_[i] = to;
        break;
      }
    }
  }

  void split_in_place(const Open& open, const Candidate& c, const std::shared_ptr<const std::vector<u32>>& active,
                      std::vector<Open>& open_children) {
    Frame& frame = *open.frame;
    u32 n = open.count();
    size_t branches = static_cast<size_t>(c.branches);
    start_.assign(branches + 1, 0);
    for (int32_t b : branch_) ++start_[static_cast<size_t>(b) + 1];
    for (size_t b = 0; b < branches; ++b) start_[b + 1] += start_[b];
    by_instance_.resize(std::max<size_t>(by_instance_.size(), frame.size));
    for (u32 i = 0; i < n; ++i) {
      u32 instance = frame.order[open.begin + i];
      by_instance_[instance] = static_cast<u32>(branch_[i]);
      frame.side[instance] = static_cast<u8>(branch_[i] != 0);
    }
    divide_order(open, branches);
    std::vector<Open> children;
    int32_t first = builder_.nodes[open.record].first_child;
    for (size_t b = 0; b < branches; ++b) {
      Open child{open.frame, open.begin + start_[b], open.begin + start_[b + 1], first + static_cast<int32_t>(b),
                 open.depth + 1, true, active};
      if (child.begin == child.end) continue;
      measure_node(child);
      child.unit = open.unit || unit(child);
      if (!settle(child) && !active->empty()) children.push_back(std::move(child));
    }
    if (children.empty()) return;
    auto divide = [&](size_t i, int thread) {
      std::vector<u32>& list = frame.columns[(*active)[i]].list;
      if (list.empty()) return;
      std::vector<u32>& spare = spare_[static_cast<size_t>(thread)];
      if (spare.size() < n + 16) spare.resize(n + 16);
      if (branches == 2)
        partition_two(list.data() + open.begin, n, spare.data(), plan_.row_mask, frame.side.data(), plan_.wide);
      else
        partition_many(list.data() + open.begin, n, spare.data(), plan_.row_mask, by_instance_, start_);
    };
    run(active->size(), n, divide);
    for (Open& child : children) open_children.push_back(std::move(child));
  }

  void divide_order(const Open& open, size_t branches) {
    u32 n = open.count();
    if (spare_.empty()) spare_.resize(1);
    if (spare_[0].size() < n + 16) spare_[0].resize(n + 16);
    u32* order = open.frame->order.data() + open.begin;
    if (branches == 2)
      partition_two(order, n, spare_[0].data(), ~u32{0}, open.frame->side.data(), plan_.wide);
    else
      partition_many(order, n, spare_[0].data(), ~u32{0}, by_instance_, start_);
  }

  bool unit(const Open& open) const {
    const Frame& frame = *open.frame;
    if (frame.weight.empty()) return true;
    for (u32 i = open.begin; i < open.end; ++i)
      if (frame.weight[frame.order[i]] != 1.0) return false;
    return true;
  }

  // Unknown instances go down every branch with weight: each child gets a frame of its own.
  void split_spread(const Open& open, const Candidate& c, const std::shared_ptr<const std::vector<u32>>& active,
                    std::vector<Open>& open_children) {
    Frame& frame = *open.frame;
    double known = 0.0;
    for (double w : c.branch_weight) known += w;
    int32_t first = builder_.nodes[open.record].first_child;
    by_branch_.assign(static_cast<size_t>(c.branches), {});
    std::vector<u32> everywhere;
    for (u32 i = 0; i < open.count(); ++i) {
      if (branch_[i] == SPREAD)
        everywhere.push_back(i);
      else
        by_branch_[static_cast<size_t>(branch_[i])].push_back(i);
    }
    auto all = std::make_shared<std::vector<u32>>(active->size());
    std::iota(all->begin(), all->end(), 0u);
    std::vector<u32> merged;
    for (int32_t b = 0; b < c.branches; ++b) {
      const std::vector<u32>& own = by_branch_[static_cast<size_t>(b)];
      if (own.empty()) continue;
      double share = c.branch_weight[static_cast<size_t>(b)] / known;
      merged.resize(own.size() + everywhere.size());
      std::merge(own.begin(), own.end(), everywhere.begin(), everywhere.end(), merged.begin());
      std::vector<double> weights(merged.size());
      instances_.resize(merged.size());
      for (size_t i = 0; i < merged.size(); ++i) {
        instances_[i] = frame.order[open.begin + merged[i]];
        weights[i] = frame.weight_of(instances_[i]) * (branch_[merged[i]] == SPREAD ? share : 1.0);
      }
      make_spread_child(open, first + b, std::move(weights), *active, all, open_children);
    }
  }

  void make_spread_child(const Open& open, int32_t record, std::vector<double> weights, const std::vector<u32>& active,
                         const std::shared_ptr<const std::vector<u32>>& all, std::vector<Open>& open_children) {
    static const std::vector<u32> none;
    u32 n = static_cast<u32>(instances_.size());
    // numbers first, on a frame without columns: most such children are leaves
    auto bare = sub_frame(plan_, *open.frame, open.begin, open.end, instances_, weights, none, map_);
    Open child{bare, 0, n, record, open.depth + 1, false, all};
    measure_node(child);
    if (settle(child) || active.empty()) return;
    child.frame = sub_frame(plan_, *open.frame, open.begin, open.end, instances_, std::move(weights), active, map_);
    child.unit = unit(child);
    open_children.push_back(std::move(child));
  }

  const Plan& plan_;
  const Options& options_;
  Builder& builder_;
  Pool* pool_;
  Evaluator evaluator_;
  std::vector<u8> sides_;
  std::vector<u32> instances_, map_, start_, by_instance_, counts_;
  std::vector<int32_t> branch_;
  std::vector<std::vector<u32>> spare_, by_branch_;
  std::vector<std::pair<double, double>> targets_;
};

}  // namespace quercus
