// Loops in a traced callable: range-for loops over range(n) and rows(x), and fori, while_loop, scan
// and map. Their body is traced once. Outside of a trace they are ordinary loops.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/trace/region.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace tfgraph {
namespace detail {

// ---- range-for loops --------------------------------------------------------------------------

/// The number of a turn: it takes the element type of what it meets, like a C++ integer.
template <bool Live>
using turn_number = weak<std::conditional_t<Live, live_expr<index, shape<>>, expr<index, shape<>>>>;

template <class N>
constexpr void require_turns() {
  static_assert(is_operand<N>, "tfgraph: range: the number of turns must be an integer");
  if constexpr (!is_any<N>)
    static_assert(operand<N>::shape_type::rank == 0 &&
                      std::is_integral_v<typename operand<N>::value_type> &&
                      !std::is_same_v<typename operand<N>::value_type, bool>,
                  "tfgraph: range: the number of turns must be an integer of rank 0");
}

/// Makes the handles of a structure that know their values ones of the trace.
template <class S>
constexpr void enter_loop(tracing& trace, const S& s) {
  for_each_leaf(s, [&]<class Leaf>(const Leaf& leaf) {
    if constexpr (requires { leaf.enter_loop(trace); })
      if (leaf.trace() == nullptr) leaf.enter_loop(trace);
  });
}

/// A number that does not depend on a trace.
template <class N>
[[nodiscard]] constexpr index known_index(const N& n) {
  if constexpr (std::is_same_v<N, any_expr>) throw trace_error("range: the number is a traced one");
  else return from_bits<index>(value_of(n, dtype::int64).elements.front());
}
[[nodiscard]] constexpr known known_turn(index turn) {
  return {false, nullptr, {}, {{dtype::int64, {}}, {to_bits(turn)}}};
}
/// The number of turns as a node.
template <class N>
[[nodiscard]] constexpr node_id record_turns(tracing& trace, const N& n) {
  if constexpr (!is_any<N>)
    if (trace_of(n) == nullptr && (kind_of<N> != operand_kind::array || trace.live == nullptr))
      return record_full(trace.recorded, {dtype::int64, {}}, to_bits(known_index(n)));
  const node_id turns = record_operand(trace, n, dtype::int64);
  if (trace.recorded.type(turns).shape.rank != 0)
    throw shape_error("range: the number of turns must be an integer of rank 0");
  return turns;
}

/// A range over which a range-for loop goes: once if it is captured, else turn by turn.
/// `Source::turn(turn)` makes the value of the loop's variable.
template <class Source>
class loop_range {
 public:
  class iterator {
   public:
    constexpr explicit iterator(loop_range& r) : r_(r) {}
    [[nodiscard]] constexpr auto operator*() const {
      if (r_.trace_ != nullptr) r_.trace_->begin_loop();
      return r_.source_.turn(r_.turn_);
    }
    constexpr iterator& operator++() {
      if constexpr (requires { r_.source_.end(); })
        if (r_.trace_ != nullptr) r_.source_.end();
      ++r_.turn_;
      return *this;
    }
    [[nodiscard]] constexpr bool operator!=(std::nullptr_t) const { return r_.turn_ < r_.turns_; }

   private:
    loop_range& r_;
  };

  constexpr loop_range(tracing* trace, index turns, Source source)
      : trace_(trace), turns_(trace != nullptr ? 1 : turns), source_(std::move(source)) {}
  [[nodiscard]] constexpr iterator begin() { return iterator(*this); }
  [[nodiscard]] constexpr std::nullptr_t end() const { return nullptr; }

 private:
  tracing* trace_;
  index turns_;
  index turn_ = 0;
  Source source_;
};

/// The numbers of the turns.
template <bool Live>
struct turn_source {
  tracing* trace;
  node_id turns;
  node_id parameter = no_node;

