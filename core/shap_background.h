// Shapley values against background rows: a value that does not count is that of a background row
// (docs/concepts/shap.md).
//
// A row and a background row make one game: for the attributes in S the row's values, for the others the background's.
// Where both take the same branch, nothing is decided. Where they differ, the attribute is followed once as the row
// has it and once as the background has it. A leaf that is reached by n attributes of the row and m of the background
// gives each of the n B(n, m + 1) of what it says, and takes B(n + 1, m) from each of the m; B is the beta function.
#pragma once

#include <stdexcept>

#include "shap_paths.h"

namespace quercus {

constexpr int deepest_background = 5000;  // questions on a path, which are followed by calls of calls

// B(n, m + 1) = (n - 1)! m! / (n + m)!, for n of at least 1.
class BetaTable {
 public:
  explicit BetaTable(size_t most) : width_(most + 1), numbers_((most + 1) * (most + 1), 0.0) {
    for (size_t n = 1; n <= most; ++n) {
      numbers_[n * width_] = 1.0 / static_cast<double>(n);
      for (size_t m = 1; m + n <= most; ++m)
        numbers_[n * width_ + m] = numbers_[n * width_ + m - 1] * (static_cast<double>(m) / static_cast<double>(n + m));
    }
  }
  double operator()(size_t n, size_t m) const { return numbers_[n * width_ + m]; }

 private:
  size_t width_;
  std::vector<double> numbers_;
};

class ShapGames {
 public:
  ShapGames(const ShapTree& tree, const BetaTable& beta)
      : tree_(tree), beta_(beta), side_(tree.questions.asked().size(), Side::open) {}

  // Adds to values [n_attributes, width] what the row is worth beside each row of the background, times factor.
  void explain(const ShapRow& row, const std::vector<ShapRow>& background, double factor, double* values) {
    values_ = values;
    row_ = &row;
    for (const ShapRow& other : background) {
      other_ = &other;
      visit(0, factor);
    }
  }

 private:
  enum class Side : uint8_t { open, row, background };

  void visit(int32_t node, double part) {
    auto at = static_cast<size_t>(node);
    if (tree_.values.n_below(node) == 0) return;
    if (tree_.values.own_start[at] < tree_.values.own_start[at + 1]) credit(at, part);
    if (!tree_.leaf(node)) ask(node, 0, part);
  }

  // Question `number` of a node: 0 is its own, then come its surrogates.
  void ask(int32_t node, size_t number, double part) {
    auto surrogates = tree_.questions.surrogates(node);
    const CompactNode& question = number == 0 ? tree_.questions.nodes()[node] : surrogates[number - 1];
    auto branch = [&](const ShapRow& row) {
      return number == 0 ? row.branch(tree_.questions, question) : row.branch_of_surrogate(tree_.questions, question);
    };
    uint32_t slot = question.slot();
    Side side = side_[slot];
    if (side != Side::open) return follow(node, number, branch(side == Side::row ? *row_ : *other_), part);
    int32_t mine = branch(*row_), theirs = branch(*other_);
    if (mine == theirs) return follow(node, number, mine, part);
    side_[slot] = Side::row;
    for_.push_back(slot);
    follow(node, number, mine, part);
    for_.pop_back();
    side_[slot] = Side::background;
    against_.push_back(slot);
    follow(node, number, theirs, part);
    against_.pop_back();
    side_[slot] = Side::open;
  }

  void follow(int32_t node, size_t number, int32_t branch, double part) {
    const ShapEdge* edges = tree_.edges.data() + tree_.edge_start[static_cast<size_t>(node)];
    size_t n_surrogates = tree_.questions.surrogates(node).size();
    if (branch < 0 && number < n_surrogates) return ask(node, number + 1, part);
    if (branch < 0 && n_surrogates > 0) branch = tree_.questions.unknown_to_surrogates(node);
    if (branch >= 0) return visit(edges[branch].child, part);
    for (int32_t e = 0; e < tree_.n_edges(node); ++e)
      if (edges[e].share > 0.0) visit(edges[e].child, part * edges[e].share);
  }

  void credit(size_t node, double part) {
    size_t n = for_.size(), m = against_.size();
    double more = n > 0 ? part * beta_(n, m) : 0.0, less = m > 0 ? -part * beta_(m, n) : 0.0;
    for (int64_t i = tree_.values.own_start[node]; i < tree_.values.own_start[node + 1]; ++i) {
      double number = tree_.values.own_number[static_cast<size_t>(i)];
      auto place = static_cast<size_t>(tree_.values.below_start[node] + tree_.values.own_place[static_cast<size_t>(i)]);
      double* to = values_ + tree_.values.below_class[place];
      for (uint32_t slot : for_) to[tree_.questions.asked()[slot].attribute * tree_.width] += more * number;
      for (uint32_t slot : against_) to[tree_.questions.asked()[slot].attribute * tree_.width] += less * number;
    }
  }

  const ShapTree& tree_;
  const BetaTable& beta_;
  std::vector<Side> side_;               // by slot: whose value is followed
  std::vector<uint32_t> for_, against_;  // the slots on the way where the two differ
  const ShapRow *row_ = nullptr, *other_ = nullptr;
  double* values_ = nullptr;
};

// values [n_rows, n_attributes, width] are added to: the mean over the rows of the background.
inline void explain_against(const ShapTree& tree, const AskedRows& rows, const AskedRows& background,
                            const Running& running, double* values) {
  if (tree.depth > deepest_background)
    throw std::invalid_argument("a tree of more than 5000 questions on a path cannot be explained by background rows.");
  std::vector<ShapRow> others(static_cast<size_t>(background.n_rows));
  for (int64_t row = 0; row < background.n_rows; ++row)
    others[static_cast<size_t>(row)].read(tree.questions, background, row);
  BetaTable beta(static_cast<size_t>(2 * tree.n_points) + 1);
  double factor = 1.0 / static_cast<double>(std::max<int64_t>(background.n_rows, 1));
  constexpr int64_t block = 4;
  Running own{threads_for(rows.n_rows, block, running), running.stop};
  std::vector<ShapGames> games(static_cast<size_t>(own.threads), ShapGames(tree, beta));
  run_blocks(rows.n_rows, block, own, [&](int64_t first, int64_t last, size_t thread) {
    ShapRow one;
    for (int64_t row = first; row < last; ++row) {
      one.read(tree.questions, rows, row);
      games[thread].explain(one, others, factor, values + row * tree.questions.n_attributes() * tree.width);
    }
  });
}

}  // namespace quercus
