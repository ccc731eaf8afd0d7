// Threshold: the best cut of a numeric attribute at a node, by the general scan (any weights, policies and measures).
#pragma once

#include "constraints.h"
#include "groups.h"
#include "quantiles.h"
#include "random.h"

namespace quercus {

namespace detail {

// Where unknown values go among the groups when they take the most common value.
struct Filling {
  bool active = false;
  std::vector<u32> group_of_class;  // regression: one
  u32 group_of_node = 0;
};

// Group of the weighted median, of all known instances or of one class.
inline Filling fill_numeric(const NodeView& node, const FrameColumn& column, u32 known, const ValueTable& table) {
  Filling filling;
  filling.active = true;
  int classes = std::max(node.plan.data.n_classes, 1);
  bool by_class = fills_by_class(node.plan.options.missing);
  int width = node.width();
  std::vector<double> totals(static_cast<size_t>(width), 0.0);
  for_each_group(node, column, known, table, [&](u32, u32, const double* sums, double) {
    for (int j = 0; j < width; ++j) totals[j] += sums[j];
  });
  double whole = node.measure.weight(totals.data()), run = 0.0;
  std::vector<double> class_run(static_cast<size_t>(classes), 0.0);
  std::vector<u8> class_done(static_cast<size_t>(classes), 0);
  bool done = false;
  filling.group_of_class.assign(static_cast<size_t>(classes), 0);
  for_each_group(node, column, known, table, [&](u32 group, u32, const double* sums, double) {
    run += node.measure.weight(sums);
    if (!done && run >= whole / 2 - WEIGHT_SLACK * whole) {
      done = true;
      filling.group_of_node = group;
    }
    if (!by_class) return;
    for (int j = 0; j < classes; ++j) {
      class_run[j] += sums[j];
      if (!class_done[j] && totals[j] > 0.0 && class_run[j] >= totals[j] / 2 - WEIGHT_SLACK * totals[j]) {
        class_done[j] = 1;
        filling.group_of_class[j] = group;
      }
    }
  });
  for (int j = 0; j < classes; ++j)
    if (!by_class || totals[j] <= 0.0) filling.group_of_class[j] = filling.group_of_node;
  return filling;
}

}  // namespace detail

// Searches all cuts of one numeric column; fills `out` with the best.
class ThresholdSearch {
 public:
  // tried: where every cut is written down; null: nowhere. random: what the only cut of a coded column is drawn from;
  // null: all cuts are tried.
  ThresholdSearch(const NodeView& node, const FrameColumn& column, Candidate& out, Tried* tried = nullptr,
                  Random* random = nullptr)
      : node_(node), column_(column), options_(node.plan.options), out_(out), tried_(tried), random_(random) {}

  void run(u8& constant) {
    width_ = node_.width();
    places_.clear();
    collect();
    constant = groups_ + (unknown_.total > 0) < 2;
    if (tried_) tried_->offer = Offer::all_unknown;
    if (!known_rows_) return;
    policy();
    tracker_.reset(node_.tolerance * node_.scale);
    least_ = least_side(options_,
                        node_.measure.weight(total_.data()) + (own_ ? node_.measure.weight(unknown_.sums.data()) : 0.0),
                        node_.plan.data.n_classes);
    if (options_.by_quantiles()) prepare_deviations();
    base_ = own_ ? purity_of_all() : purity(total_.data(), -1, 0);
    scan();
    if (tried_) explain();
    if (!tracker_.empty()) conclude();
  }

 private:
  void collect() {
    if (column_.list.empty()) {
      tabulate(node_, column_, table_);
      unknown_ = table_.unknown;
      known_ = 0;
    } else {
      known_ = known_entries(node_, column_);
      unknown_.reset(node_);
      for (u32 i = node_.begin + known_; i < node_.end; ++i) unknown_.add(node_, column_.list[i] & node_.plan.row_mask);
    }
    total_.assign(static_cast<size_t>(width_), 0.0);
    for_each_group(node_, column_, known_, table_, [&](u32, u32, const double* sums, double rows) {
      for (int j = 0; j < width_; ++j) total_[j] += sums[j];
      known_rows_ += rows;
      ++groups_;
    });
  }

