// Worker: what is done at one node: stop, or find a split and make the children.
#pragma once

#include "evaluate.h"
#include "split.h"

namespace quercus {

constexpr u32 REBASE_ROWS = 16384;   // subtrees of at most this size move to a frame of their own
constexpr u32 REBASE_RATIO = 4;      // if their frame is this many times larger
constexpr u32 REBASE_FRAME = 32768;  // and too large for the cache

class Worker {
 public:
  Worker(const Plan& plan, Builder& builder, Pool* pool)
      : plan_(plan), numbers_(plan, builder), splitter_(plan, builder, numbers_, pool), evaluator_(plan, pool) {}

  NodeNumbers& numbers() { return numbers_; }

  bool find_split(Open& open, Candidate& candidate) {
    splitter_.count_if_due(open);
    NodeView view = numbers_.look(open);
    if (!evaluator_.evaluate(view, *open.active, candidate)) return false;
    return !plan_.options.significance || splitter_.significant(open, candidate);
  }

  // Makes the children; those that are not leaves are appended to `open_children`.
  void split(const Open& open, Candidate& candidate, std::vector<Open>& open_children) {
    splitter_.split(open, candidate, open_children);
  }

  // A frame of its own for a small subtree.
  void rebase(Open& open) {
    u32 size = open.frame->size;
    if (plan_.options.off(no_rebase) || size < REBASE_FRAME || size < REBASE_RATIO * open.count()) return;
    move_to_own_frame(open);
  }

  void move_to_own_frame(Open& open) {
    const Frame& frame = *open.frame;
    instances_.clear();
    if (plan_.keep_order)
      instances_.assign(frame.order.begin() + open.begin, frame.order.begin() + open.end);
    else
      for (u32 i = open.begin; i < open.end; ++i)
        instances_.push_back(frame.columns[open.active->front()].list[i] & plan_.row_mask);
    open.frame = sub_frame(plan_, frame, open.begin, open.end, instances_, {}, *open.active, map_);
    open.counts.reset();
    open.begin = 0;
    open.end = open.frame->size;
    auto all = std::make_shared<std::vector<u32>>(open.active->size());
    std::iota(all->begin(), all->end(), 0u);
    open.active = all;
  }

 private:
  const Plan& plan_;
  NodeNumbers numbers_;
  Splitter splitter_;
  Evaluator evaluator_;
  std::vector<u32> instances_, map_;
};

}  // namespace quercus
