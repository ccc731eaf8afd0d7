// ForestPlan: what all trees of a forest share, and what is known of a node and of its split while a tree grows.
#pragma once

#include "bin_counts.h"
#include "constants.h"
#include "constraints.h"
#include "nominal.h"
#include "sampling.h"
#include "value_counts.h"

namespace quercus {

// What all trees of a forest share.
struct ForestPlan {
  const Dataset& data;
  const Options& options;
  const Sampling& sampling;
  Plan plan;
  std::vector<RankColumn> ranks;
  bool counted = false;  // classes, and rows weigh what they were drawn
  BinnedRows binned;     // if nodes count bins
  UnusualCells unusual;  // of a wide table whose cells are mostly alike

  // Whether nodes count bins. The counts do not distinguish two rows from one row that was drawn twice.
  bool counts_bins() const {
    bool any = std::any_of(data.columns.begin(), data.columns.end(), [](const Column& c) { return !c.nominal(); });
    return any && counted && options.max_bins > 0 && !sampling.random_thresholds && !options.off(no_siblings) &&
           !options.has_order() && (options.min_samples_leaf <= 1 || sampling.bootstrap != Bootstrap::with_replacement);
  }

  // Whether nodes are searched by CountedChoice.
  bool by_counts() const {
    return counted && options.selection == Selection::gain && binned.codes.empty() && !options.has_order();
  }
  // Whether an attribute's values are counted at a node of n instances, instead of gathering its ranks.
  bool counts_values(const RankColumn& column, u32 n) const {
    if (!by_counts() || data.n_classes != 2 || !unlimited() || !ValueCounter::serves(column, n)) return false;
    if (column.nominal && joins_values()) return false;
    return !sampling.random_thresholds || column.nominal || !unusual.empty() || n >= 4 * column.n_ranks;
  }
  // Whether a branch may be of any size.
  bool unlimited() const {
    return options.min_samples_leaf <= 1 && options.min_objects <= 0.0 && options.min_weight_leaf <= 0.0;
  }
  // Whether light nominal values go together: the general search knows how.
  bool joins_values() const { return options.min_value_weight > 0.0; }
  // Whether the cut of an attribute is drawn and judged by its numbers, without ranks.
  bool cuts_numbers(const RankColumn& column) const {
    return sampling.random_thresholds && by_counts() && !column.nominal && column.low.empty() &&
           column.number_of_rank.empty();
  }

  // Whether this grower knows how to follow the options; the general one follows all.
  static bool suits(const Dataset& data, const Options& o) {
    if (data.any_sparse()) return false;
    auto unknown = [&](const Column& column) {
      for (u32 row = 0; row < data.n_rows; ++row)
        if (column.unknown(row)) return true;
      return false;
    };
    return o.selection != Selection::gain_ratio && o.nominal == NominalSplit::subset && !o.significance &&
           !o.by_quantiles() && o.criterion != Criterion::poisson && !o.threshold_cost && !o.min_cut &&
           !o.data_value_threshold && o.threshold_gap == 0.0 && o.collapse == Collapse::no && data.n_classes < 65536 &&
           (o.missing == Missing::own_value ||
            (o.missing == Missing::fractional && std::none_of(data.columns.begin(), data.columns.end(), unknown)));
  }
};

// A division of the values of a nominal attribute: those that are present, in their order, and whether each goes right.
struct Division {
  std::vector<u32> code;
  std::vector<u8> right;

  // Takes the unknown value out, which is the last if it is there; returns its branch, or -1.
  int32_t take_unknown(u32 unknown) {
    if (code.empty() || code.back() != unknown) return -1;
    int32_t branch = right.back();
    code.pop_back();
    right.pop_back();
    return branch;
  }
};

// A node that is not finished.
struct SampledNode {
  u32 begin, end;
  int32_t record, depth;
  u64 key;
  Constants constants{};
  std::shared_ptr<BinCounts> counts = nullptr;     // of all attributes of the tree, if they are kept
  std::shared_ptr<const Bounds> bounds = nullptr;  // of the answers; null: there is no order
  OpenSets sets = nullptr;                         // of the attributes that may meet those asked above

  u32 count() const { return end - begin; }
};

struct SampledSplit {
  Candidate candidate;
  u32 attribute = 0, rank = 0;  // a threshold: ranks up to this stand left
  size_t slot = 0;              // where the ranks of the attribute are
  bool by_number = false;       // found by the numbers themselves: there are no ranks, but
  double number = 0.0;          // numbers up to this stand left
  bool by_bins = false;         // found by counts: there are no ranks, but
  u32 below = 0, above = 0;     // the last bin of the left and the first of the right side
  bool unknown = false;         // instances are unknown
  Division division;            // nominal
  Constants constants;          // of the node and of all nodes below it

  // The division of a candidate that was found by the general search.
  void take_division() {
    division.code.clear();
    division.right.clear();
    for (u32 value = 0; value < candidate.branch_of_value.size(); ++value) {
      if (candidate.branch_of_value[value] < 0) continue;
      division.code.push_back(value);
      division.right.push_back(static_cast<u8>(candidate.branch_of_value[value]));
    }
    candidate.branch_of_value.clear();
  }
};

}  // namespace quercus
