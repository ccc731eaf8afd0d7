// FewRows: a whole subtree of few rows, for numbers with unit weights and no unknown values. Its rows, by their places,
// are sorted by every column in a small table that is divided down to the leaves; the splits are those of evaluate.h.
#pragma once

#include <array>

#include "split.h"

namespace quercus {

constexpr u32 FEW_ROWS = 128;

class FewRows {
 public:
  FewRows(const Plan& plan, Builder& builder, const Splitter& splitter)
      : plan_(plan), options_(plan.options), target_(plan.target()), builder_(builder), splitter_(splitter) {
    bool unknown = false;
    for (const Attribute& attribute : plan.attributes) unknown = unknown || attribute.has_unknown;
    able_ = (options_.criterion == Criterion::squared_error || options_.criterion == Criterion::poisson) && !unknown &&
            !plan.every_node && usual_rules() && !options_.off(no_few_rows) && !options_.off(no_streaming);
  }

  bool serves(const Open& open) const {
    return able_ && open.count() <= FEW_ROWS && open.frame->weight.empty() && open.frame->share.empty();
  }

  // Grows all that is below a node that may be split; returns how many nodes were looked at.
  u64 grow(const Open& open) {
    frame_ = open.frame.get();
    looked_at_ = 0;
    gather(open);
    NodeView view{plan_, *frame_, open.begin, open.end, true, {}, {}};
    view.measure.criterion = options_.criterion;
    view.measure.width = plan_.width;
    view.sums = {0.0, 0.0};
    view_ = &view;
    for (u32 c = 0; c < open.active->size(); ++c) active_.push_back(c);
    grow_node(0, open.count(), open.record, open.depth, 0);
    active_.clear();
    return looked_at_;
  }

 private:
  // The cells of one column: its rows sorted, each entry a row's place, and above it the rank of its value.
  struct SortedColumn {
    const FrameColumn* cells;
    const Attribute* attribute;
    std::array<uint16_t, FEW_ROWS> entries;
    std::array<u32, FEW_ROWS> code;  // coded: of each rank
  };
  struct Offered {
    bool exists;
    double gain;
  };
  // The values of a column at a node as steps of a cut: how many rows and what sum stand on the left after each.
  struct Steps {
    u32 n = 0;
    std::array<double, FEW_ROWS> rows, sum;
    double total = 0.0;
    u32 best = 0;  // the step of the best cut
  };

  // ---- what is served ----
  bool usual_rules() const {
    return options_.selection == Selection::gain && options_.nominal == NominalSplit::subset && !options_.max_bins &&
           !options_.attributes_per_node && options_.missing != Missing::surrogate && !fills(options_.missing) &&
           options_.threshold_gap == 0.0 && !options_.threshold_cost && !options_.min_cut &&
           options_.min_objects == 0.0 && options_.min_weight_leaf == 0.0 && !options_.significance;
  }

  // ---- the table ----
  void gather(const Open& open) {
    n_ = open.count();
    if (place_.size() < frame_->size) place_.resize(frame_->size);
    for (u32 i = 0; i < n_; ++i) {
      u32 instance = frame_->order[open.begin + i];
      instance_[i] = instance;
      order_[i] = static_cast<u8>(i);
      place_[instance] = static_cast<u8>(i);
      y_[i] = frame_->target[instance];
      if (plan_.fixed.usable()) fixed_[i] = plan_.fixed.of(y_[i]);
    }
    if (columns_.size() < open.active->size()) columns_.resize(open.active->size());
    for (size_t c = 0; c < open.active->size(); ++c) {
      SortedColumn& column = columns_[c];
      column.cells = &frame_->columns[(*open.active)[c]];
      column.attribute = &plan_.attributes[column.cells->attribute];
      if (column.cells->list.empty())
        sort_codes(column);
      else
        rank_list(column, column.cells->list.data() + open.begin);
    }
  }
  void rank_list(SortedColumn& column, const u32* list) {
    u32 rank = 0;
    for (u32 p = 0; p < n_; ++p) {
      rank += p && !(list[p] & TIE);
      column.entries[p] = static_cast<uint16_t>(rank << 8 | place_[list[p] & plan_.row_mask]);
    }
  }
  void sort_codes(SortedColumn& column) {
    std::array<u64, FEW_ROWS> keys;
    const FrameColumn& cells = *column.cells;
    for (u32 i = 0; i < n_; ++i) {
      u32 code = cells.code32.empty() ? cells.code8[instance_[i]] : static_cast<u32>(cells.code32[instance_[i]]);
      keys[i] = u64{code} << 8 | i;
    }
    std::sort(keys.begin(), keys.begin() + n_);
    u32 rank = 0;
    for (u32 p = 0; p < n_; ++p) {
      rank += p && keys[p] >> 8 != keys[p - 1] >> 8;
      column.code[rank] = static_cast<u32>(keys[p] >> 8);
      column.entries[p] = static_cast<uint16_t>(rank << 8 | (keys[p] & 255));
    }
  }
  static u32 rank_of(uint16_t entry) { return entry >> 8; }
  static u32 row_of(uint16_t entry) { return entry & 255; }

