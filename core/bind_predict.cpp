// Bindings of prediction: a tree's arrays are checked once and kept in a compact form of the core's own; then columns
// or a matrix in, checked before use; arrays out.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "bind_rows.h"
#include "predict.h"

namespace nb = nanobind;

namespace {

using namespace quercus;

CompactTree compact_tree(const nb::tuple& arrays, int64_t n_attributes, const std::string& steps) {
  need(n_attributes >= 0 && n_attributes <= most_rows,
       "n_attributes must be 0 to 2,147,483,646; got " + std::to_string(n_attributes) + ".");
  Arguments arguments;
  CompactTree tree(read_tree(arrays, arguments), n_attributes);
  constexpr std::array<const char*, 4> names = {"chosen", "together", "alone", "divided"};
  auto name = std::find(names.begin(), names.end(), steps);
  need(name != names.end(), "steps must be 'chosen', 'together', 'alone' or 'divided'; got '" + steps + "'.");
  tree.steps = static_cast<Steps>(name - names.begin());
  return tree;
}

nb::object bound_predict_values(const CompactTree& tree, nb::handle columns, int64_t n_rows, nb::handle node_values,
                                int n_threads, bool refuse_infinite) {
  Call call(tree, columns, n_rows, n_threads);
  const auto* values = call.arguments.read<double>(node_values, "", "node_values", tree.n_nodes(), -1);
  int64_t width = call.arguments.width();
  auto out = room<double>(n_rows, width);
  bool infinite = false;
  run(n_threads,
      [&](const Running& running) { infinite = predict_values(tree, call.rows, values, width, running, out.get()); });
  if (infinite && refuse_infinite) return nb::none();
  return nb::cast(array_around(std::move(out), {static_cast<size_t>(n_rows), static_cast<size_t>(width)}));
}

nb::object bound_predict_sparse(const CompactTree& tree, nb::handle columns, int64_t n_rows, nb::handle starts,
                                nb::handle places, nb::handle numbers, int64_t width, int n_threads,
                                bool refuse_infinite) {
  need_classes(width);
  Call call(tree, columns, n_rows, n_threads);
  SparseValues values;
  values.places = call.arguments.read<int32_t>(places, "", "places", -1);
  int64_t n = call.arguments.length();
  values.numbers = call.arguments.read<double>(numbers, "", "numbers", n);
  values.starts = call.arguments.read<int64_t>(starts, "", "starts", tree.n_nodes() + 1);
  check_starts("starts", values.starts, tree.n_nodes(), n);
  bool outside = std::any_of(values.places, values.places + n, [=](int32_t j) { return j < 0 || j >= width; });
  need(!outside, "places must be 0 to width - 1.");
  auto out = room<double>(n_rows, width);
  bool infinite = false;
  run(n_threads,
      [&](const Running& running) { infinite = predict_sparse(tree, call.rows, values, width, running, out.get()); });
  if (infinite && refuse_infinite) return nb::none();
  return nb::cast(array_around(std::move(out), {static_cast<size_t>(n_rows), static_cast<size_t>(width)}));
}

nb::object bound_predict_codes(const CompactTree& tree, nb::handle columns, int64_t n_rows, nb::handle node_values,
                               nb::handle node_codes, int n_threads, bool refuse_infinite) {
  Call call(tree, columns, n_rows, n_threads);
  const auto* values = call.arguments.read<double>(node_values, "", "node_values", tree.n_nodes(), -1);
  int64_t width = call.arguments.width();
  const auto* codes = call.arguments.read<int64_t>(node_codes, "", "node_codes", tree.n_nodes());
  auto out = room<int64_t>(n_rows);
  Codes found;
  run(n_threads, [&](const Running& running) {
    found = predict_codes(tree, call.rows, values, width, codes, running, out.get());
  });
  if (found.infinite && refuse_infinite) return nb::none();
  size_t spread = width == 0 ? 0 : found.values.size() / static_cast<size_t>(width);
  auto shares = room<double>(static_cast<int64_t>(spread), width);
  std::copy(found.values.begin(), found.values.end(), shares.get());
  return nb::make_tuple(array_around(std::move(out), {static_cast<size_t>(n_rows)}),
                        array_around(std::move(shares), {spread, static_cast<size_t>(width)}));
}

nb::object bound_find_leaves(const CompactTree& tree, nb::handle columns, int64_t n_rows, int n_threads,
                             bool refuse_infinite) {
  Call call(tree, columns, n_rows, n_threads);
  auto out = room<int64_t>(n_rows);
  bool infinite = false;
  run(n_threads, [&](const Running& running) { infinite = find_leaves(tree, call.rows, running, out.get()); });
  if (infinite && refuse_infinite) return nb::none();
  return nb::cast(array_around(std::move(out), {static_cast<size_t>(n_rows)}));
}

nb::tuple bound_find_paths(const CompactTree& tree, nb::handle columns, int64_t n_rows, bool with_weights,
                           int n_threads) {
  Call call(tree, columns, n_rows, n_threads);
  Paths paths;
  run(n_threads, [&](const Running& running) { paths = find_paths(tree, call.rows, with_weights, running); });
  return nb::make_tuple(array_of(std::move(paths.starts)), array_of(std::move(paths.nodes)),
                        array_of(std::move(paths.weights)));
}

auto bound_expected_test_costs(const CompactTree& tree, nb::handle columns, int64_t n_rows, nb::handle attribute_costs,
                               int n_threads) {
  Call call(tree, columns, n_rows, n_threads);
  const auto* costs = call.arguments.read<double>(attribute_costs, "", "attribute_costs", tree.n_attributes());
  auto out = room<double>(n_rows);
  run(n_threads, [&](const Running& running) { expected_test_costs(tree, call.rows, costs, running, out.get()); });
  return array_around(std::move(out), {static_cast<size_t>(n_rows)});
}

template <class Tally>
auto tallied(const CompactTree& tree, const Call& call, const Tally& tally, const double* weights, int n_threads) {
  std::unique_ptr<double[]> out(new double[cells(tree.n_nodes(), tally.width)]());
  run(n_threads, [&](const Running& running) { tally_rows(tree, call.rows, tally, weights, running, out.get()); });
  return array_around(std::move(out), {static_cast<size_t>(tree.n_nodes()), static_cast<size_t>(tally.width)});
}

auto bound_tally_classes(const CompactTree& tree, nb::handle columns, int64_t n_rows, nb::handle labels, int n_classes,
                         nb::handle weights, int n_threads) {
  Call call(tree, columns, n_rows, n_threads);
  const int32_t* codes = read_labels(labels, n_rows, n_classes, call.arguments);
  const double* each = read_weights(weights, n_rows, call.arguments);
  return tallied(tree, call, ClassTally{n_classes, codes}, each, n_threads);
}

auto bound_tally_numbers(const CompactTree& tree, nb::handle columns, int64_t n_rows, nb::handle target,
                         nb::handle weights, int n_threads) {
  Call call(tree, columns, n_rows, n_threads);
  const auto* numbers = call.arguments.read<double>(target, "", "target", n_rows);
  for (int64_t r = 0; r < n_rows; ++r)
    if (!std::isfinite(numbers[r]))
      throw std::invalid_argument("target must be finite numbers; row " + std::to_string(r) + " has " +
                                  std::to_string(numbers[r]) + ".");
  return tallied(tree, call, NumberTally{numbers}, read_weights(weights, n_rows, call.arguments), n_threads);
}

// The first column of each row whose score is the largest, or less than that by `tolerance` at most.
auto bound_first_largest(nb::handle scores, double tolerance) {
  Arguments arguments;
  const auto* from = arguments.read<double>(scores, "", "scores", -1, -1);
  int64_t n = arguments.length(), width = arguments.width();
  need(width > 0, "scores needs at least one column.");
  need_finite(tolerance, "tolerance");
  auto out = room<int64_t>(n);
  {
    nb::gil_scoped_release free;
    first_largest(from, n, width, tolerance, out.get());
  }
  return array_around(std::move(out), {static_cast<size_t>(n)});
}

}  // namespace

