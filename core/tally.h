// Tally: the sums of a set of instances at a node of a forest's tree, and how pure two sides are by their sums.
#pragma once

#include "scan.h"

namespace quercus {

// The instances of one tree in the order of its nodes: each node is a range of all arrays.
struct Instances {
  std::vector<u32> row;
  std::vector<u32> tag;        // classes: how often the row was drawn (above), its class (below 16 bits)
  std::vector<double> weight;  // where weights are not just numbers of draws, and for numbers
  std::vector<double> target;  // numbers
};

// Classes, every row as often as it was drawn: integers, logarithms from a table.
struct CountedTally {
  using Sum = u32;
  const Instances& instances;
  const double* g;
  Criterion criterion;
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
  // Purity of both sides, up to a term that is the same for all divisions.
  double sides(const Sum* left, const Sum* total) const {
    if (width == 2) return pair(left[0] + left[1], left[1], total[0] + total[1], total[1]);
    double a = 0.0, b = 0.0;
    u32 n = 0, m = 0;
    for (u32 j = 0; j < width; ++j) {
      u32 l = left[j], r = total[j] - l;
      n += l;
      m += r;
      part(a, l);
      part(b, r);
    }
    return whole(a, n) + whole(b, m);
  }
  double purity(const Sum* s) const {
    double a = 0.0;
    u32 n = 0;
    for (u32 j = 0; j < width; ++j) {
      n += s[j];
      part(a, s[j]);
    }
    return whole(a, n);
  }
  // What no cut inside a block can exceed: the block's sums are end - begin.
  double bound(const Sum* begin, const Sum* end, const Sum* total) const {
    if (width == 2) {  // purity is convex in the counts: the corners of the block's box
      u32 m = total[0] + total[1], t = total[1], n0 = begin[0] + begin[1], n1 = end[0] + end[1];
      u32 zeros = end[0] - begin[0], ones = end[1] - begin[1];
      return std::max(std::max(pair(n0, begin[1], m, t), pair(n1, end[1], m, t)),
                      std::max(pair(n0 + zeros, begin[1], m, t), pair(n0 + ones, end[1], m, t)));
    }
    double a = 0.0, b = 0.0;  // the block's instances each for itself: no division is purer
    u32 n = 0, m = 0;
    for (u32 j = 0; j < width; ++j) {
      u32 l = begin[j], r = total[j] - end[j];
      n += l;
      m += r;
      part(a, l);
      part(b, r);
    }
    return whole(a, n) + whole(b, m);
  }

 private:
  double pair(u32 n, u32 l1, u32 m, u32 t1) const {
    if (criterion == Criterion::entropy) return two_class_purity<Criterion::entropy>(g, n, l1, m, t1);
    if (criterion == Criterion::gini) return two_class_purity<Criterion::gini>(g, n, l1, m, t1);
    return two_class_purity<Criterion::misclassification>(g, n, l1, m, t1);
  }
  void part(double& sum, u32 c) const {
    if (criterion == Criterion::entropy)
      sum += g[c];
    else if (criterion == Criterion::gini)
      sum += static_cast<double>(c) * c;
    else
      sum = std::max<double>(sum, c);
  }
  double whole(double sum, u32 n) const {
    if (criterion == Criterion::entropy) return sum - g[n];
    if (criterion == Criterion::gini) return n ? sum / n - n : 0.0;
    return sum - n;
  }
};

// Classes with any weights.
struct WeightedTally {
  using Sum = double;
  const Instances& instances;
  const Measure& measure;
  u32 width;

  void add(Sum* to, u32 i) const { to[instances.tag[i] & 0xffff] += instances.weight[i]; }
  double weight(const Sum* s) const { return measure.weight(s); }
  double purity(const Sum* s) const { return measure.purity(s); }
  double sides(const Sum* left, const Sum* total) const { return measure.purity(left) + rest(left, total); }
  double bound(const Sum* begin, const Sum* end, const Sum* total) const {
    return measure.purity(begin) + rest(end, total);
  }

 private:
  double rest(const Sum* left, const Sum* total) const {
    static thread_local std::vector<double> right;
    right.resize(width);
    for (u32 j = 0; j < width; ++j) right[j] = std::max(total[j] - left[j], 0.0);
    return measure.purity(right.data());
  }
};

// Numbers: weight, sum and squares of the deviations from the node's mean.
struct DeviationTally {
  using Sum = double;
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
  double purity(const Sum* s) const { return s[0] > 0.0 ? s[1] * s[1] / s[0] : 0.0; }
  double sides(const Sum* left, const Sum* total) const { return purity(left) + rest(left, total); }
  double bound(const Sum* begin, const Sum* end, const Sum* total) const {
    return purity(begin) + rest(end, total) + (end[2] - begin[2]);
  }

 private:
  double rest(const Sum* left, const Sum* total) const {
    double w = total[0] - left[0], s = total[1] - left[1];
    return w > 1e-12 * total[0] ? s * s / w : 0.0;
  }
};

}  // namespace quercus
