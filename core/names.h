// Names: the names of an enum's values outside the core. A choice crosses the binding by its name.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace quercus {

template <typename E>
struct Name {
  const char* name;
  E value;
};

// The value that a name stands for; an unknown name is an error that lists all names. what: the option, for the
// message.
template <typename E, size_t n>
E value_of(const Name<E> (&names)[n], const std::string& name, const std::string& what) {
  std::string all;
  for (const Name<E>& entry : names) {
    if (name == entry.name) return entry.value;
    all += (all.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw std::invalid_argument(what + " is '" + name.substr(0, 40) + "', but must be one of " + all);
}

}  // namespace quercus
