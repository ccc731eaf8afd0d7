// Binding: what all bindings share: arrays borrowed from Python and checked, arrays handed back, Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "asked_column.h"
#include "memory.h"
#include "routing.h"
#include "running.h"

namespace quercus {

namespace nb = nanobind;

inline void need(bool fine, const std::string& message) {
  if (!fine) throw std::invalid_argument(message);
}

constexpr int64_t most_rows = 2'147'483'646;  // where rows are numbered in 32 bits
constexpr int64_t most_classes = 1'000'000;
constexpr double most_cost = 1e100;  // sums of costs times weights stay finite

inline void need_rows(int64_t n_rows) {
  need(n_rows >= 0 && n_rows <= most_rows, "n_rows must be 0 to 2,147,483,646; got " + std::to_string(n_rows) + ".");
}
inline void need_classes(int64_t n_classes, int64_t least = 1) {
  need(n_classes >= least && n_classes <= most_classes,
       "n_classes must be " + std::to_string(least) + " to 1,000,000; got " + std::to_string(n_classes) + ".");
}
inline void need_threads(int n_threads) {
  need(n_threads >= 1 && n_threads <= 1024,
       "n_threads must be between 1 and 1024; got " + std::to_string(n_threads) + ".");
}
inline void need_finite(double number, const char* name) {
  need(std::isfinite(number), std::string(name) + " must be a finite number; got " + std::to_string(number) + ".");
}
// Numbers that are costs or factors.
inline void need_costs(const double* numbers, size_t n, const char* name) {
  for (size_t i = 0; i < n; ++i)
    need(numbers[i] >= 0.0 && numbers[i] <= most_cost, std::string(name) + " must be numbers from 0 to 1e100; entry " +
                                                           std::to_string(i) + " is " + std::to_string(numbers[i]) +
                                                           ".");
}
inline void need_costs(const std::vector<double>& numbers, const char* name) {
  need_costs(numbers.data(), numbers.size(), name);
}

// How many numbers an array of this shape holds; the sizes are checked before they are multiplied.
inline size_t cells(int64_t length, int64_t width) {
  constexpr int64_t most = int64_t{1} << 44;
  need(length >= 0 && width >= 0 && length <= most && (width == 0 || length <= most / width),
       "an array of " + std::to_string(length) + " x " + std::to_string(width) + " numbers is too large.");
  return static_cast<size_t>(length) * static_cast<size_t>(width);
}

template <class T>
using Array = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

template <class T>
constexpr const char* name_of() {
  if constexpr (std::is_same_v<T, double>) return "float64";
  if constexpr (std::is_same_v<T, float>) return "float32";
  if constexpr (std::is_same_v<T, int64_t>) return "int64";
  if constexpr (std::is_same_v<T, int32_t>) return "int32";
  return "uint8";
}

// The description of an argument for a message: "a float64 array of shape (3, 2)" or the name of its type.
inline std::string described(nb::handle argument) {
  std::string type = nb::cast<std::string>(nb::str(argument.type().attr("__name__")));
  if (!nb::hasattr(argument, "dtype") || !nb::hasattr(argument, "shape")) return "an object of type " + type;
  return "a " + nb::cast<std::string>(nb::str(nb::handle(argument.attr("dtype")))) + " " + type + " of shape " +
         nb::cast<std::string>(nb::str(nb::handle(argument.attr("shape"))));
}

// A borrowed matrix of numbers of any layout, with a column for each attribute; no data: there is none.
struct Matrix {
  const std::byte* data = nullptr;
  int64_t width = 0, along = 0, down = 0;  // bytes from column to column and from row to row
  ColumnKind kind = ColumnKind::number64;

  AskedColumn column(int64_t attribute) const { return {data + attribute * along, down, kind}; }
};

// Borrowed arrays of one call; they stay alive, and in place, as long as this does.
class Arguments {
 public:
  // The numbers of an array of exactly this type, or null. length −1: any; width 0: one dimension, −1: two, of any
  // width.
  template <class T>
  const T* find(nb::handle argument, int64_t length, int64_t width = 0) {
    Array<T> array;
    if (!nb::try_cast(argument, array, false) || array.ndim() != (width == 0 ? 1 : 2)) return nullptr;
    if (length >= 0 && static_cast<int64_t>(array.shape(0)) != length) return nullptr;
    length_ = static_cast<int64_t>(array.shape(0));
    width_ = width == 0 ? 0 : static_cast<int64_t>(array.shape(1));
    static const T nothing{};  // an empty array may have no memory
    const T* data = array.data() ? array.data() : &nothing;
    alive_.emplace_back(array);
    return data;
  }
  // The same, or an error that says what the array called `name` must be.
  template <class T>
  const T* read(nb::handle argument, const char* group, const char* name, int64_t length, int64_t width = 0) {
    if (const T* numbers = find<T>(argument, length, width)) return numbers;
    std::string requirement = std::string(group) + name + " must be a C-contiguous " + name_of<T>() + " array of " +
                              (width == 0 ? "one dimension" : "two dimensions");
    if (length >= 0) requirement += ", length " + std::to_string(length);
    throw std::invalid_argument(requirement + "; got " + described(argument) + ".");
  }
  // A float32 or float64 matrix of so many rows and columns (−1: any); without data if the argument is no such array.
  Matrix read_matrix(nb::handle argument, int64_t n_rows, int64_t width) {
    Matrix matrix = find_matrix<float>(argument, n_rows, width, ColumnKind::number32);
    return matrix.data ? matrix : find_matrix<double>(argument, n_rows, width, ColumnKind::number64);
  }
  int64_t length() const { return length_; }  // of the array that was read last
  int64_t width() const { return width_; }

