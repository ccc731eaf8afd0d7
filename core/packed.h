// Packed: a tree of binary questions in 16 bytes per node, as forests keep and follow them.
#pragma once

#include <bit>
#include <cstddef>
#include <limits>
#include <optional>

#include "dataset.h"
#include "tree.h"
#include "value_sets.h"

namespace quercus {

// key: the threshold; of a subset the key of its values; of a leaf its number, or the number it predicts.
// A leaf leads to itself, by a question about an attribute behind the last, whose value is below every number: so a
// walk that has arrived stays.
struct PackedNode {
  double key;
  int32_t first_child;  // the second child follows it; a leaf: itself
  u16 attribute;
  u8 kind;
  int8_t missing_child;
};
static_assert(sizeof(PackedNode) == 16);

constexpr size_t MOST_PACKED = 65535;  // attributes

// The kinds that are packed: thresholds, and two groups of values.
constexpr bool can_be_packed(SplitKind kind) { return kind == SplitKind::threshold || kind == SplitKind::subset; }
inline bool by_threshold(const PackedNode& node) { return node.kind == static_cast<u8>(SplitKind::threshold); }
inline bool by_groups(const PackedNode& node) { return node.kind == static_cast<u8>(SplitKind::subset); }

// A tree without what can be found again from its leaves: the weights of a node are those of the leaves below it.
struct PackedTree {
  std::vector<PackedNode> nodes;
  std::vector<double> gain;        // by question, in the order of the nodes
  std::vector<u32> group;          // of subsets: the table of their values
  std::vector<double> leaf_value;  // classes: [leaf, class] weights; numbers: squared deviations by leaf
  std::vector<double> leaf_weight;
  std::vector<int64_t> leaf_count;
  int width = 0;
};

// Nothing if the tree asks questions of another form.
inline std::optional<PackedTree> packed(const TreeArrays& tree, int n_classes, size_t n_attributes) {
  size_t n = tree.kind.size();
  if (!tree.surrogate_kind.empty() || n_attributes > MOST_PACKED) return std::nullopt;
  if (!n_classes && tree.width != 3) return std::nullopt;                 // predicts several quantiles
  if (!n_classes && tree.value[0] != tree.value[1]) return std::nullopt;  // predicts medians: the mean would be lost
  PackedTree result;
  ValueSetWriter sets;
  result.width = n_classes ? n_classes : 1;
  result.nodes.resize(n);
  size_t width = static_cast<size_t>(tree.width);
  for (size_t i = 0; i < n; ++i) {
    auto kind = static_cast<SplitKind>(tree.kind[i]);
    PackedNode& node = result.nodes[i];
    node = {0.0, tree.first_child[i], static_cast<u16>(n_attributes), tree.kind[i], 0};
    const double* value = tree.value.data() + i * width;
    if (kind == SplitKind::leaf) {
      node.first_child = static_cast<int32_t>(i);
      node.key = n_classes ? std::bit_cast<double>(static_cast<u64>(result.leaf_weight.size())) : value[0];
      if (n_classes)
        result.leaf_value.insert(result.leaf_value.end(), value, value + width);
      else
        result.leaf_value.push_back(value[2]);
      result.leaf_weight.push_back(tree.weight[i]);
      result.leaf_count.push_back(tree.count[i]);
      if (tree.count[i] == 0 || (!n_classes && value[0] != value[1])) return std::nullopt;
      continue;
    }
    if (!can_be_packed(kind)) return std::nullopt;
    size_t child = static_cast<size_t>(tree.first_child[i]);
    if (tree.count[child] + tree.count[child + 1] != tree.count[i]) return std::nullopt;  // rows in several branches
    node.attribute = static_cast<u16>(tree.attribute[i]);
    node.missing_child = static_cast<int8_t>(tree.missing_child[i]);
    result.gain.push_back(tree.gain[i]);
    if (by_threshold(node)) {
      node.key = tree.threshold[i];
      continue;
    }
    for (auto g = static_cast<size_t>(tree.group_start[i]); g < static_cast<size_t>(tree.group_start[i + 1]); ++g)
      sets.add(static_cast<u32>(tree.group_value[g]), tree.group_child[g] == 1);
    node.key = std::bit_cast<double>(sets.close());
  }
  result.group = std::move(sets.table);
  return result;
}

}  // namespace quercus
