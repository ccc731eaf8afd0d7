// Options: every choice that growing makes, and the names of the choices (see docs/specification.md).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "criterion.h"
#include "names.h"

namespace quercus {

enum class Selection : uint8_t { gain, gain_ratio, tan_schlimmer, nunez };
constexpr Name<Selection> SELECTIONS[] = {
    {"gain", Selection::gain},
    {"gain_ratio", Selection::gain_ratio},
    {"tan_schlimmer", Selection::tan_schlimmer},
    {"nunez", Selection::nunez},
};

enum class NominalSplit : uint8_t { multiway, grouped, subset };
constexpr Name<NominalSplit> NOMINAL_SPLITS[] = {
    {"multiway", NominalSplit::multiway},
    {"grouped", NominalSplit::grouped},
    {"subset", NominalSplit::subset},
};

enum class Missing : uint8_t { fractional, most_common, class_most_common, own_value, surrogate };
constexpr Name<Missing> MISSING_POLICIES[] = {
    {"fractional", Missing::fractional},
    {"most_common", Missing::most_common},
    {"class_most_common", Missing::class_most_common},
    {"own_value", Missing::own_value},
    {"surrogate", Missing::surrogate},
};

// Whether an unknown value counts as the most common value of its node, and whether as that of its own class there.
constexpr bool fills_by_class(Missing missing) { return missing == Missing::class_most_common; }
constexpr bool fills(Missing missing) { return missing == Missing::most_common || fills_by_class(missing); }

enum class Collapse : uint8_t { no, bottom_up, top_down };
constexpr Name<Collapse> COLLAPSES[] = {
    {"no", Collapse::no},
    {"bottom_up", Collapse::bottom_up},
    {"top_down", Collapse::top_down},
};

// How the threshold of an attribute is written; none: as the midpoint. few_digits: as the lower value, if it is short.
enum class ThresholdScale : uint8_t { none, decimal, time, lower, few_digits };
constexpr Name<ThresholdScale> THRESHOLD_SCALES[] = {
    {"none", ThresholdScale::none},   {"decimal", ThresholdScale::decimal},       {"time", ThresholdScale::time},
    {"lower", ThresholdScale::lower}, {"few_digits", ThresholdScale::few_digits},
};

// Each bit turns one internal speed-up off; the tree must stay the same.
enum Switch : uint32_t {
  no_block_bounds = 1,       // two-class scan: evaluate every cut, skip no block
  no_streaming = 2,          // unit-weight scans: use the general scan instead
  no_codes = 4,              // few distinct values: keep the sorted list instead of value codes
  no_rebase = 8,             // small subtrees: stay in the big frame
  no_wide = 16,              // plain instructions instead of wide ones
  no_constants = 32,         // keep looking at attributes that became constant
  no_subtree_tasks = 64,     // with threads: attributes in parallel only
  no_siblings = 128,         // count every child's codes, none by subtraction
  no_ahead = 256,            // with threads, best first: split no node before its turn
  no_rank_columns = 512,     // forests: the general grower for every tree
  no_profile = 1024,         // two classes, one list: look at every block of it at every node
  no_quantile_lists = 4096,  // quantiles: trees of sums instead of lists from which numbers are taken out
  no_few_rows = 8192,        // subtrees of few rows: node by node, as larger ones
  no_running = 2048,         // many classes: add up all classes at every cut, instead of keeping the sums running
};

struct Options {
  Criterion criterion = Criterion::entropy;
  std::vector<double> quantiles;  // levels whose pinball losses are added up, rising; absolute error: 0.5; else none
  Selection selection = Selection::gain;
  double cost_exponent = 1.0;
  NominalSplit nominal = NominalSplit::multiway;
  int subset_limit = 10;
  bool data_value_threshold = false;
  std::vector<ThresholdScale> threshold_scales;  // short thresholds: by attribute; empty: none
  double threshold_gap = 0.0;
  bool threshold_cost = false;
  bool min_cut = false;
  bool gate = false;
  double gate_tolerance = 1e-3;
  double min_split_info = 0.0;
  double wide_share = 0.3;
  bool require_gain = false;
  double min_objects = 0.0;
  int64_t min_samples_split = 2;
  int64_t min_samples_leaf = 1;
  double min_weight_leaf = 0.0;
  double min_value_weight = 0.0;  // nominal values that are lighter at a node go together
  double min_gain = 0.0;
  double min_impurity_decrease = 0.0;
  double sufficient_majority = 0.0;  // share of the most common class that makes a leaf; 0: no such rule
  int64_t max_depth = -1;            // -1: no limit
  int64_t max_leaf_nodes = -1;       // -1: no limit, depth first
  bool significance = false;
  std::vector<double> critical;  // critical[df] of chi-square
  Missing missing = Missing::fractional;
  int max_surrogates = 5;
  Collapse collapse = Collapse::no;
  double collapse_tolerance = 1e-3;
  int max_bins = 0;                       // 0: exact
  std::vector<double> class_multipliers;  // empty: all one
  std::vector<double> cost_matrix;        // k*k, rows = true class; empty: plain errors
  std::vector<double> attribute_costs;
  uint32_t attributes_per_node = 0;      // forests: attributes drawn at each node; 0: all
  bool random_thresholds = false;        // forests: of each attribute one cut, drawn at random
  bool count_constant = false;           // attributes that are constant at the node count among the drawn ones
  uint64_t root_key = 0;                 // the key from which the root's draw is made
  std::vector<uint8_t> used_attributes;  // whether each attribute may be used at all; empty: all may
  int32_t watched_class = -1;            // the class whose share attributes order; numbers: none
  std::vector<int32_t> monotone;  // by attribute: 1 the answer rises with it, -1 it falls, 0: neither; empty: none
  double order_slack = 0.0;       // answers closer than this are equal
  std::vector<std::vector<uint32_t>> together;  // sets of attributes that may meet on a path, rising; empty: all may
  int n_threads = 1;
  uint32_t switches = 0;

  bool draws() const { return attributes_per_node || random_thresholds; }
  bool by_quantiles() const { return !quantiles.empty(); }
  // The level that is answered: the nearest to 0.5, the first if tied.
  double answered_level() const {
    double best = quantiles.front();
    for (double level : quantiles)
      if (std::abs(level - 0.5) < std::abs(best - 0.5) - 1e-12) best = level;
    return best;
  }
  // Parts of rows are counted by their shares where more than one row is asked for; else any part is enough.
  bool counts_rows() const { return min_samples_leaf > 1 || min_samples_split > 2; }
  double least_rows() const { return min_samples_leaf > 1 ? static_cast<double>(min_samples_leaf) * (1 - 1e-9) : 0.0; }
  double least_to_split() const { return static_cast<double>(min_samples_split) * (1 - 1e-9); }
  ThresholdScale threshold_scale(uint32_t attribute) const {
    return threshold_scales.empty() ? ThresholdScale::none : threshold_scales[attribute];
  }
  // Whether one class holds enough of the weight for a leaf.
  bool enough(double majority, double weight) const {
    return sufficient_majority > 0.0 && majority >= (sufficient_majority - 1e-9) * weight;
  }
  // Watched answers: the share of a class; the number, or each quantile, that is predicted.
  size_t n_watched() const { return std::max<size_t>(quantiles.size(), 1); }
  int32_t sign(uint32_t attribute) const { return monotone.empty() ? 0 : monotone[attribute]; }
  bool has_order() const { return !monotone.empty(); }
  bool off(Switch s) const { return (switches & s) != 0; }
};

}  // namespace quercus
