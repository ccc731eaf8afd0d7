// Locating: many rows at once brought to their leaves, or to the node at which they go no single way.
//
// Several rows walk in step, so that the loads of one row hide behind those of the others. A node that a row has
// reached for good leads to itself, so a step needs no branch on the row's state. Cells are read where the caller has
// them, and only those that a question on the row's way asks for.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "compact_tree.h"
#include "divide_rows.h"

// Keeps a choice a jump, which the processor foresees, where the compiler would rather compute it.
#if defined(__GNUC__) || defined(__clang__)
#define QUERCUS_KEEP_JUMP asm volatile("")
#else
#define QUERCUS_KEEP_JUMP static_cast<void>(0)
#endif

namespace quercus {

constexpr int64_t block_rows = 512;  // rows located together, at least
constexpr int lanes = 16;            // rows that walk in step
// Below this share of steps to the side that fewer rows take, a row that walks alone is sooner at its leaf.
constexpr double few_surprises = 0.1;
constexpr size_t small_tree = 512 << 10;  // the same holds for codes below so many bytes, which stay in the cache
constexpr size_t most_divided = 64;       // asked columns; of more, most cells would be copied and never read

// What one worker keeps between blocks; workers share no cache line.
struct alignas(128) Scratch {
  std::vector<int32_t> ends;  // where each row of a block ended
  RowDivider<float> narrow;
  RowDivider<double> wide;
  std::vector<Part> stack, way;
  bool infinite = false;  // whether a question read an infinite number
};

// Brings `count` rows to where step(node, place of the row) no longer moves them; start(row) is the place of a row. A
// lane whose row has arrived takes up the next row; when none is left, all lanes go on until none moves.
template <class Start, class Step>
void step_lanes(int64_t count, int32_t* ends, Start&& start, Step&& step) {
  struct Lane {
    decltype(start(int32_t{})) place;
    int32_t at, row;
  };
  std::array<Lane, lanes> lane;
  for (int32_t l = 0; l < lanes; ++l) {
    auto row = static_cast<int32_t>(std::min<int64_t>(l, count - 1));
    lane[static_cast<size_t>(l)] = {start(row), 0, row};
  }
  auto next_row = static_cast<int32_t>(lanes);
  while (next_row < count) {
    for (Lane& one : lane) {
      int32_t next = step(one.at, one.place);
      if (next != one.at) [[likely]] {
        one.at = next;
      } else if (next_row < count) {
        ends[one.row] = next;
        one = {start(next_row), 0, next_row};
        ++next_row;
      }
    }
  }
  for (int32_t moved = 1; moved != 0;) {
    moved = 0;
    for (Lane& one : lane) {
      int32_t next = step(one.at, one.place);
      moved |= next ^ one.at;
      one.at = next;
    }
  }
  for (const Lane& one : lane) ends[one.row] = one.at;
}

// The step of a question about a number: an unknown one goes left, right or nowhere, as the question says.
QUERCUS_INLINE int32_t number_step(const CompactNode& node, int32_t at, double x) {
  auto nan = static_cast<uint32_t>(x != x), right = static_cast<uint32_t>(x > node.threshold());
  int32_t next = node.first_child + static_cast<int32_t>(right | (nan & node.word >> 2));
  return (nan & node.word >> 3) != 0 ? at : next;
}

// The same for one row to its end, by jumps: where most rows go the same way at a question, the processor runs ahead of
// the cells that it waits for.
template <class Read>
int32_t number_walk(const CompactNode* nodes, Read&& read) {
  for (int32_t at = 0;;) {
    const CompactNode& node = nodes[at];
    if (node.first_child == at) return at;
    double x = read(node.slot());
    if (x <= node.threshold()) {
      at = node.first_child;
      QUERCUS_KEEP_JUMP;
    } else if (x > node.threshold()) {
      at = node.first_child + 1;
      QUERCUS_KEEP_JUMP;
    } else {
      if (node.is(CompactNode::unknown_stays)) return at;
      at = node.first_child + (node.is(CompactNode::unknown_right) ? 1 : 0);
    }
  }
}

class Locator {
 public:
  Locator(const CompactTree& tree, const AskedRows& rows) : tree_(tree), rows_(rows) {
    auto all = [&](ColumnKind kind) {
      return std::all_of(rows.columns.begin(), rows.columns.end(),
                         [=](const AskedColumn& c) { return c.kind == kind; });
    };
    only32_ = all(ColumnKind::number32);
    only64_ = all(ColumnKind::number64);
    for (size_t slot = 0; slot < rows.columns.size(); ++slot) {
      const AskedColumn& column = rows.columns[slot];
      bool wide = column.kind == ColumnKind::number64;
      bases_.push_back(column.data);
      offsets_.push_back(rows.one_matrix ? column.data - rows.columns[0].data : 0);
      if (!only32_ && !only64_)
        cells_.push_back(
            {column.data, column.stride, wide ? ~uint64_t{0} : 0, wide ? 4 : 0, tree.asked()[slot].n_codes});
    }
    narrow_ = std::none_of(rows.columns.begin(), rows.columns.end(),
                           [](const AskedColumn& c) { return c.kind == ColumnKind::number64; });
    jumps_ = tree.steps == Steps::alone;
    divides_ = tree.steps == Steps::divided;
    if (tree.steps == Steps::chosen) choose();
  }

