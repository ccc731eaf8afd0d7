// Memory: vectors for large arrays: on large pages where the system offers them, and not zeroed before they are filled;
// and what was being made when memory ran out.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace quercus {

// Memory ran out when so many bytes were asked for.
struct OutOfMemory : std::bad_alloc {
  explicit OutOfMemory(std::size_t asked) : bytes(asked) {}
  std::size_t bytes;
};

// What the calling thread is making, in words. If an exception ends it, the innermost words stay, for the message.
class Making {
 public:
  explicit Making(std::string what) : what_(std::move(what)), exceptions_(std::uncaught_exceptions()) {
    if (depth()++ == 0) unfinished().clear();
  }
  ~Making() {
    --depth();
    if (std::uncaught_exceptions() > exceptions_ && unfinished().empty()) unfinished() = std::move(what_);
  }
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;

  static std::string& unfinished() {
    static thread_local std::string what;
    return what;
  }

 private:
  static int& depth() {
    static thread_local int count = 0;
    return count;
  }
  std::string what_;
  int exceptions_;
};

template <typename T>
struct LargePages {
  using value_type = T;
  static constexpr std::size_t page = std::size_t{1} << 21;

  LargePages() = default;
  template <typename U>
  LargePages(const LargePages<U>&) {}

  T* allocate(std::size_t n) {
    if (n > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw OutOfMemory(static_cast<std::size_t>(-1));
    std::size_t bytes = n * sizeof(T);
#ifdef __linux__
    if (bytes >= page) {
      void* large = nullptr;
      if (posix_memalign(&large, page, bytes) != 0) throw OutOfMemory(bytes);
      madvise(large, bytes / page * page, MADV_HUGEPAGE);  // only a request: if the system refuses it, nothing is lost
      return static_cast<T*>(large);
    }
#endif
    void* small = std::malloc(bytes ? bytes : 1);
    if (!small) throw OutOfMemory(bytes);
    return static_cast<T*>(small);
  }
  void deallocate(T* p, std::size_t) { std::free(p); }

  // New elements are left as they are: whoever resizes a vector fills it.
  template <typename U>
  void construct(U* p) noexcept(std::is_nothrow_default_constructible_v<U>) {
    ::new (static_cast<void*>(p)) U;
  }
  template <typename U, typename... Arguments>
  void construct(U* p, Arguments&&... arguments) {
    ::new (static_cast<void*>(p)) U(std::forward<Arguments>(arguments)...);
  }
  bool operator==(const LargePages&) const { return true; }
};

template <typename T>
using Large = std::vector<T, LargePages<T>>;

}  // namespace quercus
