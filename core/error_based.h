// Error-based pruning: C4.5's comparison of a leaf, the subtree and its raised largest branch, from the leaves up.
//
// A case that goes one way stands in one array, in which the cases of every node form a range. A case whose value is
// unknown at a test that spreads it goes on as a guest of every branch, with a part of its weight; guests stand on a
// stack while the branch is looked at. Judging a raised branch sends only those cases through it that are not in it
// already, unless a case spreads there: then the shares change, and all of that node's cases go down again.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "case_flow.h"
#include "predict.h"

namespace quercus {

// Pessimistic errors of a leaf: E + added(N, E), the upper confidence limit of a binomial share.
struct ErrorEstimate {
  double confidence = 0.25, deviate = 0.6745;
  double top_share = 0.67;  // of N − E, where nearly all cases are errors
  bool never_negative = true;

  double added(double n, double e) const {
    if (!(n > 0.0)) return 0.0;
    if (e < 1.0) {
      double none = -n * std::expm1(std::log(confidence) / n);
      return e > 0.0 ? none + e * (added(n, 1.0) - none) : none;
    }
    if (e + 0.5 >= n * (1.0 - 1e-9)) return never_negative ? std::max(0.0, top_share * (n - e)) : top_share * (n - e);
    double half = e + 0.5, z = deviate, zz = z * z;
    return n * (half + zz / 2 + z * std::sqrt(half * (1 - half / n) + zz / 4)) / (n + zz) - e;
  }
  double of(double n, double e) const { return n > 0.0 ? e + added(n, e) : 0.0; }
};

struct ErrorBasedOptions {
  ErrorEstimate estimate;
  bool raising = true;
  double margin = 0.1;      // how much worse a simpler tree may be
  double tolerance = 1e-9;  // what counts as equal
};

enum class PruneAction : uint8_t { leaf = 1, raised = 2 };

struct ErrorBasedRemoval {
  int32_t node;  // of the original tree
  PruneAction action;
  double cases, leaf, subtree, branch;
};

// The pruned tree, numbered depth first: which node's test stands where, and what reaches it.
struct ErrorBasedResult {
  std::vector<int32_t> source, first_child;
  std::vector<uint8_t> leaf;
  std::vector<double> value;  // [n, classes]
  std::vector<int64_t> count;
  std::vector<ErrorBasedRemoval> removals;
  double estimate = 0.0;  // pessimistic errors of the whole
};

class ErrorBasedPruner : private CaseFlow {
 public:
  ErrorBasedPruner(const TreeView& tree, const Rows& rows, const int32_t* labels, int64_t n_classes,
                   const double* weights, const ErrorBasedOptions& options)
      : CaseFlow(tree, rows, labels, weights),
        width_(static_cast<size_t>(n_classes)),
        options_(options),
        places_(static_cast<size_t>(tree.n_nodes)),
        value_(places_.size() * width_, 0.0),
        sums_(width_, 0.0) {}

  ErrorBasedResult prune(const Running& running) {
    place_cases(running);
    Pause pause(running);
    open_.push_back({0, 0, false, -1, 0, 0, 0});
    while (!open_.empty()) {
      Visit& visit = open_.back();
      if (visit.next < 0) {
        pause(0);
        enter(visit);
      } else if (visit.next < forks(visit.position)) {
        descend_to_child();
      } else {
        leave();
      }
    }
    return result();
  }

 private:
  // A place in the tree: that of a node of the original tree, to which the test of another node may have been raised.
  struct Place {
    int32_t occupant = 0;
    bool cut = false;     // made a leaf
    bool stale = false;   // its cases are not yet divided by the test that stands here now
    bool guests = false;  // whether guests came, at the last visit
    u32 begin = 0;        // of its cases, behind the first case of the place above
    u32 size = 0;         // cases, without guests
    u32 loose = 0;        // of these, the ones that spread here; they stand behind those of the branches
    double errors = 0.0;  // pessimistic errors of what stands here
    int64_t count = 0;    // cases and guests
  };
  // A place while its branches are looked at. Of branch c are the guests bounds[c] .. bounds[c + 1] − 1 (counted from
  // `guests`), and the share shares[c] of every spreading case.
  struct Visit {
    int32_t position;
    u32 begin;
    bool again;  // after a raise: branches that get no new cases stay as they are
    int32_t next;
    size_t guests, guests_end, bounds;
  };
  // The same while a branch is judged. whole: begin .. end are all its cases; otherwise only those that are new to it,
  // and the old ones are those of the place.
  struct Look {
    int32_t position;
    u32 old_begin;
    bool whole;
    int32_t next;
    size_t begin, end, rows_end, guests, guests_end, bounds;
  };

