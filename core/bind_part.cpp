// bind_part: PART for Python: encoded columns and C4.5's choices in, the rules' arrays out.

#include <string>

#include "bind_growing.h"
#include "part.h"

namespace nb = nanobind;

namespace quercus {
namespace {

// The fields of a recipe that C4.5 uses; unknown values are spread, the criterion is entropy.
Options read_choices(const nb::dict& d, const Dataset& data) {
  Options o;
  o.selection = Selection::gain_ratio;
  o.nominal = nb::cast<bool>(d["value_groups"]) ? NominalSplit::grouped : NominalSplit::multiway;
  o.data_value_threshold = nb::cast<bool>(d["data_value_threshold"]);
  o.threshold_gap = nb::cast<double>(d["threshold_gap"]);
  o.threshold_cost = nb::cast<bool>(d["threshold_cost"]);
  o.min_cut = nb::cast<bool>(d["min_cut"]);
  o.gate = nb::cast<bool>(d["gate"]);
  o.gate_tolerance = nb::cast<double>(d["gate_tolerance"]);
  o.min_split_info = nb::cast<double>(d["min_split_info"]);
  o.wide_share = nb::cast<double>(d["wide_share"]);
  o.require_gain = nb::cast<bool>(d["require_gain"]);
  o.min_objects = nb::cast<double>(d["min_objects"]);
  o.class_multipliers = nb::cast<std::vector<double>>(d["class_multipliers"]);
  o.cost_matrix = nb::cast<std::vector<double>>(d["cost_matrix"]);
  o.attribute_costs.assign(data.columns.size(), 0.0);
  size_t k = static_cast<size_t>(data.n_classes);
  need(o.class_multipliers.empty() || o.class_multipliers.size() == k, "class_multipliers needs one number a class");
  need(o.cost_matrix.empty() || o.cost_matrix.size() == k * k, "cost_matrix needs classes x classes numbers");
  check_numbers(o);
  return o;
}

nb::dict learn_part(nb::list columns, std::vector<int32_t> n_values, nb::object target, int n_classes,
                    nb::object weights, nb::dict choices, double confidence, double z, bool prune,
                    nb::object progress) {
  need(confidence > 0.0 && confidence <= 1.0 && std::isfinite(z), "confidence must be above 0 and at most 1, z finite");
  need_classes(n_classes);
  Dataset data = read_dataset(columns, n_values, target, n_classes, weights);
  Options options = read_choices(choices, data);
  PartOptions part{z, confidence, prune};
  PartRules rules;
  run_watched(progress, [&](Watch& watch) { rules = PartLearner(data, options, part, watch).learn(); });
  nb::dict d;
  d["rule_start"] = array_of(std::move(rules.rule_start));
  d["kind"] = array_of(std::move(rules.kind));
  d["attribute"] = array_of(std::move(rules.attribute));
  d["threshold"] = array_of(std::move(rules.threshold));
  d["value_start"] = array_of(std::move(rules.value_start));
  d["values"] = array_of(std::move(rules.values));
  d["label"] = array_of(std::move(rules.label));
  d["class_weight"] = array_of(std::move(rules.class_weight), static_cast<size_t>(n_classes));
  return d;
}

}  // namespace
}  // namespace quercus

void bind_part(nb::module_& m) {
  m.def("learn_part", &quercus::learn_part, nb::arg("columns"), nb::arg("n_values"), nb::arg("target"),
        nb::arg("n_classes"), nb::arg("weights").none(), nb::arg("choices"), nb::arg("confidence"), nb::arg("z"),
        nb::arg("prune"), nb::arg("progress").none(),
        "Learns an ordered rule list from partial trees; returns the rules' arrays by name.");
}
