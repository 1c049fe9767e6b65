// What the scheduler makes: the memory plan, and how many kernels with which accesses.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/tfgraph.hpp>

#include <support/check.hpp>

#include <random>

namespace {

namespace tg = tfgraph;
using tg::tensor;
using kind = tg::kernel_kind;

TEST_CASE("buffers that live at the same time do not overlap") {
  std::mt19937 random(3);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int turn = 0; turn < 500; ++turn) {
    tg::detail::list<tg::schedule::buffer> buffers;
    const int count = 1 + below(20);
    tg::index total = 0;
    for (int i = 0; i < count; ++i) {
      const int first = below(15);
      const tg::index bytes = below(5) == 0 ? 0 : 1 + below(1000);
      buffers.push_back({bytes, first, first + below(6), 0});
      total += (bytes + 63) / 64 * 64;
    }
    const tg::index end = tg::schedule::place_buffers(buffers);
    CHECK(end <= total);
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const tg::schedule::buffer& a = buffers[i];
      CHECK(a.offset % tg::schedule::alignment == 0);
      CHECK(a.offset + a.bytes <= end);
      for (std::size_t j = 0; j < i; ++j) {
        const tg::schedule::buffer& b = buffers[j];
        const bool together = a.first_kernel <= b.last_kernel && b.first_kernel <= a.last_kernel;
        const bool apart = a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
        CHECK((!together || apart || a.bytes == 0 || b.bytes == 0));
      }
    }
  }
}

constexpr void lives_that_follow_share_memory() {
  tg::detail::list<tg::schedule::buffer> buffers;
  for (int i = 0; i < 4; ++i) buffers.push_back({100, i, i, 0});
  TFGRAPH_CHECK(tg::schedule::place_buffers(buffers) == 128);
  for (const tg::schedule::buffer& b : buffers) TFGRAPH_CHECK(b.offset == 0);
}
TFGRAPH_BOTH(lives_that_follow_share_memory);

// What must hold of every program.
constexpr bool sound(const tg::program_view& p, int inputs, int outputs) {
  for (const tg::kernel& k : p.kernels) {
    if (k.first_load + k.load_count > static_cast<int>(p.loads.size())) return false;
    if (k.first_step + k.step_count > static_cast<int>(p.steps.size())) return false;
    if (k.first_store + k.store_count > static_cast<int>(p.stores.size())) return false;
    if (k.first_slot + k.slot_count > static_cast<int>(p.slots.size())) return false;
    if (k.invariant_steps > k.step_count || k.rank < 1 || k.rank > tg::max_rank) return false;
    for (int i = 0; i < k.step_count; ++i) {
      const tg::step& s = p.steps[k.first_step + i];
      if (s.result < 0 || s.result >= k.slot_count) return false;
      for (int n = 0; n < s.operand_count; ++n)
        if (s.operand[n] >= k.slot_count) return false;
    }
    for (int i = 0; i < k.load_count; ++i) {
      const tg::access& a = p.loads[k.first_load + i];
      if (a.where.kind == tg::place_kind::nowhere || a.slot >= k.slot_count) return false;
      if (a.where.kind == tg::place_kind::input && a.where.number >= inputs) return false;
    }
    for (int i = 0; i < k.store_count; ++i) {
      const tg::access& a = p.stores[k.first_store + i];
      if (a.where.kind != tg::place_kind::output && a.where.kind != tg::place_kind::arena)
        return false;
      if (a.where.kind == tg::place_kind::output && a.where.number >= outputs) return false;
      if (a.where.kind == tg::place_kind::arena && a.where.number >= p.arena_bytes) return false;
    }
  }
  return true;
}

constexpr int count(const tg::program_view& p, kind wanted) {
  int n = 0;
  for (const tg::kernel& k : p.kernels) n += k.kind == wanted ? 1 : 0;
  return n;
}

using matrix = tensor<float, 8, 16>;

constexpr void a_chain_is_one_kernel() {
  constexpr auto chain = tg::function([](auto x, auto y, auto z) {
    return tg::sqrt(tg::abs(x * y + z) + x) * y - z;
  });
  constexpr tg::program_view p = chain.program<matrix, matrix, tensor<float, 16>>();
  TFGRAPH_CHECK(sound(p, 3, 1) && p.kernels.size() == 1 && p.kernels[0].kind == kind::elementwise);
  TFGRAPH_CHECK(p.loads.size() == 3 && p.stores.size() == 1 && p.arena_bytes == 0);
  TFGRAPH_CHECK(p.stores[0].where == (tg::place{tg::place_kind::output, 0}));
  bool seen[3] = {};
  for (const tg::access& a : p.loads) {
    TFGRAPH_CHECK(a.where.kind == tg::place_kind::input);
    TFGRAPH_CHECK(!std::exchange(seen[a.where.number], true));
  }
}
TFGRAPH_BOTH(a_chain_is_one_kernel);

