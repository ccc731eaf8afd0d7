// Prediction: distributions, leaves, decision paths, test costs and tallies of rows routed through a tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "dataset.h"
#include "locate.h"
#include "parallel.h"
#include "running.h"

namespace quercus {

// Locates every row, block by block, and calls use(first row, rows, scratch, pause) for each block on some thread; use
// calls pause() after what may take long. Returns whether a question read an infinite number.
template <class Use>
bool for_blocks(const CompactTree& tree, const AskedRows& rows, const Running& running, Use&& use) {
  Locator locator(tree, rows);
  int64_t size = locator.rows_in_block(std::max(1, running.threads));
  auto blocks = static_cast<size_t>((rows.n_rows + size - 1) / size);
  int threads = static_cast<int>(std::clamp<size_t>(blocks / 2, 1, static_cast<size_t>(std::max(1, running.threads))));
  std::vector<Scratch> scratch(static_cast<size_t>(threads));
  Pause pause(running);
  Pool pool(threads);
  pool.run(blocks, [&](size_t block, int thread) {
    Scratch& mine = scratch[static_cast<size_t>(thread)];
    int64_t first = static_cast<int64_t>(block) * size, count = std::min(size, rows.n_rows - first);
    locator.locate(first, count, mine);
    use(first, count, mine, [&pause, thread] { pause(thread); });
    pause(thread);
  });
  return std::any_of(scratch.begin(), scratch.end(), [](const Scratch& one) { return one.infinite; });
}

// to [width]: the values [n_nodes, width] of the leaves of a row that spreads at `end`, weighted by its parts.
inline void spread_values(const CompactTree& tree, const AskedRows& rows, int64_t row, int32_t end,
                          const double* values, int64_t width, std::vector<Part>& stack, double* to) {
  std::fill(to, to + width, 0.0);
  walk(tree, rows, row, {end, 1.0}, stack, [&](int32_t node, double weight, bool last) {
    if (!last) return;
    for (int64_t j = 0; j < width; ++j) to[j] += weight * values[node * width + j];
  });
}

// out [n_rows, width]: the values [n_nodes, width] of the nodes where a row ends, weighted by its parts. Returns
// whether a question read an infinite number.
inline bool predict_values(const CompactTree& tree, const AskedRows& rows, const double* values, int64_t width,
                           const Running& running, double* out) {
  return for_blocks(tree, rows, running, [&](int64_t first, int64_t count, Scratch& scratch, auto&& pause) {
    for (int64_t r = 0; r < count; ++r) {
      int32_t end = scratch.ends[static_cast<size_t>(r)];
      double* to = out + (first + r) * width;
      if (tree.leaf(end)) {
        std::memcpy(to, values + end * width, static_cast<size_t>(width) * sizeof(double));
        continue;
      }
      spread_values(tree, rows, first + r, end, values, width, scratch.stack, to);
      pause();
    }
  });
}

// The values of nodes without zeros: those of a node stand from starts[node] to starts[node + 1], each with its place.
struct SparseValues {
  const int64_t* starts = nullptr;
  const int32_t* places = nullptr;
  const double* numbers = nullptr;

