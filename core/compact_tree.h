// Compact tree: the questions of a tree, proven sound once, in memory of their own: 16 bytes per node, values as bits
// or in lists. Nothing that a caller holds can change it, so that no later call has to look through it again.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "asked_column.h"
#include "check_tree.h"
#include "routing.h"

namespace quercus {

// A question of a node or of a surrogate. A leaf asks what its parent asked, and any answer leads to itself.
struct CompactNode {
  // What `word` says, below the number of the slot.
  enum Flag : uint32_t {
    asks_code = 1,       // else a number
    has_table = 2,       // codes with more than two branches, or whose bits would be longer than a list
    unknown_right = 4,   // an unknown number goes right
    unknown_stays = 8,   // an unknown number goes no single way
    low_goes_right = 16  // surrogates: numbers up to the threshold stand for the second branch
  };
  static constexpr int slot_shift = 5;

  uint64_t key;  // the threshold; or where the bits of a code begin: those that go right, and those that stay; or
                 // where the table of codes and children begins
  int32_t first_child;  // of a leaf: itself
  uint32_t word;        // slot and flags

  uint32_t slot() const { return word >> slot_shift; }
  bool is(Flag flag) const { return (word & flag) != 0; }
  double threshold() const { return std::bit_cast<double>(key); }
};
static_assert(sizeof(CompactNode) == 16);

// An attribute that some question reads.
struct AskedAttribute {
  int32_t attribute = 0;
  bool codes = false;
  uint32_t n_codes = 0;  // codes from here on are unknown to every question
};

// The rows to route: one column for each attribute that the tree asks, in their order; others are not looked at.
struct AskedRows {
  int64_t n_rows = 0;
  std::vector<AskedColumn> columns;
  bool one_matrix = false;  // all columns are numbers of one type and lie at the same stride: cells of a row are near
};

// How rows go down a tree: several in step, one after the other, in blocks that are divided at every question, or as
// the tree's size and shape suggest.
enum class Steps : uint8_t { chosen, together, alone, divided };

class CompactTree {
 public:
  Steps steps = Steps::chosen;  // the answers are the same

  // Throws std::invalid_argument unless the arrays make one tree over `n_attributes`.
  CompactTree(const TreeView& tree, int64_t n_attributes) : n_attributes_(n_attributes) {
    find_asked(tree, check_tree(tree, n_attributes));
    add_nodes(tree);
    if (tree.n_surrogates > 0) add_surrogates(tree);
    surprise_ = surprise_of(tree);
    if (spreads_) weight_.assign(tree.weight, tree.weight + tree.n_nodes);
    bits_.shrink_to_fit();
    table_.shrink_to_fit();
  }

  int64_t n_nodes() const { return static_cast<int64_t>(nodes_.size()); }
  int64_t n_attributes() const { return n_attributes_; }
  const std::vector<AskedAttribute>& asked() const { return asked_; }  // by slot, in the order of the attributes
  bool has_codes() const { return has_codes_; }
  bool stays() const { return stays_; }  // whether some question sends unknown values no single way
  // The share of steps that lead to another branch than the one that most training rows take.
  double surprise() const { return surprise_; }
  const CompactNode* nodes() const { return nodes_.data(); }
  const uint64_t* bits() const { return bits_.data(); }
  size_t n_bytes() const {
    return nodes_.size() * sizeof(CompactNode) + bits_.size() * 8 + table_.size() * 4 + weight_.size() * 8 +
           surrogates_.size() * sizeof(CompactNode) + surrogate_start_.size() * 4;
  }

  bool leaf(int64_t node) const { return node_at(node).first_child == node; }
  int32_t first_child(int64_t node) const { return node_at(node).first_child; }
  int32_t n_children(int64_t node) const {
    const CompactNode& here = node_at(node);
    if (here.first_child == node) return 0;
    return here.is(CompactNode::has_table) ? table_[here.key - 1] : 2;
  }
  double weight(int64_t node) const { return weight_[static_cast<size_t>(node)]; }
  int32_t attribute(int64_t node) const { return asked_[node_at(node).slot()].attribute; }

  // The surrogates of a question, and the branch of rows that none of them knows, or no_branch.
  std::span<const CompactNode> surrogates(int64_t node) const {
    if (surrogate_start_.empty()) return {};
    auto at = static_cast<size_t>(node);
    return {surrogates_.data() + surrogate_start_[at], surrogates_.data() + surrogate_start_[at + 1]};
  }
  int32_t unknown_to_surrogates(int64_t node) const {
    auto at = static_cast<size_t>(node);
    return surrogate_start_[at] < surrogate_start_[at + 1] ? missing_child_[surrogate_start_[at]] : no_branch;
  }

