// Reads the images of handwritten digits (README.md in this folder) from their text file.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <istream>
#include <stdexcept>

template <std::size_t N>
struct digits {
  tfgraph::tensor<float, N, 64> images;
  tfgraph::tensor<std::int64_t, N> labels;
};

// The next N lines: 64 pixels and the digit, with commas between them.
template <std::size_t N>
digits<N> read_digits(std::istream& csv) {
  digits<N> result;
  char comma;
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t pixel = 0; pixel < 64; ++pixel) csv >> result.images(i, pixel) >> comma;
    csv >> result.labels(i);
  }
  if (!csv) throw std::runtime_error("the file of digits is missing or too short");
  return result;
}