  void add(int32_t node, double weight, double* to) const {
    for (int64_t i = starts[node]; i < starts[node + 1]; ++i) to[places[i]] += weight * numbers[i];
  }
};

// out [n_rows, width]: the same as predict_values.
inline bool predict_sparse(const CompactTree& tree, const AskedRows& rows, const SparseValues& values, int64_t width,
                           const Running& running, double* out) {
  return for_blocks(tree, rows, running, [&](int64_t first, int64_t count, Scratch& scratch, auto&& pause) {
    for (int64_t r = 0; r < count; ++r) {
      int32_t end = scratch.ends[static_cast<size_t>(r)];
      double* to = out + (first + r) * width;
      std::fill(to, to + width, 0.0);
      if (tree.leaf(end)) {
        for (int64_t i = values.starts[end]; i < values.starts[end + 1]; ++i) to[values.places[i]] = values.numbers[i];
        continue;
      }
      walk(tree, rows, first + r, {end, 1.0}, scratch.stack, [&](int32_t node, double weight, bool last) {
        if (last) values.add(node, weight, to);
      });
      pause();
    }
  });
}

// What a row answers that ends in one leaf: the code of the leaf; the others are told by their values.
struct Codes {
  std::vector<double> values;  // [rows in several leaves, width], in the order of the rows
  bool infinite = false;       // whether a question read an infinite number
};

// out [n_rows]: codes[leaf] of a row that ends in one leaf, −1 of a row that ends in several.
inline Codes predict_codes(const CompactTree& tree, const AskedRows& rows, const double* values, int64_t width,
                           const int64_t* codes, const Running& running, int64_t* out) {
  Codes found;
  std::vector<std::vector<double>> spread(static_cast<size_t>((rows.n_rows + block_rows - 1) / block_rows));
  found.infinite = for_blocks(tree, rows, running, [&](int64_t first, int64_t count, Scratch& scratch, auto&& pause) {
    std::vector<double>& mine = spread[static_cast<size_t>(first / block_rows)];
    for (int64_t r = 0; r < count; ++r) {
      int32_t end = scratch.ends[static_cast<size_t>(r)];
      out[first + r] = codes[end];
      if (tree.leaf(end)) continue;
      out[first + r] = -1;
      mine.resize(mine.size() + static_cast<size_t>(width));
      double* to = mine.data() + mine.size() - width;
      spread_values(tree, rows, first + r, end, values, width, scratch.stack, to);
      pause();
    }
  });
  for (const std::vector<double>& block : spread) found.values.insert(found.values.end(), block.begin(), block.end());
  return found;
}

// out [n_rows]: the leaf of each row; of a spread row, the leaf that holds most of it, the leftmost if tied. Returns
// whether a question read an infinite number.
inline bool find_leaves(const CompactTree& tree, const AskedRows& rows, const Running& running, int64_t* out) {
  return for_blocks(tree, rows, running, [&](int64_t first, int64_t count, Scratch& scratch, auto&& pause) {
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

// The largest of several numbers; NaN if one is NaN.
inline double largest(const double* numbers, int64_t n) {
  double most[4] = {numbers[0], numbers[0], numbers[0], numbers[0]};  // four at a time: none waits for the one before
  bool nan = false;
  for (int64_t j = 0; j < n; ++j) {
    double& here = most[j & 3];
    here = numbers[j] > here ? numbers[j] : here;
    nan |= numbers[j] != numbers[j];
  }
  return nan ? std::numeric_limits<double>::quiet_NaN()
             : std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
}

// out [n]: the first column of each row of scores [n, width] that is the largest, or less by the tolerance at most.
inline void first_largest(const double* scores, int64_t n, int64_t width, double tolerance, int64_t* out) {
  for (int64_t r = 0; r < n; ++r, scores += width) {
    if (width == 2) {
      out[r] = scores[1] > scores[0] + tolerance;
      continue;
    }
    double least = largest(scores, width) - tolerance;
    const double* first = std::find_if(scores, scores + width, [=](double score) { return score >= least; });
    out[r] = first == scores + width ? 0 : first - scores;
  }
}

inline std::vector<int32_t> parents(const CompactTree& tree) {
  std::vector<int32_t> parent(static_cast<size_t>(tree.n_nodes()), -1);
  for (int64_t node = 0; node < tree.n_nodes(); ++node)
    for (int32_t c = 0; c < tree.n_children(node); ++c)
      parent[static_cast<size_t>(tree.first_child(node) + c)] = static_cast<int32_t>(node);
  return parent;
}

// The nodes that each row reaches and the weight of its part there, row after row, nodes ascending.
struct Paths {
  std::vector<int64_t> starts;  // [n_rows + 1]
  std::vector<int32_t> nodes;
  std::vector<double> weights;  // empty unless asked for
};

// The whole way of a row that goes one way to `end` and perhaps spreads there, onto the end of `way`.
inline void follow(const CompactTree& tree, const AskedRows& rows, int64_t row, int32_t end,
                   const std::vector<int32_t>& parent, std::vector<Part>& stack, std::vector<Part>& way) {
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

inline Paths find_paths(const CompactTree& tree, const AskedRows& rows, bool with_weights, const Running& running) {
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
inline std::vector<double> path_costs(const CompactTree& tree, const double* costs) {
  std::vector<double> cost(static_cast<size_t>(tree.n_nodes()), 0.0);
  std::vector<uint8_t> paid(static_cast<size_t>(tree.n_attributes()), 0);
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
    int32_t attribute = tree.attribute(visit.node);
    if (!paid[static_cast<size_t>(attribute)]) {
      paid[static_cast<size_t>(attribute)] = 1;
      cost[node] += costs[attribute];
      stack.push_back({visit.node, 0.0, attribute});
    }
    for (int32_t c = tree.n_children(visit.node) - 1; c >= 0; --c)
      stack.push_back({tree.first_child(visit.node) + c, cost[node], -1});
  }
  return cost;
}

// out [n_rows]: the expected cost of the tests that a row is put to, each attribute paid for once on a path.
inline void expected_test_costs(const CompactTree& tree, const AskedRows& rows, const double* costs,
                                const Running& running, double* out) {
  std::vector<double> cost = path_costs(tree, costs);
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
void tally_rows(const CompactTree& tree, const AskedRows& rows, const Tally& tally, const double* weights,
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
    parts.resize(static_cast<size_t>(tree.n_nodes() * tally.width), 0.0);
    walk(tree, rows, row, {end, weight}, stack, [&](int32_t node, double part, bool) {
      if (node != end) tally.add(parts.data() + node * tally.width, row, part);
    });
    pause(0);
  }
  for (int64_t node = tree.n_nodes() - 1; node >= 0; --node) {
    for (int32_t c = 0; c < tree.n_children(node); ++c)
      tally.merge(out + node * tally.width, out + (tree.first_child(node) + c) * tally.width);
  }
  for (int64_t node = 0; !parts.empty() && node < tree.n_nodes(); ++node)
    tally.merge(out + node * tally.width, parts.data() + node * tally.width);
}

}  // namespace quercus
