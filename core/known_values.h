// Known values: cells of tables to predict for, turned into codes of the domain that a model knows; −1: unknown.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "arrow_texts.h"
#include "distinct_texts.h"
#include "memory.h"

namespace quercus {

// The texts of a domain, each with its code.
class KnownTexts {
 public:
  void add(const char* text, size_t length) { texts_.code(text, length); }
  int64_t size() const { return texts_.size(); }
  int32_t code(const char* text, size_t length) const { return text ? texts_.find(text, length) : -1; }

  // Appends the codes of one piece of a column; false: it holds no texts.
  bool add_codes(const ArrowType& type, const ArrowCells& cells, Large<int32_t>& codes) const {
    codes.reserve(codes.size() + static_cast<size_t>(cells.length));
    auto add = [&](const char* text, size_t length) { codes.push_back(code(text, length)); };
    if (cells.dictionary == nullptr) return each_arrow_text(type.format, cells, add);
    Large<int32_t> known;
    auto know = [&](const char* text, size_t length) { known.push_back(code(text, length)); };
    if (type.dictionary == nullptr || !each_arrow_text(type.dictionary->format, *cells.dictionary, know)) return false;
    auto n_known = static_cast<uint64_t>(known.size());
    return each_arrow_place(type.format, cells, [&](int64_t place) {
      codes.push_back(static_cast<uint64_t>(place) < n_known ? known[static_cast<size_t>(place)] : -1);
    });
  }

 private:
  DistinctTexts texts_;
};

// to [n]: what each whole number means, table[number − low]; table[size], which is −1, for all other numbers. stride:
// in bytes.
template <class Number>
void mean_codes(const std::byte* cells, int64_t n, int64_t stride, const int32_t* table, int64_t size, int64_t low,
                int32_t* to) {
  auto least = static_cast<uint64_t>(low), others = static_cast<uint64_t>(size);
  for (int64_t i = 0; i < n; ++i, cells += stride) {
    Number x = *reinterpret_cast<const Number*>(cells);
    uint64_t place = others;
    if constexpr (std::is_floating_point_v<Number>) {
      constexpr Number most = 1 << 30;
      auto whole = static_cast<int64_t>(static_cast<int32_t>(x > -most && x < most ? x : most));  // NaN is neither
      place = static_cast<Number>(whole) == x ? static_cast<uint64_t>(whole) - least : others;
    } else {
      place = static_cast<uint64_t>(x) - least;
    }
    to[i] = table[std::min(place, others)];
  }
}

}  // namespace quercus
