// An operator of the user that states no derivative.
// SPDX-License-Identifier: BSL-1.0
// expect: grad: the operator twice has no derivative
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
namespace tfgraph::ops {
struct twice : elementwise<1> {
  static constexpr std::string_view name = "twice";
  static constexpr domain operands = domain::floating;
  template <class V>
  static constexpr V apply(V x) {
    return x + x;
  }
#ifdef CONTROL
  template <class X>
  static constexpr X derivative(X d, X, X) {
    return d + d;
  }
#endif
};
}  // namespace tfgraph::ops
constexpr tg::elementwise_function<tg::ops::twice> twice{};
constexpr auto f = tg::grad([](auto x) { return tg::sum(twice(x)); });
auto call(const tg::tensor<float, 3>& x) { return f(x); }
