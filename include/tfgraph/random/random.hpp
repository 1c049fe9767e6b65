// Random numbers from explicit keys. Nothing has hidden state: a function of a key gives the same
// numbers whenever and wherever it runs, and numbers of different keys do not depend on each other.
//
//   auto key = tg::random::key(42);
//   auto x = tg::random::uniform<float>(key, tg::shape<1000>{});
//   auto f = tg::function([](auto key, auto n) {            // a key is an argument like any other
//     auto sum = tg::zeros_like(...);
//     for (auto i : tg::range(n)) sum = sum + tg::random::normal<float>(tg::random::fold_in(key, i), ...);
//   });
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/random/philox.hpp>

namespace tfgraph::random {
namespace detail {

template <class A>
inline constexpr bool is_scalar_integer = [] {
  if constexpr (tfgraph::detail::is_any<A> || !tfgraph::detail::is_operand<A>) return false;
  else
    return operand<A>::shape_type::rank == 0 && std::is_integral_v<typename operand<A>::value_type> &&
           !std::is_same_v<typename operand<A>::value_type, bool>;
}();

/// The words of an integer, as uint64. (Negative ones in two's complement.)
template <class N>
constexpr auto words_of(const N& n) {
  static_assert(is_scalar_integer<N>,
                "tfgraph: a seed, or what is folded into a key, must be an integer of rank 0");
  using T = typename operand<N>::value_type;
  if constexpr (std::is_arithmetic_v<N>) {
    const auto v = static_cast<std::uint64_t>(n);
    return std::pair(v & low_word, v >> 32);
  } else if constexpr (std::is_unsigned_v<T>) {
    const auto v = astype<std::uint64_t>(n);
    return std::pair(v & low_word, v >> std::uint64_t{32});
  } else {
    const auto v = astype<std::int64_t>(n);
    const auto half = [](const auto& x) {
      return astype<std::uint64_t>(x & std::int64_t{0xffff'ffff});
    };
    return std::pair(half(v), half(v >> std::int64_t{32}));
  }
}

/// The key that is the first two words of a block.
template <class Block>
constexpr auto key_from(const Block& x) {
  return key_of{astype<std::uint32_t>(x.a), astype<std::uint32_t>(x.b)};
}

/// The numbers 0 ... Count - 1 in the trace of x, if it has one. (They would be computed with at once
/// otherwise, however many there are.)
template <std::size_t Count, class X>
constexpr auto counters(const X& x) {
  const auto all = arange<std::uint64_t>(constant_c<static_cast<std::int64_t>(Count)>);
  using handle = std::conditional_t<tfgraph::detail::is_live<X>,
                                    tfgraph::detail::live_expr<std::uint64_t, shape<Count>>,
                                    expr<std::uint64_t, shape<Count>>>;
  if (x.trace() == nullptr) return handle(all.known());
  return handle(*x.trace(), all.record(*x.trace()));
}

/// `Count` numbers of one kind, in the order of a function that makes `Parts` rows of them from a
/// block: word by word, not block by block.
template <std::size_t Count, class Shape, class... Row>
constexpr auto in_order(const Row&... rows) {
  const auto all = concat(axis<0>, rows...);
  return reshape(slice(all, section<0, static_cast<index>(Count)>), Shape{});
}

template <class T>
inline constexpr std::size_t per_block = sizeof(T) == 8 ? 2 : 4;
template <class T, class Shape>
inline constexpr std::size_t blocks_for = (Shape::size() + per_block<T> - 1) / per_block<T>;

template <class T, class Shape, class Low, class High>
constexpr auto blocks_of(const Low& low, const High& high) {
  return philox(key_of{low, high},
                block{counters<blocks_for<T, Shape>>(low), std::uint64_t{0}, std::uint64_t{0},
                      static_cast<std::uint64_t>(purpose::numbers)});
}

/// The upper 24 bits of a word, or 53 bits of two, over 2^24 or 2^53: in [0, 1), evenly spaced.
template <class W>
constexpr auto unit(const W& w) {
  return astype<float>(w >> std::uint64_t{8}) * 0x1p-24F;
}
template <class V, class W>
constexpr auto unit(const V& v, const W& w) {
  return astype<double>(((v >> std::uint64_t{5}) << std::uint64_t{26}) | (w >> std::uint64_t{6})) *
         0x1p-53;
}

/// Calls f with the rows of numbers in [0, 1) that the blocks of a key give.
template <class T, class Shape, class Low, class High, class F>
constexpr auto with_units(const Low& low, const High& high, F f) {
  static_assert(std::is_floating_point_v<T>, "tfgraph: random numbers are float or double");
  static_assert(Shape::is_static, "tfgraph: random numbers need static extents");
  const auto x = blocks_of<T, Shape>(low, high);
  if constexpr (sizeof(T) == 8) return f(unit(x.a, x.b), unit(x.c, x.d));
  else return f(unit(x.a), unit(x.b), unit(x.c), unit(x.d));
}

template <class T, class Shape>
struct uniform_numbers : composite_function<uniform_numbers<T, Shape>> {
  template <class Low, class High>
  static constexpr auto compose(const Low& low, const High& high) {
    return with_units<T, Shape>(low, high, [](const auto&... u) {
      return in_order<Shape::size(), Shape>(u...);
    });
  }
};

template <class T, class Shape>
struct normal_numbers : composite_function<normal_numbers<T, Shape>> {
  template <class Low, class High>
  static constexpr auto compose(const Low& low, const High& high) {
    constexpr T turn = static_cast<T>(6.283185307179586476925);
    const auto radius = [](const auto& u) { return sqrt(log(1 - u) * T(-2)); };
    const auto pair = [&](const auto& u, const auto& v, auto f) {
      return f(radius(u) * cos(v * turn), radius(u) * sin(v * turn));
    };
    const auto order = [](const auto&... z) { return in_order<Shape::size(), Shape>(z...); };
    return with_units<T, Shape>(low, high, [&](const auto& a, const auto& b, const auto&... more) {
      if constexpr (sizeof...(more) == 0) return pair(a, b, order);
      else
        return pair(a, b, [&](const auto& z0, const auto& z1) {
          return pair(more..., [&](const auto& z2, const auto& z3) { return order(z0, z1, z2, z3); });
        });
    });
  }
};

template <std::size_t N>
struct permuted_numbers : composite_function<permuted_numbers<N>> {
  template <class Low, class High>
  static constexpr auto compose(const Low& low, const High& high) {
    using row = shape<N>;
    const auto x = blocks_of<float, row>(low, high);
    const auto words = in_order<N, row>(x.a, x.b, x.c, x.d);
    // Where each number comes in the order of the words; equal words in their own order.
    const auto place = (words << std::uint64_t{32}) | counters<N>(low);
    return sum(astype<std::int64_t>(expand_dims(place, axis<0>) < expand_dims(place, axis<1>)),
               axis<1>);
  }
};

}  // namespace detail

/// key(seed): from an integer of up to 64 bits, plain or traced.
template <class Seed>
[[nodiscard]] constexpr auto key(const Seed& seed) {
  const auto [low, high] = detail::words_of(seed);
  return key_of{astype<std::uint32_t>(low), astype<std::uint32_t>(high)};
}

/// fold_in(key, i): another key for each integer i, such as the number of a loop's turn.
template <class Low, class High, class N>
[[nodiscard]] constexpr auto fold_in(const key_of<Low, High>& k, const N& i) {
  const auto [low, high] = detail::words_of(i);
  return detail::key_from(
      detail::philox(k, detail::block{low, high, std::uint64_t{0},
                                      static_cast<std::uint64_t>(detail::purpose::folding)}));
}

/// split<N>(key): N keys, whose numbers do not depend on each other nor on those of the key.
template <std::size_t N = 2, class Low, class High>
[[nodiscard]] constexpr auto split(const key_of<Low, High>& k) {
  const auto part = [&](std::uint64_t i) {
    return detail::key_from(
        detail::philox(k, detail::block{i, std::uint64_t{0}, std::uint64_t{0},
                                        static_cast<std::uint64_t>(detail::purpose::splitting)}));
  };
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array{part(I)...};
  }(std::make_index_sequence<N>{});
}

/// uniform<float>(key, shape<2, 3>{}): in [0, 1), multiples of 2^-24 (float) or 2^-53 (double), all
/// equally likely.
template <class T, class Low, class High, std::size_t... E>
[[nodiscard]] constexpr auto uniform(const key_of<Low, High>& k, shape<E...>) {
  return detail::uniform_numbers<T, shape<E...>>{}(k.low, k.high);
}
/// uniform(key, shape, low, high): low + (high - low) u with u in [0, 1). (Rounding may give high.)
template <class T, class Low, class High, std::size_t... E, class A, class B>
[[nodiscard]] constexpr auto uniform(const key_of<Low, High>& k, shape<E...> s, const A& low,
                                     const B& high) {
  return uniform<T>(k, s) * (high - low) + low;
}

/// normal<float>(key, shape<2, 3>{}): of mean 0 and variance 1, by the method of Box and Muller (A
/// note on the generation of random normal deviates, 1958). The largest possible is 5.77 in float and
/// 8.57 in double.
template <class T, class Low, class High, std::size_t... E>
[[nodiscard]] constexpr auto normal(const key_of<Low, High>& k, shape<E...>) {
  return detail::normal_numbers<T, shape<E...>>{}(k.low, k.high);
}

/// bernoulli(key, p, shape): true with probability p (a scalar, or what broadcasts with the shape).
template <class Low, class High, class P, std::size_t... E>
[[nodiscard]] constexpr auto bernoulli(const key_of<Low, High>& k, const P& p, shape<E...> s) {
  return uniform<float>(k, s) < p;
}

/// categorical(key, logits): for each row (along the last axis) of logits the number of a class, which
/// has a probability proportional to exp(logit). By the largest of the logits with Gumbel noise.
template <class Low, class High, class Logits>
[[nodiscard]] constexpr auto categorical(const key_of<Low, High>& k, const Logits& logits) {
  using T = typename detail::operand<Logits>::value_type;
  using Shape = typename detail::operand<Logits>::shape_type;
  // The middle of each interval, so that neither logarithm is infinite.
  constexpr T half = sizeof(T) == 8 ? T(0x1p-54) : T(0x1p-25F);
  const auto u = uniform<T>(k, Shape{}) + half;
  return argmax(logits - log(-log(minimum(u, T(1) - half))), axis<-1>);
}

/// permutation<N>(key): the numbers 0 ... N - 1 in random order, int64. (It compares each with each.)
template <std::size_t N, class Low, class High>
[[nodiscard]] constexpr auto permutation(const key_of<Low, High>& k) {
  return detail::permuted_numbers<N>{}(k.low, k.high);
}

}  // namespace tfgraph::random
