// CutSearch: the best cut of one numeric attribute at a node of a forest's tree, from the ranks of its instances. Small
// nodes are sorted. Larger ones are counted by buckets of ranks first; only buckets that may hold the best cut, by a
// bound on what is possible inside them, are sorted. The result is exact.
#pragma once

#include "ranks.h"
#include "tally.h"

namespace quercus {

constexpr u32 SORTED_NODE = 48;  // nodes of at most this size are sorted at once

// What a cut must leave on both sides.
struct Least {
  double weight = 0.0;
  int64_t rows = 1;
};

// The ranks of a node's instances for one attribute.
struct NodeRanks {
  std::vector<u32> rank;
  u32 n = 0, low = 0, high = 0,
      unknown = 0;  // smallest and largest known rank (nominal: unknown is one); instances without

  bool constant() const { return low >= high && (!unknown || unknown == n); }
};

// Completes what is known of the first n ranks, once they are there.
inline void bound_ranks(const RankColumn& column, u32 n, NodeRanks& to) {
  to.n = n;
  to.unknown = 0;
  to.low = ~u32{0};
  to.high = 0;
  for (u32 i = 0; i < n; ++i) {
    u32 rank = to.rank[i];
    to.unknown += rank == column.n_ranks;
    to.low = std::min(to.low, rank);
    to.high = std::max(to.high, rank == column.n_ranks ? 0 : rank);
  }
}

template <typename From>
void gather(const From* from, const u32* rows, u32 n, NodeRanks& to) {
  u32 low = ~u32{0}, high = 0;
  u32* rank = to.rank.data();
  for (u32 i = 0; i < n; ++i) {
    u32 r = from[rows[i]];
    rank[i] = r;
    low = std::min(low, r);
    high = std::max(high, r);
  }
  to.low = low;
  to.high = high;
}

inline void gather(const RankColumn& column, const u32* rows, u32 n, NodeRanks& to) {
  if (to.rank.size() < n) to.rank.resize(n);
  to.n = n;
  to.unknown = 0;
  if (column.narrow.empty())
    gather(column.wide.data(), rows, n, to);
  else
    gather(column.narrow.data(), rows, n, to);
  if (!column.has_unknown || to.high < column.n_ranks) return;
  if (column.nominal) {  // unknown is a value of its own, the last
    to.unknown = static_cast<u32>(std::count(to.rank.begin(), to.rank.begin() + n, column.n_ranks));
    return;
  }
  to.high = 0;
  for (u32 i = 0; i < n; ++i) {
    if (to.rank[i] == column.n_ranks)
      ++to.unknown;
    else
      to.high = std::max(to.high, to.rank[i]);
  }
}

// Any cut may be made.
struct AnyCut {
  template <typename Sum>
  bool operator()(const Sum*) const {
    return true;
  }
};

template <typename Tally>
class CutSearch {
  using Sum = typename Tally::Sum;

 public:
  // First look: the purity at the ends of buckets; of a small node all cuts. `base`: position of the node's first
  // instance in the tally's arrays.
  void look(const Tally& tally, const NodeRanks& ranks, u32 n_ranks, u32 base, const Sum* total, Least least,
            double slack) {
    set(tally, ranks, n_ranks, base, total, least, slack);
    if (ranks.n <= SORTED_NODE)
      try_all(AnyCut{});
    else
      count_buckets();
  }

  // The same from sums for each rank that the caller already has; every rank is a bucket. A row counts as often as it
  // was drawn.
  void look_at(const Sum* counts, const Tally& tally, const NodeRanks& ranks, u32 n_ranks, const Sum* total,
               Least least, double slack) {
    set(tally, ranks, n_ranks, 0, total, least, slack);
    all_rows_ = static_cast<int64_t>(tally.weight(total));
    shift_ = 0;
    buckets_ = ranks.high - ranks.low + 1;
    sums_.resize(static_cast<size_t>(buckets_ + 1) * width_);
    rows_.resize(buckets_ + 1);
    std::fill_n(sums_.begin(), width_, 0);
    rows_[0] = 0;
    const Sum* from = counts + static_cast<size_t>(ranks.low) * width_;
    Sum* to = sums_.data();
    for (u32 b = 0; b < buckets_; ++b) {
      int64_t rows = rows_[b];
      for (u32 j = 0; j < width_; ++j, ++from, ++to) {
        to[width_] = to[0] + *from;
        rows += static_cast<int64_t>(*from);
      }
      rows_[b + 1] = rows;
    }
    const Sum* unknown = counts + static_cast<size_t>(n_ranks) * width_;
    if (ranks.unknown) unknown_.assign(unknown, unknown + width_);
    look_at_boundaries();
  }

