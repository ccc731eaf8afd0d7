// Locating: many rows at once brought to their leaves, or to the node at which they spread.
//
// A row ends at a leaf or, if a test of no single branch meets an unknown value (it spreads, or asks surrogates), at
// that test. The packed forms walk several rows in step, so that the loads of one row hide behind those of the others.
// A node that a row has reached for good leads to itself, so a step needs no branch on the row's state.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "routing.h"

namespace quercus {

constexpr int64_t block_rows = 128;  // rows located together; a block's values fit the first cache
constexpr int lanes = 8;             // rows that walk in step

// What one worker keeps between blocks; workers share no cache line.
struct alignas(128) Scratch {
  std::vector<std::byte> memory;              // of the cells
  std::array<int32_t, block_rows> ends = {};  // where each row of a block ended
  std::vector<Part> stack, way;

  // Room for the values of a block, row after row.
  template <class Cell>
  Cell* cells(size_t stride) {
    size_t bytes = static_cast<size_t>(block_rows) * stride * sizeof(Cell);
    if (memory.size() < bytes) memory.resize(bytes);
    return reinterpret_cast<Cell*>(memory.data());
  }
};

class Locator {
 public:
  virtual ~Locator() = default;
  // Fills scratch.ends for the rows first .. first + count − 1; count is at most block_rows.
  virtual void locate(int64_t first, int64_t count, Scratch& scratch) const = 0;
};

// One row after another through the tree's own arrays: nothing to prepare.
class PlainLocator final : public Locator {
 public:
  PlainLocator(const TreeView& tree, const Rows& rows) : tree_(tree), rows_(rows) {}
  void locate(int64_t first, int64_t count, Scratch& scratch) const override {
    for (int64_t r = 0; r < count; ++r) scratch.ends[static_cast<size_t>(r)] = descend(tree_, rows_, first + r);
  }

 private:
  const TreeView& tree_;
  const Rows& rows_;
};

// The attributes that the tests read, numbered anew.
struct Slots {
  std::vector<int32_t> slot;           // by attribute, -1 if no test reads it
  std::vector<const Column*> columns;  // by slot

  explicit Slots(const Rows& rows) : slot(rows.columns.size(), -1) {
    for (int32_t attribute : rows.tested) {
      slot[static_cast<size_t>(attribute)] = static_cast<int32_t>(columns.size());
      columns.push_back(&rows.columns[static_cast<size_t>(attribute)]);
    }
  }
  size_t size() const { return columns.size(); }
};

template <class To, class From>
void gather(const From* from, int64_t count, To* to, size_t stride) {
  for (int64_t r = 0; r < count; ++r, to += stride) *to = static_cast<To>(from[r]);
}

// Brings `count` rows of `stride` cells to where step(node, cells) no longer moves them. A lane whose row has arrived
// takes up the next row; when none is left, all lanes go on until none moves.
template <int Lanes = lanes, class Cell, class Step>
void step_lanes(const Cell* cells, size_t stride, int64_t count, int32_t* ends, Step&& step) {
  struct Lane {
    const Cell* values;
    int32_t at, row;
  };
  std::array<Lane, Lanes> lane;
  for (int32_t l = 0; l < Lanes; ++l) {
    auto row = static_cast<int32_t>(std::min<int64_t>(l, count - 1));
    lane[static_cast<size_t>(l)] = {cells + static_cast<size_t>(row) * stride, 0, row};
  }
  auto next_row = static_cast<int32_t>(Lanes);
  while (next_row < count) {
    for (Lane& one : lane) {
      int32_t next = step(one.at, one.values);
      if (next != one.at) [[likely]] {
        one.at = next;
      } else if (next_row < count) {
        ends[one.row] = next;
        one = {cells + static_cast<size_t>(next_row) * stride, 0, next_row};
        ++next_row;
      }
    }
  }
  for (int32_t moved = 1; moved != 0;) {
    moved = 0;
    for (Lane& one : lane) {
      int32_t next = step(one.at, one.values);
      moved |= next ^ one.at;
      one.at = next;
    }
  }
  for (const Lane& one : lane) ends[one.row] = one.at;
}

// The largest number of type Value that is <= threshold: for every x of that type, x <= threshold says the same.
template <class Value>
Value round_down(double threshold) {
  if constexpr (std::is_same_v<Value, float>) {
    constexpr float infinity = std::numeric_limits<float>::infinity(), most = std::numeric_limits<float>::max();
    if (threshold == std::numeric_limits<double>::infinity()) return infinity;
    if (threshold >= static_cast<double>(most)) return most;
    if (threshold < -static_cast<double>(most)) return -infinity;
    auto value = static_cast<float>(threshold);
    return static_cast<double>(value) > threshold ? std::nextafter(value, -infinity) : value;
  } else {
    return threshold;
  }
}

// Trees of thresholds only: a node is its threshold and one word: first child, slot, and what an unknown value does.
template <class Value, class Word>
class ThresholdLocator final : public Locator {
  struct Node {
    Value threshold;
    Word word;
  };
  static constexpr Word unknown_right = 1, unknown_stays = 2;

