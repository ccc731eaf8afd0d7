// CountedSearch: the best question about one attribute at a node of a forest's tree where rows count as often as they
// were drawn, and where a cut is judged by a few numbers: two classes, or a criterion whose sums are whole numbers and
// are kept running. Nothing is allocated for a node. What it does not serve, CutSearch and NominalSearch do.
#pragma once

#include "forest_plan.h"
#include "value_counts.h"

namespace quercus {

// What the searches of a node share. Instances are numbered from 0.
struct CountedNode {
  const u32* tag = nullptr;
  const u32* total = nullptr;  // by class
  u64 squares = 0;             // the sum of the squares of these
  u32 n = 0, weight = 0, width = 0;
  u32 first = 0, second = 1;  // the classes that are present, if they are two
  bool two = false;           // whether they are
  Least least;
  double slack = 0.0;

  bool limited() const { return least.rows > 1 || least.weight > 0.0; }
  bool admits(int64_t rows, u32 left) const {
    if (!limited()) return true;
    return rows >= least.rows && n - rows >= least.rows && left >= least.weight && weight - left >= least.weight;
  }
};

// Which values of a range occur, one bit each.
class PresentValues {
 public:
  // Whether marking n instances costs less than sorting them.
  static bool serves(u32 range, u32 n) { return range / 64 < 4 * n; }

  void start(u32 range) { bits_.resize(std::max(bits_.size(), range / 64 + size_t{1}), 0); }  // all 0 between calls
  void add(u32 value) {
    bits_[value >> 6] |= u64{1} << (value & 63);
    last_ = std::max(last_, value >> 6);
  }
  // Calls take(value) for each in ascending order, and forgets them.
  template <typename Take>
  void take(Take take) {
    for (u32 word = 0; word <= last_; ++word) {
      for (u64 bits = bits_[word]; bits; bits &= bits - 1) take(word * 64 + static_cast<u32>(std::countr_zero(bits)));
      bits_[word] = 0;
    }
    last_ = 0;
  }

 private:
  std::vector<u64> bits_;
  u32 last_ = 0;
};

// Items (rank, tag) in the order of their ranks.
class RankOrder {
 public:
  static constexpr u32 TINY = 20;  // inserted one by one

  void sort(const NodeRanks& ranks, const u32* tag) {
    u32 n = ranks.n;
    if (items.size() < n) items.resize(n);
    if (n <= TINY)
      insert(ranks.rank.data(), tag, n);
    else
      scatter(ranks, tag);
  }
  static u32 rank_of(u64 item) { return static_cast<u32>(item >> 32); }
  static u32 times_of(u64 item) { return static_cast<u32>(item) >> 16; }
  static u32 class_of(u64 item) { return static_cast<u32>(item) & 0xffff; }

  std::vector<u64> items;

 private:
  void insert(const u32* rank, const u32* tag, u32 n) {
    u64* to = items.data();
    for (u32 i = 0; i < n; ++i) {
      u64 item = u64{rank[i]} << 32 | tag[i];
      u32 at = i;
      for (; at && to[at - 1] > item; --at) to[at] = to[at - 1];
      to[at] = item;
    }
  }

  // By buckets of ranks, about as many as there are items; then in each bucket.
  void scatter(const NodeRanks& ranks, const u32* tag) {
    u32 n = ranks.n, bits = std::bit_width(ranks.high - ranks.low), wanted = std::bit_width(n - 1) + 1;
    u32 shift = bits > wanted ? bits - wanted : 0, buckets = ((ranks.high - ranks.low) >> shift) + 1;
    start_.assign(buckets + size_t{1}, 0);
    const u32* rank = ranks.rank.data();
    for (u32 i = 0; i < n; ++i) ++start_[((rank[i] - ranks.low) >> shift) + 1];
    u32 largest = 0;
    for (u32 b = 1; b <= buckets; ++b) {
      largest = std::max(largest, start_[b]);
      start_[b] += start_[b - 1];
    }
    for (u32 i = 0; i < n; ++i) items[start_[(rank[i] - ranks.low) >> shift]++] = u64{rank[i]} << 32 | tag[i];
    if (!shift) return;
    if (largest > TINY) {
      for (u32 b = 0, from = 0; b < buckets; from = start_[b++])
        std::sort(items.data() + from, items.data() + start_[b]);
      return;
    }
    u64* to = items.data();
    for (u32 i = 1; i < n; ++i) {
      u64 item = to[i];
      u32 at = i;
      for (; at && to[at - 1] > item; --at) to[at] = to[at - 1];
      to[at] = item;
    }
  }

