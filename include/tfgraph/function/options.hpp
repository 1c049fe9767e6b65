// The options of a function, as a value that can be a template argument.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

namespace tfgraph {

/// How a function treats signatures that only the running program knows.
///
///   auto f = tg::function<tg::options{.capacity = 16}>(callable);
struct options {
  /// The most plans that are kept; when there are more, the one goes that has been unused for
  /// longest.
  std::size_t capacity = 128;
  /// After the second distinct shape of an argument, trace for shapes whose extents are unknown.
  bool relax_shapes = true;

  friend constexpr bool operator==(const options&, const options&) = default;
};

}  // namespace tfgraph
