// The static executor: templates over a program that the compiler knows, so that a kernel becomes
// straight SIMD code. With static extents every loop and stride is a constant. Where extents are
// `dyn`, the program is a prototype: its operators, registers and places are constants, its numbers
// (loops, strides, offsets) come from the program that a plan made for the extents of a call.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/execute/control.hpp>
#include <tfgraph/execute/kernels/matmul.hpp>
#include <tfgraph/graph/evaluate.hpp>
#include <tfgraph/ops/define.hpp>
#include <tfgraph/ops/generate.hpp>
#include <tfgraph/schedule/program.hpp>

#include <array>
#include <utility>

// A kernel is one function: what it is composed of must be inlined, lambdas too, or registers would
// pass through memory. (Not in a debug build, where that would only be more code.)
#if defined(__GNUC__) && defined(__OPTIMIZE__)
#define TFGRAPH_INLINE [[gnu::always_inline]] inline
#define TFGRAPH_INLINE_LAMBDA __attribute__((always_inline))
#else
#define TFGRAPH_INLINE inline
#define TFGRAPH_INLINE_LAMBDA
#endif

namespace tfgraph::execute {

/// A kernel of a program that only the running program knows.
struct kernel_view {
  const kernel* self;
  const access* loads;
  const access* stores;
};

namespace detail {

using tfgraph::detail::at;
using tfgraph::detail::from_bits;

/// How many of a batch's lanes are meant.
enum class extent_of_batch {
  full,     ///< all
  partial,  ///< the first n
  either    ///< all if n says so: for long code, which should stand once only
};

template <class T>
using bits_of_size = element_t<sizeof(T) == 8   ? dtype::float64
                               : sizeof(T) == 4 ? dtype::float32
                               : sizeof(T) == 2 ? dtype::int16
                                                : dtype::int8>;

/// What a kernel of a program is, as constants. P holds `graph` and `program` (views), and whether
/// the program `is_prototype`.
template <class P, int K>
struct kernel_of {
  static constexpr kernel self = P::program.kernels[K];
  static constexpr int rank = self.rank;
  static constexpr int vector = rank - 1;
  // Of the last loop. A loop of one turn is one in every program that this is the prototype of.
  static constexpr index length = rank > 0 ? self.loops[vector] : 1;
  static constexpr bool fixed_length = !P::is_prototype || length == 1;
  /// Whether the last loop may have so many turns.
  static constexpr bool may_reach(index turns) { return !fixed_length || length >= turns; }

  static constexpr access load(int l) { return P::program.loads[at(self.first_load + l)]; }
  static constexpr access store(int s) { return P::program.stores[at(self.first_store + s)]; }
  static constexpr step instruction(int i) { return P::program.steps[at(self.first_step + i)]; }
  static constexpr dtype register_type(int r) { return P::program.slots[at(self.first_slot + r)]; }

  // Masks are kept in the form that the widest elements give.
  using mask_element = element_t<self.lane_bytes == 8   ? dtype::float64
                                 : self.lane_bytes == 4 ? dtype::float32
                                 : self.lane_bytes == 2 ? dtype::int16
                                                        : dtype::int8>;

  /// The lanes of the widest register, or fewer if the loop is shorter.
  static constexpr int lanes = [] {
    const int widest = simd::native_lanes<mask_element>;
    int w = 1;
    while (w < widest && may_reach(w + 1)) w *= 2;
    return w;
  }();
  /// Whether a step may throw: it divides integers, or shifts.
  static constexpr bool may_throw = [] {
    for (int i = 0; i < self.step_count; ++i)
      if (instruction(i).op->partial && is_integer(instruction(i).type)) return true;
    return false;
  }();
  static constexpr bool is_long = self.step_count > 64;
};

/// The accesses of a kernel: what it loads and stores, and the result of a reduction.
enum class role { load, store, result };

template <class P, int K, role Role, int N>
inline constexpr access access_of = Role == role::load    ? kernel_of<P, K>::load(N)
                                    : Role == role::store ? kernel_of<P, K>::store(N)
                                                          : kernel_of<P, K>::self.result;

/// The numbers of a kernel: constants, or those of the running program.
template <class P, int K>
struct constant_numbers {
  static constexpr const kernel& self() { return kernel_of<P, K>::self; }
  template <role Role, int N>
  static constexpr const access& at() {
    return access_of<P, K, Role, N>;
  }
};
template <class P, int K>
struct running_numbers {
  kernel_view view;
  TFGRAPH_INLINE const kernel& self() const { return *view.self; }
  template <role Role, int N>
  TFGRAPH_INLINE const access& at() const {
    if constexpr (Role == role::load) return view.loads[N];
    else if constexpr (Role == role::store) return view.stores[N];
    else return view.self->result;
  }
};
template <class P, int K>
using numbers_of =
    std::conditional_t<P::is_prototype, running_numbers<P, K>, constant_numbers<P, K>>;

/// Code that runs W lanes of kernel K.
template <class P, int K, int W>
struct lanes {
  using here = kernel_of<P, K>;
  using mask_element = typename here::mask_element;

