// Arrays in files of NumPy's format (.npy).
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/any_tensor.hpp>
#include <tfgraph/core/dtype.hpp>
#include <tfgraph/core/error.hpp>
#include <tfgraph/core/shape.hpp>
#include <tfgraph/core/tensor.hpp>
#include <tfgraph/core/view.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ios>
#include <istream>
#include <locale>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>
#include <system_error>

namespace tfgraph {
namespace detail {

// A file is: magic string, version (major, minor), length of the header, header, elements. The
// header is a Python dict, filled up with spaces so that the elements start at a multiple of 64.
inline constexpr std::string_view npy_magic = "\x93NUMPY";
inline constexpr std::size_t npy_alignment = 64;
// NumPy's limit too. Only types that we do not have need more, or a version other than 1.0.
inline constexpr std::size_t npy_longest_header = 10000;

struct npy_header {
  dtype type = dtype::float64;
  bool big_endian = false;
  bool fortran_order = false;
  extents shape;
};

// NumPy's name of an element type: its kind and its bytes.
constexpr std::string_view npy_code(dtype t) {
  constexpr std::string_view codes[dtype_count] = {"b1", "i1", "i2", "i4", "i8", "u1",
                                                   "u2", "u4", "u8", "f4", "f8"};
  return codes[static_cast<std::size_t>(t)];
}

// Runs `f`, and says in its errors which function failed with which file.
template <class F>
auto naming_file(std::string_view function, const std::string& file, F f) {
  const auto named = [&](const char* reason) {
    return io_error(std::string(function) + ": " + file + ": " + reason);
  };
  try {
    return f();
  } catch (const error& e) {
    throw named(e.what());
  } catch (const std::ios_base::failure& e) {
    throw named(e.what());
  }
}

// ---- reading -----------------------------------------------------------------------------------

// A piece of a file in a message: not too long, and nothing that a terminal would obey.
inline std::string quoted(std::string_view text) {
  std::string result(text.substr(0, 40));
  for (char& c : result)
    if (c < ' ' || c > '~') c = '?';
  return "'" + result + "'";
}

// What a header consists of: the part of Python's literals that NumPy uses for our types.
class npy_header_parser {
 public:
  explicit npy_header_parser(std::string_view text) : rest_(text) {}

  npy_header parse() {
    npy_header header;
    bool has_type = false, has_order = false, has_shape = false;
    const auto once = [](bool& seen, std::string_view key) {
      if (seen) throw io_error("the header has the key " + quoted(key) + " twice");
      seen = true;
    };
    if (!accept('{')) throw io_error("the header is not a Python dict");
    while (!accept('}')) {
      const std::string_view key = string("a key");
      expect(':', "after a key");
      if (key == "descr") {
        once(has_type, key);
        type(header);
      } else if (key == "fortran_order") {
        once(has_order, key);
        header.fortran_order = boolean();
      } else if (key == "shape") {
        once(has_shape, key);
        header.shape = shape();
      } else {
        throw io_error("the header has the unknown key " + quoted(key));
      }
      if (accept(',')) continue;
      expect('}', "at the end of the dict");
      break;
    }
    if (!has_type) throw io_error("the header lacks the key 'descr'");
    if (!has_order) throw io_error("the header lacks the key 'fortran_order'");
    if (!has_shape) throw io_error("the header lacks the key 'shape'");
    skip_space();
    if (!rest_.empty()) throw io_error("the header goes on after the dict");
    return header;
  }

 private:
  void skip_space() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }

