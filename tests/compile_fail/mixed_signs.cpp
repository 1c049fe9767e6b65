// 64 bits with and without sign have no common type.
// SPDX-License-Identifier: BSL-1.0
// expect: add: the element types uint64 and int64 do not mix; convert one with astype
#include <tfgraph/tfgraph.hpp>

#include <cstdint>

namespace tg = tfgraph;
#ifdef CONTROL
using other = tg::tensor<std::uint32_t, 3>;
#else
using other = tg::tensor<std::int64_t, 3>;
#endif
constexpr auto f = tg::function([](auto x, auto y) { return x + y; });
auto call(const tg::tensor<std::uint64_t, 3>& x, const other& y) { return f(x, y); }