  template <dtype D>
  struct lane_type {
    using type = simd::batch<element_t<D>, W>;
  };
  template <dtype D>
    requires(D == dtype::boolean)
  struct lane_type<D> {
    using type = simd::mask<mask_element, W>;
  };
  template <dtype D>
  using lane_t = typename lane_type<D>::type;

  template <int R>
  struct slot {
    lane_t<here::register_type(R)> value;
  };
  template <class>
  struct register_file;
  template <int... R>
  struct register_file<std::integer_sequence<int, R...>> : slot<R>... {};
  using registers = register_file<std::make_integer_sequence<int, here::self.slot_count>>;

  template <int R>
  TFGRAPH_INLINE static auto& get(registers& r) {
    return static_cast<slot<R>&>(r).value;
  }

  // Calls f(integral_constant) for First ... First + Count - 1; by halves, since compilers bound
  // the length of a fold expression.
  template <int First, int Count, class F>
  TFGRAPH_INLINE static void repeat(F f) {
    if constexpr (Count > 32) {
      repeat<First, Count / 2>(f);
      repeat<First + Count / 2, Count - Count / 2>(f);
    } else {
      [&]<int... I>(std::integer_sequence<int, I...>) TFGRAPH_INLINE_LAMBDA {
        (f(std::integral_constant<int, First + I>{}), ...);
      }(std::make_integer_sequence<int, Count>{});
    }
  }

  // ---- memory ---------------------------------------------------------------------------------

  template <extent_of_batch E, class V, class T>
  TFGRAPH_INLINE static V load_lanes(const T* p, index stride, int n) {
    if (stride == 1) {
      if constexpr (E == extent_of_batch::full) return V::load(p);
      else if (E == extent_of_batch::either && n >= W) return V::load(p);
      else return V::load_partial(p, n);
    }
    T lane[at(W)];
    for (int i = 0; i < W; ++i) lane[i] = p[(E == extent_of_batch::full || i < n ? i : 0) * stride];
    return V::load(lane);
  }

  template <extent_of_batch E, class V, class T>
  TFGRAPH_INLINE static void store_lanes(V v, T* p, index stride, int n) {
    if (stride == 1) {
      if constexpr (E == extent_of_batch::full) v.store(p);
      else if (E == extent_of_batch::either && n >= W) v.store(p);
      else v.store_partial(p, n);
      return;
    }
    T lane[at(W)];
    v.store(lane);
    for (int i = 0; i < W; ++i)
      if (E == extent_of_batch::full || i < n) p[i * stride] = lane[i];
  }

  /// Elements of a generator at positions first, first + stride, ...
  template <node_id Node>
  TFGRAPH_INLINE static auto generate(index first, index stride) {
    constexpr spec type = P::graph.type(Node);
    using T = element_t<type.type>;
    using Op = ops::struct_of<P::graph[Node].op>;
    if constexpr (std::is_same_v<Op, ops::iota>) {
      using V = simd::batch<T, W>;
      T position[at(W)];
      for (int i = 0; i < W; ++i)
        position[i] = simd::cast<T>(simd::batch<index, 1>(first + i * stride)).get(0);
      constexpr auto a = P::graph.attributes(Node);
      return Op::at(V(from_bits<T>(static_cast<element_bits>(a[0]))),
                    V(from_bits<T>(static_cast<element_bits>(a[1]))), V::load(position));
    } else {
      T lane[at(W)];
      for (int i = 0; i < W; ++i)
        lane[i] = from_bits<T>(
            Op::generate(type, P::graph.attributes(Node),
                         (first + i * stride) % (type.shape.size() > 0 ? type.shape.size() : 1)));
      return lane_t<type.type>::load(lane);
    }
  }

  template <node_id Node>
  TFGRAPH_INLINE static auto number() {
    constexpr dtype t = P::graph.type(Node).type;
    return lane_t<t>(
        from_bits<element_t<t>>(static_cast<element_bits>(P::graph.attributes(Node)[0])));
  }

  // ---- one batch ------------------------------------------------------------------------------

