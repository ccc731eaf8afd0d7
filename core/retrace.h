// Retrace: the training rows go down a grown tree once more, as growing sent them, and the decisions of some nodes are
// made again.
#pragma once

#include "candidates.h"
#include "routing.h"
#include "watch.h"

namespace quercus {

constexpr u8 DECIDE = 2;  // a node's mark: 0 nothing is reported, 1 its numbers are, 2 its decision is made again too

class Retracer {
 public:
  // The data and options that the tree was grown from. The table is laid out once for any number of walks.
  Retracer(const Dataset& data, const Options& options)
      : options_(options), plan_{data, options_, {}, {}}, pool_(std::max(options.n_threads, 1)) {
    options_.switches |= no_constants;  // what an attribute offers is reported for constant ones, too
    plan_.width = plan_.target().sums();
    if (options.by_quantiles()) plan_.target_rank = ranks_of_numbers(data.target, data.n_rows);
    plan_.wide = options_.off(no_wide) ? 0 : machine_width();
    plan_.every_node = true;
    base_ = root_frame(plan_, pool_);
    plan_.keep_order = plan_.order_always = true;
    if (base_->order.empty()) {
      base_->order.resize(base_->size);
      std::iota(base_->order.begin(), base_->order.end(), 0u);
    }
    base_->profile.reset();
    for (u32 i = 0; i < data.n_rows; ++i) plan_.root_weight += data.weights ? data.weights[i] : 1.0;
  }
  Retracer(const Retracer&) = delete;  // the plan points into this
  Retracer& operator=(const Retracer&) = delete;

  // How many numbers are kept of a node.
  int payload() const { return plan_.target().payload(); }

  // Every node that is marked, and those above it, each with its numbers; the decision, too, where the mark says so.
  // The tree's arrays must be sound.
  Decisions walk(const TreeView& tree, const std::vector<u8>& marked, const Details& details, Watch& watch) const;

 private:
  class Walk;

  Options options_;
  Plan plan_;
  mutable Pool pool_;
  std::shared_ptr<Frame> base_;
};

// One walk: a copy of the table's layout, divided on the way.
class Retracer::Walk {
 public:
  Walk(const Retracer& from, const TreeView& tree, const std::vector<u8>& marked, const Details& details)
      : plan_(from.plan_),
        options_(from.options_),
        tree_(tree),
        marked_(marked),
        worker_(plan_, builder_, &from.pool_),
        candidates_(plan_, worker_, details, out_),
        frame_(std::make_shared<Frame>(*from.base_)) {
    builder_.width = plan_.target().payload();
    mark_passed();
  }

  Decisions run(Watch& watch) {
    builder_.add(1);
    std::vector<Place> stack{{root_node(), 0}};
    worker_.numbers().measure_node(stack[0].open);
    worker_.numbers().constrain_root(stack[0].open);
    while (!stack.empty()) {
      watch.check();
      Place place = std::move(stack.back());
      stack.pop_back();
      if (!place.open.frame) {
        candidates_.write_empty(place.node);
        for (int32_t child : passed_children(place.node)) stack.push_back({Open{}, child});
        continue;
      }
      worker_.rebase(place.open);
      bool decides = marked_[static_cast<size_t>(place.node)] == DECIDE;
      candidates_.write_node(place.node, place.open, builder_, decides);
      if (!passed_children(place.node).empty()) descend(place, stack);
    }
    return std::move(out_);
  }

 private:
  // A node of the tree and the instances at it; without a frame there are none.
  struct Place {
    Open open;
    int32_t node;
  };

  // Which nodes are marked, or have a marked one below them.
  void mark_passed() {
    passed_.assign(marked_.begin(), marked_.end());
    for (int64_t node = tree_.n_nodes; node-- > 0;)
      for (int32_t c = 0; !tree_.leaf(node) && c < tree_.n_children[node]; ++c)
        passed_[static_cast<size_t>(node)] |= passed_[static_cast<size_t>(tree_.first_child[node] + c)];
  }
  // The last child first, as a stack takes them.
  std::vector<int32_t> passed_children(int32_t node) const {
    std::vector<int32_t> children;
    if (tree_.leaf(node)) return children;
    for (int32_t c = tree_.n_children[node]; c-- > 0;)
      if (passed_[static_cast<size_t>(tree_.first_child[node] + c)]) children.push_back(tree_.first_child[node] + c);
    return children;
  }

