// FewRowsSearch: the best cut or division of a column of a RowTable, by the sums of its values: counts of two classes,
// or numbers. The sums and their order are those of the searches of larger nodes, so that the same splits are found.
#pragma once

#include "code_bins.h"
#include "number_scan.h"
#include "row_table.h"

namespace quercus {

class FewRowsSearch {
 public:
  struct Offer {
    bool exists;
    double gain;
  };

  FewRowsSearch(const Plan& plan, const RowTable& table) : plan_(plan), options_(plan.options), table_(table) {}

  // The rows of a subtree.
  void start(const Frame& frame, u32 n) {
    for (u32 i = 0; i < n; ++i) {
      if (plan_.data.n_classes) {
        label_[i] = static_cast<u8>(frame.label[table_.instance[i]]);
        continue;
      }
      y_[i] = frame.target[table_.instance[i]];
      if (plan_.fixed.usable()) fixed_[i] = plan_.fixed.of(y_[i]);
    }
  }
  double target(u32 row) const { return y_[row]; }
  u32 label(u32 row) const { return label_[row]; }

  // Begins a node, whose numbers are those of its record; `view` gets what the search sees of it.
  void look(u32 begin, u32 end, const double* value, NodeView& view) {
    view_ = &view;
    view.weight = view.scale = end - begin;
    if (plan_.data.n_classes) {
      view.sums.assign(value, value + 2);
      view.measure.totals = view.sums.data();
      view.tolerance = TIE_GAIN;
      base_ = view.measure.purity(view.sums.data());
      return;
    }
    TargetKind kind = plan_.target();
    view.center = view.measure.mean = value[kind.mean()];
    view.sums.assign({view.weight, 0.0});
    for (u32 p = begin; p < end; ++p) {
      u32 row = table_.order[p];
      deviation_[row] = y_[row] - view.center;
      view.sums[1] += deviation_[row];
    }
    view.variance = value[kind.squares()] / view.weight;
    bool poisson = options_.criterion == Criterion::poisson;
    view.tolerance = TIE_REGRESSION * (poisson ? poisson_impurity(begin, end) : view.variance);
    exact_ = plan_.fixed.precise(view.variance);
    if (exact_) view.fixed_center = plan_.fixed.parts_of(view.center);
  }

  // The best candidate of a column that is not constant.
  Offer offer(const SortedColumn& column, u32 begin, u32 end) {
    n_ = 0;
    if (column.attribute->nominal)
      order_values(column, begin, end);
    else if (plan_.data.n_classes)
      count_values(column, begin, end);
    else
      add_up_values(column, begin, end);
    if (!plan_.data.n_classes) return with_number_criterion(*view_, [&](auto by) { return best_of_numbers(by); });
    return with_class_criterion(options_.criterion, [&](auto c) { return best_of_classes<decltype(c)>(); });
  }

  // The best cut of the column that was looked at last: how many rows are left of it. Nominal: its values are those of
  // the first steps, in the order of value_at.
  u32 left_rows() const { return static_cast<u32>(rows_[best_]); }
  u32 best() const { return best_; }
  u32 n_values() const { return n_ + 1; }
  u32 value_at(u32 step) const { return value_[step]; }  // its place among the values that occur, by code

 private:
  double poisson_impurity(u32 begin, u32 end) const {
    double sum = 0.0, mean = view_->center;
    for (u32 p = begin; p < end; ++p) {
      double y = y_[table_.order[p]];
      sum += (y > 0.0 ? y * std::log(y / mean) : 0.0) - y + mean;
    }
    return std::max(sum, 0.0) / view_->weight;
  }

  // ---- steps: the sums on the left after each value but the last ----
  void step(double rows, double sum) {
    rows_[n_] = rows;
    sum_[n_++] = sum;
  }
  void count_values(const SortedColumn& column, u32 begin, u32 end) {
    u32 ones = 0;
    for (u32 p = begin; p < end; ++p) {
      if (p > begin && column.starts(p)) step(p - begin, ones);
      ones += label_[row_in(column.entries[p])];
    }
  }
  bool counts_exactly(const SortedColumn& column) const {
    if (column.listed() || !exact_) return false;
    return !column.attribute->nominal || column.attribute->n_codes() * size_t{2} < MOST_BINS;
  }
  void add_up_values(const SortedColumn& column, u32 begin, u32 end) {
    if (counts_exactly(column)) {
      FixedSum run;
      for (u32 p = begin; p < end; ++p) {
        if (p > begin && column.starts(p)) step(p - begin, plan_.fixed.sum(run, view_->fixed_center));
        run.add(fixed_[row_in(column.entries[p])]);
      }
      total_ = plan_.fixed.sum(run, view_->fixed_center);
      return;
    }
    double left = 0.0, group = 0.0;
    for (u32 p = begin; p < end; ++p) {
      if (p > begin && column.starts(p)) {
        left += group;
        group = 0.0;
        step(p - begin, left);
      }
      group += deviation_[row_in(column.entries[p])];
    }
    total_ = column.listed() ? view_->sums[1] : left + group;
  }

