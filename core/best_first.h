// Best first: of all open nodes the one whose split improves most is split next, until there are enough leaves.
#pragma once

#include <set>

#include "watch.h"
#include "worker.h"

namespace quercus {

// With several threads the next-best open nodes are split ahead of their turn, each in a builder of its own; a split
// enters the tree when its turn comes, in the order of one thread, or never.
class BestFirst {
 public:
  BestFirst(const Plan& plan, Watch& watch, Pool& pool, Builder& builder, Worker& worker)
      : plan_(plan), options_(plan.options), watch_(watch), pool_(pool), builder_(builder), worker_(worker) {
    lanes_.push_back(std::make_unique<Lane>(plan, builder.width, &pool));
    if (pool.threads() > 1 && !options_.off(no_ahead))
      for (int i = 0; i < pool.threads(); ++i) lanes_.push_back(std::make_unique<Lane>(plan, builder.width, nullptr));
  }

  void grow(Open root) {
    double floor = 1e-12 * root_scale(root);
    Frontier first{std::move(root), {}, nullptr};
    watch_.nodes.fetch_add(1, std::memory_order_relaxed);
    if (!worker_.find_split(first.open, first.candidate)) return;
    wait(std::move(first));
    for (int64_t leaves = 1; !waiting_.empty();) {
      watch_.check();
      size_t next = choose(floor);
      int64_t more = frontier_[next].candidate.branches - 1;
      if (leaves + more > options_.max_leaf_nodes) {
        waiting_.erase(next);
        continue;
      }
      leaves += more;
      bool last = leaves >= options_.max_leaf_nodes;
      if (!frontier_[next].split) split_some(next, options_.max_leaf_nodes - leaves);
      waiting_.erase(next);
      enter(next);
      if (last) return;
    }
  }

 private:
  static constexpr int AHEAD = 8;           // how many waiting nodes per thread are looked at in one round
  static constexpr int TOGETHER = 64;       // at most this many nodes are split at and below each of them
  static constexpr u64 LEAST_WORK = 40000;  // in cells: for less work no other thread is woken
  static constexpr u32 ALONE = 8;           // a node with more than 1/8 of the rows gets all threads for itself

  struct Frontier;

  // A split that has been made: its node (0) and children in records of their own, and the children that may split.
  struct Split {
    Builder builder;
    std::vector<Frontier> open;
  };

  // An open node with its best split.
  struct Frontier {
    Open open;
    Candidate candidate;
    std::unique_ptr<Split> split;
  };

  // What one thread works with.
  struct Lane {
    Lane(const Plan& plan, int width, Pool* pool) : worker(plan, builder, pool) { builder.width = width; }
    Builder builder;
    Worker worker;
    std::vector<Open> children;
  };

  // What improvements are measured against: the root's multiplied weight, or its summed impurity.
  double root_scale(const Open& root) {
    const double* value = builder_.value(0);
    if (!plan_.data.n_classes) return worker_.numbers().impurity(root) * plan_.root_weight;
    double scale = 0.0;
    for (int j = 0; j < plan_.width; ++j)
      scale += value[j] * (options_.class_multipliers.empty() ? 1.0 : options_.class_multipliers[j]);
    return scale;
  }

  void wait(Frontier node) {
    frontier_.push_back(std::move(node));
    waiting_.insert(frontier_.size() - 1);
  }

  // The oldest of the nodes whose improvement is within the tolerance of the best.
  size_t choose(double floor) const {
    size_t chosen = *waiting_.begin();
    double most = frontier_[chosen].candidate.improvement, least = most - 1e-10 * std::abs(most) - floor;
    for (size_t i : waiting_) {
      if (frontier_[i].candidate.improvement < least) break;
      chosen = std::min(chosen, i);
    }
    return chosen;
  }

