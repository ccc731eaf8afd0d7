// Criterion: the measures by which splits are judged. Each gives the purity sum of a set of instances, P = -(weight x
// impurity), up to a term that is the same for all divisions of one node (docs/specification.md).
//
// A criterion of classes is one struct: what a class of weight c adds, part(c), and the purity of the set, whole(sum of
// the parts, weight n). All searches are made from it: the general one, the scans of lists, the forests' tallies and
// bins. P must be convex in the class weights, as it is for every concave impurity: bounds of blocks rest on that.
//
// A criterion is steep if the purity rises beyond all bounds by the weight that a class with none gets: what rounding
// leaves of a class on one side would count. Of such a criterion class weights up to WEIGHT_SLACK of the node's are 0.
//
// To add one: its name, its struct, its case in with_class_criterion.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "dataset.h"
#include "names.h"

namespace quercus {

enum class Criterion : uint8_t {
  entropy,
  gini,
  misclassification,
  hellinger,
  squared_error,
  absolute_error,
  poisson,
  pinball
};
constexpr Name<Criterion> CRITERIA[] = {
    {"entropy", Criterion::entropy},
    {"gini", Criterion::gini},
    {"misclassification", Criterion::misclassification},
    {"hellinger", Criterion::hellinger},
    {"squared_error", Criterion::squared_error},
    {"absolute_error", Criterion::absolute_error},
    {"poisson", Criterion::poisson},
    {"pinball", Criterion::pinball},
};

constexpr double WEIGHT_SLACK = 1e-9;  // comparisons of weights allow this much of them

// How the parts of the classes come together.
enum class Parts : u8 {
  whole,    // they are added; those of whole numbers are whole numbers, so that their sums are exact
  costly,   // they are added; those of whole numbers are looked up in a table
  largest,  // the largest counts
};

// ---- classes ------------------------------------------------------------------------------------------------------

// sum of c log2 c - n log2 n
struct Entropy {
  static constexpr Parts parts = Parts::costly;
  static constexpr bool steep = false;
  static double part(double c) { return c > 0.0 ? c * std::log2(c) : 0.0; }
  template <typename N, typename Part>
  static double whole(double sum, N n, Part part) {
    return sum - part(n);
  }
};

// sum of c^2 / n - n
struct Gini {
  static constexpr Parts parts = Parts::whole;
  static constexpr bool steep = false;
  template <typename N>
  static N part(N c) {
    return c * c;
  }
  template <typename N, typename Part>
  static double whole(double sum, N n, Part) {
    return n > 0 ? sum / n - n : 0.0;
  }
};

// largest c - n
struct Misclassification {
  static constexpr Parts parts = Parts::largest;
  static constexpr bool steep = false;
  static double part(double c) { return c; }
  template <typename N, typename Part>
  static double whole(double sum, N n, Part) {
    return sum - n;
  }
};

// n - (sum of the roots of c)^2, which is minus twice the sum over all pairs of classes of root(c c')
struct Hellinger {
  static constexpr Parts parts = Parts::costly;
  static constexpr bool steep = true;
  static double part(double c) { return c > 0.0 ? std::sqrt(c) : 0.0; }
  template <typename N, typename Part>
  static double whole(double sum, N n, Part) {
    return n - sum * sum;
  }
};

[[noreturn]] inline void refuse_criterion() { throw std::logic_error("the criterion is not one of classes"); }

// Calls use(C{}), C the struct of the criterion.
template <typename Use>
auto with_class_criterion(Criterion criterion, Use use) {
  switch (criterion) {
    case Criterion::entropy:
      return use(Entropy{});
    case Criterion::gini:
      return use(Gini{});
    case Criterion::misclassification:
      return use(Misclassification{});
    case Criterion::hellinger:
      return use(Hellinger{});
    case Criterion::squared_error:
    case Criterion::absolute_error:
    case Criterion::poisson:
    case Criterion::pinball:
      break;
  }
  refuse_criterion();
}

// Takes the part of one more class in.
template <typename C>
void include(double& sum, double part) {
  if constexpr (C::parts == Parts::largest)
    sum = std::max(sum, part);
  else
    sum += part;
}

// The parts of counts. table: the parts of 0, 1, 2, ... where they are costly.
template <typename C>
struct CountParts {
  const double* table;
  double operator()(u32 count) const {
    if constexpr (C::parts == Parts::costly)
      return table[count];
    else
      return C::part(static_cast<double>(count));
  }
};

// Two classes, counts: the purity of both sides where the left one has n instances, l1 of them of class 1, and both
// together m, t1 of them of class 1.
template <typename C>
QUERCUS_INLINE double two_class_purity(CountParts<C> part, u32 n, u32 l1, u32 m, u32 t1) {
  auto side = [&](u32 zeros, u32 ones) {
    double sum = part(zeros);
    include<C>(sum, part(ones));
    return C::whole(sum, zeros + ones, part);
  };
  return side(n - l1, l1) + side(m - n - (t1 - l1), t1 - l1);
}

// ---- numbers ------------------------------------------------------------------------------------------------------

constexpr bool is_of_numbers(Criterion criterion) {
  switch (criterion) {
    case Criterion::entropy:
    case Criterion::gini:
    case Criterion::misclassification:
    case Criterion::hellinger:
      return false;
    case Criterion::squared_error:
    case Criterion::absolute_error:
    case Criterion::poisson:
    case Criterion::pinball:
      return true;
  }
  return true;
}

// From the weight of some instances and their sum of weight * y, the node's mean subtracted from y. (Quantiles need the
// instances themselves: quantiles.h.)
struct SquaredError {
  static double purity(double weight, double sum) { return weight > 0.0 ? sum * sum / weight : 0.0; }
};

// Sum of w y ln(mean of y / node's mean) - w (y - node's mean), from the deviation of the mean, which keeps its digits.
struct Poisson {
  static double purity(double weight, double sum, double node_mean) {
    double whole = weight * node_mean;
    if (!(whole > 0.0)) return 0.0;
    double d = sum / whole;
    return d <= -1.0 ? whole : whole * ((1.0 + d) * std::log1p(d) - d);
  }
};

}  // namespace quercus
