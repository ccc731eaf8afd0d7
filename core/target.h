// Target: what is kept of a node for each kind of target: how wide its sums and its payload are, and what stands where.
#pragma once

#include "dataset.h"
#include "options.h"

namespace quercus {

// Classes: the weight of each class. Numbers: prediction, mean, squared deviations. Quantiles: one number for each
// level, mean, squared deviations, pinball loss. `docs/specification.md`, "The tree's arrays".
struct TargetKind {
  int n_classes = 0;  // 0: numbers
  int n_levels = 0;   // quantiles; 0: one prediction

  TargetKind(const Dataset& data, const Options& options)
      : TargetKind(data.n_classes, options.criterion == Criterion::pinball ? options.quantiles.size() : 0) {}
  TargetKind(int classes, size_t levels) : n_classes(classes), n_levels(static_cast<int>(levels)) {}

  int answers() const { return n_classes ? 0 : n_levels ? n_levels : 1; }
  int mean() const { return answers(); }
  int squares() const { return answers() + 1; }
  int loss() const { return answers() + 2; }
  // Columns of a tree's `value`.
  int payload() const { return n_classes ? n_classes : answers() + (n_levels ? 3 : 2); }
  // Numbers that a search for cuts adds up: class weights, or weight and sum of deviations from the mean.
  int sums() const { return n_classes ? n_classes : 2; }
};

}  // namespace quercus
