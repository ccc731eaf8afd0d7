// Worker: what is done at one node: stop, or find a split and make the children.
#pragma once

#include "evaluate.h"
#include "few_rows.h"
#include "sampling.h"
#include "split.h"

namespace quercus {

constexpr u32 REBASE_ROWS = 16384;   // a subtree moves to a frame of its own if it has at most this many rows,
constexpr u32 REBASE_RATIO = 4;      // if its frame is at least this many times larger,
constexpr u32 REBASE_FRAME = 32768;  // and if that frame has at least this many rows: too many for the cache

class Worker {
 public:
  Worker(const Plan& plan, Builder& builder, Pool* pool)
      : plan_(plan),
        builder_(builder),
        numbers_(plan, builder),
        splitter_(plan, builder, numbers_, pool),
        evaluator_(plan, pool),
        few_rows_(plan, builder, splitter_) {}

  NodeNumbers& numbers() { return numbers_; }
  Splitter& splitter() { return splitter_; }
  FewRows& few_rows() { return few_rows_; }

  bool find_split(Open& open, Candidate& candidate) {
    NodeView view = numbers_.look(open);
    view.counts = splitter_.counts_of(open);
    if (plan_.options.draws() ? !evaluate_drawn(open, view, candidate)
                              : !evaluator_.evaluate(view, *open.active, candidate))
      return false;
    return !plan_.options.significance || splitter_.significant(open, candidate);
  }

  // Makes the children; those that are not leaves are appended to `open_children`.
  void split(const Open& open, Candidate& candidate, std::vector<Open>& open_children) {
    size_t before = open_children.size();
    splitter_.split(open, candidate, open_children);
    if (open.bounds) divide_answers(open, candidate, open_children, before);
    if (open.sets) {
      OpenSets sets = sets_with(plan_.options, open.sets, open.frame->columns[candidate.column].attribute);
      for (size_t i = before; i < open_children.size(); ++i) open_children[i].sets = sets;
    }
    if (!plan_.options.draws()) return;
    int32_t first = builder_.nodes[open.record].first_child;
    for (size_t i = before; i < open_children.size(); ++i)
      open_children[i].key = key_of(open.key, static_cast<u64>(open_children[i].record - first));
  }

  // A frame of its own for a small subtree, and for a list that is the only one left.
  void rebase(Open& open) {
    u32 size = open.frame->size;
    if (open.active->size() == 1 && open.frame->columns.size() > 1 && plan_.data.n_classes == 2 &&
        open.count() >= PROFILE_ROWS &&
        detail::stands_alone(plan_, *open.frame, open.frame->columns[open.active->front()]) &&
        !plan_.options.off(no_profile))
      return move_to_own_frame(open);
    if (list_bins(open) || open.count() > REBASE_ROWS) return;
    if (plan_.options.off(no_rebase) || size < REBASE_FRAME || size < REBASE_RATIO * open.count()) return;
    move_to_own_frame(open);
  }

  // A frame of its own for a node that is small enough to keep sorted lists of its bins, so that this depends on its
  // size alone.
  bool list_bins(Open& open) {
    bool pays = plan_.options.max_bins > 0 && open.count() <= LISTED_ROWS && open.frame->size > LISTED_ROWS &&
                !plan_.options.off(no_rebase);
    if (pays) move_to_own_frame(open);
    return pays;
  }