  size_t width_;
  ErrorBasedOptions options_;

  std::vector<Place> places_;
  std::vector<double> value_;  // class weights by place
  std::vector<u32> cases_;     // rows; those of a place form a range
  std::vector<u32> fed_;       // rows that are fed to a branch to judge it; a stack
  std::vector<Visit> open_;
  std::vector<Look> looks_;
  std::vector<ErrorBasedRemoval> removals_;
  std::vector<double> sums_;  // class weights, for the moment

  Place& place(int32_t position) { return places_[static_cast<size_t>(position)]; }
  int32_t child(int32_t position, int32_t c) { return tree_.first_child[place(position).occupant] + c; }
  int32_t forks(int32_t position) {
    const Place& here = place(position);
    return here.cut || tree_.leaf(here.occupant) ? 0 : tree_.n_children[here.occupant];
  }
  double* value(int32_t position) { return value_.data() + static_cast<size_t>(position) * width_; }

  // Every case to the place where it ends, a leaf or a test that spreads it; cases of a place side by side.
  void place_cases(const Running& running) {
    std::vector<int32_t> ends(static_cast<size_t>(rows_.n_rows));
    CompactTree compact(tree_, static_cast<int64_t>(rows_.columns.size()));
    AskedRows asked = asked_rows(compact, rows_);
    for_blocks(compact, asked, running, [&](int64_t first, int64_t count, Scratch& scratch, auto&&) {
      for (int64_t r = 0; r < count; ++r) {
        int32_t node = scratch.ends[static_cast<size_t>(r)];
        for (int32_t c; !tree_.leaf(node) && (c = branch(tree_, rows_, node, first + r)) >= 0;)
          node = tree_.first_child[node] + c;
        ends[static_cast<size_t>(first + r)] = node;
      }
    });
    for (size_t row = 0; row < ends.size(); ++row)
      if (weight(static_cast<u32>(row)) > 0.0) ++place(ends[row]).loose;
    for (auto node = static_cast<int32_t>(tree_.n_nodes - 1); node >= 0; --node) {
      Place& here = place(node);
      here.occupant = node;
      here.size = here.loose;
      for (int32_t c = 0; c < forks(node); ++c) here.size += place(child(node, c)).size;
    }
    std::vector<u32> next(places_.size(), 0);  // where the next case that ends here goes
    for (int32_t node = 0; node < tree_.n_nodes; ++node) {
      u32 begin = next[static_cast<size_t>(node)], at = begin;
      for (int32_t c = 0; c < forks(node); ++c) {
        Place& below = place(child(node, c));
        below.begin = at - begin;
        next[static_cast<size_t>(child(node, c))] = at;
        at += below.size;
      }
      next[static_cast<size_t>(node)] = at;
    }
    cases_.resize(place(0).size);
    for (size_t row = 0; row < ends.size(); ++row)
      if (weight(static_cast<u32>(row)) > 0.0) cases_[next[static_cast<size_t>(ends[row])]++] = static_cast<u32>(row);
  }

  // Pessimistic errors of a leaf with these class weights; the weight that is not of its class counts as errors.
  double leaf_errors(const double* sums, double* cases = nullptr) const {
    size_t best = 0;
    for (size_t j = 1; j < width_; ++j)
      if (sums[j] > sums[best]) best = j;
    double errors = 0.0;
    for (size_t j = 0; j < width_; ++j) errors += j == best ? 0.0 : sums[j];
    double n = errors + sums[best];
    if (cases) *cases = n;
    return options_.estimate.of(n, errors);
  }

