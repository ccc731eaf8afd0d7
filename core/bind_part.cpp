// bind_part: PART for Python: encoded columns and C4.5's choices in, the rules' arrays out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "part.h"

namespace nb = nanobind;

namespace quercus {
namespace {

template <typename T>
using Cells = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T>
nb::object array_of(std::vector<T>&& values, std::vector<size_t> shape = {}) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule free(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  if (shape.empty()) shape = {owned->size()};
  return nb::cast(nb::ndarray<nb::numpy, T>(owned->data(), shape.size(), shape.data(), free));
}

void need(bool fine, const std::string& message) {
  if (!fine) throw std::invalid_argument(message);
}

template <typename T>
bool borrow(nb::handle item, ColumnKind kind, u32 n_rows, Column& column) {
  Cells<T> cells;
  if (!nb::try_cast(item, cells, false)) return false;
  need(cells.shape(0) == n_rows, "a column has another length than the target");
  column.kind = kind;
  column.data = cells.data();
  return true;
}

// The arrays are kept alive by the caller's arguments.
Column borrow_column(nb::handle item, int32_t n_values, u32 n_rows) {
  Column column;
  column.n_values = n_values;
  bool numeric = borrow<double>(item, ColumnKind::number64, n_rows, column) ||
                 borrow<float>(item, ColumnKind::number32, n_rows, column);
  need(numeric || borrow<int32_t>(item, ColumnKind::nominal, n_rows, column),
       "a column must be a contiguous array of float64, float32 or int32");
  for (u32 i = 0; i < n_rows; ++i) {
    if (numeric)
      need(!std::isinf(column.number(i)), "a column holds infinity");
    else
      need(column.code(i) < n_values, "a column has a code above its declared values");
  }
  return column;
}

Dataset borrow_dataset(const nb::list& columns, const std::vector<int32_t>& n_values, const Cells<int32_t>& labels,
                       int n_classes, nb::handle weights) {
  Dataset data;
  need(n_classes >= 1 && n_classes <= 1'000'000, "n_classes must be between 1 and 1,000,000");
  need(labels.shape(0) >= 1 && labels.shape(0) < (size_t{1} << 31) - 1, "rows: 1 to 2,147,483,646");
  data.n_classes = n_classes;
  data.labels = labels.data();
  data.n_rows = static_cast<u32>(labels.shape(0));
  for (u32 i = 0; i < data.n_rows; ++i)
    need(data.labels[i] >= 0 && data.labels[i] < n_classes, "a label is outside the classes");
  need(nb::len(columns) >= 1 && n_values.size() == nb::len(columns), "n_values needs one number a column");
  for (size_t i = 0; i < n_values.size(); ++i)
    data.columns.push_back(borrow_column(columns[i], n_values[i], data.n_rows));
  if (weights.is_none()) return data;
  Cells<double> given;
  need(nb::try_cast(weights, given, false) && given.shape(0) == data.n_rows, "weights must be float64, one a row");
  data.weights = given.data();
  for (u32 i = 0; i < data.n_rows; ++i)
    need(data.weights[i] > 0.0 && std::isfinite(data.weights[i]), "weights must be positive and finite");
  return data;
}

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
  return o;
}

bool ask_python(const nb::object& progress, u64 done, u64 total, u64 nodes) {
  nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) return false;
  if (progress.is_none()) return true;
  nb::object answer =
      nb::steal(PyObject_CallFunction(progress.ptr(), "KKK", static_cast<unsigned long long>(done),
                                      static_cast<unsigned long long>(total), static_cast<unsigned long long>(nodes)));
  return answer.is_valid();
}

nb::dict learn_part(nb::list columns, std::vector<int32_t> n_values, Cells<int32_t> target, int n_classes,
                    nb::object weights, nb::dict choices, double confidence, double z, bool prune,
                    nb::object progress) {
  need(confidence > 0.0 && confidence <= 1.0 && std::isfinite(z), "confidence must be above 0 and at most 1, z finite");
  Dataset data = borrow_dataset(columns, n_values, target, n_classes, weights);
  Options options = read_choices(choices, data);
  PartOptions part{z, confidence, prune};
  Watch watch;
  watch.poll = [&](u64 done, u64 total, u64 nodes) { return ask_python(progress, done, total, nodes); };
  PartRules rules;
  bool interrupted = false;
  {
    nb::gil_scoped_release release;
    try {
      rules = PartLearner(data, options, part, watch).learn();
    } catch (const Interrupted&) {
      interrupted = true;
    }
  }
  if (interrupted) {
    if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
  size_t n = rules.label.size();
  nb::dict d;
  d["rule_start"] = array_of(std::move(rules.rule_start));
  d["kind"] = array_of(std::move(rules.kind));
  d["attribute"] = array_of(std::move(rules.attribute));
  d["threshold"] = array_of(std::move(rules.threshold));
  d["value_start"] = array_of(std::move(rules.value_start));
  d["values"] = array_of(std::move(rules.values));
  d["label"] = array_of(std::move(rules.label));
  d["class_weight"] = array_of(std::move(rules.class_weight), {n, static_cast<size_t>(n_classes)});
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
