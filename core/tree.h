// Tree: the struct of arrays that every later stage reads, and its invariants (docs/specification.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "question.h"

namespace quercus {

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
  std::vector<int32_t> group_value, group_child;
  std::vector<int64_t> surrogate_start;
  std::vector<uint8_t> surrogate_kind;
  std::vector<int32_t> surrogate_attribute;
  std::vector<double> surrogate_threshold;
  std::vector<int32_t> surrogate_low_child;
  std::vector<double> surrogate_agreement, surrogate_adjusted;
  std::vector<int64_t> surrogate_group_start;
  std::vector<int32_t> surrogate_group_value, surrogate_group_child;

  // Leaves without groups and surrogates, all but their values.
  void make_room(size_t nodes) {
    kind.resize(nodes);
    for (auto* array : {&attribute, &first_child, &n_children, &missing_child}) array->resize(nodes);
    for (auto* array : {&weight, &gain}) array->resize(nodes);
    threshold.resize(nodes, std::numeric_limits<double>::quiet_NaN());
    count.resize(nodes);
    group_start.resize(nodes + 1);
    surrogate_start.resize(nodes + 1);
    surrogate_group_start.push_back(0);
  }
};

struct Surrogate {
  SplitKind kind = SplitKind::threshold;
  int32_t attribute = 0;
  double threshold = 0.0;
  int32_t low_child = 0;
  double agreement = 0.0, adjusted = 0.0;
  std::vector<int32_t> group;  // child position of each declared value

  Question question() const {
    return {kind, attribute, threshold, nullptr, group.data(), static_cast<int64_t>(group.size())};
  }
  // The child that the row's value stands for, or no_branch.
  int32_t child_of(const std::vector<Column>& columns, size_t row) const {
    int32_t branch = branch_of(question(), columns, row);
    return branch >= 0 && low_child ? 1 - branch : branch;
  }
};

// A node while the tree grows.
struct NodeRecord {
  SplitKind kind = SplitKind::leaf;
  int32_t attribute = 0;
  double threshold = 0.0;
  int32_t first_child = 0, n_children = 0, missing_child = -1;
  int32_t subtree = -1;    // the builder that grew what is below this node, or -1
  bool is_sum = false;     // its numbers are not stored: they are the sums of its children's
  bool is_packed = false;  // its group is
  int64_t count = 0;
  double weight = 0.0, gain = 0.0;
  std::vector<int32_t> group;  // child position of each declared value, -1: none; packed: see pack_group
  std::vector<Surrogate> surrogates;

  // Keeps of a long group only the values that have a child: how many were declared, then pairs of value and child.
  void pack_group() {
    constexpr size_t short_group = 64;
    if (group.size() < short_group) return;
    auto known = static_cast<size_t>(std::count_if(group.begin(), group.end(), [](int32_t c) { return c >= 0; }));
    if (1 + 2 * known >= group.size()) return;
    std::vector<int32_t> pairs;
    pairs.reserve(1 + 2 * known);
    pairs.push_back(static_cast<int32_t>(group.size()));
    for (size_t value = 0; value < group.size(); ++value)
      if (group[value] >= 0) pairs.insert(pairs.end(), {static_cast<int32_t>(value), group[value]});
    group.swap(pairs);
    is_packed = true;
  }
  // Calls visit(value, child) for each value that has a child, packed or not.
  template <class Visit>
  void for_each_value(Visit&& visit) const {
    if (!is_packed) return question().for_each(visit);
    for (size_t i = 1; i < group.size(); i += 2) visit(group[i], group[i + 1]);
  }

  // Of a group that is not packed.
  Question question() const {
    bool groups = traits(kind).has_groups;
    return {kind,
            attribute,
            threshold,
            nullptr,
            groups ? group.data() : nullptr,
            groups ? static_cast<int64_t>(group.size()) : n_children};
  }
};