  void policy() {
    Missing missing = options_.missing;
    own_ = missing == Missing::own_value && unknown_.total > 0;
    if (!fills(missing)) return;
    filling_ = detail::fill_numeric(node_, column_, known_, table_);
    for (int j = 0; j < width_; ++j) total_[j] += unknown_.sums[j];
    known_rows_ += unknown_.total;
  }

  // Quantiles: losses before each cut come from a pass of their own.
  void prepare_deviations() {
    InstanceGroups& groups = scratch().groups;
    std::vector<u32>& lost = scratch().lost;
    groups.clear();
    lost.clear();
    if (column_.list.empty()) {
      const Attribute& attribute = node_.plan.attributes[column_.attribute];
      bool sparse = attribute.form == Form::sparse;
      std::vector<std::vector<u32>> by_code(sparse ? attribute.low.size() : 256);
      for (u32 i = node_.begin; i < node_.end; ++i) {
        u32 instance = node_.frame.order[i], row = node_.frame.row_of(instance);
        u32 code = sparse ? node_.frame.sparse->code(row, column_.attribute, attribute.zero) : column_.code8[instance];
        (!sparse && code == UNKNOWN8 ? lost : by_code[code]).push_back(instance);
      }
      for (size_t i = 0; i < table_.size(); ++i) put_group(groups, static_cast<u32>(i), by_code[table_.codes[i]], lost);
    } else {
      for (u32 i = known_; i < node_.count(); ++i) lost.push_back(column_.list[node_.begin + i] & node_.plan.row_mask);
      u32 group = 0;
      for (u32 i = 0; i < known_; ++i) {
        u32 entry = column_.list[node_.begin + i];
        if (i && !(entry & TIE)) put_group(groups, group++, {}, lost);
        groups.instances.push_back(entry & node_.plan.row_mask);
      }
      put_group(groups, group, {}, lost);
    }
    if (filling_.active) lost.clear();
    deviations_.prepare(node_, groups, lost, own_, order_.active());
  }
  // Ends a group; the unknown instances stand in one of them, if they take the most common value.
  void put_group(InstanceGroups& groups, u32 group, const std::vector<u32>& more, const std::vector<u32>& lost) const {
    groups.instances.insert(groups.instances.end(), more.begin(), more.end());
    if (filling_.active && group == filling_.group_of_node)
      groups.instances.insert(groups.instances.end(), lost.begin(), lost.end());
    groups.close();
  }

  double purity(const double* sums, int64_t cut, int side_and_unknown) const {
    if (!options_.by_quantiles()) return node_.measure.purity(sums);
    return -deviations_.of(cut, side_and_unknown);
  }
  double purity_of_all() const {
    if (options_.by_quantiles()) return -deviations_.whole(true);
    std::vector<double> all = total_;
    for (int j = 0; j < width_; ++j) all[j] += unknown_.sums[j];
    return node_.measure.purity(all.data());
  }

  void scan() {
    std::vector<double>&left = scratch().run, &patched = scratch().patched;
    left.assign(static_cast<size_t>(width_), 0.0);
    double left_rows = 0.0;
    u32 before = 0, only = random_ && column_.list.empty() && groups_ > 1 ? drawn_group() : 0;  // 0: every cut is tried
    for_each_group(node_, column_, known_, table_, [&](u32 group, u32 where, const double* sums, double rows) {
      if (group > 0 && (!only || group == only)) {
        if (low_number(where, before) + options_.threshold_gap < high_number(where))
          try_cut(group, where, before, left, left_rows);
        if (tried_) note_cut(low_number(where, before), high_number(where));
      }
      if (filling_.active) {
        patched.assign(sums, sums + width_);
        add_filled(group, patched, rows);
        sums = patched.data();
      }
      for (int j = 0; j < width_; ++j) left[j] += sums[j];
      left_rows += rows;
      before = where;
    });
    if (!own_) return;
    try_known_against_unknown();
    if (tried_) note_cut(std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity());
  }

