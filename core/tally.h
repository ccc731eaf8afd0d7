// Tally: the sums of a set of instances at a node of a forest's tree, and how pure two sides are by their sums.
#pragma once

#include "node_view.h"

namespace quercus {

// The instances of one tree in the order of its nodes: each node is a range of all arrays.
struct Instances {
  std::vector<u32> row;
  std::vector<u32> tag;         // classes: how often the row was drawn (above), its class (below 16 bits)
  std::vector<double> weight;   // where weights are not just numbers of draws, and for numbers
  std::vector<double> target;   // numbers
  std::vector<u32> tag_of_row;  // the tags by row, if the unusual cells of rows are looked up
};

// Classes by the criterion C, every row as often as it was drawn: integers.
template <typename C>
struct CountedTally {
  using Sum = u32;
  static constexpr bool counts = true;
  const Instances& instances;
  CountParts<C> part;
  u32 width;

  void add(Sum* to, u32 i) const {
    u32 tag = instances.tag[i];
    to[tag & 0xffff] += tag >> 16;
  }
  double weight(const Sum* s) const {
    u32 sum = 0;
    for (u32 j = 0; j < width; ++j) sum += s[j];
    return sum;
  }
  double purity(const Sum* s) const {
    double sum = 0.0;
    u32 n = 0;
    for (u32 j = 0; j < width; ++j) {
      n += s[j];
      include<C>(sum, part(s[j]));
    }
    return C::whole(sum, n, part);
  }
  // Purity of both sides, up to a term that is the same for all divisions.
  double sides(const Sum* left, const Sum* total) const {
    if (width == 2) return pair(left[0] + left[1], left[1], total);
    return apart(left, left, total);
  }
  // What no cut inside a block can exceed: the block's sums are end - begin.
  double bound(const Sum* begin, const Sum* end, const Sum* total) const {
    if (width != 2)
      return apart(begin, end, total);  // as if each instance of the block stood alone: no division is purer
    u32 n = begin[0] + begin[1], zeros = end[0] - begin[0], ones = end[1] - begin[1];
    return std::max(std::max(pair(n, begin[1], total), pair(end[0] + end[1], end[1], total)),    // purity is convex:
                    std::max(pair(n + zeros, begin[1], total), pair(n + ones, end[1], total)));  // the box's corners
  }

 private:
  double pair(u32 n, u32 ones, const Sum* total) const {
    return two_class_purity<C>(part, n, ones, total[0] + total[1], total[1]);
  }
  // The purity of what stands before `begin` and of what stands behind `end`.
  double apart(const Sum* begin, const Sum* end, const Sum* total) const {
    double a = 0.0, b = 0.0;
    u32 n = 0, m = 0;
    for (u32 j = 0; j < width; ++j) {
      u32 l = begin[j], r = total[j] - end[j];
      n += l;
      m += r;
      include<C>(a, part(l));
      include<C>(b, part(r));
    }
    return C::whole(a, n, part) + C::whole(b, m, part);
  }
};

// Classes by the criterion C with any weights.
template <typename C>
struct WeightedTally {
  using Sum = double;
  static constexpr bool counts = false;
  const Instances& instances;
  const Measure& measure;
  u32 width;

  void add(Sum* to, u32 i) const { to[instances.tag[i] & 0xffff] += instances.weight[i]; }
  double weight(const Sum* s) const { return measure.weight(s); }
  double purity(const Sum* s) const { return measure.purity_by<C>(s); }
  double sides(const Sum* left, const Sum* total) const { return purity(left) + rest(left, total); }
  double bound(const Sum* begin, const Sum* end, const Sum* total) const { return purity(begin) + rest(end, total); }

 private:
  double rest(const Sum* left, const Sum* total) const {
    static thread_local std::vector<double> right;
    right.resize(width);
    for (u32 j = 0; j < width; ++j) right[j] = std::max(total[j] - left[j], 0.0);
    return purity(right.data());
  }
};

// Numbers: weight, sum and squares of the deviations from the node's mean.
struct DeviationTally {
  using Sum = double;
  static constexpr bool counts = false;
  const Instances& instances;
  double center;
  static constexpr u32 width = 3;

  void add(Sum* to, u32 i) const {
    double w = instances.weight[i], d = instances.target[i] - center;
    to[0] += w;
    to[1] += w * d;
    to[2] += w * d * d;
  }
  double weight(const Sum* s) const { return s[0]; }
  double purity(const Sum* s) const { return SquaredError::purity(s[0], s[1]); }
  double sides(const Sum* left, const Sum* total) const { return purity(left) + rest(left, total); }
  double bound(const Sum* begin, const Sum* end, const Sum* total) const {
    return purity(begin) + rest(end, total) + (end[2] - begin[2]);
  }

 private:
  double rest(const Sum* left, const Sum* total) const {
    double w = total[0] - left[0], s = total[1] - left[1];
    return w > 1e-12 * total[0] ? SquaredError::purity(w, s) : 0.0;
  }
};

}  // namespace quercus