  template <class T, place_kind Kind>
  TFGRAPH_INLINE static auto pointer(const memory& m, index number) {
    if constexpr (Kind == place_kind::input) return static_cast<const T*>(m.inputs[number]);
    else if constexpr (Kind == place_kind::pool)
      return reinterpret_cast<const T*>((P::is_prototype ? m.pool : P::graph.pool.data()) + number);
    else if constexpr (Kind == place_kind::number)
      return reinterpret_cast<const T*>(m.numbers + number);
    else if constexpr (Kind == place_kind::output) return static_cast<T*>(m.outputs[number]);
    else if constexpr (Kind == place_kind::pointer) return reinterpret_cast<T*>(m.pointers[number]);
    else if constexpr (Kind == place_kind::generated) return index{0};  // a position
    else return reinterpret_cast<T*>(m.arena + number);
  }

  /// Where one access is while the loops turn. Each is a member of its own and the whole is passed
  /// by value, so that compilers keep the pointers in registers, whatever is stored through them.
  using numbers = numbers_of<P, K>;
  template <role Role, int N>
  struct cursor {
    static constexpr const access& self = access_of<P, K, Role, N>;
    decltype(pointer<element_t<self.type>, self.where.kind>(memory{}, 0)) at;
    TFGRAPH_INLINE void start(const memory& m, const numbers& n) {
      const access& a = n.template at<Role, N>();
      at = pointer<element_t<self.type>, self.where.kind>(m, a.where.number) + a.offset;
    }
    template <int Loop>
    TFGRAPH_INLINE void advance(const numbers& n, index turns) {
      at += n.template at<Role, N>().stride[Loop] * turns;
    }
  };
  static constexpr bool reduces = here::self.kind == kernel_kind::row_reduction ||
                                  here::self.kind == kernel_kind::column_reduction;
  template <class, class, class>
  struct cursor_file;
  template <int... L, int... S, int... R>
  struct cursor_file<std::integer_sequence<int, L...>, std::integer_sequence<int, S...>,
                     std::integer_sequence<int, R...>>
      : cursor<role::load, L>..., cursor<role::store, S>..., cursor<role::result, R>... {
    [[no_unique_address]] numbers number;

    TFGRAPH_INLINE static cursor_file start(const memory& m, const numbers& n) {
      cursor_file c;
      c.number = n;
      (static_cast<cursor<role::load, L>&>(c).start(m, n), ...);
      (static_cast<cursor<role::store, S>&>(c).start(m, n), ...);
      (static_cast<cursor<role::result, R>&>(c).start(m, n), ...);
      return c;
    }
    template <int Loop>
    TFGRAPH_INLINE void advance(index turns) {
      (static_cast<cursor<role::load, L>&>(*this).template advance<Loop>(number, turns), ...);
      (static_cast<cursor<role::store, S>&>(*this).template advance<Loop>(number, turns), ...);
      (static_cast<cursor<role::result, R>&>(*this).template advance<Loop>(number, turns), ...);
    }
    template <role Role, int N>
    TFGRAPH_INLINE auto at() const {
      return static_cast<const cursor<Role, N>&>(*this).at;
    }
    template <role Role, int N>
    TFGRAPH_INLINE void move(index elements) {
      static_cast<cursor<Role, N>&>(*this).at += elements;
    }
    /// Along the last loop; 0 and 1 are constants in a prototype too.
    template <role Role, int N>
    TFGRAPH_INLINE index vector_stride() const {
      if constexpr (here::rank == 0) return Role == role::load ? 0 : 1;
      else if constexpr (constexpr index s = access_of<P, K, Role, N>.stride[here::vector];
                         !P::is_prototype || s == 0 || s == 1)
        return s;
      else return number.template at<Role, N>().stride[here::vector];
    }
    TFGRAPH_INLINE index turns(int loop) const { return number.self().loops[loop]; }
    /// Turns of the last loop.
    TFGRAPH_INLINE index length() const {
      if constexpr (here::fixed_length) return here::length;
      else return turns(here::vector);
    }
  };
  using cursors = cursor_file<std::make_integer_sequence<int, here::self.load_count>,
                              std::make_integer_sequence<int, here::self.store_count>,
                              std::make_integer_sequence<int, reduces ? 1 : 0>>;

  template <int L>
  static constexpr bool is_invariant_load =
      here::self.kind != kernel_kind::contraction &&
      (here::rank == 0 || here::load(L).stride[here::vector] == 0);

