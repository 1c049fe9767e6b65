// Loops whose turns are elementwise: each element of the variables depends on no other. The loop goes
// inside and the elements outside, so that the variables stay in registers from turn to turn.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/execute/control.hpp>
#include <tfgraph/execute/static.hpp>

namespace tfgraph::execute::detail {

/// What the body of the repeat at kernel K is: perhaps kernels of one element, which do not depend
/// on the variables (of the number of the turn, say), and one elementwise kernel for all variables.
template <class P, int K>
struct recurrence {
  static constexpr tfgraph::detail::control_flow control = P::program.kernels[K].control;
  static constexpr int main = K + control.kernel_count;
  static constexpr int leading = control.kernel_count - 1;

  static constexpr carried_pointer carried(int i) {
    return P::program.carries[control.first_carry + i];
  }
  /// Which of the loop's pointers a place refers to; -1: none.
  static constexpr int carried_at(const place& where, index next) {
    for (int i = 0; i < control.carry_count; ++i)
      if (where == place{place_kind::pointer, carried(i).pointer + next}) return i;
    return -1;
  }
  static constexpr bool is_state_at(const place& where, index next) {
    const int i = carried_at(where, next);
    return i >= 0 && carried(i).kind == carried_kind::state;
  }
  /// Whether a place is written anew in every turn, before the main kernel.
  static constexpr bool is_leading(const place& where) {
    for (int k = K + 1; k < main; ++k) {
      const kernel& self = P::program.kernels[k];
      for (int s = 0; s < self.store_count; ++s)
        if (P::program.stores[self.first_store + s].where == where) return true;
    }
    return false;
  }

  static constexpr bool is_one_element(const kernel& k) {
    for (int i = 0; i < k.rank; ++i)
      if (k.loops[i] != 1) return false;
    if (k.kind != kernel_kind::elementwise) return false;
    for (int i = 0; i < k.load_count; ++i) {
      const place where = P::program.loads[k.first_load + i].where;
      if (is_state_at(where, 0) || is_state_at(where, 1)) return false;
    }
    for (int i = 0; i < k.store_count; ++i)
      if (P::program.stores[k.first_store + i].where.kind != place_kind::arena) return false;
    return true;
  }
  static constexpr bool same_element(const access& a, const access& b, int rank) {
    bool same = a.offset == b.offset;
    for (int i = 0; i < rank; ++i) same = same && a.stride[i] == b.stride[i];
    return same;
  }

