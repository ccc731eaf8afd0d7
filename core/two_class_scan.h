// TwoClassScan: the best cut of a sorted list of two classes whose instances all weigh one, by blocks with bounds.
#pragma once

#include "node_view.h"

namespace quercus {

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
template <typename C>
class TwoClassScan {
 public:
  // `all` and `all_ones` count what both sides hold together; `extra` and `extra_ones`, instances of unknown value,
  // stand on the left of every cut.
  // With a profile, whose list holds the part from `begin` on, no entries are counted.
  TwoClassScan(const Plan& plan, ListPart part, TwoClassTotals totals, std::vector<u8>& ones, bool count,
               const Profile* profile, u32 begin)
      : part_of_{plan.parts.data()},
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
    bool any = false;
    walk([&](double bound) { return any ? bound > best : bound >= best; },
         [&](u32, double p) {
           if (p >= best) {
             best = p;
             any = true;
           }
           return true;
         });
    return any ? best : -std::numeric_limits<double>::infinity();
  }

  struct Cut {
    u32 where;
    double purity;
  };

  // The lowest cut whose purity is at least `target`.
  Cut first(double target, double slack) const {
    Cut lowest{0, 0.0};
    walk([&](double bound) { return bound >= target - slack; },
         [&](u32 cut, double p) {
           if (p < target) return true;
           lowest = {cut, p};
           return false;
         });
    return lowest;
  }

  u32 count_cuts() const {
    u32 cuts = 0, first = std::max(part_.least, 1u);
    if (profile_) return 2 * u64{first} > part_.n ? 0 : profile_->starts(begin_ + first, begin_ + part_.n - first + 1);
    for (u32 cut = first; cut + first <= part_.n; ++cut) cuts += !(part_.entries[cut] & TIE);
    return cuts;
  }

 private:
  QUERCUS_INLINE double purity(u32 n, u32 l1) const {
    return two_class_purity<C>(part_of_, n + totals_.extra, l1 + totals_.extra_ones, totals_.all, totals_.all_ones);
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
    if constexpr (C::parts == Parts::largest) return best_lead(before + lead.low, before + lead.high);
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

  // Where the largest class counts: the purity depends on the lead d alone, (|d| + |D - d| - all) / 2, D the lead of
  // both sides; the extremes of a span are leads of it, so that this is not only a bound but the value that is
  // reached (apart from ties).
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
    const u32* entries = part_.entries;
    u32 l1 = 0, low = part_.least - std::min(part_.least, totals_.extra);  // cuts that leave enough on both sides
    u32 high = std::min(part_.n - 1, totals_.all - std::min(totals_.all, part_.least + totals_.extra));
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
      for (u32 cut = from + 1; cut <= from + size; ++cut) {
        l1 += (entries[cut - 1] >> 30) & 1u;
        if (cut < low || cut > high || (entries[cut] & TIE)) continue;
        if (!visit(cut, purity(cut, l1))) return;
      }
    }
  }

  CountParts<C> part_of_;
  ListPart part_;
  TwoClassTotals totals_;
  std::vector<u8>& ones_;
  u32 blocks_ = 0;
  bool use_bounds_;
  const Profile* profile_;
  u32 begin_;
};

}  // namespace quercus
