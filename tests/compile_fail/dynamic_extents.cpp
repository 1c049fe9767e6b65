// Dynamic extents are checked when they are known, static ones beside them by the compiler.
// SPDX-License-Identifier: BSL-1.0
// expect: add: the shapes \(., 3\) and \(4\) do not broadcast together
#include <tfgraph/tfgraph.hpp>

constexpr auto sum = tfgraph::function([](auto x, auto y) { return x + y; });

#ifdef CONTROL
using row = tfgraph::tensor<float, 3>;
#else
using row = tfgraph::tensor<float, 4>;
#endif

void run(const tfgraph::tensor<float, tfgraph::dyn, 3>& x, const row& y) {
  static_cast<void>(sum(x, y));
}
