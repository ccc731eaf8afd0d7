// PART: an ordered list of rules, each the heaviest leaf of a partial tree grown on the rows that no rule covers yet
// (Frank and Witten, 1998). Splits are found by the same workers that grow whole trees.
#pragma once

#include "grow.h"

namespace quercus {

struct PartOptions {
  double z = 0.6744897501960817;  // normal deviate of the confidence
  double confidence = 0.25;
  bool prune = true;
};

// Conditions of all rules, one after the other. kind 0: number <= threshold, 1: number > threshold, 2: value in a set.
struct PartRules {
  std::vector<int64_t> rule_start{0};
  std::vector<uint8_t> kind;
  std::vector<int32_t> attribute;
  std::vector<double> threshold;
  std::vector<int64_t> value_start{0};
  std::vector<int32_t> values;
  std::vector<int32_t> label;        // of each rule, and last the default
  std::vector<double> class_weight;  // [rules + 1, classes]: what each rule covers when its turn comes; last: the rest
};

// Errors that a leaf of weight n with e errors must expect beyond e: the upper limit of a binomial's confidence
// interval.
inline double added_errors(double n, double e, const PartOptions& options) {
  if (n <= 0.0) return 0.0;
  if (e < 1.0) {
    double none = n * (1.0 - std::pow(options.confidence, 1.0 / n));
    return e <= 0.0 ? none : none + e * (added_errors(n, 1.0, options) - none);
  }
  if (e + 0.5 >= n) return std::max(n - e, 0.0);
  double z = options.z, f = (e + 0.5) / n;
  double rate = (f + z * z / (2 * n) + z * std::sqrt(f / n - f * f / n + z * z / (4 * n * n))) / (1 + z * z / n);
  return rate * n - e;
}

class PartLearner {
 public:
  PartLearner(const Dataset& data, const Options& options, const PartOptions& part, Watch& watch)
      : plan_{data, options, {}, {}},
        options_(options),
        part_(part),
        watch_(watch),
        pool_(1),
        worker_(plan_, builder_, nullptr) {}

  PartRules learn() {
    prepare();
    while (true) {
      watch_.check();
      grow_partial_tree();
      int32_t leaf = cover();
      watch_.nodes.fetch_add(1, std::memory_order_relaxed);
      if (leaf <= 0) break;
      emit(leaf);
      drop_covered(leaf);
      if (live_.empty()) break;
    }
    finish();
    return std::move(rules_);
  }

 private:
  static constexpr double slack = 0.1;  // a leaf may have this many more errors than its branches: C4.5's allowance

  // A node whose branches are being expanded, the purest first.
  struct Level {
    int32_t record = 0;
    std::vector<int32_t> order;  // children that hold rows
    std::vector<Open> open;      // those of them that may split
    size_t next = 0;
  };

  void prepare() {
    const Dataset& data = plan_.data;
    plan_.width = data.n_classes;
    plan_.wide = options_.off(no_wide) ? 0 : machine_width();
    plan_.parts = part_table(options_.criterion, data.n_rows, pool_);
    watch_.total = data.n_rows;
    base_ = root_frame(plan_, pool_);
    plan_.keep_order = plan_.order_always = true;
    live_.resize(data.n_rows);
    std::iota(live_.begin(), live_.end(), 0u);
    for (u32 i = 0; i < data.n_rows; ++i) plan_.root_weight += data.weights ? data.weights[i] : 1.0;
    all_ = std::make_shared<std::vector<u32>>(data.columns.size());
    std::iota(all_->begin(), all_->end(), 0u);
    builder_.width = data.n_classes;
  }

  Open root_node() {
    Open root;
    root.frame = sub_frame(plan_, *base_, 0, base_->size, live_, {}, *all_, map_);
    root.end = root.frame->size;
    for (double w : root.frame->weight) root.unit = root.unit && w == 1.0;
    root.active = all_;
    return root;
  }