  template <extent_of_batch E, int L>
  TFGRAPH_INLINE static void do_load(registers& r, const cursors& c, index i, int n) {
    constexpr access a = here::load(L);
    using V = lane_t<a.type>;
    const index stride = c.template vector_stride<role::load, L>();
    V& target = get<a.slot>(r);
    const auto p = c.template at<role::load, L>();
    if constexpr (a.where.kind == place_kind::generated)
      target = generate<static_cast<node_id>(a.where.number)>(p + i * stride, stride);
    else if constexpr (here::rank == 0 || a.stride[here::rank > 0 ? here::vector : 0] == 0)
      target = V(*p);
    else target = load_lanes<E, V>(p + i * stride, stride, n);
    if constexpr (E != extent_of_batch::full && here::may_throw) repeat_first(target, n);
  }

  /// Makes the lanes that are not meant equal to one that is, so that they throw only what it
  /// throws.
  template <class V>
  static void repeat_first(V& v, int n) {
    std::conditional_t<ops::detail::is_mask<V>, bool, typename V::value_type> lane[at(W)];
    v.store(lane);
    for (int i = n; i < W; ++i) lane[i] = lane[0];
    v = V::load(lane);
  }

  template <bool Invariant, extent_of_batch E>
  TFGRAPH_INLINE static void loads(registers& r, const cursors& c, index i, int n) {
    repeat<0, here::self.load_count>([&]<int L>(std::integral_constant<int, L>)
                                         TFGRAPH_INLINE_LAMBDA {
                                           if constexpr (is_invariant_load<L> == Invariant)
                                             do_load<E, L>(r, c, i, n);
                                         });
  }

  template <int Operand>
  TFGRAPH_INLINE static decltype(auto) fetch(registers& r) {
    if constexpr (Operand >= 0) return (get<Operand>(r));
    else return number<step::node_of_immediate(Operand)>();
  }

  // Short on purpose: a long kernel has a thousand of these, and each function and each copy in
  // them costs compilers more than the operator itself.
  template <class Op, dtype Type, int Result, node_id Node, int... Operand>
  TFGRAPH_INLINE static void apply(registers& r) {
    auto& result = get<Result>(r);
    if constexpr (Op::takes_type)
      result = as<Type>(Op::template apply_to<element_t<Type>>(fetch<Operand>(r)...));
    else if constexpr (Op::takes_attributes)
      result = as<Type>(Op::apply(P::graph.attributes(Node), fetch<Operand>(r)...));
    else if constexpr (Type == dtype::boolean) result = as<Type>(Op::apply(fetch<Operand>(r)...));
    else result = Op::apply(fetch<Operand>(r)...);
  }
  template <dtype Type, class V>
  TFGRAPH_INLINE static auto as(V v) {
    if constexpr (Type == dtype::boolean) return simd::mask_cast<mask_element>(v);
    else return v;
  }
  template <int I>
  TFGRAPH_INLINE static void do_step(registers& r) {
    constexpr step s = here::instruction(I);
    using Op = ops::struct_of<s.op>;
    // Only who needs the node gets it: like steps are one function then.
    constexpr node_id node = Op::takes_attributes ? s.node : no_node;
    if constexpr (s.operand_count == 1) apply<Op, s.type, s.result, node, s.operand[0]>(r);
    else if constexpr (s.operand_count == 2)
      apply<Op, s.type, s.result, node, s.operand[0], s.operand[1]>(r);
    else apply<Op, s.type, s.result, node, s.operand[0], s.operand[1], s.operand[2]>(r);
  }

  /// Steps First ... First + Count - 1.
  template <int First, int Count>
  TFGRAPH_INLINE static void steps(registers& r) {
    if constexpr (Count > 32) {
      steps<First, Count / 2>(r);
      steps<First + Count / 2, Count - Count / 2>(r);
    } else {
      steps<First>(r, std::make_integer_sequence<int, Count>{});
    }
  }
  template <int First, int... I>
  TFGRAPH_INLINE static void steps(registers& r, std::integer_sequence<int, I...>) {
    (do_step<First + I>(r), ...);
  }

  template <extent_of_batch E, int S>
  TFGRAPH_INLINE static void do_store(registers& r, const cursors& c, index i, int n) {
    constexpr access a = here::store(S);
    const index stride = c.template vector_stride<role::store, S>();
    store_lanes<E>(get<a.slot>(r), c.template at<role::store, S>() + i * stride,
                   W == 1 ? 1 : stride, n);
  }
  template <extent_of_batch E>
  TFGRAPH_INLINE static void stores(registers& r, const cursors& c, index i, int n) {
    repeat<0, here::self.store_count>([&]<int S>(std::integral_constant<int, S>)
                                          TFGRAPH_INLINE_LAMBDA { do_store<E, S>(r, c, i, n); });
  }

  /// What does not depend on the last loop.
  TFGRAPH_INLINE static void prologue(registers& r, const cursors& c) {
    loads<true, extent_of_batch::full>(r, c, 0, W);
    steps<0, here::self.invariant_steps>(r);
  }

