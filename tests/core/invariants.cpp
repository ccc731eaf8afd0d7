// What must hold for every grown tree: the checks. A file of its own, as in the extension growing and predicting are.
#include "invariants.h"

#include <cmath>
#include <cstring>
#include <sstream>

#include "check_tree.h"
#include "predict.h"
#include "target.h"

namespace quercus_test {

TreeView view_of(const TreeArrays& t) {
  TreeView v;
  v.n_nodes = static_cast<int64_t>(t.kind.size());
  v.kind = t.kind.data();
  v.attribute = t.attribute.data();
  v.threshold = t.threshold.data();
  v.first_child = t.first_child.data();
  v.n_children = t.n_children.data();
  v.missing_child = t.missing_child.data();
  v.weight = t.weight.data();
  v.group_start = t.group_start.data();
  v.group_value = t.group_value.data();
  v.group_child = t.group_child.data();
  v.n_groups = static_cast<int64_t>(t.group_child.size());
  v.surrogate_start = t.surrogate_start.data();
  v.n_surrogates = static_cast<int64_t>(t.surrogate_kind.size());
  v.surrogate_kind = t.surrogate_kind.data();
  v.surrogate_attribute = t.surrogate_attribute.data();
  v.surrogate_threshold = t.surrogate_threshold.data();
  v.surrogate_low_child = t.surrogate_low_child.data();
  v.surrogate_group_start = t.surrogate_group_start.data();
  v.surrogate_group_value = t.surrogate_group_value.data();
  v.surrogate_group_child = t.surrogate_group_child.data();
  v.n_surrogate_groups = static_cast<int64_t>(t.surrogate_group_child.size());
  return v;
}

namespace {

bool close(double a, double b, double scale = 0.0) {
  return std::abs(a - b) <= 1e-9 * (1.0 + std::abs(a) + std::abs(b) + scale);
}

// The table's rows as prediction reads them.
CompactTree compact_of(const Table& table, const TreeArrays& tree) {
  return CompactTree(view_of(tree), static_cast<int64_t>(table.data.columns.size()));
}

AskedRows rows_of(const Table& table, const CompactTree& tree) {
  return asked_rows(tree, {static_cast<int64_t>(table.data.n_rows), table.data.columns});
}

template <class... Parts>
std::string complaint(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

std::string check_lengths(const TreeArrays& t) {
  size_t n = t.kind.size(), s = t.surrogate_kind.size();
  bool fine = n > 0 && t.attribute.size() == n && t.threshold.size() == n && t.first_child.size() == n &&
              t.n_children.size() == n && t.missing_child.size() == n && t.weight.size() == n && t.count.size() == n &&
              t.gain.size() == n && t.value.size() == n * static_cast<size_t>(t.width) &&
              t.group_start.size() == n + 1 && t.surrogate_start.size() == n + 1 && t.surrogate_attribute.size() == s &&
              t.surrogate_threshold.size() == s && t.surrogate_low_child.size() == s &&
              t.surrogate_agreement.size() == s && t.surrogate_adjusted.size() == s &&
              t.surrogate_group_start.size() == s + 1;
  return fine ? "" : "the arrays' lengths do not fit together";
}

std::string check_leaf(const TreeArrays& t, size_t i) {
  if (t.attribute[i] != 0 || t.first_child[i] != 0 || t.n_children[i] != 0 || !std::isnan(t.threshold[i]) ||
      t.missing_child[i] != -1 || t.gain[i] != 0.0)
    return complaint("leaf ", i, " carries parts of a test");
  return "";
}

// Weights and counts of the children against the parent's. Only fractional examples count in several children.
std::string check_children_of(const TreeArrays& t, size_t i, const Options& o) {
  double weight = 0.0;
  int64_t count = 0;
  for (int c = 0; c < t.n_children[i]; ++c) {
    size_t child = static_cast<size_t>(t.first_child[i] + c);
    if (child <= i || child >= t.kind.size()) return complaint("child ", child, " of node ", i, " is out of order");
    weight += t.weight[child];
    count += t.count[child];
  }
  if (!close(weight, t.weight[i], t.weight[0]))
    return complaint("the children of node ", i, " weigh ", weight, ", it ", t.weight[i]);
  bool spread = o.missing == Missing::fractional;
  if (spread ? count < t.count[i] : count != t.count[i])
    return complaint("the children of node ", i, " count ", count, " instances, it ", t.count[i]);
  if (!(t.gain[i] > -1e-9)) return complaint("node ", i, " was split with gain ", t.gain[i]);
  return "";
}

std::string check_value(const TreeArrays& t, size_t i, const TargetKind& target) {
  const double* value = &t.value[i * static_cast<size_t>(t.width)];
  if (!target.n_classes)
    return value[target.squares()] < -1e-9 ? complaint("node ", i, " has a negative squared deviation") : "";
  double sum = 0.0;
  for (int j = 0; j < t.width; ++j) sum += value[j];
  return close(sum, t.weight[i]) ? "" : complaint("the classes of node ", i, " weigh ", sum, ", it ", t.weight[i]);
}

// Depth and number of leaves against the limits.
std::string check_limits(const TreeArrays& t, const Options& o) {
  std::vector<int64_t> depth(t.kind.size(), 0);
  int64_t deepest = 0, leaves = 0;
  for (size_t i = 0; i < t.kind.size(); ++i) {
    deepest = std::max(deepest, depth[i]);
    leaves += t.kind[i] == 0;
    for (int c = 0; c < t.n_children[i]; ++c) depth[static_cast<size_t>(t.first_child[i] + c)] = depth[i] + 1;
  }
  if (o.max_depth >= 0 && deepest > o.max_depth) return complaint("depth ", deepest, " exceeds ", o.max_depth);
  if (o.max_leaf_nodes > 0 && leaves > o.max_leaf_nodes) return complaint(leaves, " leaves exceed ", o.max_leaf_nodes);
  return "";
}

}  // namespace

std::string check_arrays(const TreeArrays& t, const Table& table, const Options& o) {
  std::string found = check_lengths(t);
  if (!found.empty()) return found;
  try {
    check_tree(view_of(t), static_cast<int64_t>(table.data.columns.size()));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  if (!close(t.weight[0], table.total_weight())) return "the root does not hold all the weight";
  if (t.count[0] != table.data.n_rows) return "the root does not hold all rows";
  for (size_t i = 0; i < t.kind.size() && found.empty(); ++i) {
    found = t.kind[i] == 0 ? check_leaf(t, i) : check_children_of(t, i, o);
    if (found.empty()) found = check_value(t, i, TargetKind(table.data, o));
  }
  return found.empty() ? check_limits(t, o) : found;
}

std::string check_tallies(const TreeArrays& t, const Table& table, const Options& o) {
  if (o.missing == Missing::class_most_common && table.has_unknown) return "";
  size_t n = t.kind.size(), width = static_cast<size_t>(t.width);
  size_t routed_width = is_of_numbers(o.criterion) ? NumberTally::width : width;
  int mean = TargetKind(table.data, o).mean();
  std::vector<double> sums(n * routed_width, 0.0);
  const double* weights = table.weights.empty() ? nullptr : table.weights.data();
  CompactTree compact = compact_of(table, t);
  AskedRows rows = rows_of(table, compact);
  if (is_of_numbers(o.criterion))
    tally_rows(compact, rows, NumberTally{table.target.data()}, weights, {}, sums.data());
  else
    tally_rows(compact, rows, ClassTally{t.width, table.labels.data()}, weights, {}, sums.data());
  for (size_t i = 0; i < n; ++i) {
    const double *stored = &t.value[i * width], *routed = &sums[i * routed_width];
    if (is_of_numbers(o.criterion)) {
      if (!close(routed[0], t.weight[i], t.weight[0]))
        return complaint("node ", i, " holds ", t.weight[i], ", routing brings ", routed[0]);
      if (t.weight[i] > 1e-6 && std::abs(routed[1] - stored[mean]) > 1e-6)
        return complaint("node ", i, " has mean ", stored[mean], ", routing brings ", routed[1]);
      continue;
    }
    for (size_t j = 0; j < width; ++j)
      if (!close(stored[j], routed[j], t.weight[0]))
        return complaint("node ", i, " holds ", stored[j], " of class ", j, ", routing brings ", routed[j]);
  }
  return "";
}

std::string check_predictions(const TreeArrays& t, const Table& table) {
  CompactTree tree = compact_of(table, t);
  AskedRows rows = rows_of(table, tree);
  size_t n = table.data.n_rows;
  std::vector<int64_t> leaves(n);
  find_leaves(tree, rows, {}, leaves.data());
  Paths paths = find_paths(tree, rows, true, {2, {}});
  std::vector<double> ones(t.kind.size(), 1.0), sums(n);
  predict_values(tree, rows, ones.data(), 1, {}, sums.data());
  for (size_t r = 0; r < n; ++r) {
    if (t.kind[static_cast<size_t>(leaves[r])] != 0) return complaint("row ", r, " does not end in a leaf");
    if (!close(sums[r], 1.0)) return complaint("the parts of row ", r, " add up to ", sums[r]);
    bool met = false;
    for (int64_t p = paths.starts[r]; p < paths.starts[r + 1]; ++p)
      met = met || paths.nodes[static_cast<size_t>(p)] == leaves[r];
    if (!met) return complaint("the path of row ", r, " misses its leaf");
  }
  return "";
}

namespace {

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// Numbers may differ in the last bits where sums are taken in another order; NaN equals NaN.
bool same_numbers(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!(close(a[i], b[i]) || (std::isnan(a[i]) && std::isnan(b[i])))) return false;
  return true;
}

}  // namespace

std::string check_same(const TreeArrays& a, const TreeArrays& b, bool exactly) {
  auto numbers = [&](const std::vector<double>& x, const std::vector<double>& y) {
    return exactly ? same_bits(x, y) : same_numbers(x, y);
  };
  if (!same_bits(a.kind, b.kind) || !same_bits(a.attribute, b.attribute) || !same_bits(a.n_children, b.n_children) ||
      !same_bits(a.first_child, b.first_child) || !same_bits(a.missing_child, b.missing_child) ||
      !same_bits(a.count, b.count) || !same_bits(a.group_start, b.group_start) ||
      !same_bits(a.group_child, b.group_child) || !same_bits(a.threshold, b.threshold))
    return "the trees differ in structure";
  if (!same_bits(a.surrogate_attribute, b.surrogate_attribute) ||
      !same_bits(a.surrogate_threshold, b.surrogate_threshold) ||
      !same_bits(a.surrogate_low_child, b.surrogate_low_child))
    return "the trees differ in surrogates";
  if (!numbers(a.weight, b.weight) || !numbers(a.gain, b.gain) || !numbers(a.value, b.value))
    return "the trees differ in weights, gains or values";
  return "";
}

}  // namespace quercus_test
