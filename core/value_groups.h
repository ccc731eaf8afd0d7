// ValueGroups: C4.5's groups of the values of a nominal attribute: two groups are merged while the gain ratio rises.
#pragma once

#include <numeric>

#include "groups.h"

namespace quercus {

// The purity and the split information of every pair of groups are kept from merge to merge: a merge changes those of
// one group. A pair's ratio, (purity + a) / (information + b) with a and b of its own, is above a ratio t if
// a - t b > t * information - purity; from the largest a - t b of a row of pairs, known for a smaller t, follows a
// bound for the present one, and only rows that it does not rule out are looked at.
class ValueGroups {
 public:
  std::vector<std::vector<size_t>> members;  // indices into the table, group by group
  std::vector<double> weight, purity;

  ValueGroups(const NodeView& node, const ValueTable& table, double base, double unknown_weight)
      : node_(node),
        table_(table),
        width_(static_cast<size_t>(table.width)),
        base_(base),
        unknown_info_(entropy_term(unknown_weight, node.weight)) {
    start();
    with_class_criterion(node.measure.criterion, [&](auto criterion) { merge_all<decltype(criterion)>(); });
    finish();
  }

 private:
  // One group for each value; of very many values the lightest together.
  void start() {
    constexpr size_t most = 256;
    std::vector<size_t> by_weight(table_.size());
    std::iota(by_weight.begin(), by_weight.end(), size_t{0});
    std::vector<u8> pooled(table_.size(), 0);
    if (table_.size() > most) {
      std::stable_sort(by_weight.begin(), by_weight.end(),
                       [&](size_t a, size_t b) { return table_.weights[a] > table_.weights[b]; });
      for (size_t i = most - 1; i < by_weight.size(); ++i) pooled[by_weight[i]] = 1;
    }
    size_t pool = ~size_t{0};
    for (size_t v = 0; v < table_.size(); ++v) {
      if (pooled[v] && pool != ~size_t{0}) {
        members[pool].push_back(v);
        continue;
      }
      if (pooled[v]) pool = members.size();
      members.push_back({v});
    }
    sums_.assign(members.size() * width_, 0.0);
    for (size_t i = 0; i < members.size(); ++i) {
      for (size_t v : members[i])
        for (size_t c = 0; c < width_; ++c) sums_[i * width_ + c] += table_.of(v)[c];
      weight.push_back(node_.measure.weight(sums_.data() + i * width_));
      purity.push_back(node_.measure.purity(sums_.data() + i * width_));
      info_.push_back(entropy_term(weight.back(), node_.weight));
    }
  }

  double ratio(double whole_purity, double info) const {
    return info > 0.0 ? (whole_purity - base_) / node_.scale / info : 0.0;
  }

  template <typename C>
  void merge_all() {
    n_ = members.size();
    left_.resize(n_);
    std::iota(left_.begin(), left_.end(), size_t{0});
    add_up();
    double now = ratio(whole_purity_, whole_info_);
    prepare_pairs<C>(now * node_.scale);
    TieTracker tracker;
    while (left_.size() > 2) {
      now = ratio(whole_purity_, whole_info_);
      tracker.reset(node_.tolerance);
      for (size_t at = 0; at + 1 < left_.size(); ++at) look_at_row(at, now, tracker);
      if (tracker.empty() || !(tracker.winner().value > now + node_.tolerance)) break;
      merge<C>(tracker.winner().where / n_, tracker.winner().where % n_, now * node_.scale);
    }
  }

  void add_up() {
    whole_purity_ = 0.0;
    whole_info_ = unknown_info_;
    for (size_t i : left_) {
      whole_purity_ += purity[i];
      whole_info_ += info_[i];
    }
  }

  // ---- pairs ----
  struct Row {
    double slope = 0.0;                                      // t, for which the bound was found
    double most = -std::numeric_limits<double>::infinity();  // the largest a - t b
    double steepest = 0.0;                                   // the largest -b
    void include(double a, double b) {
      most = std::max(most, a - slope * b);
      steepest = std::max(steepest, -b);
    }
  };

  double a(size_t i, size_t j) const { return pair_purity_[i * n_ + j] - purity[i] - purity[j]; }
  double b(size_t i, size_t j) const { return pair_info_[i * n_ + j] - info_[i] - info_[j]; }

