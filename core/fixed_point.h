// FixedPoint: the numbers of a target as whole numbers of equal steps, so that their sums are exact: the same in any
// order of adding, and by subtraction.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "dataset.h"

namespace quercus {

// Some instances: how many they are and their sum, in two words that are added and subtracted as they are. The upper
// word holds the count above the sum of the numbers' upper parts, the lower one the sum of their lower parts.
struct FixedSum {
  u64 upper = 0, lower = 0;

  void add(const FixedSum& other) {
    upper += other.upper;
    lower += other.lower;
  }
  void subtract(const FixedSum& other) {
    upper -= other.upper;
    lower -= other.lower;
  }
};

class FixedPoint {
 public:
  FixedPoint() = default;
  // For sums of up to n of these numbers. The range of the numbers takes all the bits that n leaves.
  FixedPoint(const double* numbers, u32 n) {
    auto [low, high] = std::minmax_element(numbers, numbers + n);
    double range = *high - *low, largest = std::max(std::abs(*low), std::abs(*high));
    count_bits_ = std::bit_width(n);
    int upper_bits = 64 - 2 * count_bits_;
    lower_bits_ = 63 - count_bits_;
    if (!(range > 0.0) || !std::isfinite(range) || upper_bits < 8) return;
    int exponent = 0;
    std::frexp(range, &exponent);
    int scale = upper_bits - 1 - exponent;
    if (std::abs(scale) > 900 || std::ldexp(largest, scale) > 0x1p62) return;
    upper_scale_ = std::ldexp(1.0, scale);
    lower_scale_ = std::ldexp(1.0, lower_bits_);
    upper_step_ = std::ldexp(1.0, -scale);
    lower_step_ = std::ldexp(1.0, -scale - lower_bits_);
    origin_ = static_cast<int64_t>(std::floor(*low * upper_scale_));
    usable_ = true;
  }

  bool usable() const { return usable_; }
  // Whether sums are good enough at a node of this variance: a step then changes gains by less than 1e-12 of it.
  bool precise(double variance) const { return usable_ && std::sqrt(variance) >= 1e12 * lower_step_; }

  // One instance.
  FixedSum of(double y) const {
    FixedSum parts = parts_of(y);
    return {(u64{1} << (64 - count_bits_)) + parts.upper, parts.lower};
  }
  // A number, not counted as an instance.
  FixedSum parts_of(double y) const {
    double scaled = y * upper_scale_, whole = std::floor(scaled);
    return {static_cast<u64>(static_cast<int64_t>(whole) - origin_),
            static_cast<u64>(std::nearbyint((scaled - whole) * lower_scale_))};
  }

  u32 count(const FixedSum& s) const { return static_cast<u32>(s.upper >> (64 - count_bits_)); }
  // The sum of y - center; `center` as parts_of gives it.
  double sum(const FixedSum& s, const FixedSum& center) const {
    u64 n = count(s), upper = s.upper & ((u64{1} << (64 - count_bits_)) - 1);
    return static_cast<double>(static_cast<int64_t>(upper - n * center.upper)) * upper_step_ +
           static_cast<double>(static_cast<int64_t>(s.lower - n * center.lower)) * lower_step_;
  }

 private:
  bool usable_ = false;
  int count_bits_ = 1, lower_bits_ = 1;
  int64_t origin_ = 0;
  double upper_scale_ = 0.0, lower_scale_ = 0.0, upper_step_ = 0.0, lower_step_ = 0.0;
};

}  // namespace quercus
