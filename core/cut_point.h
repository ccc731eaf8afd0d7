// CutPoint: the number that is written for a cut between two neighbouring values: midpoint, lower or shortest.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "options.h"

namespace quercus {

inline double midpoint(double low, double high) {
  double middle = low / 2 + high / 2;
  return middle >= low && middle < high ? middle : low;
}

namespace detail {

constexpr double POWERS_OF_TEN[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr int MOST_POWER = 22;          // 10^22 is the largest power that a double holds exactly
constexpr double MOST_MULTIPLE = 1e15;  // numbers below this keep all digits when they are written and read again
constexpr double TIME_UNITS[] = {86400e6, 3600e6, 60e6, 1e6, 1e3, 1.0};  // day … microsecond

constexpr int FEW_DIGITS = 6;
constexpr double TIE_SHARE = 1e-6;  // distances that differ by less, in units, are equal

// Of the multiples of a unit the one in [low, high) that is nearest to the middle, the lower if two are; NaN: none.
// make(k) is the k-th multiple, correctly rounded; `near` the number of the last one that is not above the middle.
template <typename Make>
double nearest_multiple(double low, double high, double middle, double near, double unit, Make make) {
  double best = std::numeric_limits<double>::quiet_NaN();
  for (int step = -1; step <= 2; ++step) {  // `near` may be off by one
    double number = make(near + step);
    if (!(number >= low && number < high)) continue;
    if (!(std::abs(number - middle) >= std::abs(best - middle) - TIE_SHARE * unit)) best = number;
  }
  return best;
}

inline double shortest_number(double low, double high, double middle) {
  double size = std::abs(middle);
  if (size >= POWERS_OF_TEN[MOST_POWER]) return middle;
  int power = 0;  // of the first digit of the middle; whole numbers come before fractions
  while (power < MOST_POWER && POWERS_OF_TEN[power + 1] <= size) ++power;
  for (; power >= -MOST_POWER; --power) {
    double unit = POWERS_OF_TEN[std::abs(power)];
    double multiple = power >= 0 ? middle / unit : middle * unit;
    if (std::abs(multiple) >= MOST_MULTIPLE) break;
    double nearest = nearest_multiple(low, high, middle, std::floor(multiple), power >= 0 ? unit : 1.0 / unit,
                                      [&](double k) { return power >= 0 ? k * unit : k / unit; });
    if (nearest == nearest) return nearest;
  }
  return middle;
}

inline double shortest_time(double low, double high, double middle) {
  for (double unit : TIME_UNITS) {
    double nearest =
        nearest_multiple(low, high, middle, std::floor(middle / unit), unit, [&](double k) { return k * unit; });
    if (nearest == nearest) return nearest;
  }
  return middle;
}

// Whether a number has at most six significant digits, so that it can be read as it is.
inline bool has_few_digits(double number) {
  double size = std::abs(number);
  if (size == 0.0 || size >= POWERS_OF_TEN[MOST_POWER]) return true;
  int power = 0;  // of the first digit
  while (power < MOST_POWER && POWERS_OF_TEN[power + 1] <= size) ++power;
  while (power > -MOST_POWER && power <= 0 && size * POWERS_OF_TEN[-power] < 1.0) --power;
  power -= FEW_DIGITS - 1;
  if (power < -MOST_POWER) return true;
  double unit = POWERS_OF_TEN[std::abs(power)];
  return power >= 0 ? std::nearbyint(number / unit) * unit == number : std::nearbyint(number * unit) / unit == number;
}

}  // namespace detail

// The threshold of the cut between two neighbouring values, low <= threshold < high.
inline double cut_between(double low, double high, ThresholdScale scale) {
  double middle = midpoint(low, high);
  switch (scale) {
    case ThresholdScale::decimal:
      return detail::shortest_number(low, high, middle);
    case ThresholdScale::time:
      return detail::shortest_time(low, high, middle);
    case ThresholdScale::lower:
      return low;
    case ThresholdScale::few_digits:
      return detail::has_few_digits(low) ? low : detail::shortest_number(low, high, middle);
    default:
      return middle;
  }
}

}  // namespace quercus
