// Question: what an inner node asks. The properties of each kind of question, and the branch that a row takes, stand
// here; growing, checking, predicting, pruning and rules ask these (docs/specification.md).
#pragma once

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
  const int32_t* groups = nullptr;  // the child of each code; null: the code itself is the child
  int64_t n_codes = 0;              // how many codes have a place there, or a child

  // The child of a code, or no_branch.
  int32_t child_of(int32_t code) const {
    if (code < 0 || code >= n_codes) return no_branch;
    return groups ? groups[code] : code;
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
