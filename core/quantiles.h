// Quantiles: the least pinball loss of both sides of every cut. Absolute error is the loss of the median, twice.
#pragma once

#include <span>

#include "node_view.h"

namespace quercus {

// A quantile of weighted numbers: those whose pinball loss is least are an interval, from the smallest number at which
// the weight up to it reaches q of all to the smallest at which it passes that; its midpoint is the quantile.
struct QuantileOf {
  double whole, level, run = 0.0, lower = 0.0, upper = 0.0;
  bool has_lower = false, done = false;

  // Numbers come in their order; after the last one `value` is known.
  void add(double y, double w) {
    if (done) return;
    run += w;
    upper = y;
    if (!has_lower && run >= level * whole - WEIGHT_SLACK * whole) {
      lower = y;
      has_lower = true;
    }
    done = run > level * whole + WEIGHT_SLACK * whole;
  }
  double value() const { return !has_lower || lower == upper ? upper : lower / 2 + upper / 2; }
};

inline double pinball(double level, double y, double answer) {
  return y >= answer ? level * (y - answer) : (1.0 - level) * (answer - y);
}

// The rank of each number among the distinct ones.
inline std::vector<u32> ranks_of_numbers(const double* numbers, u32 n) {
  std::vector<u32> order(n), ranks(n);
  for (u32 i = 0; i < n; ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](u32 a, u32 b) { return numbers[a] < numbers[b]; });
  u32 rank = 0;
  for (u32 i = 0; i < n; ++i) {
    rank += i && numbers[order[i]] != numbers[order[i - 1]];
    ranks[order[i]] = rank;
  }
  return ranks;
}

// Sorts keys by their upper half, a rank; ranks below `ranks`. Equal ones keep their order.
inline void sort_by_rank(std::vector<u64>& keys, std::vector<u64>& spare, u32 ranks) {
  if (keys.size() < 1024) {
    std::sort(keys.begin(), keys.end());
    return;
  }
  constexpr int bits = 11;
  spare.resize(keys.size());
  for (int shift = 32; shift < 64 && (u64{ranks} << 32 >> shift); shift += bits) {
    u32 at[1 << bits] = {};
    for (u64 key : keys) ++at[key >> shift & ((1 << bits) - 1)];
    u32 sum = 0;
    for (u32& place : at) {
      u32 count = place;
      place = sum;
      sum += count;
    }
    for (u64 key : keys) spare[at[key >> shift & ((1 << bits) - 1)]++] = key;
    keys.swap(spare);
  }
}

// Weights and weighted numbers by rank of y, with their running sums found in logarithmic time.
class QuantileTree {
 public:
  explicit QuantileTree(const std::vector<double>& ranked)
      : y_(ranked), middle_(ranked[ranked.size() / 2]), weight_(ranked.size() + 1), sum_(ranked.size() + 1) {
    while ((size_t{1} << (depth_ + 1)) <= ranked.size()) ++depth_;
  }
  void clear() {
    std::fill(weight_.begin(), weight_.end(), 0.0);
    std::fill(sum_.begin(), sum_.end(), 0.0);
    whole_ = whole_sum_ = 0.0;
  }
  void add(u32 rank, double w) {
    double y = y_[rank] - middle_;
    for (size_t i = size_t{rank} + 1; i < weight_.size(); i += i & (~i + 1)) {
      weight_[i] += w;
      sum_[i] += w * y;
    }
    whole_ += w;
    whole_sum_ += w * y;
  }
  double loss(const std::vector<double>& levels) const {
    double total = 0.0;
    for (double level : levels) total += loss(level);
    return total;
  }
  // The quantile of each level, as QuantileOf has it.
  std::vector<double> answers(const std::vector<double>& levels) const {
    std::vector<double> answers;
    for (double level : levels) {
      size_t lower = places_before([&](double weight) { return weight < level * whole_ - WEIGHT_SLACK * whole_; });
      size_t upper = places_before([&](double weight) { return weight <= level * whole_ + WEIGHT_SLACK * whole_; });
      lower = std::min(lower, y_.size() - 1);
      upper = upper < y_.size() ? upper : lower;
      answers.push_back(lower == upper ? y_[lower] : y_[lower] / 2 + y_[upper] / 2);
    }
    return answers;
  }

