// Nominal: the splits of a nominal attribute at a node: one branch per value, groups of values, or two
// subsets.
#pragma once

#include <numeric>

#include "groups.h"
#include "quantiles.h"
#include "subset_scan.h"
#include "value_groups.h"

namespace quercus {

class NominalSearch {
 public:
  // tried: where every division is written down; null: nowhere. brief: of two subsets only the gain is
  // wanted, not the branches.
  NominalSearch(const NodeView& node, const FrameColumn& column, Candidate& out, Tried* tried = nullptr,
                bool brief = false)
      : node_(node),
        column_(column),
        attribute_(node.plan.attributes[column.attribute]),
        options_(node.plan.options),
        out_(out),
        tried_(tried),
        brief_(brief) {}

  void run(u8& constant) {
    tabulate(node_, column_, table_);
    search(constant);
  }

  // The table of the sums of the values, for callers that fill it themselves, and the search that follows.
  ValueTable& table() { return table_; }
  void search(u8& constant) {
    constant = table_.size() + (table_.unknown.total > 0) < 2;
    if (tried_) tried_->offer = table_.size() ? Offer::constant : Offer::all_unknown;
    if (!prepare()) return;
    if (tried_) tried_->offer = Offer::candidate;
    switch (options_.nominal) {
      case NominalSplit::multiway:
        multiway();
        break;
      case NominalSplit::grouped:
        grouped();
        break;
      case NominalSplit::subset:
        subset();
        break;
    }
  }

  // One division only: coin() decides for each value except the first whether it goes right.
  template <typename Coin>
  void try_division(Coin coin) {
    if (!prepare()) return;
    std::vector<int32_t> side(table_.size(), 0);
    double rows = 0.0, all = 0.0;
    int64_t right = 0;
    left_.assign(static_cast<size_t>(width_), 0.0);
    for (size_t i = 0; i < side.size(); ++i) {
      if (i) side[i] = coin();
      if (i + 1 == side.size() && !right) side[i] = 1;
      right += side[i];
      all += table_.rows[i];
      if (side[i]) continue;
      rows += table_.rows[i];
      for (int j = 0; j < width_; ++j) left_[j] += table_.of(i)[j];
    }
    tracker_.reset(0.0);
    try_sides(rows, all - rows, -1, 0, 0);
    if (tracker_.empty()) return;
    keep_branches(SplitKind::subset, side, 2);
    accept(tracker_.winner().value);
  }

 private:
  bool own() const { return options_.missing == Missing::own_value; }

  // Sums over all values; false if there is nothing to divide.
  bool prepare() {
    width_ = node_.width();
    if (!table_.size()) return false;
    apply_policy();
    join_light_values();
    total_.assign(static_cast<size_t>(width_), 0.0);
    for (size_t i = 0; i < table_.size(); ++i)
      for (int j = 0; j < width_; ++j) total_[j] += table_.of(i)[j];
    if (options_.by_quantiles()) collect_instances();
    base_ = options_.by_quantiles() ? -deviation_of_all() : node_.measure.purity(total_.data());
    least_ = std::max(options_.min_objects, options_.min_weight_leaf);
    if (tried_ && table_.size() < 2 && !joined_.empty()) tried_->offer = Offer::too_small;
    return table_.size() >= 2;
  }

  // Values lighter than min_value_weight are one, in the place of the first of them.
  void join_light_values() {
    if (options_.min_value_weight <= 0.0) return;
    double least = about(options_.min_value_weight);
    std::vector<size_t> place(table_.size());
    size_t kept = 0;
    bool any = false;
    for (size_t i = 0; i < place.size(); ++i) {
      bool light = table_.weights[i] < least;
      place[i] = light && any ? light_ : kept;
      if (light && any) {
        joined_.push_back(table_.codes[i]);
        add_value(light_, i);
        continue;
      }
      if (light) light_ = kept;
      any = any || light;
      move_value(kept++, i);
    }
    table_.codes.resize(kept);
    table_.rows.resize(kept);
    table_.weights.resize(kept);
    table_.sums.resize(kept * static_cast<size_t>(width_));
    node_mode_ = place[node_mode_];
    for (size_t& mode : class_mode_) mode = place[mode];
  }
  void add_value(size_t to, size_t from) {
    table_.rows[to] += table_.rows[from];
    table_.weights[to] += table_.weights[from];
    for (int j = 0; j < width_; ++j) table_.of(to)[j] += table_.of(from)[j];
  }
  void move_value(size_t to, size_t from) {
    table_.codes[to] = table_.codes[from];
    table_.rows[to] = table_.rows[from];
    table_.weights[to] = table_.weights[from];
    std::copy_n(table_.of(from), width_, table_.of(to));
  }