  // Divides the cases of a place among its branches, if they are not yet, and its guests.
  void enter(Visit& visit) {
    visit.next = 0;
    Place& here = place(visit.position);
    here.count = static_cast<int64_t>(here.size) + static_cast<int64_t>(visit.guests_end - visit.guests);
    here.guests = visit.guests_end > visit.guests;
    int32_t n = forks(visit.position);
    if (n == 0) return;
    visit.bounds = reserve_bounds(n);
    size_t* bounds = bounds_.data() + visit.bounds;
    if (here.stale) {
      arrange(here.occupant, cases_.data() + visit.begin, here.size, bounds);
      here.stale = false;
      here.loose = here.size - static_cast<u32>(bounds[n]);
      for (int32_t c = 0; c < n; ++c) {
        Place& below = place(child(visit.position, c));
        below.begin = static_cast<u32>(bounds[c]);
        auto size = static_cast<u32>(bounds[c + 1] - bounds[c]);
        below.stale = size != below.size;
        below.size = size;
      }
    }
    arrange(here.occupant, guests_.data() + visit.guests, visit.guests_end - visit.guests, bounds);
    bounds[n + 1] = visit.guests_end - visit.guests;
    double* shares = shares_.data() + visit.bounds;
    std::fill(shares, shares + n + 2, 0.0);
    if (here.loose == 0 && bounds[n] == bounds[n + 1]) return;
    for (int32_t c = 0; c < n; ++c) {
      const Place& below = place(child(visit.position, c));
      shares[c] = weight_of(cases_.data() + visit.begin + below.begin, below.size) +
                  weight_of(guests_.data() + visit.guests + bounds[c], bounds[c + 1] - bounds[c]);
    }
    find_shares(here.occupant, shares);
  }

  void descend_to_child() {
    Visit& visit = open_.back();
    Place& here = place(visit.position);
    int32_t n = forks(visit.position), c = visit.next++;
    guests_.resize(visit.guests_end);
    const u32* loose = cases_.data() + visit.begin + (here.size - here.loose);
    send_guests(visit.guests, visit.guests_end, visit.bounds, n, c, loose, here.loose);
    int32_t position = child(visit.position, c);
    Place& below = place(position);
    bool visitors = guests_.size() > visit.guests_end;
    if (visit.again && !below.stale && !visitors && !below.guests) return;
    open_.push_back({position, visit.begin + below.begin, visit.again, -1, visit.guests_end, guests_.size(), 0});
  }

  // All branches are done: add up, compare, and go on above, or once more here if a branch was raised.
  void leave() {
    Visit visit = open_.back();
    Place& here = place(visit.position);
    guests_.resize(visit.guests_end);
    double* sums = value(visit.position);
    std::fill(sums, sums + width_, 0.0);
    int32_t n = forks(visit.position);
    if (n == 0) {
      add_cases(sums, cases_.data() + visit.begin, here.size);
      add_guests(sums, visit.guests, visit.guests_end);
      here.errors = leaf_errors(sums);
      here.stale = false;
      open_.pop_back();
      return;
    }
    double subtree = staying_errors(visit, n);
    std::copy(sums_.begin(), sums_.end(), sums);
    for (int32_t c = 0; c < n; ++c) {
      const double* below = value(child(visit.position, c));
      for (size_t j = 0; j < width_; ++j) sums[j] += below[j];
      subtree += place(child(visit.position, c)).errors;
    }
    release_bounds(visit.bounds);
    if (decide(visit, n, subtree)) {
      Visit& once_more = open_.back();
      once_more.next = -1;
      once_more.again = true;
      return;
    }
    open_.pop_back();
  }

  // The errors of spreading cases that no branch takes, into sums_ their class weights.
  double staying_errors(const Visit& visit, int32_t n) {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    const Place& here = place(visit.position);
    const size_t* bounds = bounds_.data() + visit.bounds;
    if (here.loose == 0 && bounds[n] == bounds[n + 1]) return 0.0;
    const double* shares = shares_.data() + visit.bounds;
    if (std::any_of(shares, shares + n, [](double share) { return share > 0.0; })) return 0.0;
    add_cases(sums_.data(), cases_.data() + visit.begin + (here.size - here.loose), here.loose);
    add_guests(sums_.data(), visit.guests + bounds[n], visit.guests_end);
    return leaf_errors(sums_.data());
  }

