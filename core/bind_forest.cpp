// Bindings of forests: many trees in one call, and the draws of rows that belong to them.

#include "bind_options.h"
#include "check_tree.h"
#include "forest.h"
#include "forest_predict.h"

namespace quercus {
namespace {

Sampling read_sampling(const nb::dict& d, u32 n_rows) {
  Sampling s;
  s.bootstrap = choice(d, "bootstrap", BOOTSTRAPS);
  s.n_drawn = option<u32>(d, "n_drawn");
  s.attributes_per_node = option<u32>(d, "attributes_per_node");
  s.attributes_per_tree = option<u32>(d, "attributes_per_tree");
  s.count_constant = option<bool>(d, "count_constant");
  s.random_thresholds = option<bool>(d, "random_thresholds");
  s.attribute_bootstrap = option<bool>(d, "attribute_bootstrap");
  s.seed = option<u64>(d, "seed");
  need(n_rows > 0, "there are no rows");
  need(s.bootstrap == Bootstrap::no || (s.n_drawn > 0 && s.n_drawn <= most_rows), "n_drawn must be 1 to 2,147,483,646");
  need(s.bootstrap != Bootstrap::without_replacement || s.n_drawn <= n_rows, "n_drawn is above the number of rows");
  return s;
}

// Whole numbers that fit are kept in few bytes.
template <class From>
nb::object narrow(std::vector<From>&& numbers, size_t width = 0) {
  double most = 0.0;
  bool whole = true;
  for (From x : numbers) {
    auto number = static_cast<double>(x);
    whole = whole && number >= 0.0 && number <= 4294967295.0 && number == static_cast<double>(static_cast<u32>(number));
    most = std::max(most, number);
  }
  if (whole && most <= 65535.0) return nb::cast(array_of(std::vector<u16>(numbers.begin(), numbers.end()), width));
  if (whole) return nb::cast(array_of(std::vector<u32>(numbers.begin(), numbers.end()), width));
  return nb::cast(array_of(std::vector<double>(numbers.begin(), numbers.end()), width));
}

// A tree as forests keep it; a tree of other questions as all its arrays.
nb::dict tree_dict(ForestTree&& tree, int n_classes) {
  std::optional<PackedTree>& packed = tree.packed;
  if (!packed) return to_dict(std::move(tree.plain));
  nb::dict d;
  std::vector<u8> bytes(packed->nodes.size() * sizeof(PackedNode));
  std::memcpy(bytes.data(), packed->nodes.data(), bytes.size());
  d["nodes"] = array_of(std::move(bytes), sizeof(PackedNode));
  d["gain"] = array_of(std::move(packed->gain));
  d["group"] = array_of(std::move(packed->group));
  bool flat = !n_classes &&
              std::all_of(packed->leaf_value.begin(), packed->leaf_value.end(), [](double x) { return x == 0.0; });
  size_t width = n_classes ? static_cast<size_t>(n_classes) : 0;
  if (!tree.leaf_draws.empty())
    d["leaf_value"] = array_of(std::move(tree.leaf_draws), width);
  else
    d["leaf_value"] = flat ? nb::cast(array_of(std::vector<double>())) : narrow(std::move(packed->leaf_value), width);
  d["leaf_weight"] = n_classes ? nb::cast(array_of(std::vector<double>())) : narrow(std::move(packed->leaf_weight));
  d["leaf_count"] = narrow(std::move(packed->leaf_count));
  return d;
}

// A table made ready for growing trees from it, in any number of calls. The arrays belong to Python; they are kept
// alive here.
class KeptGrower {
 public:
  KeptGrower(const nb::list& columns, std::vector<int32_t> n_values, nb::object target, int n_classes,
             nb::object weights, const nb::dict& options, const nb::dict& sampling)
      : alive_(nb::make_tuple(nb::tuple(columns), target, weights)),
        data_(read_dataset(columns, n_values, target, n_classes, weights)),
        options_(read_options(options)) {
    check_options(options_, data_);
    sampling_ = read_sampling(sampling, data_.n_rows);
    Making making("a forest of " + sized(data_.n_rows, data_.columns.size()));
    nb::gil_scoped_release release;
    grower_.emplace(data_, options_, sampling_);
  }
  KeptGrower(const KeptGrower&) = delete;  // the grower points into this
  KeptGrower& operator=(const KeptGrower&) = delete;

