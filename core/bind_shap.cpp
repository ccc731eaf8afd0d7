// Bindings of Shapley values: one tree at a time; what it adds is added to arrays that Python holds.

#include "bind_rows.h"
#include "shap_background.h"
#include "shap_paths.h"

namespace quercus {
namespace {

using Numbers = nb::ndarray<double, nb::c_contig, nb::device::cpu>;

// An array that is written to, of so many numbers.
double* writable(nb::handle argument, const char* name, int64_t length, int64_t width) {
  Numbers array;
  bool fine = nb::try_cast(argument, array, false) && array.size() == cells(length, width);
  need(fine, std::string(name) + " must be a writable C-contiguous float64 array of " + std::to_string(length) + " x " +
                 std::to_string(width) + " numbers; got " + described(argument) + ".");
  return array.data();
}

// Adds up the weights of the leaves.
std::vector<double> summed_weights(const CompactTree& tree, const double* weights) {
  std::vector<double> sums(weights, weights + tree.n_nodes());
  for (int64_t node = tree.n_nodes() - 1; node >= 0; --node)  // a child's number is above its parent's
    for (int32_t c = 0; c < tree.n_children(node); ++c)
      sums[static_cast<size_t>(node)] += sums[static_cast<size_t>(tree.first_child(node) + c)];
  return sums;
}

// The tree of a call with what its nodes weigh and say. weight: of each node, or (by_leaves) of the leaves, else 0.
ShapTree read_shap_tree(const CompactTree& tree, nb::handle weight, bool by_leaves, nb::handle node_values,
                        double factor, Arguments& arguments) {
  const double* weights = read_weights(weight, tree.n_nodes(), arguments);
  need(weights != nullptr, "weight must be an array, one number per node.");
  const auto* values = arguments.read<double>(node_values, "", "node_values", tree.n_nodes(), -1);
  int64_t width = arguments.width();
  need(width >= 1 && width <= most_classes, "node_values needs 1 to 1,000,000 columns.");
  bool finite = std::all_of(values, values + tree.n_nodes() * width, [](double x) { return std::isfinite(x); });
  need(finite, "node_values must be finite numbers.");
  need_finite(factor, "factor");
  if (by_leaves) return ShapTree(tree, summed_weights(tree, weights).data(), values, width, factor);
  return ShapTree(tree, weights, values, width, factor);
}

nb::object bound_explain_rows(const CompactTree& tree, nb::handle columns, int64_t n_rows, nb::handle weight,
                              bool by_leaves, nb::handle node_values, double factor, nb::handle values,
                              nb::handle pairs, int n_threads) {
  Call call(tree, columns, n_rows, n_threads);
  ShapTree prepared = read_shap_tree(tree, weight, by_leaves, node_values, factor, call.arguments);
  auto size = static_cast<int64_t>(cells(tree.n_attributes(), prepared.width));
  ShapOutput out{writable(values, "values", n_rows, size)};
  if (!pairs.is_none())
    out.pairs = writable(pairs, "pairs", n_rows, static_cast<int64_t>(cells(tree.n_attributes(), size)));
  run(n_threads, [&](const Running& running) { explain_rows(prepared, call.rows, running, out); });
  return nb::cast(array_of(std::move(prepared.base)));
}

void bound_explain_against(const CompactTree& tree, nb::handle columns, int64_t n_rows, nb::handle background,
                           int64_t n_background, nb::handle weight, bool by_leaves, nb::handle node_values,
                           double factor, nb::handle values, int n_threads) {
  Call call(tree, columns, n_rows, n_threads), other(tree, background, n_background, n_threads);
  need(n_background > 0, "background needs at least one row.");
  ShapTree prepared = read_shap_tree(tree, weight, by_leaves, node_values, factor, call.arguments);
  auto size = static_cast<int64_t>(cells(tree.n_attributes(), prepared.width));
  double* out = writable(values, "values", n_rows, size);
  run(n_threads, [&](const Running& running) { explain_against(prepared, call.rows, other.rows, running, out); });
}

}  // namespace
}  // namespace quercus

void bind_shap(nanobind::module_& m) {
  using namespace quercus;
  m.def("explain_rows", &bound_explain_rows, nb::arg("tree"), nb::arg("columns"), nb::arg("n_rows"), nb::arg("weight"),
        nb::arg("by_leaves"), nb::arg("node_values"), nb::arg("factor"), nb::arg("values"), nb::arg("pairs").none(),
        nb::arg("n_threads") = 1,
        "Adds the tree's Shapley values to values [n_rows, n_attributes, width], and halves of its interactions to "
        "pairs [n_rows, n_attributes, n_attributes, width], or None; returns what is answered if no value counts.");
  m.def("explain_against", &bound_explain_against, nb::arg("tree"), nb::arg("columns"), nb::arg("n_rows"),
        nb::arg("background"), nb::arg("n_background"), nb::arg("weight"), nb::arg("by_leaves"), nb::arg("node_values"),
        nb::arg("factor"), nb::arg("values"), nb::arg("n_threads") = 1,
        "The same, where a value that does not count is that of a background row; the mean over these rows.");
}