  // What the search looks for.
  void set(const Tally& tally, const NodeRanks& ranks, u32 n_ranks, u32 base, const Sum* total, Least least,
           double slack) {
    tally_ = &tally;
    ranks_ = &ranks;
    n_ranks_ = n_ranks;
    base_ = base;
    total_ = total;
    least_ = least;
    slack_ = slack;
    width_ = tally.width;
    tracker_.reset(slack);
    best_ = -std::numeric_limits<double>::infinity();
    finished_ = false;
    all_rows_ = ranks.n;
    other_.resize(width_);
  }

  // The largest purity seen so far; final after finish().
  double best() const { return best_; }
  const TieTracker& tracker() const { return tracker_; }

  // Second look, where a purity of at least `floor` may be found.
  void finish(double floor) {
    if (finished_) return;
    finished_ = true;
    double least = std::max(best_, floor) - 2 * slack_;
    if (!shift_ && best_ < least && !ranks_->unknown) return;  // all cuts were looked at
    mark_buckets(least);
    collect_items();
    visit_cuts(least);
    best_ = std::max(best_, tracker_.largest);
  }

  // Every cut, in ascending order. allows(left): whether a cut with these sums on the left may be made.
  template <typename Allows>
  void try_all(Allows allows) {
    finished_ = true;
    unknown_sums();
    items_.clear();
    for (u32 i = 0; i < ranks_->n; ++i)
      if (ranks_->rank[i] < n_ranks_) items_.push_back(u64{ranks_->rank[i]} << 32 | i);
    sort_items();
    left_.assign(width_, 0);
    walk_items(0, items_.size(), 0, allows);
    known_against_unknown();
    best_ = tracker_.largest;
  }

  // One cut at random: of the numbers between the least and the largest; ranks up to `rank` stand left.
  template <typename Allows = AnyCut>
  void try_one(u32 rank, Allows allows = {}) {
    left_.assign(width_, 0);
    int64_t rows = 0;
    unknown_sums();
    for (u32 i = 0; i < ranks_->n; ++i)
      if (ranks_->rank[i] <= rank) {
        tally_->add(left_.data(), base_ + i);
        ++rows;
      }
    tracker_.reset(slack_);
    if (rank < ranks_->high)
      consider(left_.data(), rows, rank, allows);
    else  // one known value only
      known_against_unknown();
    best_ = tracker_.largest;
    finished_ = true;
  }

 private:
  // ---- a cut behind `rank`, in each of its forms: unknown left (0), unknown right or none (1) ----
  template <typename Allows = AnyCut>
  void consider(const Sum* left, int64_t rows, u32 rank, Allows allows = {}) {
    if (ranks_->unknown) {
      for (u32 j = 0; j < width_; ++j) other_[j] = left[j] + unknown_[j];
      if (admissible(other_.data(), rows + ranks_->unknown) && allows(other_.data()))
        tracker_.add(tally_->sides(other_.data(), total_), rank, 0);
    }
    if (admissible(left, rows) && allows(left)) tracker_.add(tally_->sides(left, total_), rank, 1);
  }
  bool admissible(const Sum* left, int64_t rows) const {
    if (rows < least_.rows || all_rows_ - rows < least_.rows) return false;
    if (least_.weight <= 0.0) return true;
    double weight = tally_->weight(left);
    return weight >= least_.weight && tally_->weight(total_) - weight >= least_.weight;
  }
  void known_against_unknown() {
    if (!ranks_->unknown) return;
    for (u32 j = 0; j < width_; ++j) other_[j] = total_[j] - unknown_[j];
    if (admissible(other_.data(), all_rows_ - ranks_->unknown))
      tracker_.add(tally_->sides(other_.data(), total_), n_ranks_ - 1, 2);
  }
  void unknown_sums() {
    if (!ranks_->unknown) return;
    unknown_.assign(width_, 0);
    for (u32 i = 0; i < ranks_->n; ++i)
      if (ranks_->rank[i] == n_ranks_) tally_->add(unknown_.data(), base_ + i);
  }

  void sort_items() {
    if (items_.size() > SORTED_NODE) {
      std::sort(items_.begin(), items_.end());
      return;
    }
    for (size_t i = 1; i < items_.size(); ++i) {
      u64 item = items_[i];
      size_t at = i;
      for (; at && items_[at - 1] > item; --at) items_[at] = items_[at - 1];
      items_[at] = item;
    }
  }

  // Every cut between the items [from, to), the sums before them in left_.
  template <typename Allows = AnyCut>
  int64_t walk_items(size_t from, size_t to, int64_t rows, Allows allows = {}) {
    for (size_t i = from; i < to; ++i) {
      u32 rank = static_cast<u32>(items_[i] >> 32);
      if (i > from && rank != static_cast<u32>(items_[i - 1] >> 32))
        consider(left_.data(), rows, static_cast<u32>(items_[i - 1] >> 32), allows);
      tally_->add(left_.data(), base_ + static_cast<u32>(items_[i]));
      ++rows;
    }
    return rows;
  }

