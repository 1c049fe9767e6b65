// function::into: outputs that overlap the arguments, and strided outputs.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/tfgraph.hpp>

#include <support/check.hpp>

#include <tuple>
#include <vector>

namespace {

namespace tg = tfgraph;
using tg::tensor;
using tg::view;
using square = tensor<int, 3, 3>;

constexpr auto transpose = tg::function([](auto x) { return tg::permute_dims(x, tg::axis<1, 0>); });
constexpr auto triple = tg::function([](auto x) { return x * 3; });
constexpr auto product = tg::function([](auto a, auto b) { return tg::matmul(a, b); });

constexpr square numbers() {
  square x;
  for (int i = 0; i < 9; ++i) x.data()[i] = i + 1;
  return x;
}

constexpr void the_same_tensor() {
  square x = numbers();
  triple.into(x, x);
  for (int i = 0; i < 9; ++i) TFGRAPH_CHECK(x.data()[i] == 3 * (i + 1));
}
TFGRAPH_BOTH(the_same_tensor);

constexpr void transposed_in_place() {
  square x = numbers();
  transpose.into(x, x);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) TFGRAPH_CHECK(x(i, j) == 3 * j + i + 1);
}
TFGRAPH_BOTH(transposed_in_place);

constexpr void product_in_place() {
  const square a = numbers();
  square x = a;
  product.into(x, x, x);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      int sum = 0;
      for (int k = 0; k < 3; ++k) sum += a(i, k) * a(k, j);
      TFGRAPH_CHECK(x(i, j) == sum);
    }
}
TFGRAPH_BOTH(product_in_place);

constexpr void overlapping_ranges() {
  for (int shift : {-3, -1, 0, 1, 2, 5, 6}) {
    int memory[20] = {};
    for (int i = 0; i < 20; ++i) memory[i] = i;
    triple.into(view<int, 6>(memory + 7 + shift), view<const int, 6>(memory + 7));
    for (int i = 0; i < 20; ++i) {
      const int k = i - 7 - shift;
      TFGRAPH_CHECK(memory[i] == (k >= 0 && k < 6 ? 3 * (7 + k) : i));
    }
  }
}
TFGRAPH_BOTH(overlapping_ranges);

constexpr void strided_outputs() {
  int memory[24] = {};
  for (int i = 0; i < 24; ++i) memory[i] = -1;
  // Every second element of rows of 8.
  triple.into(view<int, 3, 3>(memory, {3, 3}, {8, 2}), numbers());
  for (int i = 0; i < 24; ++i) {
    const int row = i / 8;
    const int column = i % 8;
    const bool written = column % 2 == 0 && column < 6;
    TFGRAPH_CHECK(memory[i] == (written ? 3 * (row * 3 + column / 2 + 1) : -1));
  }
  // Backwards, and transposed.
  int other[9] = {};
  triple.into(view<int, 3, 3>(other + 8, {3, 3}, {-3, -1}), numbers());
  for (int i = 0; i < 9; ++i) TFGRAPH_CHECK(other[i] == 3 * (9 - i));
  triple.into(view<int, 3, 3>(other, {3, 3}, {1, 3}), numbers());
  for (int i = 0; i < 9; ++i) TFGRAPH_CHECK(other[i] == 3 * (i % 3 * 3 + i / 3 + 1));
}
TFGRAPH_BOTH(strided_outputs);

constexpr void strided_outputs_over_their_inputs() {
  square x = numbers();
  // The result lies transposed over its argument.
  triple.into(view<int, 3, 3>(x.data(), {3, 3}, {1, 3}), x);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) TFGRAPH_CHECK(x(j, i) == 3 * (3 * i + j + 1));
  // An argument backwards over the output.
  int memory[5] = {1, 2, 3, 4, 5};
  triple.into(view<int, 5>(memory), view<int, 5>(memory + 4, {5}, {-1}));
  for (int i = 0; i < 5; ++i) TFGRAPH_CHECK(memory[i] == 3 * (5 - i));
}
TFGRAPH_BOTH(strided_outputs_over_their_inputs);

constexpr void several_outputs() {
  constexpr auto f =
      tg::function([](auto a, auto b) { return std::tuple(a + b, a - b, tg::sum(a)); });
  int memory[8] = {1, 2, 3, 4, 10, 20, 30, 40};
  // The two results change places with the arguments.
  std::tuple out(view<int, 4>(memory + 4), view<int, 4>(memory), 0);
  f.into(out, view<const int, 4>(memory), view<const int, 4>(memory + 4));
  for (int i = 0; i < 4; ++i) {
    TFGRAPH_CHECK(memory[4 + i] == 11 * (i + 1));
    TFGRAPH_CHECK(memory[i] == -9 * (i + 1));
  }
  TFGRAPH_CHECK(std::get<2>(out) == 10);
}
TFGRAPH_BOTH(several_outputs);

constexpr void scalar_outputs() {
  constexpr auto total = tg::function([](auto x) { return tg::sum(x); });
  int sum = 0;
  total.into(sum, numbers());
  TFGRAPH_CHECK(sum == 45);
  tensor<int> none;
  total.into(none, numbers());
  TFGRAPH_CHECK(none() == 45);
}
TFGRAPH_BOTH(scalar_outputs);

TEST_CASE("a large tensor over itself") {
  std::vector<float> memory(70 * 70 + 1);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i % 101);
  const std::vector<float> before = memory;
  transpose.into(view<float, 70, 70>(memory.data() + 1), view<const float, 70, 70>(memory.data()));
  bool same = memory[0] == before[0];
  for (std::size_t i = 0; i < 70; ++i)
    for (std::size_t j = 0; j < 70; ++j)
      same = same && memory[1 + i * 70 + j] == before[j * 70 + i];
  CHECK(same);
}

}  // namespace
