// Binding of rows: the table of a call, read for a tree; and new arrays for what is found.
#pragma once

#include <initializer_list>
#include <memory>
#include <utility>

#include "binding.h"
#include "compact_tree.h"

namespace quercus {

// The rows of one call: a tuple with a column for each attribute, of which those that the tree does not ask are not
// looked at; or a matrix of numbers with a column for each attribute, in any layout.
class Call {
 public:
  AskedRows rows;
  Arguments arguments;

  Call(const CompactTree& tree, nb::handle table, int64_t n_rows, int n_threads) {
    need_threads(n_threads);
    if (n_rows < 0) throw std::invalid_argument("n_rows must be 0 or more; got " + std::to_string(n_rows) + ".");
    cells(n_rows, 1);
    rows.n_rows = n_rows;
    rows.columns.reserve(tree.asked().size());
    if (nb::isinstance<nb::tuple>(table)) {
      read_columns(tree, nb::borrow<nb::tuple>(table));
      return;
    }
    Matrix matrix = arguments.read_matrix(table, n_rows, tree.n_attributes());
    if (matrix.data && tree.has_codes())
      throw std::invalid_argument("the tree asks codes, which a matrix of numbers does not hold.");
    rows.one_matrix = matrix.data != nullptr;
    if (rows.one_matrix) {
      for (const AskedAttribute& one : tree.asked()) rows.columns.push_back(matrix.column(one.attribute));
      return;
    }
    throw std::invalid_argument("columns must be a tuple of arrays, or an aligned float32 or float64 array of " +
                                std::to_string(n_rows) + " rows and " + std::to_string(tree.n_attributes()) +
                                " columns; got " + described(table) + ".");
  }

 private:
  void read_columns(const CompactTree& tree, const nb::tuple& columns) {
    if (static_cast<int64_t>(nb::len(columns)) != tree.n_attributes())
      throw std::invalid_argument("the tree was made for " + std::to_string(tree.n_attributes()) + " columns; got " +
                                  std::to_string(nb::len(columns)) + ".");
    for (const AskedAttribute& one : tree.asked()) {
      auto attribute = static_cast<size_t>(one.attribute);
      rows.columns.push_back(
          asked_column(read_column(columns[attribute], attribute, one.codes, rows.n_rows, arguments)));
    }
  }
};

// A new array of this shape around numbers that Python then owns.
template <class T>
nb::ndarray<nb::numpy, T> array_around(std::unique_ptr<T[]> numbers, std::initializer_list<size_t> shape) {
  T* data = numbers.release();
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return nb::ndarray<nb::numpy, T>(data, shape, owner);
}

template <class T>
std::unique_ptr<T[]> room(int64_t length, int64_t width = 1) {
  return std::make_unique_for_overwrite<T[]>(cells(length, width));
}

}  // namespace quercus
