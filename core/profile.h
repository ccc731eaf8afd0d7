// Profile: for a sorted list of two classes that does not change, how far the entries of class 1 outnumber those of
// class 0, for each block and for blocks of blocks. These few numbers bound the purity that any cut of a span can
// reach, so that a search passes over the span without looking at its entries. A tree that is one long chain is then
// grown without reading its rows at each node.
#pragma once

#include <algorithm>
#include <vector>

#include "dataset.h"

namespace quercus {

// A span of entries: ones less zeros; the least and the largest value of that difference after any of its entries; how
// many entries start a new value.
struct Lead {
  int32_t sum = 0, low = 0, high = 0;
  u32 starts = 0;
};

class Profile {
 public:
  static constexpr u32 block = 64, join = 8;

  // `ties` is the bit of entries that equal the one before; the class is bit 30.
  Profile(const u32* list, u32 n, u32 ties) : list_(list), ties_(ties) {
    levels_.emplace_back(n / block);
    for (u32 b = 0; b < n / block; ++b) levels_[0][b] = look(b * block, (b + 1) * block);
    while (levels_.back().size() >= join) {
      const std::vector<Lead>& from = levels_.back();
      std::vector<Lead> to(from.size() / join);
      for (size_t i = 0; i < to.size(); ++i) to[i] = together(&from[i * join]);
      levels_.push_back(std::move(to));
    }
  }

  u32 levels() const { return static_cast<u32>(levels_.size()); }
  u32 size_of(u32 level) const { return block << (3 * level); }
  const Lead& span(u32 level, u32 at) const { return levels_[level][at / size_of(level)]; }

  // The largest span that begins at `at` and ends by `end`: its level, or -1 if there is none.
  int level_at(u32 at, u32 end) const {
    int level = -1;
    while (level + 1 < static_cast<int>(levels()) && at % size_of(level + 1) == 0 && end - at >= size_of(level + 1))
      ++level;
    return level;
  }

  // Entries of [from, to) that start a new value.
  u32 starts(u32 from, u32 to) const {
    u32 count = 0;
    for (u32 at = from; at < to;) {
      int level = level_at(at, to);
      if (level < 0) {
        count += !(list_[at++] & ties_);
        continue;
      }
      count += span(static_cast<u32>(level), at).starts;
      at += size_of(static_cast<u32>(level));
    }
    return count;
  }

  // Entries of class 1 in [from, to).
  u32 ones(u32 from, u32 to) const {
    int64_t lead = 0;
    for (u32 at = from; at < to;) {
      int level = level_at(at, to);
      if (level < 0) {
        lead += step(list_[at++]);
        continue;
      }
      lead += span(static_cast<u32>(level), at).sum;
      at += size_of(static_cast<u32>(level));
    }
    return static_cast<u32>((lead + (to - from)) / 2);
  }

 private:
  static int32_t step(u32 entry) { return static_cast<int32_t>(2 * ((entry >> 30) & 1u)) - 1; }

  Lead look(u32 from, u32 to) const {
    Lead lead{0, INT32_MAX, INT32_MIN, 0};
    for (u32 i = from; i < to; ++i) {
      lead.sum += step(list_[i]);
      lead.low = std::min(lead.low, lead.sum);
      lead.high = std::max(lead.high, lead.sum);
      lead.starts += !(list_[i] & ties_);
    }
    return lead;
  }
  static Lead together(const Lead* parts) {
    Lead lead{0, INT32_MAX, INT32_MIN, 0};
    for (u32 i = 0; i < join; ++i) {
      lead.low = std::min(lead.low, lead.sum + parts[i].low);
      lead.high = std::max(lead.high, lead.sum + parts[i].high);
      lead.sum += parts[i].sum;
      lead.starts += parts[i].starts;
    }
    return lead;
  }

  const u32* list_;
  u32 ties_;
  std::vector<std::vector<Lead>> levels_;
};

}  // namespace quercus
