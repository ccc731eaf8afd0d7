// Sampling: which rows a tree of a forest sees, and which attributes each of its nodes may ask.
#pragma once

#include <algorithm>
#include <numeric>

#include "names.h"
#include "random.h"

namespace quercus {

enum class Bootstrap : u8 { no, with_replacement, without_replacement };
constexpr Name<Bootstrap> BOOTSTRAPS[] = {
    {"no", Bootstrap::no},
    {"with", Bootstrap::with_replacement},
    {"without", Bootstrap::without_replacement},
};

struct Sampling {
  Bootstrap bootstrap = Bootstrap::no;
  u32 n_drawn = 0;              // rows drawn for a tree
  u32 attributes_per_node = 0;  // 0: all
  u32 attributes_per_tree = 0;  // 0: all
  bool count_constant = false;  // attributes that are constant at a node count among those drawn for it
  bool random_thresholds = false;
  bool attribute_bootstrap = false;  // the attributes of a tree are drawn with replacement
  u64 seed = 0;

  bool samples_attributes() const { return attributes_per_node || attributes_per_tree || random_thresholds; }
};

// The parts of a tree's randomness, so that one does not change with another.
enum class Stream : u64 { rows, attributes, root };

inline u64 stream_key(const Sampling& sampling, u64 tree, Stream stream) {
  return key_of(key_of(scattered(sampling.seed), tree), static_cast<u64>(stream));
}

// How often each row is drawn for a tree.
inline void draw_rows(const Sampling& sampling, u64 tree, u32 n_rows, std::vector<int32_t>& counts) {
  if (sampling.bootstrap == Bootstrap::no) {
    counts.assign(n_rows, 1);
    return;
  }
  counts.assign(n_rows, 0);
  Random random(stream_key(sampling, tree, Stream::rows));
  if (sampling.bootstrap == Bootstrap::with_replacement) {
    for (u32 i = 0; i < sampling.n_drawn; ++i) ++counts[random.below(n_rows)];
    return;
  }
  u32 n_left = sampling.n_drawn;  // each row in turn, with the probability that makes all choices equally likely
  for (u32 row = 0; row < n_rows && n_left; ++row)
    if (random.below(n_rows - row) < n_left) {
      counts[row] = 1;
      --n_left;
    }
}

// The attributes that are drawn for a tree; with replacement some come several times.
inline std::vector<u32> drawn_tree_attributes(const Sampling& sampling, u64 tree, u32 n_attributes) {
  u32 n_drawn = std::min(sampling.attributes_per_tree, n_attributes);
  bool repeats = sampling.attribute_bootstrap;
  std::vector<u32> order(n_attributes);
  std::iota(order.begin(), order.end(), 0u);
  if (!n_drawn || (!repeats && n_drawn == n_attributes)) return order;
  Random random(stream_key(sampling, tree, Stream::attributes));
  std::vector<u32> drawn(n_drawn);
  for (u32 i = 0; i < n_drawn; ++i) {
    if (!repeats) std::swap(order[i], order[i + random.below(n_attributes - i)]);
    drawn[i] = repeats ? random.below(n_attributes) : order[i];
  }
  return drawn;
}

// The attributes that a tree may use at all: one flag each.
inline std::vector<u8> draw_tree_attributes(const Sampling& sampling, u64 tree, u32 n_attributes) {
  std::vector<u8> used(n_attributes, 0);
  for (u32 attribute : drawn_tree_attributes(sampling, tree, n_attributes)) used[attribute] = 1;
  return used;
}

// Draws a node's attributes one after the other, each at most once.
class AttributeDraw {
 public:
  explicit AttributeDraw(u32 n) : order_(n), swapped_(n) { std::iota(order_.begin(), order_.end(), 0u); }

  void start(u64 key) {
    undo();
    random_ = Random(key);
  }
  bool more() const { return drawn_ < order_.size(); }
  u32 next() {
    u32 n = static_cast<u32>(order_.size());
    u32 other = drawn_ + random_.below(n - drawn_);
    swapped_[drawn_] = other;
    std::swap(order_[drawn_], order_[other]);
    return order_[drawn_++];
  }
  // As if all the others were drawn, too.
  void skip_rest() { random_.skip(order_.size() - drawn_); }
  Random& random() { return random_; }

 private:
  // Back to the order of the schema, so that a draw depends on its key alone.
  void undo() {
    for (u32 i = 0; i < drawn_; ++i) {
      order_[i] = i;
      order_[swapped_[i]] = swapped_[i];
    }
    drawn_ = 0;
  }

  std::vector<u32> order_, swapped_;  // swapped_: with which place each place that was drawn was exchanged
  u32 drawn_ = 0;
  Random random_{0};
};

}  // namespace quercus
