// Shapley values of eight rows side by side, each of which takes one branch at every question; the numbers are those of
// shap_paths.h, which also says what is computed.
//
// At each branch a row is in one of three states. It has left the way at this attribute before (`gone`): its part
// shrinks by the share alone, and the attribute gets nothing more. Else it takes the branch or does not: what its part
// is multiplied by, and what the attribute gets of all that is said below, stand in a table, by branch and point.
#pragma once

#include "partition.h"
#include "shap_tree.h"

namespace quercus {

constexpr int n_lanes = 8;
using LaneNumbers = double __attribute__((vector_size(n_lanes * sizeof(double))));
using LaneBits = int64_t __attribute__((vector_size(n_lanes * sizeof(int64_t))));
struct alignas(n_lanes * sizeof(double)) Lanes {
  LaneNumbers x;
};
struct alignas(n_lanes * sizeof(int64_t)) LaneMask {
  LaneBits x;
};

// By branch: the factors of rows that take it and of those that do not, then what each of them brings; n points each.
inline std::vector<double> lane_table(const ShapTree& tree, const Quadrature& quadrature) {
  size_t n = quadrature.point.size();
  std::vector<double> table(tree.edges.size() * 4 * n);
  for (size_t e = 0; e < tree.edges.size(); ++e) {
    double* to = table.data() + e * 4 * n;
    double zero = tree.edges[e].zero, above = tree.edges[e].above;
    for (size_t q = 0; q < n; ++q) {
      double t = quadrature.point[q], rest = quadrature.rest[q], weight = quadrature.weight[q];
      double f = zero + t * (1.0 - zero), before = above + t * (1.0 - above);
      double lift = (1.0 - above) / before;
      to[q] = f / before;
      to[n + q] = zero * rest / before;
      to[2 * n + q] = weight * ((1.0 - zero) / f - lift);
      to[3 * n + q] = weight * (-1.0 / rest - lift);
    }
  }
  return table;
}

class ShapLanes {
 public:
  ShapLanes(const ShapTree& tree, const Quadrature& quadrature, const std::vector<double>& table)
      : tree_(tree), table_(table.data()), n_(quadrature.point.size()) {
    auto depth = static_cast<size_t>(tree.depth), slots = tree.questions.asked().size();
    widest_ = static_cast<size_t>(std::max(tree.n_widest, 1)) * n_;
    part_.resize((depth + 2) * n_);
    sum_.resize((depth + 2) * widest_);
    brought_.resize(n_);
    gone_.resize(slots);
    number_.resize(slots);
    place_.resize(slots * n_lanes);
    unknown_.resize(slots);
    worth_.resize(slots * static_cast<size_t>(tree.width));
    frames_.resize(depth + 1);
    for (size_t q = 0; q < n_; ++q) part_[q].x = LaneNumbers{} + 1.0;
  }

  // Adds to values [n_rows, n_attributes, width] of the rows first, first + 1, …, at most eight. Returns a bit for each
  // row that goes down several branches; to these nothing is added.
  QUERCUS_INLINE uint32_t explain(const AskedRows& rows, int64_t first, int count, double* values) {
    if (tree_.leaf(0)) return 0;
    read(rows, first, count);
    spread_ = 0;
    depth_ = 0;
    enter(0);
    while (depth_ > 0) {
      Frame& frame = frames_[depth_ - 1];
      if (frame.edge == frame.end)
        leave(frame);
      else
        step(frame);
    }
    hand_over(count, values + first * tree_.questions.n_attributes() * tree_.width);
    return spread_;
  }

 private:
  struct Frame {
    LaneMask gone, hot;  // who left the way above, and who takes the branch at hand
    int32_t node, edge, end, first;
    uint32_t slot;
    int32_t taken[n_lanes];  // of questions about codes
  };

  // The cells of the rows; the last row fills lanes that are left.
  QUERCUS_INLINE void read(const AskedRows& rows, int64_t first, int count) {
    for (size_t slot = 0; slot < rows.columns.size(); ++slot) {
      const AskedColumn& column = rows.columns[slot];
      const AskedAttribute& asked = tree_.questions.asked()[slot];
      bool unknown = false;
      for (int lane = 0; lane < n_lanes; ++lane) {
        int64_t row = first + std::min(lane, count - 1);
        if (asked.codes) {
          place_[slot * n_lanes + static_cast<size_t>(lane)] = CompactTree::place_of(column.code(row), asked.n_codes);
        } else {
          double number = column.number(row);
          number_[slot].x[lane] = number;
          unknown |= number != number;
        }
      }
      unknown_[slot] = unknown;
    }
  }

