// Presort: the order of a numeric column, found once by radix sort on the bits of its numbers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "dataset.h"

namespace quercus {

// Bits whose unsigned order is the order of the numbers; -0 and 0 get the same bits.
inline u32 ordered_bits(float x) {
  u32 b = std::bit_cast<u32>(x == 0.0f ? 0.0f : x);
  return (b & 0x80000000u) ? ~b : (b | 0x80000000u);
}
inline u64 ordered_bits(double x) {
  u64 b = std::bit_cast<u64>(x == 0.0 ? 0.0 : x);
  return (b >> 63) ? ~b : (b | (u64{1} << 63));
}

namespace detail {

struct KeyRow {
  u32 key;
  u32 row;
};

// Stable least-significant-digit radix sort by a 32-bit key; digits that do not vary are skipped.
inline void radix_sort(std::vector<KeyRow>& items, std::vector<KeyRow>& spare) {
  constexpr int bits = 11, size = 1 << bits;
  static_assert(bits * 3 >= 32);
  size_t n = items.size();
  spare.resize(n);
  std::vector<u32> histogram(3 * size, 0);
  for (const KeyRow& item : items)
    for (int p = 0; p < 3; ++p) ++histogram[p * size + ((item.key >> (p * bits)) & (size - 1))];
  for (int p = 0; p < 3; ++p) {
    u32* h = histogram.data() + p * size;
    u32 digit = n ? (items[0].key >> (p * bits)) & (size - 1) : 0;
    if (h[digit] == n) continue;
    u32 sum = 0;
    for (int d = 0; d < size; ++d) {
      u32 c = h[d];
      h[d] = sum;
      sum += c;
    }
    for (const KeyRow& item : items) spare[h[(item.key >> (p * bits)) & (size - 1)]++] = item;
    items.swap(spare);
  }
}

// After a sort by the upper half of 64-bit keys: put runs of equal halves into full order.
inline void finish_runs(std::vector<KeyRow>& items, const double* x) {
  size_t n = items.size();
  auto before = [x](const KeyRow& a, const KeyRow& b) { return x[a.row] < x[b.row]; };
  for (size_t i = 0; i < n;) {
    size_t j = i + 1;
    bool sorted = true;
    while (j < n && items[j].key == items[i].key) {
      sorted = sorted && !before(items[j], items[j - 1]);
      ++j;
    }
    if (!sorted) {
      if (j - i <= 24) {
        for (size_t a = i + 1; a < j; ++a) {
          KeyRow v = items[a];
          size_t b = a;
          while (b > i && before(v, items[b - 1])) {
            items[b] = items[b - 1];
            --b;
          }
          items[b] = v;
        }
      } else {
        std::stable_sort(items.begin() + static_cast<std::ptrdiff_t>(i), items.begin() + static_cast<std::ptrdiff_t>(j),
                         before);
      }
    }
    i = j;
  }
}

}  // namespace detail

// The rows of a numeric column in the order of their values (equal values: by row), unknown rows apart, by row.
inline void sorted_rows(const Column& column, u32 n, std::vector<u32>& known, std::vector<u32>& unknown) {
  static thread_local std::vector<detail::KeyRow> items, spare;
  items.clear();
  items.reserve(n);
  unknown.clear();
  if (column.kind == ColumnKind::number32) {
    const float* x = static_cast<const float*>(column.data);
    for (u32 i = 0; i < n; ++i) {
      if (std::isnan(x[i]))
        unknown.push_back(i);
      else
        items.push_back({ordered_bits(x[i]), i});
    }
    detail::radix_sort(items, spare);
  } else {
    const double* x = static_cast<const double*>(column.data);
    bool narrow = true;
    for (u32 i = 0; i < n; ++i) {
      if (std::isnan(x[i])) {
        unknown.push_back(i);
        continue;
      }
      narrow = narrow && static_cast<double>(static_cast<float>(x[i])) == x[i];
      items.push_back({static_cast<u32>(ordered_bits(x[i]) >> 32), i});
    }
    if (narrow)  // every value is a float32 too: its bits order it completely
      for (auto& item : items) item.key = ordered_bits(static_cast<float>(x[item.row]));
    detail::radix_sort(items, spare);
    if (!narrow) detail::finish_runs(items, x);
  }
  known.resize(items.size());
  for (size_t i = 0; i < items.size(); ++i) known[i] = items[i].row;
  if (items.capacity() * sizeof(detail::KeyRow) > (size_t{1} << 20)) {  // give large scratch back
    std::vector<detail::KeyRow>().swap(items);
    std::vector<detail::KeyRow>().swap(spare);
  }
}

}  // namespace quercus