  // ---- one node ----
  // Its columns that may vary are those of active_ from `active` on.
  void grow_node(u32 begin, u32 end, int32_t record, int32_t depth, size_t active) {
    ++looked_at_;
    look(begin, end, record);
    size_t first = active_.size();
    offers_.clear();
    for (size_t i = active; i < first; ++i) {
      const SortedColumn& column = columns_[active_[i]];
      if (rank_of(column.entries[begin]) == rank_of(column.entries[end - 1])) continue;  // constant
      u32 c = active_[i];
      active_.push_back(c);
      offers_.push_back(offer(column, begin, end));
      if (end - begin == 2) break;  // the others divide the two rows in the same way
    }
    size_t best = best_offer();
    if (best < offers_.size()) {
      u32 column = active_[first + best];
      double gain = offers_[best].gain;
      Candidate& c = candidate_;
      c.gain = c.worth = gain;
      if (why_refused(options_, *view_, plan_.root_weight, c) == Stop::no)
        split(columns_[column], begin, end, record, depth, first);
    }
    active_.resize(first);
  }

  void look(u32 begin, u32 end, int32_t record) {
    const double* value = builder_.value(record);
    NodeView& view = *view_;
    double whole = end - begin;
    view.weight = view.scale = whole;
    view.center = view.measure.mean = value[target_.mean()];
    view.sums[0] = whole;
    view.sums[1] = 0.0;
    for (u32 p = begin; p < end; ++p) {
      deviation_[order_[p]] = y_[order_[p]] - view.center;
      view.sums[1] += deviation_[order_[p]];
    }
    view.variance = value[target_.squares()] / whole;
    double impurity = view.variance;
    if (options_.criterion == Criterion::poisson) {
      double sum = 0.0, mean = view.center;
      for (u32 p = begin; p < end; ++p) {
        double y = y_[order_[p]];
        sum += (y > 0.0 ? y * std::log(y / mean) : 0.0) - y + mean;
      }
      impurity = std::max(sum, 0.0) / whole;
    }
    view.tolerance = TIE_REGRESSION * impurity;
    exact_ = plan_.fixed.precise(view.variance);
    if (exact_) view.fixed_center = plan_.fixed.parts_of(view.center);
  }

  // The first of those within the tolerance of the best; as many as there are: none.
  size_t best_offer() const {
    double largest = -std::numeric_limits<double>::infinity();
    for (const Offered& o : offers_)
      if (o.exists) largest = std::max(largest, o.gain);
    for (size_t i = 0; i < offers_.size(); ++i)
      if (offers_[i].exists && offers_[i].gain >= largest - view_->tolerance) return i;
    return offers_.size();
  }

  Offered offer(const SortedColumn& column, u32 begin, u32 end) {
    if (column.attribute->nominal)
      order_values(column, begin, end);
    else
      add_up(column, begin, end);
    return with_number_criterion(*view_, [&](auto by) { return best_cut(by); });
  }

  // Of the steps of a column the first whose purity is within the tolerance of the best.
  template <typename By>
  Offered best_cut(const By& by) {
    Steps& s = steps_;
    std::array<double, FEW_ROWS> purity;
    double largest = -std::numeric_limits<double>::infinity(), whole = view_->weight;
    double least = static_cast<double>(std::max<int64_t>(options_.min_samples_leaf, 1));
    for (u32 i = 0; i < s.n; ++i) {
      double left = s.rows[i], right = whole - left, rest = s.total - s.sum[i];
      bool admissible = left >= least && right >= least && by.sensible(left, s.sum[i]) && by.sensible(right, rest);
      purity[i] =
          admissible ? by.purity(left, s.sum[i]) + by.purity(right, rest) : -std::numeric_limits<double>::infinity();
      largest = std::max(largest, purity[i]);
    }
    if (largest == -std::numeric_limits<double>::infinity()) return {false, 0.0};
    double floor = largest - view_->tolerance * view_->scale;
    s.best = 0;
    while (purity[s.best] < floor) ++s.best;
    return {true, (purity[s.best] - by.purity(whole, s.total)) / view_->scale};
  }

