// Delimited text, column by column: numbers as numbers, all other cells as codes of distinct texts.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "distinct_texts.h"
#include "memory.h"
#include "number_text.h"

namespace quercus {

// How cells are separated. quote 0: there are no quotes; skip_space: blanks at the start of a cell do not count.
struct Dialect {
  char delimiter = ',';
  char quote = '"';
  bool skip_space = false;
};

// A column as far as it was read. It is `open` as long as every cell is empty or a text. The first number makes it a
// column of numbers; many texts before that make it a column of texts; many texts after that make it `mixed`, and then
// no more of it is kept. In a column of numbers, cells that are no numbers are NaN; `texts` lists them without the
// empty ones.
struct alignas(64) CellColumn {
  enum State : u8 { skipped, text, open, number, mixed };
  static constexpr int64_t most_others = 32;

  State state = open;
  char decimal = '.';
  u8 signs = whole_sign;  // of all numbers together
  Large<double> numbers;
  Large<int32_t> codes;  // −1: empty
  DistinctTexts texts;
  WaitingTexts waiting;  // cells behind those in `codes`

  void reserve(size_t n) { state == number ? numbers.reserve(n) : codes.reserve(n); }

  bool may_hold_numbers() const { return state == number || state == open; }

  void add_number(double value, u8 number_signs) {
    signs |= number_signs;
    if (state == open) {
      numbers.reserve(codes.capacity());
      numbers.assign(codes.size(), std::numeric_limits<double>::quiet_NaN());
      codes = {};
      state = number;
    }
    numbers.push_back(value);
  }

  void add_text(const char* cell, size_t length) {
    if (length == 0) signs |= empty_sign;
    if (state == number) {
      numbers.push_back(std::numeric_limits<double>::quiet_NaN());
      if (length) texts.code(cell, length);
      if (texts.size() > most_others) {
        state = mixed;
        numbers = {};
      }
    } else if (state == text) {
      if (waiting.is_full()) settle();
      waiting.add(cell, length, texts);
    } else if (state == open) {
      codes.push_back(length ? texts.code(cell, length) : -1);
      if (texts.size() > most_others) state = text;
    }
  }
  // The same for a text that is overwritten soon.
  void add_passing_text(const std::string& cell) {
    if (state != text) return add_text(cell.data(), cell.size());
    if (waiting.is_full()) settle();
    waiting.add(cell, texts);
  }

  // Numbers the texts that wait; what they point to may then go.
  void settle() { waiting.settle(texts, codes); }

  void drop_last() {
    if (state == number) numbers.pop_back();
    if ((state == text && !waiting.drop_last()) || state == open) codes.pop_back();
  }
};

// Whether bytes are text in UTF-8, without zeros.
inline bool is_utf8(const char* text, const char* end) {
  const auto *p = reinterpret_cast<const u8*>(text), *stop = reinterpret_cast<const u8*>(end);
  auto follows = [&](int n, u8 low, u8 high) {  // n more bytes, the first of them in a range
    if (stop - p <= n || p[1] < low || p[1] > high) return false;
    for (int k = 2; k <= n; ++k)
      if (p[k] < 0x80 || p[k] > 0xBF) return false;
    p += n + 1;
    return true;
  };
  constexpr u64 ones = 0x0101010101010101, tops = 0x8080808080808080;
  while (p < stop) {
    if (stop - p >= 8) {
      u64 word;
      std::memcpy(&word, p, 8);
      u64 others = (word | (word - ones)) & tops;  // bytes beyond ASCII, or zeros; exact up to the first
      if (others == 0) {
        p += 8;
        continue;
      }
      if constexpr (std::endian::native == std::endian::little) p += std::countr_zero(others) / 8;
    }
    u8 c = *p;
    bool fine = false;
    if (c < 0x80)
      fine = *p++ != 0;
    else if (c >= 0xC2 && c < 0xE0)
      fine = follows(1, 0x80, 0xBF);
    else if (c >= 0xE0 && c < 0xF0)
      fine = follows(2, c == 0xE0 ? 0xA0 : 0x80, c == 0xED ? 0x9F : 0xBF);
    else if (c >= 0xF0 && c <= 0xF4)
      fine = follows(3, c == 0xF0 ? 0x90 : 0x80, c == 0xF4 ? 0x8F : 0xBF);
    if (!fine) return false;
  }
  return true;
}

// Reads records that all have one cell for each column. A quoted cell may hold delimiters, line ends and, doubled, the
// quote; in a cell that does not begin with it, the quote is a character like any other. Blank lines do not count, but
// in a table of one column they are empty cells, unless nothing else follows.
class DelimitedReader {
 public:
  // size: about how many bytes there will be.
  DelimitedReader(const Dialect& dialect, std::vector<CellColumn> start_columns, size_t size)
      : columns(std::move(start_columns)), dialect_(dialect), size_(size) {
    for (char c : {' ', '\t', '\v', '\f'}) blank_[static_cast<u8>(c)] = around_number | in_blank_line;
    for (char c : {'\x1c', '\x1d', '\x1e', '\x1f'}) blank_[static_cast<u8>(c)] = in_blank_line;
    blank_[static_cast<u8>(dialect.delimiter)] = 0;
  }

