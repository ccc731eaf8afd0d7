// Case flow: labelled cases divided among the branches of a test, those of unknown value in parts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "routing.h"

namespace quercus {

// A part of a case that follows several branches.
struct Guest {
  u32 row;
  double weight;
};

// The steps by which cases go down a tree, and the stacks on which their parts and shares stand meanwhile.
class CaseFlow {
 protected:
  CaseFlow(const TreeView& tree, const Rows& rows, const int32_t* labels, const double* weights)
      : tree_(tree), rows_(rows), labels_(labels), weights_(weights) {}

  const TreeView& tree_;
  const Rows& rows_;
  const int32_t* labels_;
  const double* weights_;       // null: all one
  std::vector<Guest> guests_;   // a stack
  std::vector<size_t> bounds_;  // a stack: where the cases, or guests, of each branch of a node begin
  std::vector<double> shares_;  // beside bounds_, equally long

  double weight(u32 row) const { return weights_ ? weights_[row] : 1.0; }

  // Puts cases in the order of the branches of a test, spreading ones last; starts[c] is where those of branch c begin,
  // starts[forks] where the spreading ones do.
  template <class Case>
  void arrange(int32_t node, Case* cases, size_t n, size_t* starts) {
    std::vector<Case>& moved = moved_of(cases);
    auto last = static_cast<size_t>(tree_.n_children[node]);
    std::fill(starts, starts + last + 1, size_t{0});
    if (n == 0) return;
    branch_.resize(n);
    for (size_t i = 0; i < n; ++i) {
      int32_t c = branch(tree_, rows_, node, row_of(cases[i]));
      branch_[i] = c < 0 ? static_cast<int32_t>(last) : c;
      ++starts[branch_[i]];
    }
    size_t at = 0;
    for (size_t c = 0; c <= last; ++c) at += std::exchange(starts[c], at);
    moved.assign(cases, cases + n);
    for (size_t i = 0; i < n; ++i) cases[starts[branch_[i]]++] = moved[i];
    for (size_t c = last; c > 0; --c) starts[c] = starts[c - 1];
    starts[0] = 0;
  }

  // Room for the bounds and shares of a node's branches: forks + 2 each.
  size_t reserve_bounds(int32_t n) {
    size_t at = bounds_.size();
    bounds_.resize(at + static_cast<size_t>(n) + 2);
    shares_.resize(bounds_.size());
    return at;
  }
  void release_bounds(size_t at) {
    bounds_.resize(at);
    shares_.resize(at);
  }

  // The shares in which spreading cases go down the branches: in proportion to the known weight here or, if nothing is
  // known here, to the tree's own weights. At first shares[c] is the known weight of branch c: its cases and guests.
  // Returns false if no branch has any weight.
  bool find_shares(int32_t node, double* shares) {
    int32_t n = tree_.n_children[node];
    double total = 0.0;
    for (int32_t c = 0; c < n; ++c) total += shares[c];
    if (!(total > 0.0)) {
      for (int32_t c = 0; c < n; ++c) total += shares[c] = tree_.weight[tree_.first_child[node] + c];
      if (!(total > 0.0)) return false;
    }
    for (int32_t c = 0; c < n; ++c) shares[c] /= total;
    return true;
  }
  double weight_of(const u32* cases, size_t n) const {
    if (!weights_) return static_cast<double>(n);
    double sum = 0.0;
    for (size_t i = 0; i < n; ++i) sum += weights_[cases[i]];
    return sum;
  }
  double weight_of(const Guest* guests, size_t n) const {
    double sum = 0.0;
    for (size_t i = 0; i < n; ++i) sum += guests[i].weight;
    return sum;
  }

  // Puts the guests of branch c onto the stack: guests whose value is known there, and parts of those that spread
  // there.
  void send_guests(size_t guests, size_t guests_end, size_t bounds, int32_t n, int32_t c, const u32* loose,
                   size_t n_loose) {
    size_t from = guests + bounds_[bounds + static_cast<size_t>(c)];
    size_t to = guests + bounds_[bounds + static_cast<size_t>(c) + 1];
    size_t spreading = guests + bounds_[bounds + static_cast<size_t>(n)];
    double share = shares_[bounds + static_cast<size_t>(c)];
    for (size_t i = from; i < to; ++i) guests_.push_back(Guest{guests_[i]});
    if (!(share > 0.0)) return;
    auto send = [&](u32 row, double weight) {
      if (weight * share > 0.0) guests_.push_back({row, weight * share});
    };
    for (size_t i = spreading; i < guests_end; ++i) send(guests_[i].row, guests_[i].weight);
    for (size_t i = 0; i < n_loose; ++i) send(loose[i], weight(loose[i]));
  }

  void add_cases(double* sums, const u32* cases, size_t n) const {
    for (size_t i = 0; i < n; ++i) sums[labels_[cases[i]]] += weight(cases[i]);
  }
  void add_guests(double* sums, size_t begin, size_t end) const {
    for (size_t i = begin; i < end; ++i) sums[labels_[guests_[i].row]] += guests_[i].weight;
  }

 private:
  std::vector<int32_t> branch_;
  std::vector<u32> moved_rows_;
  std::vector<Guest> moved_guests_;

  static u32 row_of(u32 row) { return row; }
  static u32 row_of(const Guest& guest) { return guest.row; }
  std::vector<u32>& moved_of(const u32*) { return moved_rows_; }
  std::vector<Guest>& moved_of(const Guest*) { return moved_guests_; }
};

}  // namespace quercus
