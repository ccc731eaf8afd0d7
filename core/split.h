// Split: sends the instances of a node to the branches of its split and makes the children.
#pragma once

#include <numeric>

#include "chi_square.h"
#include "groups.h"
#include "numbers.h"
#include "surrogates.h"

namespace quercus {

constexpr int32_t SPREAD = -1;
constexpr u32 PACK_FRAME = u32{1} << 18;  // sides of frames this large are packed

class Splitter {
 public:
  Splitter(const Plan& plan, Builder& builder, NodeNumbers& numbers, Pool* pool)
      : plan_(plan), options_(plan.options), builder_(builder), numbers_(numbers), pool_(pool) {}

  // Counts the codes of a node, unless they are at hand or there is nothing to count: for its search and, where the
  // node keeps them, for its children, which can then get theirs by subtraction.
  const CodeCounts* counts_of(Open& open) {
    if (open.counts || !counts(open)) return open.counts.get();
    if (!counts_pay(open)) {
      if (plan_.data.n_classes > 2) return nullptr;  // the classes that occur are counted column by column
      count(open, passing_counts_);
      return &passing_counts_;
    }
    open.counts = std::make_shared<CodeCounts>();
    count(open, *open.counts);
    return open.counts.get();
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
    bool by_position = candidate.cut && candidate.unknown_weight == 0.0 && options_.missing != Missing::surrogate;
    if (by_position)
      split_list(open, candidate, active, open_children);
    else
      split_any(open, candidate, active, open_children);
  }

  // Whether branches and classes depend on each other: chi-square of the split as evaluated.
  bool significant(const Open& open, const Candidate& c) {
    const Frame& frame = *open.frame;
    assign(open, c);
    size_t k = static_cast<size_t>(plan_.width), b = static_cast<size_t>(c.branches);
    std::vector<double> table(b * k, 0.0);
    for (u32 i = 0; i < open.count(); ++i) {
      if (branch_[i] == SPREAD) continue;
      u32 instance = frame.order[open.begin + i];
      double w = frame.weight_of(instance);
      table[static_cast<size_t>(branch_[i]) * k + static_cast<size_t>(frame.label[instance])] += w;
    }
    return depend(table, b, k, options_.critical);
  }

  // The branch of each instance of a node as a candidate's evaluation saw it, by position in order; SPREAD: none.
  const std::vector<int32_t>& branches(const Open& open, const Candidate& c) {
    assign(open, c);
    return branch_;
  }

  // The columns that may stand in for that of a split: those that may be asked below it and order no answers.
  std::vector<u32> stand_ins(const Open& open, const Candidate& c) const {
    std::vector<u32> columns = *open.active;
    std::vector<u8> may = may_meet_below(open, c);
    std::erase_if(columns, [&](u32 column) {
      u32 attribute = open.frame->columns[column].attribute;
      return options_.sign(attribute) || (!may.empty() && !may[attribute]);
    });
    return columns;
  }

  // Where unknown values go: to one branch, or to all (-1).
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

  // The number that is written for a cut.
  double threshold(const Candidate& c, u32 attribute) const {
    if (c.known_against_unknown) return c.low;
    if (!options_.data_value_threshold) return cut_between(c.low, c.high, options_.threshold_scale(attribute));
    double middle = midpoint(c.low, c.high);
    const std::vector<double>& distinct = plan_.attributes[attribute].distinct;
    auto above = std::upper_bound(distinct.begin(), distinct.end(), middle);
    if (above == distinct.begin()) return middle;  // a retraced cut may lie below all numbers
    ThresholdScale scale = options_.threshold_scale(attribute);
    bool between = scale != ThresholdScale::none && above != distinct.end();
    return between ? cut_between(*(above - 1), *above, scale) : *(above - 1);
  }