  // ---- unknown values ----
  void apply_policy() {
    const Unknown& unknown = table_.unknown;
    double unknown_weight = node_.measure.weight(unknown.sums.data());
    out_.unknown_weight = unknown_weight;
    switch (options_.missing) {
      case Missing::own_value:
        if (!unknown.total) break;
        table_.codes.push_back(attribute_.n_values);
        table_.sums.insert(table_.sums.end(), unknown.sums.begin(), unknown.sums.end());
        table_.rows.push_back(unknown.total);
        table_.weights.push_back(unknown_weight);
        break;
      case Missing::most_common:
      case Missing::class_most_common:
        fill();
        break;
      case Missing::fractional:
      case Missing::surrogate:
        return;
    }
    out_.unknown_weight = 0.0;
  }

  void fill() {
    node_mode_ = most_common([&](size_t i) { return table_.weights[i]; });
    int classes = node_.plan.data.n_classes;
    if (fills_by_class(options_.missing)) {
      for (int j = 0; j < classes; ++j) {
        double known = 0.0;
        for (size_t i = 0; i < table_.size(); ++i) known += table_.of(i)[j];
        class_mode_.push_back(known > 0.0 ? most_common([&](size_t i) { return table_.of(i)[j]; }) : node_mode_);
      }
      for (int j = 0; j < classes; ++j) {
        table_.of(class_mode_[j])[j] += table_.unknown.sums[j];
        table_.rows[class_mode_[j]] += table_.unknown.rows[j];
      }
    } else {
      for (int j = 0; j < width_; ++j) table_.of(node_mode_)[j] += table_.unknown.sums[j];
      table_.rows[node_mode_] += table_.unknown.total;
    }
    detail::finish_table(node_, table_);
  }

  template <typename Weight>
  size_t most_common(Weight weight) const {
    double largest = 0.0, whole = 0.0;
    for (size_t i = 0; i < table_.size(); ++i) {
      largest = std::max(largest, weight(i));
      whole += weight(i);
    }
    for (size_t i = 0; i < table_.size(); ++i)
      if (weight(i) >= largest - WEIGHT_SLACK * whole) return i;
    return 0;
  }

  // ---- quantiles need the instances themselves ----
  void collect_instances() {
    instances_.assign(table_.size(), {});
    std::vector<u32> slot(attribute_.n_values + 1, 0);
    for (size_t i = 0; i < table_.size(); ++i) slot[table_.codes[i]] = static_cast<u32>(i);
    for (u32 code : joined_) slot[code] = static_cast<u32>(light_);
    for (u32 i = node_.begin; i < node_.end; ++i) {
      u32 instance = node_.frame.order[i];
      int32_t code = code_of(instance);
      if (code >= 0)
        instances_[slot[static_cast<size_t>(code)]].push_back(instance);
      else if (own())
        instances_[slot[attribute_.n_values]].push_back(instance);
      else if (options_.missing == Missing::most_common)
        instances_[node_mode_].push_back(instance);
    }
  }
  int32_t code_of(u32 instance) const {
    if (!column_.code32.empty()) return column_.code32[instance];
    return column_.code8[instance] == UNKNOWN8 ? -1 : column_.code8[instance];
  }
  double deviation_of_all() {
    InstanceGroups groups;
    for (const auto& group : instances_) groups.add(group);
    deviations_.prepare(node_, groups, {}, false);
    return deviations_.whole(false);
  }
  double value_purity(size_t i) {
    return options_.by_quantiles() ? -loss_of(node_, instances_[i]) : node_.measure.purity(table_.of(i));
  }

  // ---- one branch per value ----
  void multiway() {
    int counting = 0;
    double purity = 0.0;
    bool sensible = true;
    for (size_t i = 0; i < table_.size(); ++i) {
      sensible = sensible && (options_.criterion != Criterion::poisson || node_.positive(table_.of(i)));
      counting += branch_counts(options_, table_.weights[i], table_.rows[i], least_);
      purity += value_purity(i);
    }
    if (refused(!sensible || counting < 2)) return;
    bool extra = own() && attribute_.has_unknown;
    out_.kind = SplitKind::multiway;
    out_.branches = static_cast<int32_t>(attribute_.n_values) + extra;
    out_.branch_weight.assign(static_cast<size_t>(out_.branches), 0.0);
    for (size_t i = 0; i < table_.size(); ++i) out_.branch_weight[table_.codes[i]] = table_.weights[i];
    if (extra) out_.missing_child = static_cast<int32_t>(attribute_.n_values);
    set_fill([&](size_t i) { return static_cast<int32_t>(table_.codes[i]); });
    accept(purity);
  }

