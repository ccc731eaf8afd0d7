// Bindings of rule post-pruning: arrays in, checked before use; arrays out. No state is kept between calls.

#include <cmath>
#include <string>
#include <vector>

#include "binding.h"
#include "rule_choice.h"
#include "rule_order.h"
#include "rules.h"

namespace nb = nanobind;

namespace {

using namespace quercus;

// Starts of lists that lie one after the other in an array of this length.
void check_starts(const int64_t* start, int64_t n, int64_t length, const char* name) {
  bool fine = start[0] == 0 && start[n] == length;
  for (int64_t i = 0; fine && i < n; ++i) fine = start[i] <= start[i + 1];
  if (!fine) throw std::invalid_argument(std::string(name) + " must ascend from 0 to the length of its array");
}

void check_codes(const int32_t* codes, int64_t n, int64_t below, const char* name) {
  for (int64_t i = 0; i < n; ++i) {
    if (codes[i] >= 0 && codes[i] < below) continue;
    throw std::invalid_argument(std::string(name) + " must be 0 to " + std::to_string(below - 1) + "; entry " +
                                std::to_string(i) + " is " + std::to_string(codes[i]));
  }
}

// (attribute i32, kind u8, unknown u8, threshold f64, value_start i64, values i32) and the columns that they ask.
Conditions read_conditions(Arguments& arrays, const nb::tuple& parts, const nb::tuple& columns, int64_t n_rows,
                           Rows& rows) {
  need(nb::len(parts) == 6, "conditions are given as 6 arrays");
  need_rows(n_rows);
  rows.n_rows = n_rows;
  rows.columns.resize(nb::len(columns));
  Conditions c;
  c.attribute = arrays.read<int32_t>(parts[0], "", "attribute", -1);
  c.size = arrays.length();
  c.kind = arrays.read<u8>(parts[1], "", "kind", c.size);
  c.unknown = arrays.read<u8>(parts[2], "", "unknown", c.size);
  c.threshold = arrays.read<double>(parts[3], "", "threshold", c.size);
  c.value_start = arrays.read<int64_t>(parts[4], "", "value_start", c.size + 1);
  c.values = arrays.read<int32_t>(parts[5], "", "values", -1);
  int64_t n_values = arrays.length();
  check_starts(c.value_start, c.size, n_values, "value_start");
  check_codes(c.attribute, c.size, static_cast<int64_t>(rows.columns.size()), "attribute");
  for (int64_t i = 0; i < n_values; ++i) need(c.values[i] >= 0, "values must be codes, 0 or more");
  for (int64_t i = 0; i < c.size; ++i) {
    need(c.kind[i] <= 2, "kind must be 0, 1 or 2");
    bool codes = c.kind[i] == static_cast<u8>(ConditionKind::among);
    need(codes || !std::isnan(c.threshold[i]), "a threshold is NaN");
    auto a = static_cast<size_t>(c.attribute[i]);
    Column& column = rows.columns[a];
    if (column.data == nullptr) {
      nb::handle array = columns[a];
      Array<float> narrow;
      if (codes)
        column = {ColumnKind::nominal, arrays.read<int32_t>(array, "", "a column of codes", n_rows), 0};
      else if (nb::try_cast(array, narrow, false))
        column = {ColumnKind::number32, arrays.read<float>(array, "", "a column of numbers", n_rows), 0};
      else
        column = {ColumnKind::number64, arrays.read<double>(array, "", "a column of numbers", n_rows), 0};
    }
    need(column.nominal() == codes, "a column is asked for codes and for numbers");
  }
  return c;
}

// (start i64, condition i32, label i32)
RuleLists read_rules(Arguments& arrays, const nb::tuple& parts, int64_t n_conditions, int64_t n_classes) {
  need(nb::len(parts) == 3, "rules are given as 3 arrays");
  const auto* label = arrays.read<int32_t>(parts[2], "", "label", -1);
  int64_t n = arrays.length();
  const auto* start = arrays.read<int64_t>(parts[0], "", "start", n + 1);
  const auto* condition = arrays.read<int32_t>(parts[1], "", "condition", -1);
  int64_t length = arrays.length();
  check_starts(start, n, length, "start");
  check_codes(condition, length, n_conditions, "condition");
  check_codes(label, n, n_classes, "label");
  return {{start, start + n + 1}, {condition, condition + length}, {label, label + n}};
}

nb::tuple drop_conditions(const nb::tuple& columns, int64_t n_rows, nb::handle labels, int32_t n_classes,
                          nb::handle weights, const nb::tuple& conditions, const nb::tuple& rules, nb::handle order,
                          nb::handle estimate, bool plain, int n_threads) {
  Making making("the conditions to drop of " + sized(n_rows, nb::len(columns)));
  Arguments arrays;
  LabelledRows data;
  Conditions read = read_conditions(arrays, conditions, columns, n_rows, data.rows);
  need_classes(n_classes);
  data.labels = arrays.read<int32_t>(labels, "", "labels", n_rows);
  check_codes(data.labels, n_rows, n_classes, "labels");
  data.n_classes = n_classes;
  data.weights = read_weights(weights, n_rows, arrays);
  RuleLists lists = read_rules(arrays, rules, read.size, n_classes);
  const auto* parts = arrays.read<int32_t>(order, "", "order", n_rows);
  check_codes(parts, n_rows, n_rows, "order");
  std::vector<u32> places(parts, parts + n_rows);
  const auto* numbers = arrays.read<double>(estimate, "", "estimate", 4);
  DropOptions options{{numbers[0], numbers[1], numbers[2], numbers[3] != 0.0}, plain};
  need(numbers[0] > 0.0 && numbers[0] <= 1.0 && numbers[1] >= 0.0 && std::isfinite(numbers[1]) &&
           std::isfinite(numbers[2]),
       "estimate is out of range");
  RuleLists result;
  run(n_threads, [&](const Running& running) {
    result = ConditionDropper(data, read, places.data(), options, running).drop(lists);
  });
  return nb::make_tuple(array_of(std::move(result.start)), array_of(std::move(result.condition)),
                        array_of(std::move(result.label)));
}

nb::tuple cover_rows(const nb::tuple& columns, int64_t n_rows, const nb::tuple& conditions, const nb::tuple& rules,
                     int n_threads) {
  Making making("the rows that rules cover, of " + sized(n_rows, nb::len(columns)));
  Arguments arrays;
  Rows rows;
  Conditions read = read_conditions(arrays, conditions, columns, n_rows, rows);
  RuleLists lists = read_rules(arrays, rules, read.size, int64_t{1} << 31);
  std::vector<int64_t> start = {0};
  std::vector<int32_t> covered;
  run(n_threads, [&](const Running& running) {
    std::vector<std::vector<int32_t>> by_rule = covered_rows(rows, read, lists, running);
    for (const auto& one : by_rule) start.push_back(start.back() + static_cast<int64_t>(one.size()));
    covered.reserve(static_cast<size_t>(start.back()));
    for (auto& one : by_rule) {
      covered.insert(covered.end(), one.begin(), one.end());
      std::vector<int32_t>().swap(one);
    }
  });
  return nb::make_tuple(array_of(std::move(start)), array_of(std::move(covered)));
}

CoverTable read_covers(Arguments& arrays, const nb::tuple& covers, nb::handle rule_label, nb::handle labels,
                       int32_t n_classes, nb::handle weights) {
  need(nb::len(covers) == 2, "covers are given as 2 arrays");
  need_classes(n_classes);
  CoverTable table;
  table.n_classes = n_classes;
  table.rule_label = arrays.read<int32_t>(rule_label, "", "rule_label", -1);
  table.n_rules = arrays.length();
  need(table.n_rules <= most_rows, "there are more than 2,147,483,646 rules.");
  table.start = arrays.read<int64_t>(covers[0], "", "start", table.n_rules + 1);
  table.rows = arrays.read<int32_t>(covers[1], "", "rows", -1);
  int64_t length = arrays.length();
  table.labels = arrays.read<int32_t>(labels, "", "labels", -1);
  table.n_rows = arrays.length();
  need_rows(table.n_rows);
  table.weights = read_weights(weights, table.n_rows, arrays);
  check_starts(table.start, table.n_rules, length, "start");
  check_codes(table.rows, length, table.n_rows, "rows");
  check_codes(table.rule_label, table.n_rules, n_classes, "rule_label");
  check_codes(table.labels, table.n_rows, n_classes, "labels");
  return table;
}

nb::ndarray<nb::numpy, double> tally_covers(const nb::tuple& covers, nb::handle rule_label, nb::handle labels,
                                            int32_t n_classes, nb::handle weights) {
  Arguments arrays;
  CoverTable table = read_covers(arrays, covers, rule_label, labels, n_classes, weights);
  std::vector<double> sums(cells(table.n_rules, n_classes), 0.0);
  for (int64_t r = 0; r < table.n_rules; ++r)
    for (int64_t i = table.start[r]; i < table.start[r + 1]; ++i)
      sums[static_cast<size_t>(r * n_classes + table.labels[table.rows[i]])] += table.weight(table.rows[i]);
  return array_of(std::move(sums));
}

nb::tuple choose_subsets(const nb::tuple& covers, nb::handle rule_label, nb::handle labels, int32_t n_classes,
                         nb::handle weights, nb::handle rule_bits, double theory_weight, int all_subsets, uint64_t seed,
                         int n_threads) {
  Making making("the choice of rules");
  Arguments arrays;
  CoverTable table = read_covers(arrays, covers, rule_label, labels, n_classes, weights);
  const auto* bits = arrays.read<double>(rule_bits, "", "rule_bits", table.n_rules);
  need(all_subsets >= 0 && all_subsets <= 20, "all_subsets must be between 0 and 20");
  need_finite(theory_weight, "theory_weight");
  need(theory_weight >= 0.0, "theory_weight must be 0 or more");
  for (int64_t r = 0; r < table.n_rules; ++r) need_finite(bits[r], "rule_bits");
  std::vector<u8> chosen(static_cast<size_t>(table.n_rules), 0);
  std::vector<double> lengths(static_cast<size_t>(n_classes), 0.0);
  run(n_threads, [&](const Running& running) {
    choose_rules(table, bits, {theory_weight, all_subsets, seed}, running, chosen.data(), lengths.data());
  });
  return nb::make_tuple(array_of(std::move(chosen)), array_of(std::move(lengths)));
}

nb::tuple order_rules(const nb::tuple& covers, nb::handle rule_label, nb::handle labels, int32_t n_classes,
                      nb::handle weights, nb::handle rank, nb::handle costs) {
  Making making("the order of rules");
  Arguments arrays;
  CoverTable table = read_covers(arrays, covers, rule_label, labels, n_classes, weights);
  const auto* ranks = arrays.read<double>(rank, "", "rank", table.n_rules);
  for (int64_t r = 0; r < table.n_rules; ++r) need_finite(ranks[r], "rank");
  const auto* cost = arrays.read<double>(costs, "", "costs", int64_t{n_classes} * n_classes);
  need_costs(cost, static_cast<size_t>(arrays.length()), "costs");
  Ordering result;
  run(1, [&](const Running&) { result = RuleOrder(table, ranks, cost).arrange(); });
  return nb::make_tuple(array_of(std::move(result.order)), result.otherwise, array_of(std::move(result.dropped)));
}

}  // namespace