 private:
  // ---- details of the split ----
  std::shared_ptr<const std::vector<u32>> children_active(const Open& open, const Candidate& c) const {
    bool changed = traits(c.kind).asked_once || open.sets;
    if (!options_.off(no_constants))
      for (u8 flag : c.constant) changed = changed || flag;
    if (!changed) return open.active;
    auto active = std::make_shared<std::vector<u32>>();
    std::vector<u8> may = may_meet_below(open, c);
    for (size_t i = 0; i < open.active->size(); ++i) {
      u32 column = (*open.active)[i];
      bool drop = (!may.empty() && !may[open.frame->columns[column].attribute]) ||
                  (traits(c.kind).asked_once && column == c.column) || (!options_.off(no_constants) && c.constant[i]);
      if (!drop) active->push_back(column);
    }
    return active;
  }

  // Whether each attribute may be asked below the split; empty: all may.
  std::vector<u8> may_meet_below(const Open& open, const Candidate& c) const {
    if (!open.sets) return {};
    OpenSets left = sets_with(options_, open.sets, open.frame->columns[c.column].attribute);
    return may_meet(options_, left, plan_.attributes.size());
  }

  void assign(const Open& open, const Candidate& c) {
    const Frame& frame = *open.frame;
    const FrameColumn& column = frame.columns[c.column];
    const Column& cells = plan_.data.columns[column.attribute];
    const Attribute& attribute = plan_.attributes[column.attribute];
    double cut = c.known_against_unknown ? c.low : midpoint(c.low, c.high);
    int32_t last_code = 0;
    bool sparse = attribute.form == Form::sparse;
    if (c.kind == SplitKind::threshold && (!column.code8.empty() || sparse))
      last_code = static_cast<int32_t>(std::upper_bound(attribute.high.begin(), attribute.high.end(), cut) -
                                       attribute.high.begin()) -
                  1;
    branch_.resize(open.count());
    run_ranges(pool_, open.count(), [&](u32 from, u32 to) {
      if (c.kind == SplitKind::threshold && !column.code8.empty() && !attribute.has_unknown) {
        for (u32 i = from; i < to; ++i) branch_[i] = column.code8[frame.order[open.begin + i]] > last_code;
        return;
      }
      for (u32 i = from; i < to && sparse; ++i) {
        u32 row = frame.row_of(frame.order[open.begin + i]);
        branch_[i] = static_cast<int32_t>(frame.sparse->code(row, column.attribute, attribute.zero)) > last_code;
      }
      if (sparse) return;
      for (u32 i = from; i < to; ++i) {
        u32 instance = frame.order[open.begin + i];
        int32_t branch = branch_of(c, column, cells, frame.row_of(instance), instance, cut, last_code);
        branch_[i] = branch == SPREAD ? place_unknown(c, frame, instance) : branch;
      }
    });
  }
  // The branch of an instance of known value; else SPREAD.
  static int32_t branch_of(const Candidate& c, const FrameColumn& column, const Column& cells, u32 row, u32 instance,
                           double cut, int32_t last_code) {
    if (!column.list.empty()) {
      double x = cells.number(row);
      return std::isnan(x) ? SPREAD : x <= cut ? 0 : 1;
    }
    int32_t code = column.code32.empty() ? column.code8[instance] : column.code32[instance];
    if (code < 0 || (column.code32.empty() && code == UNKNOWN8)) return SPREAD;
    if (c.kind == SplitKind::threshold) return code <= last_code ? 0 : 1;
    return traits(c.kind).has_groups ? c.branch_of_value[static_cast<size_t>(code)] : code;
  }
  int32_t place_unknown(const Candidate& c, const Frame& frame, u32 instance) const {
    switch (options_.missing) {
      case Missing::own_value:
        return c.missing_child;
      case Missing::most_common:
        return c.fill_branch;
      case Missing::class_most_common:
        return c.fill_of_class[static_cast<size_t>(frame.label[instance])];
      default:
        return SPREAD;
    }
  }