  std::vector<u32> start_;
};

template <typename C>
class CountedSearch {
 public:
  explicit CountedSearch(const double* parts) : part_{parts} {}

  // Whether the cuts of a node can be judged from running sums.
  static bool serves(const CountedNode& node) {
    return node.two || (C::parts == Parts::whole && node.weight < (u32{1} << 26));
  }
  // Whether a node is better left to buckets and bounds: large, of two classes, and of many ranks.
  static bool too_large(const CountedNode& node, const NodeRanks& ranks) {
    return node.two && ranks.n > MOST_SORTED && (ranks.unknown || !countable(ranks));
  }

  // All cuts of a numeric attribute, known values only.
  void cuts(const CountedNode& node, const NodeRanks& ranks) {
    tracker.reset(node.slack);
    if (node.two && !node.limited() && countable(ranks)) {
      count_values(node, ranks);
      cuts_of_values(node, values_);
      return;
    }
    u64 cells = u64{ranks.high - ranks.low + 1} * node.width;
    if (!node.two && !node.limited() && cells <= 4 * u64{ranks.n}) {
      cuts_of_table(node, ranks);
      return;
    }
    order_.sort(ranks, node.tag);
    if (node.two)
      cuts_of_two(node, ranks.n);
    else
      cuts_of_many(node, ranks.n);
  }

  // The same where instances are unknown, whose rank is n_ranks: with each cut they go left (0), or right (1); the last
  // cut stands between known and unknown (2).
  void cuts_and_unknown(const CountedNode& node, const NodeRanks& ranks, u32 n_ranks) {
    tracker.reset(node.slack);
    take_known(node, ranks, n_ranks);
    order_.sort(known_, known_tag_.data());
    if (node.two)
      cuts_of_two_and_unknown(node, ranks, n_ranks);
    else
      cuts_of_many_and_unknown(node, ranks, n_ranks);
    for (u32 i = 0; i < node.n; ++i) unknown_[node.tag[i] & 0xffff] = 0;
  }

  // The same from the values, already counted.
  void cuts(const CountedNode& node, const std::vector<CountedValue>& values) {
    tracker.reset(node.slack);
    cuts_of_values(node, values);
  }
  void subsets(const CountedNode& node, const std::vector<CountedValue>& values, Division& division) {
    tracker.reset(node.slack);
    divide_values(node, values, division);
  }

  // The best division of the values of a nominal attribute, two classes.
  void subsets(const CountedNode& node, const NodeRanks& ranks, Division& division) {
    tracker.reset(node.slack);
    if (!node.limited() && countable(ranks))
      count_values(node, ranks);
    else
      sort_values(node, ranks);
    divide_values(node, values_, division);
  }

  TieTracker tracker;

  // The purity of the node itself, up to a term that is the same for all divisions.
  double base(const CountedNode& node) const {
    if constexpr (C::parts == Parts::whole) return C::whole(static_cast<double>(node.squares), node.weight, part_);
    double sum = 0.0;
    for (u32 j = 0; j < node.width; ++j) include<C>(sum, part_(node.total[j]));
    return C::whole(sum, node.weight, part_);
  }

