// Grow: the one top-down grower. Depth first with subtrees as tasks for several threads, or best first
// (best_first.h).
#pragma once

#include <stdexcept>

#include "assemble.h"
#include "best_first.h"
#include "watch.h"
#include "worker.h"

namespace quercus {

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
    worker.numbers().constrain_root(root);
    plan_.root_weight = builders_[0].nodes[0].weight;
    if (!plan_.data.n_classes && !std::isfinite(builders_[0].value(0)[plan_.target().squares()]))
      throw std::invalid_argument("the squared deviations of the target are not finite: scale the target");
    if (!plan_.keep_order) root.frame->order = Large<u32>();
    if (!worker.numbers().settle(root)) {
      if (options_.max_leaf_nodes > 0)
        BestFirst(plan_, watch_, pool_, builders_[0], worker).grow(std::move(root));
      else
        depth_first(worker, std::move(root));
    }
    return Assembler(builders_, options_, plan_.data.n_classes).run();
  }

 private:
  int value_width() const { return plan_.target().payload(); }

  void prepare() {
    const Dataset& data = plan_.data;
    plan_.width = plan_.target().sums();
    plan_.wide = options_.off(no_wide) ? 0 : machine_width();
    double most = whole_weight(data);
    plan_.whole_weights = most > 0.0;
    if (data.n_classes)
      plan_.parts = part_table(options_.criterion, std::max<size_t>(data.n_rows, static_cast<size_t>(most)), pool_);
    watch_.total = data.n_rows;
    if (options_.by_quantiles()) plan_.target_rank = ranks_of_numbers(data.target, data.n_rows);
    frame_ = root_frame(plan_, pool_);
  }

  // Of sparse tables, the weight of all rows if it is a whole number in every row, and squares of it are exact; else 0.
  static double whole_weight(const Dataset& data) {
    constexpr double most = 1 << 26;
    if (!data.weights || !data.any_sparse()) return 0.0;
    double total = 0.0;
    for (u32 i = 0; i < data.n_rows; ++i) {
      if (data.weights[i] != std::floor(data.weights[i])) return 0.0;
      total += data.weights[i];
    }
    return total < most ? total : 0.0;
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
      if (worker.few_rows().serves(open)) {
        watch_.nodes.fetch_add(worker.few_rows().grow(open), std::memory_order_relaxed);
        watch_.done.fetch_add(open.count(), std::memory_order_relaxed);
        continue;
      }
      worker.rebase(open);
      watch_.nodes.fetch_add(1, std::memory_order_relaxed);
      if (!worker.find_split(open, candidate)) {
        worker.close(open.record);
        watch_.done.fetch_add(open.count(), std::memory_order_relaxed);
        continue;
      }
      size_t before = stack.size();
      worker.split(open, candidate, stack);
      worker.pack_group(open.record);
      worker.close_settled(open, stack, before);
      u64 open_rows = 0;
      for (size_t i = before; i < stack.size(); ++i) open_rows += stack[i].count();
      if (open_rows < open.count()) watch_.done.fetch_add(open.count() - open_rows, std::memory_order_relaxed);
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
      builders_[0].read(open.record, builder.value(0));
      builders_[0].close(open.record);
      open.record = 0;
      if (open.bounds) builder.bound(0, open.bounds);
      Worker worker(plan_, builder, nullptr);
      worker.move_to_own_frame(open);
      grow_below(worker, std::move(open), nullptr, 0);
    } catch (...) {
      watch_.stop = true;
      throw;
    }
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
