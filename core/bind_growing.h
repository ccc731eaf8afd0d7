// Bindings of growing: reading a dataset to learn from, and running what is watched by a progress callback.
#pragma once

#include "binding.h"
#include "grow.h"

namespace quercus {

template <typename T>
bool any_infinite(const T* x, u32 n) {
  u32 count = 0;
  for (u32 i = 0; i < n; ++i) count += std::abs(x[i]) == std::numeric_limits<T>::infinity();
  return count > 0;
}

// A sparse column: a pair of arrays, rows (int32, rising) and their numbers (float64 or float32); other rows hold 0.
inline Column read_sparse_column(const nb::tuple& pair, u32 n_rows, size_t index) {
  std::string name = "sparse column " + std::to_string(index);
  nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> rows;
  nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu> as64;
  nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu> as32;
  if (nb::len(pair) != 2 || !nb::try_cast(pair[0], rows, false))
    throw std::invalid_argument(name + " must be a pair of arrays: int32 rows and their numbers");
  Column column;
  bool wide = nb::try_cast(pair[1], as64, false);
  if (!wide && !nb::try_cast(pair[1], as32, false))
    throw std::invalid_argument(name + " must have numbers of float64 or float32");
  size_t n = wide ? as64.shape(0) : as32.shape(0);
  if (n != rows.shape(0)) throw std::invalid_argument(name + " has another number of rows than of numbers");
  column.kind = wide ? ColumnKind::sparse64 : ColumnKind::sparse32;
  column.data = wide ? static_cast<const void*>(as64.data()) : static_cast<const void*>(as32.data());
  column.rows = rows.data();
  int64_t last = -1;
  for (size_t i = 0; i < n; ++i) {
    int64_t row = rows.data()[i];
    if (row <= last || row >= static_cast<int64_t>(n_rows))
      throw std::invalid_argument(name + " must have rising rows, each below the number of rows");
    last = row;
    if (!std::isfinite(column.cell(i))) throw std::invalid_argument(name + " holds NaN or infinity");
  }
  column.n_cells = static_cast<u32>(n);
  return column;
}

// The columns' arrays are kept alive by the caller's list.
inline Column read_training_column(nb::handle item, int32_t n_values, u32 n_rows, size_t index) {
  Column column;
  auto take = [&](auto array, ColumnKind kind) {
    if (array.shape(0) != n_rows)
      throw std::invalid_argument("column " + std::to_string(index) + " has another length than the target");
    column.kind = kind;
    column.data = array.data();
  };
  if (nb::isinstance<nb::tuple>(item)) return read_sparse_column(nb::cast<nb::tuple>(item), n_rows, index);
  nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu> as64;
  nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu> as32;
  nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> as_codes;
  if (nb::try_cast(item, as64, false)) {
    take(as64, ColumnKind::number64);
  } else if (nb::try_cast(item, as32, false)) {
    take(as32, ColumnKind::number32);
  } else if (nb::try_cast(item, as_codes, false)) {
    take(as_codes, ColumnKind::nominal);
    constexpr int32_t most_values = 1 << 24;
    if (n_values < 0 || n_values > most_values)
      throw std::invalid_argument("column " + std::to_string(index) + " must have 0 to 16,777,216 values; got " +
                                  std::to_string(n_values));
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

using Labels = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline void read_target(Dataset& data, nb::handle target, int n_classes) {
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

// Columns, target and weights of a fit, every number checked. The arrays are kept alive by the caller's arguments.
inline Dataset read_dataset(const nb::list& columns, const std::vector<int32_t>& n_values, nb::handle target,
                            int n_classes, nb::handle weights) {
  Dataset data;
  need_classes(n_classes, 0);
  read_target(data, target, n_classes);
  need(n_values.size() == nb::len(columns), "n_values needs one number per column");
  need(nb::len(columns) > 0, "there are no columns");
  for (size_t i = 0; i < nb::len(columns); ++i)
    data.columns.push_back(read_training_column(columns[i], n_values[i], data.n_rows, i));
  if (weights.is_none()) return data;
  Numbers row_weights;
  need(nb::try_cast(weights, row_weights, false) && row_weights.shape(0) == data.n_rows,
       "weights must be float64, one per row");
  for (u32 i = 0; i < data.n_rows; ++i)
    need(row_weights.data()[i] > 0.0 && std::isfinite(row_weights.data()[i]), "weights must be positive and finite");
  data.weights = row_weights.data();
  return data;
}

// The numeric options that every grower reads must be finite: NaN and infinity cannot be compared in a useful way, and
// a loop might never end.
inline void check_numbers(const Options& o) {
  need_finite(o.cost_exponent, "cost_exponent");
  need_finite(o.threshold_gap, "threshold_gap");
  need_finite(o.gate_tolerance, "gate_tolerance");
  need_finite(o.min_split_info, "min_split_info");
  need_finite(o.wide_share, "wide_share");
  need_finite(o.min_objects, "min_objects");
  need_finite(o.min_weight_leaf, "min_weight_leaf");
  need_finite(o.min_value_weight, "min_value_weight");
  need_finite(o.min_gain, "min_gain");
  need_finite(o.min_impurity_decrease, "min_impurity_decrease");
  need_finite(o.collapse_tolerance, "collapse_tolerance");
  need_costs(o.class_multipliers, "class_multipliers");
  need_costs(o.cost_matrix, "cost_matrix");
  need_costs(o.attribute_costs, "attribute_costs");
}

// Runs work(watch) without the interpreter's lock; Ctrl-C and an exception of the callback stop it.
template <typename Work>
void run_watched(const nb::object& progress, Work work) {
  Watch watch;
  watch.poll = [&](u64 done, u64 total, u64 nodes) {
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) return false;
    if (progress.is_none()) return true;
    using Number = unsigned long long;
    nb::object answer = nb::steal(PyObject_CallFunction(progress.ptr(), "KKK", static_cast<Number>(done),
                                                        static_cast<Number>(total), static_cast<Number>(nodes)));
    return answer.is_valid();
  };
  try {
    nb::gil_scoped_release release;
    work(watch);
    bool ended = !progress.is_none() && !watch.stop.load();  // a stopped call has its exception already
    if (ended && !watch.poll(watch.total, watch.total, watch.nodes.load())) throw Interrupted();
  } catch (const Interrupted&) {
    throw nb::python_error();
  }
}

}  // namespace quercus