  [[nodiscard]] constexpr turn_number<Live> turn(index number) {
    if (trace == nullptr) return turn_number<Live>(known_turn(number));
    parameter = trace->add_parameter(parameter_role::turn, turns);
    return turn_number<Live>(*trace, parameter);
  }
  constexpr void end() const {
    const node_id parameters[1] = {parameter};
    trace->end_loop(turns_by::number, turns, no_node, parameters);
  }
};
struct counted_source {
  [[nodiscard]] constexpr index turn(index number) const { return number; }
};

[[nodiscard]] constexpr value row_of(const value& all, index number) {
  value row{{all.type.type, {}}, {}};
  for (int i = 1; i < all.type.shape.rank; ++i) row.type.shape.push_back(all.type.shape[i]);
  const index size = row.type.shape.size();
  for (index i = 0; i < size; ++i) row.elements.push_back(all.elements[at(number * size + i)]);
  return row;
}

/// The rows of a traced value.
template <bool Live, class X>
struct row_source {
  tracing* trace;
  node_id x;
  value elements;  // without a trace
  node_id parameter = no_node;

  [[nodiscard]] constexpr auto turn(index number) {
    known row;
    if (trace != nullptr) parameter = trace->add_parameter(parameter_role::row, x);
    else row.content = row_of(elements, number);
    make_handles_for<Live, row_shape> make{trace, &parameter, &row};
    return make(std::type_identity<X>{});
  }
  constexpr void end() const {
    const node_id parameters[1] = {parameter};
    trace->end_loop(turns_by::rows, x, no_node, parameters);
  }
};
/// The rows of a tensor.
template <class X>
struct tensor_row_source {
  const X& x;

  [[nodiscard]] constexpr auto turn(index number) const {
    using T = typename operand<X>::value_type;
    typename tensor_of<T, row_shape::of<typename operand<X>::shape_type>>::type row;
    std::copy_n(x.begin() + number * static_cast<index>(row.size()), row.size(), row.begin());
    return row;
  }
};

}  // namespace detail

/// `for (auto i : tg::range(n))`: captures the loop. Its body is traced once; the handles from
/// outside to which it assigns become variables of the loop. `i` counts from 0; beside tensors it
/// takes their element type, like a C++ integer. `n` is a traced integer, or a plain one; with a
/// plain one, name a traced value of the loop too, so that it is known what captures it:
/// `range(100, x)`. Handles that were made without operands (zeros, constant, ...), if the body works
/// on them alone, are named too: `range(n, count)`. Where nothing is traced, it is an ordinary loop. A body cannot end early
/// (`break`, `return`): that is a `trace_error`.
template <class N, class... Handles>
[[nodiscard]] constexpr auto range(const N& n, const Handles&... handles) {
  using namespace detail;
  require_turns<N>();
  static_assert(is_handle<N> || sizeof...(Handles) > 0,
                "tfgraph: range(n) with a plain n does not see what traces the loop: name a value "
                "that the loop works on, as in range(n, x); a loop that is to be unrolled is a plain "
                "`for (int i = 0; ...)`");
  if constexpr (have_handles<N, Handles...>) {
    constexpr bool live = are_live<N, Handles...>;
    tracing* const trace = trace_among(n, handles...);
    if (trace != nullptr) (enter_loop(*trace, handles), ...);
    return loop_range(trace, trace == nullptr ? known_index(n) : 0,
                      turn_source<live>{trace, trace != nullptr ? record_turns(*trace, n) : no_node});
  } else {
    return loop_range(nullptr, known_index(n), counted_source{});
  }
}