  // How many rows are located together.
  int64_t rows_in_block(int threads) const {
    if (!divides_) return block_rows;
    return std::clamp(rows_.n_rows / (2 * threads), block_rows, RowDivider<float>::most_rows);
  }

  // Fills scratch.ends for the rows first .. first + count − 1; count is at most rows_in_block.
  void locate(int64_t first, int64_t count, Scratch& scratch) const {
    scratch.ends.resize(static_cast<size_t>(count));
    if (tree_.n_nodes() == 1) return std::fill(scratch.ends.begin(), scratch.ends.end(), 0);
    if (divides_ &&
        (narrow_ ? divided(scratch.narrow, first, count, scratch) : divided(scratch.wide, first, count, scratch)))
      return;
    if (rows_.one_matrix && only32_) return in_matrix<float>(first, count, scratch);
    if (rows_.one_matrix) return in_matrix<double>(first, count, scratch);
    if (only32_) return in_columns<float>(first, count, scratch);
    if (only64_) return in_columns<double>(first, count, scratch);
    mixed(first, count, scratch);
  }

 private:
  // Rows walk alone where the processor foresees their way, or where there are too few to walk in step. Many rows with
  // codes among their cells are divided: walking, each would wait for the bits of every value set. Numbers alone are
  // soon compared, so that dividing pays only in large trees. What counts are rows that were not asked before: those of
  // a repeated call are foreseen, too.
  void choose() {
    bool numbers = only32_ || only64_;
    bool many = rows_.n_rows >= (numbers ? 8192 : 1024) && tree_.n_nodes() >= (numbers ? 1024 : 128);
    jumps_ = tree_.surprise() < few_surprises || rows_.n_rows < lanes || tree_.n_nodes() < lanes;
    divides_ = !jumps_ && many && !only64_ && rows_.columns.size() <= most_divided;
    jumps_ |= !numbers && tree_.n_bytes() < small_tree;
  }

  // A column of any kind: the low half of a cell, or all of it, and the high half if it has 8 bytes.
  struct AnyCells {
    const std::byte* data;
    int64_t stride;
    uint64_t wide;  // all bits if a cell has 8 bytes
    int32_t high;
    uint32_t n_codes;
  };

  // Whether the rows could be divided: who reads infinite numbers is told by the other ways.
  template <class Number>
  bool divided(RowDivider<Number>& divider, int64_t first, int64_t count, Scratch& scratch) const {
    if (divider.fill(tree_, rows_, first, count)) return false;
    divider.locate(count, scratch.ends.data());
    return true;
  }

  static uint32_t half(const std::byte* cell) {
    uint32_t bits;
    std::memcpy(&bits, cell, sizeof bits);
    return bits;
  }

  // Brings rows of numbers to their ends; cell(place, slot) is a number of the row at that place.
  template <class Start, class Cell>
  void numbers(int64_t count, Scratch& scratch, Start&& start, Cell&& cell) const {
    const CompactNode* nodes = tree_.nodes();
    using Number = decltype(cell(start(int32_t{}), uint32_t{}));
    constexpr Number infinity = std::numeric_limits<Number>::infinity();
    bool infinite = false;
    if (jumps_) {
      for (int32_t row = 0; row < count; ++row) {
        auto place = start(row);
        scratch.ends[static_cast<size_t>(row)] = number_walk(nodes, [&](uint32_t slot) {
          Number x = cell(place, slot);
          infinite |= std::abs(x) == infinity;
          return static_cast<double>(x);
        });
      }
    } else {
      step_lanes(count, scratch.ends.data(), start, [&](int32_t at, auto place) {
        const CompactNode& node = nodes[at];
        Number x = cell(place, node.slot());
        infinite |= std::abs(x) == infinity;
        return number_step(node, at, static_cast<double>(x));
      });
    }
    scratch.infinite |= infinite;
  }

  template <class Number>
  void in_matrix(int64_t first, int64_t count, Scratch& scratch) const {
    const int64_t *offsets = offsets_.data(), stride = rows_.columns[0].stride;
    const std::byte* begin = rows_.columns[0].data + first * stride;
    numbers(
        count, scratch, [=](int32_t row) { return begin + row * stride; },
        [=](const std::byte* row, uint32_t slot) { return *reinterpret_cast<const Number*>(row + offsets[slot]); });
  }

  template <class Number>
  void in_columns(int64_t first, int64_t count, Scratch& scratch) const {
    const std::byte* const* bases = bases_.data();
    numbers(
        count, scratch, [=](int32_t row) { return (first + row) * static_cast<int64_t>(sizeof(Number)); },
        [=](int64_t row, uint32_t slot) { return *reinterpret_cast<const Number*>(bases[slot] + row); });
  }

