// CodeScan: the cuts of a coded numeric column from exact counts of its codes (code_bins.h).
#pragma once

#include "code_bins.h"
#include "many_class_scan.h"

namespace quercus {

// The values of the column that occur at a node and what is known of the cuts between them. The purities of all cuts
// come first; then the best of them is looked for.
class CodeScan {
 public:
  // Unknown instances stand on one side or the other (form 0: left, form 1: right), or nowhere.
  CodeScan(const NodeView& node, bool own_value) : node_(node), own_value_(own_value) {}

  // Adds up the counts of the column.
  void start(const FrameColumn& column) {
    codes_.clear();
    rows_.clear();
    with_code_bins(node_, column, [&](const auto* bins, u32 width, const std::vector<u32>& present, u32 n_codes) {
      unknown_rows_ = 0;
      codes_.assign(present.begin(), present.end());
      if (!codes_.empty() && codes_.back() == n_codes) {
        keep_unknown(bins + static_cast<size_t>(n_codes) * width, width);
        codes_.pop_back();
      } else {
        forget_unknown(width);
      }
      add_up(bins, width);
    });
  }

  const std::vector<u32>& codes() const { return codes_; }
  u32 known() const { return rows_.empty() ? 0 : rows_.back(); }
  u32 unknown() const { return unknown_rows_; }
  u32 placed() const { return known() + (own() ? unknown_rows_ : 0); }  // instances that stand on one of the sides
  u32 rows_before(u32 value) const { return value ? rows_[value - 1] : 0; }
  bool own() const { return own_value_ && unknown_rows_; }

  // The purity of all that is placed.
  double base() const {
    if (!node_.plan.data.n_classes) {
      double sum = sums_.back() + (own() ? unknown_sum_ : 0.0);
      return SquaredError::purity(placed(), sum);
    }
    static thread_local std::vector<double> counts;
    counts.resize(totals_.size());
    for (size_t j = 0; j < counts.size(); ++j) counts[j] = totals_[j];
    return node_.measure.purity(counts.data());
  }

  // Calls visit(value, purity, form) for each cut before a value that leaves at least `least` instances on both sides;
  // returns their number.
  template <typename Visit>
  u32 cuts(u32 least, Visit visit) {
    if (!node_.plan.data.n_classes) return number_cuts(least, visit);
    return with_class_criterion(node_.plan.options.criterion, [&](auto criterion) {
      if (totals_.size() == 2)
        return two_class_cuts<decltype(criterion)>(least, visit);
      else
        return many_class_cuts<decltype(criterion)>(least, visit);
    });
  }
  // The purity of known | unknown.
  double known_against_unknown() const {
    if (!node_.plan.data.n_classes)
      return SquaredError::purity(known(), sums_.back()) + SquaredError::purity(unknown_rows_, unknown_sum_);
    std::vector<double> sides[2];
    for (size_t j = 0; j < totals_.size(); ++j) {
      sides[0].push_back(totals_[j] - unknown_counts_[j]);
      sides[1].push_back(unknown_counts_[j]);
    }
    return node_.measure.purity(sides[0].data()) + node_.measure.purity(sides[1].data());
  }

 private:
  // ---- adding up ----
  void keep_unknown(const u32* bin, u32 width) {
    unknown_counts_.assign(bin, bin + width);
    unknown_rows_ = std::accumulate(bin, bin + width, 0u);
  }
  void keep_unknown(const FixedSum* bin, u32) {
    unknown_rows_ = node_.plan.fixed.count(*bin);
    unknown_sum_ = node_.plan.fixed.sum(*bin, node_.fixed_center);
  }
  void forget_unknown(u32 width) {
    unknown_counts_.assign(width, 0);
    unknown_rows_ = 0;
    unknown_sum_ = 0.0;
  }
  void add_up(const FixedSum* bins, u32) {
    FixedSum run;
    sums_.resize(codes_.size());
    rows_.resize(codes_.size());
    for (size_t i = 0; i < codes_.size(); ++i) {
      run.add(bins[codes_[i]]);
      rows_[i] = node_.plan.fixed.count(run);
      sums_[i] = node_.plan.fixed.sum(run, node_.fixed_center);
    }
  }
  void add_up(const u32* bins, u32 width) {
    counts_.resize(codes_.size() * width);
    rows_.resize(codes_.size());
    totals_.assign(width, 0);
    u32 rows = 0;
    for (size_t i = 0; i < codes_.size(); ++i) {
      const u32* bin = bins + static_cast<size_t>(codes_[i]) * width;
      for (u32 j = 0; j < width; ++j) {
        counts_[i * width + j] = totals_[j] += bin[j];
        rows += bin[j];
      }
      rows_[i] = rows;
    }
    if (own())
      for (u32 j = 0; j < width; ++j) totals_[j] += unknown_counts_[j];
  }