  // How a code is found in the bits or the table of a question: 0 if it is unknown.
  static uint32_t place_of(int32_t code, uint32_t n_codes) {
    return static_cast<uint32_t>(code) < n_codes ? static_cast<uint32_t>(code) + 1 : 0;
  }

  // The one branch that a row takes, by its value or by the place of unknown ones; no_branch: it goes no single way.
  int32_t branch(const CompactNode& node, const AskedRows& rows, int64_t row) const {
    const AskedColumn& column = rows.columns[node.slot()];
    if (!node.is(CompactNode::asks_code)) return branch_of_number(node, column.number(row));
    return branch_of_place(node, place_of(column.code(row), asked_[node.slot()].n_codes));
  }
  static int32_t branch_of_number(const CompactNode& node, double x) {
    if (x <= node.threshold()) return 0;
    if (x > node.threshold()) return 1;
    if (node.is(CompactNode::unknown_stays)) return no_branch;
    return node.is(CompactNode::unknown_right) ? 1 : 0;
  }
  int32_t branch_of_place(const CompactNode& node, uint32_t place) const {
    if (node.is(CompactNode::has_table)) return branch_in_table(node.key, place);
    if (bit(node.key >> 32, place)) return no_branch;
    return bit(node.key & 0xffffffffu, place) ? 1 : 0;
  }

  // Whether a code may go no single way.
  bool code_may_stay(const CompactNode& node) const {
    return node.is(CompactNode::has_table) ? table_[node.key] < 0 : node.key >> 32 != 0;
  }

  // The same for a question of the tree, whose surrogates are asked where the value is unknown.
  int32_t branch(int64_t node, const AskedRows& rows, int64_t row) const {
    int32_t child = branch(node_at(node), rows, row);
    if (child >= 0 || surrogate_start_.empty()) return child;
    auto at = static_cast<size_t>(node);
    for (uint32_t s = surrogate_start_[at]; s < surrogate_start_[at + 1]; ++s) {
      child = branch(surrogates_[s], rows, row);
      if (child >= 0) return surrogates_[s].is(CompactNode::low_goes_right) ? 1 - child : child;
    }
    return unknown_to_surrogates(node);
  }

 private:
  const CompactNode& node_at(int64_t node) const { return nodes_[static_cast<size_t>(node)]; }
  // A table: before it the number of branches, then the branch of unknown codes, the number of codes that are listed
  // (-1: the code itself is the child), these codes, ascending, and their children.
  int32_t branch_in_table(uint64_t key, uint32_t place) const {
    const int32_t *table = table_.data() + key, *codes = table + 2, n = table[1];
    auto code = static_cast<int32_t>(place) - 1;
    if (n < 0) return code >= 0 && code < table[-1] ? code : table[0];
    const int32_t* at = std::lower_bound(codes, codes + n, code);
    return at != codes + n && *at == code ? at[n] : table[0];
  }
  bool bit(uint64_t begin, uint32_t place) const { return (bits_[begin + (place >> 6)] >> (place & 63) & 1) != 0; }

  void find_asked(const TreeView& tree, const std::vector<uint8_t>& readings) {
    slot_.assign(readings.size(), 0);
    for (size_t a = 0; a < readings.size(); ++a) {
      if (readings[a] == 0) continue;
      slot_[a] = static_cast<uint32_t>(asked_.size());
      asked_.push_back({static_cast<int32_t>(a), reads_codes(readings[a]), 0});
      has_codes_ |= asked_.back().codes;
    }
    if (asked_.size() >= uint32_t{1} << (32 - CompactNode::slot_shift))
      throw std::invalid_argument("a tree asks at most 134217727 attributes.");
    auto know = [&](const Question& question) {
      if (!asks_codes(question)) return;
      uint32_t& n = asked_[slot_[static_cast<size_t>(question.attribute)]].n_codes;
      n = std::max(n, static_cast<uint32_t>(std::min<int64_t>(question.n_codes(), INT32_MAX)));
    };
    for_each_question(tree, know);
    size_t most = 1;
    for_each_question(tree, [&](const Question& question) {
      if (asks_codes(question) && bits_are_short(question)) most = std::max(most, n_words(question));
    });
    bits_.assign(most, 0);  // what stays where nothing does
  }
  static bool asks_codes(const Question& question) {
    return question.kind != SplitKind::leaf && !traits(question.kind).asks_numbers;
  }
  template <class Visit>
  static void for_each_question(const TreeView& tree, Visit&& visit) {
    for (int64_t node = 0; node < tree.n_nodes; ++node) visit(tree.question(node));
    for (int64_t s = 0; s < tree.n_surrogates; ++s) visit(tree.surrogate(s));
  }
  // The words of a question's bits, and whether these take a cache line at most, or no more than a list.
  size_t n_words(const Question& question) const {
    return words_for(asked_[slot_[static_cast<size_t>(question.attribute)]].n_codes);
  }
  bool bits_are_short(const Question& question) const {
    return n_words(question) <= std::max<size_t>(8, static_cast<size_t>(question.n_groups));
  }
  static size_t words_for(uint32_t n_codes) { return static_cast<size_t>(n_codes / 64) + 1; }

