// bind_part: PART for Python: encoded columns and C4.5's options in, the rules' arrays out.

#include "bind_options.h"
#include "part.h"

namespace nb = nanobind;

namespace quercus {
namespace {

nb::dict learn_part(nb::list columns, std::vector<int32_t> n_values, nb::object target, int n_classes,
                    nb::object weights, nb::dict options_dict, double confidence, double z, bool prune,
                    nb::object progress) {
  need(confidence > 0.0 && confidence <= 1.0 && std::isfinite(z), "confidence must be above 0 and at most 1, z finite");
  need_classes(n_classes);
  Dataset data = read_dataset(columns, n_values, target, n_classes, weights);
  need(!data.any_sparse(), "PART learns from columns that are not sparse");
  Options options = read_options(options_dict);
  check_options(options, data);
  PartOptions part{z, confidence, prune};
  PartRules rules;
  Making making("the rules of " + sized(data.n_rows, data.columns.size()));
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
        nb::arg("n_classes"), nb::arg("weights").none(), nb::arg("options"), nb::arg("confidence"), nb::arg("z"),
        nb::arg("prune"), nb::arg("progress").none(),
        "Learns an ordered rule list from partial trees; returns the rules' arrays by name.");
}
