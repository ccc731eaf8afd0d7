// Arrow texts: columns of text as other programs hold them, read where they are by Arrow's C data interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "memory.h"

namespace quercus {

// The layout of these three is fixed by the interface; names of fields are ours.
struct ArrowType {
  const char *format, *name, *metadata;
  int64_t flags, n_children;
  ArrowType **children, *dictionary;
  void (*release)(ArrowType*);
  void* owned;
};

struct ArrowCells {
  int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  ArrowCells **children, *dictionary;
  void (*release)(ArrowCells*);
  void* owned;
};

struct ArrowStream {
  int (*get_type)(ArrowStream*, ArrowType*);
  int (*get_next)(ArrowStream*, ArrowCells*);
  const char* (*last_error)(ArrowStream*);
  void (*release)(ArrowStream*);
  void* owned;
};

// What was handed over, released at the end.
template <class Part>
struct Released : Part {
  Released() : Part() {}
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;
  ~Released() {
    if (this->release != nullptr) this->release(this);
  }
};

inline bool is_known(const ArrowCells& cells, int64_t i) {
  if (cells.null_count == 0 || cells.buffers[0] == nullptr) return true;
  int64_t at = cells.offset + i;
  return (static_cast<const uint8_t*>(cells.buffers[0])[at >> 3] >> (at & 7) & 1) != 0;
}

// Calls use(text, length) for each text, and use(nullptr, 0) for each null; false: the cells are no texts.
template <class Use>
bool each_arrow_text(std::string_view format, const ArrowCells& cells, Use&& use) {
  auto each = [&](auto&& text_at) {
    for (int64_t i = 0; i < cells.length; ++i) {
      std::string_view text = is_known(cells, i) ? text_at(cells.offset + i) : std::string_view();
      use(text.data(), text.size());
    }
  };
  auto by_starts = [&]<class Start>(const Start* starts) {
    if (cells.n_buffers < 3) throw std::invalid_argument("a column of texts has too few buffers");
    const char* bytes = cells.buffers[2] ? static_cast<const char*>(cells.buffers[2]) : "";
    each(
        [=](int64_t i) { return std::string_view(bytes + starts[i], static_cast<size_t>(starts[i + 1] - starts[i])); });
  };
  if (cells.length == 0) return format == "u" || format == "U" || format == "vu";
  if (format == "u") {
    by_starts(static_cast<const int32_t*>(cells.buffers[1]));
  } else if (format == "U") {
    by_starts(static_cast<const int64_t*>(cells.buffers[1]));
  } else if (format == "vu") {
    struct View {
      int32_t length;
      char start[4];
      int32_t buffer, offset;  // of a text of more than 12 bytes; a shorter one stands here
    };
    static_assert(sizeof(View) == 16);
    const auto* views = static_cast<const View*>(cells.buffers[1]);
    const void** buffers = cells.buffers + 2;
    each([=](int64_t i) {
      const View& view = views[i];
      const char* text = view.length <= 12 ? view.start : static_cast<const char*>(buffers[view.buffer]) + view.offset;
      return std::string_view(text, static_cast<size_t>(view.length));
    });
  } else {
    return false;
  }
  return true;
}

// Calls use(place) for each place in a dictionary, −1 for each null; false: the places are of another type.
template <class Use>
bool each_arrow_place(std::string_view format, const ArrowCells& cells, Use&& use) {
  auto each = [&]<class Place>(const Place* places) {
    places += cells.offset;
    for (int64_t i = 0; i < cells.length; ++i) use(is_known(cells, i) ? static_cast<int64_t>(places[i]) : int64_t{-1});
    return true;
  };
  if (format.size() != 1) return false;
  const void* places = cells.length ? cells.buffers[1] : nullptr;
  switch (format[0]) {
    case 'c':
      return each(static_cast<const int8_t*>(places));
    case 'C':
      return each(static_cast<const uint8_t*>(places));
    case 's':
      return each(static_cast<const int16_t*>(places));
    case 'S':
      return each(static_cast<const uint16_t*>(places));
    case 'i':
      return each(static_cast<const int32_t*>(places));
    case 'I':
      return each(static_cast<const uint32_t*>(places));
    case 'l':
      return each(static_cast<const int64_t*>(places));
    default:
      return false;
  }
}

}  // namespace quercus