  void add_nodes(const TreeView& tree) {
    nodes_.resize(static_cast<size_t>(tree.n_nodes));
    std::vector<uint32_t> slot_above(nodes_.size(), 0);  // of a leaf: its parent's, whose cell is at hand
    for (int64_t node = 0; node < tree.n_nodes; ++node) {
      CompactNode& here = nodes_[static_cast<size_t>(node)];
      if (tree.leaf(node)) {
        here = {std::bit_cast<uint64_t>(std::numeric_limits<double>::infinity()), static_cast<int32_t>(node),
                slot_above[static_cast<size_t>(node)] << CompactNode::slot_shift};
        continue;
      }
      bool stays = tree.missing_child[node] < 0 || tree.has_surrogates(node);
      spreads_ |= tree.missing_child[node] < 0;
      stays_ |= stays;
      here = compact(tree.question(node), tree.n_children[node], stays ? no_branch : tree.missing_child[node]);
      here.first_child = tree.first_child[node];
      for (int32_t c = 0; c < tree.n_children[node]; ++c)
        slot_above[static_cast<size_t>(tree.first_child[node] + c)] = here.slot();
    }
  }

  static double surprise_of(const TreeView& tree) {
    double steps = 0.0, surprises = 0.0;
    for (int64_t node = 0; node < tree.n_nodes; ++node) {
      if (tree.leaf(node)) continue;
      double sum = 0.0, most = 0.0;
      for (int32_t c = 0; c < tree.n_children[node]; ++c) {
        sum += tree.weight[tree.first_child[node] + c];
        most = std::max(most, tree.weight[tree.first_child[node] + c]);
      }
      steps += sum;
      surprises += sum - most;
    }
    return steps > 0.0 ? surprises / steps : 0.0;
  }

  // unknown: the branch of unknown values, or no_branch.
  CompactNode compact(const Question& question, int32_t n_children, int32_t unknown) {
    if (traits(question.kind).reads_several)
      throw std::invalid_argument("a question that reads several attributes has no compact form.");
    uint32_t slot = slot_[static_cast<size_t>(question.attribute)];
    CompactNode node{0, 0, slot << CompactNode::slot_shift};
    if (traits(question.kind).asks_numbers) {
      node.key = std::bit_cast<uint64_t>(question.threshold);
      if (unknown < 0) node.word |= CompactNode::unknown_stays;
      if (unknown == 1) node.word |= CompactNode::unknown_right;
      return node;
    }
    node.word |= CompactNode::asks_code;
    uint32_t n_codes = asked_[slot].n_codes;
    if (n_children != 2 || !bits_are_short(question)) {
      node.key = add_table(question, n_children, unknown);
      node.word |= CompactNode::has_table;
      return node;
    }
    uint64_t right = add_bits(n_codes, unknown == 1), stays = unknown < 0 ? add_bits(n_codes, true) : 0;
    question.for_each([&](int32_t code, int32_t child) {
      set_bit(right, static_cast<uint32_t>(code) + 1, child == 1);
      if (unknown < 0) set_bit(stays, static_cast<uint32_t>(code) + 1, false);
    });
    node.key = stays << 32 | right;
    return node;
  }
  uint64_t add_table(const Question& question, int32_t n_children, int32_t unknown) {
    table_.insert(table_.end(), {n_children, unknown, -1});
    uint64_t key = table_.size() - 2;
    if (!question.groups) return key;
    question.for_each([&](int32_t code, int32_t) { table_.push_back(code); });
    table_[key + 1] = static_cast<int32_t>(table_.size() - key - 2);
    question.for_each([&](int32_t, int32_t child) { table_.push_back(child); });
    return key;
  }
  // Where as many bits begin as there are places, all alike.
  uint64_t add_bits(uint32_t n_codes, bool set) {
    size_t begin = bits_.size(), words = words_for(n_codes);
    if (begin + words > std::numeric_limits<uint32_t>::max())
      throw std::invalid_argument("the value sets of a tree take at most 32 GiB.");
    bits_.resize(begin + words, set ? ~uint64_t{0} : 0);
    return begin;
  }
  void set_bit(uint64_t begin, uint32_t place, bool set) {
    uint64_t &word = bits_[begin + (place >> 6)], mask = uint64_t{1} << (place & 63);
    word = set ? word | mask : word & ~mask;
  }

