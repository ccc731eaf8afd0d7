// Scan: the best cut of a sorted list whose instances all weigh one. Counts are integers, logarithms come from a table.
#pragma once

#include <array>

#include "node_view.h"

namespace quercus {

// One list of a node, known entries only.
struct ListPart {
  const u32* entries;
  u32 n;
  u32 least;  // least number of entries on each side of a cut
};

struct ScanResult {
  double best = -std::numeric_limits<double>::infinity();  // largest purity of both sides
  u32 cuts = 0;                                            // admissible cuts (counted on request)
};

// ---- two classes ------------------------------------------------------------------------------------------------

// Purity of both sides when the left one has n entries, l1 of them of class 1.
template <Criterion C>
inline double two_class_purity(const double* g, u32 n, u32 l1, u32 m, u32 t1) {
  u32 l0 = n - l1, r1 = t1 - l1, r = m - n, r0 = r - r1;
  if constexpr (C == Criterion::entropy) {
    return (g[l0] + g[l1] - g[n]) + (g[r0] + g[r1] - g[r]);
  } else if constexpr (C == Criterion::gini) {
    auto side = [](double a, double b) { return a + b > 0 ? (a * a + b * b) / (a + b) - (a + b) : 0.0; };
    return side(l0, l1) + side(r0, r1);
  } else {
    return (static_cast<double>(std::max(l0, l1)) - n) + (static_cast<double>(std::max(r0, r1)) - r);
  }
}

constexpr u32 BLOCK = 64;

namespace detail {

// Class-1 entries of each full block; the class is bit 30.
inline void count_blocks_plain(const u32* entries, u32 blocks, u8* ones) {
  for (u32 b = 0; b < blocks; ++b) {
    u32 sum = 0;
    for (u32 j = 0; j < BLOCK; ++j) sum += (entries[b * BLOCK + j] >> 30) & 1u;
    ones[b] = static_cast<u8>(sum);
  }
}

#ifdef QUERCUS_X86
__attribute__((target("avx512f,avx512bw,popcnt"))) inline void count_blocks_512(const u32* entries, u32 blocks,
                                                                                u8* ones) {
  const __m512i bit = _mm512_set1_epi32(1 << 30);
  for (u32 b = 0; b < blocks; ++b) {
    const u32* e = entries + static_cast<size_t>(b) * BLOCK;
    u64 mask = 0;
    for (int j = 0; j < 4; ++j)
      mask |= static_cast<u64>(_mm512_test_epi32_mask(_mm512_loadu_si512(e + 16 * j), bit)) << (16 * j);
    ones[b] = static_cast<u8>(_mm_popcnt_u64(mask));
  }
}
__attribute__((target("avx2,popcnt"))) inline void count_blocks_256(const u32* entries, u32 blocks, u8* ones) {
  for (u32 b = 0; b < blocks; ++b) {
    const u32* e = entries + static_cast<size_t>(b) * BLOCK;
    u64 mask = 0;
    for (int j = 0; j < 8; ++j) {
      __m256i v = _mm256_slli_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(e + 8 * j)), 1);
      mask |= static_cast<u64>(static_cast<u32>(_mm256_movemask_ps(_mm256_castsi256_ps(v)))) << (8 * j);
    }
    ones[b] = static_cast<u8>(_mm_popcnt_u64(mask));
  }
}
#endif

inline void count_blocks(const u32* entries, u32 blocks, u8* ones, int width) {
#ifdef QUERCUS_X86
  if (width >= 2) return count_blocks_512(entries, blocks, ones);
  if (width >= 1) return count_blocks_256(entries, blocks, ones);
#endif
  (void)width;
  count_blocks_plain(entries, blocks, ones);
}

}  // namespace detail

struct TwoClassTotals {
  u32 all, all_ones, extra, extra_ones;
};

