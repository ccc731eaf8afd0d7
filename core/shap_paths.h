// Shapley values with the shares of the training: what each attribute, and each pair of them, brought to an answer
// (docs/concepts/shap.md).
//
// On the way to a leaf each attribute i has two numbers: `one`, the part of the row that takes all its branches, and
// `zero`, the product of their training shares. If the values of the attributes in S count, the leaf gets
// prod(one of S) * prod(zero of the others) of the row. The Shapley value of i in this game is the integral over t in
// [0, 1] of (one_i - zero_i) * prod over j != i of f_j(t), f_j(t) = zero_j + t (one_j - zero_j), a polynomial; so a few
// points t_q give it exactly. All factors are positive, so that nothing cancels.
#pragma once

#include "running.h"
#include "shap_lanes.h"
#include "shap_tree.h"

namespace quercus {

// One row at a time, whatever it does. Pairs: interaction values are wanted, too.
template <bool Pairs>
class ShapPaths {
 public:
  explicit ShapPaths(const ShapTree& tree, const Quadrature& quadrature, const std::vector<double>& inverse)
      : tree_(tree), quadrature_(quadrature), inverse_(inverse), n_(static_cast<int>(quadrature.point.size())) {
    auto n = static_cast<size_t>(n_), depth = static_cast<size_t>(tree.depth), slots = tree.questions.asked().size();
    ones_.assign(n, 1.0);
    zeros_.assign(n, 0.0);
    for (double rest : quadrature.rest) cold_.push_back(-1.0 / rest);
    part_.resize((depth + 2) * n, 1.0);
    sum_.resize((depth + 2) * n * static_cast<size_t>(std::max(tree.n_widest, 1)));
    hot_.resize(2 * (depth + 1) * n);
    scratch_.resize(n);
    bool plain = true;
    for (int64_t node = 0; node < tree.questions.n_nodes(); ++node) plain &= tree.questions.surrogates(node).empty();
    states_.assign(slots, {1.0, 1.0, ones_.data(), zeros_.data(), plain});
    frames_.resize(depth + 1);
    gathered_.assign(slots * static_cast<size_t>(tree.width) * n, 0.0);
    if constexpr (Pairs) pairs_.assign(slots * slots * static_cast<size_t>(tree.width), 0.0);
  }

  // Adds to values [n_attributes, width] of the row, and to pairs [n_attributes, n_attributes, width].
  void explain(const AskedRows& rows, int64_t row, double* values, double* pairs) {
    if (tree_.leaf(0)) return;
    row_.read(tree_.questions, rows, row);
    depth_ = 0;
    enter(0);
    while (depth_ > 0) {
      Frame& frame = frames_[depth_ - 1];
      if (frame.edge == frame.end)
        leave(frame);
      else
        step(frame, static_cast<size_t>(frame.edge++));
    }
    hand_over(values);
    if constexpr (Pairs) hand_over_pairs(pairs);
  }

 private:
  // What the questions about an attribute on the way made of it.
  struct State {
    double one, zero;
    const double* inverse;  // 1 / f at the points
    const double* lift;     // (one - zero) / f
    bool plain;             // all its branches were taken whole, so that f is known before
  };
  struct Frame {
    int32_t node, edge, end;
    int32_t taken;    // the edge of the row; -1: it spreads over all
    uint32_t player;  // the attribute whose value decides
    State before;
  };

  int points() const { return n_; }
  double* part_at(size_t depth) { return part_.data() + depth * static_cast<size_t>(points()); }
  double* sum_at(size_t depth) {
    return sum_.data() + depth * static_cast<size_t>(std::max(tree_.n_widest, 1)) * static_cast<size_t>(points());
  }

