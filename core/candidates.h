// Candidates: what every attribute offers at a node, with all its numbers, and the choice among the offers.
#pragma once

#include "worker.h"

namespace quercus {

// The decisions at some nodes of a tree. A node's candidates lie together, so do a candidate's branches and cuts:
// those of entry i are [start[i], start[i + 1]).
struct Decisions {
  // one entry per node
  std::vector<int32_t> node;
  std::vector<int64_t> count;
  std::vector<double> weight, total, impurity, value, mean_gain;  // total: N', the weight that enters the impurity
  std::vector<u8> unit;                                           // whether every instance weighs 1
  std::vector<u8> decided;  // whether the decision was made: the fields below are filled
  std::vector<u8> stop;
  std::vector<int32_t> chosen;  // the place of the best among the node's candidates, -1: none
  std::vector<int64_t> candidate_start{0}, surrogate_start{0};
  // one entry per candidate
  std::vector<int32_t> attribute, missing_child, n_branches, n_cuts, n_tried, n_best;  // -1: not counted
  std::vector<u8> offer, kind;
  std::vector<double> gain, improvement, split_information, worth, threshold, unknown, known, known_impurity;
  std::vector<double> forbidden_gain, forbidden_threshold;  // the best division that the order of answers forbids
  std::vector<double> placed;  // the weight of the unknown values that the policy gave a branch
  std::vector<int64_t> branch_start{0}, group_start{0}, cut_start{0};
  std::vector<int32_t> group;  // the branch of each declared value
  std::vector<double> cut_threshold, cut_gain;
  // one entry per branch that receives an instance
  std::vector<int32_t> branch;
  std::vector<int64_t> branch_count;
  std::vector<double> branch_weight, branch_total, branch_impurity, branch_value;
  // one entry per surrogate
  std::vector<u8> surrogate_kind;
  std::vector<int32_t> surrogate_attribute, surrogate_low_child, surrogate_group;
  std::vector<double> surrogate_threshold, surrogate_agreement, surrogate_adjusted;
  std::vector<int64_t> surrogate_group_start{0};
};

// Which parts of a decision are written down on demand only.
struct Details {
  std::vector<u8> cuts;     // by attribute: whether every cut is kept with its gain
  bool surrogates = false;  // look for surrogates of the chosen split
};

// Makes the decision of one node again and writes it down.
class NodeCandidates {
 public:
  NodeCandidates(const Plan& plan, Worker& worker, const Details& details, Decisions& out)
      : plan_(plan), options_(plan.options), worker_(worker), measured_(plan, records_), details_(details), out_(out) {
    records_.width = plan.target().payload();
    records_.add(1);
  }

  // Writes a node with its numbers, which stand in `from`, and its decision if `decides` is true.
  void write_node(int32_t node, const Open& open, Builder& from, bool decides) {
    double weight = from.nodes[static_cast<size_t>(open.record)].weight;
    const double* value = from.value(open.record);
    if (open.bounds) {
      answering_.assign(value, value + from.width);
      put_between(options_, *open.bounds, plan_.data.n_classes, answering_.data());
    }
    Summary whole = decides ? summary(open, weight, value) : Summary{weight};
    begin(node, open.count(), open.unit, whole, open.bounds ? answering_.data() : value);
    out_.decided.back() = decides;
    if (decides) {
      Stop stop = worker_.numbers().why_leaf(open);
      if (stop == Stop::no) stop = choose(open, whole);
      out_.stop.back() = static_cast<u8>(stop);
    }
    end();
  }

  // A node that no instance reaches.
  void write_empty(int32_t node) {
    std::vector<double> nothing(static_cast<size_t>(records_.width), 0.0);
    begin(node, 0, true, {}, nothing.data());
    end();
  }

  // The best candidate of one column as growing finds it, with every division tried.
  void search(const NodeView& view, const FrameColumn& column, Candidate& candidate, Tried& tried) const {
    u8 constant = 0;
    candidate = Candidate{};
    tried.reset();
    if (plan_.attributes[column.attribute].nominal)
      NominalSearch(view, column, candidate, &tried).run(constant);
    else
      ThresholdSearch(view, column, candidate, &tried).run(constant);
  }