// The scan of one list by blocks. First the counts of all blocks and the purity at their ends; then, where the purity
// at the corners of a block's box of counts (purity is convex in them) shows that it may hold something better, every
// cut.
template <Criterion C>
class TwoClassScan {
 public:
  // `all` and `all_ones` count what both sides hold together; `extra` and `extra_ones`, instances of unknown value,
  // stand on the left of every cut.
  // With a profile, whose list holds the part from `begin` on, no entries are counted.
  TwoClassScan(const Plan& plan, ListPart part, TwoClassTotals totals, std::vector<u8>& ones, bool count,
               const Profile* profile, u32 begin)
      : g_(plan.g.data()),
        part_(part),
        totals_(totals),
        ones_(ones),
        use_bounds_(!plan.options.off(no_block_bounds)),
        profile_(profile),
        begin_(begin) {
    blocks_ = part.n / BLOCK;
    if (!count || profile) return;
    ones_.resize(blocks_);
    detail::count_blocks(part.entries, blocks_, ones_.data(), plan.wide);
  }

  // Largest purity at the ends of blocks.
  double coarse() const {
    if (profile_) return coarse_by_profile();
    double best = -std::numeric_limits<double>::infinity();
    u32 l1 = 0;
    for (u32 b = 0; b < blocks_; ++b) {
      l1 += ones_[b];
      u32 cut = (b + 1) * BLOCK;
      if (admissible(cut)) best = std::max(best, purity(cut, l1));
    }
    return best;
  }

  // Largest purity of all cuts, if it is at least `floor` (else: something smaller).
  double fine(double floor) const {
    double best = floor;
    bool found = false;
    walk([&](double bound) { return found ? bound > best : bound >= best; },
         [&](u32, double p) {
           if (p >= best) {
             best = p;
             found = true;
           }
           return true;
         });
    return found ? best : -std::numeric_limits<double>::infinity();
  }

  struct Cut {
    u32 where;
    double purity;
  };

  // The lowest cut whose purity is at least `target`.
  Cut first(double target, double slack) const {
    Cut found{0, 0.0};
    walk([&](double bound) { return bound >= target - slack; },
         [&](u32 cut, double p) {
           if (p < target) return true;
           found = {cut, p};
           return false;
         });
    return found;
  }

  u32 count_cuts() const {
    u32 cuts = 0, first = std::max(part_.least, 1u);
    if (profile_) return 2 * u64{first} > part_.n ? 0 : profile_->starts(begin_ + first, begin_ + part_.n - first + 1);
    for (u32 cut = first; cut + first <= part_.n; ++cut) cuts += !(part_.entries[cut] & TIE);
    return cuts;
  }

 private:
  double purity(u32 n, u32 l1) const {
    return two_class_purity<C>(g_, n + totals_.extra, l1 + totals_.extra_ones, totals_.all, totals_.all_ones);
  }
  bool admissible(u32 cut) const {
    u32 left = cut + totals_.extra;
    return cut < part_.n && left >= part_.least && totals_.all - left >= part_.least && !(part_.entries[cut] & TIE);
  }

  // Largest purity at the ends of spans, of which there are some dozens.
  double coarse_by_profile() const {
    double best = -std::numeric_limits<double>::infinity();
    u32 level = 0, l1 = 0, end = begin_ + part_.n;
    while (level + 1 < profile_->levels() && part_.n / profile_->size_of(level + 1) >= 16) ++level;
    u32 size = profile_->size_of(level);
    for (u32 at = begin_, next; (next = (at / size + 1) * size) < end; at = next) {
      l1 += profile_->ones(at, next);
      if (admissible(next - begin_)) best = std::max(best, purity(next - begin_, l1));
    }
    return best;
  }

  // What the purity of a cut in a span can be at most, n entries with `ones` ones standing before it: the purity is
  // convex in the number of entries and the lead, so the corners of their ranges bound it. No bound: infinity.
  double bound(u32 n, u32 ones, const Lead& lead, u32 size) const {
    int64_t before = 2 * static_cast<int64_t>(ones) - n;
    if constexpr (C == Criterion::misclassification) return best_lead(before + lead.low, before + lead.high);
    double most = -std::numeric_limits<double>::infinity();
    for (int64_t m : {int64_t{n} + 1, int64_t{n} + size})
      for (int64_t outwards : {-1, 1}) {
        int64_t d = before + (outwards < 0 ? lead.low : lead.high);
        if ((m + d) & 1) d += outwards;  // a whole number of ones
        int64_t l1 = (m + d) / 2, zeros = int64_t{totals_.all} - totals_.all_ones;
        if (m + d < 0 || l1 > m || l1 > totals_.all_ones || m - l1 > zeros)
          return std::numeric_limits<double>::infinity();
        most = std::max(most, purity(static_cast<u32>(m), static_cast<u32>(l1)));
      }
    return most;
  }

