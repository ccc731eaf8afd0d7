// Parallel: a pool of workers that runs numbered pieces of work; one thread means no pool at all.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "dataset.h"

namespace quercus {

// Thrown by long work when its caller has asked it to stop.
struct Interrupted {};

class Pool {
 public:
  // If a thread cannot be started, the pool makes do with those that could.
  explicit Pool(int threads) {
    try {
      for (int i = 1; i < threads; ++i) workers_.emplace_back([this, i] { loop(i); });
    } catch (const std::system_error&) {
    }
  }
  ~Pool() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      quit_ = true;
    }
    wake_.notify_all();
    for (auto& worker : workers_) worker.join();
  }
  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Runs work(piece, thread) for every piece below `pieces`; thread 0 is the caller. Rethrows the first exception.
  void run(size_t pieces, const std::function<void(size_t, int)>& work) {
    if (workers_.empty() || pieces < 2) {
      for (size_t i = 0; i < pieces; ++i) work(i, 0);
      return;
    }
    {
      std::lock_guard<std::mutex> lock(mutex_);
      work_ = &work;
      pieces_ = pieces;
      next_ = 0;
      busy_ = static_cast<int>(workers_.size());
      error_ = nullptr;
      ++round_;
    }
    wake_.notify_all();
    take(0);
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
    work_ = nullptr;
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void take(int thread) {
    for (size_t i = next_++; i < pieces_; i = next_++) {
      try {
        (*work_)(i, thread);
      } catch (...) {
        std::lock_guard<std::mutex> lock(mutex_);
        if (!error_) error_ = std::current_exception();
        next_ = pieces_;
      }
    }
  }
  void loop(int thread) {
    u64 last_round = 0;
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [&] { return quit_ || round_ != last_round; });
      if (quit_) return;
      last_round = round_;
      lock.unlock();
      take(thread);
      lock.lock();
      if (--busy_ == 0) done_.notify_one();
    }
  }

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(size_t, int)>* work_ = nullptr;
  size_t pieces_ = 0;
  std::atomic<size_t> next_{0};
  int busy_ = 0;
  u64 round_ = 0;
  bool quit_ = false;
  std::exception_ptr error_;
};

// Runs work(from, to) over [0, n): if n is large and there is a pool, with one range per thread.
template <typename Work>
void run_ranges(Pool* pool, u32 n, const Work& work) {
  constexpr u32 short_range = 65536;
  if (!pool || n <= short_range) return work(u32{0}, n);
  u64 pieces = static_cast<u64>(pool->threads());
  pool->run(pieces, [&](size_t piece, int) {
    work(static_cast<u32>(n * piece / pieces), static_cast<u32>(n * (piece + 1) / pieces));
  });
}

}  // namespace quercus
