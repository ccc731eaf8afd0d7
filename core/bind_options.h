// Bindings of options: a dict of numbers and names becomes Options, checked; a grown tree becomes a dict of arrays.
#pragma once

#include <string>

#include "bind_growing.h"
#include "target.h"

namespace quercus {

template <typename T>
T option(const nb::dict& d, const char* name) {
  if (!d.contains(name)) throw std::invalid_argument(std::string("the option '") + name + "' is missing");
  T value;
  if (!nb::try_cast(nb::object(d[name]), value))
    throw std::invalid_argument(std::string("the option '") + name + "' cannot be " + described(d[name]));
  return value;
}

// One of the values of an enum, by its name.
template <typename E, size_t n>
E choice(const nb::dict& d, const char* name, const Name<E> (&names)[n]) {
  return value_of(names, option<std::string>(d, name), std::string("the option '") + name + "'");
}

inline std::vector<ThresholdScale> scales_of(const std::vector<std::string>& names) {
  std::vector<ThresholdScale> scales;
  for (const std::string& name : names) scales.push_back(value_of(THRESHOLD_SCALES, name, "one of threshold_scales"));
  return scales;
}

inline Options read_options(const nb::dict& d) {
  Options o;
  o.criterion = choice(d, "criterion", CRITERIA);
  o.quantiles = option<std::vector<double>>(d, "quantiles");
  if (o.criterion == Criterion::absolute_error) o.quantiles = {0.5};
  o.selection = choice(d, "selection", SELECTIONS);
  o.cost_exponent = option<double>(d, "cost_exponent");
  o.nominal = choice(d, "nominal", NOMINAL_SPLITS);
  o.subset_limit = option<int>(d, "subset_limit");
  o.data_value_threshold = option<bool>(d, "data_value_threshold");
  o.threshold_scales = scales_of(option<std::vector<std::string>>(d, "threshold_scales"));
  o.threshold_gap = option<double>(d, "threshold_gap");
  o.threshold_cost = option<bool>(d, "threshold_cost");
  o.min_cut = option<bool>(d, "min_cut");
  o.gate = option<bool>(d, "gate");
  o.gate_tolerance = option<double>(d, "gate_tolerance");
  o.min_split_info = option<double>(d, "min_split_info");
  o.wide_share = option<double>(d, "wide_share");
  o.require_gain = option<bool>(d, "require_gain");
  o.min_objects = option<double>(d, "min_objects");
  o.min_samples_split = option<int64_t>(d, "min_samples_split");
  o.min_samples_leaf = std::min(option<int64_t>(d, "min_samples_leaf"), most_rows);  // more rows than there can be
  o.min_weight_leaf = option<double>(d, "min_weight_leaf");
  o.min_value_weight = option<double>(d, "min_value_weight");
  o.min_gain = option<double>(d, "min_gain");
  o.min_impurity_decrease = option<double>(d, "min_impurity_decrease");
  o.sufficient_majority = option<double>(d, "sufficient_majority");
  o.max_depth = option<int64_t>(d, "max_depth");
  o.max_leaf_nodes = option<int64_t>(d, "max_leaf_nodes");
  o.critical = option<std::vector<double>>(d, "critical");
  o.significance = !o.critical.empty();
  o.missing = choice(d, "missing", MISSING_POLICIES);
  o.max_surrogates = option<int>(d, "max_surrogates");
  o.collapse = choice(d, "collapse", COLLAPSES);
  o.collapse_tolerance = option<double>(d, "collapse_tolerance");
  o.max_bins = option<int>(d, "max_bins");
  o.class_multipliers = option<std::vector<double>>(d, "class_multipliers");
  o.cost_matrix = option<std::vector<double>>(d, "cost_matrix");
  o.attribute_costs = option<std::vector<double>>(d, "attribute_costs");
  o.watched_class = option<int32_t>(d, "watched_class");
  o.monotone = option<std::vector<int32_t>>(d, "monotone");
  o.order_slack = option<double>(d, "order_slack");
  o.together = option<std::vector<std::vector<u32>>>(d, "together");
  o.n_threads = option<int>(d, "n_threads");
  o.switches = option<uint32_t>(d, "switches");
  return o;
}

// The weights of all rows together, times the largest multiplier of a class, have finite squares.
inline void check_weights(const Options& o, const Dataset& data) {
  constexpr double most_weight = 1e150;
  double total = data.weights ? 0.0 : data.n_rows, multiplier = 1.0;
  for (u32 i = 0; data.weights && i < data.n_rows; ++i) total += data.weights[i];
  for (double m : o.class_multipliers) multiplier = std::max(multiplier, m);
  need(total <= most_weight / multiplier, "weights add up to more than 1e150, beyond which squares are not finite");
}

// The order of answers and the sets of attributes are about what there is.
inline void check_constraints(const Options& o, const Dataset& data) {
  size_t columns = data.columns.size();
  need(!o.has_order() || o.monotone.size() == columns, "monotone needs a number per column");
  for (size_t i = 0; i < o.monotone.size(); ++i)
    need(o.monotone[i] == 0 || (std::abs(o.monotone[i]) == 1 && !data.columns[i].nominal()),
         "monotone holds -1, 0 and 1, and 0 for codes");
  need(!o.has_order() || !data.n_classes || (o.watched_class >= 0 && o.watched_class < data.n_classes),
       "watched_class must be a class of the target");
  need(o.order_slack >= 0.0, "order_slack must not be negative");
  for (const std::vector<u32>& set : o.together)
    need(!set.empty() && std::is_sorted(set.begin(), set.end()) && set.back() < columns,
         "each of together must be columns, rising");
}

inline void check_options(const Options& o, const Dataset& data) {
  size_t k = static_cast<size_t>(data.n_classes), columns = data.columns.size();
  check_numbers(o);
  check_weights(o, data);
  for (double number : o.critical) need(!std::isnan(number), "critical holds NaN");
  need(o.selection != Selection::tan_schlimmer ||
           std::all_of(o.attribute_costs.begin(), o.attribute_costs.end(), [](double cost) { return cost > 0.0; }),
       "tan_schlimmer needs attribute_costs above 0");
  bool classes = TargetKind(data, o).n_classes > 0;
  need(classes != is_of_numbers(o.criterion), "the criterion does not fit the target");
  need(o.by_quantiles() == (o.criterion == Criterion::pinball || o.criterion == Criterion::absolute_error),
       "quantiles are for the criterion pinball");
  for (size_t i = 0; i < o.quantiles.size(); ++i)
    need(o.quantiles[i] > (i ? o.quantiles[i - 1] : 0.0) && o.quantiles[i] < 1.0,
         "quantiles must rise from above 0 to below 1");
  need(o.attribute_costs.size() == columns, "attribute_costs needs one number per column");
  need(o.threshold_scales.empty() || o.threshold_scales.size() == columns,
       "threshold_scales needs one name per column");
  need(o.class_multipliers.empty() || o.class_multipliers.size() == k, "class_multipliers needs one number per class");
  need(o.cost_matrix.empty() || o.cost_matrix.size() == k * k, "cost_matrix needs classes x classes numbers");
  check_constraints(o, data);
  need(o.subset_limit >= 1 && o.subset_limit <= 20, "subset_limit must be between 1 and 20");
  need(o.max_bins >= 0 && o.max_bins <= static_cast<int>(MOST_CODES) + 1, "max_bins must be between 2 and 255");
  need_threads(o.n_threads);
  need(o.missing != Missing::surrogate || o.nominal == NominalSplit::subset, "surrogates need binary splits");
  need(o.missing != Missing::surrogate || !data.any_sparse(), "surrogates need columns that are not sparse");
  need(classes || (o.nominal != NominalSplit::grouped && o.selection == Selection::gain && !o.significance &&
                   !fills_by_class(o.missing)),
       "grouped values, ratios, cost measures, significance and filling by class need classes");
}

inline nb::dict to_dict(TreeArrays&& t) {
  nb::dict d;
  size_t width = static_cast<size_t>(t.width);
  d["kind"] = array_of(std::move(t.kind));
  d["attribute"] = array_of(std::move(t.attribute));
  d["threshold"] = array_of(std::move(t.threshold));
  d["first_child"] = array_of(std::move(t.first_child));
  d["n_children"] = array_of(std::move(t.n_children));
  d["missing_child"] = array_of(std::move(t.missing_child));
  d["weight"] = array_of(std::move(t.weight));
  d["count"] = array_of(std::move(t.count));
  d["gain"] = array_of(std::move(t.gain));
  d["value"] = array_of(std::move(t.value), width);
  d["group_start"] = array_of(std::move(t.group_start));
  d["group_value"] = array_of(std::move(t.group_value));
  d["group_child"] = array_of(std::move(t.group_child));
  d["surrogate_start"] = array_of(std::move(t.surrogate_start));
  d["surrogate_kind"] = array_of(std::move(t.surrogate_kind));
  d["surrogate_attribute"] = array_of(std::move(t.surrogate_attribute));
  d["surrogate_threshold"] = array_of(std::move(t.surrogate_threshold));
  d["surrogate_low_child"] = array_of(std::move(t.surrogate_low_child));
  d["surrogate_agreement"] = array_of(std::move(t.surrogate_agreement));
  d["surrogate_adjusted"] = array_of(std::move(t.surrogate_adjusted));
  d["surrogate_group_start"] = array_of(std::move(t.surrogate_group_start));
  d["surrogate_group_value"] = array_of(std::move(t.surrogate_group_value));
  d["surrogate_group_child"] = array_of(std::move(t.surrogate_group_child));
  return d;
}

}  // namespace quercus