  // Misclassification: the purity depends on the lead d alone, (|d| + |D - d| - all) / 2, D the lead of both sides; the
  // extremes of a span are leads of it, so that this is no bound only, but what is there (ties apart).
  double best_lead(int64_t low, int64_t high) const {
    int64_t whole = 2 * static_cast<int64_t>(totals_.all_ones) - totals_.all;
    int64_t most = std::max(std::abs(low) + std::abs(whole - low), std::abs(high) + std::abs(whole - high));
    return static_cast<double>(most - totals_.all) / 2;
  }

  // The largest spans first; of one that is worth it its parts; of a block that is worth it every cut.
  template <typename Worth, typename Visit>
  void walk_by_profile(Worth worth, Visit visit) const {
    u32 l1 = 0, end = begin_ + part_.n;
    for (u32 at = begin_; at < end;) {
      int level = use_bounds_ ? profile_->level_at(at, end) : -1;
      while (level >= 0) {
        u32 size = profile_->size_of(static_cast<u32>(level));
        const Lead& lead = profile_->span(static_cast<u32>(level), at);
        if (!worth(bound(at - begin_, l1, lead, size))) {
          l1 += static_cast<u32>((static_cast<int64_t>(size) + lead.sum) / 2);
          at += size;
          break;
        }
        --level;
      }
      if (level >= 0) continue;
      for (u32 stop = std::min(end, (at / Profile::block + 1) * Profile::block); at < stop;) {
        l1 += (part_.entries[at - begin_] >> 30) & 1u;
        u32 cut = ++at - begin_;
        if (admissible(cut) && !visit(cut, purity(cut, l1))) return;
      }
    }
  }

  template <typename Worth, typename Visit>
  void walk(Worth worth, Visit visit) const {
    if (profile_) return walk_by_profile(worth, visit);
    u32 l1 = 0;
    for (u32 b = 0; b * BLOCK < part_.n; ++b) {
      u32 from = b * BLOCK, size = std::min(BLOCK, part_.n - from);
      if (b < blocks_ && use_bounds_) {
        u32 ones = ones_[b], zeros = size - ones;
        // corners: all zeros first, all ones first; the other two are the ends of the block
        double bound = std::max(std::max(purity(from, l1), purity(from + size, l1 + ones)),
                                std::max(purity(from + zeros, l1), purity(from + ones, l1 + ones)));
        if (!worth(bound)) {
          l1 += ones;
          continue;
        }
      }
      for (u32 j = 0; j < size; ++j) {
        l1 += (part_.entries[from + j] >> 30) & 1u;
        u32 cut = from + j + 1;
        if (admissible(cut) && !visit(cut, purity(cut, l1))) return;
      }
    }
  }

  const double* g_;
  ListPart part_;
  TwoClassTotals totals_;
  std::vector<u8>& ones_;
  u32 blocks_ = 0;
  bool use_bounds_;
  const Profile* profile_;
  u32 begin_;
};

// ---- two classes, any weights -------------------------------------------------------------------------------------

// The same by blocks, with sums of weights for counts. Visits, in order, every admissible cut that may come within
// `slack` of the best.
class WeightedScan {
 public:
  WeightedScan(const Plan& plan, const Measure& measure, ListPart part, const double* weight, double least_weight,
               double slack)
      : measure_(measure),
        part_(part),
        weight_(weight),
        least_weight_(least_weight),
        slack_(slack),
        mask_(plan.row_mask),
        use_bounds_(!plan.options.off(no_block_bounds)) {
    total_ = {0.0, 0.0};
    blocks_.clear();
    for (u32 from = 0; from < part.n; from += BLOCK) {
      std::array<double, 2> sums{0.0, 0.0};
      for (u32 i = from; i < std::min(from + BLOCK, part.n); ++i) add(sums, i);
      blocks_.push_back(sums);
      total_[0] += sums[0];
      total_[1] += sums[1];
    }
  }

  const std::array<double, 2>& total() const { return total_; }