  // ---- the quick way: a cut in a list, nothing unknown ----
  void split_list(const Open& open, const Candidate& c, const std::shared_ptr<const std::vector<u32>>& active,
                  std::vector<Open>& open_children) {
    Frame& frame = *open.frame;
    const u32* list = frame.columns[c.column].list.data() + open.begin;
    int32_t first = builder_.nodes[open.record].first_child;
    bool counts = open.unit && plan_.data.n_classes;  // the children's numbers are counts of the list
    if (counts) {
      count_sides(open, list, c.cut, first);
    } else {
      mark_sides(open, list, c.cut);
      divide_order(open, 2);
    }
    Open child[2];
    bool leaf[2];
    for (int s = 0; s < 2; ++s) {
      child[s] = {open.frame,
                  s ? open.begin + c.cut : open.begin,
                  s ? open.end : open.begin + c.cut,
                  first + s,
                  open.depth + 1,
                  open.unit,
                  active,
                  nullptr};
      if (!counts) numbers_.measure_node(child[s]);
      child[s].unit = open.unit || unit(child[s]);
      leaf[s] = numbers_.settle(child[s]);
    }
    if (leaf[0] && leaf[1]) return;
    bool ordered = !open.frame->order.empty();
    bool others = ordered || active->size() > 1 || active->front() != c.column;  // the cut leaves its own list
    if (counts && others) {
      mark_sides(open, list, c.cut);
      if (ordered) divide_order(open, 2);
    }
    if (others) divide_lists(open, *active, 2, c.column);
    hand_counts_down(open, child[0], child[1], !leaf[0], !leaf[1]);
    for (int s = 0; s < 2; ++s)
      if (!leaf[s]) open_children.push_back(std::move(child[s]));
  }

  void mark_sides(const Open& open, const u32* list, u32 cut) {
    u8* side = open.frame->side.data();
    run_ranges(pool_, open.count(), [&](u32 from, u32 to) {
      for (u32 i = from; i < std::min(cut, to); ++i) side[list[i] & plan_.row_mask] = 0;
      for (u32 i = std::max(cut, from); i < to; ++i) side[list[i] & plan_.row_mask] = 1;
    });
  }

  void count_sides(const Open& open, const u32* list, u32 cut, int32_t first) {
    const double* total = builder_.value(open.record);
    double *left = builder_.value(first), *right = builder_.value(first + 1);
    u32 n = open.count();
    bool count_left = cut <= n - cut;
    double* counted = count_left ? left : right;
    double* rest = count_left ? right : left;
    counts_.assign(static_cast<size_t>(plan_.width), 0);
    u32 from = count_left ? 0 : cut, to = count_left ? cut : n;
    if (plan_.width == 2) {
      u32 ones = 0;
      for (u32 i = from; i < to; ++i) ones += plan_.label_in(list[i]);
      counts_ = {to - from - ones, ones};
    } else {
      for (u32 i = from; i < to; ++i) ++counts_[plan_.label_in(list[i])];
    }
    for (int j = 0; j < plan_.width; ++j) {
      counted[j] = static_cast<double>(counts_[j]);
      rest[j] = total[j] - counted[j];
    }
    builder_.nodes[first].count = cut;
    builder_.nodes[first].weight = cut;
    builder_.nodes[first + 1].count = n - cut;
    builder_.nodes[first + 1].weight = n - cut;
  }

  // Divides the lists of the columns that go on; `sorted` names a column whose list is divided by its order already.
  void divide_lists(const Open& open, const std::vector<u32>& active, size_t branches, u32 sorted) {
    Frame& frame = *open.frame;
    u32 n = open.count();
    Sides sides = branches == 2 ? packed_sides(frame, n, active.size()) : Sides{};
    auto divide = [&](size_t i, int thread) {
      Large<u32>& list = frame.columns[active[i]].list;
      if (list.empty() || active[i] == sorted) return;
      Large<u32>& spare = spare_[static_cast<size_t>(thread)];
      if (spare.size() < n + 16) spare.resize(n + 16);
      if (branches == 2)
        partition_two(list.data() + open.begin, n, spare.data(), plan_.row_mask, sides, plan_.wide);
      else
        partition_many(list.data() + open.begin, n, spare.data(), plan_.row_mask, by_instance_, start_);
    };
    run(active.size(), n, divide);
  }

