// Bindings of cost-complexity pruning: arrays in, checked before use; arrays out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <stdexcept>

#include "weakest_link.h"

namespace nb = nanobind;

namespace {

template <typename T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T>
nb::object to_array(std::vector<T>&& values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule free(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  size_t n = owned->size();
  return nb::cast(nb::ndarray<nb::numpy, T>(owned->data(), 1, &n, free));
}

nb::tuple weakest_links(Vector<int32_t> first_child, Vector<int32_t> n_children, Vector<double> risk) {
  size_t n = risk.shape(0);
  if (n == 0 || n > 2'000'000'000 || first_child.shape(0) != n || n_children.shape(0) != n)
    throw std::invalid_argument("first_child, n_children and risk need one entry for each node, at least one");
  for (size_t i = 0; i < n; ++i) {
    int64_t first = first_child.data()[i], children = n_children.data()[i];
    if (children < 0 ||
        (children > 0 && (first <= static_cast<int64_t>(i) || first + children > static_cast<int64_t>(n))))
      throw std::invalid_argument("children must have greater numbers than their parent, and exist");
    if (!std::isfinite(risk.data()[i])) throw std::invalid_argument("every risk must be finite");
  }
  std::vector<bool> seen(n, false);
  for (size_t i = 0; i < n; ++i)
    for (int32_t c = first_child.data()[i], end = c + n_children.data()[i]; c < end; ++c) {
      if (seen[c]) throw std::invalid_argument("no node may be the child of two");
      seen[c] = true;
    }
  quercus::WeakestLinks found;
  {
    nb::gil_scoped_release release;
    found = quercus::weakest_links(first_child.data(), n_children.data(), risk.data(), n);
  }
  return nb::make_tuple(to_array(std::move(found.alpha)), to_array(std::move(found.branch_risk)),
                        to_array(std::move(found.branch_leaves)), to_array(std::move(found.links)));
}

}  // namespace

void bind_alpha(nb::module_& m) {
  m.def("weakest_links", &weakest_links, nb::arg("first_child"), nb::arg("n_children"), nb::arg("risk"),
        "The price of a leaf from which each node is better one, the risk and leaves it then replaces, and the nodes "
        "cut, by rising price.");
}
