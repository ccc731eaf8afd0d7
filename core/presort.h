// Presort: the order of a numeric column, found once by radix sort on the bits of its numbers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <type_traits>
#include <vector>

#include "dataset.h"
#include "memory.h"

namespace quercus {

// Bits whose unsigned order is the order of the numbers; -0 and 0 get the same bits.
inline u32 ordered_bits(float x) {
  u32 b = std::bit_cast<u32>(x + 0.0f);
  return b ^ (static_cast<u32>(static_cast<int32_t>(b) >> 31) | 0x80000000u);
}
inline u64 ordered_bits(double x) {
  u64 b = std::bit_cast<u64>(x + 0.0);
  return b ^ (static_cast<u64>(static_cast<int64_t>(b) >> 63) | (u64{1} << 63));
}

// A number's bits (of a double: the upper half) and what travels with it: the row, and the class above it.
struct SortItem {
  u32 key;
  u32 cargo;
};

struct SortScratch {
  Large<SortItem> items, spare;
  std::vector<u32> unknown;  // cargo of rows without a number
  bool exact = true;         // equal keys mean equal numbers
};

namespace detail {

constexpr int DIGIT = 11, DIGITS = 3, BUCKETS = 1 << DIGIT;
using Histograms = std::array<std::array<u32, BUCKETS>, DIGITS>;

// Stable least-significant-digit radix sort; digits that do not vary are skipped.
inline void radix_sort(SortScratch& scratch, Histograms& histograms) {
  size_t n = scratch.items.size();
  if (n < 2) return;
  scratch.spare.resize(n);
  for (int p = 0; p < DIGITS; ++p) {
    auto& h = histograms[static_cast<size_t>(p)];
    int shift = p * DIGIT;
    if (h[(scratch.items[0].key >> shift) & (BUCKETS - 1)] == n) continue;
    u32 sum = 0;
    for (u32& count : h) {
      u32 c = count;
      count = sum;
      sum += c;
    }
    SortItem* to = scratch.spare.data();
    for (const SortItem& item : scratch.items) to[h[(item.key >> shift) & (BUCKETS - 1)]++] = item;
    scratch.items.swap(scratch.spare);
  }
}

// After a sort by the upper halves of doubles: put runs of equal halves into full order.
inline void finish_runs(Large<SortItem>& items, const double* x, u32 row_mask) {
  size_t n = items.size();
  auto number = [&](const SortItem& item) { return x[item.cargo & row_mask]; };
  auto before = [&](const SortItem& a, const SortItem& b) { return number(a) < number(b); };
  for (size_t i = 0; i < n;) {
    size_t j = i + 1;
    while (j < n && items[j].key == items[i].key) ++j;
    if (j - i > 1)
      std::stable_sort(items.begin() + static_cast<std::ptrdiff_t>(i), items.begin() + static_cast<std::ptrdiff_t>(j),
                       before);
    i = j;
  }
}

template <typename Number, typename Key, typename Cargo>
void collect(const Number* x, u32 n, SortScratch& scratch, Histograms& histograms, Key key, Cargo cargo) {
  size_t unknown = 0;
  for (u32 i = 0; i < n; ++i) unknown += x[i] != x[i];
  scratch.items.resize(n - unknown);
  SortItem* to = scratch.items.data();
  for (u32 i = 0; i < n; ++i) {
    if (unknown && x[i] != x[i]) {
      scratch.unknown.push_back(cargo(i));
      continue;
    }
    u32 bits = key(x[i]);
    *to++ = {bits, cargo(i)};
    ++histograms[0][bits & (BUCKETS - 1)];
    ++histograms[1][(bits >> DIGIT) & (BUCKETS - 1)];
    ++histograms[2][bits >> (2 * DIGIT)];
  }
}

}  // namespace detail

// Sorts the known rows of a numeric column by value (equal values: by row) into scratch.items; cargo(row) travels
// along, with the row in the bits of row_mask.
template <typename Cargo>
void sort_column(const Column& column, u32 n, u32 row_mask, SortScratch& scratch, Cargo cargo) {
  auto histograms = std::make_unique<detail::Histograms>();
  scratch.unknown.clear();
  scratch.exact = true;
  if (column.kind == ColumnKind::number32) {
    const float* x = static_cast<const float*>(column.data);
    detail::collect(x, n, scratch, *histograms, [](float v) { return ordered_bits(v); }, cargo);
    detail::radix_sort(scratch, *histograms);
    return;
  }
  const double* x = static_cast<const double*>(column.data);
  u32 wide = 0;  // numbers that are not float32 numbers too
  for (u32 i = 0; i < n; ++i) wide += static_cast<double>(static_cast<float>(x[i])) != x[i] && x[i] == x[i];
  if (!wide) {
    detail::collect(x, n, scratch, *histograms, [](double v) { return ordered_bits(static_cast<float>(v)); }, cargo);
    detail::radix_sort(scratch, *histograms);
    return;
  }
  detail::collect(x, n, scratch, *histograms, [](double v) { return static_cast<u32>(ordered_bits(v) >> 32); }, cargo);
  detail::radix_sort(scratch, *histograms);
  detail::finish_runs(scratch.items, x, row_mask);
  scratch.exact = false;
}

}  // namespace quercus