  // ---- the partial tree ----
  void grow_partial_tree() {
    builder_.clear();
    builder_.add(1);
    parent_.assign(1, -1);
    expanded_.assign(1, 1);
    Open root = root_node();
    worker_.numbers().measure_node(root);
    std::vector<Level> stack;
    if (worker_.numbers().settle(root) || !descend(std::move(root), stack)) return;
    while (!stack.empty()) {
      watch_.check();
      Level& level = stack.back();
      if (level.next < level.order.size()) {
        int32_t child = level.order[level.next++];
        expanded_[static_cast<size_t>(child)] = 1;
        for (Open& open : level.open)
          if (open.record == child) {
            Open child_node = std::move(open);
            open.record = -1;
            descend(std::move(child_node), stack);
            break;
          }
      } else {
        if (!replaced_by_leaf(level)) return;
        stack.pop_back();
      }
    }
  }

  // Splits a node and makes it the one to work on; false: it is a leaf.
  bool descend(Open open, std::vector<Level>& stack) {
    Candidate candidate;
    if (open.count() <= REBASE_ROWS) worker_.rebase(open);
    if (!worker_.find_split(open, candidate)) return false;
    Level level;
    level.record = open.record;
    worker_.split(open, candidate, level.open);
    int32_t first = builder_.nodes[static_cast<size_t>(open.record)].first_child;
    parent_.resize(builder_.nodes.size(), open.record);
    expanded_.resize(builder_.nodes.size(), 0);
    std::vector<double> disorder(static_cast<size_t>(candidate.branches));
    for (int32_t b = 0; b < candidate.branches; ++b) {
      if (!builder_.nodes[static_cast<size_t>(first + b)].count) continue;
      disorder[static_cast<size_t>(b)] = entropy(first + b);
      level.order.push_back(first + b);
    }
    std::stable_sort(level.order.begin(), level.order.end(), [&](int32_t a, int32_t b) {
      double x = disorder[static_cast<size_t>(a - first)], y = disorder[static_cast<size_t>(b - first)];
      return x != y ? x < y : weight(a) > weight(b);
    });
    stack.push_back(std::move(level));
    return true;
  }

  // All branches are leaves: whether one leaf promises no more errors than they do together. It then takes their place.
  bool replaced_by_leaf(const Level& level) {
    if (!part_.prune) return false;
    double below = 0.0;
    for (int32_t child : level.order) below += expected_errors(child);
    if (expected_errors(level.record) > below + slack) return false;
    builder_.nodes[static_cast<size_t>(level.record)].kind = SplitKind::leaf;
    return true;
  }

  double weight(int32_t record) const { return builder_.nodes[static_cast<size_t>(record)].weight; }
  double entropy(int32_t record) {
    const double* value = builder_.value(record);
    double sum = 0.0;
    for (int j = 0; j < plan_.width; ++j) sum += entropy_term(value[j], weight(record));
    return sum;
  }
  double expected_errors(int32_t record) {
    const double* value = builder_.value(record);
    double errors = std::max(weight(record) - value[label_of(value)], 0.0);
    return errors + added_errors(weight(record), errors, part_);
  }

  // The class of most weight, or of least cost; the first of equals.
  int32_t label_of(const double* value) const {
    int32_t best = 0, k = plan_.width;
    if (options_.cost_matrix.empty()) {
      for (int32_t j = 1; j < k; ++j)
        if (value[j] > value[best] + WEIGHT_SLACK) best = j;
      return best;
    }
    double least = std::numeric_limits<double>::infinity();
    for (int32_t j = 0; j < k; ++j) {
      double cost = 0.0;
      for (int32_t i = 0; i < k; ++i)
        cost +=
            value[i] * options_.cost_matrix[static_cast<size_t>(i) * static_cast<size_t>(k) + static_cast<size_t>(j)];
      if (cost < least - WEIGHT_SLACK) {
        least = cost;
        best = j;
      }
    }
    return best;
  }

