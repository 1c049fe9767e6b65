// Layouts against an enumeration of the offsets of all elements.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/tfgraph.hpp>

#include <support/check.hpp>

#include <cstddef>
#include <random>
#include <vector>

namespace {

namespace tg = tfgraph;
using tg::extents;
using tg::index;
using tg::layout;

// The offset of every element in row-major order, by division.
constexpr std::vector<index> offsets(const layout& l) {
  std::vector<index> list;
  for (index position = 0; position < l.shape.size(); ++position) {
    index rest = position;
    index offset = l.offset;
    for (int axis = l.shape.rank - 1; axis >= 0; --axis) {
      offset += rest % l.shape[axis] * l.stride[axis];
      rest /= l.shape[axis];
    }
    list.push_back(offset);
  }
  return list;
}

constexpr layout transposed(layout l, int a, int b) {
  const layout before = l;
  l.shape[a] = before.shape[b];
  l.shape[b] = before.shape[a];
  l.stride[a] = before.stride[b];
  l.stride[b] = before.stride[a];
  return l;
}

constexpr layout sliced(layout l, int axis, index start, index step, index count) {
  l.offset += start * l.stride[axis];
  l.stride[axis] *= step;
  l.shape[axis] = count;
  return l;
}

constexpr layout repeated(layout l, int axis) {
  l.stride[axis] = 0;
  return l;
}

// Layouts over the shape (4, 3, 2), moved in every way.
constexpr std::vector<layout> samples() {
  const layout plain = layout::contiguous({4, 3, 2});
  return {plain,
          transposed(plain, 0, 1),
          transposed(plain, 0, 2),
          transposed(plain, 1, 2),
          sliced(plain, 0, 1, 1, 2),
          sliced(plain, 0, 3, -1, 4),
          sliced(plain, 0, 0, 2, 2),
          sliced(plain, 1, 1, 1, 2),
          sliced(plain, 1, 2, -2, 2),
          sliced(plain, 2, 1, 1, 1),
          sliced(plain, 2, 1, -1, 2),
          sliced(sliced(plain, 1, 1, 1, 1), 0, 0, 1, 4),
          sliced(sliced(sliced(plain, 0, 3, -1, 4), 1, 2, -1, 3), 2, 1, -1, 2),
          repeated(plain, 0),
          repeated(plain, 1),
          repeated(plain, 2),
          repeated(repeated(repeated(plain, 0), 1), 2),
          sliced(plain, 1, 0, 1, 0)};
}

constexpr bool walks_in_one(const layout& l) {
  const std::vector<index> o = offsets(l);
  for (std::size_t i = 0; i < o.size(); ++i)
    if (o[i] != l.offset + static_cast<index>(i)) return false;
  return true;
}

constexpr void contiguity() {
  for (const layout& l : samples())
    if (l.shape.size() > 0) TFGRAPH_CHECK(l.is_contiguous() == walks_in_one(l));
}
TFGRAPH_BOTH(contiguity);

constexpr void broadcasts() {
  for (const layout& l : samples()) {
    const std::vector<index> before = offsets(l);
    extents larger{3};
    for (int axis = 0; axis < l.shape.rank; ++axis)
      larger.push_back(l.shape[axis] == 1 ? 5 : l.shape[axis]);
    const layout b = l.broadcast_to(larger);
    TFGRAPH_CHECK(b.shape == larger && b.valid);
    const std::vector<index> after = offsets(b);
    for (std::size_t p = 0; p < after.size(); ++p) {
      // The position of the source: coordinates of extents of 1 become 0, the leading one goes.
      std::size_t rest = p;
      std::size_t source = 0;
      std::size_t step = 1;
      for (int axis = l.shape.rank - 1; axis >= 0; --axis) {
        const auto wide = static_cast<std::size_t>(larger[axis + 1]);
        const auto narrow = static_cast<std::size_t>(l.shape[axis]);
        source += (narrow == 1 ? 0 : rest % wide) * step;
        rest /= wide;
        step *= narrow;
      }
      TFGRAPH_CHECK(after[p] == before[source]);
    }
  }
}
TFGRAPH_BOTH(broadcasts);

// Whether any strides over shape e give the same offsets: they follow from the first steps.
bool exists(const layout& l, const extents& e) {
  const std::vector<index> wanted = offsets(l);
  layout candidate{e, {}, l.offset, true};
  std::size_t step = 1;
  for (int axis = e.rank - 1; axis >= 0; --axis) {
    if (e[axis] > 1) candidate.stride[axis] = wanted[step] - wanted[0];
    step *= static_cast<std::size_t>(e[axis]);
  }
  return offsets(candidate) == wanted;
}

TEST_CASE("a reshape is a layout exactly where strides exist") {
  int possible = 0;
  int impossible = 0;
  for (const layout& l : samples()) {
    const index n = l.shape.size();
    if (n == 0) continue;
    for (index a = 1; a <= n; ++a)
      for (index b = 1; a * b <= n; ++b) {
        if (n % (a * b) != 0) continue;
        const extents e{a, b, n / (a * b)};
        const layout r = l.reshaped(e);
        CHECK(r.shape == e);
        CHECK(r.valid == exists(l, e));
        if (r.valid) CHECK(offsets(r) == offsets(l));
        ++(r.valid ? possible : impossible);
      }
  }
  CHECK(possible > 100);
  CHECK(impossible > 50);
}

TEST_CASE("random movements, and the cursor that walks them") {
  std::mt19937 random(7);
  const auto below = [&](index n) {
    return static_cast<index>(random() % static_cast<std::mt19937::result_type>(n));
  };
  for (int turn = 0; turn < 2000; ++turn) {
    layout l = layout::contiguous({1 + below(4), 1 + below(4), 1 + below(4), 1 + below(3)});
    for (int move = 0; move < 3; ++move) {
      const int axis = static_cast<int>(below(4));
      if (below(2) == 0) {
        l = transposed(l, axis, static_cast<int>(below(4)));
      } else {
        const index count = l.shape[axis];
        l = below(2) == 0 ? sliced(l, axis, count - 1, -1, count)
                          : sliced(l, axis, 0, 2, (count + 1) / 2);
      }
    }
    const std::vector<index> wanted = offsets(l);
    tg::detail::cursor c(l);
    bool same = true;
    for (index w : wanted) {
      same = same && static_cast<index>(c.offset()) == w;
      c.next();
    }
    CHECK(same);
    const extents joined{l.shape[0] * l.shape[1], l.shape[2] * l.shape[3]};
    const layout r = l.reshaped(joined);
    CHECK(r.valid == exists(l, joined));
    if (r.valid) CHECK(offsets(r) == wanted);
  }
}

}  // namespace
