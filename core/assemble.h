// Assemble: from the builders' records to the tree's arrays: useless splits collapsed, nodes numbered depth first.
#pragma once

#include <limits>

#include "constraints.h"
#include "options.h"
#include "tree.h"

namespace quercus {

class Assembler {
 public:
  Assembler(std::vector<Builder>& builders, const Options& options, int classes)
      : builders_(builders), options_(options), classes_(classes) {}

  TreeArrays run() {
    number();
    if (options_.collapse != Collapse::no && classes_) {
      if (collapse()) number();
    }
    return emit();
  }

 private:
  struct Ref {
    int32_t builder, node;
    int32_t parent, first_child;
  };

  NodeRecord& record(const Ref& ref) { return builders_[ref.builder].nodes[ref.node]; }
  const double* value(const Ref& ref) {
    numbers_.resize(static_cast<size_t>(builders_[0].width));
    builders_[ref.builder].read(ref.node, numbers_.data());
    return numbers_.data();
  }
  Ref resolve(int32_t builder, int32_t node, int32_t parent) {
    while (builders_[builder].nodes[node].subtree >= 0) {
      builder = builders_[builder].nodes[node].subtree;
      node = 0;
    }
    return {builder, node, parent, 0};
  }

  // The root 0; a node's children together, then each child's subtree in turn.
  void number() {
    refs_.clear();
    refs_.push_back(resolve(0, 0, -1));
    std::vector<int32_t> stack{0};
    while (!stack.empty()) {
      int32_t at = stack.back();
      stack.pop_back();
      NodeRecord& node = record(refs_[at]);
      if (node.kind == SplitKind::leaf) continue;
      int32_t first = static_cast<int32_t>(refs_.size()), builder = refs_[at].builder;
      refs_[at].first_child = first;
      for (int32_t i = 0; i < node.n_children; ++i) refs_.push_back(resolve(builder, node.first_child + i, at));
      for (int32_t i = node.n_children; i-- > 0;) stack.push_back(first + i);
    }
  }

  double leaf_errors(const Ref& ref) {
    const double* c = value(ref);
    double weight = record(ref).weight, best = 0.0;
    if (options_.cost_matrix.empty()) {
      for (int j = 0; j < classes_; ++j) best = std::max(best, c[j]);
      return weight - best;
    }
    costs_.assign(static_cast<size_t>(classes_), 0.0);
    for (int i = 0; i < classes_; ++i)
      for (int j = 0; c[i] > 0.0 && j < classes_; ++j)
        costs_[j] += c[i] * options_.cost_matrix[static_cast<size_t>(i) * classes_ + j];
    return *std::min_element(costs_.begin(), costs_.end());
  }

  void make_leaf(NodeRecord& node) {
    node.kind = SplitKind::leaf;
    node.n_children = 0;
    node.group.clear();
    node.surrogates.clear();
  }

  bool collapse() {
    size_t n = refs_.size();
    std::vector<double> own(n), below(n, 0.0);
    bool bottom_up = options_.collapse == Collapse::bottom_up, changed = false;
    constexpr double slack = 1e-9;
    for (size_t i = n; i-- > 0;) {
      own[i] = leaf_errors(refs_[i]);
      NodeRecord& node = record(refs_[i]);
      if (node.kind == SplitKind::leaf) {
        below[i] = own[i];
      } else if (bottom_up && below[i] >= own[i] - options_.collapse_tolerance - slack) {
        make_leaf(node);
        changed = true;
        below[i] = own[i];
      }
      if (refs_[i].parent >= 0) below[refs_[i].parent] += below[i];
    }
    if (!bottom_up)
      for (size_t i = 0; i < n; ++i) {
        NodeRecord& node = record(refs_[i]);
        if (node.kind == SplitKind::leaf || below[i] < own[i] - options_.collapse_tolerance - slack) continue;
        make_leaf(node);
        changed = true;
      }
    return changed;
  }

  TreeArrays emit() {
    TreeArrays tree;
    size_t n = refs_.size();
    int width = builders_[0].width;
    tree.width = width;
    check_size(n, width);
    tree.make_room(n);
    tree.value.resize(n * static_cast<size_t>(width), 0.0);
    for (size_t i = 0; i < n; ++i) emit(tree, i);
    for (auto* array : {&tree.group_value, &tree.group_child}) array->shrink_to_fit();
    add_up(tree);
    return tree;
  }

  void emit(TreeArrays& tree, size_t i) {
    NodeRecord& node = record(refs_[i]);
    bool leaf = node.kind == SplitKind::leaf;
    tree.kind[i] = static_cast<uint8_t>(node.kind);
    tree.attribute[i] = leaf ? 0 : node.attribute;
    if (node.kind == SplitKind::threshold) tree.threshold[i] = node.threshold;
    tree.first_child[i] = leaf ? 0 : refs_[i].first_child;
    tree.n_children[i] = leaf ? 0 : node.n_children;
    tree.missing_child[i] = leaf ? -1 : node.missing_child;
    tree.weight[i] = node.weight;
    tree.count[i] = node.count;
    tree.gain[i] = leaf ? 0.0 : node.gain;
    const Builder& builder = builders_[refs_[i].builder];
    double* value = tree.value.data() + i * static_cast<size_t>(tree.width);
    if (!node.is_sum) builder.read(refs_[i].node, value);
    if (static_cast<size_t>(refs_[i].node) < builder.bounds.size() && builder.bounds[refs_[i].node] && node.count)
      put_between(options_, *builder.bounds[refs_[i].node], classes_, value);
    if (traits(node.kind).has_groups)
      node.for_each_value([&](int32_t value, int32_t child) {
        tree.group_value.push_back(value);
        tree.group_child.push_back(child);
      });
    tree.group_start[i + 1] = static_cast<int64_t>(tree.group_child.size());
    for (const Surrogate& s : node.surrogates) emit(tree, s);
    tree.surrogate_start[i + 1] = static_cast<int64_t>(tree.surrogate_kind.size());
  }

  // The numbers of questions that were not stored; children come after their parents.
  void add_up(TreeArrays& tree) {
    auto width = static_cast<size_t>(tree.width);
    for (size_t i = refs_.size(); i-- > 0;) {
      if (!record(refs_[i]).is_sum) continue;
      double* sum = tree.value.data() + i * width;
      const double* from = tree.value.data() + static_cast<size_t>(tree.first_child[i]) * width;
      for (int32_t c = 0; c < tree.n_children[i]; ++c, from += width)
        for (size_t j = 0; j < width; ++j) sum[j] += from[j];
    }
  }

  static void emit(TreeArrays& tree, const Surrogate& s) {
    tree.surrogate_kind.push_back(static_cast<uint8_t>(s.kind));
    tree.surrogate_attribute.push_back(s.attribute);
    tree.surrogate_threshold.push_back(s.threshold);
    tree.surrogate_low_child.push_back(s.low_child);
    tree.surrogate_agreement.push_back(s.agreement);
    tree.surrogate_adjusted.push_back(s.adjusted);
    s.question().for_each([&](int32_t value, int32_t child) {
      tree.surrogate_group_value.push_back(value);
      tree.surrogate_group_child.push_back(child);
    });
    tree.surrogate_group_start.push_back(static_cast<int64_t>(tree.surrogate_group_child.size()));
  }

  std::vector<Builder>& builders_;
  const Options& options_;
  int classes_;
  std::vector<Ref> refs_;
  std::vector<double> numbers_, costs_;
};

}  // namespace quercus
