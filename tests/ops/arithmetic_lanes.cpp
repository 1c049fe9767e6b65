// Arithmetic at the lengths around a register, and special values in every lane.
// SPDX-License-Identifier: BSL-1.0
#include <support/operators.hpp>

#include <doctest/doctest.h>

namespace {

namespace tg = tfgraph;
using namespace tfgraph::test;
using tg::tensor;

// The operators of one table share a loop; what each gives a single element is checked elsewhere.
template <class Op>
struct one_element {
  template <class... T>
  constexpr auto operator()(T... x) const {
    using first = std::tuple_element_t<0, std::tuple<T...>>;
    const tg::element_bits bits[] = {tg::detail::to_bits(x)...};
    return tg::detail::from_bits<first>(
        tg::ops::id<Op>->element(tg::dtype_of<first>, tg::dtype_of<first>, {}, bits));
  }
};
template <class... Op>
constexpr auto like_one_element(tg::elementwise_function<Op>... op) {
  return std::tuple(expectation{op, one_element<Op>{}}...);
}

constexpr auto unary = like_one_element(tg::negative, tg::abs, tg::sign, tg::square);
constexpr auto binary = like_one_element(tg::add, tg::subtract, tg::multiply, tg::maximum, tg::minimum);

TEST_CASE_TEMPLATE("special values", T, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                   std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, float, double) {
  constexpr std::size_t n = 2 * lanes<T> + 3;
  constexpr std::size_t count = special_values<T>().size();
  for (std::size_t i = 0; i < count; ++i) {
    check_operators(unary, specials<tensor<T, n>>(i));
    for (std::size_t j = 0; j < count; ++j)
      check_operators(binary, specials<tensor<T, n>>(i), specials<tensor<T, n>>(j));
  }
}

TEST_CASE("lengths") {
  check_lengths<float>(unary, make_specials{});
  check_lengths<std::int8_t>(unary, make_specials{});
  check_lengths<std::int64_t>(unary, make_specials{});
}

}  // namespace