  // The split information of a group; that of counts is found once for each.
  double info_of(double group_weight) {
    if (!node_.unit || !node_.frame.share.empty()) return entropy_term(group_weight, node_.weight);
    if (info_of_count_.empty()) info_of_count_.assign(node_.count() + size_t{1}, -1.0);
    double& info = info_of_count_[static_cast<size_t>(group_weight)];
    if (info < 0.0) info = entropy_term(group_weight, node_.weight);
    return info;
  }

  // Counts find their parts in the table.
  template <typename C>
  double purity_of(const double* sums) const {
    if constexpr (C::parts == Parts::costly)
      if (node_.unit && node_.frame.share.empty() && !node_.measure.multipliers && !node_.plan.parts.empty()) {
        CountParts<C> part{node_.plan.parts.data()};
        double sum = 0.0;
        u32 n = 0;
        for (size_t c = 0; c < width_; ++c) {
          u32 count = static_cast<u32>(sums[c]);
          sum += part(count);
          n += count;
        }
        return C::whole(sum, n, part);
      }
    return node_.measure.purity_by<C>(sums);
  }

  template <typename C>
  void measure_pair(size_t i, size_t j) {
    merged_.resize(width_);
    const double *first = sums_.data() + i * width_, *second = sums_.data() + j * width_;
    for (size_t c = 0; c < width_; ++c) merged_[c] = first[c] + second[c];
    pair_purity_[i * n_ + j] = purity_of<C>(merged_.data());
    pair_info_[i * n_ + j] = info_of(weight[i] + weight[j]);
    rows_[i].include(a(i, j), b(i, j));
  }

  template <typename C>
  void prepare_pairs(double slope) {
    pair_purity_.resize(n_ * n_);
    pair_info_.resize(n_ * n_);
    rows_.assign(n_, {});
    for (size_t i = 0; i < n_; ++i) {
      rows_[i].slope = slope;
      for (size_t j = i + 1; j < n_; ++j) measure_pair<C>(i, j);
    }
  }

  // Gives the tracker the pairs of a row that may matter: those above the ratio now, and above all before.
  void look_at_row(size_t at, double now, TieTracker& tracker) {
    size_t i = left_[at];
    double slope = std::max(now, tracker.largest) * node_.scale;
    double gain = whole_purity_ - base_, room = 1e-9 * (std::abs(gain) + std::abs(slope) * whole_info_) + 1e-300;
    double need = slope * whole_info_ - gain - room;
    Row& row = rows_[i];
    if (slope >= row.slope && row.most + (slope - row.slope) * row.steepest < need) return;
    row = {slope};
    for (size_t other = at + 1; other < left_.size(); ++other) {
      size_t j = left_[other];
      double change = a(i, j), information = b(i, j);
      row.include(change, information);
      if (change - slope * information < need) continue;
      double p = whole_purity_ - purity[i] - purity[j] + pair_purity_[i * n_ + j];
      double h = whole_info_ - info_[i] - info_[j] + pair_info_[i * n_ + j];
      tracker.add(ratio(p, h), static_cast<u32>(i * n_ + j));
    }
  }

  // Group j becomes part of group i.
  template <typename C>
  void merge(size_t i, size_t j, double slope) {
    members[i].insert(members[i].end(), members[j].begin(), members[j].end());
    left_.erase(std::find(left_.begin(), left_.end(), j));
    for (size_t c = 0; c < width_; ++c) sums_[i * width_ + c] += sums_[j * width_ + c];
    weight[i] += weight[j];
    purity[i] = purity_of<C>(sums_.data() + i * width_);
    info_[i] = entropy_term(weight[i], node_.weight);
    add_up();
    rows_[i] = {slope};
    for (size_t other : left_)
      if (other != i) measure_pair<C>(std::min(i, other), std::max(i, other));
  }

  // Leaves what is left, in its order.
  void finish() {
    for (size_t at = 0; at < left_.size(); ++at) {
      if (left_[at] == at) continue;
      members[at] = std::move(members[left_[at]]);
      weight[at] = weight[left_[at]];
      purity[at] = purity[left_[at]];
    }
    members.resize(left_.size());
    weight.resize(left_.size());
    purity.resize(left_.size());
  }

  const NodeView& node_;
  const ValueTable& table_;
  size_t width_, n_ = 0;
  double base_, unknown_info_, whole_purity_ = 0.0, whole_info_ = 0.0;
  std::vector<double> sums_, info_, merged_, pair_purity_, pair_info_, info_of_count_;
  std::vector<size_t> left_;  // the groups that are left, rising
  std::vector<Row> rows_;
};

}  // namespace quercus
