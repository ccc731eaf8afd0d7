// FewRows: a whole subtree of few rows, for two classes or numbers, with unit weights and no unknown values, in a small
// table (row_table.h).
#pragma once

#include "few_rows_search.h"
#include "split.h"

namespace quercus {

class FewRows {
 public:
  FewRows(const Plan& plan, Builder& builder, const Splitter& splitter)
      : plan_(plan), options_(plan.options), builder_(builder), splitter_(splitter), able_(can_serve(plan)) {}

  // Whether a node that may be split has few rows and can be grown here; if so, its table is filled.
  bool serves(const Open& open) {
    return able_ && open.count() <= FEW_ROWS && open.frame->weight.empty() && open.frame->share.empty() &&
           table_.fill(plan_, open);
  }

  // Grows the whole subtree below an accepted node; returns how many nodes were looked at.
  u64 grow(const Open& open) {
    frame_ = open.frame.get();
    looked_at_ = 0;
    search_.start(*frame_, open.count());
    NodeView view{plan_, *frame_, open.begin, open.end, true, {}, {}};
    view.measure.criterion = options_.criterion;
    view.measure.width = plan_.width;
    view_ = &view;
    for (u32 c = 0; c < open.active->size(); ++c) active_.push_back(c);
    grow_node(0, open.count(), open.record, open.depth, 0);
    active_.clear();
    return looked_at_;
  }

 private:
  static bool can_serve(const Plan& plan) {
    const Options& o = plan.options;
    bool numbers = o.criterion == Criterion::squared_error || o.criterion == Criterion::poisson;
    bool classes = plan.data.n_classes == 2 && plan.labels_in_entries() && o.class_multipliers.empty();
    if ((!numbers && !classes) || plan.every_node || o.off(no_few_rows) || o.off(no_streaming)) return false;
    if (o.has_order() || !o.together.empty()) return false;
    return o.selection == Selection::gain && o.nominal == NominalSplit::subset && !o.max_bins &&
           !o.attributes_per_node && o.missing != Missing::surrogate && !fills(o.missing) && o.threshold_gap == 0.0 &&
           !o.threshold_cost && !o.min_cut && o.min_objects == 0.0 && o.min_weight_leaf == 0.0 &&
           o.min_value_weight == 0.0 && !o.significance && o.sufficient_majority == 0.0;
  }

  // The columns that may vary at the node are the entries of active_ from position `active` on.
  void grow_node(u32 begin, u32 end, int32_t record, int32_t depth, size_t active) {
    ++looked_at_;
    search_.look(begin, end, builder_.value(record), *view_);
    size_t first = active_.size();
    offers_.clear();
    for (size_t i = active; i < first; ++i) {
      u32 c = active_[i];
      const SortedColumn& column = table_.columns[c];
      if (column.constant(begin, end)) continue;
      active_.push_back(c);
      offers_.push_back(search_.offer(column, begin, end));
      if (end - begin == 2) break;  // the others divide the two rows in the same way
    }
    size_t best = best_offer();
    if (best < offers_.size()) {
      candidate_.gain = candidate_.worth = offers_[best].gain;
      if (why_refused(options_, *view_, plan_.root_weight, candidate_) == Stop::no)
        split(table_.columns[active_[first + best]], begin, end, record, depth, first);
    }
    active_.resize(first);
  }

  // The position of the first candidate within the tolerance of the best; the number of candidates if there is none.
  size_t best_offer() const {
    double largest = -std::numeric_limits<double>::infinity();
    for (const FewRowsSearch::Offer& o : offers_)
      if (o.exists) largest = std::max(largest, o.gain);
    for (size_t i = 0; i < offers_.size(); ++i)
      if (offers_[i].exists && offers_[i].gain >= largest - view_->tolerance) return i;
    return offers_.size();
  }

