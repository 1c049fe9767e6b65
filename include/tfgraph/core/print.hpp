// Tensors and views as text, exactly as NumPy's str() writes arrays.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/any_tensor.hpp>
#include <tfgraph/core/any_view.hpp>
#include <tfgraph/core/tensor.hpp>
#include <tfgraph/core/view.hpp>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

namespace tfgraph {
namespace detail {

// NumPy's defaults (numpy.set_printoptions).
inline constexpr std::size_t print_threshold = 1000;  // more elements than this are abridged
inline constexpr index print_edge_items = 3;          // what then remains at each end of an axis
inline constexpr std::size_t print_line_width = 75;
inline constexpr int print_precision = 8;  // fractional digits at most

// ---- numbers -----------------------------------------------------------------------------------

// A number cut at its decimal point: whole.fraction, or whole.fraction * 10^exponent. The whole
// part holds the sign.
struct number_text {
  std::string whole;
  std::string fraction;
  int exponent = 0;
};

// `precision` < 0: as many digits as it takes to tell `x` from its neighbours.
template <std::floating_point T>
std::string to_text(T x, std::chars_format format, int precision) {
  char buffer[64];
  const auto end = precision < 0
                       ? std::to_chars(buffer, buffer + sizeof buffer, x, format)
                       : std::to_chars(buffer, buffer + sizeof buffer, x, format, precision);
  return std::string(buffer, end.ptr);
}

inline number_text split(const std::string& s) {
  const std::size_t e = s.find('e');
  const std::string mantissa = s.substr(0, e);
  const std::size_t point = mantissa.find('.');
  number_text t{mantissa.substr(0, point), "", e == s.npos ? 0 : std::stoi(s.substr(e + 1))};
  if (point != s.npos) t.fraction = mantissa.substr(point + 1);
  while (!t.fraction.empty() && t.fraction.back() == '0') t.fraction.pop_back();
  return t;
}

// The shortest digits that tell `x` from its neighbours, in scientific notation.
template <class T>
number_text shortest(T x) {
  return split(to_text(x, std::chars_format::scientific, -1));
}

// How many digits the shortest text of `x` has after the decimal point, when it is written without
// an exponent; negative when it ends before the point.
inline int fractional_digits(const number_text& shortest) {
  return static_cast<int>(shortest.fraction.size()) - shortest.exponent;
}

template <class T>
number_text scientific(T x, int precision) {
  number_text t = shortest(x);
  if (static_cast<int>(t.fraction.size()) <= precision) return t;
  return split(to_text(x, std::chars_format::scientific, precision));
}

template <class T>
number_text positional(T x, int precision) {
  const int digits = fractional_digits(shortest(x));
  return split(to_text(x, std::chars_format::fixed,
                       digits < 0           ? 0
                       : digits > precision ? precision
                                            : digits));
}

inline std::string exponent_text(int exponent, std::size_t width) {
  std::string digits = std::to_string(exponent < 0 ? -exponent : exponent);
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return (exponent < 0 ? "e-" : "e+") + digits;
}

template <class T>
std::string non_finite_text(T x) {
  return std::isnan(x) ? "nan" : x < 0 ? "-inf" : "inf";
}

inline std::string padded(const std::string& s, std::size_t width) {
  return s.size() < width ? std::string(width - s.size(), ' ') + s : s;
}

// ---- the words of an array, all of the same width ----------------------------------------------

template <class T>
std::vector<std::string> words_of(const std::vector<T>& values) {
  std::vector<std::string> words;
  std::size_t width = 0;
  for (const T x : values) {
    if constexpr (std::is_same_v<T, bool>) words.push_back(x ? "True" : "False");
    else words.push_back(std::to_string(x));
    width = words.back().size() > width ? words.back().size() : width;
  }
  // NumPy gives a bool five places, whichever values there are.
  if constexpr (std::is_same_v<T, bool>) width = 5;
  for (std::string& word : words) word = padded(word, width);
  return words;
}

// Whether some number is too large or too small, or the numbers differ too much, for a column.
template <class T>
bool needs_exponents(const std::vector<T>& values) {
  T largest = 0;
  T smallest = std::numeric_limits<T>::infinity();
  for (const T x : values) {
    if (!std::isfinite(x) || x == 0) continue;
    largest = std::fmax(largest, std::fabs(x));
    smallest = std::fmin(smallest, std::fabs(x));
  }
  return largest != 0 && (largest >= T(1e8) || static_cast<double>(smallest) < 1e-4 ||
                          largest / smallest > T(1000));
}

// Decimal points are aligned.
template <std::floating_point T>
std::vector<std::string> words_of(const std::vector<T>& values) {
  const bool exponents = needs_exponents(values);
  std::vector<number_text> texts;
  std::size_t whole_width = 0;
  std::size_t fraction_width = 0;
  std::size_t exponent_width = 2;
  std::size_t non_finite_width = 0;
  const auto widen = [](std::size_t& width, std::size_t size) {
    width = size > width ? size : width;
  };
  for (const T x : values) {
    if (!std::isfinite(x)) {
      texts.push_back({non_finite_text(x), "", 0});
      widen(non_finite_width, texts.back().whole.size());
      continue;
    }
    texts.push_back(exponents ? scientific(x, print_precision) : positional(x, print_precision));
    const number_text& t = texts.back();
    widen(whole_width, t.whole.size());
    widen(fraction_width, t.fraction.size());
    widen(exponent_width, std::to_string(std::abs(t.exponent)).size());
  }

  std::vector<std::string> words;
  const std::size_t right = 1 + fraction_width + (exponents ? 2 + exponent_width : 0);
  if (non_finite_width > right) widen(whole_width, non_finite_width - right);
  for (std::size_t i = 0; i < values.size(); ++i) {
    number_text& t = texts[i];
    if (!std::isfinite(values[i])) {
      words.push_back(padded(t.whole, whole_width + right));
      continue;
    }
    // Beside longer numbers, a short one shows further digits of its exact value.
    if (exponents)
      t = split(
          to_text(values[i], std::chars_format::scientific, static_cast<int>(fraction_width)));
    std::string word = padded(t.whole, whole_width) + "." + t.fraction;
    word.append(fraction_width - t.fraction.size(), exponents ? '0' : ' ');
    if (exponents) word += exponent_text(t.exponent, exponent_width);
    words.push_back(word);
  }
  return words;
}

// A number that stands alone is written as Python writes it.
template <class T>
std::string word_of(T x) {
  if constexpr (std::is_same_v<T, bool>) return x ? "True" : "False";
  else if constexpr (!std::is_floating_point_v<T>) return std::to_string(x);
  else if (!std::isfinite(x)) return non_finite_text(x);
  else {
    const auto magnitude = static_cast<double>(std::fabs(x));
    const number_text t = shortest(x);
    if (magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e16))
      return t.whole + (t.fraction.empty() ? "" : "." + t.fraction) + exponent_text(t.exponent, 2);
    const int digits = fractional_digits(t);
    if (digits > 0) return to_text(x, std::chars_format::fixed, digits);
    return t.whole + t.fraction + std::string(static_cast<std::size_t>(-digits), '0') + ".0";
  }
}

// ---- rows and brackets -------------------------------------------------------------------------

// Calls f(i) for each position along an axis that is shown, and f(-1) for the gap.
template <class F>
void for_each_shown(index extent, bool abridged, F f) {
  const bool gap = abridged && extent > 2 * print_edge_items;
  for (index i = 0; i < extent; ++i) {
    if (gap && i == print_edge_items) {
      f(index{-1});
      i = extent - print_edge_items;
    }
    f(i);
  }
}

template <class T>
void collect_shown(const any_view<const T>& v, bool abridged, int axis, std::size_t position,
                   std::vector<T>& values) {
  if (axis == v.rank()) {
    values.push_back(v.flat(position));
    return;
  }
  for_each_shown(v.shape()[axis], abridged, [&](index i) {
    if (i >= 0)
      collect_shown(v, abridged, axis + 1, position * v.extent(axis) + static_cast<std::size_t>(i),
                    values);
  });
}

struct array_layout {
  const extents& shape;
  bool abridged;
  const std::string* next_word;