constexpr void what_is_smaller_is_computed_once() {
  // z / 2 has 16 elements; it does not join the loop over 8 * 16.
  constexpr auto f = tg::function([](auto x, auto z) { return x * (z / 2); });
  constexpr tg::program_view p = f.program<matrix, tensor<float, 16>>();
  TFGRAPH_CHECK(sound(p, 2, 1) && p.kernels.size() == 2);
  TFGRAPH_CHECK(p.arena_bytes == 16 * sizeof(float));
}
TFGRAPH_BOTH(what_is_smaller_is_computed_once);

constexpr void loops_that_lie_evenly_are_one() {
  constexpr auto add = tg::function([](auto x, auto y) { return x + y; });
  constexpr tg::program_view p = add.program<matrix, matrix>();
  TFGRAPH_CHECK(p.kernels[0].rank == 1 && p.kernels[0].loops[0] == 8 * 16);
}
TFGRAPH_BOTH(loops_that_lie_evenly_are_one);

constexpr void softmax_is_few_kernels() {
  constexpr auto f = tg::function([](auto x) { return tg::softmax(x); });
  constexpr tg::program_view p = f.program<matrix>();
  TFGRAPH_CHECK(sound(p, 1, 1) && p.kernels.size() <= 4);
  TFGRAPH_CHECK(count(p, kind::row_reduction) == 2 && count(p, kind::contraction) == 0);
}
TFGRAPH_BOTH(softmax_is_few_kernels);

constexpr void a_product_takes_its_users_in() {
  constexpr auto layer =
      tg::function([](auto x, auto w, auto b) { return tg::relu(tg::matmul(x, w) + b); });
  constexpr tg::program_view p =
      layer.program<matrix, tensor<float, 16, 10>, tensor<float, 10>>();
  TFGRAPH_CHECK(sound(p, 3, 1) && p.kernels.size() == 1 && count(p, kind::contraction) == 1);
  TFGRAPH_CHECK(p.arena_bytes == 0 && p.stores.size() == 1);
}
TFGRAPH_BOTH(a_product_takes_its_users_in);

constexpr void a_sum_takes_its_producer_in() {
  constexpr auto rows =
      tg::function([](auto x, auto y) { return tg::sum(tg::exp(x) * y, tg::axis<-1>); });
  constexpr tg::program_view p = rows.program<matrix, matrix>();
  TFGRAPH_CHECK(sound(p, 2, 1) && p.kernels.size() == 1 && p.arena_bytes == 0);
  TFGRAPH_CHECK(p.kernels[0].kind == kind::row_reduction && p.kernels[0].kept == 1);

  constexpr auto columns =
      tg::function([](auto x, auto y) { return tg::sum(tg::exp(x) * y, tg::axis<0>); });
  constexpr tg::program_view q = columns.program<matrix, matrix>();
  TFGRAPH_CHECK(sound(q, 2, 1) && q.kernels.size() == 1 && q.arena_bytes == 0);
  TFGRAPH_CHECK(q.kernels[0].kind == kind::column_reduction);
}
TFGRAPH_BOTH(a_sum_takes_its_producer_in);

constexpr void movements_cost_nothing() {
  constexpr auto f = tg::function([](auto x, auto y) {
    return tg::permute_dims(x, tg::axis<1, 0>) * tg::reshape(y, tg::shape<16, 8>{});
  });
  constexpr tg::program_view p = f.program<matrix, tensor<float, 128>>();
  TFGRAPH_CHECK(sound(p, 2, 1) && p.kernels.size() == 1 && p.loads.size() == 2);
}
TFGRAPH_BOTH(movements_cost_nothing);

constexpr void several_results_share_a_kernel_or_have_their_own() {
  constexpr auto f = tg::function([](auto x) {
    const auto e = tg::exp(x);
    return std::tuple(e, e * 2, tg::sum(e, tg::axis<-1>));
  });
  constexpr tg::program_view p = f.program<matrix>();
  TFGRAPH_CHECK(sound(p, 1, 3) && p.kernels.size() <= 3 && p.arena_bytes == 0);
}
TFGRAPH_BOTH(several_results_share_a_kernel_or_have_their_own);

}  // namespace
