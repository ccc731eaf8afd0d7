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

// Distinct texts that become strings only when they are asked for.
class HeldTexts {
 public:
  explicit HeldTexts(DistinctTexts&& texts) : bytes_(std::move(texts.bytes)), starts_(std::move(texts.starts)) {}

  int64_t size() const { return static_cast<int64_t>(starts_.size()) - 1; }
  const char* text(int64_t i) const {
    return reinterpret_cast<const char*>(bytes_.data()) + starts_[static_cast<size_t>(i)];
  }
  int64_t length(int64_t i) const { return starts_[static_cast<size_t>(i) + 1] - starts_[static_cast<size_t>(i)]; }

  // Whether no text is empty, or begins or ends with a blank; false if that is not plain to see.
  bool are_stripped() const {
    for (int64_t i = 0; i < size(); ++i)
      if (length(i) == 0 || !is_solid(text(i), length(i), true) || !is_solid(text(i), length(i), false)) return false;
    return true;
  }

 private:
  // Whether the first or the last character is no blank: blanks beyond ASCII begin with the bytes C2 and E1 to E3.
  static bool is_solid(const char* text, int64_t length, bool first) {
    const char* at = first ? text : text + length - 1;
    while (at > text && (static_cast<u8>(*at) & 0xC0) == 0x80) --at;
    auto byte = static_cast<u8>(*at);
    return byte > ' ' && byte != 0xC2 && (byte < 0xE1 || byte > 0xE3);
  }

  Large<u8> bytes_;
  std::vector<int64_t> starts_;
};

nb::object strings(const HeldTexts& texts, int64_t begin, int64_t end) {
  need(begin >= 0 && begin <= end && end <= texts.size(), "begin and end must be within the texts");
  nb::object result = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(end - begin)));
  if (!result) throw nb::python_error();
  for (int64_t i = begin; i < end; ++i) {
    PyObject* string = PyUnicode_DecodeUTF8(texts.text(i), texts.length(i), nullptr);
    if (string == nullptr) throw nb::python_error();
    PyTuple_SET_ITEM(result.ptr(), i - begin, string);
  }
  return result;
}

// Those that are no longer than so many bytes.
nb::list short_strings(const HeldTexts& texts, int64_t most) {
  nb::list result;
  for (int64_t i = 0; i < texts.size(); ++i)
    if (texts.length(i) <= most) result.append(strings(texts, i, i + 1)[0]);
  return result;
}

// Few texts as a tuple of strings; many stay with the core.
nb::object texts_of(DistinctTexts&& taken) {
  constexpr int64_t few = 256;
  taken.forget_hashes();
  HeldTexts texts(std::move(taken));
  return texts.size() <= few ? strings(texts, 0, texts.size()) : nb::cast(std::move(texts));
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
  using quercus::HeldTexts;
  nb::class_<HeldTexts>(m, "HeldTexts", "Distinct texts that become strings when they are asked for.")
      .def("__len__", &HeldTexts::size)
      .def("strings", &quercus::strings, nb::arg("begin"), nb::arg("end"), "A tuple of strings.")
      .def("short_strings", &quercus::short_strings, nb::arg("most"), "Those of at most so many bytes.")
      .def("are_stripped", &HeldTexts::are_stripped,
           "Whether no text is empty, or begins or ends with a blank; False if that is not plain to see.");
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