  std::string rows(int axis, const std::string& indent, std::size_t width) {
    const int axes_left = shape.rank - axis;
    std::string text;
    std::string line = indent;
    bool first = true;
    for_each_shown(shape[axis], abridged, [&](index i) {
      if (axes_left > 1) {
        if (!first) text.append(static_cast<std::size_t>(axes_left - 1), '\n');
        text += indent + (i < 0 ? "..." : rows(axis + 1, indent + ' ', width - 1));
      } else {
        const std::string word = i < 0 ? "..." : *next_word++;
        if (!first) line += ' ';
        if (line.size() + word.size() > width - 1 && line.size() > indent.size()) {
          line.erase(line.find_last_not_of(' ') + 1);
          text += line + '\n';
          line = indent;
        }
        line += word;
      }
      first = false;
    });
    if (axes_left == 1) text += line;
    return '[' + text.substr(indent.size()) + ']';
  }
};

template <class T>
std::string array_text(const any_view<const T>& v) {
  if (v.rank() == 0) return word_of(v.flat(0));
  if (v.empty()) return "[]";
  const bool abridged = v.size() > print_threshold;
  std::vector<T> values;
  collect_shown(v, abridged, 0, 0, values);
  const std::vector<std::string> words = words_of(values);
  array_layout layout{v.shape(), abridged, words.data()};
  return layout.rows(0, " ", print_line_width);
}

}  // namespace detail

template <element T>
std::ostream& operator<<(std::ostream& out, const any_view<T>& v) {
  return out << detail::array_text<std::remove_const_t<T>>(v);
}
template <element T, std::size_t... E>
std::ostream& operator<<(std::ostream& out, const view<T, E...>& v) {
  return out << any_view(v);
}
template <element T, std::size_t... E>
std::ostream& operator<<(std::ostream& out, const tensor<T, E...>& t) {
  return out << any_view(t);
}
template <std::same_as<any_tensor> A>
std::ostream& operator<<(std::ostream& out, const A& a) {
  visit(a, [&](const auto& v) { out << v; });
  return out;
}

}  // namespace tfgraph
