// SampledPack: the nodes of a forest's tree as it grew, packed at once.
#pragma once

#include "assemble.h"
#include "forest_plan.h"
#include "packed.h"

namespace quercus {

// A finished tree: packed if its questions allow it.
struct ForestTree {
  std::optional<PackedTree> packed;
  std::vector<u16> leaf_draws;  // instead of its leaf_value, where class weights are whole numbers below 65,536
  TreeArrays plain;
};

// The divisions of nominal values of all nodes of a tree, one behind the other: only values that are present are kept.
class Divisions {
 public:
  void clear() {
    start_.assign(1, 0);
    all_.code.clear();
    all_.right.clear();
  }
  // The number of the new division.
  int32_t add(const Division& division) {
    all_.code.insert(all_.code.end(), division.code.begin(), division.code.end());
    all_.right.insert(all_.right.end(), division.right.begin(), division.right.end());
    start_.push_back(all_.code.size());
    return static_cast<int32_t>(start_.size()) - 2;
  }
  // Calls visit(value, right) for each value of a division.
  template <class Visit>
  void for_each(int32_t number, Visit&& visit) const {
    for (size_t i = start_[static_cast<size_t>(number)]; i < start_[static_cast<size_t>(number) + 1]; ++i)
      visit(all_.code[i], all_.right[i] != 0);
  }

 private:
  Division all_;
  std::vector<size_t> start_;
};

// Records hold the number of their division as `subtree` while the tree grows.
class SampledPack {
 public:
  SampledPack(std::vector<Builder>& builders, const Divisions& divisions, const ForestPlan& forest)
      : builders_(builders), builder_(builders[0]), divisions_(divisions), forest_(forest) {}

  ForestTree run() {
    ForestTree tree;
    bool clipped = !forest_.data.n_classes && forest_.options.has_order();  // means of leaves may be lost
    if (forest_.data.columns.size() > MOST_PACKED || clipped) {
      tree.plain = assembled();
      if (clipped) tree.packed = packed(tree.plain, 0, forest_.data.columns.size());
      if (tree.packed) tree.plain = TreeArrays();
      return tree;
    }
    number();
    tree.packed.emplace();
    write(*tree.packed);
    tree.leaf_draws = std::move(leaf_draws_);
    return tree;
  }

 private:
  size_t n_values(const NodeRecord& record) const {
    return static_cast<size_t>(forest_.data.columns[static_cast<size_t>(record.attribute)].n_values);
  }

  TreeArrays assembled() {
    for (NodeRecord& record : builder_.nodes) {
      if (record.kind == SplitKind::subset) {
        record.group.assign(n_values(record), -1);
        divisions_.for_each(record.subtree, [&](u32 value, bool right) { record.group[value] = right; });
      }
      record.subtree = -1;
    }
    return Assembler(builders_, forest_.options, forest_.data.n_classes).run();
  }

  // The root 0; a node's children together, then each child's subtree in turn.
  void number() {
    order_.assign(1, 0);
    order_.reserve(builder_.nodes.size());
    first_child_.assign(builder_.nodes.size(), 0);
    std::vector<int32_t> stack{0};
    while (!stack.empty()) {
      int32_t at = stack.back();
      stack.pop_back();
      const NodeRecord& node = builder_.nodes[static_cast<size_t>(order_[static_cast<size_t>(at)])];
      if (node.kind == SplitKind::leaf) continue;
      auto first = static_cast<int32_t>(order_.size());
      first_child_[static_cast<size_t>(at)] = first;
      order_.push_back(node.first_child);
      order_.push_back(node.first_child + 1);
      stack.push_back(first + 1);
      stack.push_back(first);
    }
  }

  void write(PackedTree& tree) {
    int classes = forest_.data.n_classes;
    auto none = static_cast<u16>(forest_.data.columns.size());
    tree.width = classes ? classes : 1;
    tree.nodes.resize(order_.size());
    tree.gain.reserve(order_.size() / 2);
    reserve_leaves(tree, order_.size() / 2 + 1);
    ValueSetWriter sets;
    for (size_t i = 0; i < order_.size(); ++i) {
      int32_t at = order_[i];
      const NodeRecord& record = builder_.nodes[static_cast<size_t>(at)];
      PackedNode& node = tree.nodes[i];
      node = {0.0, first_child_[i], none, static_cast<u8>(record.kind), 0};
      if (record.kind == SplitKind::leaf) {
        node.first_child = static_cast<int32_t>(i);
        node.key = write_leaf(tree, at, record);
        continue;
      }
      node.attribute = static_cast<u16>(record.attribute);
      node.missing_child = static_cast<int8_t>(record.missing_child);
      tree.gain.push_back(record.gain);
      if (record.kind == SplitKind::threshold) {
        node.key = record.threshold;
        continue;
      }
      divisions_.for_each(record.subtree, [&](u32 value, bool right) { sets.add(value, right); });
      node.key = std::bit_cast<double>(sets.close());
    }
    tree.group = std::move(sets.table);
    tree.group.shrink_to_fit();
  }
  void reserve_leaves(PackedTree& tree, size_t leaves) {
    if (has_small_counts())
      leaf_draws_.reserve(leaves * static_cast<size_t>(tree.width));
    else
      tree.leaf_value.reserve(leaves * static_cast<size_t>(tree.width));
    tree.leaf_weight.reserve(leaves);
    tree.leaf_count.reserve(leaves);
  }
  // Whether the class weights of every leaf are whole numbers that fit into two bytes.
  bool has_small_counts() const { return forest_.counted && builder_.nodes[0].weight <= 65535.0; }
  // Returns the key of the leaf's node.
  double write_leaf(PackedTree& tree, int32_t at, const NodeRecord& record) {
    double key = std::bit_cast<double>(static_cast<u64>(tree.leaf_weight.size()));
    if (has_small_counts()) {
      size_t from = leaf_draws_.size();
      leaf_draws_.resize(from + static_cast<size_t>(tree.width));
      weights_.resize(static_cast<size_t>(tree.width));
      builder_.read(at, weights_.data());
      std::transform(weights_.begin(), weights_.end(), leaf_draws_.begin() + static_cast<std::ptrdiff_t>(from),
                     [](double weight) { return static_cast<u16>(weight); });
    } else if (forest_.data.n_classes) {
      size_t from = tree.leaf_value.size();
      tree.leaf_value.resize(from + static_cast<size_t>(tree.width));
      builder_.read(at, tree.leaf_value.data() + from);
      if (static_cast<size_t>(at) < builder_.bounds.size() && builder_.bounds[static_cast<size_t>(at)])
        put_between(forest_.options, *builder_.bounds[static_cast<size_t>(at)], forest_.data.n_classes,
                    tree.leaf_value.data() + from);
    } else {
      key = builder_.value(at)[0];
      tree.leaf_value.push_back(builder_.value(at)[2]);
    }
    tree.leaf_weight.push_back(record.weight);
    tree.leaf_count.push_back(record.count);
    return key;
  }

  std::vector<Builder>& builders_;
  Builder& builder_;
  const Divisions& divisions_;
  const ForestPlan& forest_;
  std::vector<int32_t> order_;        // of the nodes as they are numbered: where each was made
  std::vector<int32_t> first_child_;  // by the new numbers
  std::vector<u16> leaf_draws_;
  std::vector<double> weights_;  // of the classes at a leaf
};

}  // namespace quercus