  bool accept(std::string_view word) {
    skip_space();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool accept(char c) { return accept(std::string_view(&c, 1)); }
  void expect(char c, const char* where) {
    if (!accept(c)) throw io_error(std::string("the header lacks '") + c + "' " + where);
  }

  std::string_view string(const char* what) {
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'' && !accept('\''))
      throw io_error(std::string("the header lacks ") + what + " in quotes");
    const std::size_t end = rest_.find(quote);
    if (end == rest_.npos) throw io_error("the header has a text without an end");
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool boolean() {
    if (accept("True")) return true;
    if (accept("False")) return false;
    throw io_error("'fortran_order' is neither True nor False");
  }

  void type(npy_header& header) {
    if (accept('[')) throw io_error("the elements are of a structured type, which tensors lack");
    const std::string_view name = string("an element type");
    std::string_view code = name;
    if (!code.empty() && std::string_view("<>=|").find(code[0]) != code.npos) {
      header.big_endian = code[0] == '>';
      code.remove_prefix(1);
    }
    if (code == "?") code = npy_code(dtype::boolean);
    for (int t = 0; t < dtype_count; ++t) {
      header.type = static_cast<dtype>(t);
      if (code == npy_code(header.type)) return;
    }
    throw io_error("the elements are of the type " + quoted(name) + ", which tensors lack");
  }

  extents shape() {
    expect('(', "at the start of a shape");
    extents e;
    bool comma = true;
    while (!accept(')')) {
      if (!comma) throw io_error("the header lacks ',' between two extents");
      if (e.rank == max_rank) throw io_error("the array has more than 8 dimensions");
      e.push_back(extent());
      comma = accept(',');
    }
    if (e.rank == 1 && !comma) throw io_error("the shape is not a tuple");
    return e;
  }

  index extent() {
    skip_space();
    if (rest_.starts_with('-')) throw io_error("an extent is negative");
    index value = 0;
    const auto [end, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (problem == std::errc::result_out_of_range) throw io_error("an extent is too large");
    const auto digits = static_cast<std::size_t>(end - rest_.data());
    if (problem != std::errc() || (digits > 1 && rest_[0] == '0'))
      throw io_error("an extent is not a number");
    rest_.remove_prefix(digits);
    if (rest_.starts_with('L')) rest_.remove_prefix(1);  // Python 2 wrote long integers so
    return value;
  }

  std::string_view rest_;
};

inline void read_bytes(std::streambuf& in, void* to, std::size_t count, const char* what) {
  if (in.sgetn(static_cast<char*>(to), static_cast<std::streamsize>(count)) !=
      static_cast<std::streamsize>(count))
    throw io_error(std::string("it ends within ") + what);
}

inline npy_header read_header(std::streambuf& in) {
  unsigned char start[8];
  read_bytes(in, start, sizeof start, "the magic string and the version");
  if (std::memcmp(start, npy_magic.data(), npy_magic.size()) != 0)
    throw io_error("it does not start with the magic string of NumPy's files");
  const int major = start[6], minor = start[7];
  if (major < 1 || major > 3 || minor != 0)
    throw io_error("the version " + std::to_string(major) + "." + std::to_string(minor) +
                   " of the format is not known");
  unsigned char bytes[4] = {};
  read_bytes(in, bytes, major == 1 ? 2 : 4, "the length of the header");
  std::size_t length = 0;
  for (int i = 3; i >= 0; --i) length = length << 8 | bytes[i];
  if (length > npy_longest_header)
    throw io_error("the header of " + std::to_string(length) + " bytes is too long");
  std::string text(length, ' ');
  read_bytes(in, text.data(), length, "the header");
  return npy_header_parser(text).parse();
}

// The bytes that are left where that can be told, 0 otherwise.
inline std::size_t bytes_left(std::streambuf& in) {
  const std::streamoff here = in.pubseekoff(0, std::ios_base::cur, std::ios_base::in);
  if (here < 0) return 0;
  const std::streamoff end = in.pubseekoff(0, std::ios_base::end, std::ios_base::in);
  if (in.pubseekoff(here, std::ios_base::beg, std::ios_base::in) != here)
    throw io_error("its position is lost");
  return end > here ? static_cast<std::size_t>(end - here) : 0;
}

// A header that promises more than there is must not cost memory.
inline any_tensor read_elements(std::streambuf& in, dtype type, const extents& shape) {
  const std::size_t needed = checked_size(shape, size_of(type)) * size_of(type);
  const std::size_t left = bytes_left(in);
  if (left > 0 && left < needed)
    throw io_error("it holds " + std::to_string(left) + " bytes of elements instead of " +
                   std::to_string(needed));
  if (left > 0) {
    any_tensor elements(uninitialized, type, shape);
    read_bytes(in, elements.data(), needed, "the elements");
    return elements;
  }
  constexpr std::size_t first_piece = 65536;
  std::string bytes;
  while (bytes.size() < needed) {
    const std::size_t done = bytes.size();
    bytes.resize(std::min(needed, std::max(first_piece, 2 * done)));
    read_bytes(in, bytes.data() + done, bytes.size() - done, "the elements");
  }
  any_tensor elements(uninitialized, type, shape);
  if (needed > 0) std::memcpy(elements.data(), bytes.data(), needed);
  return elements;
}

inline void reverse_bytes(any_tensor& a) {
  const std::size_t size = size_of(a.dtype());
  auto* p = static_cast<unsigned char*>(a.data());
  for (std::size_t i = 0; i < a.size(); ++i, p += size) std::reverse(p, p + size);
}

// A bool whose byte is neither 0 nor 1 would be undefined behaviour.
inline void make_bools_valid(any_tensor& a) {
  auto* p = static_cast<unsigned char*>(a.data());
  for (std::size_t i = 0; i < a.size(); ++i) p[i] = p[i] != 0;
}

inline any_tensor from_fortran_order(const any_tensor& a) {
  strides column_major;
  index step = 1;
  for (int k = 0; k < a.rank(); ++k) {
    column_major[k] = step;
    step *= a.shape()[k];
  }
  const any_tensor columns = any_tensor::borrow(a.dtype(), a.data(), a.shape(), column_major);
  return any_tensor(columns);  // a copy, where `return columns` would be the loan itself
}

inline any_tensor read_npy(std::streambuf& in) {
  const npy_header header = read_header(in);
  any_tensor a = read_elements(in, header.type, header.shape);
  if (header.big_endian) reverse_bytes(a);
  if (header.type == dtype::boolean) make_bools_valid(a);
  if (header.fortran_order) return from_fortran_order(a);
  return a;
}

// ---- writing -----------------------------------------------------------------------------------

// Magic string, version 1.0, length and header, byte for byte as NumPy writes them. NumPy leaves
// space for a first extent of 21 digits, so that rows can be appended to a file.
inline std::string npy_preamble(dtype type, const extents& shape) {
  std::string header = "{'descr': '";
  header += size_of(type) == 1 ? '|' : '<';
  header += npy_code(type);
  header += "', 'fortran_order': False, 'shape': (";
  for (int k = 0; k < shape.rank; ++k)
    header += (k > 0 ? ", " : "") + std::to_string(shape[k]) + (shape.rank == 1 ? "," : "");
  header += "), }";
  if (shape.rank > 0) header.append(21 - std::to_string(shape[0]).size(), ' ');
  const std::size_t before = npy_magic.size() + 4;
  header.append(npy_alignment - (before + header.size() + 1) % npy_alignment, ' ');
  header += '\n';

  std::string text(npy_magic);
  text += '\1';
  text += '\0';
  text += static_cast<char>(header.size() % 256);
  text += static_cast<char>(header.size() / 256);
  return text + header;
}

inline void write_npy(std::ostream& out, const any_tensor& a) {
  if (!a.is_contiguous()) return write_npy(out, any_tensor(a));
  const std::string preamble = npy_preamble(a.dtype(), a.shape());
  out.write(preamble.data(), static_cast<std::streamsize>(preamble.size()));
  if (!a.empty())
    out.write(static_cast<const char*>(a.data()), static_cast<std::streamsize>(a.bytes()));
  if (!out.flush()) throw io_error("it cannot be written");
}

// What can be saved, without a copy.
inline any_tensor to_save(const any_tensor& a) { return any_tensor::borrow(a); }
template <class T, std::size_t... E>
any_tensor to_save(const tensor<T, E...>& t) {
  return any_tensor::borrow(t);
}
template <class T, std::size_t... E>
any_tensor to_save(const view<T, E...>& v) {
  return any_tensor::borrow(v);
}
template <class T>
any_tensor to_save(const any_view<T>& v) {
  return any_tensor::borrow(v);
}
template <element T>
any_tensor to_save(T scalar) {
  return any_tensor(scalar);
}

template <class X>
concept can_be_saved = requires(const X& x) { detail::to_save(x); };

}  // namespace detail

/// Reads an array in NumPy's format, versions 1.0 to 3.0, from a stream that was opened in binary
/// mode. The elements are then in row-major order and in this machine's byte order, whatever the
/// file says. The stream is left after the array, so arrays that follow each other can be read one
/// by one. What is malformed, or has an element type or a rank that tensors lack, is an `io_error`.
[[nodiscard]] inline any_tensor load_npy(std::istream& in) {
  return detail::naming_file("load_npy", "the stream", [&] {
    if (!in) throw io_error("it is in a state of failure");
    return detail::read_npy(*in.rdbuf());
  });
}

/// Reads a file. What follows the array in it is not looked at, as in NumPy.
[[nodiscard]] inline any_tensor load_npy(const std::filesystem::path& path) {
  return detail::naming_file("load_npy", path.string(), [&] {
    std::filebuf in;
    in.pubimbue(std::locale::classic());  // the bytes as they are
    if (!in.open(path, std::ios_base::in | std::ios_base::binary))
      throw io_error("it cannot be opened");
    return detail::read_npy(in);
  });
}

/// Writes an `any_tensor`, a tensor, a view or a number as NumPy's save() would, to a stream that
/// was opened in binary mode.
template <detail::can_be_saved X>
void save_npy(std::ostream& out, const X& x) {
  detail::naming_file("save_npy", "the stream",
                      [&] { detail::write_npy(out, detail::to_save(x)); });
}

/// Writes a file, which it replaces where there is one.
template <detail::can_be_saved X>
void save_npy(const std::filesystem::path& path, const X& x) {
  detail::naming_file("save_npy", path.string(), [&] {
    std::ofstream out;
    out.imbue(std::locale::classic());  // the bytes as they are
    out.open(path, std::ios_base::binary | std::ios_base::trunc);
    if (!out) throw io_error("it cannot be opened");
    detail::write_npy(out, detail::to_save(x));
  });
}

}  // namespace tfgraph