  /// The loads, steps and stores at position i of the last loop, for n lanes.
  template <extent_of_batch E>
  TFGRAPH_INLINE static void body(registers& r, const cursors& c, index i, int n) {
    loads<false, E>(r, c, i, n);
    steps<here::self.invariant_steps, here::self.step_count - here::self.invariant_steps>(r);
    stores<E>(r, c, i, n);
  }

  /// Runs f(cursors) for all turns of loops First ... Last - 1.
  template <int First, int Last, class F>
  TFGRAPH_INLINE static void nest(cursors c, F f) {
    if constexpr (First >= Last) f(c);
    else
      for (index i = 0, turns = c.turns(First); i < turns; ++i) {
        nest<First + 1, Last>(c, f);
        c.template advance<First>(1);
      }
  }
};

// ---- elementwise ------------------------------------------------------------------------------

template <class P, int K>
TFGRAPH_INLINE void run_elementwise(const memory& m, const numbers_of<P, K>& numbers) {
  using here = kernel_of<P, K>;
  constexpr int W = here::lanes;
  using code = lanes<P, K, W>;
  constexpr int unroll = here::self.step_count + here::self.load_count <= 16 ? 4 : 1;
  code::template nest<0, here::vector>(
      code::cursors::start(m, numbers), [&](typename code::cursors c) TFGRAPH_INLINE_LAMBDA {
        const index n = c.length();
        typename code::registers r;
        code::prologue(r, c);
        if constexpr (here::is_long) {
          for (index i = 0; i < n; i += W)
            code::template body<extent_of_batch::either>(r, c, i,
                                                         static_cast<int>(n - i < W ? n - i : W));
        } else {
          index i = 0;
          if constexpr (here::may_reach(unroll * W))
            for (; i + unroll * W <= n; i += unroll * W)
              code::template repeat<0, unroll>(
                  [&]<int U>(std::integral_constant<int, U>) TFGRAPH_INLINE_LAMBDA {
                    code::template body<extent_of_batch::full>(r, c, i + U * W, W);
                  });
          if constexpr (!here::fixed_length || here::length % (unroll * W) >= W)
            for (; i + W <= n; i += W) code::template body<extent_of_batch::full>(r, c, i, W);
          if constexpr (!here::fixed_length || here::length % W != 0)
            if (i < n)
              code::template body<extent_of_batch::partial>(r, c, i, static_cast<int>(n - i));
        }
      });
}

// ---- reductions -------------------------------------------------------------------------------

template <class Op>
struct combining {
  template <class V>
  TFGRAPH_INLINE V operator()(V a, V b) const {
    return Op::combine::apply(a, b);
  }
};

template <class P, int K>
struct reduction_of {
  using here = kernel_of<P, K>;
  using Op = ops::struct_of<P::graph[here::self.root].op>;
  static constexpr dtype type = here::register_type(here::self.input_slot);
  using T = element_t<type>;
  static constexpr combining<Op> combine{};
  static constexpr T identity = Op::template identity<T>();

  struct combining_scalars {
    TFGRAPH_INLINE T operator()(T a, T b) const {
      if constexpr (std::is_same_v<T, bool>)
        return combine(simd::mask<std::int8_t, 1>(a), simd::mask<std::int8_t, 1>(b)).get(0);
      else return combine(simd::batch<T, 1>(a), simd::batch<T, 1>(b)).get(0);
    }
  };
  static constexpr combining_scalars combine_scalars{};

  /// Lanes folded by halves.
  template <class V>
  TFGRAPH_INLINE static T fold_lanes(V v) {
    if constexpr (ops::detail::is_mask<V>) {
      bool lane[at(V::lanes)];
      v.store(lane);
      for (int half = V::lanes / 2; half > 0; half /= 2)
        for (int i = 0; i < half; ++i) lane[i] = combine_scalars(lane[i], lane[i + half]);
      return lane[0];
    } else return simd::reduce(v, combine);
  }

  /// Rows that are combined into one result.
  static constexpr index rows(const numbers_of<P, K>& numbers) {
    index n = 1;
    for (int i = here::self.kept; i < here::vector; ++i) n *= numbers.self().loops[i];
    return n;
  }
  /// Whether there may be so many rows that they are combined in blocks.
  static constexpr bool many_rows = [] {
    if constexpr (P::is_prototype) return here::self.kept < here::vector;
    else return rows({}) > reduction_order::rows;
  }();

  /// The value of a reduction over nothing.
  static constexpr T nothing =
      from_bits<T>(tfgraph::detail::empty_reduction(type, tfgraph::detail::to_bits<T>(identity)));