 private:
  struct Summary {
    double weight = 0.0, total = 0.0, impurity = 0.0;  // total: N'
  };
  struct Entry {
    bool exists = false;
    double gain = 0.0, worth = 0.0;
    Candidate candidate;
    Tried tried;
  };

  void begin(int32_t node, u32 count, bool unit, const Summary& whole, const double* value) {
    out_.node.push_back(node);
    out_.count.push_back(count);
    out_.unit.push_back(unit);
    out_.decided.push_back(0);
    out_.weight.push_back(whole.weight);
    out_.total.push_back(whole.total);
    out_.impurity.push_back(whole.impurity);
    out_.value.insert(out_.value.end(), value, value + records_.width);
    out_.mean_gain.push_back(0.0);
    out_.chosen.push_back(-1);
    out_.stop.push_back(static_cast<u8>(Stop::no));
  }
  void end() {
    out_.candidate_start.push_back(static_cast<int64_t>(out_.attribute.size()));
    out_.surrogate_start.push_back(static_cast<int64_t>(out_.surrogate_kind.size()));
  }

  // The weight of some instances of a frame, N' and their impurity, from their numbers.
  Summary summary(const Open& open, double weight, const double* value) {
    if (!plan_.data.n_classes) {
      Open same = open;
      same.record = 0;
      records_.nodes[0].weight = weight;
      if (value != records_.value(0)) std::copy_n(value, records_.width, records_.value(0));
      return {weight, weight, measured_.impurity(same)};
    }
    Measure measure{options_.criterion, plan_.width,
                    options_.class_multipliers.empty() ? nullptr : options_.class_multipliers.data()};
    double total = measure.multiplied_weight(value);
    return {weight, total, total > 0.0 ? std::max(0.0, -measure.purity(value) / total) : 0.0};
  }

  // ---- the choice ----
  Stop choose(const Open& open, const Summary& whole) {
    NodeView view = worker_.numbers().look(open);
    const std::vector<u32>& active = *open.active;
    size_t n = active.size();
    if (entries_.size() < n) entries_.resize(n);
    for (size_t i = 0; i < n; ++i) {
      Entry& e = entries_[i];
      search(view, open.frame->columns[active[i]], e.candidate, e.tried);
      e.exists = e.candidate.exists;
      e.gain = e.candidate.gain;
      e.worth = std::numeric_limits<double>::quiet_NaN();
      e.candidate.column = active[i];
      e.candidate.split_info = split_information(e.candidate, view.weight);
    }
    auto attribute_of = [&](size_t i) { return open.frame->columns[active[i]].attribute; };
    Choice choice(view, entries_, n, attribute_of);
    out_.mean_gain.back() = choice.mean_gain();
    bool any = std::any_of(entries_.begin(), entries_.begin() + n, [](const Entry& e) { return e.exists; });
    choice.rate();
    for (size_t i = 0; i < n; ++i) write(open, view, whole, entries_[i]);
    size_t best = choice.best();
    if (best == n) return any ? Stop::none_passes : Stop::no_candidate;
    out_.chosen.back() = static_cast<int32_t>(best);
    Candidate& chosen = entries_[best].candidate;
    chosen.worth = entries_[best].worth;
    Stop stop = why_refused(options_, view, plan_.root_weight, chosen);
    if (stop != Stop::no) return stop;
    if (options_.significance && !worker_.splitter().significant(open, chosen)) return Stop::not_significant;
    if (details_.surrogates && chosen.branches == 2) write_surrogates(open, view, chosen);
    return Stop::no;
  }

  // What became of a candidate: the result of the search, or why C4.5's gate keeps it out.
  Offer offer_of(const Entry& e) const {
    if (e.tried.offer != Offer::candidate || e.exists) return e.tried.offer;
    bool enough = e.candidate.split_info > options_.min_split_info + TIE_GAIN;
    return enough ? Offer::below_mean : Offer::little_information;
  }

