// Bindings of error-based pruning: arrays in, checked before use; arrays out.

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "binding.h"
#include "check_tree.h"
#include "error_based.h"

namespace nb = nanobind;

namespace {

using namespace quercus;

// The columns that the tree asks for, after the tree has been proven sound; others are not looked at.
Rows read_rows(const TreeView& tree, const nb::tuple& columns, int64_t n_rows, Arguments& arguments) {
  Rows rows;
  need_rows(n_rows);
  rows.n_rows = n_rows;
  rows.columns.resize(nb::len(columns));
  std::vector<uint8_t> readings = check_tree(tree, static_cast<int64_t>(rows.columns.size()));
  for (size_t a = 0; a < readings.size(); ++a) {
    if (readings[a] == 0) continue;
    rows.columns[a] = read_column(columns[a], a, reads_codes(readings[a]), n_rows, arguments);
  }
  return rows;
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
  need_finite(top_share, "top_share");
  need_finite(tolerance, "tolerance");
  Arguments arguments;
  TreeView tree = read_tree(arrays, arguments);
  Rows rows = read_rows(tree, columns, n_rows, arguments);
  const int32_t* codes = read_labels(labels, n_rows, n_classes, arguments);
  const double* case_weights = read_weights(weights, n_rows, arguments);
  cells(tree.n_nodes, n_classes);
  ErrorBasedOptions options;
  options.estimate = {confidence, deviate, top_share, never_negative};
  options.raising = raising;
  options.tolerance = tolerance;
  Making making("the pruning of a tree by " + sized(n_rows, rows.columns.size()));
  ErrorBasedResult result;
  run(1, [&](const Running& running) {
    result = ErrorBasedPruner(tree, rows, codes, n_classes, case_weights, options).prune(running);
  });
  return to_dict(std::move(result), static_cast<size_t>(n_classes));
}

}  // namespace

void bind_prune(nb::module_& m) {
  m.def("prune_error_based", &bound_prune_error_based, nb::arg("tree"), nb::arg("columns"), nb::arg("n_rows"),
        nb::arg("labels"), nb::arg("n_classes"), nb::arg("weights").none(), nb::arg("confidence"), nb::arg("deviate"),
        nb::arg("top_share"), nb::arg("never_negative"), nb::arg("raising"), nb::arg("tolerance"),
        "Prunes a tree by pessimistic errors; returns the new tree's nodes and what was removed.");
}
