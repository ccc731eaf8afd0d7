// Bindings of cost-complexity pruning: arrays in, checked before use; arrays out.

#include <cmath>

#include "binding.h"
#include "weakest_link.h"

namespace nb = nanobind;

namespace {

template <typename T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

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
  std::vector<bool> has_parent(n, false);
  for (size_t i = 0; i < n; ++i)
    for (int32_t c = first_child.data()[i], end = c + n_children.data()[i]; c < end; ++c) {
      if (has_parent[c]) throw std::invalid_argument("no node may be the child of two");
      has_parent[c] = true;
    }
  quercus::WeakestLinks result;
  {
    nb::gil_scoped_release release;
    result = quercus::weakest_links(first_child.data(), n_children.data(), risk.data(), n);
  }
  return nb::make_tuple(quercus::array_of(std::move(result.alpha)), quercus::array_of(std::move(result.branch_risk)),
                        quercus::array_of(std::move(result.branch_leaves)), quercus::array_of(std::move(result.links)));
}

}  // namespace

void bind_alpha(nb::module_& m) {
  m.def("weakest_links", &weakest_links, nb::arg("first_child"), nb::arg("n_children"), nb::arg("risk"),
        "The price of a leaf from which each node is better one, the risk and leaves it then replaces, and the nodes "
        "cut, by rising price.");
}
