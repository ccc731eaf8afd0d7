// Bindings of retracing: the decisions of a grown tree, made again from its training rows; arrays in, arrays out.

#include <optional>

#include "bind_options.h"
#include "check_tree.h"
#include "retrace.h"

namespace nb = nanobind;

namespace quercus {
namespace {

// The names of the enums' values, in their order.
constexpr const char* stop_names[] = {"no",
                                      "pure",
                                      "majority",
                                      "depth",
                                      "min_objects",
                                      "min_samples_split",
                                      "min_weight_leaf",
                                      "no_candidate",
                                      "none_passes",
                                      "min_gain",
                                      "min_impurity_decrease",
                                      "no_gain",
                                      "not_significant"};
constexpr const char* offer_names[] = {"candidate",   "below_mean", "little_information",
                                       "all_unknown", "constant",   "too_small",
                                       "too_close",   "price",      "order"};

template <size_t n>
nb::tuple names(const char* const (&words)[n]) {
  nb::list list;
  for (const char* word : words) list.append(word);
  return nb::tuple(list);
}

nb::dict to_dict(Decisions&& decisions, int payload) {
  nb::dict d;
  auto width = static_cast<size_t>(payload);
  auto put = [&](const char* name, auto& numbers, size_t columns = 0) {
    d[name] = array_of(std::move(numbers), columns);
  };
  put("node", decisions.node);
  put("count", decisions.count);
  put("unit", decisions.unit);
  put("decided", decisions.decided);
  put("weight", decisions.weight);
  put("total", decisions.total);
  put("impurity", decisions.impurity);
  put("value", decisions.value, width);
  put("mean_gain", decisions.mean_gain);
  put("stop", decisions.stop);
  put("chosen", decisions.chosen);
  put("candidate_start", decisions.candidate_start);
  put("surrogate_start", decisions.surrogate_start);
  put("attribute", decisions.attribute);
  put("offer", decisions.offer);
  put("kind", decisions.kind);
  put("gain", decisions.gain);
  put("improvement", decisions.improvement);
  put("split_information", decisions.split_information);
  put("worth", decisions.worth);
  put("threshold", decisions.threshold);
  put("forbidden_gain", decisions.forbidden_gain);
  put("forbidden_threshold", decisions.forbidden_threshold);
  put("missing_child", decisions.missing_child);
  put("n_branches", decisions.n_branches);
  put("n_cuts", decisions.n_cuts);
  put("n_tried", decisions.n_tried);
  put("n_best", decisions.n_best);
  put("unknown", decisions.unknown);
  put("placed", decisions.placed);
  put("known", decisions.known);
  put("known_impurity", decisions.known_impurity);
  put("branch_start", decisions.branch_start);
  put("group_start", decisions.group_start);
  put("group", decisions.group);
  put("cut_start", decisions.cut_start);
  put("cut_threshold", decisions.cut_threshold);
  put("cut_gain", decisions.cut_gain);
  put("branch", decisions.branch);
  put("branch_count", decisions.branch_count);
  put("branch_weight", decisions.branch_weight);
  put("branch_total", decisions.branch_total);
  put("branch_impurity", decisions.branch_impurity);
  put("branch_value", decisions.branch_value, width);
  put("surrogate_kind", decisions.surrogate_kind);
  put("surrogate_attribute", decisions.surrogate_attribute);
  put("surrogate_low_child", decisions.surrogate_low_child);
  put("surrogate_threshold", decisions.surrogate_threshold);
  put("surrogate_agreement", decisions.surrogate_agreement);
  put("surrogate_adjusted", decisions.surrogate_adjusted);
  put("surrogate_group_start", decisions.surrogate_group_start);
  put("surrogate_group", decisions.surrogate_group);
  return d;
}

// The training table of a tree, laid out for walks down the tree. The arrays belong to Python; they are kept alive
// here.
class KeptRetracer {
 public:
  KeptRetracer(const nb::list& columns, std::vector<int32_t> n_values, nb::object target, int n_classes,
               nb::object weights, const nb::dict& options)
      : alive_(nb::make_tuple(nb::tuple(columns), target, weights)),
        data_(read_dataset(columns, n_values, target, n_classes, weights)) {
    Options read = read_options(options);
    check_options(read, data_);
    Making making("the decisions of a tree of " + sized(data_.n_rows, data_.columns.size()));
    nb::gil_scoped_release release;
    retracer_.emplace(data_, read);
  }
  KeptRetracer(const KeptRetracer&) = delete;  // the retracer points into this
  KeptRetracer& operator=(const KeptRetracer&) = delete;

  nb::dict walk(const nb::tuple& tree, nb::object marked, nb::object cuts, bool surrogates) const {
    Arguments arguments;
    TreeView view = read_tree(tree, arguments);
    check(view);
    const auto* nodes = arguments.read<u8>(marked, "", "marked", view.n_nodes);
    const auto* attributes = arguments.read<u8>(cuts, "", "cuts", static_cast<int64_t>(data_.columns.size()));
    std::vector<u8> which(nodes, nodes + view.n_nodes);
    Details details{{attributes, attributes + data_.columns.size()}, surrogates};
    Making making("the decisions of a tree of " + sized(data_.n_rows, data_.columns.size()));
    Decisions decisions;
    run_watched(nb::none(), [&](Watch& watch) { decisions = retracer_->walk(view, which, details, watch); });
    return to_dict(std::move(decisions), retracer_->payload());
  }

 private:
  // The tree must ask what the columns can answer.
  void check(const TreeView& tree) const {
    std::vector<uint8_t> readings = check_tree(tree, static_cast<int64_t>(data_.columns.size()));
    for (size_t a = 0; a < readings.size(); ++a)
      need(!(data_.columns[a].nominal() ? reads_numbers(readings[a]) : reads_codes(readings[a])),
           "the tree reads column " + std::to_string(a) + " as another kind");
    for (int64_t node = 0; node < tree.n_nodes; ++node) {
      const KindTraits& traits_of_node = traits(tree.split(node));
      need(!traits_of_node.reads_several, "node " + std::to_string(node) + " of the tree reads several attributes");
      if (tree.leaf(node) || traits_of_node.asks_numbers) continue;
      int64_t values = data_.columns[static_cast<size_t>(tree.attribute[node])].n_values;
      int64_t codes = tree.question(node).n_codes();
      bool fits = traits_of_node.has_groups ? codes <= values : codes >= values;
      need(fits, "node " + std::to_string(node) + " of the tree has another number of values than its column");
    }
  }

  nb::tuple alive_;
  Dataset data_;
  std::optional<Retracer> retracer_;
};

}  // namespace
}  // namespace quercus

void bind_retrace(nb::module_& m) {
  using quercus::KeptRetracer;
  m.attr("stop_names") = quercus::names(quercus::stop_names);
  m.attr("offer_names") = quercus::names(quercus::offer_names);
  nb::class_<KeptRetracer>(m, "Retracer", "A training table laid out to make the decisions of a grown tree again.")
      .def(nb::init<const nb::list&, std::vector<int32_t>, nb::object, int, nb::object, const nb::dict&>(),
           nb::arg("columns"), nb::arg("n_values"), nb::arg("target"), nb::arg("n_classes"), nb::arg("weights").none(),
           nb::arg("options"))
      .def("walk", &KeptRetracer::walk, nb::arg("tree"), nb::arg("marked"), nb::arg("cuts"), nb::arg("surrogates"),
           "The nodes that are marked (1: their numbers, 2: their decisions) and those above them: arrays by name.");
}
