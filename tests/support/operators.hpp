// How operators are tested: the same check for every element type and for shapes of every kind.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/tfgraph.hpp>

#include <support/check.hpp>
#include <support/reference.hpp>

#include <cstdint>
#include <tuple>
#include <type_traits>

namespace tfgraph::test {

template <class... T>
struct types {};
using signed_types = types<std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
using unsigned_types = types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
using integer_types = types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                            std::uint16_t, std::uint32_t, std::uint64_t>;
using floating_types = types<float, double>;
using numeric_types = types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                            std::uint16_t, std::uint32_t, std::uint64_t, float, double>;

/// f(T{}) for every type of a list.
template <class... T, class F>
constexpr void for_each_type(types<T...>, F f) {
  (f(T{}), ...);
}

/// The element type and the shape of what an operator returns.
template <class Result, class T, std::size_t... E>
inline constexpr bool is_tensor = std::is_same_v<std::remove_cvref_t<Result>, tensor<T, E...>>;

/// A value that a type holds, after wrapping.
template <class T>
constexpr T wrapped(std::uint64_t x) {
  return static_cast<T>(x);
}

/// An operator beside what it should do with one element of each operand.
template <class Operator, class Reference>
struct expectation {
  Operator op;
  Reference reference;
};
template <class Operator, class Reference>
expectation(Operator, Reference) -> expectation<Operator, Reference>;

/// A callable that returns the results of several operators as a tuple.
template <class... Operator>
struct all_of {
  template <class... X>
  constexpr auto operator()(const X&... x) const {
    return std::tuple(Operator{}(x...)...);
  }
};

/// The operators of a table, in one traced function, against their references.
template <class... Operator, class... Reference, class... X>
constexpr void check_operators(std::tuple<expectation<Operator, Reference>...> table, const X&... x) {
  const auto results = function(all_of<Operator...>{})(x...);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (..., [&] {
      using Result = std::remove_cvref_t<decltype(std::get<I>(results))>;
      TFGRAPH_CHECK(same(std::get<I>(results), elementwise<Result>(std::get<I>(table).reference, x...)));
    }());
  }(std::index_sequence_for<Operator...>{});
}

/// Unary operators on elements that make(tensor type, seed) makes: one number, none, and all lengths
/// around a register.
template <class T, class Table, class Make>
void check_lengths(Table table, Make make) {
  constexpr std::size_t w = lanes<T>;
  check_operators(table, make.template operator()<tensor<T>>(0).data()[0]);
  const auto length = [&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
    for (int seed = 0; seed < 20; ++seed)
      check_operators(table, make.template operator()<tensor<T, N>>(seed));
  };
  length(std::integral_constant<std::size_t, 0>{});
  length(std::integral_constant<std::size_t, 1>{});
  if constexpr (w > 2) length(std::integral_constant<std::size_t, w - 1>{});
  if constexpr (w > 1) length(std::integral_constant<std::size_t, w>{});
  length(std::integral_constant<std::size_t, w + 1>{});
}

/// Binary operators: every kind of broadcast, ranks 0 to 5.
template <class T, class Table, class Left, class Right>
void check_broadcasts(Table table, Left left, Right right) {
  constexpr std::size_t w = lanes<T>;
  const auto check = [&]<std::size_t... A, std::size_t... B>(shape<A...>, shape<B...>) {
    check_operators(table, left.template operator()<tensor<T, A...>>(1),
                    right.template operator()<tensor<T, B...>>(2));
  };
  check(shape<>{}, shape<w + 1>{});                          // a number at the left
  check(shape<w>{}, shape<>{});                              // and at the right
  check(shape<3, w + 1>{}, shape<w + 1>{});                  // a row
  check(shape<3, 1>{}, shape<3, w + 1>{});                   // a column
  check(shape<w + 1>{}, shape<3, 1>{});                      // an outer product
  check(shape<2, 1, w + 1>{}, shape<3, 1>{});                // both sides
  check(shape<2, 0>{}, shape<2, 1>{});                       // nothing
  check(shape<2, 1, 3, 1>{}, shape<1, 2, 1, 5>{});           // rank 4
  check(shape<2, 1, 2, 1, 3>{}, shape<2, 2, 1, 3, 1>{});     // rank 5
  check(shape<1, 1>{}, shape<w + 1>{});
}

/// Makers of operands for the two functions above.
struct make_numbers {
  template <class Tensor>
  constexpr Tensor operator()(int seed) const {
    return numbers<Tensor>(seed);
  }
};
struct make_nonzero {
  template <class Tensor>
  constexpr Tensor operator()(int seed) const {
    return nonzero_numbers<Tensor>(seed);
  }
};
struct make_specials {
  template <class Tensor>
  constexpr Tensor operator()(int seed) const {
    return specials<Tensor>(static_cast<std::size_t>(seed));
  }
};

/// Special values in every lane and in the tail give the bits that the operator gives them alone.
template <class Op, class T, class... X>
void check_lanes_like_one(elementwise_function<Op> op, const X&... x) {
  const auto found = op(x...);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const element_bits operands[] = {detail::to_bits(x.data()[i])...};
    using R = typename std::remove_cvref_t<decltype(found)>::value_type;
    const R expected =
        detail::from_bits<R>(ops::id<Op>->element(dtype_of<T>, dtype_of<R>, {}, operands));
    TFGRAPH_CHECK(same(found.data()[i], expected));
  }
}
template <class T, class Op>
void check_special_values(elementwise_function<Op> op) {
  constexpr std::size_t n = 2 * lanes<T> + 3;
  constexpr std::size_t count = special_values<T>().size();
  using X = tensor<T, n>;
  for (std::size_t shift = 0; shift < count; ++shift) {
    if constexpr (Op::arity == 1) check_lanes_like_one<Op, T>(op, specials<X>(shift));
    else
      for (std::size_t other = 0; other < count; ++other)
        check_lanes_like_one<Op, T>(op, specials<X>(shift), specials<X>(other));
  }
}

}  // namespace tfgraph::test