  // ---- the steps of a column: its values in order, but for the last ----
  bool counts_exactly(const SortedColumn& column) const {
    if (!column.cells->list.empty() || !exact_) return false;
    return !column.attribute->nominal || column.attribute->n_codes() * size_t{2} < MOST_BINS;
  }
  void add_up(const SortedColumn& column, u32 begin, u32 end) {
    Steps& s = steps_;
    s.n = 0;
    const uint16_t* entries = column.entries.data();
    if (counts_exactly(column)) {
      FixedSum run;
      for (u32 p = begin; p < end; ++p) {
        if (p > begin && rank_of(entries[p]) != rank_of(entries[p - 1]))
          step(p - begin, plan_.fixed.sum(run, view_->fixed_center));
        run.add(fixed_[row_of(entries[p])]);
      }
      s.total = plan_.fixed.sum(run, view_->fixed_center);
      return;
    }
    double left = 0.0, group = 0.0;
    for (u32 p = begin; p < end; ++p) {
      if (p > begin && rank_of(entries[p]) != rank_of(entries[p - 1])) {
        left += group;
        group = 0.0;
        step(p - begin, left);
      }
      group += deviation_[row_of(entries[p])];
    }
    s.total = column.cells->list.empty() ? left + group : view_->sums[1];
  }
  void step(double rows, double sum) {
    steps_.rows[steps_.n] = rows;
    steps_.sum[steps_.n++] = sum;
  }

  // Nominal: the values by their means; value_ is the place of each among those that occur, by code.
  void order_values(const SortedColumn& column, u32 begin, u32 end) {
    std::array<double, FEW_ROWS> rows, sum, key;
    u32 n = sum_values(column, begin, end, rows, sum);
    Steps& s = steps_;
    s.total = 0.0;
    double spread = std::sqrt(view_->variance);
    for (u32 v = 0; v < n; ++v) {
      s.total += sum[v];
      key[v] = view_->variance > 0.0 ? std::nearbyint(sum[v] / rows[v] / spread * 1e9) : 0.0;
      u32 at = v;
      for (; at && key[value_[at - 1]] > key[v]; --at) value_[at] = value_[at - 1];
      value_[at] = static_cast<u8>(v);
    }
    s.n = 0;
    double left = 0.0, left_sum = 0.0;
    for (u32 i = 0; i + 1 < n; ++i) {
      left += rows[value_[i]];
      left_sum += sum[value_[i]];
      step(left, left_sum);
    }
  }
  // The rows and the sum of each value that occurs, by code; returns how many do.
  u32 sum_values(const SortedColumn& column, u32 begin, u32 end, std::array<double, FEW_ROWS>& rows,
                 std::array<double, FEW_ROWS>& sum) const {
    const uint16_t* entries = column.entries.data();
    bool exact = counts_exactly(column);
    u32 n = 0;
    for (u32 p = begin; p < end; ++n) {
      u32 first = p, rank = rank_of(entries[p]);
      FixedSum run;
      double group = 0.0;
      for (; p < end && rank_of(entries[p]) == rank; ++p) {
        if (exact)
          run.add(fixed_[row_of(entries[p])]);
        else
          group += deviation_[row_of(entries[p])];
      }
      rows[n] = p - first;
      sum[n] = exact ? plan_.fixed.sum(run, view_->fixed_center) : group;
    }
    return n;
  }

  // ---- the split ----
  void split(const SortedColumn& column, u32 begin, u32 end, int32_t record, int32_t depth, size_t active) {
    offer(column, begin, end);  // again, for its steps
    double left = steps_.rows[steps_.best], right = (end - begin) - left;
    Candidate& c = candidate_;
    c.branch_of_value.clear();
    c.branch_weight = {left, right};
    if (column.attribute->nominal)
      divide_values(column, begin, end);
    else
      divide_at(column, begin, end, begin + static_cast<u32>(left));
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
    bool goes_on[2] = {measure(begin, middle, first, depth + 1), measure(middle, end, first + 1, depth + 1)};
    if (!goes_on[0] && !goes_on[1]) return;
    for (size_t i = active; i < active_.size(); ++i) divide(columns_[active_[i]].entries.data(), begin, end);
    if (goes_on[1]) grow_node(middle, end, first + 1, depth + 1, active);
    if (goes_on[0]) grow_node(begin, middle, first, depth + 1, active);
  }