/// `for (auto row : tg::rows(x))`: the same over the first axis of a traced value. Handles that were
/// made without operands (zeros, constant, ...), if the body works on them alone, are named too.
template <class X, class... Handles>
[[nodiscard]] constexpr auto rows(const X& x, const Handles&... handles) {
  using namespace detail;
  static_assert(is_operand<X>, "tfgraph: rows: only a tensor has rows");
  if constexpr (!is_any<X>)
    static_assert(operand<X>::shape_type::rank > 0, "tfgraph: rows: a tensor of rank 0 has no rows");
  if constexpr (is_handle<X>) {
    tracing* const trace = x.trace();
    row_source<is_live<X>, X> source{trace, no_node, {}};
    index count = 0;
    if (trace != nullptr) {
      (enter_loop(*trace, handles), ...);
      source.x = x.node();
    } else if constexpr (!is_any<X>) {
      source.elements = x.known().evaluate();
      count = source.elements.type.shape[0];
    }
    return loop_range(trace, count, std::move(source));
  } else {
    return loop_range(nullptr, static_cast<index>(x.extent(0)), tensor_row_source<X>{x});
  }
}

namespace detail {

// ---- loops over functions ---------------------------------------------------------------------

/// The loop variables as one structure: the only one itself, or a tuple of several.
template <class S>
[[nodiscard]] constexpr S variables_of(const S& s) {
  return s;
}
template <class A, class B, class... S>
[[nodiscard]] constexpr std::tuple<A, B, S...> variables_of(const A& a, const B& b, const S&... s) {
  return {a, b, s...};
}
/// Calls f with the loop variables, of which there are `Count`.
template <std::size_t Count, class F, class S>
constexpr auto call_with(F& f, S& s) {
  if constexpr (Count == 1) return f(s);
  else return std::apply(f, s);
}

template <class To, class From, class Name>
constexpr void require_agreement() {
  require_no_objection<agreement<Name, To, From>>();
}

struct fori_body {
  static constexpr const char* subject = "fori: loop variable";
  static constexpr const char* giver = "the body";
};
struct while_body {
  static constexpr const char* subject = "while_loop: loop variable";
  static constexpr const char* giver = "the body";
};
struct scan_body {
  static constexpr const char* subject = "scan: loop variable";
  static constexpr const char* giver = "the body";
};

}  // namespace detail

/// fori(n, body, init...): n times `variables = body(i, variables...)`, from `init` on; the variables
/// at the end. With several variables the body returns a tuple, and so does fori. Structures may
/// stand for variables. Their types and shapes stay; what does not agree does not compile, or is a
/// shape_error where only the running program knows.
template <class N, class Body, class... Init>
[[nodiscard]] constexpr auto fori(const N& n, Body body, const Init&... init) {
  using namespace detail;
  require_turns<N>();
  static_assert(sizeof...(Init) > 0, "tfgraph: fori: there is no loop variable");
  const auto start = variables_of(init...);
  using S = std::remove_const_t<decltype(start)>;
  constexpr auto step = [](auto& f, auto i, auto& s) {
    const auto with_turn = [&](auto&... v) { return f(i, v...); };
    return call_with<sizeof...(Init)>(with_turn, s);
  };
  using first = decltype(step(body, index{}, std::declval<S&>()));
  if constexpr (!have_handles<N, Init..., first>) {
    auto s = start;
    const index turns = known_index(n);
    for (index i = 0; i < turns; ++i) s = step(body, i, s);
    return s;
  } else {
    constexpr bool live = are_live<N, Init..., first>;
    using turn = turn_number<live>;
    tracing* trace = trace_among(n, init...);
    if (trace == nullptr) {  // what the body captured may have one
      auto s = handles_for<live>(nullptr, start);
      trace = trace_among(step(body, turn(known_turn(0)), s));
    }
    auto s = handles_for<live>(trace, start);
    require_agreement<S, decltype(step(body, std::declval<turn>(), s)), fori_body>();
    auto turns = loop_range(
        trace, trace == nullptr ? known_index(n) : 0,
        turn_source<live>{trace, trace != nullptr ? record_turns(*trace, n) : no_node});
    for (auto i : turns) assign_leaves<live>(trace, s, step(body, i, s));
    return s;
  }
}