  // ---- two sides whose sums of squares change with each instance; they are whole numbers, so nothing is lost ----
  void start_sides(const CountedNode& node) {
    if (before_.size() < node.width) before_.resize(node.width, 0);  // all 0 between uses
    left_sum_ = 0;
    right_sum_ = node.squares;
    left_ = 0;
  }
  // An instance goes left.
  void move(const CountedNode& node, u32 tag) {
    u32 times = tag >> 16, j = tag & 0xffff, l = before_[j], r = node.total[j] - l;
    left_sum_ += whole_part(l + times) - whole_part(l);
    right_sum_ -= whole_part(r) - whole_part(r - times);
    before_[j] = l + times;
    left_ += times;
  }
  u32 left() const { return left_; }
  double sides(const CountedNode& node) const { return both(node, left_, left_sum_, right_sum_); }
  void forget_sides(const CountedNode& node) {
    for (u32 i = 0; i < node.n; ++i) before_[node.tag[i] & 0xffff] = 0;
  }

 private:
  static constexpr u32 MOST_SORTED = 300;  // of two classes
  static constexpr u32 MOST_COUNTED = 8192;

  // Whether there are enough instances for a table of all values between the smallest and the largest.
  static bool countable(const NodeRanks& ranks) {
    return ranks.n > RankOrder::TINY && ranks.high - ranks.low < std::min(16 * ranks.n, MOST_COUNTED);
  }

  double purity(const CountedNode& node, u32 left, u32 ones) const {
    return two_class_purity<C>(part_, left, ones, node.weight, node.total[node.second]);
  }

  // ---- the values that are present, with their sums ----
  void count_values(const CountedNode& node, const NodeRanks& ranks) {
    u32 range = ranks.high - ranks.low + 1;
    if (sums_.size() < range) sums_.resize(range, 0);  // all 0 between calls
    present_.start(range);
    const u32* rank = ranks.rank.data();
    for (u32 i = 0; i < ranks.n; ++i) {
      u64 times = node.tag[i] >> 16;
      sums_[rank[i] - ranks.low] += times << 32 | ((node.tag[i] & 0xffff) == node.second ? times : 0);
      present_.add(rank[i] - ranks.low);
    }
    values_.clear();
    present_.take([&](u32 v) {
      values_.push_back({ranks.low + v, static_cast<u32>(sums_[v] >> 32), static_cast<u32>(sums_[v]), 1});
      sums_[v] = 0;
    });
  }
  void sort_values(const CountedNode& node, const NodeRanks& ranks) {
    order_.sort(ranks, node.tag);
    values_.clear();
    for (u32 i = 0; i < ranks.n; ++i) {
      u64 item = order_.items[i];
      u32 code = RankOrder::rank_of(item), times = RankOrder::times_of(item);
      if (values_.empty() || values_.back().code != code) values_.push_back({code, 0, 0, 0});
      values_.back().weight += times;
      values_.back().ones += RankOrder::class_of(item) == node.second ? times : 0;
      ++values_.back().rows;
    }
  }