  static constexpr bool holds() {
    if (P::is_prototype || control.by == turns_by::condition || control.kernel_count == 0)
      return false;
    const kernel& self = P::program.kernels[main];
    if (self.kind != kernel_kind::elementwise) return false;
    for (int k = K + 1; k < main; ++k)
      if (!is_one_element(P::program.kernels[k])) return false;
    int stores = 0;
    for (int i = 0; i < control.carry_count; ++i) {
      const carried_pointer c = carried(i);
      if (c.kind == carried_kind::row) continue;
      const bool state = c.kind == carried_kind::state;
      const place target{place_kind::pointer, c.pointer + (state ? 1 : 0)};
      int found = 0;
      for (int s = 0; s < self.store_count; ++s) {
        const access to = P::program.stores[self.first_store + s];
        if (!(to.where == target)) continue;
        ++found;
        for (int l = 0; l < self.load_count; ++l) {
          const access from = P::program.loads[self.first_load + l];
          if (from.where == target) return false;
          if (state && is_state_at(from.where, 0) && carried_at(from.where, 0) == i &&
              !same_element(from, to, self.rank))
            return false;
        }
      }
      if (found != 1) return false;
      ++stores;
    }
    return stores == self.store_count;
  }
};

/// How far a pointer moves from turn to turn.
template <class P, int K, int I>
inline constexpr index elements_per_turn =
    recurrence<P, K>::carried(I).step /
    static_cast<index>(size_of(recurrence<P, K>::carried(I).start.type));

template <class P, int K>
TFGRAPH_INLINE void run_recurrence(const memory& m) {
  using self = recurrence<P, K>;
  using here = kernel_of<P, self::main>;
  constexpr int W = here::lanes;
  using code = lanes<P, self::main, W>;
  using registers = typename code::registers;
  using cursors = typename code::cursors;
  constexpr int work = here::self.step_count + here::self.load_count;
  constexpr int unroll = work <= 8 ? 4 : work <= 16 ? 2 : 1;
  const auto begin_pointers = [&]() TFGRAPH_INLINE_LAMBDA {
    for (int i = 0; i < self::control.carry_count; ++i) begin_carry(self::carried(i), m);
  };
  const index turns = turns_of(self::control, m);
  begin_pointers();
  if (turns <= 0) return;

  // The elements at i ... of the last loop, n in the last batch, through all turns.
  const auto elements = [&]<extent_of_batch E, int U>(std::integral_constant<extent_of_batch, E>,
                                                      std::integral_constant<int, U>, cursors c,
                                                      index i, int n) TFGRAPH_INLINE_LAMBDA {
    registers r[at(U)];      // of the turn
    registers before[at(U)];  // what the turn starts with, and what is the same for all turns
    // (Unrolled by name: in arrays that a loop indexes, compilers leave them in memory.)
    const auto each_batch = [](auto f) TFGRAPH_INLINE_LAMBDA { code::template repeat<0, U>(f); };
    const auto each_load = [&](auto f) TFGRAPH_INLINE_LAMBDA {
      each_batch([&](auto u) TFGRAPH_INLINE_LAMBDA {
        code::template repeat<0, here::self.load_count>(
            [&](auto l) TFGRAPH_INLINE_LAMBDA { f(l, u); });
      });
    };
    each_load([&]<int L>(std::integral_constant<int, L>, auto u) TFGRAPH_INLINE_LAMBDA {
      constexpr place where = here::load(L).where;
      if constexpr (!(where == self::control.turn) && !self::is_leading(where))
        code::template do_load<E, L>(before[u], c, i + u * W, n);
    });
    if constexpr (self::leading > 0) begin_pointers();
    for (index turn = 0; turn < turns; ++turn) {
      if constexpr (self::leading > 0) {
        if constexpr (self::control.turn.kind != place_kind::nowhere)
          std::memcpy(base_of(self::control.turn, m), &turn, sizeof turn);
        [&]<int... L>(std::integer_sequence<int, L...>) TFGRAPH_INLINE_LAMBDA {
          (run_kernel<P, K + 1 + L>(m, {}), ...);
        }(std::make_integer_sequence<int, self::leading>{});
        for (int k = 0; k < self::control.carry_count; ++k)
          if (self::carried(k).kind != carried_kind::state) next_carry(self::carried(k), m, turn);
      }
      each_load([&]<int L>(std::integral_constant<int, L>, auto u) TFGRAPH_INLINE_LAMBDA {
        constexpr access a = here::load(L);
        constexpr int carried = self::carried_at(a.where, 0);
        if constexpr (a.where == self::control.turn) {
          code::template get<a.slot>(r[u]) = typename code::template lane_t<a.type>(turn);
        } else if constexpr (self::is_leading(a.where)) {
          code::template do_load<E, L>(r[u], c, i + u * W, n);
        } else if constexpr (carried >= 0 &&
                             self::carried(carried).kind == carried_kind::row) {
          cursors now = c;
          now.template move<role::load, L>(turn * elements_per_turn<P, K, carried>);
          code::template do_load<E, L>(r[u], now, i + u * W, n);
        } else {
          code::template get<a.slot>(r[u]) = code::template get<a.slot>(before[u]);
        }
      });
      each_batch([&](auto u) TFGRAPH_INLINE_LAMBDA {
        code::template steps<0, here::self.step_count>(r[u]);
        code::template repeat<0, here::self.store_count>([&]<int S>(
            std::integral_constant<int, S>) TFGRAPH_INLINE_LAMBDA {
          constexpr access a = here::store(S);
          constexpr int stacked = self::carried_at(a.where, 0);
          if constexpr (stacked >= 0) {
            cursors now = c;
            now.template move<role::store, S>(turn * elements_per_turn<P, K, stacked>);
            code::template do_store<E, S>(r[u], now, i + u * W, n);
          } else {
            constexpr place present{place_kind::pointer, a.where.number - 1};
            code::template repeat<0, here::self.load_count>([&]<int L>(
                std::integral_constant<int, L>) TFGRAPH_INLINE_LAMBDA {
              if constexpr (here::load(L).where == present)
                code::template get<here::load(L).slot>(before[u]) = code::template get<a.slot>(r[u]);
            });
          }
        });
      });
    }
    each_batch([&](auto u) TFGRAPH_INLINE_LAMBDA {
      code::template repeat<0, here::self.store_count>([&]<int S>(
          std::integral_constant<int, S>) TFGRAPH_INLINE_LAMBDA {
        if constexpr (self::carried_at(here::store(S).where, 0) < 0)
          code::template do_store<E, S>(r[u], c, i + u * W, n);
      });
    });
  };
  using full = std::integral_constant<extent_of_batch, extent_of_batch::full>;
  using partial = std::integral_constant<extent_of_batch, extent_of_batch::partial>;
  using one = std::integral_constant<int, 1>;
  code::template nest<0, here::vector>(
      cursors::start(m, {}), [&](cursors c) TFGRAPH_INLINE_LAMBDA {
        constexpr index n = here::length;
        index i = 0;
        if constexpr (n >= unroll * W)
          for (; i + unroll * W <= n; i += unroll * W)
            elements(full{}, std::integral_constant<int, unroll>{}, c, i, W);
        if constexpr (n % (unroll * W) >= W)
          for (; i + W <= n; i += W) elements(full{}, one{}, c, i, W);
        if constexpr (n % W != 0) elements(partial{}, one{}, c, i, static_cast<int>(n - i));
      });
  for (int i = 0; i < self::control.carry_count; ++i)
    if (self::carried(i).kind == carried_kind::state)
      m.pointers[self::carried(i).pointer] = m.pointers[self::carried(i).pointer + 1];
}

}  // namespace tfgraph::execute::detail
