// Measures: the purity sum of each criterion, P = -(weight x impurity), over class weights or moments.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "dataset.h"
#include "options.h"
#include "parallel.h"

namespace quercus {

// g(x) = x log2 x
inline double g_of(double x) { return x > 0.0 ? x * std::log2(x) : 0.0; }

// Table of g over the integers, for counts of unit weights.
inline std::vector<double> g_table(size_t largest, Pool& pool) {
  std::vector<double> table(largest + 1);
  constexpr size_t piece = 65536;
  pool.run(largest / piece + 1, [&](size_t p, int) {
    for (size_t i = p * piece; i <= std::min(largest, (p + 1) * piece - 1); ++i)
      table[i] = g_of(static_cast<double>(i));
  });
  return table;
}

// Sums over a set of instances: class weights (width k), or weight and weight*y (width 2).
// P is taken up to a term that is the same for all divisions of one node.
struct Measure {
  Criterion criterion = Criterion::entropy;
  int width = 0;
  const double* multipliers = nullptr;  // class multipliers, null: all one
  double mean = 0.0;                    // poisson: the node's, which was subtracted from y

  double weight(const double* s) const {
    if (criterion >= Criterion::squared_error) return s[0];
    double total = 0.0;
    for (int j = 0; j < width; ++j) total += s[j];
    return total;
  }

  double multiplied_weight(const double* s) const {
    if (!multipliers) return weight(s);
    double total = 0.0;
    for (int j = 0; j < width; ++j) total += s[j] * multipliers[j];
    return total;
  }

  // Sum of w y ln(mean of y / node's mean) - w (y - node's mean), from the deviation of the mean, which keeps its
  // digits.
  double poisson(double weight, double centred_sum) const {
    double whole = weight * mean;
    if (!(whole > 0.0)) return 0.0;
    double d = centred_sum / whole;
    return d <= -1.0 ? whole : whole * ((1.0 + d) * std::log1p(d) - d);
  }

  double purity(const double* s) const {
    switch (criterion) {
      case Criterion::squared_error:
        return s[0] > 0.0 ? s[1] * s[1] / s[0] : 0.0;
      case Criterion::poisson:
        return poisson(s[0], s[1]);
      default:
        break;
    }
    double sum = 0.0, inner = 0.0, largest = 0.0;
    for (int j = 0; j < width; ++j) {
      double c = multipliers ? s[j] * multipliers[j] : s[j];
      sum += c;
      if (criterion == Criterion::entropy)
        inner += g_of(c);
      else if (criterion == Criterion::gini)
        inner += c * c;
      else
        largest = std::max(largest, c);
    }
    if (criterion == Criterion::entropy) return inner - g_of(sum);
    if (criterion == Criterion::gini) return sum > 0.0 ? inner / sum - sum : 0.0;
    return largest - sum;
  }
};

// Keeps, of candidates given in their order, the first whose value is within a tolerance of the maximum.
struct TieTracker {
  struct Entry {
    double value;
    u32 where;
    int form;
  };
  double tolerance = 0.0, largest = -std::numeric_limits<double>::infinity();
  std::vector<Entry> chain;  // rising values, all within the tolerance of the last

  void add(double value, u32 where, int form = 0) {
    if (value > largest) raise(value, where, form);
  }
  void raise(double value, u32 where, int form) {
    largest = value;
    size_t first = 0;
    while (first < chain.size() && chain[first].value < value - tolerance) ++first;
    chain.erase(chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(first));
    chain.push_back({value, where, form});
  }
  void reset(double new_tolerance) {
    tolerance = new_tolerance;
    largest = -std::numeric_limits<double>::infinity();
    chain.clear();
  }
  bool empty() const { return chain.empty(); }
  const Entry& winner() const { return chain.front(); }
};

}  // namespace quercus