 public:
  ThresholdLocator(const TreeView& tree, const Slots& slots)
      : slots_(slots), nodes_(static_cast<size_t>(tree.n_nodes)) {
    child_shift_ = slot_bits(slots) + 2;
    slot_mask_ = (Word{1} << slot_bits(slots)) - 1;
    for (int64_t node = 0; node < tree.n_nodes; ++node) nodes_[static_cast<size_t>(node)] = pack(tree, node);
  }

  static int slot_bits(const Slots& slots) { return static_cast<int>(std::bit_width(slots.size() | 1)); }
  static bool fits(const TreeView& tree, const Slots& slots) {
    return 2 + slot_bits(slots) + std::bit_width(static_cast<uint64_t>(tree.n_nodes)) <=
           std::numeric_limits<Word>::digits;
  }

  void locate(int64_t first, int64_t count, Scratch& scratch) const override {
    size_t stride = slots_.size();
    auto* cells = scratch.cells<Value>(stride);
    bool unknown = false;
    for (size_t s = 0; s < stride; ++s) unknown |= fill(*slots_.columns[s], first, count, cells + s, stride);
    if (unknown)
      run<true>(cells, stride, count, scratch.ends.data());
    else
      run<false>(cells, stride, count, scratch.ends.data());
  }

 private:
  Node pack(const TreeView& tree, int64_t node) const {
    if (tree.leaf(node)) return {std::numeric_limits<Value>::infinity(), static_cast<Word>(node) << child_shift_};
    Word word = static_cast<Word>(tree.first_child[node]) << child_shift_;
    word |= static_cast<Word>(slots_.slot[static_cast<size_t>(tree.attribute[node])]);
    if (tree.has_surrogates(node) || tree.missing_child[node] < 0)
      word |= unknown_stays << (child_shift_ - 2);
    else if (tree.missing_child[node] == 1)
      word |= unknown_right << (child_shift_ - 2);
    return {round_down<Value>(tree.threshold[node]), word};
  }

  // Copies a column into the block; says whether it holds an unknown value.
  static bool fill(const Column& column, int64_t first, int64_t count, Value* to, size_t stride) {
    if (column.kind == ColumnKind::number32)
      return fill_from(static_cast<const float*>(column.data) + first, count, to, stride);
    return fill_from(static_cast<const double*>(column.data) + first, count, to, stride);
  }
  template <class From>
  static bool fill_from(const From* from, int64_t count, Value* to, size_t stride) {
    bool unknown = false;
    for (int64_t r = 0; r < count; ++r) unknown |= from[r] != from[r];
    gather(from, count, to, stride);
    return unknown;
  }

