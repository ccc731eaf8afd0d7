// Question: what an inner node asks. The properties of each kind of question, and the branch that a row takes, stand
// here; growing, checking, predicting, pruning and rules ask these (docs/specification.md).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <vector>

#include "dataset.h"

namespace quercus {

enum class SplitKind : uint8_t { leaf = 0, threshold = 1, multiway = 2, grouped = 3, subset = 4 };

// The same properties as those of the classes in the package's tree/questions/.
struct KindTraits {
  bool asks_numbers = false;      // the question reads numbers; if false, codes
  bool has_threshold = false;     // a number is compared with the threshold
  bool has_groups = false;        // a table tells the child of each code; without one the code itself is the child
  bool has_two_branches = false;  // always two; if false, two or more
  bool asked_once = false;        // no question below asks the attribute again
  bool reads_several = false;     // several attributes may decide together
};
inline constexpr KindTraits kinds[] = {
    {},                                                                       // leaf
    {.asks_numbers = true, .has_threshold = true, .has_two_branches = true},  // threshold
    {.asked_once = true},                                                     // multiway
    {.has_groups = true},                                                     // grouped
    {.has_groups = true, .has_two_branches = true},                           // subset
};
constexpr uint8_t n_kinds = std::size(kinds);
constexpr const KindTraits& traits(SplitKind kind) { return kinds[static_cast<uint8_t>(kind)]; }

constexpr int32_t no_branch = -1;

// A question, borrowed from a tree or from a node that is growing.
struct Question {
  SplitKind kind = SplitKind::leaf;
  int32_t attribute = 0;
  double threshold = 0.0;
  const int32_t* values = nullptr;  // the codes of the groups, ascending; null: all from 0 on
  const int32_t* groups = nullptr;  // the child of each of them; null: the code itself is the child
  int64_t n_groups = 0;             // how many codes these are

  // Codes from here on have no child.
  int64_t n_codes() const {
    if (!values) return n_groups;
    return n_groups > 0 ? int64_t{values[n_groups - 1]} + 1 : 0;
  }
  // The child of a code, or no_branch. Only here and in for_each is known how groups are stored.
  int32_t child_of(int32_t code) const {
    if (values) {
      const int32_t* at = std::lower_bound(values, values + n_groups, code);
      return at != values + n_groups && *at == code ? groups[at - values] : no_branch;
    }
    if (code < 0 || code >= n_groups) return no_branch;
    return groups ? groups[code] : code;
  }
  // Calls visit(code, child) for each code that has a child, ascending.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (int64_t i = 0; i < n_groups; ++i) {
      int32_t code = values ? values[i] : static_cast<int32_t>(i), child = groups ? groups[i] : code;
      if (child >= 0) visit(code, child);
    }
  }
};

// The branch that the row's own values take, or no_branch if one is unknown or has none.
inline int32_t branch_of(const Question& question, const std::vector<Column>& columns, size_t row) {
  const Column& column = columns[static_cast<size_t>(question.attribute)];
  if (question.kind != SplitKind::threshold) return question.child_of(column.code(row));
  double x = column.number(row);
  if (std::isnan(x)) return no_branch;
  return x <= question.threshold ? 0 : 1;
}

}  // namespace quercus
