// Running: on how many threads a long call works, and the places where it may be stopped.
#pragma once

#include <atomic>
#include <functional>

#include "parallel.h"

namespace quercus {

// How a long call runs: on how many threads, and whether to stop, which the calling thread checks repeatedly.
struct Running {
  int threads = 1;
  std::function<bool()> stop;
};

// The place where workers may stop: each calls it after every block and every spread row.
class Pause {
 public:
  explicit Pause(const Running& running) : running_(running) {}
  void operator()(int thread) {
    if (thread == 0 && running_.stop && running_.stop()) stopped_ = true;
    if (stopped_) throw Interrupted{};
  }

 private:
  const Running& running_;
  std::atomic<bool> stopped_{false};
};

}  // namespace quercus