  void add_surrogates(const TreeView& tree) {
    if (tree.n_surrogates > std::numeric_limits<int32_t>::max())
      throw std::invalid_argument("a tree has at most 2147483647 surrogates.");
    for (int64_t node = 0; node <= tree.n_nodes; ++node)
      surrogate_start_.push_back(static_cast<uint32_t>(tree.surrogate_start[node]));
    missing_child_.resize(static_cast<size_t>(tree.n_surrogates));
    for (int64_t node = 0; node < tree.n_nodes; ++node)
      for (int64_t s = tree.surrogate_start[node]; s < tree.surrogate_start[node + 1]; ++s) {
        Question question = tree.surrogate(s);
        surrogates_.push_back(compact(question, 2, no_branch));
        if (traits(question.kind).has_threshold && tree.surrogate_low_child[s])
          surrogates_.back().word |= CompactNode::low_goes_right;
        missing_child_[static_cast<size_t>(s)] = tree.missing_child[node];
      }
  }

  int64_t n_attributes_ = 0;
  std::vector<CompactNode> nodes_;
  std::vector<uint64_t> bits_;  // value sets; the first stand for every set that is empty
  std::vector<int32_t> table_;  // of questions with a table: see branch_in_table
  std::vector<double> weight_;  // by node, if rows may spread
  std::vector<AskedAttribute> asked_;
  std::vector<uint32_t> slot_;             // by attribute
  std::vector<CompactNode> surrogates_;    // first_child is not read
  std::vector<uint32_t> surrogate_start_;  // by node; empty without surrogates
  std::vector<int32_t> missing_child_;     // by surrogate: that of its node
  double surprise_ = 0.0;
  bool has_codes_ = false, spreads_ = false, stays_ = false;
};

inline AskedRows asked_rows(const CompactTree& tree, const Rows& rows) {
  AskedRows asked{rows.n_rows, {}, false};
  for (const AskedAttribute& one : tree.asked())
    asked.columns.push_back(asked_column(rows.columns[static_cast<size_t>(one.attribute)]));
  return asked;
}

// A part of a row that waits at a node.
struct Part {
  int32_t node;
  double weight;
};

// Puts the parts of a spreading row on the stack, the first child on top; false if no child has weight.
inline bool spread(const CompactTree& tree, const Part& part, std::vector<Part>& stack) {
  int32_t first = tree.first_child(part.node), n = tree.n_children(part.node);
  double total = 0.0;
  for (int32_t c = 0; c < n; ++c) total += tree.weight(first + c);
  if (!(total > 0.0)) return false;
  for (int32_t c = n - 1; c >= 0; --c) {
    double weight = part.weight * (tree.weight(first + c) / total);
    if (weight > 0.0) stack.push_back({first + c, weight});
  }
  return true;
}

// Follows a row of the given weight from `start` down every branch it takes, left to right, and calls
// visit(node, weight, last) at each node; last: the row's part ends there, at a leaf or where no child has weight.
template <class Visit>
void walk(const CompactTree& tree, const AskedRows& rows, int64_t row, Part start, std::vector<Part>& stack,
          Visit&& visit) {
  stack.clear();
  stack.push_back(start);
  while (!stack.empty()) {
    Part part = stack.back();
    stack.pop_back();
    for (;;) {
      if (tree.leaf(part.node)) {
        visit(part.node, part.weight, true);
        break;
      }
      int32_t child = tree.branch(part.node, rows, row);
      if (child < 0) {
        bool spreads = spread(tree, part, stack);
        visit(part.node, part.weight, !spreads);
        break;
      }
      visit(part.node, part.weight, false);
      part.node = tree.first_child(part.node) + child;
    }
  }
}

}  // namespace quercus
