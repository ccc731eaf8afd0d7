// Distinct texts: each text once, numbered in order of first appearance.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "dataset.h"
#include "memory.h"

namespace quercus {

// A text and its hash.
struct HashedText {
  const char* text;
  size_t length;
  u32 hash;
};

class DistinctTexts {
 public:
  int64_t size() const { return static_cast<int64_t>(starts.size()) - 1; }

  // The number of a text; a new text gets the next number.
  int32_t code(const char* text, size_t length) { return code({text, length, hash_of(text, length)}); }

  int32_t code(const HashedText& hashed) {
    auto [text, length, hash] = hashed;
    size_t place = place_of(hashed);
    if (slots_[place].code >= 0) return slots_[place].code;
    if (size() >= 2'147'483'646) throw std::length_error("a column has more than 2,147,483,646 distinct texts");
    auto code = static_cast<int32_t>(size());
    slots_[place] = {hash, code};
    bytes.insert(bytes.end(), text, text + length);
    starts.push_back(static_cast<int64_t>(bytes.size()));
    if (starts.size() * 2 > slots_.size()) enlarge();
    return code;
  }

  // The number of a text; −1: it is none of these.
  int32_t find(const char* text, size_t length) const {
    return slots_[place_of({text, length, hash_of(text, length)})].code;
  }

  // Hints to the processor: what `code` will read, step by step. The table of a few texts is in the cache anyway.
  bool is_large() const { return slots_.size() > 1024; }
  void expect_slot(u32 hash) const { prefetch(slots_.data() + (hash & (slots_.size() - 1))); }
  // The number that a text of this hash probably has; −1: none.
  int32_t expect_start(u32 hash) const {
    size_t place = hash & (slots_.size() - 1);
    while (slots_[place].code >= 0 && slots_[place].hash != hash) place = (place + 1) & (slots_.size() - 1);
    prefetch(starts.data() + std::max(slots_[place].code, 0));
    return slots_[place].code;
  }
  void expect_text(int32_t code) const {
    if (code >= 0) prefetch(bytes.data() + starts[static_cast<size_t>(code)]);
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

  // When no more texts will come.
  void forget_hashes() { Large<Slot>().swap(slots_); }

  Large<u8> bytes;                 // the texts one after the other
  std::vector<int64_t> starts{0};  // where each begins, and the end

 private:
  struct Slot {
    u32 hash = 0;
    int32_t code = -1;
  };

  static void prefetch(const void* at) {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(at);
#endif
  }

  // Where a text has its slot, or would have it.
  size_t place_of(const HashedText& hashed) const {
    size_t place = hashed.hash & (slots_.size() - 1);
    for (; slots_[place].code >= 0; place = (place + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[place];
      if (slot.hash == hashed.hash && same(static_cast<size_t>(slot.code), hashed.text, hashed.length)) break;
    }
    return place;
  }

  bool same(size_t code, const char* text, size_t length) const {
    auto start = static_cast<size_t>(starts[code]);
    if (static_cast<size_t>(starts[code + 1]) - start != length) return false;
    const char* known = reinterpret_cast<const char*>(bytes.data()) + start;
    if (length > 16) return std::memcmp(known, text, length) == 0;
    if (length >= 8) return same_ends<u64>(known, text, length);
    if (length >= 4) return same_ends<u32>(known, text, length);
    for (size_t at = 0; at < length; ++at)
      if (known[at] != text[at]) return false;
    return true;
  }
  // Two words that may overlap are all of a text that is no longer than both.
  template <class Word>
  static bool same_ends(const char* a, const char* b, size_t length) {
    size_t last = length - sizeof(Word);
    return ((word_at<Word>(a) ^ word_at<Word>(b)) | (word_at<Word>(a + last) ^ word_at<Word>(b + last))) == 0;
  }

  template <class Word>
  static u64 word_at(const char* text) {
    Word word;
    std::memcpy(&word, text, sizeof word);
    return word;
  }

  void enlarge() {
    Large<Slot> old(slots_.size() * 2, Slot());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.code < 0) continue;
      size_t place = slot.hash & (slots_.size() - 1);
      while (slots_[place].code >= 0) place = (place + 1) & (slots_.size() - 1);
      slots_[place] = slot;
    }
  }

  Large<Slot> slots_ = Large<Slot>(64, Slot());
};

// Texts of a column that wait for their numbers: the memory that each will be looked up in is asked for at once, so
// that they wait for it together. The texts must stay where they are until then, but for those that are kept here.
class WaitingTexts {
 public:
  // Nothing may be added when it is full.
  bool is_full() const { return count_ == most; }

  // Length 0: an empty cell.
  void add(const char* text, size_t length, const DistinctTexts& texts) {
    if (waiting_.empty()) waiting_.resize(most);
    HashedText& here = waiting_[count_++];
    here = {text, length, length ? DistinctTexts::hash_of(text, length) : 0};
    texts.expect_slot(here.hash);
  }

  // Keeps a text that will not stay where it is.
  void add(const std::string& text, const DistinctTexts& texts) {
    if (kept_.empty()) kept_.resize(most);
    std::string& copy = kept_[count_];
    copy = text;
    add(copy.data(), copy.size(), texts);
  }

  bool drop_last() { return count_ > 0 && count_-- > 0; }

  // Appends the numbers of the texts to codes; −1 for an empty cell.
  void settle(DistinctTexts& texts, Large<int32_t>& codes) {
    if (texts.is_large()) {
      std::array<int32_t, most> code;
      for (size_t i = 0; i < count_; ++i) code[i] = texts.expect_start(waiting_[i].hash);
      for (size_t i = 0; i < count_; ++i) texts.expect_text(code[i]);
    }
    for (size_t i = 0; i < count_; ++i) codes.push_back(waiting_[i].length ? texts.code(waiting_[i]) : -1);
    count_ = 0;
  }

 private:
  static constexpr size_t most = 32;
  std::vector<HashedText> waiting_;
  std::vector<std::string> kept_;
  size_t count_ = 0;
};

}  // namespace quercus
