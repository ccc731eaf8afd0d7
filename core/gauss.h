// Gauss: the points and weights of Gauss-Legendre quadrature on [0, 1]; n points are exact up to the degree 2n - 1.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

namespace quercus {

struct Quadrature {
  std::vector<double> point, rest, weight;  // rest: 1 - point, without its rounding
};

inline Quadrature gauss_legendre(int n) {
  Quadrature result;
  auto count = static_cast<size_t>(n);
  result.point.resize(count);
  result.rest.resize(count);
  result.weight.resize(count);
  for (int i = 0; i < n; ++i) {
    // Newton's steps towards root i of the polynomial of degree n on [-1, 1], from a close start.
    long double x = std::cos(std::numbers::pi_v<long double> * (i + 0.75L) / (n + 0.5L)), slope = 1.0L;
    for (int step = 0; step < 100; ++step) {
      long double value = 1.0L, before = 0.0L;
      for (int k = 1; k <= n; ++k) {
        long double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
        before = value;
        value = next;
      }
      slope = n * (x * value - before) / (x * x - 1.0L);
      long double move = value / slope;
      x -= move;
      if (std::fabs(move) < 1e-19L) break;
    }
    auto at = static_cast<size_t>(i);
    result.point[at] = static_cast<double>((1.0L + x) / 2);
    result.rest[at] = static_cast<double>((1.0L - x) / 2);
    result.weight[at] = static_cast<double>(1.0L / ((1.0L - x * x) * slope * slope));
  }
  return result;
}

}  // namespace quercus