  void mixed(int64_t first, int64_t count, Scratch& scratch) const {
    if (jumps_) return mixed_alone(first, count, scratch);
    if (narrow_ && !tree_.stays()) return mixed_lanes<true, false>(first, count, scratch);
    if (narrow_) return mixed_lanes<true, true>(first, count, scratch);
    mixed_lanes<false, true>(first, count, scratch);
  }

  // Narrow: all cells have 4 bytes. Stays: some question sends unknown values no single way.
  template <bool Narrow, bool Stays>
  void mixed_lanes(int64_t first, int64_t count, Scratch& scratch) const {
    const CompactNode* nodes = tree_.nodes();
    const AnyCells* columns = cells_.data();
    const uint64_t* bits = tree_.bits();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    bool infinite = false;
    // What holds for numbers and what holds for codes are both computed, and one of them is masked out.
    auto step = [=, this, &infinite](int32_t at, int64_t row) {
      const CompactNode& node = nodes[at];
      const AnyCells& column = columns[node.slot()];
      const std::byte* cell = column.data + row * column.stride;
      uint32_t low = half(cell);
      uint32_t place = (low + 1) & (uint32_t{0} - static_cast<uint32_t>(low < column.n_codes));
      if (node.is(CompactNode::has_table)) {
        int32_t child = tree_.branch_of_place(node, place);
        return child < 0 ? at : node.first_child + child;
      }
      auto x = static_cast<double>(std::bit_cast<float>(low));
      if constexpr (!Narrow) {
        uint64_t wide = uint64_t{half(cell + column.high)} << 32 | low;
        x = std::bit_cast<double>((wide & column.wide) | (std::bit_cast<uint64_t>(x) & ~column.wide));
      }
      uint64_t code = uint64_t{0} - (node.word & CompactNode::asks_code);  // all bits for codes, none for numbers
      uint64_t key = node.key & code, word = place >> 6 & code;
      auto code_right = static_cast<uint32_t>(bits[(key & 0xffffffffu) + word] >> (place & 63));
      auto nan = static_cast<uint32_t>(x != x), by_code = static_cast<uint32_t>(code);
      infinite |= static_cast<bool>(static_cast<uint32_t>(std::abs(x) == infinity) & ~by_code);
      uint32_t right = static_cast<uint32_t>(x > node.threshold()) | (nan & node.word >> 2);
      right = ((code_right & by_code) | (right & ~by_code)) & 1;
      auto next = static_cast<uint32_t>(node.first_child) + right;
      if constexpr (Stays) {
        auto code_stays = static_cast<uint32_t>(bits[(key >> 32) + word] >> (place & 63));
        uint32_t stays = ((code_stays & by_code) | (nan & node.word >> 3 & ~by_code)) & 1;
        next ^= (next ^ static_cast<uint32_t>(at)) & (uint32_t{0} - stays);
      }
      return static_cast<int32_t>(next);
    };
    step_lanes(count, scratch.ends.data(), [=](int32_t row) { return first + row; }, step);
    scratch.infinite |= infinite;
  }

  void mixed_alone(int64_t first, int64_t count, Scratch& scratch) const {
    const CompactNode* nodes = tree_.nodes();
    const AnyCells* columns = cells_.data();
    bool infinite = false;
    for (int64_t r = 0; r < count; ++r) {
      int32_t at = 0;
      for (;;) {
        const CompactNode& node = nodes[at];
        if (node.first_child == at) break;
        const AnyCells& column = columns[node.slot()];
        const std::byte* cell = column.data + (first + r) * column.stride;
        int32_t child = no_branch;
        if (node.is(CompactNode::asks_code)) {
          child = tree_.branch_of_place(node, CompactTree::place_of(static_cast<int32_t>(half(cell)), column.n_codes));
        } else {
          double x = column.wide ? *reinterpret_cast<const double*>(cell)
                                 : static_cast<double>(*reinterpret_cast<const float*>(cell));
          infinite |= std::isinf(x);
          child = CompactTree::branch_of_number(node, x);
        }
        if (child == 0) {
          at = node.first_child;
          QUERCUS_KEEP_JUMP;
        } else if (child < 0) {
          break;
        } else {
          at = node.first_child + child;
          QUERCUS_KEEP_JUMP;
        }
      }
      scratch.ends[static_cast<size_t>(r)] = at;
    }
    scratch.infinite |= infinite;
  }

  const CompactTree& tree_;
  const AskedRows& rows_;
  bool only32_ = false, only64_ = false, narrow_ = false, jumps_ = false, divides_ = false;
  std::vector<const std::byte*> bases_;  // by slot
  std::vector<int64_t> offsets_;         // of a matrix: in a row, by slot
  std::vector<AnyCells> cells_;
};

}  // namespace quercus
