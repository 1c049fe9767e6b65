// bind_front: captures that the compiler looks into.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/tfgraph.hpp>

#include <support/check.hpp>

#include <doctest/doctest.h>

#include <functional>

namespace {

namespace tg = tfgraph;
using tg::dyn;
using tg::tensor;
using vec = tensor<float, 3>;

constexpr auto scale = [](auto w, auto s, auto x) { return x * w + s; };

constexpr void values() {
  const auto f = tg::function(tg::bind_front(scale, vec{1, 2, 3}, 1.0f));
  TFGRAPH_CHECK(f(vec{1, 1, 1}) == vec{2, 3, 4});
  TFGRAPH_CHECK(f(tensor<float, 2, 3>{{1, 1, 1}, {2, 2, 2}}) ==
                tensor<float, 2, 3>{{2, 3, 4}, {3, 5, 7}});
  TFGRAPH_CHECK(f.original()(vec{1, 1, 1}) == vec{2, 3, 4});
  // The argument, then what is bound.
  static_assert(decltype(f)::graph<vec>().inputs().size() == 3);
}
TFGRAPH_BOTH(values);

TEST_CASE("references are seen as they are") {
  vec w{1, 2, 3};
  const auto f = tg::function(tg::bind_front(scale, std::ref(w), 1.0f));
  CHECK(f(vec{1, 1, 1}) == vec{2, 3, 4});
  w(0) = 10;
  CHECK(f(vec{1, 1, 1}) == vec{11, 3, 4});
  vec out;
  f.into(out, out);
  CHECK(out == vec{1, 1, 1});
}

struct dense {
  tg::variable<float, 3, 2> w;
  constexpr auto operator()(const auto& x) const { return tg::matmul(x, w); }
};

TEST_CASE("models") {
  dense layer;
  layer.w.assign({{1, 2}, {3, 4}, {5, 6}});
  const auto f = tg::function(
      tg::bind_front([](const auto& model, auto x) { return model(x) + 1; }, std::ref(layer)));
  CHECK(f(tensor<float, 1, 3>{{1, 1, 1}}) == tensor<float, 1, 2>{{10, 13}});
  layer.w.assign({{0, 0}, {0, 0}, {0, 1}});
  CHECK(f(tensor<float, 1, 3>{{1, 1, 1}}) == tensor<float, 1, 2>{{1, 2}});
}

TEST_CASE("dynamic extents, and tensors of any type") {
  const tensor<float, dyn> w{1, 2, 3};
  const auto f = tg::function(tg::bind_front(scale, w, 1.0f));
  CHECK(f(tensor<float, dyn>{1, 1, 1}) == tensor<float, dyn>{2, 3, 4});
  CHECK_THROWS_AS(static_cast<void>(f(tensor<float, dyn>{1, 1})), tg::shape_error);
  CHECK(f(vec{1, 1, 1}) == vec{2, 3, 4});
  tg::any_tensor a = vec{1, 2, 3};
  const auto g = tg::function(tg::bind_front(scale, std::ref(a), 1.0f));
  CHECK(g(vec{1, 1, 1}).to<vec>() == vec{2, 3, 4});
  a.as<float>()(0) = 7;
  CHECK(g(vec{1, 1, 1}).to<vec>() == vec{8, 3, 4});
}

TEST_CASE("a function for one signature") {
  const auto f = tg::function([](auto x, auto y) { return x + y * 1; });
  const auto c = f.concrete(tg::spec{tg::dtype::float32, {3}}, vec{});
  CHECK(to_string(c.signature()) == "(float32 (3), float32 (3))");
  CHECK(c.graph().count("add") == 1);
  CHECK(c.graph().count("mul") == 0);
  CHECK(c(vec{1, 2, 3}, vec{1, 1, 1}).to<vec>() == vec{2, 3, 4});
  CHECK_THROWS_WITH_AS(static_cast<void>(c(vec{}, tensor<float, 2>{})),
                       "the function is for (float32 (3), float32 (3)), not for (float32 (3), "
                       "float32 (2))",
                       tg::signature_error);
  CHECK(f.signatures() == "(float32 (3), float32 (3))\n");
  f.clear_cache();
  CHECK(f.signatures().empty());
  CHECK(c(vec{1, 2, 3}, vec{1, 1, 1}).to<vec>() == vec{2, 3, 4});
}

}  // namespace
