// Bindings of forests: many trees in one call, and the draws of rows that belong to them.

#include "bind_options.h"
#include "forest.h"

namespace quercus {
namespace {

Sampling read_sampling(const nb::dict& d, u32 n_rows) {
  Sampling s;
  s.bootstrap = choice<Bootstrap>(d, "bootstrap", 2);
  s.n_drawn = option<u32>(d, "n_drawn");
  s.attributes_per_node = option<u32>(d, "attributes_per_node");
  s.attributes_per_tree = option<u32>(d, "attributes_per_tree");
  s.random_thresholds = option<bool>(d, "random_thresholds");
  s.seed = option<u64>(d, "seed");
  need(s.bootstrap == Bootstrap::no || s.n_drawn > 0, "n_drawn must be at least 1");
  need(s.bootstrap != Bootstrap::without_replacement || s.n_drawn <= n_rows, "n_drawn is above the number of rows");
  return s;
}

// A list of the trees' arrays, and whether all that were asked for are there.
nb::tuple grow_trees(nb::list columns, std::vector<int32_t> n_values, nb::object target, int n_classes,
                     nb::object weights, nb::dict options, nb::dict sampling, u64 first, size_t count,
                     nb::object progress) {
  Dataset data = read_dataset(columns, n_values, target, n_classes, weights);
  Options read = read_options(options);
  check_options(read, data);
  Sampling drawn = read_sampling(sampling, data.n_rows);
  std::vector<TreeArrays> trees;
  bool interrupted = false;
  run_watched(progress, [&](Watch& watch) {
    ForestGrower grower(data, read, drawn, watch);
    trees = grower.grow(first, count);
    interrupted = grower.interrupted;
  });
  if (interrupted) {
    bool wanted = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) || PyErr_ExceptionMatches(PyExc_StopIteration);
    if (!wanted || trees.empty()) throw nb::python_error();
    PyErr_Clear();
  }
  nb::list result;
  for (TreeArrays& tree : trees) result.append(to_dict(std::move(tree)));
  return nb::make_tuple(result, !interrupted);
}

nb::ndarray<nb::numpy, int32_t> drawn_counts(nb::dict sampling, u64 tree, u32 n_rows) {
  Sampling read = read_sampling(sampling, n_rows);
  need(n_rows > 0, "there are no rows");
  std::vector<int32_t> counts;
  draw_rows(read, tree, n_rows, counts);
  return array_of(std::move(counts));
}

}  // namespace
}  // namespace quercus

void bind_forest(nanobind::module_& m) {
  namespace nb = nanobind;
  m.def("grow_forest", &quercus::grow_trees, nb::arg("columns"), nb::arg("n_values"), nb::arg("target"),
        nb::arg("n_classes"), nb::arg("weights").none(), nb::arg("options"), nb::arg("sampling"), nb::arg("first"),
        nb::arg("count"), nb::arg("progress").none(),
        "Grows trees from draws of rows and attributes; returns their arrays, and whether all are there.");
  m.def("drawn_counts", &quercus::drawn_counts, nb::arg("sampling"), nb::arg("tree"), nb::arg("n_rows"),
        "How often each row is drawn for a tree.");
}
