// Bindings of prediction: arrays in, checked before use; arrays out. No state is kept between calls.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "binding.h"
#include "check_tree.h"

namespace nb = nanobind;

namespace {

using namespace quercus;

// The tree and the rows of one call. Nothing is routed before it is proven sound.
class Call {
 public:
  TreeView tree;
  Rows rows;
  Arguments arguments;

  Call(const nb::tuple& arrays, const nb::tuple& columns, int64_t n_rows, int n_threads) : columns_(columns) {
    need_threads(n_threads);
    if (n_rows < 0) throw std::invalid_argument("n_rows must be 0 or more; got " + std::to_string(n_rows) + ".");
    cells(n_rows, 1);
    rows.n_rows = n_rows;
    rows.columns.resize(nb::len(columns));
    tree = read_tree(arrays, arguments);
  }

  // Checks the whole tree and reads the columns that it asks for; others are not looked at.
  void check() {
    std::vector<uint8_t> readings = check_tree(tree, static_cast<int64_t>(rows.columns.size()));
    for (size_t a = 0; a < readings.size(); ++a) {
      if (readings[a] == 0) continue;
      read_column(a, reads_codes(readings[a]));
      if (readings[a] & (number_test | code_test)) rows.tested.push_back(static_cast<int32_t>(a));
    }
  }

  // Few rows through a big tree: their leaves, checking only what lies on their way. False if there are too many rows,
  // or one meets an unknown value or an unsound node; then the whole tree is to be checked.
  bool few_leaves(std::vector<int32_t>& ends) {
    if (rows.n_rows > tree.n_nodes / 16) return false;
    for (int64_t row = 0; row < rows.n_rows; ++row) {
      int32_t node = 0;
      for (;;) {
        if (!sound(tree, node, static_cast<int64_t>(rows.columns.size()))) return false;
        if (tree.leaf(node)) break;
        int32_t child = sound_branch(node, row);
        if (child < 0 || child >= tree.n_children[node]) return false;
        node = tree.first_child[node] + child;
      }
      ends.push_back(node);
    }
    return true;
  }

 private:
  int32_t sound_branch(int32_t node, int64_t row) {
    const KindTraits& traits_of_node = traits(tree.split(node));
    if (traits_of_node.reads_several) return no_branch;
    if (traits_of_node.has_groups && (tree.group_start[node] < 0 || tree.group_start[node + 1] > tree.n_groups))
      return no_branch;
    auto attribute = static_cast<size_t>(tree.attribute[node]);
    bool codes = !traits_of_node.asks_numbers;
    if (rows.columns[attribute].data == nullptr) read_column(attribute, codes);
    if (rows.columns[attribute].nominal() != codes) return no_branch;
    return branch_of_value(tree, rows, node, row);
  }

  void read_column(size_t attribute, bool codes) {
    rows.columns[attribute] = quercus::read_column(columns_[attribute], attribute, codes, rows.n_rows, arguments);
  }