void bind_predict(nb::module_& m) {
  nb::tuple names = nb::steal<nb::tuple>(PyTuple_New(static_cast<Py_ssize_t>(n_tree_names)));
  for (size_t i = 0; i < n_tree_names; ++i)
    PyTuple_SET_ITEM(names.ptr(), static_cast<Py_ssize_t>(i), PyUnicode_FromString(tree_names[i]));
  m.attr("predict_arrays") = names;
  m.def("first_largest", &bound_first_largest, nb::arg("scores"), nb::arg("tolerance"),
        "int64 [n]: the first column of each row whose score is the largest, up to the tolerance.");
  nb::class_<CompactTree>(
      m, "CompactTree",
      "The questions of a tree, checked once; columns are a tuple of arrays, or a matrix of numbers. "
      "With refuse_infinite the answer is None if a question reads an infinite number.")
      .def(
          "__init__",
          [](CompactTree* self, const nb::tuple& tree, int64_t n_attributes, const std::string& steps) {
            new (self) CompactTree(compact_tree(tree, n_attributes, steps));
          },
          nb::arg("tree"), nb::arg("n_attributes"), nb::arg("steps") = "chosen")
      .def_prop_ro("n_bytes", &CompactTree::n_bytes, "The memory that it takes.")
      .def("predict_values", &bound_predict_values, nb::arg("columns"), nb::arg("n_rows"), nb::arg("node_values"),
           nb::arg("n_threads") = 1, nb::arg("refuse_infinite") = false,
           "float64 [n_rows, width]: the values of the nodes where each row ends, weighted by its parts.")
      .def(
          "predict_sparse", &bound_predict_sparse, nb::arg("columns"), nb::arg("n_rows"), nb::arg("starts"),
          nb::arg("places"), nb::arg("numbers"), nb::arg("width"), nb::arg("n_threads") = 1,
          nb::arg("refuse_infinite") = false,
          "The same as predict_values, of values without zeros: of a node those from starts[node] to starts[node + 1].")
      .def("predict_codes", &bound_predict_codes, nb::arg("columns"), nb::arg("n_rows"), nb::arg("node_values"),
           nb::arg("node_codes"), nb::arg("n_threads") = 1, nb::arg("refuse_infinite") = false,
           "(int64 [n_rows], float64 [rows in several leaves, width]): the code of the leaf of each row, -1 of a row "
           "in several; and the values of these.")
      .def("find_leaves", &bound_find_leaves, nb::arg("columns"), nb::arg("n_rows"), nb::arg("n_threads") = 1,
           nb::arg("refuse_infinite") = false, "int64 [n_rows]: the leaf that holds most of each row.")
      .def("find_paths", &bound_find_paths, nb::arg("columns"), nb::arg("n_rows"), nb::arg("with_weights") = false,
           nb::arg("n_threads") = 1, "(starts, nodes, weights): the nodes that each row reaches.")
      .def("expected_test_costs", &bound_expected_test_costs, nb::arg("columns"), nb::arg("n_rows"),
           nb::arg("attribute_costs"), nb::arg("n_threads") = 1,
           "float64 [n_rows]: the expected cost of the tests that each row is put to.")
      .def("tally_classes", &bound_tally_classes, nb::arg("columns"), nb::arg("n_rows"), nb::arg("labels"),
           nb::arg("n_classes"), nb::arg("weights").none(), nb::arg("n_threads") = 1,
           "float64 [n_nodes, n_classes]: the class weights of the rows that reach each node.")
      .def("tally_numbers", &bound_tally_numbers, nb::arg("columns"), nb::arg("n_rows"), nb::arg("target"),
           nb::arg("weights").none(), nb::arg("n_threads") = 1,
           "float64 [n_nodes, 3]: weight, mean and summed squared deviation of the rows that reach each node.");
}