  // A list of the trees' arrays, and the exception that ended the growing early: KeyboardInterrupt, StopIteration or
  // None.
  nb::tuple grow(u64 first, size_t count, const nb::object& progress) {
    need(!busy_, "this grower is growing trees already; make another one to grow beside it");
    need(count >= 1 && count <= 1'000'000'000, "count must be between 1 and 1,000,000,000");
    busy_ = true;
    struct Reset {
      bool& busy;
      ~Reset() { busy = false; }
    } reset{busy_};
    Making making("a forest of " + sized(data_.n_rows, data_.columns.size()));
    std::vector<ForestTree> trees;
    run_watched(progress, [&](Watch& watch) { trees = grower_->grow(first, count, watch); });
    nb::object stop = nb::none();
    if (grower_->interrupted) {
      bool gentle = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) || PyErr_ExceptionMatches(PyExc_StopIteration);
      nb::python_error error;  // takes what was raised
      if (!gentle || trees.empty()) throw error;
      stop = nb::borrow(error.value());
    }
    nb::list result;
    for (auto& tree : trees) result.append(tree_dict(std::move(tree), data_.n_classes));
    return nb::make_tuple(result, stop);
  }

 private:
  nb::tuple alive_;
  Dataset data_;
  Options options_;
  Sampling sampling_;
  std::optional<ForestGrower> grower_;
  bool busy_ = false;  // read and written under the interpreter's lock
};

nb::ndarray<nb::numpy, int32_t> drawn_counts(nb::dict sampling, u64 tree, u32 n_rows) {
  need_rows(n_rows);
  Sampling read = read_sampling(sampling, n_rows);
  std::vector<int32_t> counts;
  draw_rows(read, tree, n_rows, counts);
  return array_of(std::move(counts));
}

nb::ndarray<nb::numpy, u32> drawn_attributes(nb::dict sampling, u64 tree, u32 n_attributes) {
  need(n_attributes > 0 && n_attributes <= 100'000'000, "n_attributes must be 1 to 100,000,000");
  return array_of(drawn_tree_attributes(read_sampling(sampling, 1), tree, n_attributes));
}

using Bytes = nb::ndarray<const u8, nb::shape<-1, 16>, nb::c_contig, nb::device::cpu>;
using Words = nb::ndarray<const u32, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Keys = nb::ndarray<const u64, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The packed trees and the rows of one call.
class ForestCall {
 public:
  std::vector<PackedView> trees;
  std::vector<AskedColumn> columns;  // by attribute; those that are not asked have no data

  ForestCall(const nb::list& packed, nb::handle table, int64_t n_rows, int64_t width) {
    need(nb::len(packed) > 0, "there are no trees");
    need_rows(n_rows);
    for (nb::handle one : packed) trees.push_back(read_tree(nb::cast<nb::tuple>(one), width));
    if (nb::isinstance<nb::tuple>(table)) {
      auto arrays = nb::borrow<nb::tuple>(table);
      for (size_t a = 0; a < nb::len(arrays); ++a) columns.push_back(read_any_column(arrays[a], a, n_rows));
      return;
    }
    Matrix matrix = arguments_.read_matrix(table, n_rows, -1);
    need(matrix.data != nullptr, "columns must be a tuple of arrays, or an aligned float32 or float64 matrix of " +
                                     std::to_string(n_rows) + " rows; got " + described(table) + ".");
    for (int64_t a = 0; a < matrix.width; ++a) columns.push_back(matrix.column(a));
    if (!few_rows(trees, n_rows)) forget_what_is_not_asked();
  }

