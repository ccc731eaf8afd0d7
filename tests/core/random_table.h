// A random table and random choices of growing, for tests: every kind of column, unknown values, weights, policies.
#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "dataset.h"
#include "options.h"

namespace quercus_test {

using namespace quercus;

struct Random {
  std::mt19937_64 engine;
  explicit Random(uint64_t seed) : engine(seed) {}

  int upto(int most) { return static_cast<int>(engine() % static_cast<uint64_t>(most + 1)); }  // 0 .. most
  double share() { return static_cast<double>(engine() >> 11) * 0x1p-53; }                     // [0, 1)
  bool chance(double p) { return share() < p; }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return *(values.begin() + upto(static_cast<int>(values.size()) - 1));
  }
};

// Owns what a Dataset borrows.
struct Table {
  std::vector<std::vector<double>> numbers;
  std::vector<std::vector<float>> floats;
  std::vector<std::vector<int32_t>> codes;
  std::vector<int32_t> labels;
  std::vector<double> target, weights;
  bool has_unknown = false;
  Dataset data;

  double total_weight() const {
    double sum = 0.0;
    for (u32 i = 0; i < data.n_rows; ++i) sum += weights.empty() ? 1.0 : weights[i];
    return sum;
  }
};

// Values that tie often: few distinct ones, or a continuous column, or a constant one.
inline double random_number(Random& random, int style) {
  if (style == 0) return 1.5;
  if (style == 1) return random.upto(4);
  if (style == 2) return random.upto(300) / 8.0 - 10.0;
  return (random.share() - 0.5) * 1e6;
}

inline void add_column(Table& table, Random& random, double unknown) {
  Column column;
  u32 n = table.data.n_rows;
  column.kind = random.one_of({ColumnKind::number64, ColumnKind::number32, ColumnKind::nominal});
  int style = random.one_of({0, 1, 1, 2, 2, 3, 3}), declared = 1 + random.upto(9);
  int used = 1 + random.upto(declared - 1);
  auto fill = [&](auto& columns, auto value, auto missing) {
    auto& to = columns.emplace_back(n);
    for (u32 i = 0; i < n; ++i) {
      bool gone = random.chance(unknown);
      table.has_unknown = table.has_unknown || gone;
      to[i] = gone ? missing : value();
    }
    column.data = to.data();
  };
  if (column.kind == ColumnKind::number64) {
    fill(table.numbers, [&] { return random_number(random, style); }, std::numeric_limits<double>::quiet_NaN());
  } else if (column.kind == ColumnKind::number32) {
    fill(
        table.floats, [&] { return static_cast<float>(random_number(random, style)); },
        std::numeric_limits<float>::quiet_NaN());
  } else {
    column.n_values = declared;
    fill(table.codes, [&] { return random.upto(used - 1); }, int32_t{-1});
  }
  table.data.columns.push_back(column);
}

// The target follows the first column now and then, so that trees have something to find.
inline void add_target(Table& table, Random& random, int n_classes) {
  u32 n = table.data.n_rows;
  const Column& first = table.data.columns[0];
  table.data.n_classes = n_classes;
  for (u32 i = 0; i < n; ++i) {
    double x = first.nominal() ? first.code(i) : first.number(i);
    bool follows = !std::isnan(x) && random.chance(0.6);
    if (n_classes > 0) {
      table.labels.push_back(follows ? static_cast<int>(std::abs(x)) % n_classes : random.upto(n_classes - 1));
    } else {
      table.target.push_back(follows ? std::fmod(std::abs(x), 50.0) : random.upto(6) / 2.0);
    }
  }
  table.data.labels = n_classes > 0 ? table.labels.data() : nullptr;
  table.data.target = n_classes > 0 ? nullptr : table.target.data();
}

inline Table random_table(Random& random, u32 n_rows, int n_columns, int n_classes) {
  Table table;
  table.data.n_rows = n_rows;
  double unknown = random.one_of({0.0, 0.0, 0.1, 0.5});
  for (int i = 0; i < n_columns; ++i) add_column(table, random, unknown);
  add_target(table, random, n_classes);
  if (random.chance(0.5)) {
    bool whole = random.chance(0.5);
    for (u32 i = 0; i < n_rows; ++i) table.weights.push_back(whole ? 1 + random.upto(3) : 0.1 + random.share());
    table.data.weights = table.weights.data();
  }
  return table;
}