  void split(const SortedColumn& column, u32 begin, u32 end, int32_t record, int32_t depth, size_t active) {
    search_.offer(column, begin, end);  // once more, to get its steps
    Candidate& c = candidate_;
    double left = search_.left_rows();
    c.branch_weight = {left, (end - begin) - left};
    c.branch_of_value.clear();
    if (column.attribute->nominal)
      take_values(column, begin, end);
    else
      take_cut(column, begin, end, begin + search_.left_rows());
    int32_t first = builder_.add(2);
    NodeRecord& node = builder_.nodes[record];
    node.kind = c.kind;
    node.attribute = static_cast<int32_t>(column.cells->attribute);
    node.gain = c.gain;
    node.n_children = 2;
    node.first_child = first;
    node.group = c.branch_of_value;
    node.pack_group();
    node.missing_child = splitter_.missing_child(c);
    if (c.kind == SplitKind::threshold) node.threshold = splitter_.threshold(c, column.cells->attribute);
    u32 middle = begin + static_cast<u32>(c.branch_weight[0]);
    table_.divide(table_.order, begin, end);
    bool goes_on[2] = {measure(begin, middle, first, depth + 1), measure(middle, end, first + 1, depth + 1)};
    if (!goes_on[0] && !goes_on[1]) return;
    for (size_t i = active; i < active_.size(); ++i) table_.divide(table_.columns[active_[i]].entries, begin, end);
    if (goes_on[1]) grow_node(middle, end, first + 1, depth + 1, active);
    if (goes_on[0]) grow_node(begin, middle, first, depth + 1, active);
  }

  void take_cut(const SortedColumn& column, u32 begin, u32 end, u32 cut) {
    Candidate& c = candidate_;
    c.kind = SplitKind::threshold;
    for (u32 p = begin; p < end; ++p) table_.side[row_in(column.entries[p])] = p >= cut;
    u16 below = column.entries[cut - 1], above = column.entries[cut];
    if (column.listed()) {
      const Column& numbers = plan_.data.columns[column.cells->attribute];
      c.low = numbers.number(frame_->row_of(table_.instance[row_in(below)]));
      c.high = numbers.number(frame_->row_of(table_.instance[row_in(above)]));
    } else {
      c.low = column.attribute->high[column.code[rank_in(below)]];
      c.high = column.attribute->low[column.code[rank_in(above)]];
    }
  }

  // The first value that occurs goes to the left.
  void take_values(const SortedColumn& column, u32 begin, u32 end) {
    Candidate& c = candidate_;
    c.kind = SplitKind::subset;
    c.branch_of_value.assign(column.attribute->n_values, -1);
    PerRow<u8> right;  // by value
    for (u32 i = 0; i < search_.n_values(); ++i) right[search_.value_at(i)] = i > search_.best();
    u8 swap = right[0];
    if (swap) std::swap(c.branch_weight[0], c.branch_weight[1]);
    u32 value = 0;
    for (u32 p = begin; p < end; ++p) {
      value += p > begin && column.starts(p);
      u8 side = right[value] ^ swap;
      table_.side[row_in(column.entries[p])] = side;
      c.branch_of_value[column.code[rank_in(column.entries[p])]] = side;
    }
  }

  // Fills the numbers of a child, as in numbers.h; returns whether it may be split.
  bool measure(u32 begin, u32 end, int32_t record, int32_t depth) {
    NodeRecord& node = builder_.nodes[record];
    node.count = end - begin;
    node.weight = static_cast<double>(end - begin);
    bool pure = plan_.data.n_classes ? count_classes(begin, end, builder_.value(record))
                                     : measure_numbers(begin, end, builder_.value(record));
    bool deep = options_.max_depth >= 0 && depth >= options_.max_depth;
    return !pure && !deep && node.count >= options_.min_samples_split;
  }
  bool count_classes(u32 begin, u32 end, double* value) const {
    u32 ones = 0;
    for (u32 p = begin; p < end; ++p) ones += search_.label(table_.order[p]);
    value[0] = end - begin - ones;
    value[1] = ones;
    return !ones || ones == end - begin;
  }
  bool measure_numbers(u32 begin, u32 end, double* value) const {
    double sum = 0.0, low = search_.target(table_.order[begin]), high = low;
    for (u32 p = begin; p < end; ++p) {
      double y = search_.target(table_.order[p]);
      sum += y;
      low = std::min(low, y);
      high = std::max(high, y);
    }
    double mean = low == high ? low : sum / (end - begin), squares = 0.0;
    for (u32 p = begin; p < end; ++p) {
      double d = search_.target(table_.order[p]) - mean;
      squares += d * d;
    }
    TargetKind kind = plan_.target();
    value[0] = value[kind.mean()] = mean;
    value[kind.squares()] = squares;
    return low == high;
  }

  const Plan& plan_;
  const Options& options_;
  Builder& builder_;
  const Splitter& splitter_;
  bool able_;
  RowTable table_;
  FewRowsSearch search_{plan_, table_};
  const Frame* frame_ = nullptr;
  NodeView* view_ = nullptr;
  u64 looked_at_ = 0;
  Candidate candidate_;
  std::vector<u32> active_;  // columns that may vary: those of a node stand after those of its parent
  std::vector<FewRowsSearch::Offer> offers_;
};

}  // namespace quercus
