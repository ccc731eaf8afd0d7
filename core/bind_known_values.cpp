// Bindings of known values: columns of texts, as Python or Arrow hold them, or of whole numbers in, codes out.

#include <array>
#include <string>
#include <utility>

#include "binding.h"
#include "known_values.h"

namespace nb = nanobind;

namespace quercus {
namespace {

using Codes = nb::ndarray<nb::numpy, int32_t>;

KnownTexts known_texts(const nb::tuple& texts) {
  KnownTexts known;
  for (nb::handle each : texts) {
    need(PyUnicode_Check(each.ptr()), "the texts of a domain must be strings");
    Py_ssize_t length = 0;
    const char* text = PyUnicode_AsUTF8AndSize(each.ptr(), &length);
    if (text == nullptr) throw nb::python_error();
    known.add(text, static_cast<size_t>(length));
  }
  need(known.size() == static_cast<int64_t>(nb::len(texts)), "the texts of a domain must differ");
  return known;
}

// The memory of an array of Python objects.
class ObjectArray {
 public:
  explicit ObjectArray(nb::handle array) {
    if (PyObject_GetBuffer(array.ptr(), &buffer_, PyBUF_FULL_RO) != 0) throw nb::python_error();
    fine_ = buffer_.ndim == 1 && buffer_.format && buffer_.format[0] == 'O' && buffer_.format[1] == 0;
  }
  ObjectArray(const ObjectArray&) = delete;
  ObjectArray& operator=(const ObjectArray&) = delete;
  ~ObjectArray() { PyBuffer_Release(&buffer_); }

  bool is_fine() const { return fine_; }
  int64_t size() const { return buffer_.shape[0]; }
  PyObject* operator[](int64_t i) const {
    return *reinterpret_cast<PyObject* const*>(static_cast<const std::byte*>(buffer_.buf) + i * buffer_.strides[0]);
  }

