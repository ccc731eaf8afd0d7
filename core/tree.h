// Tree: the struct of arrays that every later stage reads, and its invariants (docs/specification.md).
#pragma once

#include <cstdint>
#include <vector>

namespace quercus {

enum class SplitKind : uint8_t { leaf = 0, threshold = 1, multiway = 2, grouped = 3, subset = 4 };

struct TreeArrays {
  std::vector<uint8_t> kind;
  std::vector<int32_t> attribute;
  std::vector<double> threshold;
  std::vector<int32_t> first_child, n_children, missing_child;
  std::vector<double> weight;
  std::vector<int64_t> count;
  std::vector<double> gain;
  std::vector<double> value;  // [n, width]
  int width = 0;
  std::vector<int64_t> group_start;
  std::vector<int32_t> group_child;
  std::vector<int64_t> surrogate_start;
  std::vector<uint8_t> surrogate_kind;
  std::vector<int32_t> surrogate_attribute;
  std::vector<double> surrogate_threshold;
  std::vector<int32_t> surrogate_low_child;
  std::vector<double> surrogate_agreement, surrogate_adjusted;
  std::vector<int64_t> surrogate_group_start;
  std::vector<int32_t> surrogate_group_child;
};

struct Surrogate {
  SplitKind kind = SplitKind::threshold;
  int32_t attribute = 0;
  double threshold = 0.0;
  int32_t low_child = 0;
  double agreement = 0.0, adjusted = 0.0;
  std::vector<int32_t> group;  // child position of each declared value
};

// A node while the tree grows.
struct NodeRecord {
  SplitKind kind = SplitKind::leaf;
  int32_t attribute = 0;
  double threshold = 0.0;
  int32_t first_child = 0, n_children = 0, missing_child = -1;
  int32_t subtree = -1;  // the builder that grew what is below this node, or -1
  int64_t count = 0;
  double weight = 0.0, gain = 0.0;
  std::vector<int32_t> group;
  std::vector<Surrogate> surrogates;
};

// The nodes that one worker makes; children are contiguous.
struct Builder {
  std::vector<NodeRecord> nodes;
  std::vector<double> values;  // [n, width]
  int width = 0;

  int32_t add(int32_t count) {
    int32_t first = static_cast<int32_t>(nodes.size());
    nodes.resize(nodes.size() + count);
    values.resize(values.size() + static_cast<size_t>(count) * width, 0.0);
    return first;
  }
  double* value(int32_t node) { return values.data() + static_cast<size_t>(node) * width; }
};

}  // namespace quercus