  // Compares leaf, subtree and raised branch; true if a branch was raised, which then is to be visited again.
  bool decide(const Visit& visit, int32_t n, double subtree) {
    Place& here = place(visit.position);
    const double more = options_.margin + options_.tolerance;
    double cases = 0.0, leaf = leaf_errors(value(visit.position), &cases), raised = INFINITY;
    int32_t largest = options_.raising ? largest_branch(visit.position, n) : -1;
    if (largest >= 0) raised = forks(largest) == 0 ? leaf : branch_errors(visit, largest);
    here.errors = subtree;
    if (leaf <= subtree + more && leaf <= raised + more) {
      removals_.push_back({here.occupant, PruneAction::leaf, cases, leaf, subtree, raised});
      here.cut = true;
      here.errors = leaf;
      return false;
    }
    if (!(raised <= subtree + more)) return false;
    removals_.push_back({here.occupant, PruneAction::raised, cases, leaf, subtree, raised});
    here.occupant = place(largest).occupant;
    here.stale = true;
    return true;
  }

  // The heaviest branch, the last if tied.
  int32_t largest_branch(int32_t position, int32_t n) {
    auto heaviness = [&](int32_t c) {
      const double* sums = value(child(position, c));
      double total = 0.0;
      for (size_t j = 0; j < width_; ++j) total += sums[j];
      return total;
    };
    double most = 0.0;
    for (int32_t c = 0; c < n; ++c) most = std::max(most, heaviness(c));
    int32_t last = n - 1;
    while (last > 0 && heaviness(last) < most * (1.0 - 1e-9)) --last;
    return child(position, last);
  }

  // The pessimistic errors of a branch when all cases of the place above it are fed to it.
  double branch_errors(const Visit& visit, int32_t position) {
    const Place& above = place(visit.position);
    const Place& below = place(position);
    const u32 *first = cases_.data() + visit.begin, *end = first + above.size;
    bool whole = visit.guests_end > visit.guests || above.loose > 0;
    fed_.clear();
    if (whole) {
      fed_.assign(first, end);
    } else {
      fed_.assign(first, first + below.begin);
      fed_.insert(fed_.end(), first + below.begin + below.size, end);
    }
    double total = 0.0;
    looks_.push_back({position, visit.begin + below.begin, whole, -1, 0, fed_.size(), fed_.size(), visit.guests,
                      visit.guests_end, bounds_.size()});
    while (!looks_.empty()) {
      Look& look = looks_.back();
      if (look.next < 0) total += open_look(look);
      if (look.next < forks(look.position)) {
        total += look_at_child();
      } else {
        fed_.resize(look.rows_end);
        release_bounds(look.bounds);
        looks_.pop_back();
      }
    }
    return total;
  }