 private:
  void forget_what_is_not_asked() {
    std::vector<u8> asked(columns.size() + 1, 0);
    for (const PackedView& tree : trees)
      for (int64_t i = 0; i < tree.n_nodes; ++i) asked[std::min<size_t>(tree.nodes[i].attribute, columns.size())] = 1;
    for (size_t a = 0; a < columns.size(); ++a)
      if (!asked[a]) columns[a] = {};
  }
  PackedView read_tree(const nb::tuple& arrays, int64_t width) {
    need(nb::len(arrays) == 3, "a packed tree is given as nodes, group and leaf_value");
    Bytes nodes;
    Words group;
    need(nb::try_cast(arrays[0], nodes, false) && nodes.shape(0) > 0, "nodes must be uint8, 16 bytes per node");
    need(reinterpret_cast<uintptr_t>(nodes.data()) % alignof(PackedNode) == 0, "nodes must be aligned to 8 bytes");
    need(nb::try_cast(arrays[1], group, false), "group must be uint32");
    alive_.emplace_back(nodes);
    alive_.emplace_back(group);
    PackedView view;
    view.nodes = reinterpret_cast<const PackedNode*>(nodes.data());
    view.n_nodes = static_cast<int64_t>(nodes.shape(0));
    view.sets = {group.data(), group.shape(0)};
    if (width) read_values(arrays[2], width, view);
    return view;
  }
  void read_values(nb::handle arrays_of_columns, int64_t width, PackedView& view) {
    bool read = try_values<u16>(arrays_of_columns, width, view) || try_values<u32>(arrays_of_columns, width, view) ||
                try_values<double>(arrays_of_columns, width, view);
    need(read, "leaf_value must be uint16, uint32 or float64, with one row per leaf and one column per class");
  }
  template <class Value>
  bool try_values(nb::handle arrays_of_columns, int64_t width, PackedView& view) {
    nb::ndarray<const Value, nb::ndim<2>, nb::c_contig, nb::device::cpu> values;
    if (!nb::try_cast(arrays_of_columns, values, false) || static_cast<int64_t>(values.shape(1)) != width) return false;
    alive_.emplace_back(values);
    view.leaf_value = values.data();
    view.n_leaves = static_cast<int64_t>(values.shape(0));
    view.value_bytes = sizeof(Value);
    return true;
  }
  AskedColumn read_any_column(nb::handle array, size_t attribute, int64_t n_rows) {
    if (array.is_none()) return {};
    if (const auto* codes = arguments_.find<int32_t>(array, n_rows))
      return asked_column({ColumnKind::nominal, codes, 0});
    return asked_column(read_column(array, attribute, false, n_rows, arguments_));
  }

  Arguments arguments_;
  std::vector<nb::ndarray<nb::ro>> alive_;
};

void check_trouble(Trouble trouble) {
  need(trouble != Trouble::unsound, "a packed tree is damaged: a link leaves it, or a question asks what is not there");
}

// (sums, weights of the trees that answered), None if a row spreads over several branches, which packed trees do not
// follow, or false if a number is infinite.
nb::object predict_rows(const nb::list& packed, nb::handle columns, int64_t n_rows, int64_t n_classes, bool majority,
                        std::vector<double> tree_weights, nb::object sampling, std::vector<u64> numbers,
                        int n_threads) {
  need_classes(n_classes, 0);
  ForestCall call(packed, columns, n_rows, n_classes);
  ForestQuestion question{n_classes ? n_classes : 1, n_classes == 0, majority, std::move(tree_weights), {}};
  need(question.tree_weight.size() == call.trees.size(), "tree_weights needs one number per tree");
  if (!sampling.is_none()) {
    Sampling draws = read_sampling(nb::cast<nb::dict>(sampling), static_cast<u32>(n_rows));
    need(numbers.size() == call.trees.size(), "numbers needs one number per tree");
    std::vector<int32_t> counts;
    for (u64 tree : numbers) {
      draw_rows(draws, tree, static_cast<u32>(n_rows), counts);
      std::vector<u64> bits((counts.size() + 63) / 64, 0);
      for (size_t r = 0; r < counts.size(); ++r) bits[r >> 6] |= static_cast<u64>(counts[r] > 0) << (r & 63);
      question.skipped.push_back(std::move(bits));
    }
  }
  std::vector<double> out(cells(n_rows, question.width)), used(static_cast<size_t>(n_rows));
  Trouble trouble = Trouble::none;
  run(n_threads, [&](const Running& running) {
    trouble = predict_forest(call.trees, call.columns, n_rows, question, running, out.data(), used.data());
  });
  check_trouble(trouble);
  if (trouble == Trouble::infinite) return nb::bool_(false);
  if (trouble == Trouble::spreads) return nb::none();
  return nb::make_tuple(array_of(std::move(out), static_cast<size_t>(question.width)), array_of(std::move(used)));
}

// The values of sets and their branches, from keys and table: (start, value, child). The sets must lie in the table one
// behind the other, and fill it.
nb::tuple value_sets(const Keys& keys, const Words& table) {
  ValueSets sets{table.data(), table.shape(0)};
  std::vector<int64_t> start{0};
  std::vector<int32_t> value, child;
  u64 place = 0;
  for (size_t i = 0; i < keys.shape(0); ++i) {
    u64 key = keys.data()[i];
    bool inside = sets.sound(key) && ((key & ValueSets::in_key) || key == place);
    need(inside, "the value set of question " + std::to_string(i) + " does not stand in its place");
    place += sets.n_words(key);
    sets.for_each(key, [&](u32 code, bool right) {
      value.push_back(static_cast<int32_t>(code));
      child.push_back(right);
    });
    start.push_back(static_cast<int64_t>(value.size()));
  }
  need(place == sets.size, "the table of value sets has words behind the last set");
  return nb::make_tuple(array_of(std::move(start)), array_of(std::move(value)), array_of(std::move(child)));
}

// The reverse: (keys, table). child: 0 or 1.
nb::tuple packed_value_sets(nb::handle starts, nb::handle values, nb::handle children) {
  Arguments arguments;
  const auto* start = arguments.read<int64_t>(starts, "", "start", -1);
  int64_t n = arguments.length() - 1;
  const auto* value = arguments.read<int32_t>(values, "", "value", -1);
  int64_t length = arguments.length();
  const auto* child = arguments.read<int32_t>(children, "", "child", length);
  need(n >= 0, "start must have at least one entry");
  check_starts("start", start, n, length);
  need(std::all_of(value, value + length, [](int32_t v) { return v >= 0; }), "a value is below 0");
  ValueSetWriter sets;
  std::vector<u64> keys;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t g = start[i]; g < start[i + 1]; ++g) sets.add(static_cast<u32>(value[g]), child[g] == 1);
    keys.push_back(sets.close());
  }
  sets.table.shrink_to_fit();
  return nb::make_tuple(array_of(std::move(keys)), array_of(std::move(sets.table)));
}

