// ValueSets: of questions with two branches, the values that have a branch and the branch of each, in few bytes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "dataset.h"

namespace quercus {

// A set is known by a key. A set of values below 31 stands in the key itself: the mark `in_key`, a bit for each value
// that has a branch, and a bit for each that goes right. The key of another set is its place in a table of words, where
// it is a list (twice its length; then twice each value, plus 1 if it goes right, ascending), or bits, if these are not
// longer (twice the number of words, plus 1; the words of the values that have a branch; those of the values that go
// right).
struct ValueSets {
  static constexpr u64 in_key = u64{1} << 63;
  static constexpr u32 few = 31;

  const u32* table = nullptr;
  u64 size = 0;  // words of the table

  // The branch of a value, or -1. An unknown value is -1, which as a u32 lies behind all others.
  int32_t branch(u64 key, u32 value) const {
    if (key & in_key) {
      if (value >= few || !(key >> (32 + value) & 1)) return -1;
      return static_cast<int32_t>(key >> value & 1);
    }
    const u32* words = table + key + 1;
    u32 n = words[-1] >> 1;
    return words[-1] & 1 ? in_bits(words, n, value) : in_list(words, n, value);
  }

  // Whether a key leads to a set that lies inside the table.
  bool sound(u64 key) const { return (key & in_key) || (key < size && n_words(key) <= size - key); }
  // The words that the set of a sound key takes in the table.
  u64 n_words(u64 key) const {
    if (key & in_key) return 0;
    u64 n = table[key] >> 1;
    return 1 + (table[key] & 1 ? 2 * n : n);
  }

  // Calls visit(value, right) for each value that has a branch, ascending where the set was written by ValueSetWriter.
  template <class Visit>
  void for_each(u64 key, Visit&& visit) const {
    if (key & in_key) {
      for (u32 value = 0; value < few; ++value)
        if (key >> (32 + value) & 1) visit(value, (key >> value & 1) != 0);
      return;
    }
    const u32* words = table + key + 1;
    u32 n = words[-1] >> 1;
    if (!(words[-1] & 1)) {
      for (u32 i = 0; i < n; ++i) visit(words[i] >> 1, (words[i] & 1) != 0);
      return;
    }
    for (u32 i = 0; i < n; ++i)
      for (u32 bits = words[i]; bits; bits &= bits - 1) {
        auto place = static_cast<u32>(std::countr_zero(bits));
        visit(i << 5 | place, (words[n + i] >> place & 1) != 0);
      }
  }

 private:
  static int32_t in_bits(const u32* words, u32 n, u32 value) {
    u32 word = value >> 5, place = value & 31;
    if (word >= n || !(words[word] >> place & 1)) return -1;
    return static_cast<int32_t>(words[n + word] >> place & 1);
  }
  static int32_t in_list(const u32* words, u32 n, u32 value) {
    if (value >> 31) return -1;
    const u32* at = std::lower_bound(words, words + n, value << 1);
    return at != words + n && *at >> 1 == value ? static_cast<int32_t>(*at & 1) : -1;
  }
};

// Writes sets, one behind the other: add the values of a set, then close it.
class ValueSetWriter {
 public:
  std::vector<u32> table;

  void add(u32 value, bool right) { items_.push_back(value << 1 | static_cast<u32>(right)); }
  // The key of the set whose values were added.
  u64 close() {
    std::sort(items_.begin(), items_.end());
    u64 key = items_.empty() || items_.back() >> 1 < ValueSets::few ? key_of_few() : place_of_many();
    items_.clear();
    return key;
  }

 private:
  u64 key_of_few() const {
    u64 key = ValueSets::in_key;
    for (u32 item : items_) key |= u64{1} << (32 + (item >> 1)) | static_cast<u64>(item & 1) << (item >> 1);
    return key;
  }
  u64 place_of_many() {
    u64 key = table.size();
    size_t n = (items_.back() >> 6) + size_t{1};
    if (items_.size() < 2 * n) {
      table.push_back(static_cast<u32>(items_.size()) << 1);
      table.insert(table.end(), items_.begin(), items_.end());
      return key;
    }
    table.push_back(static_cast<u32>(n) << 1 | 1);
    table.resize(table.size() + 2 * n, 0);
    u32* words = table.data() + key + 1;
    for (u32 item : items_) {
      words[item >> 6] |= u32{1} << (item >> 1 & 31);
      words[n + (item >> 6)] |= (item & 1) << (item >> 1 & 31);
    }
    return key;
  }

  std::vector<u32> items_;
};

}  // namespace quercus