  const nb::tuple& columns_;
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

auto bound_predict_values(const nb::tuple& tree, const nb::tuple& columns, int64_t n_rows, nb::handle node_values,
                          int n_threads) {
  Call call(tree, columns, n_rows, n_threads);
  const auto* values = call.arguments.read<double>(node_values, "", "node_values", call.tree.n_nodes, -1);
  int64_t width = call.arguments.width();
  auto out = room<double>(n_rows, width);
  std::vector<int32_t> leaves;
  if (call.few_leaves(leaves)) {
    for (size_t r = 0; r < leaves.size(); ++r)
      std::copy_n(values + leaves[r] * width, width, out.get() + static_cast<int64_t>(r) * width);
  } else {
    call.check();
    run(n_threads,
        [&](const Running& running) { predict_values(call.tree, call.rows, values, width, running, out.get()); });
  }
  return array_around(std::move(out), {static_cast<size_t>(n_rows), static_cast<size_t>(width)});
}

auto bound_find_leaves(const nb::tuple& tree, const nb::tuple& columns, int64_t n_rows, int n_threads) {
  Call call(tree, columns, n_rows, n_threads);
  auto out = room<int64_t>(n_rows);
  std::vector<int32_t> leaves;
  if (call.few_leaves(leaves)) {
    std::copy(leaves.begin(), leaves.end(), out.get());
  } else {
    call.check();
    run(n_threads, [&](const Running& running) { find_leaves(call.tree, call.rows, running, out.get()); });
  }
  return array_around(std::move(out), {static_cast<size_t>(n_rows)});
}

nb::tuple bound_find_paths(const nb::tuple& tree, const nb::tuple& columns, int64_t n_rows, bool with_weights,
                           int n_threads) {
  Call call(tree, columns, n_rows, n_threads);
  call.check();
  Paths paths;
  run(n_threads, [&](const Running& running) { paths = find_paths(call.tree, call.rows, with_weights, running); });
  return nb::make_tuple(array_of(std::move(paths.starts)), array_of(std::move(paths.nodes)),
                        array_of(std::move(paths.weights)));
}

auto bound_expected_test_costs(const nb::tuple& tree, const nb::tuple& columns, int64_t n_rows,
                               nb::handle attribute_costs, int n_threads) {
  Call call(tree, columns, n_rows, n_threads);
  call.check();
  const auto* costs = call.arguments.read<double>(attribute_costs, "", "attribute_costs",
                                                  static_cast<int64_t>(call.rows.columns.size()));
  auto out = room<double>(n_rows);
  run(n_threads, [&](const Running& running) { expected_test_costs(call.tree, call.rows, costs, running, out.get()); });
  return array_around(std::move(out), {static_cast<size_t>(n_rows)});
}

template <class Tally>
auto tallied(Call& call, const Tally& tally, const double* weights, int n_threads) {
  std::unique_ptr<double[]> out(new double[cells(call.tree.n_nodes, tally.width)]());
  run(n_threads, [&](const Running& running) { tally_rows(call.tree, call.rows, tally, weights, running, out.get()); });
  return array_around(std::move(out), {static_cast<size_t>(call.tree.n_nodes), static_cast<size_t>(tally.width)});
}

auto bound_tally_classes(const nb::tuple& tree, const nb::tuple& columns, int64_t n_rows, nb::handle labels,
                         int n_classes, nb::handle weights, int n_threads) {
  Call call(tree, columns, n_rows, n_threads);
  call.check();
  const int32_t* codes = read_labels(labels, n_rows, n_classes, call.arguments);
  return tallied(call, ClassTally{n_classes, codes}, read_weights(weights, n_rows, call.arguments), n_threads);
}

auto bound_tally_numbers(const nb::tuple& tree, const nb::tuple& columns, int64_t n_rows, nb::handle target,
                         nb::handle weights, int n_threads) {
  Call call(tree, columns, n_rows, n_threads);
  call.check();
  const auto* numbers = call.arguments.read<double>(target, "", "target", n_rows);
  for (int64_t r = 0; r < n_rows; ++r)
    if (!std::isfinite(numbers[r]))
      throw std::invalid_argument("target must be finite numbers; row " + std::to_string(r) + " has " +
                                  std::to_string(numbers[r]) + ".");
  return tallied(call, NumberTally{numbers}, read_weights(weights, n_rows, call.arguments), n_threads);
}

}  // namespace

void bind_predict(nb::module_& m) {
  nb::tuple names = nb::steal<nb::tuple>(PyTuple_New(static_cast<Py_ssize_t>(n_tree_names)));
  for (size_t i = 0; i < n_tree_names; ++i)
    PyTuple_SET_ITEM(names.ptr(), static_cast<Py_ssize_t>(i), PyUnicode_FromString(tree_names[i]));
  m.attr("predict_arrays") = names;
  m.def("predict_values", &bound_predict_values, nb::arg("tree"), nb::arg("columns"), nb::arg("n_rows"),
        nb::arg("node_values"), nb::arg("n_threads") = 1,
        "float64 [n_rows, width]: the values of the nodes where each row ends, weighted by its parts.");
  m.def("find_leaves", &bound_find_leaves, nb::arg("tree"), nb::arg("columns"), nb::arg("n_rows"),
        nb::arg("n_threads") = 1, "int64 [n_rows]: the leaf that holds most of each row.");
  m.def("find_paths", &bound_find_paths, nb::arg("tree"), nb::arg("columns"), nb::arg("n_rows"),
        nb::arg("with_weights") = false, nb::arg("n_threads") = 1,
        "(starts, nodes, weights): the nodes that each row reaches.");
  m.def("expected_test_costs", &bound_expected_test_costs, nb::arg("tree"), nb::arg("columns"), nb::arg("n_rows"),
        nb::arg("attribute_costs"), nb::arg("n_threads") = 1,
        "float64 [n_rows]: the expected cost of the tests that each row is put to.");
  m.def("tally_classes", &bound_tally_classes, nb::arg("tree"), nb::arg("columns"), nb::arg("n_rows"),
        nb::arg("labels"), nb::arg("n_classes"), nb::arg("weights").none(), nb::arg("n_threads") = 1,
        "float64 [n_nodes, n_classes]: the class weights of the rows that reach each node.");
  m.def("tally_numbers", &bound_tally_numbers, nb::arg("tree"), nb::arg("columns"), nb::arg("n_rows"),
        nb::arg("target"), nb::arg("weights").none(), nb::arg("n_threads") = 1,
        "float64 [n_nodes, 3]: weight, mean and summed squared deviation of the rows that reach each node.");
}
