// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/core/shape.hpp>

#include <support/check.hpp>

#include <type_traits>

namespace {

namespace tg = tfgraph;
using tg::dyn;
using tg::extents;

static_assert(tg::shape<2, 3>::rank == 2 && tg::shape<>::rank == 0);
static_assert(tg::shape<2, 3>::is_static && !tg::shape<2, dyn>::is_static &&
              tg::shape<>::is_static);
static_assert(tg::shape<2, 3>::size() == 6 && tg::shape<>::size() == 1 &&
              tg::shape<4, 0>::size() == 0);
static_assert(tg::shape<2, 3>{} == tg::shape<2, 3>{});
static_assert(tg::shape<2, 3>{} != tg::shape<3, 2>{});
static_assert(std::is_same_v<tg::shape_of_value<extents{2, extents::unknown}>, tg::shape<2, dyn>>);
static_assert(std::is_same_v<tg::shape_of_value<extents{}>, tg::shape<>>);

constexpr void extents_are_a_value() {
  extents e{2, 3};
  TFGRAPH_CHECK(e.rank == 2 && e[0] == 2 && e[1] == 3 && e.size() == 6 && e.is_static());
  e.push_back(extents::unknown);
  TFGRAPH_CHECK(e.rank == 3 && !e.is_static());
  TFGRAPH_CHECK(e == extents({2, 3, -1}) && e != extents({2, 3}) && e != extents({2, 3, 4}));
  TFGRAPH_CHECK(extents{}.size() == 1 && (extents{5, 0}).size() == 0);
  TFGRAPH_CHECK((tg::shape<4, dyn>::value == extents{4, extents::unknown}));
}
TFGRAPH_BOTH(extents_are_a_value);

constexpr void row_major_strides() {
  const tg::strides s = tg::row_major({2, 3, 4});
  TFGRAPH_CHECK(s[0] == 12 && s[1] == 4 && s[2] == 1);
}
TFGRAPH_BOTH(row_major_strides);

}  // namespace
