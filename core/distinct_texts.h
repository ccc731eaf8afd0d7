// Distinct texts: each text once, numbered in order of first appearance.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "dataset.h"
#include "memory.h"

namespace quercus {

class DistinctTexts {
 public:
  int64_t size() const { return static_cast<int64_t>(starts.size()) - 1; }

  // The number of a text; a new text gets the next number.
  int32_t code(const char* text, size_t length) {
    u32 hash = hash_of(text, length);
    size_t place = hash & (slots_.size() - 1);
    for (; slots_[place].code >= 0; place = (place + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[place];
      if (slot.hash == hash && same(static_cast<size_t>(slot.code), text, length)) return slot.code;
    }
    if (size() >= 2'147'483'646) throw std::length_error("a column has more than 2,147,483,646 distinct texts");
    auto code = static_cast<int32_t>(size());
    slots_[place] = {hash, code};
    bytes.insert(bytes.end(), text, text + length);
    starts.push_back(static_cast<int64_t>(bytes.size()));
    if (starts.size() * 2 > slots_.size()) enlarge();
    return code;
  }

  // When no more texts will come.
  void forget_hashes() { std::vector<Slot>().swap(slots_); }

  Large<u8> bytes;                 // the texts one after the other
  std::vector<int64_t> starts{0};  // where each begins, and the end

 private:
  struct Slot {
    u32 hash = 0;
    int32_t code = -1;
  };

  bool same(size_t code, const char* text, size_t length) const {
    auto start = static_cast<size_t>(starts[code]);
    return static_cast<size_t>(starts[code + 1]) - start == length &&
           (length == 0 || std::memcmp(bytes.data() + start, text, length) == 0);
  }

  template <class Word>
  static u64 word_at(const char* text) {
    Word word;
    std::memcpy(&word, text, sizeof word);
    return word;
  }

  static u32 hash_of(const char* text, size_t length) {
    constexpr u64 odd = 0x9E3779B97F4A7C15;
    u64 hash = length * odd;
    auto mix = [&](u64 word) {
      hash = (hash ^ word) * odd;
      hash ^= hash >> 32;
    };
    if (length >= 8) {
      for (size_t at = 0; at + 8 < length; at += 8) mix(word_at<u64>(text + at));
      mix(word_at<u64>(text + length - 8));
    } else if (length >= 4) {
      mix(word_at<u32>(text) << 32 | word_at<u32>(text + length - 4));
    } else if (length > 0) {
      mix(word_at<u8>(text) << 16 | word_at<u8>(text + length / 2) << 8 | word_at<u8>(text + length - 1));
    }
    return static_cast<u32>(hash * odd >> 32);
  }

  void enlarge() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.code < 0) continue;
      size_t place = slot.hash & (slots_.size() - 1);
      while (slots_[place].code >= 0) place = (place + 1) & (slots_.size() - 1);
      slots_[place] = slot;
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(64);
};

}  // namespace quercus
