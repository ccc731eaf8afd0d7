// Routing: which way one row takes through a tree, unknown values included (docs/specification.md).
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "dataset.h"
#include "tree.h"

namespace quercus {

// The arrays of a tree that routing reads, borrowed.
struct TreeView {
  int64_t n_nodes = 0;
  const uint8_t* kind = nullptr;
  const int32_t* attribute = nullptr;
  const double* threshold = nullptr;
  const int32_t* first_child = nullptr;
  const int32_t* n_children = nullptr;
  const int32_t* missing_child = nullptr;
  const double* weight = nullptr;
  const int64_t* group_start = nullptr;
  const int32_t* group_value = nullptr;
  const int32_t* group_child = nullptr;
  int64_t n_groups = 0;  // length of group_value and group_child
  const int64_t* surrogate_start = nullptr;
  int64_t n_surrogates = 0;
  const uint8_t* surrogate_kind = nullptr;
  const int32_t* surrogate_attribute = nullptr;
  const double* surrogate_threshold = nullptr;
  const int32_t* surrogate_low_child = nullptr;
  const int64_t* surrogate_group_start = nullptr;
  const int32_t* surrogate_group_value = nullptr;
  const int32_t* surrogate_group_child = nullptr;
  int64_t n_surrogate_groups = 0;  // length of surrogate_group_value and surrogate_group_child

  SplitKind split(int64_t node) const { return static_cast<SplitKind>(kind[node]); }
  Question question(int64_t node) const {
    bool groups = traits(split(node)).has_groups;
    int64_t begin = group_start[node];
    if (!groups) return {split(node), attribute[node], threshold[node], nullptr, nullptr, n_children[node]};
    return {split(node),         attribute[node],     threshold[node],
            group_value + begin, group_child + begin, group_start[node + 1] - begin};
  }
  Question surrogate(int64_t s) const {
    int64_t begin = surrogate_group_start[s];
    return {static_cast<SplitKind>(surrogate_kind[s]),
            surrogate_attribute[s],
            surrogate_threshold[s],
            surrogate_group_value + begin,
            surrogate_group_child + begin,
            surrogate_group_start[s + 1] - begin};
  }
  // The attributes that a question reads besides attribute[node]; so far no kind reads several.
  std::span<const int32_t> further_attributes(int64_t) const { return {}; }
  bool leaf(int64_t node) const { return kind[node] == 0; }
  bool has_surrogates(int64_t node) const { return surrogate_start[node] < surrogate_start[node + 1]; }
};

// The rows to route: one column per attribute of the schema; columns that no test reads may be empty.
struct Rows {
  int64_t n_rows = 0;
  std::vector<Column> columns;
};

// The branch that the row's own values take, or no_branch.
inline int32_t branch_of_value(const TreeView& tree, const Rows& rows, int64_t node, int64_t row) {
  return branch_of(tree.question(node), rows.columns, static_cast<size_t>(row));
}

// The branch of the first surrogate that knows the row, or no_branch.
inline int32_t branch_of_surrogate(const TreeView& tree, const Rows& rows, int64_t node, int64_t row) {
  for (int64_t s = tree.surrogate_start[node]; s < tree.surrogate_start[node + 1]; ++s) {
    Question question = tree.surrogate(s);
    int32_t branch = branch_of(question, rows.columns, static_cast<size_t>(row));
    if (branch < 0) continue;
    return traits(question.kind).has_threshold && tree.surrogate_low_child[s] ? 1 - branch : branch;
  }
  return no_branch;
}

// The one branch a row takes: by its value, a surrogate or missing_child; no_branch: it spreads.
inline int32_t branch(const TreeView& tree, const Rows& rows, int64_t node, int64_t row) {
  int32_t child = branch_of_value(tree, rows, node, row);
  if (child >= 0) return child;
  child = branch_of_surrogate(tree, rows, node, row);
  return child >= 0 ? child : tree.missing_child[node];
}

}  // namespace quercus