/// while_loop(condition, body, init...): while `condition(variables...)` holds,
/// `variables = body(variables...)`; see fori.
template <class Condition, class Body, class... Init>
[[nodiscard]] constexpr auto while_loop(Condition condition, Body body, const Init&... init) {
  using namespace detail;
  static_assert(sizeof...(Init) > 0, "tfgraph: while_loop: there is no loop variable");
  constexpr std::size_t count = sizeof...(Init);
  const auto start = variables_of(init...);
  using S = std::remove_const_t<decltype(start)>;
  using first = decltype(call_with<count>(condition, std::declval<S&>()));
  if constexpr (!have_handles<Init..., first,
                              decltype(call_with<count>(body, std::declval<S&>()))>) {
    auto s = start;
    while (static_cast<bool>(call_with<count>(condition, s))) s = call_with<count>(body, s);
    return s;
  } else {
    constexpr bool live = are_live<Init..., first>;
    tracing* trace = trace_among(init...);
    if (trace == nullptr) {
      auto s = handles_for<live>(nullptr, start);
      trace = trace_among(call_with<count>(condition, s), call_with<count>(body, s));
    }
    auto s = handles_for<live>(trace, start);
    using asked = decltype(call_with<count>(condition, s));
    if constexpr (!is_any<asked>)
      static_assert(std::is_same_v<typename operand<asked>::value_type, bool> &&
                        operand<asked>::shape_type::rank == 0,
                    "tfgraph: while_loop: the condition must be a bool of rank 0");
    require_agreement<S, decltype(call_with<count>(body, s)), while_body>();
    if (trace == nullptr) {
      while (from_bits<bool>(value_of(call_with<count>(condition, s), dtype::boolean).elements[0]))
        assign_leaves<live>(trace, s, call_with<count>(body, s));
      return s;
    }
    const node_id begin = nodes_of(*trace, call_with<count>(condition, s))[0];
    trace->begin_loop();
    assign_leaves<live>(trace, s, call_with<count>(body, s));
    const node_id again = nodes_of(*trace, call_with<count>(condition, s))[0];
    trace->end_loop(turns_by::condition, begin, again, {});
    return s;
  }
}

namespace detail {

/// The number of rows of a structure of tensors, as its types say it; dyn if they do not.
template <class Xs>
[[nodiscard]] constexpr std::size_t static_rows() {
  std::size_t rows = dyn;
  for_each_leaf_type<Xs>([&]<class Leaf>(std::type_identity<Leaf>) {
    if constexpr (is_input<Leaf> && !is_any<Leaf>) {
      static_assert(operand<Leaf>::shape_type::rank > 0,
                    "tfgraph: scan: a tensor of rank 0 has no rows");
      if constexpr (operand<Leaf>::shape_type::rank > 0)
        if (operand<Leaf>::shape_type::extent(0) != dyn) rows = operand<Leaf>::shape_type::extent(0);
    }
  });
  return rows;
}

/// What a known handle holds, as a tensor or a scalar.
struct make_plain {
  const known* next;

