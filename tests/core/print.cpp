// The expected texts are what NumPy 1.24's str() gives for the same arrays.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/core/print.hpp>
#include <tfgraph/core/tensor.hpp>
#include <tfgraph/core/view.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <numeric>
#include <sstream>
#include <string>

namespace {

namespace tg = tfgraph;
using tg::dyn;
using tg::tensor;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <class Tensor>
std::string str(const Tensor& t) {
  std::ostringstream out;
  out << t;
  return out.str();
}

// 0, 1, 2, ...
template <class T, std::size_t... E>
tensor<T, E...> counted() {
  tensor<T, E...> t;
  std::iota(t.begin(), t.end(), T{});
  return t;
}

TEST_CASE("floating-point columns are aligned at the point") {
  CHECK(str(tensor<float, 2, 3>{{1, 2, 3}, {4, 5, 6}}) == "[[1. 2. 3.]\n [4. 5. 6.]]");
  CHECK(str(tensor<float, 4>{0.1f, 1.0f / 3, -2.5f, 100}) ==
        "[  0.1          0.33333334  -2.5        100.        ]");
  CHECK(str(tensor<double, 4>{0.1, 1.0 / 3, -2.5, 100}) ==
        "[  0.1          0.33333333  -2.5        100.        ]");
  CHECK(str(tensor<float, 2>{0.0f, -0.0f}) == "[ 0. -0.]");
  CHECK(str(tensor<float, 2>{58155352, 1000000}) == "[58155352.  1000000.]");
}

TEST_CASE("large ranges have exponents") {
  CHECK(str(tensor<float, 3>{1e-5f, 1, 12345.678f}) ==
        "[9.9999997e-06 1.0000000e+00 1.2345678e+04]");
  CHECK(str(tensor<float, 2>{1e8f, 1}) == "[1.e+08 1.e+00]");
  CHECK(str(tensor<double, 2>{1e100, 1.5}) == "[1.0e+100 1.5e+000]");
  CHECK(str(tensor<double, 1>{5e-324}) == "[5.e-324]");
  CHECK(str(tensor<float, 1>{1e-45f}) == "[1.e-45]");
}

TEST_CASE("what is not finite takes part in the alignment") {
  CHECK(str(tensor<float, 4>{1.5f, nan, inf, -inf}) == "[ 1.5  nan  inf -inf]");
  CHECK(str(tensor<float, 2>{nan, inf}) == "[nan inf]");
}

TEST_CASE("integers and bools") {
  CHECK(str(tensor<int, 2, 2>{{1, -20}, {300, 4}}) == "[[  1 -20]\n [300   4]]");
  CHECK(str(tensor<std::int8_t, 2>{-128, 65}) == "[-128   65]");
  CHECK(str(tensor<std::uint64_t, 1>{18446744073709551615u}) == "[18446744073709551615]");
  CHECK(str(tensor<bool, 2, 2>{{true, false}, {true, true}}) == "[[ True False]\n [ True  True]]");
  CHECK(str(tensor<bool, 2>{true, true}) == "[ True  True]");
}

TEST_CASE("a single number is written as Python writes it") {
  CHECK(str(tensor<float>(1)) == "1.0");
  CHECK(str(tensor<float>(0.1f)) == "0.1");
  CHECK(str(tensor<float>(123456789.0f)) == "123456790.0");
  CHECK(str(tensor<double>(1e16)) == "1e+16");
  CHECK(str(tensor<double>(1.5e-5)) == "1.5e-05");
  CHECK(str(tensor<double>(-0.0)) == "-0.0");
  CHECK(str(tensor<float>(nan)) == "nan");
  CHECK(str(tensor<int>(-3)) == "-3");
  CHECK(str(tensor<bool>(true)) == "True");
}

TEST_CASE("nested brackets, one blank line more for each dimension") {
  CHECK(str(counted<int, 2, 2, 2>()) == "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]");
  CHECK(str(tensor<int, 2, 1, 2, 1>{{{{0}, {1}}}, {{{2}, {3}}}}) ==
        "[[[[0]\n   [1]]]\n\n\n [[[2]\n   [3]]]]");
  CHECK(str(tensor<float, dyn, 3>(0)) == "[]");
}

TEST_CASE("long rows are wrapped") {
  CHECK(str(counted<int, 30>()) ==
        "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n"
        " 24 25 26 27 28 29]");
}

TEST_CASE("more than 1000 elements are abridged") {
  CHECK(str(counted<int, 1001>()) == "[   0    1    2 ...  998  999 1000]");
  CHECK(str(counted<int, 1000>()).ends_with(" 995 996 997 998 999]"));
  CHECK(str(counted<int, 1001, 2>()) ==
        "[[   0    1]\n [   2    3]\n [   4    5]\n ...\n"
        " [1996 1997]\n [1998 1999]\n [2000 2001]]");
  CHECK(str(counted<float, 40, 30>()) ==
        "[[0.000e+00 1.000e+00 2.000e+00 ... 2.700e+01 2.800e+01 2.900e+01]\n"
        " [3.000e+01 3.100e+01 3.200e+01 ... 5.700e+01 5.800e+01 5.900e+01]\n"
        " [6.000e+01 6.100e+01 6.200e+01 ... 8.700e+01 8.800e+01 8.900e+01]\n"
        " ...\n"
        " [1.110e+03 1.111e+03 1.112e+03 ... 1.137e+03 1.138e+03 1.139e+03]\n"
        " [1.140e+03 1.141e+03 1.142e+03 ... 1.167e+03 1.168e+03 1.169e+03]\n"
        " [1.170e+03 1.171e+03 1.172e+03 ... 1.197e+03 1.198e+03 1.199e+03]]");
}

TEST_CASE("views are written like tensors") {
  const tensor<int, 2, 3> t{{0, 1, 2}, {3, 4, 5}};
  const tg::view<const int, 3, 2> reversed_columns(t.data() + 2, {3, 2}, {{-1, 3}});
  CHECK(str(reversed_columns) == "[[2 5]\n [1 4]\n [0 3]]");
}

}  // namespace
