// Checking: a tree's arrays are proven sound before any row is routed, so that no array can crash the process.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "routing.h"

namespace quercus {

// How a tree reads an attribute: a set of these.
enum Reading : uint8_t { number_test = 1, code_test = 2, number_surrogate = 4, code_surrogate = 8 };

inline bool reads_numbers(uint8_t readings) { return (readings & (number_test | number_surrogate)) != 0; }
inline bool reads_codes(uint8_t readings) { return (readings & (code_test | code_surrogate)) != 0; }

[[noreturn]] inline void reject(const char* array, const char* item, int64_t index, const std::string& why) {
  throw std::invalid_argument("tree array " + std::string(array) + ", " + item + " " + std::to_string(index) + ": " +
                              why + ". A tree's arrays must be those that Tree.from_arrays accepts.");
}

// starts[0 .. n] must rise from 0 to `end`.
inline void check_starts(const char* array, const int64_t* starts, int64_t n, int64_t end) {
  if (starts[0] != 0) reject(array, "entry", 0, "must be 0");
  if (starts[n] != end) reject(array, "entry", n, "must be " + std::to_string(end) + ", the length of what it divides");
  int64_t falls = 0;
  for (int64_t i = 0; i < n; ++i) falls += starts[i + 1] < starts[i];
  for (int64_t i = 0; falls > 0 && i < n; ++i)
    if (starts[i + 1] < starts[i]) reject(array, "entry", i + 1, "must not be less than the entry before");
}

// A table of values and their children, and what its two arrays are called.
struct GroupTable {
  const char *value_name, *child_name;
  const int32_t *value, *child;
};

inline void check_groups(const GroupTable& table, int64_t begin, int64_t end, int32_t n_children) {
  for (int64_t i = begin; i < end; ++i) {
    if (table.child[i] < 0 || table.child[i] >= n_children)
      reject(table.child_name, "entry", i, std::to_string(table.child[i]) + " is no child of its node");
    if (table.value[i] < 0 || (i > begin && table.value[i] <= table.value[i - 1]))
      reject(table.value_name, "entry", i, "the values of a node must rise from 0 or more");
  }
}

// Whether a node's own numbers are in range; every term is evaluated, so that checking a big tree stays cheap.
inline bool sound(const TreeView& tree, int64_t node, int64_t n_attributes) {
  uint8_t kind = tree.kind[node];
  int64_t first = tree.first_child[node], n = tree.n_children[node], missing = tree.missing_child[node];
  int64_t attribute = tree.attribute[node];
  double weight = tree.weight[node], threshold = tree.threshold[node];
  const KindTraits& traits_of_node = kinds[kind < n_kinds ? kind : 0];
  bool leaf = kind == 0;
  bool family = (n >= 1) & (first > node) & (first <= tree.n_nodes - n) & (!traits_of_node.has_two_branches | (n == 2));
  bool test =
      (attribute >= 0) & (attribute < n_attributes) & (!traits_of_node.has_threshold | (threshold == threshold));
  return (kind < n_kinds) & (weight >= 0.0) & (weight <= std::numeric_limits<double>::max()) &
         (leaf | (family & test & (missing >= -1) & (missing < n)));
}

// Says what is wrong with a node that is not sound.
[[noreturn]] inline void explain(const TreeView& tree, int64_t node, int64_t n_attributes) {
  uint8_t kind = tree.kind[node];
  int64_t first = tree.first_child[node], n = tree.n_children[node], attribute = tree.attribute[node];
  if (kind >= n_kinds) reject("kind", "node", node, "must be 0 to " + std::to_string(n_kinds - 1));
  if (!(tree.weight[node] >= 0.0) || std::isinf(tree.weight[node]))
    reject("weight", "node", node, "must be a finite number, 0 or more");
  if (n < 1) reject("n_children", "node", node, "a test needs children");
  if (kinds[kind].has_two_branches && n != 2) reject("n_children", "node", node, "must be 2 for this test");
  if (first <= node || first > tree.n_nodes - n)
    reject("first_child", "node", node, "children must follow their parent and lie below n_nodes");
  if (attribute < 0 || attribute >= n_attributes)
    reject("attribute", "node", node,
           std::to_string(attribute) + " is not one of " + std::to_string(n_attributes) + " attributes");
  if (kinds[kind].has_threshold && std::isnan(tree.threshold[node]))
    reject("threshold", "node", node, "must not be NaN");
  reject("missing_child", "node", node, "must be -1 or a child position");
}

// Checks every node by itself, notes how it reads its attribute, and counts each node's parents, as differences.
inline void check_nodes(const TreeView& tree, int64_t n_attributes, std::vector<uint8_t>& readings) {
  std::vector<int32_t> parents(static_cast<size_t>(tree.n_nodes) + 1, 0);
  for (int64_t node = 0; node < tree.n_nodes; ++node) {
    if (!sound(tree, node, n_attributes)) explain(tree, node, n_attributes);
    int32_t test = tree.leaf(node) ? 0 : 1;
    auto attribute = static_cast<size_t>(test * tree.attribute[node]);
    int reading = traits(tree.split(node)).asks_numbers ? number_test : code_test;
    readings[attribute] |= static_cast<uint8_t>(test * reading);
    for (int32_t further : tree.further_attributes(node)) {
      if (further < 0 || further >= n_attributes) reject("attribute", "node", node, "reads no attribute of the rows");
      readings[static_cast<size_t>(further)] |= static_cast<uint8_t>(reading);
    }
    parents[static_cast<size_t>(test * tree.first_child[node])] += test;
    parents[static_cast<size_t>(test * (tree.first_child[node] + tree.n_children[node]))] -= test;
  }
  int32_t count = parents[0];
  for (int64_t node = 1; node < tree.n_nodes; ++node) {
    count += parents[static_cast<size_t>(node)];
    if (count != 1)
      reject("first_child", "node", node, "is a child of " + std::to_string(count) + " nodes, not of one");
  }
}

inline void check_surrogate(const TreeView& tree, int64_t s, int64_t n_attributes, std::vector<uint8_t>& readings) {
  uint8_t kind = tree.surrogate_kind[s];
  if (kind >= n_kinds || !kinds[kind].has_two_branches || kinds[kind].reads_several)
    reject("surrogate_kind", "surrogate", s, "must be a kind of question with two branches about one attribute");
  bool number = kinds[kind].has_threshold;
  int32_t attribute = tree.surrogate_attribute[s];
  if (attribute < 0 || attribute >= n_attributes)
    reject("surrogate_attribute", "surrogate", s,
           std::to_string(attribute) + " is not one of " + std::to_string(n_attributes) + " attributes");
  readings[static_cast<size_t>(attribute)] |= number ? number_surrogate : code_surrogate;
  if (number && std::isnan(tree.surrogate_threshold[s]))
    reject("surrogate_threshold", "surrogate", s, "must not be NaN");
  if (number && (tree.surrogate_low_child[s] < 0 || tree.surrogate_low_child[s] > 1))
    reject("surrogate_low_child", "surrogate", s, "must be 0 or 1");
  GroupTable groups{"surrogate_group_value", "surrogate_group_child", tree.surrogate_group_value,
                    tree.surrogate_group_child};
  check_groups(groups, tree.surrogate_group_start[s], tree.surrogate_group_start[s + 1], 2);
}

// Throws std::invalid_argument unless the arrays make one tree over `n_attributes`; says how each attribute is read.
inline std::vector<uint8_t> check_tree(const TreeView& tree, int64_t n_attributes) {
  if (tree.n_nodes >= INT32_MAX) throw std::invalid_argument("a tree has at most 2147483646 nodes.");
  check_starts("group_start", tree.group_start, tree.n_nodes, tree.n_groups);
  check_starts("surrogate_start", tree.surrogate_start, tree.n_nodes, tree.n_surrogates);
  check_starts("surrogate_group_start", tree.surrogate_group_start, tree.n_surrogates, tree.n_surrogate_groups);
  std::vector<uint8_t> readings(static_cast<size_t>(std::max<int64_t>(n_attributes, 1)), 0);
  check_nodes(tree, n_attributes, readings);
  GroupTable groups{"group_value", "group_child", tree.group_value, tree.group_child};
  for (int64_t node = 0; tree.n_groups > 0 && node < tree.n_nodes; ++node)
    if (traits(tree.split(node)).has_groups)
      check_groups(groups, tree.group_start[node], tree.group_start[node + 1], tree.n_children[node]);
  for (int64_t node = 0; tree.n_surrogates > 0 && node < tree.n_nodes; ++node) {
    if (tree.has_surrogates(node) && (tree.leaf(node) || tree.n_children[node] != 2))
      reject("surrogate_start", "node", node, "only a test with two branches has surrogates");
    for (int64_t s = tree.surrogate_start[node]; s < tree.surrogate_start[node + 1]; ++s)
      check_surrogate(tree, s, n_attributes, readings);
  }
  readings.resize(static_cast<size_t>(n_attributes));
  for (size_t a = 0; a < readings.size(); ++a)
    if (reads_numbers(readings[a]) && reads_codes(readings[a]))
      throw std::invalid_argument("attribute " + std::to_string(a) + " is tested as a number and as a code.");
  return readings;
}

}  // namespace quercus
