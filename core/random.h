// Random: numbers from a key, by integer arithmetic alone: the same on every machine and for any number of threads.
#pragma once

#include "dataset.h"

namespace quercus {

// A bijection that scatters neighbouring numbers over all 64 bits.
inline u64 scattered(u64 x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// The key of part `index` of what `key` stands for: a tree of a forest, a branch of a node.
inline u64 key_of(u64 key, u64 index) { return scattered(key + 0x9e3779b97f4a7c15ull * (index + 1)); }

class Random {
 public:
  explicit Random(u64 key) : state_(key) {}

  u64 next() {
    state_ += 0x9e3779b97f4a7c15ull;
    return scattered(state_);
  }
  void skip(u64 n) { state_ += 0x9e3779b97f4a7c15ull * n; }
  // One of 0 ... n - 1.
  u32 below(u32 n) { return static_cast<u32>(((next() >> 32) * n) >> 32); }
  // In [0, 1).
  double share() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  u64 state_;
};

}  // namespace quercus