  // ---- groups of values (C4.5) ----
  void grouped() {
    ValueGroups groups(node_, table_, base_, out_.unknown_weight);
    int counting = 0;
    double purity = 0.0;
    std::vector<int32_t> group_of(table_.size(), -1);
    for (size_t i = 0; i < groups.members.size(); ++i) {
      double rows = 0.0;
      for (size_t v : groups.members[i]) {
        rows += table_.rows[v];
        group_of[v] = static_cast<int32_t>(i);
      }
      counting += branch_counts(options_, groups.weight[i], rows, least_);
      purity += groups.purity[i];
    }
    if (refused(counting < 2)) return;
    keep_branches(SplitKind::grouped, group_of, static_cast<int32_t>(groups.members.size()));
    accept(purity);
  }

  // ---- two subsets (CART) ----
  void subset() {
    std::vector<int> classes;
    for (int j = 0; j < width_ && node_.plan.data.n_classes; ++j)
      if (total_[j] > 0.0) classes.push_back(j);
    tracker_.reset(node_.tolerance * node_.scale);
    if (by_counts(classes)) {
      subset_by_counts(classes);
    } else if (classes.size() <= 2) {
      try_order(order_values(classes.empty() ? -1 : classes.back()), 0);
    } else if (static_cast<int>(table_.size()) <= options_.subset_limit) {
      try_all();
    } else {
      for (size_t c = 0; c < classes.size(); ++c) try_order(order_values(classes[c]), static_cast<int>(c));
    }
    if (tried_) tried_->counted = true;
    if (refused(tracker_.empty())) return;
    const TieTracker::Entry& winner = tracker_.winner();
    if (brief_) return accept(winner.value);
    std::vector<int32_t> side(table_.size(), 1);
    if (winner.form < 0) {
      side[0] = 0;
      for (size_t i = 1; i < table_.size(); ++i) side[i] = (winner.where >> (i - 1)) & 1 ? 0 : 1;
    } else {
      std::vector<size_t> order = order_values(classes.size() <= 2 ? (classes.empty() ? -1 : classes.back())
                                                                   : classes[static_cast<size_t>(winner.form)]);
      for (size_t i = 0; i <= winner.where; ++i) side[order[i]] = 0;
      if (side[0] != 0)
        for (int32_t& s : side) s = 1 - s;
    }
    keep_branches(SplitKind::subset, side, 2);
    accept(winner.value);
  }

  // Whether the sums are counts of classes.
  bool by_counts(const std::vector<int>& classes) const {
    return !tried_ && !classes.empty() && node_.unit && node_.frame.share.empty() && !node_.measure.multipliers &&
           !options_.off(no_streaming) && table_.size() < SubsetScan::MOST_VALUES;
  }
  void subset_by_counts(const std::vector<int>& classes) {
    double least = std::max(options_.least_rows(), about(least_));
    SubsetScan scan(node_, table_, classes, std::max(std::ceil(least), 1.0), tracker_);
    with_class_criterion(options_.criterion, [&](auto criterion) {
      using C = decltype(criterion);
      if (classes.size() <= 2) return scan.two_classes<C>(total_);
      bool all = static_cast<int>(table_.size()) <= options_.subset_limit;
      return all ? scan.all_divisions<C>(total_) : scan.many_classes<C>(total_);
    });
  }

