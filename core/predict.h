// Prediction: distributions, leaves, decision paths, test costs and tallies of rows routed through a tree.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "dataset.h"
#include "locate.h"
#include "parallel.h"
#include "routing.h"

namespace quercus {

// How prediction runs: on how many threads, and whether to stop, which the calling thread checks repeatedly.
struct Running {
  int threads = 1;
  std::function<bool()> stop;
};

// The place where workers may stop: each calls it after every block and every spread row.
class Pause {
 public:
  explicit Pause(const Running& running) : running_(running) {}
  void operator()(int thread) {
    if (thread == 0 && running_.stop && running_.stop()) stopped_ = true;
    if (stopped_) throw Interrupted{};
  }

 private:
  const Running& running_;
  std::atomic<bool> stopped_{false};
};

// The fastest locator for this tree and these rows; the answers of all are the same.
inline std::unique_ptr<Locator> choose_locator(const TreeView& tree, const Rows& rows, const Slots& slots) {
  constexpr size_t wide = 256;  // beyond this many tested attributes, copying them all costs more than it saves
  if (slots.size() == 0 || slots.size() > wide || rows.n_rows < 2 * lanes || rows.n_rows < tree.n_nodes / 4)
    return std::make_unique<PlainLocator>(tree, rows);
  if (std::any_of(tree.kind, tree.kind + tree.n_nodes, [](uint8_t kind) { return kinds[kind].reads_several; }))
    return std::make_unique<PlainLocator>(tree, rows);
  auto all = [&](ColumnKind kind) {
    return std::all_of(slots.columns.begin(), slots.columns.end(), [=](const Column* c) { return c->kind == kind; });
  };
  bool nominal = std::any_of(slots.columns.begin(), slots.columns.end(), [](const Column* c) { return c->nominal(); });
  using Narrow = ThresholdLocator<float, uint32_t>;
  if (all(ColumnKind::number32) && Narrow::fits(tree, slots)) return std::make_unique<Narrow>(tree, slots);
  if (!nominal) return std::make_unique<ThresholdLocator<double, uint64_t>>(tree, slots);
  if (MixedLocator::fits(tree, slots)) return std::make_unique<MixedLocator>(tree, rows, slots);
  return std::make_unique<PlainLocator>(tree, rows);
}

// Locates every row, block by block, and calls use(first row, rows, scratch, pause) for each block on some thread; use
// calls pause() after what may take long.
template <class Use>
void for_blocks(const TreeView& tree, const Rows& rows, const Running& running, Use&& use) {
  Slots slots(rows);
  std::unique_ptr<Locator> locator = choose_locator(tree, rows, slots);
  auto blocks = static_cast<size_t>((rows.n_rows + block_rows - 1) / block_rows);
  int threads = static_cast<int>(std::clamp<size_t>(blocks / 8, 1, static_cast<size_t>(std::max(1, running.threads))));
  std::vector<Scratch> scratch(static_cast<size_t>(threads));
  Pause pause(running);
  Pool pool(threads);
  pool.run(blocks, [&](size_t block, int thread) {
    Scratch& mine = scratch[static_cast<size_t>(thread)];
    int64_t first = static_cast<int64_t>(block) * block_rows, count = std::min(block_rows, rows.n_rows - first);
    locator->locate(first, count, mine);
    use(first, count, mine, [&pause, thread] { pause(thread); });
    pause(thread);
  });
}

// out [n_rows, width]: the values [n_nodes, width] of the nodes where a row ends, weighted by its parts.
inline void predict_values(const TreeView& tree, const Rows& rows, const double* values, int64_t width,
                           const Running& running, double* out) {
  for_blocks(tree, rows, running, [&](int64_t first, int64_t count, Scratch& scratch, auto&& pause) {
    for (int64_t r = 0; r < count; ++r) {
      int32_t end = scratch.ends[static_cast<size_t>(r)];
      double* to = out + (first + r) * width;
      if (tree.leaf(end)) {
        const double* from = values + end * width;
        for (int64_t j = 0; j < width; ++j) to[j] = from[j];
        continue;
      }
      std::fill(to, to + width, 0.0);
      walk(tree, rows, first + r, {end, 1.0}, scratch.stack, [&](int32_t node, double weight, bool last) {
        if (!last) return;
        for (int64_t j = 0; j < width; ++j) to[j] += weight * values[node * width + j];
      });
      pause();
    }
  });
}

// out [n_rows]: the leaf of each row; of a spread row, the leaf that holds most of it, the leftmost if tied.
inline void find_leaves(const TreeView& tree, const Rows& rows, const Running& running, int64_t* out) {
  for_blocks(tree, rows, running, [&](int64_t first, int64_t count, Scratch& scratch, auto&& pause) {
    for (int64_t r = 0; r < count; ++r) {
      int32_t best = scratch.ends[static_cast<size_t>(r)];
      if (!tree.leaf(best)) {
        double most = 0.0;
        walk(tree, rows, first + r, {best, 1.0}, scratch.stack, [&](int32_t node, double weight, bool last) {
          if (!last || !(weight > most)) return;
          best = node;
          most = weight;
        });
        pause();
      }
      out[first + r] = best;
    }
  });
}

inline std::vector<int32_t> parents(const TreeView& tree) {
  std::vector<int32_t> parent(static_cast<size_t>(tree.n_nodes), -1);
  for (int64_t node = 0; node < tree.n_nodes; ++node)
    if (!tree.leaf(node))
      for (int32_t c = 0; c < tree.n_children[node]; ++c)
        parent[static_cast<size_t>(tree.first_child[node] + c)] = static_cast<int32_t>(node);
  return parent;
}

// The nodes that each row reaches and the weight of its part there, row after row, nodes ascending.
struct Paths {
  std::vector<int64_t> starts;  // [n_rows + 1]
  std::vector<int32_t> nodes;
  std::vector<double> weights;  // empty unless asked for
};

// The whole way of a row that goes one way to `end` and perhaps spreads there, onto the end of `way`.
inline void follow(const TreeView& tree, const Rows& rows, int64_t row, int32_t end, const std::vector<int32_t>& parent,
                   std::vector<Part>& stack, std::vector<Part>& way) {
  auto begin = static_cast<std::ptrdiff_t>(way.size());
  for (int32_t node = end; node >= 0; node = parent[static_cast<size_t>(node)]) way.push_back({node, 1.0});
  std::reverse(way.begin() + begin, way.end());
  if (tree.leaf(end)) return;
  auto below = static_cast<std::ptrdiff_t>(way.size());
  walk(tree, rows, row, {end, 1.0}, stack, [&](int32_t node, double weight, bool) {
    if (node != end) way.push_back({node, weight});
  });
  std::sort(way.begin() + below, way.end(), [](const Part& a, const Part& b) { return a.node < b.node; });
}

inline Paths find_paths(const TreeView& tree, const Rows& rows, bool with_weights, const Running& running) {
  Paths paths;
  paths.starts.assign(static_cast<size_t>(rows.n_rows) + 1, 0);
  std::vector<int32_t> parent = parents(tree);
  auto blocks = static_cast<size_t>((rows.n_rows + block_rows - 1) / block_rows);
  std::vector<std::vector<int32_t>> nodes(blocks);  // by block, so that any worker may fill any of them
  std::vector<std::vector<double>> weights(blocks);
  for_blocks(tree, rows, running, [&](int64_t first, int64_t count, Scratch& scratch, auto&& pause) {
    std::vector<Part>& way = scratch.way;
    way.clear();
    for (int64_t r = 0; r < count; ++r) {
      size_t before = way.size();
      int32_t end = scratch.ends[static_cast<size_t>(r)];
      follow(tree, rows, first + r, end, parent, scratch.stack, way);
      paths.starts[static_cast<size_t>(first + r) + 1] = static_cast<int64_t>(way.size() - before);
      if (!tree.leaf(end)) pause();
    }
    auto block = static_cast<size_t>(first / block_rows);
    nodes[block].resize(way.size());
    std::transform(way.begin(), way.end(), nodes[block].begin(), [](const Part& part) { return part.node; });
    weights[block].resize(with_weights ? way.size() : 0);
    if (with_weights)
      std::transform(way.begin(), way.end(), weights[block].begin(), [](const Part& part) { return part.weight; });
  });
  std::partial_sum(paths.starts.begin(), paths.starts.end(), paths.starts.begin());
  paths.nodes.reserve(static_cast<size_t>(paths.starts.back()));
  paths.weights.reserve(with_weights ? static_cast<size_t>(paths.starts.back()) : 0);
  for (size_t block = 0; block < blocks; ++block) {
    paths.nodes.insert(paths.nodes.end(), nodes[block].begin(), nodes[block].end());
    paths.weights.insert(paths.weights.end(), weights[block].begin(), weights[block].end());
    std::vector<int32_t>().swap(nodes[block]);
    std::vector<double>().swap(weights[block]);
  }
  return paths;
}

// By node: the summed costs of the different attributes tested on the way to it, its own test included.
inline std::vector<double> path_costs(const TreeView& tree, const double* costs, size_t n_attributes) {
  std::vector<double> cost(static_cast<size_t>(tree.n_nodes), 0.0);
  std::vector<uint8_t> paid(n_attributes, 0);
  struct Visit {
    int32_t node;
    double before;
    int32_t leaving;  // an attribute that is no longer paid for; -1: the node is entered
  };
  std::vector<Visit> stack = {{0, 0.0, -1}};
  while (!stack.empty()) {
    Visit visit = stack.back();
    stack.pop_back();
    auto node = static_cast<size_t>(visit.node);
    if (visit.leaving >= 0) {
      paid[static_cast<size_t>(visit.leaving)] = 0;
      continue;
    }
    cost[node] = visit.before;
    if (tree.leaf(visit.node)) continue;
    auto pay = [&](int32_t attribute) {
      if (paid[static_cast<size_t>(attribute)]) return;
      paid[static_cast<size_t>(attribute)] = 1;
      cost[node] += costs[attribute];
      stack.push_back({visit.node, 0.0, attribute});
    };
    pay(tree.attribute[node]);
    for (int32_t attribute : tree.further_attributes(visit.node)) pay(attribute);
    for (int32_t c = tree.n_children[node] - 1; c >= 0; --c)
      stack.push_back({tree.first_child[node] + c, cost[node], -1});
  }
  return cost;
}

// out [n_rows]: the expected cost of the tests that a row is put to, each attribute paid for once on a path.
inline void expected_test_costs(const TreeView& tree, const Rows& rows, const double* costs, const Running& running,
                                double* out) {
  std::vector<double> cost = path_costs(tree, costs, rows.columns.size());
  predict_values(tree, rows, cost.data(), 1, running, out);
}

// What a tally gathers at a node: class weights, or the weight, mean and squared deviation of numbers.
struct ClassTally {
  int64_t width;
  const int32_t* labels;
  void add(double* sums, int64_t row, double weight) const { sums[labels[row]] += weight; }
  void merge(double* sums, const double* more) const {
    for (int64_t j = 0; j < width; ++j) sums[j] += more[j];
  }
};

struct NumberTally {
  static constexpr int64_t width = 3;
  const double* target;
  void add(double* sums, int64_t row, double weight) const {
    const double one[3] = {weight, target[row], 0.0};
    merge(sums, one);
  }
  void merge(double* sums, const double* more) const {
    double total = sums[0] + more[0];
    if (!(more[0] > 0.0)) return;
    double difference = more[1] - sums[1], share = more[0] / total;
    sums[1] = share == 1.0 ? more[1] : sums[1] + difference * share;
    sums[2] += more[2] + difference * difference * sums[0] * share;
    sums[0] = total;
  }
};

// out [n_nodes, width], zeroed: what the rows that reach each node add up to. Rows are added in their own order and
// children merged into parents in node order, so the sums do not depend on the threads.
template <class Tally>
void tally_rows(const TreeView& tree, const Rows& rows, const Tally& tally, const double* weights,
                const Running& running, double* out) {
  std::vector<int32_t> ends(static_cast<size_t>(rows.n_rows));
  for_blocks(tree, rows, running, [&](int64_t first, int64_t count, Scratch& scratch, auto&&) {
    std::copy_n(scratch.ends.begin(), count, ends.begin() + first);
  });
  Pause pause(running);
  std::vector<double> parts;  // of spread rows, below the node where they spread: not handed up again
  std::vector<Part> stack;
  for (int64_t row = 0; row < rows.n_rows; ++row) {
    double weight = weights ? weights[row] : 1.0;
    if (!(weight > 0.0)) continue;
    int32_t end = ends[static_cast<size_t>(row)];
    tally.add(out + end * tally.width, row, weight);
    if (tree.leaf(end)) continue;
    parts.resize(static_cast<size_t>(tree.n_nodes * tally.width), 0.0);
    walk(tree, rows, row, {end, weight}, stack, [&](int32_t node, double part, bool) {
      if (node != end) tally.add(parts.data() + node * tally.width, row, part);
    });
    pause(0);
  }
  for (int64_t node = tree.n_nodes - 1; node >= 0; --node) {
    for (int32_t c = 0; !tree.leaf(node) && c < tree.n_children[node]; ++c)
      tally.merge(out + node * tally.width, out + (tree.first_child[node] + c) * tally.width);
  }
  for (int64_t node = 0; !parts.empty() && node < tree.n_nodes; ++node)
    tally.merge(out + node * tally.width, parts.data() + node * tally.width);
}

}  // namespace quercus
