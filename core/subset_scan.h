// SubsetScan: the best division of a nominal attribute's values into two subsets, by counts; all instances weigh one.
#pragma once

#include <bit>

#include "groups.h"
#include "many_class_scan.h"

namespace quercus {

// Where a prefix of the values in an order is a subset: which of the values are in it depends on the order alone.
class SubsetScan {
 public:
  // least: of instances on each side.
  SubsetScan(const NodeView& node, const ValueTable& table, const std::vector<int>& classes, double least,
             TieTracker& tracker)
      : node_(node), table_(table), classes_(classes), least_(least), tracker_(tracker) {
    keys_.resize(table.size());
    for (double rows : table.rows) m_ += static_cast<u32>(rows);
  }

  // The values by their shares of a class, ties by value; shares are rounded, so that noise does not order equal ones.
  const std::vector<u64>& order_by(int of_class) {
    for (size_t i = 0; i < table_.size(); ++i) {
      double whole = table_.weights[i];
      double share = whole > 0.0 ? std::nearbyint(table_.of(i)[of_class] / whole * 1e12) : 0.0;
      keys_[i] = static_cast<u64>(share) << VALUE_BITS | i;
    }
    std::sort(keys_.begin(), keys_.end());
    return keys_;
  }
  static size_t value_of(u64 key) { return key & (MOST_VALUES - 1); }
  static constexpr int VALUE_BITS = 23;
  static constexpr size_t MOST_VALUES = size_t{1} << VALUE_BITS;

  // Two classes, or one: the prefixes of the order by the later class.
  template <typename C>
  void two_classes(const std::vector<double>& total) {
    u32 n = 0, ones = 0, all_ones = static_cast<u32>(total[static_cast<size_t>(classes_.back())]);
    CountParts<C> part{node_.plan.parts.data()};
    const std::vector<u64>& order = order_by(classes_.back());
    for (u32 i = 0; i + 1 < order.size(); ++i) {
      size_t value = value_of(order[i]);
      n += static_cast<u32>(table_.rows[value]);
      ones += static_cast<u32>(table_.of(value)[classes_.back()]);
      if (n >= least_ && m_ - n >= least_) tracker_.add(two_class_purity<C>(part, n, ones, m_, all_ones), i, 0);
    }
  }

  // More: for each class in turn, the prefixes of the order by it. Sums run along with the classes that a value has.
  template <typename C>
  void many_classes(const std::vector<double>& total) {
    collect_cells();
    std::vector<u32> totals(total.begin(), total.end()), left(totals.size());
    CountParts<C> part{node_.plan.parts.data()};
    RunningParts<C> none, all, of_left, of_right;
    none.start(left, node_.plan.parts.data());
    all.start(totals, node_.plan.parts.data());
    for (size_t c = 0; c < classes_.size(); ++c) {
      const std::vector<u64>& order = order_by(classes_[c]);
      std::fill(left.begin(), left.end(), 0u);
      of_left = none;
      of_right = all;
      u32 n = 0;
      for (u32 i = 0; i + 1 < order.size(); ++i) {
        size_t value = value_of(order[i]);
        for (size_t at = start_[value]; at < start_[value + 1]; ++at) {
          auto [j, count] = cells_[at];
          of_left.rise(left[j], left[j] + count);
          of_right.fall(totals[j] - left[j], totals[j] - left[j] - count);
          left[j] += count;
          n += count;
        }
        if (n >= least_ && m_ - n >= least_)
          tracker_.add(C::whole(of_left.value(), n, part) + C::whole(of_right.value(), m_ - n, part), i,
                       static_cast<int>(c));
      }
    }
  }

  // Every division, the first value on the left; a mask says which of the others are there, too.
  template <typename C>
  void all_divisions(const std::vector<double>& total) {
    size_t others = table_.size() - 1, k = classes_.size();
    std::vector<u32> rows((others + 1) * k), totals(k), sums((others + 1) * k);  // sums[b]: of the bits from b on
    for (size_t j = 0; j < k; ++j) totals[j] = static_cast<u32>(total[static_cast<size_t>(classes_[j])]);
    for (size_t i = 0; i <= others; ++i)
      for (size_t j = 0; j < k; ++j) rows[i * k + j] = static_cast<u32>(table_.of(i)[classes_[j]]);
    std::copy(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(k),
              sums.begin() + static_cast<std::ptrdiff_t>(others * k));
    CountParts<C> part{node_.plan.parts.data()};
    for (u32 mask = 0; mask + 1 < (u32{1} << others); ++mask) {
      for (size_t bit = mask ? static_cast<size_t>(std::countr_zero(mask)) + 1 : others; bit-- > 0;)
        for (size_t j = 0; j < k; ++j)
          sums[bit * k + j] = sums[(bit + 1) * k + j] + ((mask >> bit & 1) ? rows[(bit + 1) * k + j] : 0);
      u32 n = std::accumulate(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(k), 0u);
      if (n < least_ || m_ - n < least_) continue;
      double a = 0.0, b = 0.0;
      for (size_t j = 0; j < k; ++j) {
        include<C>(a, part(sums[j]));
        include<C>(b, part(totals[j] - sums[j]));
      }
      tracker_.add(C::whole(a, n, part) + C::whole(b, m_ - n, part), mask, -1);
    }
  }

 private:
  struct Cell {
    u32 label, count;
  };
  // The cells of the table that are not 0, value by value.
  void collect_cells() {
    for (size_t i = 0; i < table_.size(); ++i) {
      start_.push_back(cells_.size());
      for (int j : classes_)
        if (table_.of(i)[j] > 0.0) cells_.push_back({static_cast<u32>(j), static_cast<u32>(table_.of(i)[j])});
    }
    start_.push_back(cells_.size());
  }

  const NodeView& node_;
  const ValueTable& table_;
  const std::vector<int>& classes_;
  double least_;
  TieTracker& tracker_;
  u32 m_ = 0;
  std::vector<u64>& keys_ = kept_keys();
  std::vector<size_t> start_;
  std::vector<Cell> cells_;
  static std::vector<u64>& kept_keys() {
    static thread_local std::vector<u64> keys;
    return keys;
  }
};

}  // namespace quercus
