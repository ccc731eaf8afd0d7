// Bindings: the module of the core. Only the files bind*.cpp and bind*.h know Python: they check, release the GIL, take
// arrays and return arrays.

#include "bind_options.h"

namespace nb = nanobind;

void bind_predict(nb::module_& m);
void bind_shap(nb::module_& m);
void bind_rules(nb::module_& m);
void bind_prune(nb::module_& m);
void bind_part(nb::module_& m);
void bind_alpha(nb::module_& m);
void bind_forest(nb::module_& m);
void bind_retrace(nb::module_& m);
void bind_delimited(nb::module_& m);
void bind_known_values(nb::module_& m);

namespace quercus {
namespace {

nb::dict grow_tree(nb::list columns, std::vector<int32_t> n_values, nb::object target, int n_classes,
                   nb::object weights, nb::dict options, nb::object progress) {
  Dataset data = read_dataset(columns, n_values, target, n_classes, weights);
  Options read = read_options(options);
  check_options(read, data);
  Making making("a tree of " + sized(data.n_rows, data.columns.size()));
  TreeArrays tree;
  run_watched(progress, [&](Watch& watch) { tree = grow(data, read, watch); });
  return to_dict(std::move(tree));
}

// Turns want of memory into a MemoryError that says what was being made.
void tell_out_of_memory(const std::exception_ptr& thrown, void*) {
  auto tell = [](const std::string& asked) {
    std::string& what = Making::unfinished();
    std::string message = "There is not enough memory for " + (what.empty() ? std::string("this call") : what) + asked;
    what.clear();
    PyErr_SetString(
        PyExc_MemoryError,
        (message + ". Give fewer rows or columns, or less to be grown (max_depth, max_leaf_nodes).").c_str());
  };
  try {
    std::rethrow_exception(thrown);
  } catch (const OutOfMemory& error) {
    tell(", which asked for " + std::to_string((error.bytes >> 20) + 1) + " MB more at once");
  } catch (const std::bad_alloc&) {
    tell("");
  }
}

}  // namespace
}  // namespace quercus

NB_MODULE(_core, m) {
  nb::set_leak_warnings(false);  // models that live until the interpreter ends are no leak
  m.doc() = "The C++ core of Quercus: arrays in, arrays out.";
  nb::register_exception_translator(quercus::tell_out_of_memory);
  m.def("grow", &quercus::grow_tree, nb::arg("columns"), nb::arg("n_values"), nb::arg("target"), nb::arg("n_classes"),
        nb::arg("weights").none(), nb::arg("options"), nb::arg("progress").none(),
        "Grows a tree from encoded columns; returns the tree's arrays by name.");
  m.def(
      "cut_between",
      [](double low, double high, const std::string& scale) {
        return quercus::cut_between(low, high, quercus::value_of(quercus::THRESHOLD_SCALES, scale, "scale"));
      },
      nb::arg("low"), nb::arg("high"), nb::arg("scale"), "The threshold between two neighbouring values, low < high.");
  m.def("machine_width", &quercus::machine_width, "Vector instructions in use: 0 plain, 1 AVX2, 2 AVX-512.");
  bind_predict(m);
  bind_shap(m);
  bind_rules(m);
  bind_prune(m);
  bind_part(m);
  bind_alpha(m);
  bind_forest(m);
  bind_retrace(m);
  bind_delimited(m);
  bind_known_values(m);
}