 private:
  // How many ranks stand before the first up to which the weight does not pass the test.
  template <typename Test>
  size_t places_before(Test test) const {
    double below = 0.0;
    size_t at = 0;
    for (size_t step = size_t{1} << depth_; step; step >>= 1)
      if (at + step < weight_.size() && test(below + weight_[at + step])) {
        at += step;
        below += weight_[at];
      }
    return at;
  }

  double loss(double level) const {
    if (whole_ <= 0.0) return 0.0;
    double need = level * whole_ - WEIGHT_SLACK * whole_, below = 0.0, below_sum = 0.0;
    size_t at = 0;
    for (size_t step = size_t{1} << depth_; step; step >>= 1)
      if (at + step < weight_.size() && below + weight_[at + step] < need) {
        at += step;
        below += weight_[at];
        below_sum += sum_[at];
      }
    double answer = y_[std::min(at, y_.size() - 1)] - middle_;
    return (1.0 - level) * (answer * below - below_sum) +
           level * ((whole_sum_ - below_sum) - answer * (whole_ - below));
  }

  const std::vector<double>& y_;
  double middle_;  // subtracted, so that sums of numbers near it keep their digits
  std::vector<double> weight_, sum_;
  double whole_ = 0.0, whole_sum_ = 0.0;
  int depth_ = 0;
};

// The numbers of a set in a list by rank, from which they are taken out one after the other. Where one is gone, the
// quantile moves to a neighbour or stays, so that the loss is known after a step or two, whatever the size of the set.
class QuantileList {
 public:
  // The set before anything is taken out: weights and counts by rank, 0 where there is nothing.
  void fill(const std::vector<double>& y, const std::vector<double>& weight, const std::vector<u32>& count,
            const std::vector<double>& levels) {
    size_t n = y.size();
    y_ = y.data();
    weight_ = weight;
    count_ = count;
    next_.resize(n + 2);
    before_.resize(n + 2);
    left_ = 0;
    whole_ = 0.0;
    u32 last = 0;
    for (u32 i = 0; i < n; ++i) {
      if (!count[i]) continue;
      next_[last] = i + 1;
      before_[i + 1] = last;
      last = i + 1;
      left_ += count[i];
      whole_ += weight[i];
    }
    end_ = static_cast<u32>(n) + 1;
    next_[last] = end_;
    before_[end_] = last;
    pointers_.clear();
    for (double level : levels) pointers_.push_back(start(level));
    moves_ = 0;
  }

  // Takes one number out.
  void take(u32 rank, double w) {
    u32 place = rank + 1;
    --left_;
    for (Pointer& p : pointers_) {
      if (place > p.at)
        p.loss -= w * p.level * (number(place) - number(p.at));
      else if (place < p.at) {
        p.loss -= w * (1.0 - p.level) * (number(p.at) - number(place));
        p.below -= w;
      }
    }
    whole_ -= w;
    weight_[rank] -= w;
    bool gone = !--count_[rank];
    if (gone) {
      weight_[rank] = 0.0;
      next_[before_[place]] = next_[place];
      before_[next_[place]] = before_[place];
    }
    if (!left_) return;
    for (Pointer& p : pointers_) move(p, gone && p.at == place);
  }

  double loss() const {
    double total = 0.0;
    if (left_)
      for (const Pointer& p : pointers_) total += std::max(p.loss, 0.0);
    return total;
  }
  // How often a quantile moved: with weights of all sizes that may be more often than numbers were taken out.
  u64 moves() const { return moves_; }

 private:
  struct Pointer {
    double level, below, loss;
    u32 at;
  };
  double number(u32 place) const { return y_[place - 1]; }
  double weight(u32 place) const { return weight_[place - 1]; }

