// An aggregate of tensors that is not a template: handles cannot stand in its members' places.
// SPDX-License-Identifier: BSL-1.0
// expect: tfgraph: an aggregate of tensors must be a template over its members' types
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
using vec = tg::tensor<float, 3>;
#ifdef CONTROL
template <class A, class B>
struct both {
  A a;
  B b;
};
using pair = both<vec, vec>;
#else
struct pair {
  vec a;
  vec b;
};
#endif
constexpr auto f = tg::function([](auto p) { return p.a + p.b; });
auto call(const pair& p) { return f(p); }
