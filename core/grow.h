// Grow: the one top-down grower. Depth first with subtrees as tasks for several threads, or best first.
#pragma once

#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>

#include "assemble.h"
#include "worker.h"

namespace quercus {

// What the caller wants to know while a tree grows. poll(done, total, nodes) is called from the calling thread a few
// times a second; returning false stops the growing.
struct Watch {
  std::function<bool(u64, u64, u64)> poll;
  std::atomic<bool> stop{false};
  std::atomic<u64> done{0}, nodes{0};
  u64 total = 0;
  std::thread::id owner = std::this_thread::get_id();
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();

  void check() {
    if (stop.load(std::memory_order_relaxed)) throw Interrupted();
    if (!poll || std::this_thread::get_id() != owner) return;
    auto now = std::chrono::steady_clock::now();
    if (now - last < std::chrono::milliseconds(50)) return;
    last = now;
    if (poll(std::min(done.load(), total), total, nodes.load())) return;
    stop = true;
    throw Interrupted();
  }
};

class Grower {
 public:
  Grower(const Dataset& data, const Options& options, Watch& watch)
      : plan_{data, options, {}, {}}, options_(options), watch_(watch), pool_(std::max(options.n_threads, 1)) {}

  TreeArrays grow() {
    prepare();
    builders_.emplace_back();
    builders_[0].width = value_width();
    builders_[0].add(1);
    Worker worker(plan_, builders_[0], &pool_);
    Open root = root_node();
    worker.numbers().measure_node(root);
    plan_.root_weight = builders_[0].nodes[0].weight;
    if (!plan_.data.n_classes && !std::isfinite(builders_[0].value(0)[2]))
      throw std::invalid_argument("the squared deviations of the target are not finite: scale the target");
    if (!plan_.keep_order) root.frame->order = Large<u32>();
    if (!worker.numbers().settle(root)) {
      if (options_.max_leaf_nodes > 0)
        best_first(worker, std::move(root));
      else
        depth_first(worker, std::move(root));
    }
    return Assembler(builders_, options_, plan_.data.n_classes).run();
  }

 private:
  int value_width() const { return plan_.data.n_classes ? plan_.data.n_classes : 3; }

  void prepare() {
    const Dataset& data = plan_.data;
    plan_.width = data.n_classes ? data.n_classes : 2;
    plan_.wide = options_.off(no_wide) ? 0 : machine_width();
    if (data.n_classes && options_.criterion == Criterion::entropy) plan_.g = g_table(data.n_rows, pool_);
    watch_.total = data.n_rows;
    frame_ = root_frame(plan_, pool_);
  }

  Open root_node() {
    Open root;
    root.frame = std::move(frame_);
    root.end = root.frame->size;
    root.unit = true;
    for (double w : root.frame->weight) root.unit = root.unit && w == 1.0;
    auto all = std::make_shared<std::vector<u32>>(plan_.data.columns.size());
    std::iota(all->begin(), all->end(), 0u);
    if (!options_.used_attributes.empty()) std::erase_if(*all, [&](u32 a) { return !options_.used_attributes[a]; });
    root.active = all;
    root.key = options_.root_key;
    if (!plan_.keep_order) {  // the root's counts need it once
      root.frame->order.resize(root.end);
      std::iota(root.frame->order.begin(), root.frame->order.end(), 0u);
    }
    return root;
  }

  // Splits nodes depth first. With `tasks`, nodes of at most `task_rows` rows are left there instead.
  void grow_below(Worker& worker, Open root, std::vector<Open>* tasks, u32 task_rows) {
    std::vector<Open> stack;
    stack.push_back(std::move(root));
    Candidate candidate;
    while (!stack.empty()) {
      watch_.check();
      Open open = std::move(stack.back());
      stack.pop_back();
      if (tasks && open.count() <= task_rows) {
        tasks->push_back(std::move(open));
        continue;
      }
      if (open.count() <= REBASE_ROWS) worker.rebase(open);
      watch_.nodes.fetch_add(1, std::memory_order_relaxed);
      if (!worker.find_split(open, candidate)) {
        watch_.done.fetch_add(open.count(), std::memory_order_relaxed);
        continue;
      }
      size_t before = stack.size();
      worker.split(open, candidate, stack);
      u64 kept = 0;
      for (size_t i = before; i < stack.size(); ++i) kept += stack[i].count();
      if (kept < open.count()) watch_.done.fetch_add(open.count() - kept, std::memory_order_relaxed);
    }
  }