  // Makes the split of a node. With threads, the best waiting nodes (no more than there may be leaves) are split in the
  // same round, and below each of them nodes whose split is no worse, up to TOGETHER nodes: all of these come before
  // the other nodes anyway.
  void split_some(size_t next, int64_t leaves_left) {
    std::vector<size_t> batch{next};
    u64 work = cells(next);
    double least = frontier_[next].candidate.improvement;
    if (lanes_.size() > 1 && !alone(frontier_[next].open)) {
      int64_t places = std::min<int64_t>(AHEAD * pool_.threads(), leaves_left);
      for (auto at = waiting_.begin(); at != waiting_.end() && places-- > 0; ++at) {
        least = std::min(least, frontier_[*at].candidate.improvement);
        if (*at == next || frontier_[*at].split || alone(frontier_[*at].open)) continue;
        batch.push_back(*at);
        work += cells(*at);
      }
    }
    if (batch.size() < 2 || work < LEAST_WORK) return split(*lanes_[0], builder_, frontier_[next]);
    std::sort(batch.begin(), batch.end(), [&](size_t a, size_t b) { return cells(a) > cells(b); });
    pool_.run(batch.size(), [&](size_t i, int thread) {
      split_below(*lanes_[static_cast<size_t>(thread) + 1], frontier_[batch[i]], least);
    });
  }
  u64 cells(size_t i) const { return u64{frontier_[i].open.count()} * frontier_[i].open.active->size(); }
  bool alone(const Open& open) const { return open.count() > plan_.data.n_rows / ALONE; }

  void split_below(Lane& lane, Frontier& top, double least) {
    std::vector<std::pair<Builder*, Frontier*>> stack{{&builder_, &top}};
    for (int left = TOGETHER; left > 0 && !stack.empty(); --left) {
      auto [from, node] = stack.back();
      stack.pop_back();
      split(lane, *from, *node);
      for (Frontier& child : node->split->open)
        if (child.candidate.improvement >= least) stack.emplace_back(&node->split->builder, &child);
    }
  }

  // Splits a node that is recorded in `from`, and finds the splits of its children.
  void split(Lane& lane, Builder& from, Frontier& node) {
    Builder& builder = lane.builder;
    builder.clear();
    builder.add(1);
    builder.nodes[0].count = from.nodes[node.open.record].count;
    builder.nodes[0].weight = from.nodes[node.open.record].weight;
    from.read(node.open.record, builder.value(0));
    Open open = std::move(node.open);
    node.open = Open{};
    node.open.record = std::exchange(open.record, 0);
    lane.children.clear();
    lane.worker.split(open, node.candidate, lane.children);
    lane.worker.pack_group(0);
    auto result = std::make_unique<Split>();
    for (Open& child : lane.children) {
      lane.worker.list_bins(child);
      Frontier frontier{std::move(child), {}, nullptr};
      watch_.nodes.fetch_add(1, std::memory_order_relaxed);
      if (lane.worker.find_split(frontier.open, frontier.candidate)) result->open.push_back(std::move(frontier));
    }
    for (size_t i = 0; i < builder.nodes.size(); ++i) builder.close(static_cast<int32_t>(i));
    result->builder = builder;
    node.split = std::move(result);
  }

  // A split's turn has come: its records join the tree's, and its children wait.
  void enter(size_t next) {
    std::unique_ptr<Split> split = std::move(frontier_[next].split);
    int32_t record = frontier_[next].open.record, n = static_cast<int32_t>(split->builder.nodes.size()) - 1;
    int32_t first = builder_.add(n);
    for (int32_t i = 0; i <= n; ++i) {
      int32_t to = i ? first + i - 1 : record;
      builder_.nodes[to] = std::move(split->builder.nodes[i]);
      if (i) split->builder.read(i, builder_.value(to));
      builder_.close(to);
      if (i && !split->builder.bounds.empty()) builder_.bound(to, std::move(split->builder.bounds[i]));
    }
    builder_.nodes[record].first_child = first;
    for (Frontier& child : split->open) {
      child.open.record += first - 1;
      wait(std::move(child));
    }
  }

  struct Heavier {
    const std::vector<Frontier>& nodes;
    bool operator()(size_t a, size_t b) const {
      double x = nodes[a].candidate.improvement, y = nodes[b].candidate.improvement;
      return x != y ? x > y : a < b;
    }
  };

  const Plan& plan_;
  const Options& options_;
  Watch& watch_;
  Pool& pool_;
  Builder& builder_;
  Worker& worker_;
  std::vector<std::unique_ptr<Lane>> lanes_;  // the first uses all threads, each of the others is one thread's
  std::vector<Frontier> frontier_;
  std::set<size_t, Heavier> waiting_{Heavier{frontier_}};
};

}  // namespace quercus