  // The question of the node at the end of the way, whose part of the row is at part_at(depth_).
  void enter(int32_t node) {
    Frame& frame = frames_[depth_];
    auto at = static_cast<size_t>(node);
    frame.node = node;
    frame.edge = tree_.edge_start[at];
    frame.end = tree_.edge_start[at + 1];
    decide(frame);
    frame.before = states_[frame.player];
    if (Pairs && frame.before.lift == zeros_.data()) players_.push_back(frame.player);
    double* __restrict sum = sum_at(depth_);
    const double* __restrict part = part_at(depth_);
    std::fill_n(sum, tree_.values.n_below(node) * points(), 0.0);
    for (int64_t i = tree_.values.own_start[at]; i < tree_.values.own_start[at + 1]; ++i) {
      double number = tree_.values.own_number[static_cast<size_t>(i)];
      double* __restrict to = sum + tree_.values.own_place[static_cast<size_t>(i)] * points();
      for (int q = 0; q < points(); ++q) to[q] += number * part[q];
    }
    ++depth_;
  }

  void decide(Frame& frame) {
    const CompactNode& question = tree_.questions.nodes()[frame.node];
    frame.player = question.slot();
    int32_t child = row_.branch(tree_.questions, question);
    if (child < 0 && !states_[frame.player].plain) child = decide_unknown(frame);
    frame.taken = child < 0 ? -1 : frame.edge + child;
  }
  int32_t decide_unknown(Frame& frame) {
    auto surrogates = tree_.questions.surrogates(frame.node);
    if (surrogates.empty()) return no_branch;
    for (const CompactNode& surrogate : surrogates) {
      int32_t child = row_.branch_of_surrogate(tree_.questions, surrogate);
      if (child < 0) continue;
      frame.player = surrogate.slot();
      return child;
    }
    return tree_.questions.unknown_to_surrogates(frame.node);
  }

  // One branch: its part of the row, then what is below it.
  void step(Frame& frame, size_t number) {
    const ShapEdge& edge = tree_.edges[number];
    if (tree_.values.n_below(edge.child) == 0) return;
    const State& before = frame.before;
    const double* __restrict part = part_at(depth_ - 1);
    double* __restrict next = part_at(depth_);
    if (before.one == 0.0) {  // the row has left the way at this attribute before: f shrinks by the share alone
      if (edge.share == 0.0) return;
      for (int q = 0; q < points(); ++q) next[q] = part[q] * edge.share;
    } else {
      bool whole = frame.taken == static_cast<int32_t>(number);
      double one = before.one * (whole ? 1.0 : frame.taken < 0 ? edge.share : 0.0), zero = before.zero * edge.share;
      if (one == 0.0 && zero == 0.0) return;
      State& state = states_[frame.player];
      const double* __restrict above = before.inverse;
      if (one == 0.0) {
        state = {0.0, zero, nullptr, cold_.data(), false};
        const double* __restrict rest = quadrature_.rest.data();
        for (int q = 0; q < points(); ++q) next[q] = part[q] * (zero * rest[q]) * above[q];
      } else {
        heat(state, one, zero, before.plain && whole, number);
        const double* __restrict point = quadrature_.point.data();
        double more = one - zero;
        for (int q = 0; q < points(); ++q) next[q] = part[q] * (zero + point[q] * more) * above[q];
      }
    }
    if (tree_.leaf(edge.child))
      end(frame, edge.child, next);
    else
      enter(edge.child);
  }

  // The state of an attribute of which a part of the row is still on the way.
  void heat(State& state, double one, double zero, bool plain, size_t number) {
    double* inverse = hot_.data() + 2 * (depth_ - 1) * static_cast<size_t>(points());
    double* __restrict lift = inverse + points();
    double more = one - zero;
    const double* __restrict from = inverse;
    if (plain) {
      from = inverse_.data() + number * static_cast<size_t>(points());
    } else {
      for (int q = 0; q < points(); ++q) inverse[q] = 1.0 / (zero + quadrature_.point[static_cast<size_t>(q)] * more);
    }
    for (int q = 0; q < points(); ++q) lift[q] = more * from[q];
    state = {one, zero, from, lift, plain};
  }

