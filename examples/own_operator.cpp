// An operator of one's own: a struct that says what it is, and a function object. Everything else
// (folding, SIMD code, the compile-time checks, printing) is derived.
// SPDX-License-Identifier: BSL-1.0
//
// prints: %1 = smoothstep %0 : float32 .4.
// prints: .0. *0.15625 0.5 *1. *.
#include <tfgraph/tfgraph.hpp>

#include <iostream>
#include <string_view>

namespace tg = tfgraph;

namespace mine {

struct smoothstep_operator : tg::ops::elementwise<1> {
  static constexpr std::string_view name = "smoothstep";
  static constexpr tg::ops::domain operands = tg::ops::domain::floating;
  // V is one number or a SIMD register full of them, of any floating-point type.
  template <class V>
  static constexpr V apply(V x) {
    return x * x * (V(3) - V(2) * x);
  }
};

inline constexpr tg::elementwise_function<smoothstep_operator> smoothstep{};

}  // namespace mine

constexpr auto soften = tg::function([](auto x) { return mine::smoothstep(x); });
static_assert(soften(0.5) == 0.5);

int main() {
  using vector = tg::tensor<float, 4>;
  std::cout << tg::to_string(soften.graph<vector>()) << soften(vector{0, 0.25F, 0.5F, 1}) << '\n';
}