  // ---- cuts ----
  // Calls use(value, form) for the admissible cuts, in order; returns their number.
  template <typename Use>
  u32 admissible(u32 least, Use use) const {
    u32 all = placed(), extra = own() ? unknown_rows_ : 0, cuts = 0;
    for (u32 i = 1; i < codes_.size(); ++i) {
      u32 left = rows_[i - 1];
      if (extra && left + extra >= least && all - left - extra >= least) {
        use(i, 0);
        ++cuts;
      }
      if (left >= least && all - left >= least) {
        use(i, 1);
        ++cuts;
      }
    }
    return cuts;
  }
  template <typename Visit>
  u32 number_cuts(u32 least, Visit visit) const {
    double whole = placed(), total = sums_.back() + (own() ? unknown_sum_ : 0.0);
    return admissible(least, [&](u32 i, int form) {
      double left = rows_[i - 1], sum = sums_[i - 1];
      if (form == 0) {
        left += unknown_rows_;
        sum += unknown_sum_;
      }
      visit(i, SquaredError::purity(left, sum) + SquaredError::purity(whole - left, total - sum), form);
    });
  }
  template <typename C, typename Visit>
  u32 two_class_cuts(u32 least, Visit visit) const {
    CountParts<C> part{node_.plan.parts.data()};
    u32 all = placed(), ones = totals_[1];
    return admissible(least, [&](u32 i, int form) {
      u32 left = rows_[i - 1], left_ones = counts_[2 * (i - 1) + 1];
      if (form == 0) {
        left += unknown_rows_;
        left_ones += unknown_counts_[1];
      }
      visit(i, two_class_purity<C>(part, left, left_ones, all, ones), form);
    });
  }
  template <typename C, typename Visit>
  u32 many_class_cuts(u32 least, Visit visit) {
    size_t k = totals_.size();
    nothing_.assign(k, 0);
    present_.clear();
    for (u32 j = 0; j < k; ++j)
      if (totals_[j]) present_.push_back(j);
    return admissible(least, [&](u32 i, int form) {
      const u32* extra = form == 0 ? unknown_counts_.data() : nothing_.data();
      visit(i,
            many_class_purity<C>(node_.plan.parts.data(), present_, counts_.data() + (i - 1) * k, extra, totals_.data(),
                                 rows_[i - 1] + (form == 0 ? unknown_rows_ : 0), placed()),
            form);
    });
  }

  const NodeView& node_;
  bool own_value_;
  u32 unknown_rows_ = 0;
  double unknown_sum_ = 0.0;
  struct Scratch {
    std::vector<u32> codes, rows, counts, totals, unknown_counts, nothing, present;
    std::vector<double> sums;
  };
  static Scratch& scratch() {
    static thread_local Scratch buffers;
    return buffers;
  }
  std::vector<u32>&codes_ = scratch().codes, &rows_ = scratch().rows;  // values that occur; instances up to each
  std::vector<u32>& counts_ = scratch().counts;                        // [value, class], up to each value
  std::vector<u32>&totals_ = scratch().totals, &unknown_counts_ = scratch().unknown_counts;
  std::vector<u32>&nothing_ = scratch().nothing, &present_ = scratch().present;
  std::vector<double>& sums_ = scratch().sums;  // numbers: up to each value
};

}  // namespace quercus