  Open root_node() const {
    Open root;
    root.frame = frame_;
    root.end = frame_->size;
    for (double w : frame_->weight) root.unit = root.unit && w == 1.0;
    auto all = std::make_shared<std::vector<u32>>(plan_.data.columns.size());
    std::iota(all->begin(), all->end(), 0u);
    root.active = all;
    return root;
  }

  // Sends the instances of a node to its children.
  void descend(Place& place, std::vector<Place>& stack) {
    Candidate question = question_at(place);
    children_.clear();
    worker_.split(place.open, question, children_);
    by_branch_.clear();
    by_branch_.resize(static_cast<size_t>(question.branches));
    int32_t first = builder_.nodes[static_cast<size_t>(place.open.record)].first_child;
    for (Open& child : children_) by_branch_[static_cast<size_t>(child.record - first)] = std::move(child);
    for (int32_t child : passed_children(place.node))
      stack.push_back({std::move(by_branch_[static_cast<size_t>(child - tree_.first_child[place.node])]), child});
  }

  // The tree's question as a candidate.
  Candidate question_at(const Place& place) {
    int32_t node = place.node;
    const Open& open = place.open;
    Candidate c;
    c.exists = true;
    c.kind = tree_.split(node);
    c.column = column_of(open, static_cast<u32>(tree_.attribute[node]));
    c.branches = tree_.n_children[node];
    c.low = c.high = tree_.threshold[node];
    c.known_against_unknown = c.kind == SplitKind::threshold && std::isinf(c.low);
    c.missing_child = c.fill_branch = tree_.missing_child[node];
    if (traits(c.kind).has_groups) {
      const Column& column = plan_.data.columns[static_cast<size_t>(tree_.attribute[node])];
      c.branch_of_value.assign(static_cast<size_t>(column.n_values), no_branch);
      tree_.question(node).for_each(
          [&](int32_t value, int32_t child) { c.branch_of_value[static_cast<size_t>(value)] = child; });
    }
    if (fills_by_class(options_.missing)) {
      Candidate best;
      candidates_.search(worker_.numbers().look(open), open.frame->columns[c.column], best, tried_);
      c.fill_of_class = best.fill_of_class;
      c.fill_of_class.resize(static_cast<size_t>(plan_.data.n_classes), c.missing_child);
    }
    c.branch_weight.assign(static_cast<size_t>(c.branches), 0.0);
    const std::vector<int32_t>& branch = worker_.splitter().branches(open, c);
    for (u32 i = 0; i < open.count(); ++i) {
      if (branch[i] == SPREAD) continue;
      if (branch[i] < 0 || branch[i] >= c.branches)
        throw std::invalid_argument("node " + std::to_string(node) +
                                    " of the tree has no branch for a row: these are not the rows or options of "
                                    "growing");
      c.branch_weight[static_cast<size_t>(branch[i])] += open.frame->weight_of(open.frame->order[open.begin + i]);
    }
    return c;
  }
  u32 column_of(const Open& open, u32 attribute) const {
    for (u32 column : *open.active)
      if (open.frame->columns[column].attribute == attribute) return column;
    throw std::invalid_argument(
        "the tree asks a nominal attribute again below a question with a branch for each value");
  }

  const Plan& plan_;
  const Options& options_;
  const TreeView& tree_;
  const std::vector<u8>& marked_;
  std::vector<u8> passed_;
  Builder builder_;
  Worker worker_;
  Decisions out_;
  NodeCandidates candidates_;
  std::shared_ptr<Frame> frame_;
  std::vector<Open> children_, by_branch_;
  Tried tried_;
};

inline Decisions Retracer::walk(const TreeView& tree, const std::vector<u8>& marked, const Details& details,
                                Watch& watch) const {
  return Walk(*this, tree, marked, details).run(watch);
}

}  // namespace quercus