  // A leaf: what it says, times the part of the row.
  void end(Frame& frame, int32_t leaf, const double* __restrict part) {
    auto at = static_cast<size_t>(leaf);
    for (int64_t i = tree_.values.own_start[at]; i < tree_.values.own_start[at + 1]; ++i) {
      double number = tree_.values.own_number[static_cast<size_t>(i)];
      double* __restrict said = scratch_.data();
      for (int q = 0; q < points(); ++q) said[q] = number * part[q];
      credit(frame, tree_.values.below_start[at] + tree_.values.own_place[static_cast<size_t>(i)], said);
    }
  }

  // A question whose branches have all been followed.
  void leave(Frame& frame) {
    states_[frame.player] = frame.before;
    if (Pairs && frame.before.lift == zeros_.data()) players_.pop_back();
    if (--depth_ == 0) return;
    auto at = static_cast<size_t>(frame.node);
    const double* sum = sum_at(depth_);
    for (int64_t i = tree_.values.below_start[at]; i < tree_.values.below_start[at + 1]; ++i, sum += points())
      credit(frames_[depth_ - 1], i, sum);
  }

  // What is said below a branch of the frame, of the class in place `below` of all lists: the attribute gets its part.
  void credit(Frame& frame, int64_t below, const double* __restrict said) {
    auto place = static_cast<size_t>(below);
    double* __restrict sum = sum_at(depth_ - 1) + tree_.values.above[place] * points();
    for (int q = 0; q < points(); ++q) sum[q] += said[q];
    if (frame.before.one == 0.0) return;
    const double* __restrict lift = states_[frame.player].lift;
    const double* __restrict before = frame.before.lift;
    auto j = static_cast<size_t>(tree_.values.below_class[place]);
    double* __restrict to =
        gathered_.data() + (frame.player * static_cast<size_t>(tree_.width) + j) * static_cast<size_t>(points());
    for (int q = 0; q < points(); ++q) to[q] += said[q] * (lift[q] - before[q]);
    if constexpr (Pairs) credit_pairs(frame, j, said);
  }
  void credit_pairs(const Frame& frame, size_t j, const double* said) {
    const double* lift = states_[frame.player].lift;
    for (uint32_t other : players_) {
      if (other == frame.player) continue;
      double sum = 0.0;
      for (int q = 0; q < points(); ++q)
        sum += quadrature_.weight[static_cast<size_t>(q)] * said[q] * (lift[q] - frame.before.lift[q]) *
               states_[other].lift[q];
      auto low = std::min(frame.player, other), high = std::max(frame.player, other);
      pairs_[(low * states_.size() + high) * static_cast<size_t>(tree_.width) + j] += sum;
    }
  }

  void hand_over(double* values) {
    double* from = gathered_.data();
    for (const AskedAttribute& asked : tree_.questions.asked()) {
      double* to = values + asked.attribute * tree_.width;
      for (int64_t j = 0; j < tree_.width; ++j, from += points()) {
        double sum = 0.0;
        for (int q = 0; q < points(); ++q) sum += quadrature_.weight[static_cast<size_t>(q)] * from[q];
        to[j] += sum;
      }
    }
    std::fill(gathered_.begin(), gathered_.end(), 0.0);
  }
  void hand_over_pairs(double* pairs) {
    const auto& asked = tree_.questions.asked();
    auto width = static_cast<size_t>(tree_.width);
    auto n_attributes = static_cast<size_t>(tree_.questions.n_attributes());
    for (size_t a = 0; a < asked.size(); ++a)
      for (size_t b = a + 1; b < asked.size(); ++b) {
        auto one = static_cast<size_t>(asked[a].attribute), other = static_cast<size_t>(asked[b].attribute);
        for (size_t j = 0; j < width; ++j) {
          double half = 0.5 * pairs_[(a * asked.size() + b) * width + j];
          pairs[(one * n_attributes + other) * width + j] += half;
          pairs[(other * n_attributes + one) * width + j] += half;
        }
      }
    std::fill(pairs_.begin(), pairs_.end(), 0.0);
  }

