// How functions of floating-point numbers are tested: against the standard library in a wider type,
// and special values in every lane against the same function of one number.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <support/operators.hpp>

#include <cmath>
#include <cstdlib>

namespace tfgraph::test {

/// Distance from the exact result in units of its last place.
template <class T>
[[nodiscard]] double ulps(T found, long double exact) {
  const T rounded = static_cast<T>(exact);
  if (same(found, rounded) || found == rounded) return 0;
  if (!std::isfinite(found) || !std::isfinite(rounded))
    return std::numeric_limits<double>::infinity();
  int exponent = 0;
  static_cast<void>(std::frexp(rounded, &exponent));
  using limits = std::numeric_limits<T>;
  const int last = std::max(exponent, limits::min_exponent) - limits::digits;
  return static_cast<double>(std::abs(static_cast<long double>(found) - exact) /
                             std::ldexp(1.0L, last));
}

template <class T>
inline constexpr double tolerance = std::is_same_v<T, float> ? 2 : 4;

/// Arguments between low and high.
template <class Tensor>
[[nodiscard]] Tensor between(double low, double high, int seed) {
  using T = typename Tensor::value_type;
  Tensor x;
  auto state = static_cast<std::uint32_t>(seed) * 747796405u + 2891336453u;
  for (T& e : x) {
    state = state * 1664525u + 1013904223u;
    e = static_cast<T>(low + (high - low) * static_cast<double>(state) / 4294967296.0);
  }
  return x;
}

/// A function with its reference and the range of its arguments.
template <class Op, class Reference>
struct function_of {
  elementwise_function<Op> op;
  Reference reference;
  double low, high;
};
template <class Op, class Reference>
function_of(elementwise_function<Op>, Reference, double, double) -> function_of<Op, Reference>;

#define FUNCTION(name, reference, low, high)                                         \
  function_of {                                                                      \
    tfgraph::name, [](long double x) -> long double { return reference; }, low, high \
  }

template <class F>
constexpr bool keeps_type_and_shape =
    is_tensor<decltype(F{}(tensor<float, 2, 3>{})), float, 2, 3> &&
    is_tensor<decltype(F{}(tensor<double, 3>{})), double, 3> &&
    std::is_same_v<decltype(F{}(1.0f)), float> && std::is_same_v<decltype(F{}(1.0)), double>;

template <class... Op, class... Reference>
constexpr bool keep_type_and_shape(const std::tuple<function_of<Op, Reference>...>&) {
  return (keeps_type_and_shape<elementwise_function<Op>> && ...);
}

template <class T, class... Op, class... Reference>
void check_functions(std::tuple<function_of<Op, Reference>...> table) {
  using X = tensor<T, 2 * lanes<T> + 3>;
  static constexpr auto all = function(all_of<elementwise_function<Op>...>{});
  const auto each = [&](const auto& x, auto check) {
    const auto found = all(x);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (..., check(std::get<I>(table), std::type_identity<Op>{}, std::get<I>(found)));
    }(std::index_sequence_for<Op...>{});
  };
  // Special values, each in every lane and in the tail.
  for (std::size_t shift = 0; shift < special_values<T>().size(); ++shift) {
    const auto x = specials<X>(shift);
    each(x, [&]<class F>(const auto&, std::type_identity<F>, const X& found) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        const element_bits bits[] = {detail::to_bits(x.data()[i])};
        const T alone =
            detail::from_bits<T>(ops::id<F>->element(dtype_of<T>, dtype_of<T>, {}, bits));
        INFO(F::name << "(" << x.data()[i] << ")");
        CHECK(same(found.data()[i], alone));
      }
    });
  }
  // Accuracy.
  const double ranges[][2] = {{-1, 1}, {0, 1}, {-20, 20}, {0, 100}, {1, 2}, {-0.01, 0.01}};
  for (int seed = 0; seed < 40; ++seed)
    for (const auto& range : ranges) {
      const X x = between<X>(range[0], range[1], seed);
      each(x, [&]<class F>(const auto& f, std::type_identity<F>, const X& found) {
        for (std::size_t i = 0; i < x.size(); ++i) {
          const auto argument = static_cast<double>(x.data()[i]);
          if (argument < f.low || argument > f.high) continue;
          const double error =
              ulps(found.data()[i], f.reference(static_cast<long double>(argument)));
          INFO(F::name << "(" << argument << "): " << error << " ulp");
          CHECK(error <= tolerance<T>);
        }
      });
    }
}

}  // namespace tfgraph::test
