// BinCounts: how many instances of each class a node has in each bin, for several attributes at once, because the bins
// of a row lie side by side. Where nodes look at all attributes of their tree, only one of two children is counted: the
// counts of the other are those of the parent less these.
#pragma once

#include "code_rows.h"
#include "cut_search.h"
#include "tally.h"

namespace quercus {

constexpr u32 BINS = 256;  // places for the bins of an attribute, one of them for unknown values

// The bins of every row side by side, shared by all trees: [row, attribute].
struct BinnedRows {
  std::vector<u8> codes;
  size_t stride = 0;

  BinnedRows() = default;
  BinnedRows(const std::vector<RankColumn>& columns, u32 n_rows, Pool& pool) : stride(columns.size()) {
    codes.resize(n_rows * stride);
    constexpr u32 block = 8192;
    pool.run((n_rows + block - 1) / block, [&](size_t b, int) {
      auto first = static_cast<u32>(b) * block, end = std::min(first + block, n_rows);
      for (size_t a = 0; a < stride; ++a) {
        if (columns[a].nominal) continue;
        for (u32 row = first; row < end; ++row) codes[row * stride + a] = static_cast<u8>(columns[a].rank(row));
      }
    });
  }

  // The cells of the row at place i of a list whose last place is `end`. The cells of a later row are fetched from
  // memory meanwhile.
  const u8* at(const u32* list, u32 i, u32 end) const {
    __builtin_prefetch(codes.data() + list[std::min(i + ROWS_AHEAD, end)] * stride);
    return codes.data() + list[i] * stride;
  }
};

// Which attributes are counted, and where.
class CountedAttributes {
 public:
  static constexpr u32 none = ~u32{0};

  void start(size_t n_attributes) {
    attributes.clear();
    slot_.assign(n_attributes, none);
  }
  void add(u32 attribute) {
    slot_[attribute] = static_cast<u32>(attributes.size());
    attributes.push_back(attribute);
  }
  u32 slot(u32 attribute) const { return attribute < slot_.size() ? slot_[attribute] : none; }

  std::vector<u32> attributes;

 private:
  std::vector<u32> slot_;  // by attribute
};

struct BinCounts {
  std::vector<u32> sums;  // [slot, bin, class]

  // Whether a bin holds instances; `counts` are those of one attribute.
  static bool present(const u32* counts, u32 bin, u32 width) {
    const u32* at = counts + static_cast<size_t>(bin) * width;
    return std::any_of(at, at + width, [](u32 count) { return count > 0; });
  }
  const u32* of(u32 slot, u32 width) const { return sums.data() + static_cast<size_t>(slot) * BINS * width; }

  // Counts the instances [begin, end) by the attributes from slot `first` on.
  void count(const BinnedRows& rows, const CountedAttributes& counted, size_t first, const Instances& instances,
             u32 begin, u32 end, u32 width) {
    sums.resize(first * BINS * width);
    sums.resize(counted.attributes.size() * BINS * width, 0);
    if (width == 2)
      add<2>(rows, counted, first, instances, begin, end, width);
    else
      add<0>(rows, counted, first, instances, begin, end, width);
  }
  void subtract(const BinCounts& other) {
    for (size_t i = 0; i < sums.size(); ++i) sums[i] -= other.sums[i];
  }

 private:
  template <u32 Width>
  void add(const BinnedRows& rows, const CountedAttributes& counted, size_t first, const Instances& instances,
           u32 begin, u32 end, u32 any_width) {
    const u32 width = Width ? Width : any_width, *row = instances.row.data(), *tag = instances.tag.data();
    const u32* attribute = counted.attributes.data() + first;
    const auto n = static_cast<u32>(counted.attributes.size() - first);
    u32* sums_of_first = sums.data() + first * BINS * width;
    for (u32 i = begin; i < end; ++i) {
      const u8* code = rows.at(row, i, end - 1);
      u32 times = tag[i] >> 16;
      u32* to = sums_of_first + (tag[i] & 0xffff);
      for (u32 s = 0; s < n; ++s, to += BINS * width) to[code[attribute[s]] * width] += times;
    }
  }
};

}  // namespace quercus