constexpr int MANY_CLASSES = 64;                 // from here on a node's class weights are kept without zeros
constexpr size_t MOST_NODES = 2'147'483'646;     // their numbers are 32 bits wide
constexpr size_t MOST_VALUES = size_t{1} << 29;  // class weights of one tree with many classes: 4 GiB

// Refuses a tree of too many nodes; Python sees an OverflowError.
inline void check_size(size_t nodes, int width) {
  if (nodes > MOST_NODES) throw std::overflow_error("The tree has more than 2,147,483,646 nodes. Grow a smaller one.");
  size_t most = MOST_VALUES / static_cast<size_t>(std::max(width, 1));
  if (width > MANY_CLASSES && nodes > most)
    throw std::overflow_error("The tree has more than " + std::to_string(most) + " nodes, the limit for " +
                              std::to_string(width) +
                              " classes: its class weights would take more than 4 GiB. Grow a smaller tree "
                              "(max_leaf_nodes, max_depth, min_samples_leaf), or join rare classes.");
}

struct Bounds;

// The nodes that one worker makes; children are contiguous. A node's numbers are its class weights, or three moments.
// Where they are many, finished nodes keep those that are not 0.
class Builder {
 public:
  std::vector<NodeRecord> nodes;
  int width = 0;
  std::vector<std::shared_ptr<const Bounds>> bounds;  // by node: where its answers must lie; empty: there is no order

  bool wide() const { return width > MANY_CLASSES; }

  int32_t add(int32_t count) {
    int32_t first = static_cast<int32_t>(nodes.size());
    check_size(nodes.size() + static_cast<size_t>(count), width);
    nodes.resize(nodes.size() + count);
    if (!wide()) {
      values_.resize(values_.size() + static_cast<size_t>(count) * width, 0.0);
      return first;
    }
    open_.resize(nodes.size());
    closed_.resize(nodes.size());
    for (int32_t i = first; i < first + count; ++i) open_[i].assign(static_cast<size_t>(width), 0.0);
    return first;
  }
  void clear() {
    nodes.clear();
    bounds.clear();
    values_.clear();
    open_.clear();
    closed_.clear();
  }

  void bound(int32_t node, std::shared_ptr<const Bounds> between) {
    bounds.resize(nodes.size());
    bounds[static_cast<size_t>(node)] = std::move(between);
  }

  // The numbers of a node that is not closed.
  double* value(int32_t node) {
    return wide() ? open_[node].data() : values_.data() + static_cast<size_t>(node) * width;
  }

  // The node is finished.
  void close(int32_t node) {
    if (!wide() || open_[node].empty()) return;
    const std::vector<double>& numbers = open_[node];
    std::vector<std::pair<int32_t, double>> nonzero;
    for (int32_t j = 0; j < width; ++j)
      if (numbers[j] != 0.0) nonzero.emplace_back(j, numbers[j]);
    closed_[node].assign(nonzero.begin(), nonzero.end());  // of its size exactly
    std::vector<double>().swap(open_[node]);
  }

  // The same for a question whose numbers are whole numbers and the sums of its children's: they can be computed again
  // from these.
  void forget(int32_t node) {
    if (!wide()) return;
    nodes[node].is_sum = true;
    std::vector<double>().swap(open_[node]);
  }

  // The numbers of a node that was not forgotten, into to[width].
  void read(int32_t node, double* to) const {
    if (!wide() || !open_[node].empty()) {
      const double* from = wide() ? open_[node].data() : values_.data() + static_cast<size_t>(node) * width;
      std::copy_n(from, width, to);
      return;
    }
    std::fill_n(to, width, 0.0);
    for (auto [j, number] : closed_[node]) to[j] = number;
  }

 private:
  std::vector<double> values_;                                   // [n, width], unless wide
  std::vector<std::vector<double>> open_;                        // wide: of each node that is not closed
  std::vector<std::vector<std::pair<int32_t, double>>> closed_;  // of those that are, what is not 0
};

}  // namespace quercus