  // ---- numbers ----
  void cuts_of_values(const CountedNode& node, const std::vector<CountedValue>& values) {
    u32 left = 0, ones = 0;
    for (size_t i = 0; i + 1 < values.size(); ++i) {
      left += values[i].weight;
      ones += values[i].ones;
      tracker.add(purity(node, left, ones), values[i].code, 1);
    }
  }
  void cuts_of_two(const CountedNode& node, u32 n) {
    const u64* items = order_.items.data();
    u32 left = 0, ones = 0;
    for (u32 i = 0; i + 1 < n; ++i) {
      u32 times = RankOrder::times_of(items[i]), rank = RankOrder::rank_of(items[i]);
      left += times;
      ones += RankOrder::class_of(items[i]) == node.second ? times : 0;
      if (rank != RankOrder::rank_of(items[i + 1]) && node.admits(i + 1, left))
        tracker.add(purity(node, left, ones), rank, 1);
    }
  }
  void cuts_of_many(const CountedNode& node, u32 n) {
    const u64* items = order_.items.data();
    start_sides(node);
    for (u32 i = 0; i + 1 < n; ++i) {
      move(node, static_cast<u32>(items[i]));
      u32 rank = RankOrder::rank_of(items[i]);
      if (rank == RankOrder::rank_of(items[i + 1]) || !node.admits(i + 1, left_)) continue;
      tracker.add(sides(node), rank, 1);
    }
    forget_sides(node);
  }
  // The ranks of the known instances with their tags; what is unknown by class.
  void take_known(const CountedNode& node, const NodeRanks& ranks, u32 n_ranks) {
    if (unknown_.size() < node.width) unknown_.resize(node.width, 0);  // all 0 between uses
    if (known_tag_.size() < node.n) {
      known_tag_.resize(node.n);
      known_.rank.resize(node.n);
    }
    u32 n = 0;
    for (u32 i = 0; i < node.n; ++i) {
      u32 rank = ranks.rank[i], tag = node.tag[i], is_known = rank != n_ranks;
      known_.rank[n] = rank;
      known_tag_[n] = tag;
      n += is_known;
      unknown_[tag & 0xffff] += (tag >> 16) & (is_known - 1);
    }
    known_.n = n;
    known_.low = ranks.low;
    known_.high = ranks.high;
  }
  void cuts_of_two_and_unknown(const CountedNode& node, const NodeRanks& ranks, u32 n_ranks) {
    const u64* items = order_.items.data();
    u32 n = known_.n, left = 0, ones = 0, more_ones = unknown_[node.second], more = unknown_[node.first] + more_ones;
    for (u32 i = 0; i < n; ++i) {
      u32 times = RankOrder::times_of(items[i]), rank = RankOrder::rank_of(items[i]);
      left += times;
      ones += RankOrder::class_of(items[i]) == node.second ? times : 0;
      if (i + 1 == n || rank == RankOrder::rank_of(items[i + 1])) continue;
      if (node.admits(i + 1 + ranks.unknown, left + more))
        tracker.add(purity(node, left + more, ones + more_ones), rank, 0);
      if (node.admits(i + 1, left)) tracker.add(purity(node, left, ones), rank, 1);
    }
    if (node.admits(n, left)) tracker.add(purity(node, left, ones), n_ranks - 1, 2);
  }
  void cuts_of_many_and_unknown(const CountedNode& node, const NodeRanks& ranks, u32 n_ranks) {
    const u64* items = order_.items.data();
    u64 left_sum = 0, right_sum = 0;  // with the unknown ones on the left
    u32 n = known_.n, more = 0;
    for (u32 j = 0; j < node.width; ++j) {
      left_sum += whole_part(unknown_[j]);
      right_sum += whole_part(node.total[j] - unknown_[j]);
      more += unknown_[j];
    }
    start_sides(node);
    for (u32 i = 0; i < n; ++i) {
      auto tag = static_cast<u32>(items[i]);
      u32 times = tag >> 16, j = tag & 0xffff, l = before_[j] + unknown_[j], r = node.total[j] - l;
      left_sum += whole_part(l + times) - whole_part(l);
      right_sum -= whole_part(r) - whole_part(r - times);
      move(node, tag);
      u32 rank = RankOrder::rank_of(items[i]);
      if (i + 1 == n || rank == RankOrder::rank_of(items[i + 1])) continue;
      if (node.admits(i + 1 + ranks.unknown, left_ + more))
        tracker.add(both(node, left_ + more, left_sum, right_sum), rank, 0);
      if (node.admits(i + 1, left_)) tracker.add(sides(node), rank, 1);
    }
    if (node.admits(n, left_)) tracker.add(sides(node), n_ranks - 1, 2);
    forget_sides(node);
  }
  // All cuts where each value has many instances.
  void cuts_of_table(const CountedNode& node, const NodeRanks& ranks) {
    u32 width = node.width, range = ranks.high - ranks.low + 1;
    table_.assign(size_t{range} * width, 0);
    for (u32 i = 0; i < ranks.n; ++i)
      table_[size_t{ranks.rank[i] - ranks.low} * width + (node.tag[i] & 0xffff)] += node.tag[i] >> 16;
    std::vector<u32>& before = table_before_;
    before.assign(width, 0);
    u32 left = 0;
    for (u32 v = 0; v + 1 < range; ++v) {
      const u32* at = table_.data() + size_t{v} * width;
      u32 last = left;
      u64 left_sum = 0, right_sum = 0;
      for (u32 j = 0; j < width; ++j) {
        left += at[j];
        u32 l = before[j] += at[j];
        left_sum += whole_part(l);
        right_sum += whole_part(node.total[j] - l);
      }
      if (left != last) tracker.add(both(node, left, left_sum, right_sum), ranks.low + v, 1);
    }
  }
  double both(const CountedNode& node, u32 left, u64 left_sum, u64 right_sum) const {
    return C::whole(static_cast<double>(left_sum), left, part_) +
           C::whole(static_cast<double>(right_sum), node.weight - left, part_);
  }
  static u64 whole_part(u32 count) { return u64{count} * count; }