  Pointer start(double level) const {
    Pointer p{level, 0.0, 0.0, next_[0]};
    if (!left_) return p;
    while (p.below + weight(p.at) < level * whole_ && next_[p.at] != end_) {
      p.below += weight(p.at);
      p.at = next_[p.at];
    }
    for (u32 i = next_[0]; i != end_; i = next_[i]) p.loss += weight(i) * pinball(level, number(i), number(p.at));
    return p;
  }

  void move(Pointer& p, bool gone) {
    double need = p.level * whole_;
    if (gone && (next_[p.at] == end_ || (p.below >= need && before_[p.at])))
      to_the_left(p, need);
    else if (gone)
      to_the_right(p, need);
    while (p.below > need && before_[p.at]) to_the_left(p, need);
    while (p.below + weight(p.at) < need && next_[p.at] != end_) to_the_right(p, need);
  }
  void to_the_left(Pointer& p, double need) {
    u32 to = before_[p.at];
    p.loss -= (p.below - need) * (number(p.at) - number(to));
    p.below -= weight(to);
    p.at = to;
    ++moves_;
  }
  void to_the_right(Pointer& p, double need) {
    u32 to = next_[p.at];
    p.below += weight(p.at);
    p.loss += (p.below - need) * (number(to) - number(p.at));
    p.at = to;
    ++moves_;
  }

  const double* y_ = nullptr;
  std::vector<double> weight_;
  std::vector<u32> count_, next_, before_;  // places are ranks + 1; 0 stands before all, n + 1 behind
  std::vector<Pointer> pointers_;
  double whole_ = 0.0;
  u64 left_ = 0, moves_ = 0;
  u32 end_ = 1;
};

// Instances in groups, one group behind the other.
struct InstanceGroups {
  std::vector<u32> instances, start{0};  // group i: instances[start[i], start[i + 1])

  size_t size() const { return start.size() - 1; }
  void clear() {
    instances.clear();
    start.assign(1, 0);
  }
  void close() { start.push_back(static_cast<u32>(instances.size())); }
  void add(const std::vector<u32>& group) {
    instances.insert(instances.end(), group.begin(), group.end());
    close();
  }
  std::span<const u32> of(size_t i) const { return {instances.data() + start[i], start[i + 1] - start[i]}; }
};

// Losses left and right of each boundary between ordered groups of instances, with or without the unknown ones.
class QuantileLosses {
 public:
  void prepare(const NodeView& node, const InstanceGroups& groups, const std::vector<u32>& unknown, bool with_unknown,
               bool with_answers = false) {
    const Options& options = node.plan.options;
    scale_ = options.criterion == Criterion::absolute_error ? 2.0 : 1.0;
    size_t n = groups.size();
    for (int u = 0; u < (with_unknown ? 2 : 1); ++u) {
      left_[u].assign(n + 1, 0.0);
      right_[u].assign(n + 1, 0.0);
      for (auto& side : answers_) side[u].assign(with_answers ? n + 1 : 0, {});
      if (with_answers || options.off(no_quantile_lists) ||
          !by_lists(node, groups, u ? unknown : std::vector<u32>(), u))
        by_trees(node, groups, u ? unknown : std::vector<u32>(), u);
    }
  }
  // side_and_unknown: 0 left, 1 left with unknown, 2 right, 3 right with unknown; cut -1: everything known.
  double of(int64_t cut, int side_and_unknown) const {
    if (cut < 0) return whole(false);
    return scale_ * ((side_and_unknown & 2) ? right_[side_and_unknown & 1][static_cast<size_t>(cut)]
                                            : left_[side_and_unknown & 1][static_cast<size_t>(cut)]);
  }
  // The quantiles there, if they were asked for.
  const std::vector<double>& answers(size_t cut, int side_and_unknown) const {
    return answers_[side_and_unknown >> 1][side_and_unknown & 1][cut];
  }
  double whole(bool with_unknown) const { return scale_ * left_[with_unknown ? 1 : 0].back(); }
  double unknown_alone() const { return scale_ * left_[1].front(); }