nb::object find_forest_leaves(const nb::list& packed, nb::handle columns, int64_t n_rows, int n_threads) {
  ForestCall call(packed, columns, n_rows, 0);
  std::vector<int32_t> out(cells(n_rows, static_cast<int64_t>(call.trees.size())));
  Trouble trouble = Trouble::none;
  run(n_threads,
      [&](const Running& running) { trouble = forest_leaves(call.trees, call.columns, n_rows, running, out.data()); });
  check_trouble(trouble);
  if (trouble == Trouble::infinite) return nb::bool_(false);
  if (trouble == Trouble::spreads) return nb::none();
  return nb::cast(array_of(std::move(out), call.trees.size()));
}

}  // namespace
}  // namespace quercus

void bind_forest(nanobind::module_& m) {
  namespace nb = nanobind;
  nb::class_<quercus::KeptGrower>(m, "ForestGrower", "A table made ready for growing trees from draws of it.")
      .def(nb::init<const nb::list&, std::vector<int32_t>, nb::object, int, nb::object, const nb::dict&,
                    const nb::dict&>(),
           nb::arg("columns"), nb::arg("n_values"), nb::arg("target"), nb::arg("n_classes"), nb::arg("weights").none(),
           nb::arg("options"), nb::arg("sampling"))
      .def("grow", &quercus::KeptGrower::grow, nb::arg("first"), nb::arg("count"), nb::arg("progress").none(),
           "Grows the trees first ... first + count - 1; returns their arrays, and whether all are there.");
  m.def("drawn_counts", &quercus::drawn_counts, nb::arg("sampling"), nb::arg("tree"), nb::arg("n_rows"),
        "How often each row is drawn for a tree.");
  m.def("drawn_attributes", &quercus::drawn_attributes, nb::arg("sampling"), nb::arg("tree"), nb::arg("n_attributes"),
        "The attributes that are drawn for a tree.");
  m.def("predict_forest", &quercus::predict_rows, nb::arg("trees"), nb::arg("columns"), nb::arg("n_rows"),
        nb::arg("n_classes"), nb::arg("majority"), nb::arg("tree_weights"), nb::arg("sampling").none(),
        nb::arg("numbers"), nb::arg("n_threads") = 1,
        "(float64 [n_rows, width], float64 [n_rows]): the trees' weighted answers, and the weight of those that gave "
        "one.");
  m.def("forest_leaves", &quercus::find_forest_leaves, nb::arg("trees"), nb::arg("columns"), nb::arg("n_rows"),
        nb::arg("n_threads") = 1, "int32 [n_rows, trees]: the leaf that each row reaches in each tree.");
  m.def("value_sets", &quercus::value_sets, nb::arg("keys"), nb::arg("table"),
        "(start, value, child): the values of packed subset questions and the child of each.");
  m.def("packed_value_sets", &quercus::packed_value_sets, nb::arg("start"), nb::arg("value"), nb::arg("child"),
        "(keys, table): the reverse of value_sets.");
}