  // Calls visit(cut, purity) where it may matter; returns the number of admissible cuts.
  template <typename Visit>
  u32 run(Visit visit) const {
    double best = coarse();
    u32 cuts = 0;
    std::array<double, 2> left{0.0, 0.0};
    for (u32 b = 0; b * BLOCK < part_.n; ++b) {
      const auto& sums = blocks_[b];
      bool promising = !use_bounds_ || bound(left, sums) >= best - slack_;
      for (u32 i = b * BLOCK; i < std::min((b + 1) * BLOCK, part_.n); ++i) {
        if (admissible(i, left)) {
          ++cuts;
          if (promising) {
            double p = purity(left);
            best = std::max(best, p);
            visit(i, p);
          }
        }
        add(left, i);
      }
    }
    return cuts;
  }

 private:
  void add(std::array<double, 2>& sums, u32 i) const {
    u32 entry = part_.entries[i];
    sums[(entry >> 30) & 1u] += weight_[entry & mask_];
  }
  double purity(const std::array<double, 2>& left) const {
    std::array<double, 2> right{std::max(total_[0] - left[0], 0.0), std::max(total_[1] - left[1], 0.0)};
    return measure_.purity(left.data()) + measure_.purity(right.data());
  }
  bool admissible(u32 cut, const std::array<double, 2>& left) const {
    if (cut == 0 || (part_.entries[cut] & TIE) || cut < part_.least || part_.n - cut < part_.least) return false;
    double weight = left[0] + left[1];
    return weight >= least_weight_ && total_[0] + total_[1] - weight >= least_weight_;
  }
  double bound(const std::array<double, 2>& at, const std::array<double, 2>& block) const {
    return std::max(std::max(purity(at), purity({at[0] + block[0], at[1] + block[1]})),
                    std::max(purity({at[0] + block[0], at[1]}), purity({at[0], at[1] + block[1]})));
  }
  double coarse() const {
    double best = -std::numeric_limits<double>::infinity();
    std::array<double, 2> left{0.0, 0.0};
    for (u32 b = 0; b < blocks_.size(); ++b) {
      u32 cut = b * BLOCK;
      if (b && admissible(cut, left)) best = std::max(best, purity(left));
      left[0] += blocks_[b][0];
      left[1] += blocks_[b][1];
    }
    return best;
  }

  const Measure& measure_;
  ListPart part_;
  const double* weight_;
  double least_weight_, slack_;
  u32 mask_;
  bool use_bounds_;
  std::array<double, 2> total_{};
  std::vector<std::array<double, 2>>& blocks_ = kept_blocks();
  static std::vector<std::array<double, 2>>& kept_blocks() {
    static thread_local std::vector<std::array<double, 2>> kept;
    return kept;
  }
};

// ---- any number of classes --------------------------------------------------------------------------------------

// Purity of both sides from their class counts.
template <Criterion C>
double many_class_purity(const double* g, const std::vector<u32>& present, const u32* left, const u32* extra,
                         const u32* totals, u32 n, u32 m) {
  double a = 0.0, b = 0.0, nl = n, nr = m - n;
  for (u32 j : present) {
    u32 l = left[j] + extra[j], r = totals[j] - l;
    if constexpr (C == Criterion::entropy) {
      a += g[l];
      b += g[r];
    } else if constexpr (C == Criterion::gini) {
      a += static_cast<double>(l) * l;
      b += static_cast<double>(r) * r;
    } else {
      a = std::max<double>(a, l);
      b = std::max<double>(b, r);
    }
  }
  if constexpr (C == Criterion::entropy) return (a - g[n]) + (b - g[m - n]);
  if constexpr (C == Criterion::gini) return (a / nl - nl) + (b / nr - nr);
  return (a - nl) + (b - nr);
}

// The purity of both sides of a cut that moves along a list, kept up one entry at a time.
template <Criterion C>
class RunningSides {
 public:
  // Left begins with the counts `extra`, right with what is left of the totals.
  void start(const double* g, const std::vector<u32>& totals, const std::vector<u32>& extra) {
    g_ = g;
    left_ = extra;
    right_.resize(totals.size());
    n_left_ = n_right_ = most_left_ = most_right_ = 0;
    left_sum_ = right_sum_ = {};
    left_squares_ = right_squares_ = 0;
    for (size_t j = 0; j < totals.size(); ++j) {
      right_[j] = totals[j] - extra[j];
      if (totals[j]) take_in(left_[j], right_[j]);
    }
    if constexpr (C == Criterion::misclassification) {
      with_count_.assign(size_t{most_right_} + 1, 0);
      for (u32 count : right_) ++with_count_[count];
    }
  }

