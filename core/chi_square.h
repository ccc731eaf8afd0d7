// Chi-square: whether the rows and columns of a table of weights depend on each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace quercus {

// Whether the statistic of table[b, k], empty rows and columns left out, reaches critical[degrees of freedom].
inline bool depend(const std::vector<double>& table, size_t b, size_t k, const std::vector<double>& critical) {
  std::vector<double> rows(b, 0.0), columns(k, 0.0);
  double total = 0.0;
  for (size_t i = 0; i < b; ++i)
    for (size_t j = 0; j < k; ++j) {
      rows[i] += table[i * k + j];
      columns[j] += table[i * k + j];
      total += table[i * k + j];
    }
  size_t r = 0, s = 0;
  for (double x : rows) r += x > 0.0;
  for (double x : columns) s += x > 0.0;
  if (r < 2 || s < 2) return false;
  double statistic = 0.0;
  for (size_t i = 0; i < b; ++i)
    for (size_t j = 0; j < k; ++j) {
      double expected = rows[i] * columns[j] / total;
      if (expected > 0.0) statistic += (table[i * k + j] - expected) * (table[i * k + j] - expected) / expected;
    }
  size_t degrees = (r - 1) * (s - 1);
  return degrees < critical.size() && statistic >= critical[degrees];
}

}  // namespace quercus
