// Presort: the order of a numeric column, found once by radix sort on the bits of its numbers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
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

constexpr int BUCKET_BITS = 12;  // the other 20 bits of a key are two digits of 10, or three of 7
constexpr size_t BUCKETS = size_t{1} << BUCKET_BITS;
constexpr size_t SMALL_BUCKET = 256;
constexpr u32 FEW_NUMBERS = 512;

// Stable sort of items[0, n) by the low Passes * Bits bits of their keys, least significant digit first; digits that do
// not vary are skipped. `spare` has room for n items.
template <int Bits, int Passes>
void sort_digits(SortItem* items, SortItem* spare, size_t n) {
  constexpr u32 buckets = 1u << Bits;
  std::array<std::array<u32, buckets>, Passes> counts{};
  for (size_t i = 0; i < n; ++i)
    for (int p = 0; p < Passes; ++p) ++counts[p][(items[i].key >> (p * Bits)) & (buckets - 1)];
  SortItem* from = items;
  SortItem* to = spare;
  for (int p = 0; p < Passes; ++p) {
    int shift = p * Bits;
    auto& start = counts[p];
    if (start[(from[0].key >> shift) & (buckets - 1)] == n) continue;
    u32 sum = 0;
    for (u32& count : start) sum += std::exchange(count, sum);
    for (size_t i = 0; i < n; ++i) to[start[(from[i].key >> shift) & (buckets - 1)]++] = from[i];
    std::swap(from, to);
  }
  if (from != items) std::copy(from, from + n, items);
}

inline void sort_bucket(SortItem* items, SortItem* spare, size_t n) {
  if (n < 2) return;
  if (n < SMALL_BUCKET)
    sort_digits<7, 3>(items, spare, n);
  else
    sort_digits<10, 2>(items, spare, n);
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

// Few numbers: a sort by comparison.
template <typename Number, typename Key, typename Cargo>
void sort_few(const Number* x, u32 n, SortScratch& scratch, Key key, Cargo cargo) {
  scratch.items.clear();
  for (u32 i = 0; i < n; ++i) {
    if (x[i] == x[i])
      scratch.items.push_back({key(x[i]), cargo(i)});
    else
      scratch.unknown.push_back(cargo(i));
  }
  std::stable_sort(scratch.items.begin(), scratch.items.end(),
                   [](const SortItem& a, const SortItem& b) { return a.key < b.key; });
}

// Stable sort of the numbers that are known, by key. First each goes to its bucket, one of at most 4,096 equal ranges
// of keys; then each bucket, by now in the cache, is sorted by the rest of the key.
template <typename Number, typename Key, typename Cargo>
void sort_numbers(const Number* x, u32 n, SortScratch& scratch, Key key, Cargo cargo) {
  if (n < FEW_NUMBERS) return sort_few(x, n, scratch, key, cargo);
  u32 unknown = 0, low = ~u32{0}, high = 0;
  for (u32 i = 0; i < n; ++i) {
    u32 bits = key(x[i]);
    unknown += x[i] != x[i];
    low = std::min(low, bits);  // of unknown ones too: that only makes the ranges wider
    high = std::max(high, bits);
  }
  int shift = std::max(0, static_cast<int>(std::bit_width(high - low)) - BUCKET_BITS);
  std::array<u32, BUCKETS + 1> start{};
  for (u32 i = 0; i < n; ++i) start[((key(x[i]) - low) >> shift) + 1] += x[i] == x[i];
  u32 largest = *std::max_element(start.begin(), start.end());
  for (size_t b = 0; b < BUCKETS; ++b) start[b + 1] += start[b];
  scratch.items.resize(n - unknown);
  if (scratch.spare.size() < largest) scratch.spare.resize(largest);
  SortItem* items = scratch.items.data();
  for (u32 i = 0; i < n; ++i) {
    u32 bits = key(x[i]) - low;
    if (unknown && x[i] != x[i])
      scratch.unknown.push_back(cargo(i));
    else
      items[start[bits >> shift]++] = {bits, cargo(i)};
  }
  // each start is now the end of its bucket
  if (shift)
    for (size_t b = 0, from = 0; b < BUCKETS; from = start[b++])
      sort_bucket(items + from, scratch.spare.data(), start[b] - from);
}

}  // namespace detail

// Sorts the known rows of a numeric column by value (equal values: by row) into scratch.items; cargo(row) travels
// along, with the row in the bits of row_mask.
template <typename Cargo>
void sort_column(const Column& column, u32 n, u32 row_mask, SortScratch& scratch, Cargo cargo) {
  scratch.unknown.clear();
  scratch.exact = true;
  if (column.kind == ColumnKind::number32) {
    const float* x = static_cast<const float*>(column.data);
    detail::sort_numbers(x, n, scratch, [](float v) { return ordered_bits(v); }, cargo);
    return;
  }
  const double* x = static_cast<const double*>(column.data);
  u32 wide = 0;  // numbers that are not float32 numbers too
  for (u32 i = 0; i < n; ++i) wide += static_cast<double>(static_cast<float>(x[i])) != x[i] && x[i] == x[i];
  if (!wide) {
    detail::sort_numbers(x, n, scratch, [](double v) { return ordered_bits(static_cast<float>(v)); }, cargo);
    return;
  }
  detail::sort_numbers(x, n, scratch, [](double v) { return static_cast<u32>(ordered_bits(v) >> 32); }, cargo);
  detail::finish_runs(scratch.items, x, row_mask);
  scratch.exact = false;
}

}  // namespace quercus