  // One entry of this class goes from right to left.
  void move(u32 label) {
    u32 l = left_[label]++, r = right_[label]--;
    ++n_left_;
    --n_right_;
    if constexpr (C == Criterion::entropy) {
      left_sum_.add(g_[l + 1] - g_[l]);
      right_sum_.add(g_[r - 1] - g_[r]);
    } else if constexpr (C == Criterion::gini) {
      left_squares_ += 2 * u64{l} + 1;
      right_squares_ -= 2 * u64{r} - 1;
    } else {
      most_left_ = std::max(most_left_, l + 1);
      --with_count_[r];
      ++with_count_[r - 1];
      if (r == most_right_ && !with_count_[r]) --most_right_;
    }
  }

  double purity() const {
    double nl = n_left_, nr = n_right_;
    if constexpr (C == Criterion::entropy)
      return (left_sum_.value() - g_[n_left_]) + (right_sum_.value() - g_[n_right_]);
    else if constexpr (C == Criterion::gini)
      return (static_cast<double>(left_squares_) / nl - nl) + (static_cast<double>(right_squares_) / nr - nr);
    else
      return (most_left_ - nl) + (most_right_ - nr);
  }

 private:
  // A sum that keeps what rounding takes away.
  struct Sum {
    double high = 0.0, low = 0.0;
    void add(double x) {
      double sum = high + x;
      low += std::abs(high) >= std::abs(x) ? (high - sum) + x : (x - sum) + high;
      high = sum;
    }
    double value() const { return high + low; }
  };

  void take_in(u32 l, u32 r) {
    n_left_ += l;
    n_right_ += r;
    if constexpr (C == Criterion::entropy) {
      left_sum_.add(g_[l]);
      right_sum_.add(g_[r]);
    } else if constexpr (C == Criterion::gini) {
      left_squares_ += u64{l} * l;
      right_squares_ += u64{r} * r;
    } else {
      most_left_ = std::max(most_left_, l);
      most_right_ = std::max(most_right_, r);
    }
  }

  const double* g_ = nullptr;
  std::vector<u32> left_, right_, with_count_;  // with_count: how many classes have this count on the right
  u32 n_left_ = 0, n_right_ = 0, most_left_ = 0, most_right_ = 0;
  Sum left_sum_, right_sum_;
  u64 left_squares_ = 0, right_squares_ = 0;
};

constexpr size_t FEW_CLASSES = 8;  // so many are added up at each cut

// The scan of many_class_scan where many classes are present: a cut costs the same for any number of them.
template <Criterion C, typename Visit>
void running_scan(const Plan& plan, ListPart part, const std::vector<u32>& totals, const std::vector<u32>& unknown,
                  u32 m, u32 extra, Visit visit) {
  static thread_local RunningSides<C> with, without;
  static thread_local std::vector<u32> nothing;
  nothing.assign(totals.size(), 0);
  if (extra) with.start(plan.g.data(), totals, unknown);
  without.start(plan.g.data(), totals, nothing);
  u32 least = std::max(part.least, 1u);
  for (u32 i = 0; i < part.n; ++i) {
    u32 entry = part.entries[i];
    if (i > 0 && !(entry & TIE)) {
      if (extra && i + extra >= least && m - i - extra >= least) visit(i, with.purity(), 0);
      if (i >= least && m - i >= least) visit(i, without.purity(), 1);
    }
    if (extra) with.move(plan.label_in(entry));
    without.move(plan.label_in(entry));
  }
}