  // ---- nominal values, by their share of the second class ----
  // Shares of so few instances differ by more than the rounding that makes nearly equal ones equal.
  static constexpr u32 EXACT_SHARES = u32{1} << 19;

  void divide_values(const CountedNode& node, const std::vector<CountedValue>& values, Division& division) {
    order_values(node, values);
    u32 left = 0, ones = 0;
    int64_t rows = 0;
    for (size_t i = 0; i + 1 < values.size(); ++i) {
      const CountedValue& value = values[by_share_[i]];
      left += value.weight;
      ones += value.ones;
      rows += value.rows;
      if (node.admits(rows, left)) tracker.add(purity(node, left, ones), static_cast<u32>(i));
    }
    if (!tracker.empty()) describe(tracker.winner().where, values, division);
  }
  void order_values(const CountedNode& node, const std::vector<CountedValue>& values) {
    auto n = static_cast<u32>(values.size());
    share_.resize(n);
    by_share_.resize(n);
    bool exact = node.weight < EXACT_SHARES;
    for (u32 i = 0; i < n; ++i) {
      double share = static_cast<double>(values[i].ones) / static_cast<double>(values[i].weight);
      share_[i] = exact ? share : std::nearbyint(share * 1e12);
    }
    auto before = [&](u32 a, u32 b) { return share_[a] != share_[b] ? share_[a] < share_[b] : a < b; };
    if (n > RankOrder::TINY) {
      std::iota(by_share_.begin(), by_share_.end(), 0u);
      std::sort(by_share_.begin(), by_share_.end(), before);
      return;
    }
    for (u32 i = 0; i < n; ++i) {
      u32 at = i;
      for (; at && share_[by_share_[at - 1]] > share_[i]; --at) by_share_[at] = by_share_[at - 1];
      by_share_[at] = i;
    }
  }
  // The first value goes left.
  void describe(u32 last, const std::vector<CountedValue>& values, Division& division) {
    size_t n = values.size();
    division.code.resize(n);
    division.right.assign(n, 1);
    for (u32 i = 0; i <= last; ++i) division.right[by_share_[i]] = 0;
    bool turn = division.right[0];
    for (size_t i = 0; i < n; ++i) {
      division.code[i] = values[i].code;
      if (turn) division.right[i] ^= 1;
    }
  }

  CountParts<C> part_;
  RankOrder order_;
  std::vector<u64> sums_;
  std::vector<CountedValue> values_;
  std::vector<double> share_;
  std::vector<u32> by_share_, before_, table_, table_before_;
  NodeRanks known_;
  std::vector<u32> known_tag_, unknown_;  // unknown_: by class
  PresentValues present_;
  u64 left_sum_ = 0, right_sum_ = 0;
  u32 left_ = 0;
};

}  // namespace quercus