  // The sides, as bits too where the frame's bytes outgrow the cache and there is enough to divide. (Without a pool
  // another thread may be marking sides in the same frame.)
  Sides packed_sides(const Frame& frame, u32 n, size_t lists) {
    if (!pool_ || frame.size < PACK_FRAME || static_cast<u64>(n) * lists < frame.size)
      return {frame.side.data(), nullptr};
    side_bits_.resize((frame.size + 31) / 32);
    bool packed = pack_sides(frame.side.data(), frame.size, side_bits_.data(), plan_.wide);
    return {frame.side.data(), packed ? side_bits_.data() : nullptr};
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

  // ---- counts of coded columns: the heavier child's are the parent's less its sibling's ----
  bool counts(const Open& open) const {
    if (open.frame->code_rows.empty() || !open.unit || open.count() <= LEAST_COUNTED) return false;
    return plan_.data.n_classes || plan_.fixed.precise(variance(open));
  }
  // Nodes keep counts that take no more memory than sorted lists would.
  bool counts_pay(const Open& open) const {
    if (!counts(open)) return false;
    const CodeRows& rows = open.frame->code_rows;
    size_t bytes = plan_.data.n_classes ? sizeof(u32) * static_cast<size_t>(plan_.width) : sizeof(FixedSum), coded = 0;
    for (u32 c : *open.active) coded += rows.place[c] != NOT_CODED;
    return open.count() * coded * sizeof(u32) >= rows.bins() * bytes;
  }
  double variance(const Open& open) const {
    return builder_.value(open.record)[plan_.target().squares()] / builder_.nodes[open.record].weight;
  }
  void count(const Open& open, CodeCounts& counts) {
    u32 width = plan_.data.n_classes ? static_cast<u32>(plan_.width) : 0;
    count_rows(open.frame->code_rows, open.frame->order.data() + open.begin, open.count(), *open.active, width, pool_,
               counts);
  }

  // The same after a general split, for the children that go on.
  void hand_counts_to(const Open& open, std::vector<Open>& children,
                      const std::shared_ptr<const std::vector<u32>>& active) {
    u32 middle = open.begin + start_[1];
    int32_t first = builder_.nodes[open.record].first_child;
    Open left{open.frame, open.begin, middle, first, 0, open.unit, active, nullptr};
    Open right{open.frame, middle, open.end, first + 1, 0, open.unit, active, nullptr};
    bool goes_on[2] = {false, false};
    for (const Open& child : children) goes_on[child.begin == middle] = true;
    hand_counts_down(open, left, right, goes_on[0], goes_on[1]);
    for (Open& child : children) child.counts = child.begin == middle ? right.counts : left.counts;
  }

  // Both children lie in the parent's frame; the parent's counts go over to the heavier one.
  void hand_counts_down(const Open& open, Open& left, Open& right, bool left_goes_on, bool right_goes_on) {
    bool left_heavier = left.count() >= right.count();
    Open& heavy = left_heavier ? left : right;
    Open& light = left_heavier ? right : left;
    if (!open.counts || !(left_heavier ? left_goes_on : right_goes_on) || !counts_pay(heavy)) return;
    auto counts = std::make_shared<CodeCounts>();
    count(light, *counts);
    open.counts->subtract(*counts);
    heavy.counts = open.counts;
    if ((left_heavier ? right_goes_on : left_goes_on) && counts_pay(light)) light.counts = counts;
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
    NodeView view = numbers_.look(open);
    NodeRecord& node = builder_.nodes[open.record];
    node.surrogates = find_surrogates(view, sides_, stand_ins(open, c), c.column, options_.max_surrogates);
    for (u32 i = 0; i < open.count(); ++i) {
      if (branch_[i] != SPREAD) continue;
      u32 row = frame.row_of(frame.order[open.begin + i]);
      branch_[i] = node.missing_child;
      for (const Surrogate& s : node.surrogates) {
        int32_t to = s.child_of(plan_.data.columns, row);
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
    if (branches == 2) {
      u32 ones = 0;
      for (int32_t b : branch_) ones += static_cast<u32>(b);
      start_ = {0, n - ones, n};
    } else {
      for (int32_t b : branch_) ++start_[static_cast<size_t>(b) + 1];
      for (size_t b = 0; b < branches; ++b) start_[b + 1] += start_[b];
    }
    if (branches > 2) by_instance_.resize(std::max<size_t>(by_instance_.size(), frame.size));
    run_ranges(pool_, n, [&](u32 from, u32 to) {
      for (u32 i = from; i < to; ++i) {
        u32 instance = frame.order[open.begin + i];
        if (branches > 2)
          by_instance_[instance] = static_cast<u32>(branch_[i]);
        else
          frame.side[instance] = static_cast<u8>(branch_[i]);
      }
    });
    divide_order(open, branches);
    std::vector<Open> children;
    int32_t first = builder_.nodes[open.record].first_child;
    for (size_t b = 0; b < branches; ++b) {
      Open child{open.frame,
                 open.begin + start_[b],
                 open.begin + start_[b + 1],
                 first + static_cast<int32_t>(b),
                 open.depth + 1,
                 open.unit,
                 active,
                 nullptr};
      if (child.begin == child.end) continue;
      numbers_.measure_node(child);
      child.unit = open.unit || unit(child);
      if (!numbers_.settle(child)) children.push_back(std::move(child));
    }
    if (children.empty()) return;
    if (branches == 2) hand_counts_to(open, children, active);
    divide_lists(open, *active, branches, ~u32{0});
    for (Open& child : children) open_children.push_back(std::move(child));
  }

  void divide_order(const Open& open, size_t branches) {
    u32 n = open.count();
    if (spare_.empty()) spare_.resize(1);
    if (spare_[0].size() < n + 16) spare_[0].resize(n + 16);
    u32* order = open.frame->order.data() + open.begin;
    if (branches == 2)
      partition_two(order, n, spare_[0].data(), ~u32{0}, {open.frame->side.data(), nullptr}, plan_.wide);
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
      std::vector<double> weights(merged.size()), shares(options_.counts_rows() ? merged.size() : 0);
      instances_.resize(merged.size());
      for (size_t i = 0; i < merged.size(); ++i) {
        instances_[i] = frame.order[open.begin + merged[i]];
        double part = branch_[merged[i]] == SPREAD ? share : 1.0;
        weights[i] = frame.weight_of(instances_[i]) * part;
        if (!shares.empty()) shares[i] = frame.share_of(instances_[i]) * part;
      }
      make_spread_child(open, first + b, std::move(weights), std::move(shares), *active, all, open_children);
    }
  }

  void make_spread_child(const Open& open, int32_t record, std::vector<double> weights, std::vector<double> shares,
                         const std::vector<u32>& active, const std::shared_ptr<const std::vector<u32>>& all,
                         std::vector<Open>& open_children) {
    static const std::vector<u32> none;
    u32 n = static_cast<u32>(instances_.size());
    // numbers first, on a frame without columns: most such children are leaves
    auto bare = sub_frame(plan_, *open.frame, open.begin, open.end, instances_, weights, none, map_);
    bare->share = shares;
    Open child{bare, 0, n, record, open.depth + 1, false, all, nullptr};
    numbers_.measure_node(child);
    if (numbers_.settle(child)) return;
    child.frame = sub_frame(plan_, *open.frame, open.begin, open.end, instances_, std::move(weights), active, map_);
    child.frame->share = std::move(shares);
    child.unit = unit(child);
    open_children.push_back(std::move(child));
  }

  const Plan& plan_;
  const Options& options_;
  Builder& builder_;
  NodeNumbers& numbers_;
  Pool* pool_;
  std::vector<u8> sides_;
  std::vector<u32> instances_, map_, start_, by_instance_, counts_, side_bits_;
  std::vector<int32_t> branch_;
  CodeCounts passing_counts_;
  std::vector<Large<u32>> spare_;
  std::vector<std::vector<u32>> by_branch_;
};

}  // namespace quercus