  // The first group on the right of a number that is drawn between the lowest and the highest.
  u32 drawn_group() {
    const Attribute& attribute = node_.plan.attributes[column_.attribute];
    double low = attribute.low[table_.codes.front()], high = attribute.high[table_.codes.back()];
    double cut = low + random_->share() * (high - low);
    u32 group = 1;
    while (group + 1 < groups_ && attribute.low[table_.codes[group]] <= cut) ++group;
    return group;
  }

  void add_filled(u32 group, std::vector<double>& sums, double& rows) const {
    if (!node_.plan.data.n_classes) {
      if (filling_.group_of_node != group) return;
      for (int j = 0; j < width_; ++j) sums[j] += unknown_.sums[j];
      rows += unknown_.total;
      return;
    }
    for (int j = 0; j < width_; ++j)
      if (filling_.group_of_class[j] == group) {
        sums[j] += unknown_.sums[j];
        rows += unknown_.rows[j];
      }
  }

  // Whether both sides answer in the order that is asked for. cut: as of losses; form: the side of unknown instances.
  bool in_order(u32 cut, int form) const {
    if (!options_.by_quantiles()) return order_.allows(left_.data(), right_.data());
    return order_.allows(deviations_.answers(cut, own_ && form == 0 ? 1 : 0),
                         deviations_.answers(cut, 2 + (own_ && form == 1 ? 1 : 0)));
  }

  void try_cut(u32 group, u32 where, u32 before, const std::vector<double>& left, double left_rows) {
    bool any = false;
    any_wide_ = true;
    for (int form = 0; form < (own_ ? 2 : 1); ++form) {
      left_ = left;
      right_.resize(static_cast<size_t>(width_));
      for (int j = 0; j < width_; ++j) right_[j] = total_[j] - left[j];
      double l = left_rows, r = known_rows_ - left_rows;
      if (own_) {
        std::vector<double>& to = form == 0 ? left_ : right_;
        for (int j = 0; j < width_; ++j) to[j] += unknown_.sums[j];
        (form == 0 ? l : r) += unknown_.total;
      }
      if (!sides_count(l, r)) continue;
      double p = purity(left_.data(), group, own_ && form == 0 ? 1 : 0) +
                 purity(right_.data(), group, 2 + (own_ && form == 1 ? 1 : 0));
      if (order_.active() && !in_order(group, form)) {
        if (tried_) tried_->forbid((p - base_) / node_.scale, low_number(where, before), high_number(where));
        continue;
      }
      any = true;
      tracker_.add(p, static_cast<u32>(places_.size()), form);
      purity_[form] = p;
    }
    if (!any) return;
    ++cuts_;
    places_.push_back({before, where, node_.measure.weight(left.data())});
  }

  bool sides_count(double left_rows, double right_rows) const {
    if (options_.criterion == Criterion::poisson && !(node_.positive(left_.data()) && node_.positive(right_.data())))
      return false;
    return branch_counts(options_, node_.measure.weight(left_.data()), left_rows, least_) &&
           branch_counts(options_, node_.measure.weight(right_.data()), right_rows, least_);
  }

  void try_known_against_unknown() {
    left_ = total_;
    right_ = unknown_.sums;
    any_wide_ = true;
    if (!sides_count(known_rows_, unknown_.total)) return;
    ++cuts_;
    double p = options_.by_quantiles() ? -deviations_.whole(false) - deviations_.unknown_alone()
                                       : node_.measure.purity(left_.data()) + node_.measure.purity(right_.data());
    tracker_.add(p, static_cast<u32>(places_.size()), 2);
    purity_[0] = p;
    places_.push_back({0, 0, node_.measure.weight(total_.data())});
  }

