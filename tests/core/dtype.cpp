// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/core/dtype.hpp>

#include <support/check.hpp>

#include <cstdint>
#include <utility>

namespace {

namespace tg = tfgraph;
using tg::dtype;

static_assert(tg::dtype_of<bool> == dtype::boolean);
static_assert(tg::dtype_of<signed char> == dtype::int8 && tg::dtype_of<short> == dtype::int16);
static_assert(tg::dtype_of<int> == dtype::int32 && tg::dtype_of<const unsigned> == dtype::uint32);
static_assert(tg::dtype_of<long> == dtype::int64 && tg::dtype_of<long long> == dtype::int64);
static_assert(tg::dtype_of<float> == dtype::float32 && tg::dtype_of<double> == dtype::float64);
static_assert(!tg::element<long double> && !tg::element<void*>);

constexpr void every_dtype_has_a_type_of_its_size() {
  const auto agrees = []<int I>() {
    constexpr auto t = static_cast<dtype>(I);
    return sizeof(tg::element_t<t>) == tg::size_of(t) && tg::dtype_of<tg::element_t<t>> == t;
  };
  [&]<int... I>(std::integer_sequence<int, I...>) {
    TFGRAPH_CHECK((agrees.template operator()<I>() && ...));
  }(std::make_integer_sequence<int, tg::dtype_count>{});
}
TFGRAPH_BOTH(every_dtype_has_a_type_of_its_size);

constexpr void is_of_one_kind() {
  for (int i = 0; i < tg::dtype_count; ++i) {
    const auto t = static_cast<dtype>(i);
    TFGRAPH_CHECK((t == dtype::boolean) + tg::is_integer(t) + tg::is_floating(t) == 1);
    TFGRAPH_CHECK(tg::is_integer(t) == (tg::is_signed_integer(t) != tg::is_unsigned_integer(t)));
    TFGRAPH_CHECK(tg::is_numeric(t) == (t != dtype::boolean));
  }
  TFGRAPH_CHECK(tg::name_of(dtype::boolean) == "bool" && tg::name_of(dtype::uint16) == "uint16" &&
                tg::name_of(dtype::float64) == "float64");
}
TFGRAPH_BOTH(is_of_one_kind);

// The array API standard's table.
constexpr void promotes_as_the_array_api_says() {
  using enum dtype;
  constexpr dtype none = boolean;  // no integer promotes to bool
  constexpr dtype table[8][8] = {
      // int8   int16  int32  int64  uint8  uint16 uint32 uint64
      {int8, int16, int32, int64, int16, int32, int64, none},
      {int16, int16, int32, int64, int16, int32, int64, none},
      {int32, int32, int32, int64, int32, int32, int64, none},
      {int64, int64, int64, int64, int64, int64, int64, none},
      {int16, int16, int32, int64, uint8, uint16, uint32, uint64},
      {int32, int32, int32, int64, uint16, uint16, uint32, uint64},
      {int64, int64, int64, int64, uint32, uint32, uint32, uint64},
      {none, none, none, none, uint64, uint64, uint64, uint64},
  };
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      const auto p = tg::promote(static_cast<dtype>(i + 1), static_cast<dtype>(j + 1));
      TFGRAPH_CHECK(p.ok == (table[i][j] != none));
      TFGRAPH_CHECK(!p.ok || p.type == table[i][j]);
    }
  TFGRAPH_CHECK(tg::promote(float32, float64).type == float64);
  TFGRAPH_CHECK(tg::promote(boolean, boolean).ok && tg::promote(float32, float32).ok);
  TFGRAPH_CHECK(!tg::promote(boolean, int8).ok && !tg::promote(int64, float64).ok &&
                !tg::promote(float32, boolean).ok);
}
TFGRAPH_BOTH(promotes_as_the_array_api_says);

}  // namespace
