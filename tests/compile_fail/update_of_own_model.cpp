// A function that owns its model cannot assign to it.
// SPDX-License-Identifier: BSL-1.0
// expect: tfgraph: the function assigns to a variable of a model that is const in this call
// expect: make the function of std::ref\(model\)
#include <tfgraph/tfgraph.hpp>

#include <functional>

namespace tg = tfgraph;
struct counter {
  tg::variable<float, 2> sum;
  constexpr auto operator()(const auto& x) {
    sum.assign_add(x);
    return sum * 1;
  }
};
auto call(counter& c, const tg::tensor<float, 2>& x) {
#ifdef CONTROL
  return tg::function(std::ref(c))(x);
#else
  return tg::function(c)(x);
#endif
}
