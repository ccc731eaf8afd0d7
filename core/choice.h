// Choice: what the candidates of a node are worth, which of them is the best, and whether that one is good enough.
#pragma once

#include "node_view.h"

namespace quercus {

// Why a node asks no question. The first reasons are checked before any attribute is looked at, in this order; the
// others follow from what the attributes offer.
enum class Stop : u8 {
  no,
  pure,
  majority,
  depth,
  min_objects,
  min_samples_split,
  min_weight_leaf,
  no_candidate,
  none_passes,
  min_gain,
  min_impurity_decrease,
  no_gain,
  not_significant
};

// The worth of a gain where the split information does not count.
inline double worth_of(const Options& options, double gain, u32 attribute) {
  switch (options.selection) {
    case Selection::tan_schlimmer:
      return gain * gain / options.attribute_costs[attribute];
    case Selection::nunez:
      return (std::exp2(gain) - 1.0) / std::pow(options.attribute_costs[attribute] + 1.0, options.cost_exponent);
    case Selection::gain:
    case Selection::gain_ratio:
      break;
  }
  return gain;
}

// The entropy of the branches' weights; unknown instances count as a branch of their own.
inline double split_information(const Candidate& c, double node_weight) {
  double information = entropy_term(c.unknown_weight, node_weight);
  for (double w : c.branch_weight) information += entropy_term(w, node_weight);
  return information;
}

// The candidate of an entry. A candidate that is itself an entry is returned as it is.
template <typename Entry>
Candidate& candidate_of(Entry& entry) {
  return entry.candidate;
}
inline Candidate& candidate_of(Candidate& candidate) { return candidate; }

// Rates the entries of a node, one for each attribute looked at. An entry has the fields exists, gain and worth, and a
// candidate.
template <typename Entry, typename AttributeOf>
class Choice {
 public:
  Choice(const NodeView& node, std::vector<Entry>& entries, size_t n, AttributeOf attribute_of)
      : node_(node), options_(node.plan.options), entries_(entries), n_(n), attribute_of_(attribute_of) {}

  // Gives every candidate its worth; those that C4.5's gate keeps out are marked as not existing.
  void rate() {
    bool ratio = options_.selection == Selection::gain_ratio;
    double floor = ratio && options_.gate ? mean_gain() - options_.gate_tolerance - node_.tolerance
                                          : -std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < n_; ++i) {
      Entry& e = entries_[i];
      if (!e.exists) continue;
      if (!ratio) {
        e.worth = worth_of(options_, e.gain, attribute_of_(i));
        continue;
      }
      Candidate& c = candidate_of(e);
      double information = c.split_info = split_information(c, node_.weight);
      e.exists = e.gain >= floor && information > options_.min_split_info + node_.tolerance;
      if (e.exists) e.worth = e.gain / information;
    }
  }

  // The first of those within the tolerance of the best; n: there is none.
  size_t best() const {
    double largest = -std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < n_; ++i)
      if (entries_[i].exists) largest = std::max(largest, entries_[i].worth);
    for (size_t i = 0; i < n_; ++i)
      if (entries_[i].exists && entries_[i].worth >= largest - node_.tolerance) return i;
    return n_;
  }

  // What the gate compares with. Nominal attributes of very many values do not count, unless all are such.
  double mean_gain() const {
    double sum = 0.0, all_sum = 0.0;
    size_t narrow = 0, all = 0;
    for (size_t i = 0; i < n_; ++i) {
      if (!entries_[i].exists) continue;
      all_sum += entries_[i].gain;
      ++all;
      const Attribute& a = node_.plan.attributes[attribute_of_(i)];
      if (a.nominal && a.n_values >= options_.wide_share * node_.plan.data.n_rows) continue;
      sum += entries_[i].gain;
      ++narrow;
    }
    return narrow ? sum / static_cast<double>(narrow) : all ? all_sum / static_cast<double>(all) : 0.0;
  }

 private:
  const NodeView& node_;
  const Options& options_;
  std::vector<Entry>& entries_;
  size_t n_;
  AttributeOf attribute_of_;
};

// Why the best candidate is not taken.
inline Stop why_refused(const Options& options, const NodeView& node, double root_weight, const Candidate& c) {
  double tau = node.tolerance;
  if (c.gain < options.min_gain - tau) return Stop::min_gain;
  if (node.weight / root_weight * c.gain < options.min_impurity_decrease - tau) return Stop::min_impurity_decrease;
  return options.require_gain && c.worth <= tau ? Stop::no_gain : Stop::no;
}

}  // namespace quercus
