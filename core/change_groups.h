// Rules by what a change of them does: those that are in, or out, and would cover the same weight alone stand together.
//
// The description length after a change depends on a rule by its side, by the weights that it alone covers, and by its
// bits. So of a group, only the rule of most bits (if it may go) or fewest (if it may come) needs to be looked at. With
// whole weights there are far fewer groups than rules.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dataset.h"

namespace quercus {

class ChangeGroups {
 public:
  // Rules by how much they save: by −bits if they are in, by bits if they are out; then by number.
  using Members = std::set<std::pair<double, u32>>;

  void clear(size_t n_rules) {
    groups_.clear();
    free_.clear();
    place_.clear();
    group_of_.assign(n_rules, none);
  }

  // Puts a rule where it belongs; it may be somewhere else.
  void put(u32 rule, bool in, double right, double wrong, double bits) {
    Key key{in, right, wrong};
    u32 before = group_of_[rule];
    if (before != none && groups_[before].key == key) return;
    if (before != none) take_out(rule, before, bits);
    auto [at, is_new] = place_.try_emplace(key, 0u);
    if (is_new) at->second = slot(key);
    group_of_[rule] = at->second;
    groups_[at->second].members.emplace(in ? -bits : bits, rule);
  }

  size_t size() const { return groups_.size(); }
  const Members& members(size_t group) const { return groups_[group].members; }

 private:
  static constexpr u32 none = std::numeric_limits<u32>::max();
  struct Key {
    bool in;
    double right, wrong;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const {
      u64 h = std::bit_cast<u64>(key.right + 0.0) * 0x9e3779b97f4a7c15u + (key.in ? 1u : 0u);
      h = (h ^ (h >> 32) ^ std::bit_cast<u64>(key.wrong + 0.0)) * 0xff51afd7ed558ccdu;
      return static_cast<size_t>(h ^ (h >> 32));
    }
  };
  struct Group {
    Key key;
    Members members;
  };

  u32 slot(const Key& key) {
    if (free_.empty()) {
      groups_.push_back({key, {}});
      return static_cast<u32>(groups_.size() - 1);
    }
    u32 at = free_.back();
    free_.pop_back();
    groups_[at].key = key;
    return at;
  }

  void take_out(u32 rule, u32 from, double bits) {
    Group& group = groups_[from];
    group.members.erase({group.key.in ? -bits : bits, rule});
    if (!group.members.empty()) return;
    place_.erase(group.key);
    free_.push_back(from);
  }

  std::vector<Group> groups_;  // some may be empty: their places are in free_
  std::vector<u32> free_, group_of_;
  std::unordered_map<Key, u32, Hash> place_;
};

}  // namespace quercus