 private:
  // From all instances, one group after the other is taken out; false if that takes too long.
  bool by_lists(const NodeView& node, const InstanceGroups& groups, const std::vector<u32>& extra, int u) {
    weight_.assign(node.ranked->size(), 0.0);
    count_.assign(node.ranked->size(), 0);
    u64 all = extra.size();
    auto put = [&](u32 instance) {
      weight_[node.rank_of[instance]] += node.frame.weight_of(instance);
      ++count_[node.rank_of[instance]];
    };
    for (u32 instance : extra) put(instance);
    all += groups.instances.size();
    for (u32 instance : groups.instances) put(instance);
    const std::vector<double>& levels = node.plan.options.quantiles;
    u64 most = 64 * all * levels.size() + 64;
    auto take = [&](std::span<const u32> group) {
      for (u32 instance : group) list_.take(node.rank_of[instance], node.frame.weight_of(instance));
      return list_.moves() <= most;
    };
    list_.fill(*node.ranked, weight_, count_, levels);
    left_[u].back() = right_[u].front() = list_.loss();
    for (size_t i = 0; i < groups.size(); ++i) {
      if (!take(groups.of(i))) return false;
      right_[u][i + 1] = list_.loss();
    }
    list_.fill(*node.ranked, weight_, count_, levels);
    for (size_t i = groups.size(); i-- > 0;) {
      if (!take(groups.of(i))) return false;
      left_[u][i] = list_.loss();
    }
    return true;
  }

  // Groups are added one after the other, from the left and from the right.
  void by_trees(const NodeView& node, const InstanceGroups& groups, const std::vector<u32>& extra, int u) {
    QuantileTree tree(*node.ranked);
    const std::vector<double>& levels = node.plan.options.quantiles;
    auto add = [&](std::span<const u32> instances, int side, size_t cut) {
      for (u32 instance : instances) tree.add(node.rank_of[instance], node.frame.weight_of(instance));
      if (!answers_[side][u].empty()) answers_[side][u][cut] = tree.answers(levels);
      return tree.loss(levels);
    };
    tree.clear();
    left_[u][0] = add(extra, 0, 0);
    for (size_t i = 0; i < groups.size(); ++i) left_[u][i + 1] = add(groups.of(i), 0, i + 1);
    tree.clear();
    right_[u][groups.size()] = add(extra, 1, groups.size());
    for (size_t i = groups.size(); i-- > 0;) right_[u][i] = add(groups.of(i), 1, i);
  }

  double scale_ = 1.0;
  std::vector<std::vector<double>> answers_[2][2];  // of both sides, without and with unknown instances, by cut
  std::vector<double> left_[2], right_[2], weight_;
  std::vector<u32> count_;
  QuantileList list_;
};

// The numbers of some instances in their order, with their weights.
inline std::vector<std::pair<double, double>> sorted_numbers(const NodeView& node, const std::vector<u32>& instances) {
  std::vector<std::pair<double, double>> numbers;
  for (u32 i : instances) numbers.emplace_back(node.target(i), node.frame.weight_of(i));
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// The least loss of some instances, found by itself.
inline double loss_of(const NodeView& node, const std::vector<u32>& instances) {
  auto numbers = sorted_numbers(node, instances);
  double whole = 0.0, loss = 0.0;
  for (auto [y, w] : numbers) whole += w;
  for (double level : node.plan.options.quantiles) {
    QuantileOf quantile{whole, level};
    for (auto [y, w] : numbers) quantile.add(y, w);
    for (auto [y, w] : numbers) loss += w * pinball(level, y, quantile.lower);
  }
  return node.plan.options.criterion == Criterion::absolute_error ? 2.0 * loss : loss;
}

// The lower end of the quantile that is answered, by which the values of a nominal attribute are ordered.
inline double order_of(const NodeView& node, const std::vector<u32>& instances) {
  auto numbers = sorted_numbers(node, instances);
  double whole = 0.0;
  for (auto [y, w] : numbers) whole += w;
  QuantileOf quantile{whole, node.plan.options.answered_level()};
  for (auto [y, w] : numbers) quantile.add(y, w);
  return quantile.lower;
}

}  // namespace quercus