  const ShapTree& tree_;
  const Quadrature& quadrature_;
  const std::vector<double>& inverse_;  // by edge: 1 / f, if the row takes it and was whole above
  int n_;
  std::vector<double> ones_, zeros_, cold_;  // lifts of attributes that were not asked, or that the row has left
  std::vector<double> part_, sum_;           // by depth: the row's part here; what was said below
  std::vector<double> hot_, scratch_;
  std::vector<double> gathered_, pairs_;
  std::vector<State> states_;  // by slot
  std::vector<Frame> frames_;
  std::vector<uint32_t> players_;  // attributes asked on the way
  size_t depth_ = 0;
  ShapRow row_;
};

// What the answers are made of: values [n_rows, n_attributes, width], pairs [n_rows, n_attributes, n_attributes, width]
// or nullptr; both are added to.
struct ShapOutput {
  double* values = nullptr;
  double* pairs = nullptr;
};

// 1 / f by branch and point, of rows that take it and were whole above.
inline std::vector<double> inverse_table(const ShapTree& tree, const Quadrature& quadrature) {
  std::vector<double> inverse;
  inverse.reserve(tree.edges.size() * quadrature.point.size());
  for (const ShapEdge& edge : tree.edges)
    for (double t : quadrature.point) inverse.push_back(1.0 / (edge.zero + t * (1.0 - edge.zero)));
  return inverse;
}

// Runs work(first row, last row, thread) over all rows.
template <class Work>
void run_blocks(int64_t n_rows, int64_t block, const Running& running, const Work& work) {
  Pause pause(running);
  Pool pool(running.threads);
  pool.run(static_cast<size_t>((n_rows + block - 1) / block), [&](size_t number, int thread) {
    int64_t first = static_cast<int64_t>(number) * block;
    work(first, std::min(first + block, n_rows), static_cast<size_t>(thread));
    pause(thread);
  });
}

// One for each thread; they hold addresses of their own parts, so none is a copy.
template <bool Pairs>
std::vector<ShapPaths<Pairs>> paths_for(size_t threads, const ShapTree& tree, const Quadrature& quadrature,
                                        const std::vector<double>& inverse) {
  std::vector<ShapPaths<Pairs>> paths;
  paths.reserve(threads);
  for (size_t i = 0; i < threads; ++i) paths.emplace_back(tree, quadrature, inverse);
  return paths;
}

inline int threads_for(int64_t n_rows, int64_t block, const Running& running) {
  return static_cast<int>(std::clamp<int64_t>((n_rows + block - 1) / block, 1, std::max(1, running.threads)));
}

inline void explain_rows(const ShapTree& tree, const AskedRows& rows, const Running& running, const ShapOutput& out) {
  constexpr int64_t block = 64;
  Quadrature quadrature = gauss_legendre(tree.n_points);
  Running own{threads_for(rows.n_rows, block, running), running.stop};
  auto threads = static_cast<size_t>(own.threads);
  int64_t cells = tree.questions.n_attributes() * tree.width;
  std::vector<double> inverse;
  if (out.pairs || tree.questions.stays()) inverse = inverse_table(tree, quadrature);
  if (out.pairs) {
    auto paths = paths_for<true>(threads, tree, quadrature, inverse);
    return run_blocks(rows.n_rows, block, own, [&](int64_t first, int64_t last, size_t thread) {
      for (int64_t row = first; row < last; ++row)
        paths[thread].explain(rows, row, out.values + row * cells,
                              out.pairs + row * tree.questions.n_attributes() * cells);
    });
  }
  std::vector<double> table = lane_table(tree, quadrature);
  std::vector<ShapLanes> lanes(threads, ShapLanes(tree, quadrature, table));
  auto paths = paths_for<false>(tree.questions.stays() ? threads : 0, tree, quadrature, inverse);
  run_blocks(rows.n_rows, block, own, [&](int64_t first, int64_t last, size_t thread) {
    explain_block(lanes[thread], rows, first, last, out.values,
                  [&](int64_t row) { paths[thread].explain(rows, row, out.values + row * cells, nullptr); });
  });
}

}  // namespace quercus