  void depth_first(Worker& worker, Open root) {
    if (pool_.threads() == 1 || options_.off(no_subtree_tasks)) {
      grow_below(worker, std::move(root), nullptr, 0);
      return;
    }
    std::vector<Open> tasks;
    u32 rows = std::max<u32>(plan_.data.n_rows / (8 * static_cast<u32>(pool_.threads())), 1024);
    if (root.count() <= 2048) {
      grow_below(worker, std::move(root), nullptr, 0);
      return;
    }
    grow_below(worker, std::move(root), &tasks, rows);
    std::stable_sort(tasks.begin(), tasks.end(), [](const Open& a, const Open& b) { return a.count() > b.count(); });
    for (size_t i = 0; i < tasks.size(); ++i) builders_[0].nodes[tasks[i].record].subtree = static_cast<int32_t>(i + 1);
    builders_.resize(tasks.size() + 1);
    pool_.run(tasks.size(), [&](size_t i, int) { run_task(std::move(tasks[i]), builders_[i + 1]); });
  }

  // A subtree in a builder and a frame of its own, so that tasks share nothing.
  void run_task(Open open, Builder& builder) {
    try {
      builder.width = value_width();
      builder.add(1);
      NodeRecord& from = builders_[0].nodes[open.record];
      builder.nodes[0].count = from.count;
      builder.nodes[0].weight = from.weight;
      std::copy_n(builders_[0].value(open.record), builder.width, builder.value(0));
      open.record = 0;
      Worker worker(plan_, builder, nullptr);
      worker.move_to_own_frame(open);
      grow_below(worker, std::move(open), nullptr, 0);
    } catch (...) {
      watch_.stop = true;
      throw;
    }
  }

  struct Frontier {
    Open open;
    Candidate candidate;
  };

  void best_first(Worker& worker, Open root) {
    std::vector<Frontier> made;
    auto heavier = [&](size_t a, size_t b) {
      double x = made[a].candidate.improvement, y = made[b].candidate.improvement;
      return x != y ? x > y : a < b;
    };
    std::set<size_t, decltype(heavier)> waiting(heavier);
    double floor = 1e-12 * root_scale(worker, root);
    auto consider = [&](Open open) {
      Candidate candidate;
      watch_.nodes.fetch_add(1, std::memory_order_relaxed);
      if (!worker.find_split(open, candidate)) return;
      made.push_back({std::move(open), std::move(candidate)});
      waiting.insert(made.size() - 1);
    };
    consider(std::move(root));
    int64_t leaves = 1;
    std::vector<Open> children;
    while (!waiting.empty()) {
      watch_.check();
      double most = made[*waiting.begin()].candidate.improvement, least = most - 1e-10 * std::abs(most) - floor;
      size_t chosen = *waiting.begin();
      for (size_t i : waiting) {
        if (made[i].candidate.improvement < least) break;
        chosen = std::min(chosen, i);
      }
      waiting.erase(chosen);
      if (leaves + made[chosen].candidate.branches - 1 > options_.max_leaf_nodes) continue;
      leaves += made[chosen].candidate.branches - 1;
      children.clear();
      worker.split(made[chosen].open, made[chosen].candidate, children);
      made[chosen].open.frame.reset();
      made[chosen].open.counts.reset();
      if (leaves >= options_.max_leaf_nodes) return;
      for (Open& child : children) consider(std::move(child));
    }
  }

  // What improvements are measured against: the root's multiplied weight, or its summed impurity.
  double root_scale(Worker& worker, const Open& root) {
    const double* value = builders_[0].value(0);
    if (!plan_.data.n_classes) return worker.numbers().impurity(root) * plan_.root_weight;
    double scale = 0.0;
    for (int j = 0; j < plan_.width; ++j)
      scale += value[j] * (options_.class_multipliers.empty() ? 1.0 : options_.class_multipliers[j]);
    return scale;
  }

  Plan plan_;
  const Options& options_;
  Watch& watch_;
  Pool pool_;
  std::shared_ptr<Frame> frame_;
  std::vector<Builder> builders_;
};

inline TreeArrays grow(const Dataset& data, const Options& options, Watch& watch) {
  return Grower(data, options, watch).grow();
}

}  // namespace quercus