// One table in two is grown without limits; the others have some.
inline void random_limits(Options& o, Random& random, size_t n_columns) {
  o.require_gain = random.chance(0.5);
  o.data_value_threshold = random.chance(0.3);
  o.threshold_gap = random.one_of({0.0, 0.0, 1e-5});
  o.threshold_cost = random.chance(0.2);
  if (random.chance(0.3))
    for (size_t i = 0; i < n_columns; ++i)
      o.threshold_scales.push_back(random.one_of(
          {ThresholdScale::none, ThresholdScale::decimal, ThresholdScale::decimal, ThresholdScale::time}));
  if (random.chance(0.5)) return;
  o.min_cut = random.chance(0.3);
  o.min_objects = random.one_of({0.0, 1.0, 2.0, 5.0});
  o.min_samples_split = random.one_of<int64_t>({2, 2, 7});
  o.min_samples_leaf = random.one_of<int64_t>({1, 1, 3});
  o.min_weight_leaf = random.one_of({0.0, 0.0, 1.5});
  o.min_gain = random.one_of({0.0, 0.0, 0.01});
  o.min_impurity_decrease = random.one_of({0.0, 0.0, 0.005});
  o.max_depth = random.one_of<int64_t>({-1, -1, 0, 2, 4});
  o.max_leaf_nodes = random.one_of<int64_t>({-1, -1, -1, 1, 7, 20});
}

inline Criterion random_criterion(Random& random, bool of_numbers) {
  std::vector<Criterion> suitable;
  for (const Name<Criterion>& entry : CRITERIA)
    if (is_of_numbers(entry.value) == of_numbers) suitable.push_back(entry.value);
  return suitable[static_cast<size_t>(random.upto(static_cast<int>(suitable.size()) - 1))];
}

inline void random_class_choices(Options& o, Random& random, int k) {
  o.criterion = random_criterion(random, false);
  o.selection = random.one_of({Selection::gain, Selection::gain_ratio, Selection::tan_schlimmer, Selection::nunez});
  o.gate = random.chance(0.5);
  o.collapse = random.one_of({Collapse::no, Collapse::no, Collapse::bottom_up, Collapse::top_down});
  o.sufficient_majority = random.one_of({0.0, 0.0, 0.0, 0.8});
  if (random.chance(0.2)) {
    o.significance = true;
    for (int degrees = 0; degrees < 64; ++degrees) o.critical.push_back(0.5 + degrees);
  }
  if (random.chance(0.2)) {
    for (int i = 0; i < k * k; ++i) o.cost_matrix.push_back(i % (k + 1) ? 1.0 + random.upto(3) : 0.0);
    for (int i = 0; i < k; ++i) o.class_multipliers.push_back(0.5 + random.share());
  }
}

// Every combination that the bindings let through.
inline Options random_options(Random& random, const Table& table) {
  Options o;
  random_limits(o, random, table.data.columns.size());
  o.nominal = random.one_of({NominalSplit::multiway, NominalSplit::grouped, NominalSplit::subset});
  o.missing = random.one_of(
      {Missing::fractional, Missing::most_common, Missing::class_most_common, Missing::own_value, Missing::surrogate});
  o.subset_limit = random.one_of({2, 10});
  if (table.data.n_classes > 0) {
    random_class_choices(o, random, table.data.n_classes);
  } else {
    o.criterion = random_criterion(random, true);
    if (o.criterion == Criterion::absolute_error) o.quantiles = {0.5};
    if (o.criterion == Criterion::pinball) o.quantiles = {0.1, 0.5, 0.9};
    if (o.nominal == NominalSplit::grouped) o.nominal = NominalSplit::multiway;
    if (o.missing == Missing::class_most_common) o.missing = Missing::most_common;
  }
  if (o.missing == Missing::surrogate) o.nominal = NominalSplit::subset;
  for (size_t i = 0; i < table.data.columns.size(); ++i) o.attribute_costs.push_back(1.0 + random.upto(3));
  return o;
}

}  // namespace quercus_test