// Streams over the list with running class counts; calls visit(cut, purity, form) for each admissible cut. `totals` is
// what both sides hold together; of it `unknown` stands on the left in form 0 and on the right in form 1 (none: form
// 1).
template <Criterion C, typename Visit>
void many_class_scan(const Plan& plan, ListPart part, const std::vector<u32>& totals, const std::vector<u32>& unknown,
                     Visit visit) {
  static thread_local std::vector<u32> left, present, nothing;
  size_t k = totals.size();
  left.assign(k, 0);
  nothing.assign(k, 0);
  present.clear();
  u32 m = 0, extra = 0;
  for (u32 j = 0; j < k; ++j) {
    if (totals[j]) present.push_back(j);
    m += totals[j];
    extra += unknown[j];
  }
  if (present.size() > FEW_CLASSES && !plan.options.off(no_running))
    return running_scan<C>(plan, part, totals, unknown, m, extra, visit);
  const double* g = plan.g.data();
  u32 shift = plan.label_shift, least = std::max(part.least, 1u);
  u64 squares_left = 0, squares_right = 0;
  for (u32 j : present) squares_right += static_cast<u64>(totals[j]) * totals[j];
  for (u32 i = 0; i < part.n; ++i) {
    u32 entry = part.entries[i];
    if (i > 0 && !(entry & TIE)) {
      if (extra && i + extra >= least && m - i - extra >= least)
        visit(i, many_class_purity<C>(g, present, left.data(), unknown.data(), totals.data(), i + extra, m), 0);
      if (i >= least && m - i >= least) {
        double nl = i, nr = m - i;
        if constexpr (C == Criterion::gini)  // sums of squares run along exactly
          visit(i, (static_cast<double>(squares_left) / nl - nl) + (static_cast<double>(squares_right) / nr - nr), 1);
        else
          visit(i, many_class_purity<C>(g, present, left.data(), nothing.data(), totals.data(), i, m), 1);
      }
    }
    u32 label = (entry & ~TIE) >> shift;
    if constexpr (C == Criterion::gini) {
      squares_left += 2 * u64{left[label]} + 1;
      squares_right -= 2 * u64{totals[label] - left[label]} - 1;
    }
    ++left[label];
  }
}

// ---- numbers -----------------------------------------------------------------------------------------------------

// What a scan for squared error reads beside the list.
struct NumberColumn {
  const double* target;
  const double* weight;                // null: all one
  double center;                       // subtracted from the target
  double total_weight, total_sum;      // of both sides together
  double unknown_weight, unknown_sum;  // of it, what stands left in form 0 and right in form 1
  u32 unknown_rows;                    // 0: only form 1
  double least_weight;
  u32 row_mask;
};

// Streams over the list with running sums; calls visit(cut, purity, form) for each admissible cut.
template <bool Weighted, typename Visit>
void number_scan(ListPart part, const NumberColumn& numbers, Visit visit) {
  constexpr u32 ahead = 16;
  u32 known = part.n, all = known + numbers.unknown_rows, least = std::max(part.least, 1u);
  double left_sum = 0.0, left_weight = 0.0, group_sum = 0.0, group_weight = 0.0;
  auto consider = [&](u32 cut, u32 rows, double weight, double sum, int form) {
    double right_weight = numbers.total_weight - weight, right_sum = numbers.total_sum - sum;
    if (rows >= least && all - rows >= least && weight >= numbers.least_weight && right_weight >= numbers.least_weight)
      visit(cut, sum * sum / weight + right_sum * right_sum / right_weight, form);
  };
  for (u32 i = 0; i < known; ++i) {
    u32 entry = part.entries[i];
#if defined(__GNUC__) || defined(__clang__)
    if (i + ahead < known) __builtin_prefetch(numbers.target + (part.entries[i + ahead] & numbers.row_mask));
#endif
    if (i > 0 && !(entry & TIE)) {
      left_sum += group_sum;
      left_weight = Weighted ? left_weight + group_weight : static_cast<double>(i);
      group_sum = group_weight = 0.0;
      if (numbers.unknown_rows)
        consider(i, i + numbers.unknown_rows, left_weight + numbers.unknown_weight, left_sum + numbers.unknown_sum, 0);
      consider(i, i, left_weight, left_sum, 1);
    }
    u32 instance = entry & numbers.row_mask;
    double y = numbers.target[instance] - numbers.center;
    if constexpr (Weighted) {
      group_sum += numbers.weight[instance] * y;
      group_weight += numbers.weight[instance];
    } else {
      group_sum += y;
    }
  }
}

}  // namespace quercus