  void move_to_own_frame(Open& open) {
    const Frame& frame = *open.frame;
    instances_.clear();
    if (!frame.order.empty())
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

  // The numbers of finished nodes are kept in few bytes.
  void close(int32_t record) { builder_.close(record); }
  void pack_group(int32_t record) { builder_.nodes[record].pack_group(); }
  // After a split: the node, and those of its children that are not among the open ones from `before` on.
  void close_settled(const Open& open, const std::vector<Open>& stack, size_t before) {
    if (!builder_.wide()) return;
    const NodeRecord& node = builder_.nodes[open.record];
    int64_t below = 0;  // more than the node's rows, if some went down several branches
    for (int32_t c = 0; c < node.n_children; ++c) below += builder_.nodes[node.first_child + c].count;
    if (open.unit && below == node.count && plan_.options.collapse == Collapse::no && !plan_.options.has_order())
      builder_.forget(open.record);
    else
      builder_.close(open.record);
    std::vector<u8> waits(static_cast<size_t>(node.n_children), 0);
    for (size_t i = before; i < stack.size(); ++i) waits[static_cast<size_t>(stack[i].record - node.first_child)] = 1;
    for (int32_t c = 0; c < node.n_children; ++c)
      if (!waits[static_cast<size_t>(c)]) builder_.close(node.first_child + c);
  }

 private:
  // The bounds of the children: those of the node, divided by a cut of an ordered attribute.
  void divide_answers(const Open& open, const Candidate& c, std::vector<Open>& children, size_t before) {
    const Options& options = plan_.options;
    int32_t first = builder_.nodes[open.record].first_child;
    u32 attribute = open.frame->columns[c.column].attribute;
    std::shared_ptr<const Bounds> side[2] = {open.bounds, open.bounds};
    if (options.sign(attribute) && !c.known_against_unknown) {
      Bounds sides[2];
      divide_bounds(options, *open.bounds, attribute,
                    stored_answers(options, builder_.value(first), plan_.data.n_classes),
                    stored_answers(options, builder_.value(first + 1), plan_.data.n_classes), sides);
      for (int s = 0; s < 2; ++s) side[s] = std::make_shared<Bounds>(std::move(sides[s]));
    }
    for (int32_t b = 0; b < c.branches; ++b) builder_.bound(first + b, side[std::min(b, 1)]);
    for (size_t i = before; i < children.size(); ++i)
      children[i].bounds = side[std::min(children[i].record - first, 1)];
  }

  // Draws attributes until enough of them vary at the node (or none is left), and chooses among these. If constant
  // attributes count, just enough are drawn, and those that vary compared.
  bool evaluate_drawn(const Open& open, const NodeView& view, Candidate& candidate) {
    constexpr u32 none = ~u32{0};
    u32 n = static_cast<u32>(plan_.attributes.size());
    u32 n_attributes = plan_.options.attributes_per_node ? std::min(plan_.options.attributes_per_node, n) : n;
    if (!draw_) draw_ = std::make_unique<AttributeDraw>(n);
    draw_->start(open.key);
    if (plan_.options.random_thresholds) evaluator_.draw_cuts(draw_->random());
    if (view.cells && open.frame->columns.size() == n) return evaluate_sparse(open, view, n_attributes, candidate);
    std::vector<u32> column_of(n, none), drawn;
    for (u32 column : *open.active) column_of[open.frame->columns[column].attribute] = column;
    if (plan_.options.count_constant) {
      const std::vector<u8>& used = plan_.options.used_attributes;
      for (u32 count = 0; count < n_attributes && draw_->more();) {
        u32 attribute = draw_->next();
        count += used.empty() || used[attribute];
        if (column_of[attribute] != ~u32{0}) drawn.push_back(column_of[attribute]);
      }
      return compare(open, view, drawn, candidate);
    }
    size_t constant = 0;
    bool has_split = false;
    do {
      while (drawn.size() < n_attributes + constant && draw_->more()) {
        u32 column = column_of[draw_->next()];
        if (column != ~u32{0}) drawn.push_back(column);
      }
      has_split = compare(open, view, drawn, candidate);
      constant = static_cast<size_t>(std::count(evaluator_.constant().begin(), evaluator_.constant().end(), u8{1}));
    } while (drawn.size() < n_attributes + constant && draw_->more());
    return has_split;
  }
  bool compare(const Open& open, const NodeView& view, std::vector<u32>& drawn, Candidate& candidate) {
    std::sort(drawn.begin(), drawn.end());
    bool has_split = evaluator_.evaluate(view, drawn, candidate);
    if (has_split) candidate.constant = constant_among(*open.active, drawn);
    return has_split;
  }
  // The same where the columns are sparse: which of them vary is known beforehand, so that they are compared once. If
  // these are no more than are to be drawn, nothing need be drawn.
  bool evaluate_sparse(const Open& open, const NodeView& view, u32 n_attributes, Candidate& candidate) {
    const std::vector<u8>& used = plan_.options.used_attributes;
    u32 n = static_cast<u32>(plan_.attributes.size());
    std::vector<u8> allowed;  // empty: all are
    if (open.active->size() < n) {
      allowed.assign(n, 0);
      for (u32 attribute : *open.active) allowed[attribute] = 1;
    }
    auto varies = [&](u32 attribute) {
      return (allowed.empty() || allowed[attribute]) && view.cells->varies(attribute, open.count());
    };
    drawn_.clear();
    for (u32 attribute : view.cells->touched())
      if (varies(attribute)) drawn_.push_back(attribute);
    bool count = plan_.options.count_constant;
    if (drawn_.size() >= n_attributes || (count && n_attributes < n)) {
      drawn_.clear();
      for (u32 counted = 0; counted < n_attributes && draw_->more();) {
        u32 attribute = draw_->next();
        bool some = varies(attribute);
        if (some) drawn_.push_back(attribute);
        counted += count ? used.empty() || used[attribute] : some;
      }
    } else {
      draw_->skip_rest();
    }
    std::sort(drawn_.begin(), drawn_.end());
    bool has_split = evaluator_.evaluate(view, drawn_, candidate);
    candidate.constant.clear();  // what varies below is found there
    return has_split;
  }
  // The flags of the drawn columns, for all active ones.
  std::vector<u8> constant_among(const std::vector<u32>& active, const std::vector<u32>& drawn) const {
    std::vector<u8> flags(active.size(), 0);
    for (size_t i = 0; i < active.size(); ++i) {
      auto at = std::lower_bound(drawn.begin(), drawn.end(), active[i]);
      if (at != drawn.end() && *at == active[i])
        flags[i] = evaluator_.constant()[static_cast<size_t>(at - drawn.begin())];
    }
    return flags;
  }

  const Plan& plan_;
  Builder& builder_;
  NodeNumbers numbers_;
  Splitter splitter_;
  Evaluator evaluator_;
  FewRows few_rows_;
  std::unique_ptr<AttributeDraw> draw_;
  std::vector<u32> instances_, map_, drawn_;
};

}  // namespace quercus