  template <class Leaf>
  constexpr auto operator()(std::type_identity<Leaf>) {
    if constexpr (!is_input<Leaf>) return Leaf{};
    else {
      using T = typename operand<Leaf>::value_type;
      const value v = next++->evaluate();
      if constexpr (operand<Leaf>::shape_type::rank == 0) return from_bits<T>(v.elements.front());
      else {
        typename tensor_of<T, typename operand<Leaf>::shape_type>::type t(v.type.shape);
        for (std::size_t i = 0; i < v.elements.size(); ++i) t.data()[i] = from_bits<T>(v.elements[i]);
        return t;
      }
    }
  }
};

/// scan in a trace, or without one over known values. `step(carry, row)` gives the next carry and
/// what is stacked.
template <bool Live, class Step, class Init, class Xs>
constexpr auto scan_handles(tracing* trace, Step& step, const Init& init, const Xs& xs) {
  auto carry = handles_for<Live>(trace, init);
  list<node_id> all, parameters;
  std::vector<known> known_xs, known_rows;
  index rows = 0;
  const auto next_row = [&](index number) {
    if (trace != nullptr) {
      for (node_id x : all) parameters.push_back(trace->add_parameter(parameter_role::row, x));
    } else {
      known_rows.clear();
      for (const known& x : known_xs)
        known_rows.push_back({false, nullptr, {}, row_of(x.content, number)});
    }
    make_handles_for<Live, row_shape> make{trace, parameters.data(), known_rows.data()};
    return build_like<Xs>(make);
  };
  using outcome = decltype(step(carry, std::declval<decltype(next_row(0))&>()));
  using Y = std::remove_cvref_t<std::tuple_element_t<1, outcome>>;
  require_agreement<Init, std::remove_cvref_t<std::tuple_element_t<0, outcome>>, scan_body>();
  constexpr std::size_t count = static_rows<Xs>();
  list<node_id> stacked;
  std::vector<known> known_stacked;
  if (trace != nullptr) {
    all = nodes_of(*trace, xs);
    trace->begin_loop();
    auto row = next_row(0);
    const auto result = step(carry, row);
    assign_leaves<Live>(trace, carry, std::get<0>(result));
    stacked = nodes_of(*trace, std::get<1>(result));
    trace->end_loop(turns_by::rows, all[0], no_node, span_of(parameters),
                    std::span<node_id>(stacked.data(), stacked.size()));
  } else {
    known_xs = known_of(xs);
    rows = known_xs[0].content.type.shape[0];
    for (const spec& type : leaf_specs<Y>()) {
      spec all_rows{type.type, {rows}};
      for (int i = 0; i < type.shape.rank; ++i) all_rows.shape.push_back(type.shape[i]);
      known_stacked.push_back({false, nullptr, {}, {all_rows, {}}});
    }
    for (index i = 0; i < rows; ++i) {
      auto row = next_row(i);
      const auto result = step(carry, row);
      assign_leaves<Live>(trace, carry, std::get<0>(result));
      std::size_t k = 0;
      for (const known& y : known_of(std::get<1>(result))) {
        auto& elements = known_stacked[k++].content.elements;
        elements.insert(elements.end(), y.content.elements.begin(), y.content.elements.end());
      }
    }
  }
  make_handles_for<Live, stacked_shape<count>> make{trace, stacked.data(), known_stacked.data()};
  return std::pair(std::move(carry), build_like<Y>(make));
}

}  // namespace detail

/// scan(body, init, xs): goes through the rows of xs (a tensor, or a structure of tensors of equally
/// many rows) with `(carry, y) = body(carry, row)`, a pair or tuple; the last carry and all y, stacked
/// along a new first axis. See fori for what carry may be.
template <class Body, class Init, class Xs>
[[nodiscard]] constexpr auto scan(Body body, const Init& init, const Xs& xs) {
  using namespace detail;
  using row = decltype(build_like<Xs>(std::declval<make_handles_for<are_live<Xs>, row_shape>&>()));
  using carried = decltype(build_like<Init>(std::declval<make_handles_for<are_live<Init, Xs>>&>()));
  using first = decltype(body(std::declval<carried&>(), std::declval<row&>()));
  constexpr bool live = are_live<Init, Xs, first>;
  tracing* trace = trace_among(init, xs);
  if constexpr (have_handles<Init, Xs> || live) {
    return scan_handles<live>(trace, body, init, xs);
  } else {
    const auto [last, ys] = scan_handles<live>(trace, body, init, xs);
    const std::vector<known> known_last = known_of(last);
    const std::vector<known> known_ys = known_of(ys);
    make_plain plain_last{known_last.data()}, plain_ys{known_ys.data()};
    return std::pair(build_like<Init>(plain_last), build_like<decltype(ys)>(plain_ys));
  }
}

/// map(f, xs): f of every row of xs, stacked along a new first axis.
template <class F, class Xs>
[[nodiscard]] constexpr auto map(F f, const Xs& xs) {
  const auto step = [&](const std::tuple<>&, auto& row) { return std::pair(std::tuple<>{}, f(row)); };
  return scan(step, std::tuple<>{}, xs).second;
}

}  // namespace tfgraph