  template <bool Unknown>
  void run(const Value* cells, size_t stride, int64_t count, int32_t* ends) const {
    const Node* nodes = nodes_.data();
    const int shift = child_shift_;
    const Word mask = slot_mask_;
    step_lanes(cells, stride, count, ends, [=](int32_t at, const Value* values) {
      Node node = nodes[at];
      Value x = values[static_cast<size_t>(node.word & mask)];
      auto child = static_cast<int32_t>(node.word >> shift);
      if constexpr (!Unknown) return child + static_cast<int32_t>(x > node.threshold);
      auto nan = static_cast<int32_t>(x != x), policy = static_cast<int32_t>(node.word >> (shift - 2));
      int32_t next = child + (static_cast<int32_t>(x > node.threshold) | (nan & policy));
      return (nan << 1) & policy ? at : next;
    });
  }

  const Slots& slots_;
  std::vector<Node> nodes_;
  int child_shift_ = 0;
  Word slot_mask_ = 0;
};

// Trees of any tests. Behind each test stand, side by side, a place for unknown values and the packed children; a step
// picks one of them, by comparing numbers or by looking a code up in a table.
class MixedLocator final : public Locator {
  struct Node {
    uint64_t key;   // the bits of a threshold, or where the node's codes begin in the table
    int32_t entry;  // the place of unknown values; the children's follow
    uint16_t slot;
    int16_t code;  // −1 (all bits) for codes, 0 for numbers
  };

 public:
  MixedLocator(const TreeView& tree, const Rows& rows, const Slots& slots)
      : tree_(tree), rows_(rows), slots_(slots), least_(slots.size(), INT32_MAX), most_(slots.size(), 0) {
    std::vector<int32_t> place(static_cast<size_t>(tree.n_nodes), 0);
    nodes_.reserve(static_cast<size_t>(tree.n_nodes) * 3 / 2 + 1);
    origin_.reserve(static_cast<size_t>(tree.n_nodes) * 3 / 2 + 1);
    table_.push_back(0);  // what a number finds
    add(1, 0);
    for (int64_t node = 0; node < tree.n_nodes; ++node)
      if (!tree.leaf(node)) pack(tree, node, place);
  }

  // Places are counted in 31 bits, slots in 16.
  static bool fits(const TreeView& tree, const Slots& slots) {
    return 2 * tree.n_nodes < std::numeric_limits<int32_t>::max() && slots.size() < 65535;
  }

  void locate(int64_t first, int64_t count, Scratch& scratch) const override {
    size_t stride = slots_.size() + 1;  // the last cell of a row is 0: leaves look there
    auto* cells = scratch.cells<uint64_t>(stride);
    for (int64_t r = 0; r < count; ++r) cells[static_cast<size_t>(r + 1) * stride - 1] = 0;
    Contents contents;
    for (size_t s = 0; s < slots_.size(); ++s) fill(s, first, count, cells + s, stride, contents);
    if (contents.strange) return PlainLocator(tree_, rows_).locate(first, count, scratch);
    if (contents.unknown)
      run<true>(cells, stride, count, scratch.ends.data());
    else
      run<false>(cells, stride, count, scratch.ends.data());
    for (int64_t r = 0; r < count; ++r) {
      int32_t& end = scratch.ends[static_cast<size_t>(r)];
      end = origin_[static_cast<size_t>(end)];
    }
  }

 private:
  // Whether a block holds unknown numbers, or strange codes: those that some tests of an attribute know and others do
  // not.
  struct Contents {
    bool unknown = false, strange = false;
  };

  template <bool Unknown>
  void run(const uint64_t* cells, size_t stride, int64_t count, int32_t* ends) const {
    const Node* nodes = nodes_.data();
    const int32_t* table = table_.data();
    step_lanes(cells, stride, count, ends, [=](int32_t at, const uint64_t* values) {
      const Node& node = nodes[at];
      uint64_t cell = values[node.slot];
      auto code = static_cast<uint64_t>(int64_t{node.code});
      double x = std::bit_cast<double>(cell), threshold = std::bit_cast<double>(node.key);
      int32_t by_number = static_cast<int32_t>(x > threshold);
      by_number += Unknown ? by_number + static_cast<int32_t>(x <= threshold) : 1;
      int32_t by_code = table[(node.key + cell) & code];
      return node.entry + (by_number & ~int32_t{node.code}) + by_code;
    });
  }