  // ---- the rule ----
  // Sends the rows down the tree, a row with an unknown value no further; returns the expanded leaf that most weight
  // reaches (the first of equals), 0 if the root is a leaf, -1 if no leaf has rows.
  int32_t cover() {
    size_t n = builder_.nodes.size(), k = static_cast<size_t>(plan_.width);
    covered_.assign(n * k, 0.0);
    place_.resize(live_.size());
    for (size_t i = 0; i < live_.size(); ++i) {
      u32 row = base_->row_of(live_[i]);
      int32_t at = 0;
      while (at >= 0 && builder_.nodes[static_cast<size_t>(at)].kind != SplitKind::leaf) {
        const NodeRecord& node = builder_.nodes[static_cast<size_t>(at)];
        int32_t branch = branch_of(node.question(), plan_.data.columns, row);
        at = branch < 0 ? -1 : node.first_child + branch;
      }
      place_[i] = at;
      if (at >= 0)
        covered_[static_cast<size_t>(at) * k + static_cast<size_t>(base_->label[live_[i]])] +=
            base_->weight_of(live_[i]);
    }
    int32_t best = -1;
    double most = 0.0;
    for (size_t node = 0; node < n; ++node) {
      if (!expanded_[node]) continue;
      double sum = 0.0;
      for (size_t j = 0; j < k; ++j) sum += covered_[node * k + j];
      if (sum <= most + WEIGHT_SLACK) continue;
      most = sum;
      best = static_cast<int32_t>(node);
    }
    return best;
  }

  void emit(int32_t leaf) {
    std::vector<int32_t> path;
    for (int32_t at = leaf; at > 0; at = parent_[static_cast<size_t>(at)]) path.push_back(at);
    for (size_t i = path.size(); i-- > 0;) {
      const NodeRecord& node = builder_.nodes[static_cast<size_t>(parent_[static_cast<size_t>(path[i])])];
      int32_t branch = path[i] - node.first_child;
      bool numeric = traits(node.kind).has_threshold;
      Question question = node.question();
      rules_.kind.push_back(numeric ? static_cast<uint8_t>(branch) : uint8_t{2});
      rules_.attribute.push_back(node.attribute);
      rules_.threshold.push_back(numeric ? node.threshold : std::numeric_limits<double>::quiet_NaN());
      if (!numeric)
        question.for_each([&](int32_t code, int32_t child) {
          if (child == branch) rules_.values.push_back(code);
        });
      rules_.value_start.push_back(static_cast<int64_t>(rules_.values.size()));
    }
    rules_.rule_start.push_back(static_cast<int64_t>(rules_.kind.size()));
    size_t k = static_cast<size_t>(plan_.width);
    add_answer(covered_.data() + static_cast<size_t>(leaf) * k);
  }

  void add_answer(const double* value) {
    rules_.label.push_back(label_of(value));
    rules_.class_weight.insert(rules_.class_weight.end(), value, value + plan_.width);
  }

  void drop_covered(int32_t leaf) {
    size_t n_left = 0;
    for (size_t i = 0; i < live_.size(); ++i)
      if (place_[i] != leaf) live_[n_left++] = live_[i];
    watch_.done.fetch_add(live_.size() - n_left, std::memory_order_relaxed);
    live_.resize(n_left);
    if (n_left == 0 || 4 * n_left > 3 * base_->size) return;
    base_ = sub_frame(plan_, *base_, 0, base_->size, live_, {}, *all_, map_);
    std::iota(live_.begin(), live_.end(), 0u);
  }

  // The default: the class of what is left; of all rows, if nothing is.
  void finish() {
    std::vector<double> rest(static_cast<size_t>(plan_.width), 0.0);
    for (u32 instance : live_) rest[static_cast<size_t>(base_->label[instance])] += base_->weight_of(instance);
    add_answer(rest.data());
    if (!live_.empty()) return;
    for (u32 i = 0; i < plan_.data.n_rows; ++i)
      rest[static_cast<size_t>(plan_.data.labels[i])] += plan_.data.weights ? plan_.data.weights[i] : 1.0;
    rules_.label.back() = label_of(rest.data());
  }

  Plan plan_;
  const Options& options_;
  const PartOptions& part_;
  Watch& watch_;
  Pool pool_;
  Builder builder_;
  Worker worker_;
  std::shared_ptr<Frame> base_;  // rows to choose from, never divided; remade when a quarter of them is covered
  std::vector<u32> live_, map_;  // instances of base_ that no rule covers yet, ascending
  std::shared_ptr<std::vector<u32>> all_;  // all columns
  std::vector<int32_t> parent_, place_;
  std::vector<u8> expanded_;
  std::vector<double> covered_;
  PartRules rules_;
};

}  // namespace quercus
