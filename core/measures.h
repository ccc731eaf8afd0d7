// Measures: purity sums over class weights or moments by the criterion of a node, and the best of many, ties apart.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "dataset.h"
#include "options.h"
#include "parallel.h"

namespace quercus {

// The parts of 0, 1, ..., largest, where they are costly; else none.
inline std::vector<double> part_table(Criterion criterion, size_t largest, Pool& pool) {
  return with_class_criterion(criterion, [&](auto c) {
    using C = decltype(c);
    std::vector<double> table;
    if constexpr (C::parts == Parts::costly) {
      table.resize(largest + 1);
      constexpr size_t piece = 65536;
      pool.run(largest / piece + 1, [&](size_t p, int) {
        for (size_t i = p * piece; i <= std::min(largest, (p + 1) * piece - 1); ++i)
          table[i] = C::part(static_cast<double>(i));
      });
    }
    return table;
  });
}

// Purity from sums over a set of instances: class weights (width k), or weight and weight * y (width 2).
struct Measure {
  Criterion criterion = Criterion::entropy;
  int width = 0;
  const double* multipliers = nullptr;  // class multipliers, null: all one
  double mean = 0.0;                    // poisson: the node's, which was subtracted from y
  const double* totals = nullptr;       // the node's class weights

  double weight(const double* s) const {
    if (is_of_numbers(criterion)) return s[0];
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

  double purity(const double* s) const {
    if (criterion == Criterion::squared_error) return SquaredError::purity(s[0], s[1]);
    if (criterion == Criterion::poisson) return Poisson::purity(s[0], s[1], mean);
    return with_class_criterion(criterion, [&](auto c) { return purity_by<decltype(c)>(s); });
  }

  // The same by the criterion C, for callers that look it up once for many calls.
  template <typename C>
  QUERCUS_INLINE double purity_by(const double* s) const {
    double n = 0.0, sum = 0.0;
    for (int j = 0; j < width; ++j) {
      double c = s[j];
      if (C::steep && totals && c <= WEIGHT_SLACK * totals[j]) c = 0.0;
      if (multipliers) c *= multipliers[j];
      n += c;
      include<C>(sum, C::part(c));
    }
    return C::whole(sum, n, [](double c) { return C::part(c); });
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
