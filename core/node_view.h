// NodeView: what the search for a split sees of one node, and the candidates it returns.
#pragma once

#include <limits>

#include "frame.h"
#include "tree.h"

namespace quercus {

constexpr double TIE_GAIN = 1e-12;        // classification: gains closer than this are equal
constexpr double TIE_REGRESSION = 1e-10;  // regression: the same, times the node's impurity

// The least sum that counts as at least this much: rounding may have taken the slack from it.
inline double about(double least) { return least - WEIGHT_SLACK * least; }

struct Bounds;

struct NodeView {
  const Plan& plan;
  const Frame& frame;
  u32 begin, end;  // the node's part of every list
  bool unit;       // all weights are one
  Measure measure;
  std::vector<double> sums;                     // class weights, or weight and sum of weight * (y - center)
  double weight = 0.0;                          // N
  double scale = 0.0;                           // N', what divides an improvement to give a gain
  double center = 0.0;                          // regression: subtracted from y
  double variance = 0.0;                        // regression: impurity
  double tolerance = 0.0;                       // of gains
  const std::vector<double>* ranked = nullptr;  // quantiles: the distinct numbers of the node, rising
  const u32* rank_of = nullptr;                 // and the rank of each instance among them
  const CodeCounts* counts = nullptr;           // of the coded columns of the frame, if they are at hand
  FixedSum fixed_center{};                      // squared error: the center for exact sums
  const std::vector<u32>* classes = nullptr;    // the classes that the sums are of; null: all
  const u32* place_of_class = nullptr;          // and the place of each class among them
  const Bounds* bounds = nullptr;               // where answers must lie; null: anywhere
  const SparseNode* cells = nullptr;            // of the sparse columns of the frame, if there are any

  u32 count() const { return end - begin; }
  // How many numbers a set of instances has in sums, and where a class stands among them.
  int width() const { return classes ? static_cast<int>(classes->size()) : plan.width; }
  u32 place(int32_t label) const {
    return place_of_class ? place_of_class[static_cast<size_t>(label)] : static_cast<u32>(label);
  }
  // Poisson: whether a branch's sum of weight * y is more than the rest of a subtraction.
  bool positive(const double* s) const { return s[1] + s[0] * measure.mean > 1e-10 * sums[0] * measure.mean; }
  double target(u32 instance) const { return frame.target[instance] - center; }

  void add(double* to, u32 instance) const {
    double w = frame.weight_of(instance);
    if (plan.data.n_classes) {
      to[place(frame.label[instance])] += w;
    } else {
      to[0] += w;
      to[1] += w * target(instance);
    }
  }
};

// The best split of one attribute at one node.
struct Candidate {
  bool exists = false;
  SplitKind kind = SplitKind::leaf;
  u32 column = 0;  // in the frame
  double gain = 0.0, improvement = 0.0, split_info = 0.0, worth = 0.0;
  double low = 0.0, high = 0.0;  // threshold: the numbers on both sides of the cut
  u32 cut = 0;                   // threshold found in a list: entries on the left; 0: not by position
  bool known_against_unknown = false;
  int32_t missing_child = -1;  // fixed by the evaluation (own value, most common); -1: not
  int32_t branches = 0;
  std::vector<int32_t> branch_of_value;  // nominal: by declared value; -1: none
  std::vector<double> branch_weight;     // of the instances as evaluated
  double unknown_weight = 0.0;           // weight that no branch got in the evaluation
  int32_t fill_branch = -1;              // most common value's branch
  std::vector<int32_t> fill_of_class;    // class_most_common: branch of each class's most common value
  std::vector<u8> constant;              // of the winner: which active columns need not be looked at below the node
};

// One list of a node, known entries only.
struct ListPart {
  const u32* entries;
  u32 n;
  u32 least;  // least number of entries on each side of a cut
};

constexpr u32 BLOCK = 64;  // how many entries of a list are skipped together if none of them can be the best

// What an attribute offers at a node: a candidate that takes part in the choice, or why there is none.
enum class Offer : u8 {
  candidate,
  below_mean,
  little_information,
  all_unknown,
  constant,
  too_small,
  too_close,
  price,
  order
};

// What a search reports besides its best candidate, for callers that want to see every division that it looked at.
struct Tried {
  Offer offer = Offer::candidate;
  bool counted = false;           // the divisions are those of `gain`; else there is one at most
  u32 cuts = 0;                   // thresholds: the admissible ones
  std::vector<double> gain;       // before the price of a threshold; NaN: not admissible
  std::vector<double> low, high;  // thresholds: the numbers on both sides
  // the best division that the order of answers forbids: its gain (NaN: there is none) and, of thresholds, its numbers
  double forbidden = std::numeric_limits<double>::quiet_NaN(), forbidden_low = forbidden, forbidden_high = forbidden;

  void forbid(double gain, double at_low, double at_high) {
    if (forbidden >= gain) return;
    forbidden = gain;
    forbidden_low = at_low;
    forbidden_high = at_high;
  }
  void reset() {
    offer = Offer::candidate;
    counted = false;
    cuts = 0;
    gain.clear();
    low.clear();
    high.clear();
    forbidden = forbidden_low = forbidden_high = std::numeric_limits<double>::quiet_NaN();
  }
};

// Clamp of C4.5: the least weight of a side of a cut.
inline double least_side(const Options& options, double known, int classes) {
  double least = std::max(options.min_objects, options.min_weight_leaf);
  if (options.min_cut)
    least = std::max(least, std::min(std::max(0.1 * known / std::max(classes, 1), options.min_objects), 25.0));
  return least;
}

// Whether a branch is heavy and long enough to count.
inline bool branch_counts(const Options& options, double weight, double rows, double least) {
  return rows > 0.0 && rows >= options.least_rows() && weight >= about(least);
}

inline double entropy_term(double part, double whole) {
  double p = part / whole;
  return p > 0.0 ? -p * std::log2(p) : 0.0;
}

}  // namespace quercus