  // New places at the end, each leading to itself.
  int32_t add(int64_t count, int64_t node) {
    auto first = static_cast<int32_t>(nodes_.size());
    auto zero = static_cast<uint16_t>(slots_.size());
    for (int32_t i = 0; i < count; ++i) nodes_.push_back({0, first + i, zero, -1});
    origin_.resize(nodes_.size(), static_cast<int32_t>(node));
    return first;
  }

  void pack(const TreeView& tree, int64_t node, std::vector<int32_t>& place) {
    int32_t unknown = add(1, node), children = add(tree.n_children[node], node);
    for (int32_t c = 0; c < tree.n_children[node]; ++c) {
      place[static_cast<size_t>(tree.first_child[node] + c)] = children + c;
      origin_[static_cast<size_t>(children + c)] = tree.first_child[node] + c;
    }
    if (!tree.has_surrogates(node) && tree.missing_child[node] >= 0)
      nodes_[static_cast<size_t>(unknown)].entry = children + tree.missing_child[node];
    auto slot = static_cast<uint16_t>(slots_.slot[static_cast<size_t>(tree.attribute[node])]);
    bool number = traits(tree.split(node)).has_threshold;
    uint64_t key = number ? std::bit_cast<uint64_t>(tree.threshold[node]) : add_codes(tree, node, slot);
    nodes_[static_cast<size_t>(place[static_cast<size_t>(node)])] = {key, unknown, slot,
                                                                     static_cast<int16_t>(number ? 0 : -1)};
  }

  // The table of a test: for unknown, then for each code, how far behind `entry` its place stands.
  uint64_t add_codes(const TreeView& tree, int64_t node, size_t slot) {
    uint64_t start = table_.size();
    table_.push_back(0);
    Question question = tree.question(node);
    for (int64_t code = 0; code < question.n_codes; ++code)
      table_.push_back(1 + question.child_of(static_cast<int32_t>(code)));
    auto codes = static_cast<int32_t>(std::min<uint64_t>(table_.size() - start - 1, INT32_MAX));
    least_[slot] = std::min(least_[slot], codes);
    most_[slot] = std::max(most_[slot], codes);
    return start;
  }

  // Copies a column into the block: the bits of a number, or the code plus one (0: unknown).
  void fill(size_t slot, int64_t first, int64_t count, uint64_t* to, size_t stride, Contents& contents) const {
    const Column& column = *slots_.columns[slot];
    if (column.kind == ColumnKind::number64)
      return numbers(static_cast<const double*>(column.data) + first, count, to, stride, contents);
    if (column.kind == ColumnKind::number32)
      return numbers(static_cast<const float*>(column.data) + first, count, to, stride, contents);
    const int32_t* codes = static_cast<const int32_t*>(column.data) + first;
    auto least = static_cast<uint32_t>(least_[slot]), most = static_cast<uint32_t>(most_[slot]);
    for (int64_t r = 0; least < most && r < count; ++r)
      contents.strange |= static_cast<uint32_t>(codes[r]) >= least && static_cast<uint32_t>(codes[r]) < most;
    for (int64_t r = 0; r < count; ++r, to += stride) {
      auto code = static_cast<uint32_t>(codes[r]);
      *to = (uint64_t{code} + 1) & (uint64_t{0} - static_cast<uint64_t>(code < least));
    }
  }
  template <class From>
  static void numbers(const From* from, int64_t count, uint64_t* to, size_t stride, Contents& contents) {
    bool unknown = false;
    for (int64_t r = 0; r < count; ++r) unknown |= from[r] != from[r];
    contents.unknown |= unknown;
    for (int64_t r = 0; r < count; ++r, to += stride) *to = std::bit_cast<uint64_t>(static_cast<double>(from[r]));
  }

  const TreeView& tree_;
  const Rows& rows_;
  const Slots& slots_;
  std::vector<Node> nodes_;
  std::vector<int32_t> origin_;  // the tree's node, by place
  std::vector<int32_t> table_;
  std::vector<int32_t> least_, most_;  // by slot: how many codes every test, and any test, knows
};

}  // namespace quercus