  // ---- larger nodes ----
  u32 bucket(u32 rank) const { return (rank - ranks_->low) >> shift_; }
  u32 place(u32 rank) const { return rank <= ranks_->high ? bucket(rank) : buckets_; }  // unknown: behind the last
  u32 last_rank(u32 bucket) const { return ranks_->low + ((bucket + 1) << shift_) - 1; }
  const Sum* before(u32 bucket) const { return sums_.data() + static_cast<size_t>(bucket) * width_; }

  void count_buckets() {
    u32 bucket_bits = std::bit_width(std::clamp<u32>(ranks_->n / 16, 32, 1024) - 1);
    u32 bits = std::bit_width(ranks_->high - ranks_->low);
    shift_ = bits > bucket_bits ? bits - bucket_bits : 0;
    buckets_ = bucket(ranks_->high) + 1;
    sums_.assign(static_cast<size_t>(buckets_ + 2) * width_, 0);
    rows_.assign(buckets_ + 2, 0);
    Sum* sums = sums_.data() + width_;  // bucket b is counted in row b + 1, to be summed up into "before b + 1"
    const u32* rank = ranks_->rank.data();
    for (u32 i = 0; i < ranks_->n; ++i) {
      u32 b = place(rank[i]);
      tally_->add(sums + static_cast<size_t>(b) * width_, base_ + i);
      ++rows_[b + 1];
    }
    const Sum* unknown = sums + static_cast<size_t>(buckets_) * width_;
    if (ranks_->unknown) unknown_.assign(unknown, unknown + width_);
    for (u32 b = 1; b <= buckets_; ++b) {
      rows_[b] += rows_[b - 1];
      for (u32 j = 0; j < width_; ++j)
        sums_[static_cast<size_t>(b) * width_ + j] += sums_[static_cast<size_t>(b - 1) * width_ + j];
    }
    look_at_boundaries();
  }
  void look_at_boundaries() {
    for (u32 b = 1; b < buckets_; ++b)
      if (rows_[b] != rows_[b - 1]) best_ = std::max(best_, boundary(b));
  }

  // The purity of the cut before a bucket, in its better form.
  double boundary(u32 b) {
    double best = -std::numeric_limits<double>::infinity();
    if (ranks_->unknown) {
      for (u32 j = 0; j < width_; ++j) other_[j] = before(b)[j] + unknown_[j];
      if (admissible(other_.data(), rows_[b] + ranks_->unknown)) best = tally_->sides(other_.data(), total_);
    }
    if (admissible(before(b), rows_[b])) best = std::max(best, tally_->sides(before(b), total_));
    return best;
  }

  double bound(u32 b) {
    double best = tally_->bound(before(b), before(b + 1), total_);
    if (!ranks_->unknown) return best;
    end_.resize(width_);
    for (u32 j = 0; j < width_; ++j) {
      other_[j] = before(b)[j] + unknown_[j];
      end_[j] = before(b + 1)[j] + unknown_[j];
    }
    return std::max(best, tally_->bound(other_.data(), end_.data(), total_));
  }

  void mark_buckets(double least) {
    wanted_.assign(buckets_ + 1, 0);
    any_ = false;
    if (!shift_) return;
    for (u32 b = 0; b < buckets_; ++b) {
      if (rows_[b + 1] - rows_[b] < 2 || bound(b) < least) continue;
      wanted_[b] = 1;
      any_ = true;
    }
  }

  void collect_items() {
    items_.clear();
    if (!any_) return;
    const u32* rank = ranks_->rank.data();
    for (u32 i = 0; i < ranks_->n; ++i)
      if (wanted_[place(rank[i])]) items_.push_back(u64{rank[i]} << 32 | i);
    sort_items();
  }

  // All cuts that may matter, in ascending order.
  void visit_cuts(double least) {
    size_t at = 0;
    left_.resize(width_);
    for (u32 b = 0; b < buckets_; ++b) {
      if (b && rows_[b] != rows_[b - 1] && boundary(b) >= least) consider(before(b), rows_[b], last_rank(b - 1));
      if (!wanted_[b]) continue;
      size_t end = at + static_cast<size_t>(rows_[b + 1] - rows_[b]);
      std::copy_n(before(b), width_, left_.data());
      walk_items(at, end, rows_[b]);
      at = end;
    }
    known_against_unknown();
  }

  const Tally* tally_ = nullptr;
  const NodeRanks* ranks_ = nullptr;
  const Sum* total_ = nullptr;
  u32 n_ranks_ = 0, base_ = 0, width_ = 0, shift_ = 0, buckets_ = 0;
  int64_t all_rows_ = 0;
  Least least_;
  double slack_ = 0.0, best_ = 0.0;
  bool finished_ = false, any_ = false;
  TieTracker tracker_;
  std::vector<Sum> sums_, left_, other_, end_, unknown_;
  std::vector<int64_t> rows_;
  std::vector<u8> wanted_;
  std::vector<u64> items_;
};

}  // namespace quercus