 private:
  Py_buffer buffer_;
  bool fine_ = false;
};

constexpr int32_t odd = -2;  // neither a text nor missing, as far as is plain to see

int32_t code_of(const KnownTexts& known, PyObject* value) {
  if (value == nullptr || value == Py_None) return -1;
  if (PyFloat_CheckExact(value)) return PyFloat_AS_DOUBLE(value) != PyFloat_AS_DOUBLE(value) ? -1 : odd;
  if (!PyUnicode_CheckExact(value)) return odd;
  if (PyUnicode_IS_COMPACT_ASCII(value))
    return known.code(static_cast<const char*>(PyUnicode_DATA(value)),
                      static_cast<size_t>(PyUnicode_GET_LENGTH(value)));
  Py_ssize_t length = 0;
  const char* text = PyUnicode_AsUTF8AndSize(value, &length);
  if (text != nullptr) return known.code(text, static_cast<size_t>(length));
  PyErr_Clear();  // half of a surrogate pair: no text of the domain has it
  return -1;
}

// The codes of Python objects; None if one of them takes more care. A table mostly holds the same few objects again and
// again, so those that came last are known by their place in memory.
nb::object codes_of_objects(const KnownTexts& known, nb::handle array) {
  struct Seen {
    PyObject* value = nullptr;
    int32_t code = -1;
  };
  constexpr size_t n_seen = 1024;
  std::array<Seen, n_seen> seen;
  ObjectArray values(array);
  need(values.is_fine(), "the values must be an array of objects of one dimension");
  Large<int32_t> codes(static_cast<size_t>(values.size()));
  for (int64_t i = 0; i < values.size(); ++i) {
    PyObject* value = values[i];
    auto place = reinterpret_cast<uintptr_t>(value);
    Seen& here = seen[(place >> 4 ^ place >> 14) % n_seen];
    if (here.value != value) here = {value, code_of(known, value)};
    if (here.code == odd) return nb::none();
    codes[static_cast<size_t>(i)] = here.code;
  }
  return nb::cast(array_of(std::move(codes)));
}

// What a capsule holds; it stays the capsule's.
template <class Part>
Part* held(nb::handle capsule, const char* name) {
  auto* part = static_cast<Part*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (part == nullptr) throw nb::python_error();
  return part;
}

// The codes of a column of texts that offers Arrow's C data, whole or in pieces; None if it holds something else.
nb::object codes_of_arrow(const KnownTexts& known, nb::handle column) {
  Large<int32_t> codes;
  if (!nb::hasattr(column, "__arrow_c_stream__")) {
    need(nb::hasattr(column, "__arrow_c_array__"), "column must offer Arrow's C data; got " + described(column) + ".");
    nb::tuple whole = nb::cast<nb::tuple>(column.attr("__arrow_c_array__")());
    need(nb::len(whole) == 2, "__arrow_c_array__ must give a type and cells");
    const auto* type = held<ArrowType>(whole[0], "arrow_schema");
    bool fine = known.add_codes(*type, *held<ArrowCells>(whole[1], "arrow_array"), codes);
    return fine ? nb::cast(array_of(std::move(codes))) : nb::none();
  }
  nb::object capsule = column.attr("__arrow_c_stream__")();
  auto* stream = held<ArrowStream>(capsule, "arrow_array_stream");
  Released<ArrowType> type;
  bool fine = stream->get_type(stream, &type) == 0;
  while (fine) {
    Released<ArrowCells> cells;
    fine = stream->get_next(stream, &cells) == 0;
    if (!fine || cells.release == nullptr) break;
    if (!known.add_codes(type, cells, codes)) return nb::none();
  }
  if (fine) return nb::cast(array_of(std::move(codes)));
  const char* error = stream->last_error(stream);
  throw std::runtime_error(std::string("a column cannot be read by Arrow: ") + (error ? error : "no reason is told"));
}

template <class Number>
bool mean(nb::handle cells, const std::vector<int32_t>& table, int64_t low, Codes& codes) {
  nb::ndarray<const Number, nb::ndim<1>, nb::device::cpu> array;
  if (!nb::try_cast(cells, array, false)) return false;
  if (reinterpret_cast<uintptr_t>(array.data()) % alignof(Number) != 0) return false;
  auto n = static_cast<int64_t>(array.shape(0));
  Large<int32_t> to(static_cast<size_t>(n));
  int64_t stride = n > 0 ? array.stride(0) * static_cast<int64_t>(sizeof(Number)) : 0;
  mean_codes<Number>(reinterpret_cast<const std::byte*>(array.data()), n, stride, table.data(),
                     static_cast<int64_t>(table.size()) - 1, low, to.data());
  codes = array_of(std::move(to));
  return true;
}

Codes codes_of_numbers(nb::handle cells, nb::handle meanings, int64_t low) {
  Arguments arguments;
  const auto* numbers = arguments.read<int32_t>(meanings, "", "table", -1);
  need(low > -(1 << 30) && low < 1 << 30 && arguments.length() < 1 << 30,
       "low and the length of table must be below 2^30");
  std::vector<int32_t> table(numbers, numbers + arguments.length());
  table.push_back(-1);
  Codes codes;
  need(mean<float>(cells, table, low, codes) || mean<double>(cells, table, low, codes) ||
           mean<int8_t>(cells, table, low, codes) || mean<int16_t>(cells, table, low, codes) ||
           mean<int32_t>(cells, table, low, codes) || mean<int64_t>(cells, table, low, codes),
       "cells must be an aligned array of floats or signed integers of one dimension; got " + described(cells) + ".");
  return codes;
}

}  // namespace
}  // namespace quercus

void bind_known_values(nb::module_& m) {
  using quercus::KnownTexts;
  nb::class_<KnownTexts>(m, "KnownTexts", "The texts of a domain, by which columns are encoded; -1 is unknown.")
      .def(
          "__init__",
          [](KnownTexts* self, const nb::tuple& texts) { new (self) KnownTexts(quercus::known_texts(texts)); },
          nb::arg("texts"))
      .def("codes_of_objects", &quercus::codes_of_objects, nb::arg("values"),
           "The codes of an array of Python objects; None if one is neither a str, None nor NaN.")
      .def("codes_of_arrow", &quercus::codes_of_arrow, nb::arg("column"),
           "The codes of a column that offers Arrow's C data; None if it holds no texts.");
  m.def("codes_of_numbers", &quercus::codes_of_numbers, nb::arg("cells"), nb::arg("table"), nb::arg("low"),
        "table[cell - low] of each cell that is a whole number within the table, else -1.");
}