  // ---- a candidate ----
  void write(const Open& open, const NodeView& view, const Summary& whole, const Entry& e) {
    const Candidate& c = e.candidate;
    u32 attribute = open.frame->columns[c.column].attribute;
    bool divides = c.branches > 0;
    out_.attribute.push_back(static_cast<int32_t>(attribute));
    out_.offer.push_back(static_cast<u8>(offer_of(e)));
    out_.kind.push_back(static_cast<u8>(c.kind));
    out_.gain.push_back(c.gain);
    out_.improvement.push_back(c.improvement);
    out_.split_information.push_back(c.split_info);
    out_.worth.push_back(e.worth);
    out_.threshold.push_back(c.kind == SplitKind::threshold ? worker_.splitter().threshold(c, attribute)
                                                            : std::numeric_limits<double>::quiet_NaN());
    out_.forbidden_gain.push_back(e.tried.forbidden);
    out_.forbidden_threshold.push_back(forbidden_threshold(e.tried, attribute));
    out_.missing_child.push_back(divides ? worker_.splitter().missing_child(c) : -1);
    out_.n_branches.push_back(c.branches);
    out_.n_cuts.push_back(static_cast<int32_t>(e.tried.cuts));
    out_.n_tried.push_back(e.tried.counted || !divides ? static_cast<int32_t>(e.tried.gain.size()) : -1);
    out_.n_best.push_back(equally_good(e, view.tolerance));
    out_.group.insert(out_.group.end(), c.branch_of_value.begin(), c.branch_of_value.end());
    out_.group_start.push_back(static_cast<int64_t>(out_.group.size()));
    if (divides) {
      write_branches(open, c, whole);
    } else {
      for (auto* numbers : {&out_.unknown, &out_.placed, &out_.known, &out_.known_impurity}) numbers->push_back(0.0);
    }
    out_.branch_start.push_back(static_cast<int64_t>(out_.branch.size()));
    if (details_.cuts[attribute]) write_cuts(e.tried);
    out_.cut_start.push_back(static_cast<int64_t>(out_.cut_gain.size()));
  }

  double forbidden_threshold(const Tried& tried, u32 attribute) const {
    if (std::isnan(tried.forbidden_low) || std::isinf(tried.forbidden_low)) return tried.forbidden_low;
    Candidate cut;
    cut.low = tried.forbidden_low;
    cut.high = tried.forbidden_high;
    return worker_.splitter().threshold(cut, attribute);
  }

  static int32_t equally_good(const Entry& e, double tolerance) {
    if (!e.candidate.branches) return 0;
    if (!e.tried.counted) return 1;
    double best = -std::numeric_limits<double>::infinity();
    int32_t count = 0;
    for (double gain : e.tried.gain) best = gain > best ? gain : best;
    for (double gain : e.tried.gain) count += gain >= best - tolerance;
    return count;
  }

  void write_cuts(const Tried& tried) {
    for (size_t i = 0; i < tried.low.size(); ++i) {
      out_.cut_threshold.push_back(std::isinf(tried.low[i]) ? tried.low[i] : midpoint(tried.low[i], tried.high[i]));
      out_.cut_gain.push_back(tried.gain[i]);
    }
  }