  // Values by share of a class, or by mean (median) of y; keys are rounded so that noise does not order equal ones.
  std::vector<size_t> order_values(int of_class) {
    size_t n = table_.size();
    std::vector<double> key(n, 0.0);
    for (size_t i = 0; i < n; ++i) {
      const double* s = table_.of(i);
      if (of_class >= 0) {
        double whole = node_.measure.multiplied_weight(s);
        double part = node_.measure.multipliers ? s[of_class] * node_.measure.multipliers[of_class] : s[of_class];
        key[i] = whole > 0.0 ? std::nearbyint(part / whole * 1e12) : 0.0;
      } else if (node_.variance > 0.0) {
        double center = options_.by_quantiles() ? order_of(node_, instances_[i]) : s[1] / s[0];
        key[i] = std::nearbyint(center / std::sqrt(node_.variance) * 1e9);
      }
    }
    std::vector<size_t> order(n);
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key[a] < key[b]; });
    return order;
  }
  // Candidates: the prefixes of an order.
  void try_order(const std::vector<size_t>& order, int form) {
    if (options_.by_quantiles()) {
      InstanceGroups groups;
      for (size_t i : order) groups.add(instances_[i]);
      deviations_.prepare(node_, groups, {}, false);
    }
    left_.assign(static_cast<size_t>(width_), 0.0);
    double rows = 0.0, all = std::accumulate(table_.rows.begin(), table_.rows.end(), 0.0);
    for (size_t i = 0; i + 1 < order.size(); ++i) {
      for (int j = 0; j < width_; ++j) left_[j] += table_.of(order[i])[j];
      rows += table_.rows[order[i]];
      try_sides(rows, all - rows, static_cast<int64_t>(i) + 1, static_cast<u32>(i), form);
    }
  }

  // Candidates: every division, the first value on the left.
  void try_all() {
    u32 others = static_cast<u32>(table_.size()) - 1;
    double all = std::accumulate(table_.rows.begin(), table_.rows.end(), 0.0);
    for (u32 mask = 0; mask + 1 < (u32{1} << others); ++mask) {
      left_.assign(table_.of(0), table_.of(0) + width_);
      double rows = table_.rows[0];
      for (u32 i = 0; i < others; ++i)
        if (mask >> i & 1) {
          for (int j = 0; j < width_; ++j) left_[j] += table_.of(i + 1)[j];
          rows += table_.rows[i + 1];
        }
      try_sides(rows, all - rows, -1, mask, -1);
    }
  }

  void try_sides(double left_rows, double right_rows, int64_t cut, u32 where, int form) {
    if (tried_) tried_->gain.push_back(std::numeric_limits<double>::quiet_NaN());
    right_.resize(static_cast<size_t>(width_));
    for (int j = 0; j < width_; ++j) right_[j] = total_[j] - left_[j];
    if (options_.criterion == Criterion::poisson && !(node_.positive(left_.data()) && node_.positive(right_.data())))
      return;
    if (!branch_counts(options_, node_.measure.weight(left_.data()), left_rows, least_) ||
        !branch_counts(options_, node_.measure.weight(right_.data()), right_rows, least_))
      return;
    double p = options_.by_quantiles() ? -deviations_.of(cut, 0) - deviations_.of(cut, 2)
                                       : node_.measure.purity(left_.data()) + node_.measure.purity(right_.data());
    tracker_.add(p, where, form);
    if (tried_) tried_->gain.back() = (p - base_) / node_.scale;
  }

  // ---- results ----
  // Whether to stop because no division is admissible. If every division is to be written down, the search goes on.
  bool refused(bool none) {
    if (!none) return false;
    if (tried_) tried_->offer = Offer::too_small;
    return !tried_ || tried_->counted;
  }
  void keep_branches(SplitKind kind, const std::vector<int32_t>& branch, int32_t branches) {
    out_.kind = kind;
    out_.branches = branches;
    out_.branch_of_value.assign(attribute_.n_values, -1);
    out_.branch_weight.assign(static_cast<size_t>(branches), 0.0);
    auto put = [&](u32 code, int32_t to) {
      (code < attribute_.n_values ? out_.branch_of_value[code] : out_.missing_child) = to;
    };
    for (size_t i = 0; i < table_.size(); ++i) {
      out_.branch_weight[static_cast<size_t>(branch[i])] += table_.weights[i];
      put(table_.codes[i], branch[i]);
    }
    for (u32 code : joined_) put(code, branch[light_]);
    set_fill([&](size_t i) { return branch[i]; });
  }
  template <typename Branch>
  void set_fill(Branch branch) {
    if (!fills(options_.missing)) return;
    out_.fill_branch = out_.missing_child = branch(node_mode_);
    for (size_t mode : class_mode_) out_.fill_of_class.push_back(branch(mode));
  }
  void accept(double purity) {
    out_.exists = !tried_ || tried_->offer == Offer::candidate;
    out_.improvement = purity - base_;
    out_.gain = node_.scale > 0.0 ? out_.improvement / node_.scale : 0.0;
  }

  // Kept from search to search, so that small nodes do not allocate.
  struct Scratch {
    ValueTable table;
    std::vector<double> total, left, right;
    TieTracker tracker;
  };
  static Scratch& scratch() {
    static thread_local Scratch buffers;
    return buffers;
  }

  const NodeView& node_;
  const FrameColumn& column_;
  const Attribute& attribute_;
  const Options& options_;
  Candidate& out_;
  Tried* tried_;
  bool brief_;
  int width_ = 0;
  ValueTable& table_ = scratch().table;
  size_t node_mode_ = 0;
  std::vector<size_t> class_mode_;
  std::vector<u32> joined_;  // the codes of the light values but the first,
  size_t light_ = 0;         // which stand in its place
  std::vector<std::vector<u32>> instances_;
  QuantileLosses deviations_;
  std::vector<double>&total_ = scratch().total, &left_ = scratch().left, &right_ = scratch().right;
  TieTracker& tracker_ = scratch().tracker;
  double least_ = 0.0, base_ = 0.0;
};

}  // namespace quercus