void bind_rules(nb::module_& m) {
  m.def("drop_conditions", &drop_conditions, nb::arg("columns"), nb::arg("n_rows"), nb::arg("labels"),
        nb::arg("n_classes"), nb::arg("weights").none(), nb::arg("conditions"), nb::arg("rules"), nb::arg("order"),
        nb::arg("estimate"), nb::arg("plain") = false, nb::arg("n_threads") = 1,
        "(start, condition, label): the different rules that are left when conditions are dropped.");
  m.def("cover_rows", &cover_rows, nb::arg("columns"), nb::arg("n_rows"), nb::arg("conditions"), nb::arg("rules"),
        nb::arg("n_threads") = 1, "(start, rows): the rows that each rule covers.");
  m.def("tally_covers", &tally_covers, nb::arg("covers"), nb::arg("rule_label"), nb::arg("labels"),
        nb::arg("n_classes"), nb::arg("weights").none(),
        "float64 [n_rules * n_classes]: the weight of each class that each rule covers.");
  m.def("choose_subsets", &choose_subsets, nb::arg("covers"), nb::arg("rule_label"), nb::arg("labels"),
        nb::arg("n_classes"), nb::arg("weights").none(), nb::arg("rule_bits"), nb::arg("theory_weight") = 0.5,
        nb::arg("all_subsets") = 10, nb::arg("seed") = 1, nb::arg("n_threads") = 1,
        "(chosen, lengths): each class's subset of rules of least description length.");
  m.def("order_rules", &order_rules, nb::arg("covers"), nb::arg("rule_label"), nb::arg("labels"), nb::arg("n_classes"),
        nb::arg("weights").none(), nb::arg("rank"), nb::arg("costs"),
        "(order, otherwise, dropped): the rules in their order, the default class, and what the clean-up left out.");
}