  QUERCUS_INLINE void enter(int32_t node) {
    Frame& frame = frames_[depth_];
    auto at = static_cast<size_t>(node);
    frame.node = node;
    frame.first = frame.edge = tree_.edge_start[at];
    frame.end = tree_.edge_start[at + 1];
    const CompactNode& question = tree_.questions.nodes()[node];
    frame.slot = question.slot();
    frame.gone.x = gone_[frame.slot].x;
    if (question.is(CompactNode::asks_code))
      decide_codes(frame, question);
    else if (unknown_[frame.slot] && question.is(CompactNode::unknown_stays))
      find_spread(question);
    const Lanes* __restrict part = part_.data() + depth_ * n_;
    Lanes* __restrict sum = sum_.data() + depth_ * widest_;
    std::fill_n(reinterpret_cast<double*>(sum), static_cast<size_t>(tree_.values.n_below(node)) * n_ * n_lanes, 0.0);
    for (int64_t i = tree_.values.own_start[at]; i < tree_.values.own_start[at + 1]; ++i) {
      double number = tree_.values.own_number[static_cast<size_t>(i)];
      Lanes* __restrict to = sum + static_cast<size_t>(tree_.values.own_place[static_cast<size_t>(i)]) * n_;
      for (size_t q = 0; q < n_; ++q) to[q].x += number * part[q].x;
    }
    ++depth_;
  }

  void decide_codes(Frame& frame, const CompactNode& question) {
    const uint32_t* place = place_.data() + frame.slot * n_lanes;
    for (int lane = 0; lane < n_lanes; ++lane) {
      frame.taken[lane] = tree_.questions.branch_of_place(question, place[lane]);
      spread_ |= static_cast<uint32_t>(frame.taken[lane] < 0) << lane;
    }
  }
  void find_spread(const CompactNode& question) {
    for (int lane = 0; lane < n_lanes; ++lane) {
      double number = number_[question.slot()].x[lane];
      spread_ |= static_cast<uint32_t>(number != number) << lane;
    }
  }

  // Which rows take the branch at hand.
  QUERCUS_INLINE void take(Frame& frame) {
    const CompactNode& question = tree_.questions.nodes()[frame.node];
    int32_t branch = frame.edge - frame.first;
    if (question.is(CompactNode::asks_code)) {
      for (int lane = 0; lane < n_lanes; ++lane) frame.hot.x[lane] = -static_cast<int64_t>(frame.taken[lane] == branch);
      return;
    }
    LaneNumbers number = number_[frame.slot].x;
    LaneBits left = number <= question.threshold();
    if (!question.is(CompactNode::unknown_right)) left |= number != number;
    frame.hot.x = branch == 0 ? left : branch == 1 ? ~left : LaneBits{};
  }

  // One branch: the parts of the rows, then what is below it.
  QUERCUS_INLINE void step(Frame& frame) {
    auto number = static_cast<size_t>(frame.edge);
    const ShapEdge& edge = tree_.edges[number];
    if (tree_.values.n_below(edge.child) == 0) {
      ++frame.edge;
      return;
    }
    take(frame);
    LaneBits hot = frame.hot.x, gone = frame.gone.x;
    gone_[frame.slot].x = gone | ~hot;
    const double* __restrict takes = table_ + number * 4 * n_;
    const double* __restrict leaves = takes + n_;
    const Lanes* __restrict part = part_.data() + (depth_ - 1) * n_;
    Lanes* __restrict next = part_.data() + depth_ * n_;
    LaneNumbers share = LaneNumbers{} + edge.share;
    if (edge.again) {
      for (size_t q = 0; q < n_; ++q) {
        LaneNumbers one = LaneNumbers{} + takes[q], other = LaneNumbers{} + leaves[q];
        LaneNumbers factor = hot ? one : other;
        next[q].x = part[q].x * (gone ? share : factor);
      }
    } else {
      for (size_t q = 0; q < n_; ++q) {
        LaneNumbers one = LaneNumbers{} + takes[q], other = LaneNumbers{} + leaves[q];
        next[q].x = part[q].x * (hot ? one : other);
      }
    }
    if (tree_.leaf(edge.child))
      end(frame, edge, next);
    else
      enter(edge.child);
  }

  // What the attribute of the frame gets of all that is said below the branch at hand, by point.
  QUERCUS_INLINE void bring(const Frame& frame) {
    const double* __restrict takes = table_ + (static_cast<size_t>(frame.edge) * 4 + 2) * n_;
    const double* __restrict leaves = takes + n_;
    LaneBits hot = frame.hot.x;
    for (size_t q = 0; q < n_; ++q) {
      LaneNumbers one = LaneNumbers{} + takes[q], other = LaneNumbers{} + leaves[q];
      brought_[q].x = hot ? one : other;
    }
  }

  QUERCUS_INLINE void end(Frame& frame, const ShapEdge& edge, const Lanes* __restrict part) {
    auto at = static_cast<size_t>(edge.child);
    bring(frame);
    LaneNumbers worth{};
    for (size_t q = 0; q < n_; ++q) worth += part[q].x * brought_[q].x;
    for (int64_t i = tree_.values.own_start[at]; i < tree_.values.own_start[at + 1]; ++i) {
      double number = tree_.values.own_number[static_cast<size_t>(i)];
      auto place = static_cast<size_t>(tree_.values.below_start[at] + tree_.values.own_place[static_cast<size_t>(i)]);
      Lanes* __restrict sum =
          sum_.data() + (depth_ - 1) * widest_ + static_cast<size_t>(tree_.values.above[place]) * n_;
      for (size_t q = 0; q < n_; ++q) sum[q].x += number * part[q].x;
      credit(frame, place, number * worth);
    }
    ++frame.edge;
  }

