// Surrogates: tests on other attributes that imitate a binary split, for instances whose value of it is unknown.
#pragma once

#include "cut_point.h"
#include "groups.h"

namespace quercus {

constexpr u8 NO_SIDE = 2;  // primary value unknown

class SurrogateSearch {
 public:
  // side[instance]: the branch of the primary split, or NO_SIDE.
  SurrogateSearch(const NodeView& node, const std::vector<u8>& side) : node_(node), side_(side) {}

  // The best surrogate of one column, if it agrees better than going with the majority.
  bool best(const FrameColumn& column, Surrogate& out) {
    collect(column);
    double total = 0.0, zero = 0.0;
    for (const Value& v : values_) {
      zero += v.weight[0];
      total += v.weight[0] + v.weight[1];
    }
    double baseline = std::max(zero, total - zero);
    if (values_.size() < 2 || total - baseline <= WEIGHT_SLACK * total) return false;
    bool nominal = node_.plan.attributes[column.attribute].nominal;
    double agreeing = nominal ? by_value(column, out) : by_cut(column, zero, total, out);
    if (agreeing < 0.0) return false;
    out.attribute = static_cast<int32_t>(column.attribute);
    out.agreement = agreeing / total;
    out.adjusted = (agreeing - baseline) / (total - baseline);
    return out.adjusted > 1e-9;
  }

 private:
  struct Value {
    double number_low = 0.0, number_high = 0.0;
    u32 code = 0;
    double weight[2] = {0.0, 0.0};
    int64_t rows = 0;      // known on both
    bool present = false;  // on any instance of the node
  };

  void count(Value& value, u32 instance) const {
    value.weight[side_[instance]] += node_.frame.weight_of(instance);
    ++value.rows;
  }

  void collect(const FrameColumn& column) {
    values_.clear();
    const Attribute& attribute = node_.plan.attributes[column.attribute];
    if (!column.list.empty()) {
      u32 known = known_entries(node_, column);
      for (u32 i = node_.begin; i < node_.begin + known; ++i) {
        u32 entry = column.list[i], instance = entry & node_.plan.row_mask;
        if (i == node_.begin || !(entry & TIE)) {
          values_.emplace_back();
          values_.back().number_low = low_number_at(node_, column, i);
          values_.back().number_high = high_number_at(node_, column, i);
        }
        if (side_[instance] != NO_SIDE) count(values_.back(), instance);
      }
      return;
    }
    static thread_local std::vector<Value> table;
    table.assign(column.code32.empty() ? 256 : attribute.n_values, Value{});
    for (u32 i = node_.begin; i < node_.end; ++i) {
      u32 instance = node_.frame.order[i];
      int32_t code = column.code32.empty() ? column.code8[instance] : column.code32[instance];
      if (code < 0 || (column.code32.empty() && code == UNKNOWN8)) continue;
      table[static_cast<size_t>(code)].present = true;
      if (side_[instance] != NO_SIDE) count(table[static_cast<size_t>(code)], instance);
    }
    for (u32 code = 0; code < table.size(); ++code) {
      if (attribute.nominal ? !table[code].rows : !table[code].present) continue;
      values_.push_back(table[code]);
      values_.back().code = code;
      if (attribute.nominal) continue;
      values_.back().number_low = attribute.low[code];
      values_.back().number_high = attribute.high[code];
    }
  }

  // Thresholds ascending, low side to branch 0 before low side to branch 1.
  double by_cut(const FrameColumn& column, double zero, double total, Surrogate& out) {
    TieTracker tracker;
    double baseline = std::max(zero, total - zero);
    tracker.reset(TIE_GAIN * (total - baseline));
    double low0 = 0.0, low1 = 0.0;
    int64_t rows = 0, all = 0;
    for (const Value& v : values_) all += v.rows;
    for (u32 i = 0; i + 1 < values_.size(); ++i) {
      low0 += values_[i].weight[0];
      low1 += values_[i].weight[1];
      rows += values_[i].rows;
      if (rows < 2 || all - rows < 2) continue;
      double one = total - zero;
      tracker.add(low0 + (one - low1), i, 0);
      tracker.add(low1 + (zero - low0), i, 1);
    }
    if (tracker.empty()) return -1.0;
    const TieTracker::Entry& winner = tracker.winner();
    out.kind = SplitKind::threshold;
    out.threshold = cut_between(values_[winner.where].number_high, values_[winner.where + 1].number_low,
                                node_.plan.options.threshold_scale(column.attribute));
    out.low_child = winner.form;
    out.group.clear();
    return winner.value;
  }

  // Every value to the branch where most of its weight goes.
  double by_value(const FrameColumn& column, Surrogate& out) {
    double agreeing = 0.0;
    out.kind = SplitKind::subset;
    out.threshold = std::numeric_limits<double>::quiet_NaN();
    out.low_child = 0;
    out.group.assign(node_.plan.attributes[column.attribute].n_values, -1);
    for (const Value& v : values_) {
      int to = v.weight[1] > v.weight[0] + WEIGHT_SLACK * (v.weight[0] + v.weight[1]) ? 1 : 0;
      out.group[v.code] = to;
      agreeing += v.weight[to];
    }
    return agreeing;
  }

  const NodeView& node_;
  const std::vector<u8>& side_;
  std::vector<Value> values_;
};

// Up to `most` surrogates, best agreement first, equal ones in attribute order.
inline std::vector<Surrogate> find_surrogates(const NodeView& node, const std::vector<u8>& side,
                                              const std::vector<u32>& columns, u32 primary, int most) {
  std::vector<Surrogate> candidates, best_ones;
  SurrogateSearch search(node, side);
  for (u32 c : columns) {
    Surrogate surrogate;
    if (c != primary && search.best(node.frame.columns[c], surrogate)) candidates.push_back(std::move(surrogate));
  }
  while (!candidates.empty() && static_cast<int>(best_ones.size()) < most) {
    double best = 0.0;
    for (const Surrogate& s : candidates) best = std::max(best, s.agreement);
    auto first = std::find_if(candidates.begin(), candidates.end(),
                              [&](const Surrogate& s) { return s.agreement >= best - TIE_GAIN; });
    best_ones.push_back(std::move(*first));
    candidates.erase(first);
  }
  return best_ones;
}

}  // namespace quercus