  // The errors that are settled at once: of a leaf, or of cases that no branch takes.
  double open_look(Look& look) {
    look.next = 0;
    const Place& here = place(look.position);
    int32_t n = forks(look.position);
    if (n == 0) {
      const double* old = value(look.position);
      if (look.whole)
        std::fill(sums_.begin(), sums_.end(), 0.0);
      else
        std::copy(old, old + width_, sums_.begin());
      add_cases(sums_.data(), fed_.data() + look.begin, look.end - look.begin);
      add_guests(sums_.data(), look.guests, look.guests_end);
      return leaf_errors(sums_.data());
    }
    size_t row_bounds = reserve_bounds(2 * n + 2);  // of the cases, then of the guests
    size_t guest_bounds = row_bounds + static_cast<size_t>(n) + 2;
    auto divide = [&] {
      size_t* bounds = bounds_.data() + row_bounds;
      arrange(here.occupant, fed_.data() + look.begin, look.end - look.begin, bounds);
      return bounds[n + 1] = look.end - look.begin;
    };
    if (!look.whole && here.loose > 0) take_old_cases(look);
    size_t fed = divide();
    if (!look.whole && bounds_[row_bounds + static_cast<size_t>(n)] < fed) {
      take_old_cases(look);
      fed = divide();
    }
    size_t *of_rows = bounds_.data() + row_bounds, *of_guests = bounds_.data() + guest_bounds;
    arrange(here.occupant, guests_.data() + look.guests, look.guests_end - look.guests, of_guests);
    of_guests[n + 1] = look.guests_end - look.guests;
    double* shares = shares_.data() + guest_bounds;
    std::fill(shares, shares + n + 2, 0.0);
    if (of_rows[n] == fed && of_guests[n] == of_guests[n + 1]) return 0.0;
    for (int32_t c = 0; c < n; ++c)
      shares[c] = weight_of(fed_.data() + look.begin + of_rows[c], of_rows[c + 1] - of_rows[c]) +
                  weight_of(guests_.data() + look.guests + of_guests[c], of_guests[c + 1] - of_guests[c]);
    if (find_shares(here.occupant, shares)) return 0.0;
    std::fill(sums_.begin(), sums_.end(), 0.0);
    add_cases(sums_.data(), fed_.data() + look.begin + of_rows[n], fed - of_rows[n]);
    add_guests(sums_.data(), look.guests + of_guests[n], look.guests_end);
    return leaf_errors(sums_.data());
  }

  // Puts the old cases of a place beside the new ones, because a case spreads there.
  void take_old_cases(Look& look) {
    const Place& here = place(look.position);
    size_t begin = fed_.size();
    fed_.resize(begin + here.size + (look.end - look.begin));
    auto to =
        std::copy_n(cases_.begin() + look.old_begin, here.size, fed_.begin() + static_cast<std::ptrdiff_t>(begin));
    std::copy(fed_.begin() + static_cast<std::ptrdiff_t>(look.begin),
              fed_.begin() + static_cast<std::ptrdiff_t>(look.end), to);
    look.begin = begin;
    look.end = fed_.size();
    look.whole = true;
  }

  // The next branch: its known errors if nothing new comes to it, otherwise a look at it.
  double look_at_child() {
    Look& look = looks_.back();
    int32_t n = forks(look.position), c = look.next++, position = child(look.position, c);
    size_t row_bounds = look.bounds, guest_bounds = row_bounds + static_cast<size_t>(n) + 2;
    guests_.resize(look.guests_end);
    const size_t* of_rows = bounds_.data() + row_bounds;
    const u32* loose = fed_.data() + look.begin + of_rows[n];
    send_guests(look.guests, look.guests_end, guest_bounds, n, c, loose, of_rows[n + 1] - of_rows[n]);
    size_t begin = look.begin + of_rows[c], end = look.begin + of_rows[c + 1];
    bool visitors = guests_.size() > look.guests_end;
    if (begin == end && !visitors) return look.whole ? 0.0 : place(position).errors;
    looks_.push_back({position, look.old_begin + place(position).begin, look.whole, -1, begin, end, fed_.size(),
                      look.guests_end, guests_.size(), bounds_.size()});
    return 0.0;
  }

  ErrorBasedResult result() {
    ErrorBasedResult out;
    out.removals = std::move(removals_);
    out.estimate = place(0).errors;
    auto add = [&](int32_t position) {
      Place& here = place(position);
      out.source.push_back(here.occupant);
      out.leaf.push_back(forks(position) == 0);
      out.first_child.push_back(0);
      out.count.push_back(here.count);
      out.value.insert(out.value.end(), value(position), value(position) + width_);
    };
    std::vector<std::pair<int32_t, int32_t>> waiting = {{0, 0}};  // a place and its new number
    add(0);
    while (!waiting.empty()) {
      auto [position, number] = waiting.back();
      waiting.pop_back();
      int32_t n = forks(position);
      if (n == 0) continue;
      auto first = static_cast<int32_t>(out.source.size());
      out.first_child[static_cast<size_t>(number)] = first;
      for (int32_t c = 0; c < n; ++c) add(child(position, c));
      for (int32_t c = n - 1; c >= 0; --c) waiting.emplace_back(child(position, c), first + c);
    }
    return out;
  }
};

}  // namespace quercus
