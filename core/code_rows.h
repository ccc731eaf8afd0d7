// CodeRows: the codes of an instance side by side, behind its class or its number, so that the codes of several columns
// are counted in one pass over the instances. CodeCounts: what is counted.
#pragma once

#include <cstring>
#include <vector>

#include "fixed_point.h"
#include "memory.h"
#include "parallel.h"

namespace quercus {

constexpr u32 NOT_CODED = ~u32{0};
constexpr u32 ROWS_AHEAD = 16;                        // rows that are fetched from memory before they are needed
constexpr size_t COUNTED_TOGETHER = size_t{1} << 17;  // bytes of counts that one pass fills: they stay in the cache

// The rows of a frame. A row begins with what is counted: a class (u32), or a number (FixedSum). Unknown values have
// the code behind the last one.
struct CodeRows {
  Large<u8> cells;  // [instance, stride]
  size_t stride = 0;
  std::vector<u32> place;  // by column: the byte in a row that holds its code; NOT_CODED: none
  std::vector<u32> start;  // by column: its first bin among the bins of all columns; the number of bins at the end

  bool empty() const { return cells.empty(); }
  const u8* at(u32 instance) const { return cells.data() + instance * stride; }
  u32 bins() const { return start.back(); }
};

// The instances of a node by column and bin: how many there are of each class, or how many and the sum of their
// numbers.
struct CodeCounts {
  std::vector<u32> classes;       // [bin, class]
  std::vector<FixedSum> numbers;  // [bin]

  void subtract(const CodeCounts& other) {
    for (size_t i = 0; i < classes.size(); ++i) classes[i] -= other.classes[i];
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i].subtract(other.numbers[i]);
  }
};

namespace detail {

// Columns that are counted in one pass: by the byte of their codes and by the first of their counts.
struct CountedTogether {
  std::vector<u32> place, start;
};

template <typename Add>
void each_row(const CodeRows& rows, const u32* order, u32 n, Add add) {
  for (u32 i = 0; i < n; ++i) {
    const u8* ahead = rows.at(order[std::min(i + ROWS_AHEAD, n - 1)]);
    __builtin_prefetch(ahead);
    __builtin_prefetch(ahead + rows.stride - 1);
    add(rows.at(order[i]));
  }
}

inline void count_numbers(const CodeRows& rows, const u32* order, u32 n, const CountedTogether& columns, FixedSum* to) {
  const size_t m = columns.place.size();
  const u32 *place = columns.place.data(), *start = columns.start.data();
  each_row(rows, order, n, [&](const u8* row) {
    FixedSum number;
    std::memcpy(&number, row, sizeof number);
    for (size_t c = 0; c < m; ++c) to[start[c] + row[place[c]]].add(number);
  });
}

template <u32 Width>
void count_classes(const CodeRows& rows, const u32* order, u32 n, const CountedTogether& columns, u32 any_width,
                   u32* to) {
  const u32 width = Width ? Width : any_width, *place = columns.place.data(), *start = columns.start.data();
  const size_t m = columns.place.size();
  each_row(rows, order, n, [&](const u8* row) {
    u32 label;
    std::memcpy(&label, row, sizeof label);
    u32* of_class = to + label;
    for (size_t c = 0; c < m; ++c) ++of_class[static_cast<size_t>(start[c] + row[place[c]]) * width];
  });
}

}  // namespace detail

// Counts the n instances of `order` by the coded ones of some columns. width: of classes; 0: numbers.
inline void count_rows(const CodeRows& rows, const u32* order, u32 n, const std::vector<u32>& columns, u32 width,
                       Pool* pool, CodeCounts& to) {
  size_t bytes = width ? width * sizeof(u32) : sizeof(FixedSum), filled = 0, threads = pool ? pool->threads() : 1;
  size_t together = std::min(COUNTED_TOGETHER, rows.bins() * bytes / threads + 1);
  to.classes.assign(rows.bins() * static_cast<size_t>(width), 0);
  to.numbers.assign(width ? 0 : rows.bins(), {});
  std::vector<detail::CountedTogether> passes(1);
  for (u32 column : columns) {
    if (rows.place[column] == NOT_CODED) continue;
    if (filled >= together) {
      passes.emplace_back();
      filled = 0;
    }
    passes.back().place.push_back(rows.place[column]);
    passes.back().start.push_back(rows.start[column]);
    filled += (rows.start[column + 1] - rows.start[column]) * bytes;
  }
  auto count = [&](size_t pass, int) {
    if (!width)
      detail::count_numbers(rows, order, n, passes[pass], to.numbers.data());
    else if (width == 2)
      detail::count_classes<2>(rows, order, n, passes[pass], width, to.classes.data());
    else
      detail::count_classes<0>(rows, order, n, passes[pass], width, to.classes.data());
  };
  if (pool && static_cast<u64>(n) * columns.size() > 40000) return pool->run(passes.size(), count);
  for (size_t pass = 0; pass < passes.size(); ++pass) count(pass, 0);
}

}  // namespace quercus