  // Reads the records of the next piece of the text; the last one: to its end. Returns how many bytes were read: what
  // is left begins with a record and must be given again, with more behind it. −1 for a fault: a record has another
  // number of cells, a quote is not closed or has text behind it, or the bytes are no text.
  int64_t read(const char* data, size_t size, bool last) {
    size_t body = size;
    if (!last && size > 0 && data[size - 1] == '\r') --body;  // a line feed may follow
    while (body > 0 && !ends_line(data[body - 1])) --body;
    if (!is_utf8(data, data + (last ? size : body))) return -1;
    const char* rest = records(data, data + body, !last || body < size);
    settle();
    if (last && !fault_ && rest < data + size) {
      std::string tail(rest, data + size);
      tail.push_back('\n');
      records(tail.data(), tail.data() + tail.size(), false);
      settle();
      rest = data + size;
    }
    return fault_ ? -1 : rest - data;
  }

  std::vector<CellColumn> columns;

 private:
  // Reads the records of a text that ends with a line end. Returns the end of what was read: where an open quote leaves
  // a record unfinished, that is its start, if more of the text follows.
  const char* records(const char* p, const char* end, bool more) {
    begin_ = p;
    end_ = end;
    while (p < end) {
      if (is_blank_line(p)) {
        blank_lines_ += columns.size() == 1;
        continue;
      }
      for (; blank_lines_ > 0; --blank_lines_) columns[0].add_text(nullptr, 0);
      const char* start = p;
      size_t k = 0;
      for (;; ++k, ++p) {
        if (k == columns.size()) return fail(p);
        p = cell(p, columns[k]);
        if (p == nullptr || *p != dialect_.delimiter) break;
      }
      if (p == nullptr) {
        if (fault_ || !more) return fail(start);
        while (k > 0) columns[--k].drop_last();
        return start;
      }
      if (k + 1 != columns.size()) return fail(p);
      p = after_line(p);
      if (++n_rows_ == some_rows) make_room(static_cast<double>(p - begin_));
    }
    return p;
  }

  void settle() {
    for (CellColumn& column : columns) column.settle();
  }

  const char* fail(const char* p) {
    fault_ = true;
    return p;
  }

  // Makes room for all rows, as far as the first ones tell how many there will be.
  void make_room(double bytes) {
    double rows = some_rows * std::max(1.0, static_cast<double>(size_) / bytes);
    for (CellColumn& column : columns) column.reserve(static_cast<size_t>(1.02 * rows) + some_rows);
  }

  static bool ends_line(char c) { return c == '\n' || c == '\r'; }
  const char* after_line(const char* p) const { return p + (p[0] == '\r' && p + 1 < end_ && p[1] == '\n' ? 2 : 1); }

  // Goes past the line if it is blank.
  bool is_blank_line(const char*& p) const {
    const char* q = p;
    while (blank_[static_cast<u8>(*q)] & in_blank_line) ++q;
    if (!ends_line(*q)) return false;
    p = after_line(q);
    return true;
  }

  // Reads one cell; returns its end, or null if a quote is not closed properly.
  const char* cell(const char* p, CellColumn& column) {
    if (dialect_.skip_space)
      while (*p == ' ') ++p;
    if (*p == dialect_.quote && dialect_.quote) return quoted(p + 1, column);
    if (column.may_hold_numbers()) {
      const char* start = p;
      while (blank_[static_cast<u8>(*start)] & around_number) ++start;
      double value = 0.0;
      u8 signs = 0;
      char decimal = column.decimal == dialect_.delimiter ? '\0' : column.decimal;  // the delimiter ends the cell
      const char* q = read_number(start, end_, decimal, value, signs);
      if (q != nullptr) {
        while (blank_[static_cast<u8>(*q)] & around_number) ++q;
        if (*q == dialect_.delimiter || ends_line(*q)) {
          column.add_number(value, signs);
          return q;
        }
      }
    }
    const char* q = cell_end(p);
    column.add_text(p, static_cast<size_t>(q - p));
    return q;
  }

  const char* cell_end(const char* p) const {
    while (*p != dialect_.delimiter && !ends_line(*p)) ++p;
    return p;
  }

  const char* quoted(const char* p, CellColumn& column) {
    single_.clear();  // the content as far as the last doubled quote, which stands for one
    for (const char* start = p;; start = p) {
      p = static_cast<const char*>(std::memchr(p, dialect_.quote, static_cast<size_t>(end_ - p)));
      if (p == nullptr) return nullptr;
      if (p[1] == dialect_.quote) {
        single_.append(start, ++p);
        ++p;
      } else if (p[1] != dialect_.delimiter && !ends_line(p[1])) {
        return fail(p), nullptr;
      } else if (single_.empty()) {
        add_content(start, p, column);
        return p + 1;
      } else {
        single_.append(start, p);
        column.add_passing_text(single_);
        return p + 1;
      }
    }
  }

  void add_content(const char* start, const char* end, CellColumn& column) {
    if (column.may_hold_numbers()) {
      auto space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
      const char *first = start, *last = end;
      while (first < last && space(*first)) ++first;
      while (first < last && space(last[-1])) --last;
      double value = 0.0;
      u8 signs = 0;
      if (first < last && read_number(first, end_, column.decimal, value, signs) == last)
        return column.add_number(value, signs);
    }
    column.add_text(start, static_cast<size_t>(end - start));
  }

  static constexpr int64_t some_rows = 1024;
  enum Blank : u8 { around_number = 1, in_blank_line = 2 };

  Dialect dialect_;
  size_t size_;
  u8 blank_[256] = {};
  const char *begin_ = nullptr, *end_ = nullptr;
  std::string single_;
  int64_t n_rows_ = 0, blank_lines_ = 0;
  bool fault_ = false;
};

}  // namespace quercus