  void divide_at(const SortedColumn& column, u32 begin, u32 end, u32 cut) {
    Candidate& c = candidate_;
    c.kind = SplitKind::threshold;
    for (u32 p = begin; p < end; ++p) side_[row_of(column.entries[p])] = p >= cut;
    uint16_t below = column.entries[cut - 1], above = column.entries[cut];
    if (column.cells->list.empty()) {
      c.low = column.attribute->high[column.code[rank_of(below)]];
      c.high = column.attribute->low[column.code[rank_of(above)]];
    } else {
      const Column& numbers = plan_.data.columns[column.cells->attribute];
      c.low = numbers.number(frame_->row_of(instance_[row_of(below)]));
      c.high = numbers.number(frame_->row_of(instance_[row_of(above)]));
    }
    divide(order_.data(), begin, end);
  }

  // The first value that occurs stands on the left.
  void divide_values(const SortedColumn& column, u32 begin, u32 end) {
    Candidate& c = candidate_;
    c.kind = SplitKind::subset;
    c.branch_of_value.assign(column.attribute->n_values, -1);
    std::array<u8, FEW_ROWS> right;  // by value
    for (u32 i = 0; i <= steps_.n; ++i) right[value_[i]] = i > steps_.best;
    u8 swap = right[0];
    if (swap) std::swap(c.branch_weight[0], c.branch_weight[1]);
    u32 value = 0;
    for (u32 p = begin; p < end; ++p) {
      value += p > begin && rank_of(column.entries[p]) != rank_of(column.entries[p - 1]);
      u8 side = right[value] ^ swap;
      side_[row_of(column.entries[p])] = side;
      c.branch_of_value[column.code[rank_of(column.entries[p])]] = side;
    }
    divide(order_.data(), begin, end);
  }

  // Stable, by the sides of the rows.
  template <typename Entry>
  void divide(Entry* entries, u32 begin, u32 end) const {
    std::array<Entry, FEW_ROWS> right;
    u32 left = begin, n = 0;
    for (u32 p = begin; p < end; ++p) {
      Entry entry = entries[p];
      u8 side = side_[row_of(entry)];
      entries[left] = entry;
      right[n] = entry;
      left += !side;
      n += side;
    }
    std::copy_n(right.begin(), n, entries + left);
  }

  // The numbers of a child, as in numbers.h; whether it may be split.
  bool measure(u32 begin, u32 end, int32_t record, int32_t depth) {
    NodeRecord& node = builder_.nodes[record];
    double* value = builder_.value(record);
    double sum = 0.0, low = y_[order_[begin]], high = low;
    for (u32 p = begin; p < end; ++p) {
      double y = y_[order_[p]];
      sum += y;
      low = std::min(low, y);
      high = std::max(high, y);
    }
    node.count = end - begin;
    node.weight = static_cast<double>(end - begin);
    double mean = low == high ? low : sum / node.weight, squares = 0.0;
    for (u32 p = begin; p < end; ++p) {
      double d = y_[order_[p]] - mean;
      squares += d * d;
    }
    value[0] = value[target_.mean()] = mean;
    value[target_.squares()] = squares;
    bool deep = options_.max_depth >= 0 && depth >= options_.max_depth;
    return low != high && !deep && node.count >= options_.min_samples_split;
  }

  const Plan& plan_;
  const Options& options_;
  TargetKind target_;
  Builder& builder_;
  const Splitter& splitter_;
  bool able_ = false, exact_ = false;
  u32 n_ = 0;
  u64 looked_at_ = 0;
  const Frame* frame_ = nullptr;
  NodeView* view_ = nullptr;
  Candidate candidate_;
  Steps steps_;
  std::array<u32, FEW_ROWS> instance_;
  std::array<u8, FEW_ROWS> order_, side_, value_;  // order_: the rows by node, rising in a node
  std::array<double, FEW_ROWS> y_, deviation_;
  std::array<FixedSum, FEW_ROWS> fixed_;
  std::vector<u8> place_;  // of an instance of the frame, its place among the rows
  std::vector<SortedColumn> columns_;
  std::vector<u32> active_;  // columns that may vary, node below node
  std::vector<Offered> offers_;
};

}  // namespace quercus
