// ForestPlan: what all trees of a forest share, and what is known of a node and of its split while a tree grows.
#pragma once

#include "bin_counts.h"
#include "nominal.h"
#include "sampling.h"

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

  // Whether nodes count bins. The counts do not distinguish two rows from one row that was drawn twice.
  bool counts_bins() const {
    bool any = std::any_of(data.columns.begin(), data.columns.end(), [](const Column& c) { return !c.nominal(); });
    return any && counted && options.max_bins > 0 && !sampling.random_thresholds && !options.off(no_siblings) &&
           (options.min_samples_leaf <= 1 || sampling.bootstrap != Bootstrap::with_replacement);
  }

  // Whether this grower knows how to follow the options; the general one follows all.
  static bool suits(const Dataset& data, const Options& o) {
    bool unknown = false;
    for (const Column& column : data.columns) {
      if (unknown) break;
      for (u32 row = 0; row < data.n_rows && !unknown; ++row) unknown = column.unknown(row);
    }
    return o.selection != Selection::gain_ratio && o.nominal == NominalSplit::subset && !o.significance &&
           !o.by_quantiles() && o.criterion != Criterion::poisson && !o.threshold_cost && !o.min_cut &&
           !o.data_value_threshold && o.threshold_gap == 0.0 && o.collapse == Collapse::no && data.n_classes < 65536 &&
           (o.missing == Missing::own_value || (o.missing == Missing::fractional && !unknown));
  }
};

// What is known of an attribute at a node without looking at its values.
enum Attribution : u8 { may_vary = 0, is_constant = 1, not_for_tree = 2 };

// A node that is not finished.
struct SampledNode {
  u32 begin, end;
  int32_t record, depth;
  u64 key;
  std::shared_ptr<const std::vector<u8>> settled;  // by attribute: an Attribution
  std::shared_ptr<BinCounts> counts = nullptr;     // of all attributes of the tree, if they are kept

  u32 count() const { return end - begin; }
};

struct SampledSplit {
  Candidate candidate;
  u32 attribute = 0, rank = 0;  // a threshold: ranks up to this stand left
  size_t slot = 0;              // where the ranks of the attribute are
  bool by_bins = false;         // found by counts: there are no ranks, but
  u32 below = 0, above = 0;     // the last bin of the left and the first of the right side
  bool unknown = false;         // instances are unknown
  std::shared_ptr<const std::vector<u8>> settled;
};

}  // namespace quercus
