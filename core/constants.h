// Constants: which attributes are known to be constant at a node, because they are at a node above it.
#pragma once

#include <memory>
#include <vector>

#include "dataset.h"

namespace quercus {

// One bit for each attribute. A node hands its constants down; what it adds does not change those of its parent.
class Constants {
 public:
  bool has(u32 attribute) const {
    u64 word = more_ ? (*more_)[attribute >> 6] : attribute < 64 ? first_ : 0;
    return word >> (attribute & 63) & 1;
  }
  void add(u32 attribute, u32 n_attributes) {
    if (n_attributes <= 64)
      first_ |= u64{1} << attribute;
    else
      own(n_attributes)[attribute >> 6] |= u64{1} << (attribute & 63);
  }
  // Every attribute whose bit is not in `varying` is constant.
  void add_all_but(const std::vector<u64>& varying, u32 n_attributes) {
    if (n_attributes <= 64) {
      first_ |= ~varying[0];
      return;
    }
    std::vector<u64>& words = own(n_attributes);
    for (size_t i = 0; i < words.size(); ++i) words[i] |= ~varying[i];
  }

 private:
  std::vector<u64>& own(u32 n_attributes) {
    if (!more_)
      more_ = std::make_shared<std::vector<u64>>((n_attributes + 63) / 64, 0);
    else if (more_.use_count() > 1)
      more_ = std::make_shared<std::vector<u64>>(*more_);
    return *more_;
  }

  u64 first_ = 0;                           // up to 64 attributes
  std::shared_ptr<std::vector<u64>> more_;  // more
};

}  // namespace quercus