  // Writes a cut down, once for each side that unknown values may stand on.
  void note_cut(double low, double high) {
    for (int form = 0; form < (own_ && !std::isinf(low) ? 2 : 1); ++form) {
      tried_->gain.push_back((purity_[form] - base_) / node_.scale);
      tried_->low.push_back(low);
      tried_->high.push_back(high);
      purity_[form] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  void explain() {
    tried_->counted = true;
    tried_->cuts = cuts_;
    tried_->offer = !tracker_.empty()                ? Offer::candidate
                    : tried_->gain.empty()           ? Offer::constant
                    : !std::isnan(tried_->forbidden) ? Offer::order
                    : any_wide_                      ? Offer::too_small
                                                     : Offer::too_close;
  }

  double low_number(u32 where, u32 before) const {
    return column_.list.empty() ? node_.plan.attributes[column_.attribute].high[before]
                                : high_number_at(node_, column_, where - 1);
  }
  double high_number(u32 where) const {
    return column_.list.empty() ? node_.plan.attributes[column_.attribute].low[where]
                                : low_number_at(node_, column_, where);
  }

  void conclude() {
    const TieTracker::Entry& winner = tracker_.winner();
    out_.exists = true;
    out_.kind = SplitKind::threshold;
    out_.branches = 2;
    out_.improvement = winner.value - base_;
    out_.gain = out_.improvement / node_.scale;
    if (options_.threshold_cost) {
      out_.gain -= std::log2(static_cast<double>(cuts_)) / node_.weight;
      out_.exists = out_.gain > node_.tolerance;
      if (!out_.exists && !tried_) return;
      if (!out_.exists) tried_->offer = Offer::price;
    }
    double unknown_weight = node_.measure.weight(unknown_.sums.data());
    double left_weight = places_[winner.where].left_weight;
    if (own_ && winner.form == 0) left_weight += unknown_weight;
    double placed = node_.weight - (own_ || filling_.active ? 0.0 : unknown_weight);
    out_.branch_weight = {left_weight, placed - left_weight};
    out_.unknown_weight = node_.weight - placed;
    if (winner.form == 2) {
      out_.known_against_unknown = true;
      out_.low = out_.high = std::numeric_limits<double>::infinity();
      out_.missing_child = 1;
    } else {
      auto [before, where, unused] = places_[winner.where];
      (void)unused;
      out_.low = low_number(where, before);
      out_.high = high_number(where);
      if (own_) out_.missing_child = winner.form;
      if (filling_.active) fill_branches();
    }
  }

  // The branch of each most common value: its group lies left of the cut or not.
  void fill_branches() {
    u32 cut = 0, winner = places_[tracker_.winner().where].where;
    for_each_group(node_, column_, known_, table_, [&](u32 group, u32 where, const double*, double) {
      if (where == winner) cut = group;
    });
    out_.fill_branch = filling_.group_of_node < cut ? 0 : 1;
    out_.missing_child = out_.fill_branch;
    if (!fills_by_class(options_.missing)) return;
    for (u32 group : filling_.group_of_class) out_.fill_of_class.push_back(group < cut ? 0 : 1);
  }

  struct Place {
    u32 before, where;
    double left_weight;
  };
  // Kept from search to search, so that small nodes do not allocate.
  struct Scratch {
    ValueTable table;
    Unknown unknown;
    std::vector<double> total, left, right, run, patched;
    std::vector<Place> places;
    TieTracker tracker;
    InstanceGroups groups;
    std::vector<u32> lost;
    QuantileLosses losses;
  };
  static Scratch& scratch() {
    static thread_local Scratch buffers;
    return buffers;
  }
  const NodeView& node_;
  const FrameColumn& column_;
  const Options& options_;
  Candidate& out_;
  Tried* tried_;
  Random* random_;
  bool any_wide_ = false;
  double purity_[2] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  int width_ = 0;
  ValueTable& table_ = scratch().table;
  Unknown& unknown_ = scratch().unknown;
  u32 known_ = 0, groups_ = 0, cuts_ = 0;
  double known_rows_ = 0.0;
  bool own_ = false;
  detail::Filling filling_;
  QuantileLosses& deviations_ = scratch().losses;
  OrderCheck order_{node_, column_.attribute};
  std::vector<double>&total_ = scratch().total, &left_ = scratch().left, &right_ = scratch().right;
  std::vector<Place>& places_ = scratch().places;
  TieTracker& tracker_ = scratch().tracker;
  double least_ = 0.0, base_ = 0.0;
};

}  // namespace quercus