 private:
  template <class Number>
  Matrix find_matrix(nb::handle argument, int64_t n_rows, int64_t width, ColumnKind kind) {
    nb::ndarray<const Number, nb::ndim<2>, nb::device::cpu> array;
    if (!nb::try_cast(argument, array, false) || array.data() == nullptr) return {};
    auto rows = static_cast<int64_t>(array.shape(0)), columns = static_cast<int64_t>(array.shape(1));
    if (rows != n_rows || (width >= 0 && columns != width)) return {};
    if (reinterpret_cast<uintptr_t>(array.data()) % alignof(Number) != 0) return {};
    alive_.emplace_back(array);
    constexpr int64_t size = sizeof(Number);
    return {reinterpret_cast<const std::byte*>(array.data()), columns, array.stride(1) * size, array.stride(0) * size,
            kind};
  }

  std::vector<nb::ndarray<nb::ro>> alive_;
  int64_t length_ = 0, width_ = 0;
};

inline constexpr const char* tree_names[] = {"kind",
                                             "attribute",
                                             "threshold",
                                             "first_child",
                                             "n_children",
                                             "missing_child",
                                             "weight",
                                             "group_start",
                                             "group_value",
                                             "group_child",
                                             "surrogate_start",
                                             "surrogate_kind",
                                             "surrogate_attribute",
                                             "surrogate_threshold",
                                             "surrogate_low_child",
                                             "surrogate_group_start",
                                             "surrogate_group_value",
                                             "surrogate_group_child"};
inline constexpr size_t n_tree_names = std::size(tree_names);

// The tree's arrays, in the order of tree_names.
inline TreeView read_tree(const nb::tuple& arrays, Arguments& arguments) {
  TreeView tree;
  if (nb::len(arrays) != n_tree_names)
    throw std::invalid_argument("a tree is given as " + std::to_string(n_tree_names) + " arrays; got " +
                                std::to_string(nb::len(arrays)) + ".");
  size_t at = 0;
  auto read = [&]<class T>(const T*& to, int64_t length) {
    to = arguments.read<T>(arrays[at], "tree array ", tree_names[at], length);
    ++at;
    return arguments.length();
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
  tree.n_groups = read(tree.group_value, -1);
  read(tree.group_child, tree.n_groups);
  read(tree.surrogate_start, n + 1);
  int64_t s = tree.n_surrogates = read(tree.surrogate_kind, -1);
  read(tree.surrogate_attribute, s);
  read(tree.surrogate_threshold, s);
  read(tree.surrogate_low_child, s);
  read(tree.surrogate_group_start, s + 1);
  tree.n_surrogate_groups = read(tree.surrogate_group_value, -1);
  read(tree.surrogate_group_child, tree.n_surrogate_groups);
  return tree;
}

// A column of codes, or of float32 or float64 numbers.
inline Column read_column(nb::handle argument, size_t attribute, bool codes, int64_t n_rows, Arguments& arguments) {
  std::string name = std::to_string(attribute);
  if (codes) return {ColumnKind::nominal, arguments.read<int32_t>(argument, "column ", name.c_str(), n_rows), 0};
  if (const auto* narrow = arguments.find<float>(argument, n_rows)) return {ColumnKind::number32, narrow, 0};
  return {ColumnKind::number64, arguments.read<double>(argument, "column ", name.c_str(), n_rows), 0};
}

inline const int32_t* read_labels(nb::handle argument, int64_t n_rows, int n_classes, Arguments& arguments) {
  need_classes(n_classes);
  const auto* labels = arguments.read<int32_t>(argument, "", "labels", n_rows);
  for (int64_t r = 0; r < n_rows; ++r)
    if (labels[r] < 0 || labels[r] >= n_classes)
      throw std::invalid_argument("labels must be 0 to n_classes - 1 = " + std::to_string(n_classes - 1) + "; row " +
                                  std::to_string(r) + " has " + std::to_string(labels[r]) + ".");
  return labels;
}

inline const double* read_weights(nb::handle argument, int64_t n_rows, Arguments& arguments) {
  if (argument.is_none()) return nullptr;
  const auto* weights = arguments.read<double>(argument, "", "weights", n_rows);
  for (int64_t r = 0; r < n_rows; ++r)
    if (!(weights[r] >= 0.0) || std::isinf(weights[r]))
      throw std::invalid_argument("weights must be finite numbers, 0 or more; row " + std::to_string(r) + " has " +
                                  std::to_string(weights[r]) + ".");
  return weights;
}

// Whether Ctrl-C was pressed, looked up about twenty times a second; for the thread that came from Python only.
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

// "3 rows and 2 columns"
inline std::string sized(int64_t n_rows, size_t n_columns) {
  return std::to_string(n_rows) + " rows and " + std::to_string(n_columns) + " columns";
}

// Runs work(running) without the interpreter's lock.
template <class Work>
void run(int n_threads, Work&& work) {
  need_threads(n_threads);
  try {
    nb::gil_scoped_release free;
    work(Running{n_threads, CtrlC{}});
  } catch (const Interrupted&) {
    throw nb::python_error();
  }
}

// A new array of these numbers that Python then owns; with a width, of that many columns.
template <class T, class Allocator>
nb::ndarray<nb::numpy, T> array_of(std::vector<T, Allocator>&& numbers, size_t width = 0) {
  using Vector = std::vector<T, Allocator>;
  auto owned = std::make_unique<Vector>(std::move(numbers));
  Vector* content = owned.get();
  nb::capsule owner(content, [](void* p) noexcept { delete static_cast<Vector*>(p); });
  owned.release();
  if (width == 0) return nb::ndarray<nb::numpy, T>(content->data(), {content->size()}, owner);
  return nb::ndarray<nb::numpy, T>(content->data(), {content->size() / width, width}, owner);
}

}  // namespace quercus
