// Watch: reports the progress of a long call to its caller, and passes the caller's wish to stop to the call.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "parallel.h"

namespace quercus {

// What the caller wants to know while a tree grows. poll(done, total, nodes) is called from the calling thread at the
// first check, and then a few times a second, and at the end; returning false stops the growing. So a callback is
// called at least twice, however fast the machine is.
struct Watch {
  std::function<bool(u64, u64, u64)> poll;
  std::atomic<bool> stop{false};
  std::atomic<u64> done{0}, nodes{0};
  u64 total = 0;
  std::thread::id owner = std::this_thread::get_id();
  std::chrono::steady_clock::time_point next{};

  void check() {
    if (stop.load(std::memory_order_relaxed)) throw Interrupted();
    if (!poll || std::this_thread::get_id() != owner) return;
    auto now = std::chrono::steady_clock::now();
    if (now < next) return;
    next = now + std::chrono::milliseconds(50);
    if (poll(std::min(done.load(), total), total, nodes.load())) return;
    stop = true;
    throw Interrupted();
  }
};

}  // namespace quercus