  template <class Code>
  TFGRAPH_INLINE static T* result(const typename Code::cursors& c) {
    return c.template at<role::result, 0>();
  }
};

template <class P, int K>
TFGRAPH_INLINE void run_row_reduction(const memory& m, const numbers_of<P, K>& numbers) {
  using here = kernel_of<P, K>;
  using reduce = reduction_of<P, K>;
  using T = typename reduce::T;
  constexpr int W = here::lanes;
  using code = lanes<P, K, W>;
  using V = typename code::template lane_t<reduce::type>;
  constexpr index block = reduction_order::block(sizeof(T));
  const index rows = reduce::rows(numbers);
  // The virtual lanes, in registers: no more than there are elements for.
  constexpr int most = reduction_order::lanes(sizeof(T)) / W;
  constexpr int accumulators = [] {
    int a = 1;
    while (a < most && here::may_reach(a * W + 1)) a *= 2;
    return a;
  }();

  // One block of the innermost run, from position `first`.
  const auto fold_block = [&](auto& r, typename code::cursors c, index first,
                              index count) TFGRAPH_INLINE_LAMBDA {
    V sum[at(accumulators)];
    for (V& s : sum) s = V(reduce::identity);
    const auto take = [&](V& s) TFGRAPH_INLINE_LAMBDA {
      s = reduce::combine(s, code::template get<here::self.input_slot>(r));
    };
    index i = 0;
    for (; i + accumulators * W <= count; i += accumulators * W)
      code::template repeat<0, accumulators>(
          [&]<int A>(std::integral_constant<int, A>) TFGRAPH_INLINE_LAMBDA {
            code::template body<extent_of_batch::full>(r, c, first + i + A * W, W);
            take(sum[A]);
          });
    code::template repeat<0, accumulators>(
        [&]<int A>(std::integral_constant<int, A>) TFGRAPH_INLINE_LAMBDA {
          const index left = count - i - A * W;
          if (left <= 0) return;
          if (left >= W) {
            code::template body<extent_of_batch::full>(r, c, first + i + A * W, W);
          } else {
            code::template body<extent_of_batch::partial>(r, c, first + i + A * W,
                                                          static_cast<int>(left));
            bool meant[at(W)] = {};
            for (int l = 0; l < W; ++l) meant[l] = l < left;
            auto& v = code::template get<here::self.input_slot>(r);
            v = simd::select(simd::mask<typename V::value_type, W>::load(meant), v,
                             V(reduce::identity));
          }
          take(sum[A]);
        });
    for (int half = accumulators / 2; half > 0; half /= 2)
      for (int a = 0; a < half; ++a) sum[a] = reduce::combine(sum[a], sum[a + half]);
    return reduce::fold_lanes(sum[0]);
  };

  code::template nest<0, here::self.kept>(
      code::cursors::start(m, numbers), [&](typename code::cursors kept) TFGRAPH_INLINE_LAMBDA {
        const index n = kept.length();
        if (rows * n == 0) {
          *reduce::template result<code>(kept) = reduce::nothing;
        } else {
          T total = reduce::identity;
          reduction_order::pairwise<T> row_blocks;
          index row = 0;
          code::template nest<here::self.kept, here::vector>(
              kept, [&](typename code::cursors c) TFGRAPH_INLINE_LAMBDA {
                typename code::registers r;
                code::prologue(r, c);
                T sum;
                if (n <= block) sum = fold_block(r, c, 0, n);
                else {
                  reduction_order::pairwise<T> blocks;
                  for (index first = 0; first < n; first += block)
                    blocks.push(fold_block(r, c, first, n - first < block ? n - first : block),
                                reduce::combine_scalars);
                  sum = blocks.finish(reduce::combine_scalars);
                }
                total = reduce::combine_scalars(total, sum);
                if constexpr (reduce::many_rows)
                  if (++row % reduction_order::rows == 0 || row == rows) {
                    row_blocks.push(total, reduce::combine_scalars);
                    total = reduce::identity;
                  }
              });
          if constexpr (reduce::many_rows) total = row_blocks.finish(reduce::combine_scalars);
          *reduce::template result<code>(kept) = total;
        }
      });
}

template <class P, int K>
TFGRAPH_INLINE void run_column_reduction(const memory& m, const numbers_of<P, K>& numbers) {
  using here = kernel_of<P, K>;
  using reduce = reduction_of<P, K>;
  constexpr int W = here::lanes;
  using code = lanes<P, K, W>;
  using V = typename code::template lane_t<reduce::type>;
  const index rows = reduce::rows(numbers);

  // Columns i ... of `Batches` batches, the last with `left` lanes.
  const auto columns = [&]<extent_of_batch E, int Batches>(
                           std::integral_constant<extent_of_batch, E>,
                           std::integral_constant<int, Batches>, typename code::cursors kept,
                           index i, int left) TFGRAPH_INLINE_LAMBDA {
    V total[at(Batches)];
    for (V& t : total) t = V(rows == 0 ? reduce::nothing : reduce::identity);
    std::array<reduction_order::pairwise<V>, reduce::many_rows ? at(Batches) : 0> blocks;
    index row = 0;
    code::template nest<here::self.kept, here::vector>(
        kept, [&](typename code::cursors c) TFGRAPH_INLINE_LAMBDA {
          typename code::registers r;
          code::prologue(r, c);
          code::template repeat<0, Batches>(
              [&]<int B>(std::integral_constant<int, B>) TFGRAPH_INLINE_LAMBDA {
                code::template body<E>(r, c, i + B * W, left);
                total[B] = reduce::combine(total[B], code::template get<here::self.input_slot>(r));
              });
          if constexpr (reduce::many_rows)
            if (++row % reduction_order::rows == 0 || row == rows)
              for (int b = 0; b < Batches; ++b) {
                blocks[at(b)].push(total[b], reduce::combine);
                total[b] = V(reduce::identity);
              }
        });
    const index stride = kept.template vector_stride<role::result, 0>();
    auto* p = reduce::template result<code>(kept) + i * stride;
    for (int b = 0; b < Batches; ++b) {
      if constexpr (reduce::many_rows)
        if (rows > 0) total[b] = blocks[at(b)].finish(reduce::combine);
      code::template store_lanes<E>(total[b], p + b * W * stride, stride, left);
    }
  };
  using full = std::integral_constant<extent_of_batch, extent_of_batch::full>;
  using partial = std::integral_constant<extent_of_batch, extent_of_batch::partial>;
  constexpr int several = 4;
  code::template nest<0, here::self.kept>(
      code::cursors::start(m, numbers), [&](typename code::cursors kept) TFGRAPH_INLINE_LAMBDA {
        const index n = kept.length();
        index i = 0;
        if constexpr (here::may_reach(several * W) && !here::is_long)
          for (; i + several * W <= n; i += several * W)
            columns(full{}, std::integral_constant<int, several>{}, kept, i, W);
        for (; i + W <= n; i += W) columns(full{}, std::integral_constant<int, 1>{}, kept, i, W);
        if constexpr (!here::fixed_length || here::length % W != 0)
          if (i < n)
            columns(partial{}, std::integral_constant<int, 1>{}, kept, i, static_cast<int>(n - i));
      });
}

/// argmax and argmin: the first element that no other comes before.
template <class P, int K>
TFGRAPH_INLINE void run_position(const memory& m, const numbers_of<P, K>& numbers) {
  using here = kernel_of<P, K>;
  using Op = ops::struct_of<P::graph[here::self.root].op>;
  using code = lanes<P, K, 1>;
  const kernel& self = numbers.self();
  const access& from = self.left;
  const access& to = self.result;
  using T = element_t<here::self.left.type>;
  const T* x = code::template pointer<T, here::self.left.where.kind>(m, from.where.number);
  index* result = code::template pointer<index, here::self.result.where.kind>(m, to.where.number);
  const auto nest = [&]<int Loop>(std::integral_constant<int, Loop>, auto last, index source,
                                  index target, auto&& again, auto&& f)
                        TFGRAPH_INLINE_LAMBDA -> void {
    if constexpr (Loop >= decltype(last)::value) f(source, target);
    else
      for (index i = 0; i < self.loops[Loop]; ++i)
        again(std::integral_constant<int, Loop + 1>{}, last, source + i * from.stride[Loop],
              target + i * to.stride[Loop], again, f);
  };
  const std::integral_constant<int, here::self.kept> kept{};
  const std::integral_constant<int, here::rank> rank{};
  nest(std::integral_constant<int, 0>{}, kept, from.offset, to.offset, nest,
       [&](index first, index target) TFGRAPH_INLINE_LAMBDA {
         T best = x[first];
         index position = 0;
         index where = 0;
         nest(kept, rank, first, index{0}, nest, [&](index i, index) TFGRAPH_INLINE_LAMBDA {
           using V = simd::batch<T, 1>;
           if (Op::compare::apply(V(x[i]), V(best)).get(0)) {
             best = x[i];
             where = position;
           }
           ++position;
         });
         result[target] = where;
       });
}

// ---- products ---------------------------------------------------------------------------------

template <class P, int K>
TFGRAPH_INLINE void run_contraction(const memory& m, const numbers_of<P, K>& numbers) {
  using here = kernel_of<P, K>;
  const kernel& self = numbers.self();
  const tfgraph::detail::matrix_product& product = self.product;
  constexpr int batch_loops = here::self.product.batch_loops;
  using T = element_t<here::self.left.type>;
  using one = lanes<P, K, 1>;
  const T* a = one::template pointer<T, here::self.left.where.kind>(m, self.left.where.number) +
               self.left.offset;
  const T* b = one::template pointer<T, here::self.right.where.kind>(m, self.right.where.number) +
               self.right.offset;
  index turn[max_rank] = {};
  index offset_a = 0;
  index offset_b = 0;
  index batches = 1;
  for (int l = 0; l < batch_loops; ++l) batches *= self.loops[l];
  for (index batch = 0; batch < batches; ++batch) {
    const kernels::matrix<T> left{a + offset_a, product.left_row, product.left_depth};
    const kernels::matrix<T> right{b + offset_b, product.right_depth, product.right_column};
    const auto sink = [&]<int W>(index i, index j, simd::batch<T, W> v, int n)
                          TFGRAPH_INLINE_LAMBDA {
                            using code = lanes<P, K, W>;
                            typename code::cursors c = code::cursors::start(m, numbers);
                            [&]<int... L>(std::integer_sequence<int, L...>) TFGRAPH_INLINE_LAMBDA {
                              (c.template advance<L>(turn[L]), ...);
                            }(std::make_integer_sequence<int, batch_loops>{});
                            c.template advance<batch_loops>(i);
                            typename code::registers r;
                            code::template get<here::self.input_slot>(r) = v;
                            if constexpr (here::may_throw)
                              code::repeat_first(code::template get<here::self.input_slot>(r), n);
                            code::prologue(r, c);
                            code::template body<extent_of_batch::either>(r, c, j, n);
                          };
    if constexpr (P::is_prototype)
      kernels::matmul(left, right, product.rows, product.columns, product.depth, sink);
    else
      kernels::matmul<T, here::self.product.rows, here::self.product.columns,
                      here::self.product.depth>(left, right, sink);
    // The next turn of the batch loops, which walk the operands by their own strides.
    for (int l = batch_loops - 1; l >= 0; --l) {
      offset_a += self.left.stride[l];
      offset_b += self.right.stride[l];
      if (++turn[l] < self.loops[l]) break;
      offset_a -= self.left.stride[l] * self.loops[l];
      offset_b -= self.right.stride[l] * self.loops[l];
      turn[l] = 0;
    }
  }
}

// ---- along an axis ----------------------------------------------------------------------------

template <class P, int K>
TFGRAPH_INLINE void run_along_axis(const memory& m, const numbers_of<P, K>& numbers) {
  using here = kernel_of<P, K>;
  using Op = ops::struct_of<P::graph[here::self.root].op>;
  using code = lanes<P, K, 1>;
  [&]<int... L>(std::integer_sequence<int, L...>) TFGRAPH_INLINE_LAMBDA {
    const auto operand = [&]<int I>(std::integral_constant<int, I>) TFGRAPH_INLINE_LAMBDA {
      const access& a = numbers.template at<role::load, I>();
      return code::template pointer<element_t<here::load(I).type>, here::load(I).where.kind>(
                 m, a.where.number) +
             a.offset;
    };
    using T = element_t<here::store(0).type>;
    const access& to = numbers.template at<role::store, 0>();
    Op::template run<T>(
        tfgraph::detail::axis_of_loops(numbers.self().loops), P::graph.attributes(here::self.root),
        operand(std::integral_constant<int, L>{})...,
        code::template pointer<T, here::store(0).where.kind>(m, to.where.number) + to.offset);
  }(std::make_integer_sequence<int, here::self.load_count>{});
}

template <class P, int K>
TFGRAPH_INLINE void run_kernel(const memory& m, const numbers_of<P, K>& numbers) {
  constexpr kernel_kind kind = P::program.kernels[K].kind;
  if constexpr (kind == kernel_kind::elementwise) run_elementwise<P, K>(m, numbers);
  else if constexpr (kind == kernel_kind::row_reduction) run_row_reduction<P, K>(m, numbers);
  else if constexpr (kind == kernel_kind::column_reduction) run_column_reduction<P, K>(m, numbers);
  else if constexpr (kind == kernel_kind::position) run_position<P, K>(m, numbers);
  else if constexpr (kind == kernel_kind::contraction) run_contraction<P, K>(m, numbers);
  else run_along_axis<P, K>(m, numbers);
}

}  // namespace detail
}  // namespace tfgraph::execute
