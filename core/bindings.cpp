// Bindings: the only file (with bind_predict.cpp) that knows Python: checks, releases the GIL, arrays in, arrays out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "grow.h"

namespace nb = nanobind;

void bind_predict(nb::module_& m);
void bind_rules(nb::module_& m);
void bind_prune(nb::module_& m);
void bind_part(nb::module_& m);
void bind_alpha(nb::module_& m);

namespace quercus {
namespace {

template <typename T>
nb::object to_array(std::vector<T>&& values, std::vector<size_t> shape) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule free(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(owned->data(), shape.size(), shape.data(), free));
}
template <typename T>
nb::object to_array(std::vector<T>&& values) {
  size_t n = values.size();
  return to_array(std::move(values), {n});
}

template <typename T>
T option(const nb::dict& d, const char* name) {
  if (!d.contains(name)) throw std::invalid_argument(std::string("the option '") + name + "' is missing");
  return nb::cast<T>(d[name]);
}

template <typename E>
E choice(const nb::dict& d, const char* name, int most) {
  int value = option<int>(d, name);
  if (value < 0 || value > most)
    throw std::invalid_argument(std::string("the option '") + name + "' is out of range: " + std::to_string(value));
  return static_cast<E>(value);
}

Options read_options(const nb::dict& d) {
  Options o;
  o.criterion = choice<Criterion>(d, "criterion", 5);
  o.selection = choice<Selection>(d, "selection", 3);
  o.cost_exponent = option<double>(d, "cost_exponent");
  o.nominal = choice<NominalSplit>(d, "nominal", 2);
  o.subset_limit = option<int>(d, "subset_limit");
  o.data_value_threshold = option<bool>(d, "data_value_threshold");
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
  o.min_samples_leaf = option<int64_t>(d, "min_samples_leaf");
  o.min_weight_leaf = option<double>(d, "min_weight_leaf");
  o.min_gain = option<double>(d, "min_gain");
  o.min_impurity_decrease = option<double>(d, "min_impurity_decrease");
  o.max_depth = option<int64_t>(d, "max_depth");
  o.max_leaf_nodes = option<int64_t>(d, "max_leaf_nodes");
  o.critical = option<std::vector<double>>(d, "critical");
  o.significance = !o.critical.empty();
  o.missing = choice<Missing>(d, "missing", 4);
  o.max_surrogates = option<int>(d, "max_surrogates");
  o.collapse = choice<Collapse>(d, "collapse", 2);
  o.collapse_tolerance = option<double>(d, "collapse_tolerance");
  o.max_bins = option<int>(d, "max_bins");
  o.class_multipliers = option<std::vector<double>>(d, "class_multipliers");
  o.cost_matrix = option<std::vector<double>>(d, "cost_matrix");
  o.attribute_costs = option<std::vector<double>>(d, "attribute_costs");
  o.n_threads = option<int>(d, "n_threads");
  o.switches = option<uint32_t>(d, "switches");
  return o;
}

void check_options(const Options& o, const Dataset& data) {
  auto need = [](bool fine, const char* message) {
    if (!fine) throw std::invalid_argument(message);
  };
  size_t k = static_cast<size_t>(data.n_classes), columns = data.columns.size();
  need(o.regression() == (data.n_classes == 0), "the criterion does not fit the target");
  need(o.attribute_costs.size() == columns, "attribute_costs needs one number a column");
  need(o.class_multipliers.empty() || o.class_multipliers.size() == k, "class_multipliers needs one number a class");
  need(o.cost_matrix.empty() || o.cost_matrix.size() == k * k, "cost_matrix needs classes x classes numbers");
  need(o.subset_limit >= 1 && o.subset_limit <= 20, "subset_limit must be between 1 and 20");
  need(o.max_bins >= 0 && o.max_bins <= static_cast<int>(MOST_CODES) + 1, "max_bins must be between 2 and 255");
  need(o.n_threads >= 1 && o.n_threads <= 1024, "n_threads must be between 1 and 1024");
  need(o.missing != Missing::surrogate || o.nominal == NominalSplit::subset, "surrogates need binary splits");
  need(!o.regression() || (o.nominal != NominalSplit::grouped && o.selection == Selection::gain && !o.significance &&
                           o.missing != Missing::class_most_common),
       "grouped values, ratios, cost measures, significance and class_most_common need classes");
}

template <typename T>
bool any_infinite(const T* x, u32 n) {
  u32 count = 0;
  for (u32 i = 0; i < n; ++i) count += std::abs(x[i]) == std::numeric_limits<T>::infinity();
  return count > 0;
}

// The columns' arrays are kept alive by the caller's list.
Column read_column(nb::handle item, int32_t n_values, u32 n_rows, size_t index) {
  Column column;
  auto take = [&](auto array, ColumnKind kind) {
    if (array.shape(0) != n_rows)
      throw std::invalid_argument("column " + std::to_string(index) + " has another length than the target");
    column.kind = kind;
    column.data = array.data();
  };
  nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu> as64;
  nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu> as32;
  nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> as_codes;
  if (nb::try_cast(item, as64, false)) {
    take(as64, ColumnKind::number64);
  } else if (nb::try_cast(item, as32, false)) {
    take(as32, ColumnKind::number32);
  } else if (nb::try_cast(item, as_codes, false)) {
    take(as_codes, ColumnKind::nominal);
    if (n_values < 0)
      throw std::invalid_argument("column " + std::to_string(index) + " has a negative number of values");
    column.n_values = n_values;
    for (u32 i = 0; i < n_rows; ++i)
      if (as_codes.data()[i] >= n_values)
        throw std::invalid_argument("column " + std::to_string(index) + " has a code above its declared values");
    return column;
  } else {
    throw std::invalid_argument("column " + std::to_string(index) +
                                " must be a one-dimensional contiguous array of float64, float32 or int32");
  }
  bool infinite =
      column.kind == ColumnKind::number64 ? any_infinite(as64.data(), n_rows) : any_infinite(as32.data(), n_rows);
  if (infinite) throw std::invalid_argument("column " + std::to_string(index) + " holds infinity");
  return column;
}

nb::dict to_dict(TreeArrays&& t) {
  nb::dict d;
  size_t n = t.kind.size(), width = static_cast<size_t>(t.width);
  d["kind"] = to_array(std::move(t.kind));
  d["attribute"] = to_array(std::move(t.attribute));
  d["threshold"] = to_array(std::move(t.threshold));
  d["first_child"] = to_array(std::move(t.first_child));
  d["n_children"] = to_array(std::move(t.n_children));
  d["missing_child"] = to_array(std::move(t.missing_child));
  d["weight"] = to_array(std::move(t.weight));
  d["count"] = to_array(std::move(t.count));
  d["gain"] = to_array(std::move(t.gain));
  d["value"] = to_array(std::move(t.value), {n, width});
  d["group_start"] = to_array(std::move(t.group_start));
  d["group_child"] = to_array(std::move(t.group_child));
  d["surrogate_start"] = to_array(std::move(t.surrogate_start));
  d["surrogate_kind"] = to_array(std::move(t.surrogate_kind));
  d["surrogate_attribute"] = to_array(std::move(t.surrogate_attribute));
  d["surrogate_threshold"] = to_array(std::move(t.surrogate_threshold));
  d["surrogate_low_child"] = to_array(std::move(t.surrogate_low_child));
  d["surrogate_agreement"] = to_array(std::move(t.surrogate_agreement));
  d["surrogate_adjusted"] = to_array(std::move(t.surrogate_adjusted));
  d["surrogate_group_start"] = to_array(std::move(t.surrogate_group_start));
  d["surrogate_group_child"] = to_array(std::move(t.surrogate_group_child));
  return d;
}

using Labels = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void read_target(Dataset& data, nb::handle target, int n_classes) {
  Labels labels;
  Numbers numbers;
  if (n_classes > 0 && nb::try_cast(target, labels, false)) {
    data.n_classes = n_classes;
    data.labels = labels.data();
    if (labels.shape(0) >= (size_t{1} << 31) - 1) throw std::invalid_argument("more than 2,147,483,646 rows");
    data.n_rows = static_cast<u32>(labels.shape(0));
    for (u32 i = 0; i < data.n_rows; ++i)
      if (labels.data()[i] < 0 || labels.data()[i] >= n_classes)
        throw std::invalid_argument("a label is outside the classes");
  } else if (n_classes == 0 && nb::try_cast(target, numbers, false)) {
    data.target = numbers.data();
    if (numbers.shape(0) >= (size_t{1} << 31) - 1) throw std::invalid_argument("more than 2,147,483,646 rows");
    data.n_rows = static_cast<u32>(numbers.shape(0));
    for (u32 i = 0; i < data.n_rows; ++i)
      if (!std::isfinite(numbers.data()[i])) throw std::invalid_argument("the target holds NaN or infinity");
  } else {
    throw std::invalid_argument("the target must be int32 labels (with classes) or float64 numbers (without)");
  }
  if (data.n_rows == 0) throw std::invalid_argument("there are no rows");
}

nb::dict grow_tree(nb::list columns, std::vector<int32_t> n_values, nb::object target, int n_classes,
                   nb::object weights, nb::dict options, nb::object progress) {
  Dataset data;
  if (n_classes < 0 || n_classes > 1'000'000) throw std::invalid_argument("n_classes must be between 0 and 1,000,000");
  read_target(data, target, n_classes);
  if (n_values.size() != nb::len(columns)) throw std::invalid_argument("n_values needs one number a column");
  if (nb::len(columns) == 0) throw std::invalid_argument("there are no columns");
  for (size_t i = 0; i < nb::len(columns); ++i)
    data.columns.push_back(read_column(columns[i], n_values[i], data.n_rows, i));
  if (!weights.is_none()) {
    Numbers given;
    if (!nb::try_cast(weights, given, false) || given.shape(0) != data.n_rows)
      throw std::invalid_argument("weights must be float64, one a row");
    for (u32 i = 0; i < data.n_rows; ++i)
      if (!(given.data()[i] > 0.0) || !std::isfinite(given.data()[i]))
        throw std::invalid_argument("weights must be positive and finite");
    data.weights = given.data();
  }
  Options read = read_options(options);
  check_options(read, data);
  Watch watch;
  watch.poll = [&](u64 done, u64 total, u64 nodes) {
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) return false;
    if (!progress.is_none()) {
      nb::object answer = nb::steal(PyObject_CallFunction(progress.ptr(), "KKK", static_cast<unsigned long long>(done),
                                                          static_cast<unsigned long long>(total),
                                                          static_cast<unsigned long long>(nodes)));
      if (!answer.is_valid()) return false;
    }
    return true;
  };
  TreeArrays tree;
  bool interrupted = false;
  {
    nb::gil_scoped_release release;
    try {
      tree = grow(data, read, watch);
    } catch (const Interrupted&) {
      interrupted = true;
    }
  }
  if (interrupted) {
    if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
  return to_dict(std::move(tree));
}

}  // namespace
}  // namespace quercus

NB_MODULE(_core, m) {
  m.doc() = "The C++ core of Quercus: arrays in, arrays out.";
  m.def("grow", &quercus::grow_tree, nb::arg("columns"), nb::arg("n_values"), nb::arg("target"), nb::arg("n_classes"),
        nb::arg("weights").none(), nb::arg("options"), nb::arg("progress").none(),
        "Grows a tree from encoded columns; returns the tree's arrays by name.");
  m.def("machine_width", &quercus::machine_width, "Vector instructions in use: 0 plain, 1 AVX2, 2 AVX-512.");
  bind_predict(m);
  bind_rules(m);
  bind_prune(m);
  bind_part(m);
  bind_alpha(m);
}