  QUERCUS_INLINE void leave(Frame& frame) {
    gone_[frame.slot].x = frame.gone.x;
    if (--depth_ == 0) return;
    Frame& above = frames_[depth_ - 1];
    bring(above);
    auto at = static_cast<size_t>(frame.node);
    const Lanes* __restrict said = sum_.data() + depth_ * widest_;
    for (auto i = static_cast<size_t>(tree_.values.below_start[at]);
         i < static_cast<size_t>(tree_.values.below_start[at + 1]); ++i, said += n_) {
      Lanes* __restrict sum = sum_.data() + (depth_ - 1) * widest_ + static_cast<size_t>(tree_.values.above[i]) * n_;
      LaneNumbers worth{};
      for (size_t q = 0; q < n_; ++q) {
        sum[q].x += said[q].x;
        worth += said[q].x * brought_[q].x;
      }
      credit(above, i, worth);
    }
    ++above.edge;
  }

  QUERCUS_INLINE void credit(const Frame& frame, size_t place, LaneNumbers worth) {
    auto j = static_cast<size_t>(tree_.values.below_class[place]);
    Lanes& to = worth_[frame.slot * static_cast<size_t>(tree_.width) + j];
    to.x += frame.gone.x ? LaneNumbers{} : worth;
  }

  QUERCUS_INLINE void hand_over(int count, double* values) {
    auto width = static_cast<size_t>(tree_.width);
    auto cells = static_cast<size_t>(tree_.questions.n_attributes()) * width;
    for (size_t slot = 0; slot < number_.size(); ++slot) {
      auto attribute = static_cast<size_t>(tree_.questions.asked()[slot].attribute);
      for (size_t j = 0; j < width; ++j) {
        Lanes& from = worth_[slot * width + j];
        for (int lane = 0; lane < count; ++lane)
          if (!(spread_ >> lane & 1)) values[static_cast<size_t>(lane) * cells + attribute * width + j] += from.x[lane];
        from.x = LaneNumbers{};
      }
    }
  }

  const ShapTree& tree_;
  const double* table_;
  size_t n_, widest_ = 0;
  std::vector<Lanes> part_, sum_;  // by depth and point: the rows' parts here; what was said below, by class
  std::vector<Lanes> brought_;
  std::vector<LaneMask> gone_;  // by slot
  std::vector<Lanes> number_;
  std::vector<uint32_t> place_;   // by slot and lane
  std::vector<uint8_t> unknown_;  // by slot: whether some number is
  std::vector<Lanes> worth_;      // by slot and class: the Shapley values
  std::vector<Frame> frames_;
  size_t depth_ = 0;
  uint32_t spread_ = 0;
};

// Rows first … last - 1; rest(row) explains a row that goes down several branches.
template <class Rest>
QUERCUS_INLINE void explain_lanes(ShapLanes& lanes, const AskedRows& rows, int64_t first, int64_t last, double* values,
                                  const Rest& rest) {
  for (int64_t row = first; row < last; row += n_lanes) {
    int count = static_cast<int>(std::min<int64_t>(n_lanes, last - row));
    uint32_t spread = lanes.explain(rows, row, count, values);
    for (int lane = 0; spread && lane < count; ++lane)
      if (spread >> lane & 1) rest(row + lane);
  }
}
#ifdef QUERCUS_X86
template <class Rest>
__attribute__((target("avx512f,avx512dq,avx512vl,avx512bw"))) void explain_lanes_512(ShapLanes& lanes,
                                                                                     const AskedRows& rows,
                                                                                     int64_t first, int64_t last,
                                                                                     double* values, const Rest& rest) {
  explain_lanes(lanes, rows, first, last, values, rest);
}
template <class Rest>
__attribute__((target("avx2"))) void explain_lanes_256(ShapLanes& lanes, const AskedRows& rows, int64_t first,
                                                       int64_t last, double* values, const Rest& rest) {
  explain_lanes(lanes, rows, first, last, values, rest);
}
#endif

// At the width of the machine; the values are the same at every width.
template <class Rest>
void explain_block(ShapLanes& lanes, const AskedRows& rows, int64_t first, int64_t last, double* values,
                   const Rest& rest) {
#ifdef QUERCUS_X86
  if (machine_width() == 2) return explain_lanes_512(lanes, rows, first, last, values, rest);
  if (machine_width() == 1) return explain_lanes_256(lanes, rows, first, last, values, rest);
#endif
  explain_lanes(lanes, rows, first, last, values, rest);
}

}  // namespace quercus
