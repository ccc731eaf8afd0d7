// Bindings of error-based pruning: arrays in, checked before use; arrays out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "check_tree.h"
#include "error_based.h"

namespace nb = nanobind;

namespace {

using namespace quercus;

// Borrowed arrays of one call; they stay alive, and in place, as long as this does.
class Borrowed {
 public:
  // The numbers of an array of exactly this type and length (-1: any), or null.
  template <class T>
  const T* find(nb::handle given, int64_t length) {
    nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu> array;
    if (!nb::try_cast(given, array, false)) return nullptr;
    if (length >= 0 && static_cast<int64_t>(array.shape(0)) != length) return nullptr;
    length_ = static_cast<int64_t>(array.shape(0));
    static const T nothing{};  // an empty array may have no memory
    const T* data = array.data() ? array.data() : &nothing;
    kept_.emplace_back(array);
    return data;
  }
  template <class T>
  const T* read(nb::handle given, const std::string& name, int64_t length) {
    if (const T* numbers = find<T>(given, length)) return numbers;
    throw std::invalid_argument(name + " must be a C-contiguous array of one dimension and the core's type" +
                                (length >= 0 ? ", of length " + std::to_string(length) : std::string()) + ".");
  }
  int64_t length() const { return length_; }  // of the array found last

 private:
  std::vector<nb::ndarray<nb::ro>> kept_;
  int64_t length_ = 0;
};

// The tree's arrays in the order of `predict_arrays`.
TreeView read_tree(const nb::tuple& arrays, Borrowed& borrowed) {
  TreeView tree;
  constexpr size_t n_arrays = 16;
  if (nb::len(arrays) != n_arrays)
    throw std::invalid_argument("a tree is given as 16 arrays; got " + std::to_string(nb::len(arrays)) + ".");
  size_t at = 0;
  auto read = [&]<class T>(const T*& to, int64_t length) {
    to = borrowed.read<T>(arrays[at], "tree array " + std::to_string(at), length);
    ++at;
    return borrowed.length();
  };
  int64_t n = tree.n_nodes = read(tree.kind, -1);
  if (n < 1) throw std::invalid_argument("tree array kind is empty: a tree has at least its root.");
  read(tree.attribute, n);
  read(tree.threshold, n);
  read(tree.first_child, n);
  read(tree.n_children, n);
  read(tree.missing_child, n);
  read(tree.weight, n);
  read(tree.group_start, n + 1);
  tree.n_groups = read(tree.group_child, -1);
  read(tree.surrogate_start, n + 1);
  int64_t s = tree.n_surrogates = read(tree.surrogate_kind, -1);
  read(tree.surrogate_attribute, s);
  read(tree.surrogate_threshold, s);
  read(tree.surrogate_low_child, s);
  read(tree.surrogate_group_start, s + 1);
  tree.n_surrogate_groups = read(tree.surrogate_group_child, -1);
  return tree;
}

// The columns that the tree asks for, after the tree has been proven sound; others are not looked at.
Rows read_rows(const TreeView& tree, const nb::tuple& columns, int64_t n_rows, Borrowed& borrowed) {
  Rows rows;
  if (n_rows < 0 || n_rows >= (int64_t{1} << 31) - 1)
    throw std::invalid_argument("n_rows must be 0 to 2,147,483,646; got " + std::to_string(n_rows) + ".");
  rows.n_rows = n_rows;
  rows.columns.resize(nb::len(columns));
  std::vector<uint8_t> readings = check_tree(tree, static_cast<int64_t>(rows.columns.size()));
  for (size_t a = 0; a < readings.size(); ++a) {
    if (readings[a] == 0) continue;
    std::string name = "column " + std::to_string(a);
    if (reads_codes(readings[a])) {
      rows.columns[a] = {ColumnKind::nominal, borrowed.read<int32_t>(columns[a], name, n_rows), 0};
    } else if (const auto* narrow = borrowed.find<float>(columns[a], n_rows)) {
      rows.columns[a] = {ColumnKind::number32, narrow, 0};
    } else {
      rows.columns[a] = {ColumnKind::number64, borrowed.read<double>(columns[a], name, n_rows), 0};
    }
    if (readings[a] & (number_test | code_test)) rows.tested.push_back(static_cast<int32_t>(a));
  }
  return rows;
}

const int32_t* read_labels(nb::handle given, int64_t n_rows, int n_classes, Borrowed& borrowed) {
  if (n_classes < 1) throw std::invalid_argument("n_classes must be 1 or more; got " + std::to_string(n_classes) + ".");
  const auto* labels = borrowed.read<int32_t>(given, "labels", n_rows);
  for (int64_t r = 0; r < n_rows; ++r)
    if (labels[r] < 0 || labels[r] >= n_classes)
      throw std::invalid_argument("labels must be 0 to n_classes - 1 = " + std::to_string(n_classes - 1) + "; row " +
                                  std::to_string(r) + " has " + std::to_string(labels[r]) + ".");
  return labels;
}

const double* read_weights(nb::handle given, int64_t n_rows, Borrowed& borrowed) {
  if (given.is_none()) return nullptr;
  const auto* weights = borrowed.read<double>(given, "weights", n_rows);
  for (int64_t r = 0; r < n_rows; ++r)
    if (!(weights[r] >= 0.0) || std::isinf(weights[r]))
      throw std::invalid_argument("weights must be finite numbers, 0 or more; row " + std::to_string(r) + " has " +
                                  std::to_string(weights[r]) + ".");
  return weights;
}

// Whether Ctrl-C was pressed, looked up about twenty times a second.
class CtrlC {
 public:
  bool operator()() {
    auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return false;
    last_ = now;
    nb::gil_scoped_acquire gil;
    return PyErr_CheckSignals() != 0;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

template <class T>
nb::object array_of(std::vector<T>&& numbers, size_t width = 0) {
  auto kept = std::make_unique<std::vector<T>>(std::move(numbers));
  std::vector<T>* held = kept.get();
  nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  kept.release();
  if (width == 0) return nb::cast(nb::ndarray<nb::numpy, T>(held->data(), {held->size()}, owner));
  return nb::cast(nb::ndarray<nb::numpy, T>(held->data(), {held->size() / width, width}, owner));
}

nb::dict to_dict(ErrorBasedResult&& result, size_t width) {
  std::vector<int32_t> nodes;
  std::vector<uint8_t> actions;
  std::vector<double> figures;
  for (const ErrorBasedRemoval& removal : result.removals) {
    nodes.push_back(removal.node);
    actions.push_back(static_cast<uint8_t>(removal.action));
    figures.insert(figures.end(), {removal.cases, removal.leaf, removal.subtree, removal.branch});
  }
  nb::dict d;
  d["source"] = array_of(std::move(result.source));
  d["first_child"] = array_of(std::move(result.first_child));
  d["leaf"] = array_of(std::move(result.leaf));
  d["count"] = array_of(std::move(result.count));
  d["value"] = array_of(std::move(result.value), width);
  d["estimate"] = result.estimate;
  d["removed"] = array_of(std::move(nodes));
  d["action"] = array_of(std::move(actions));
  d["figures"] = array_of(std::move(figures), 4);
  return d;
}

nb::dict bound_prune_error_based(const nb::tuple& arrays, const nb::tuple& columns, int64_t n_rows, nb::handle labels,
                                 int n_classes, nb::handle weights, double confidence, double deviate, double top_share,
                                 bool never_negative, bool raising, double tolerance) {
  if (!(confidence > 0.0 && confidence <= 1.0) || !(deviate >= 0.0) || std::isinf(deviate))
    throw std::invalid_argument("confidence must be above 0 and at most 1, deviate 0 or more.");
  Borrowed borrowed;
  TreeView tree = read_tree(arrays, borrowed);
  Rows rows = read_rows(tree, columns, n_rows, borrowed);
  const int32_t* codes = read_labels(labels, n_rows, n_classes, borrowed);
  const double* given = read_weights(weights, n_rows, borrowed);
  ErrorBasedOptions options;
  options.estimate = {confidence, deviate, top_share, never_negative};
  options.raising = raising;
  options.tolerance = tolerance;
  ErrorBasedResult result;
  try {
    nb::gil_scoped_release free;
    result = ErrorBasedPruner(tree, rows, codes, n_classes, given, options).prune(Running{1, CtrlC{}});
  } catch (const Interrupted&) {
    throw nb::python_error();
  }
  return to_dict(std::move(result), static_cast<size_t>(n_classes));
}

}  // namespace

void bind_prune(nb::module_& m) {
  m.def("prune_error_based", &bound_prune_error_based, nb::arg("tree"), nb::arg("columns"), nb::arg("n_rows"),
        nb::arg("labels"), nb::arg("n_classes"), nb::arg("weights").none(), nb::arg("confidence"), nb::arg("deviate"),
        nb::arg("top_share"), nb::arg("never_negative"), nb::arg("raising"), nb::arg("tolerance"),
        "Prunes a tree by pessimistic errors; returns the new tree's nodes and what was removed.");
}