  // Nominal: the values by their shares of class 1 or by their means, ties by code.
  void order_values(const SortedColumn& column, u32 begin, u32 end) {
    PerRow<double> rows, sum, key;
    u32 n = sum_values(column, begin, end, rows, sum);
    double spread = plan_.data.n_classes ? 0.0 : std::sqrt(view_->variance);
    total_ = 0.0;
    for (u32 v = 0; v < n; ++v) {
      total_ += sum[v];
      double mean = sum[v] / rows[v];
      if (plan_.data.n_classes)
        key[v] = std::nearbyint(mean * 1e12);
      else
        key[v] = view_->variance > 0.0 ? std::nearbyint(mean / spread * 1e9) : 0.0;
      u32 at = v;
      for (; at && key[value_[at - 1]] > key[v]; --at) value_[at] = value_[at - 1];
      value_[at] = static_cast<u8>(v);
    }
    double left = 0.0, left_sum = 0.0;
    for (u32 i = 0; i + 1 < n; ++i) {
      left += rows[value_[i]];
      left_sum += sum[value_[i]];
      step(left, left_sum);
    }
  }
  // The rows and the sum of each value that occurs, by code; returns how many do.
  u32 sum_values(const SortedColumn& column, u32 begin, u32 end, PerRow<double>& rows, PerRow<double>& sum) const {
    bool exact = counts_exactly(column) && !plan_.data.n_classes;
    u32 n = 0;
    for (u32 p = begin; p < end; ++n) {
      u32 first = p;
      FixedSum run;
      double group = 0.0;
      do {
        u32 row = row_in(column.entries[p]);
        if (exact)
          run.add(fixed_[row]);
        else
          group += plan_.data.n_classes ? label_[row] : deviation_[row];
      } while (++p < end && !column.starts(p));
      rows[n] = p - first;
      sum[n] = exact ? plan_.fixed.sum(run, view_->fixed_center) : group;
    }
    return n;
  }

  // ---- the best step: the first whose purity is within the tolerance of the largest ----
  template <typename Purity>
  Offer best_step(double base, Purity purity) {
    constexpr double none = -std::numeric_limits<double>::infinity();
    PerRow<double> value;
    double largest = none, whole = view_->weight;
    double least = static_cast<double>(std::max<int64_t>(options_.min_samples_leaf, 1));
    for (u32 i = 0; i < n_; ++i) {
      value[i] = rows_[i] >= least && whole - rows_[i] >= least ? purity(rows_[i], sum_[i]) : none;
      largest = std::max(largest, value[i]);
    }
    if (largest == none) return {false, 0.0};
    double floor = largest - view_->tolerance * view_->scale;
    for (best_ = 0; value[best_] < floor;) ++best_;
    return {true, (value[best_] - base) / view_->scale};
  }
  template <typename By>
  Offer best_of_numbers(const By& by) {
    double whole = view_->weight;
    return best_step(by.purity(whole, total_), [&](double left, double sum) {
      double right = whole - left, rest = total_ - sum;
      bool sensible = by.sensible(left, sum) && by.sensible(right, rest);
      return sensible ? by.purity(left, sum) + by.purity(right, rest) : -std::numeric_limits<double>::infinity();
    });
  }
  template <typename C>
  Offer best_of_classes() {
    CountParts<C> part{plan_.parts.data()};
    u32 all = static_cast<u32>(view_->weight), ones = static_cast<u32>(view_->sums[1]);
    return best_step(base_, [&](double left, double left_ones) {
      return two_class_purity<C>(part, static_cast<u32>(left), static_cast<u32>(left_ones), all, ones);
    });
  }

  const Plan& plan_;
  const Options& options_;
  const RowTable& table_;
  const NodeView* view_ = nullptr;
  bool exact_ = false;  // numbers of coded columns are added up in fixed point
  double base_ = 0.0, total_ = 0.0;
  u32 n_ = 0, best_ = 0;
  PerRow<double> rows_, sum_;
  PerRow<u8> label_, value_;
  PerRow<double> y_, deviation_;
  PerRow<FixedSum> fixed_;
};

}  // namespace quercus
