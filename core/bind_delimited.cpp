// bind_delimited: delimited text for Python: bytes in, columns of numbers or of codes and distinct texts out.

#include "binding.h"
#include "delimited.h"

namespace nb = nanobind;

namespace quercus {
namespace {

char read_sign(int sign, const char* name) {
  need(sign >= 0 && sign < 128 && sign != '\n' && sign != '\r', std::string(name) + " must be an ASCII character");
  need(!is_digit(static_cast<char>(sign)) && (sign == 0 || !std::strchr("+-.eE", sign)),
       std::string(name) + " must not be a character of numbers");
  return static_cast<char>(sign);
}

// The same numbers as integers, in the same place.
nb::ndarray<nb::numpy, int64_t> whole_numbers(Large<double>&& numbers) {
  for (double& number : numbers) {
    auto whole = static_cast<int64_t>(number);
    std::memcpy(&number, &whole, sizeof whole);
  }
  auto owned = std::make_unique<Large<double>>(std::move(numbers));
  Large<double>* content = owned.get();
  nb::capsule owner(content, [](void* p) noexcept { delete static_cast<Large<double>*>(p); });
  owned.release();
  return nb::ndarray<nb::numpy, int64_t>(content->data(), {content->size()}, owner);
}

// The texts as a tuple of strings; their own memory is given back.
nb::object texts_of(DistinctTexts&& taken) {
  DistinctTexts texts = std::move(taken);
  texts.forget_hashes();
  nb::object result = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(texts.size())));
  if (!result) throw nb::python_error();
  for (int64_t i = 0; i < texts.size(); ++i) {
    auto at = static_cast<size_t>(i);
    const auto* text = reinterpret_cast<const char*>(texts.bytes.data()) + texts.starts[at];
    PyObject* string = PyUnicode_DecodeUTF8(text, texts.starts[at + 1] - texts.starts[at], nullptr);
    if (string == nullptr) throw nb::python_error();
    PyTuple_SET_ITEM(result.ptr(), i, string);
  }
  return result;
}

nb::object to_python(CellColumn& column) {
  using Column = CellColumn;
  if (column.state == Column::skipped || column.state == Column::mixed) return nb::none();
  bool whole = column.signs == whole_sign && column.texts.size() == 0;
  nb::object texts = texts_of(std::move(column.texts));
  if (column.state == Column::number) {
    nb::int_ signs(column.signs);
    return whole ? nb::make_tuple(whole_numbers(std::move(column.numbers)), texts, signs)
                 : nb::make_tuple(array_of(std::move(column.numbers)), texts, signs);
  }
  return nb::make_tuple(array_of(std::move(column.codes)), texts, nb::none());
}

DelimitedReader open_reader(int delimiter, int quote, bool skip_space, nb::handle decimals, int64_t size) {
  Arguments arrays;
  Dialect dialect{read_sign(delimiter, "delimiter"), read_sign(quote, "quote"), skip_space};
  need(delimiter != 0 && delimiter != quote, "delimiter must not be the quote, nor 0");
  need(size >= 0, "size must be 0 or more");
  const auto* signs = arrays.read<u8>(decimals, "", "decimals", -1);
  std::vector<CellColumn> columns(static_cast<size_t>(arrays.length()));
  need(!columns.empty(), "decimals must have an entry for each column");
  for (size_t k = 0; k < columns.size(); ++k) {
    need(signs[k] <= 1 || signs[k] == '.' || signs[k] == ',', "decimals must be 0, 1, a point or a comma");
    if (signs[k] <= 1) columns[k].state = signs[k] == 0 ? CellColumn::skipped : CellColumn::text;
    columns[k].decimal = static_cast<char>(signs[k]);
  }
  return {dialect, std::move(columns), static_cast<size_t>(size)};
}

int64_t read(DelimitedReader& reader, nb::handle bytes, bool last) {
  Arguments arrays;
  const auto* data = arrays.read<u8>(bytes, "", "data", -1);
  auto size = static_cast<size_t>(arrays.length());
  Making making("the columns of a file");
  nb::gil_scoped_release free;
  return reader.read(reinterpret_cast<const char*>(data), size, last);
}

nb::list take_columns(DelimitedReader& reader) {
  Making making("the columns of a file");
  nb::list result;
  for (CellColumn& column : reader.columns) result.append(to_python(column));
  return result;
}

}  // namespace
}  // namespace quercus

void bind_delimited(nb::module_& m) {
  using quercus::DelimitedReader;
  nb::class_<DelimitedReader>(m, "DelimitedReader", "Reads delimited text, piece by piece.")
      .def(
          "__init__",
          [](DelimitedReader* self, int delimiter, int quote, bool skip_space, nb::handle decimals, int64_t size) {
            new (self) DelimitedReader(quercus::open_reader(delimiter, quote, skip_space, decimals, size));
          },
          nb::arg("delimiter"), nb::arg("quote"), nb::arg("skip_space"), nb::arg("decimals"), nb::arg("size"))
      .def("read", &quercus::read, nb::arg("data"), nb::arg("last"),
           "Reads the next piece; returns how many bytes were read, or -1 for a fault.")
      .def("columns", &quercus::take_columns, "Gives the columns away.");
}
