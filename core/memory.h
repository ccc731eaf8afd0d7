// Memory: vectors for large arrays: on large pages where the system offers them, and not zeroed before they are filled.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace quercus {

template <typename T>
struct LargePages {
  using value_type = T;
  static constexpr std::size_t page = std::size_t{1} << 21;

  LargePages() = default;
  template <typename U>
  LargePages(const LargePages<U>&) {}

  T* allocate(std::size_t n) {
    if (n > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
    std::size_t bytes = n * sizeof(T);
#ifdef __linux__
    if (bytes >= page) {
      void* large = nullptr;
      if (posix_memalign(&large, page, bytes) != 0) throw std::bad_alloc();
      madvise(large, bytes / page * page, MADV_HUGEPAGE);  // only a request: if the system refuses it, nothing is lost
      return static_cast<T*>(large);
    }
#endif
    void* small = std::malloc(bytes ? bytes : 1);
    if (!small) throw std::bad_alloc();
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