  // The branches, each measured as the node that it would become, and all of them together.
  void write_branches(const Open& open, const Candidate& c, const Summary& whole) {
    Large<u32>& order = open.frame->order;
    order_before_.assign(order.begin() + open.begin, order.begin() + open.end);
    const std::vector<int32_t>& branch = worker_.splitter().branches(open, c);
    start_.assign(static_cast<size_t>(c.branches) + 2, 0);  // those without a branch stand last
    auto slot = [&](int32_t b) { return b == SPREAD ? static_cast<size_t>(c.branches) : static_cast<size_t>(b); };
    for (int32_t b : branch) ++start_[slot(b) + 1];
    for (size_t b = 0; b <= static_cast<size_t>(c.branches); ++b) start_[b + 1] += start_[b];
    next_.assign(start_.begin(), start_.end());
    for (size_t i = 0; i < branch.size(); ++i) order[open.begin + next_[slot(branch[i])]++] = order_before_[i];
    u32 known = start_[static_cast<size_t>(c.branches)];
    Summary together = known == open.count() ? whole : measure(open, 0, known);
    out_.unknown.push_back(known == open.count() ? 0.0 : whole.weight - together.weight);
    out_.placed.push_back(placed_weight(*open.frame, open.frame->columns[c.column].attribute, branch));
    out_.known.push_back(together.total);
    out_.known_impurity.push_back(together.impurity);
    for (int32_t b = 0; b < c.branches; ++b) {
      u32 from = start_[static_cast<size_t>(b)], to = start_[static_cast<size_t>(b) + 1];
      if (from == to) continue;
      Summary part = measure(open, from, to);
      out_.branch.push_back(b);
      out_.branch_count.push_back(to - from);
      out_.branch_weight.push_back(part.weight);
      out_.branch_total.push_back(part.total);
      out_.branch_impurity.push_back(part.impurity);
      const double* value = records_.value(0);
      out_.branch_value.insert(out_.branch_value.end(), value, value + records_.width);
    }
    std::copy(order_before_.begin(), order_before_.end(), order.begin() + open.begin);
  }

  // The weight of the instances whose value is unknown and that have a branch nevertheless.
  double placed_weight(const Frame& frame, u32 attribute, const std::vector<int32_t>& branch) const {
    double weight = 0.0;
    if (!plan_.attributes[attribute].has_unknown) return weight;
    const Column& cells = plan_.data.columns[attribute];
    for (size_t i = 0; i < branch.size(); ++i)
      if (branch[i] != SPREAD && cells.unknown(frame.row_of(order_before_[i])))
        weight += frame.weight_of(order_before_[i]);
    return weight;
  }

  // A part of a node's order; its numbers are then those of record 0.
  Summary measure(const Open& open, u32 from, u32 to) {
    Open part{open.frame, open.begin + from, open.begin + to, 0, open.depth + 1, open.unit, open.active, nullptr};
    measured_.measure_node(part);
    return summary(part, records_.nodes[0].weight, records_.value(0));
  }

  void write_surrogates(const Open& open, const NodeView& view, const Candidate& chosen) {
    const std::vector<int32_t>& branch = worker_.splitter().branches(open, chosen);
    sides_.assign(open.frame->size, NO_SIDE);
    for (u32 i = 0; i < open.count(); ++i)
      if (branch[i] != SPREAD) sides_[open.frame->order[open.begin + i]] = static_cast<u8>(branch[i]);
    for (Surrogate& s : find_surrogates(view, sides_, worker_.splitter().stand_ins(open, chosen), chosen.column,
                                        options_.max_surrogates)) {
      out_.surrogate_kind.push_back(static_cast<u8>(s.kind));
      out_.surrogate_attribute.push_back(s.attribute);
      out_.surrogate_low_child.push_back(s.low_child);
      out_.surrogate_threshold.push_back(s.threshold);
      out_.surrogate_agreement.push_back(s.agreement);
      out_.surrogate_adjusted.push_back(s.adjusted);
      out_.surrogate_group.insert(out_.surrogate_group.end(), s.group.begin(), s.group.end());
      out_.surrogate_group_start.push_back(static_cast<int64_t>(out_.surrogate_group.size()));
    }
  }

  const Plan& plan_;
  const Options& options_;
  Worker& worker_;
  Builder records_;       // record 0: a set of instances that is being measured
  NodeNumbers measured_;  // which writes there
  const Details& details_;
  Decisions& out_;
  std::vector<Entry> entries_;
  std::vector<double> answering_;  // the numbers of a node that answers between bounds
  std::vector<u32> order_before_, start_, next_;
  std::vector<u8> sides_;
};

}  // namespace quercus
