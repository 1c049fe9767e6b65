// tg::function: a callable over tensors, traced once per signature and run as fused kernels.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/execute/constant.hpp>
#include <tfgraph/execute/run.hpp>
#include <tfgraph/function/compiled.hpp>
#include <tfgraph/function/live.hpp>
#include <tfgraph/function/plans.hpp>
#include <tfgraph/optimize/explain.hpp>

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tfgraph {
namespace detail {

/// Number of leaves of a structure that are inputs or results.
template <class S>
constexpr std::size_t input_count() {
  std::size_t n = 0;
  for_each_leaf_type<S>(
      [&n]<class Leaf>(std::type_identity<Leaf>) { n += is_input<Leaf> ? 1 : 0; });
  return n;
}

/// The element types and shapes of a structure's leaves, as far as its type says them.
template <class S>
constexpr auto leaf_types() {
  std::array<spec, input_count<S>()> types;
  std::size_t count = 0;
  for_each_leaf_type<S>([&]<class Leaf>(std::type_identity<Leaf>) {
    if constexpr (is_input<Leaf>)
      types[count++] = {dtype_of<typename operand<Leaf>::value_type>,
                        operand<Leaf>::shape_type::value};
  });
  return types;
}

template <class A, class B>
constexpr bool known_leaves_may_match() {
  constexpr auto a = leaf_types<A>();
  constexpr auto b = leaf_types<B>();
  bool match = a.size() == b.size();
  for (std::size_t i = 0; match && i < a.size(); ++i) {
    match = a[i].type == b[i].type && a[i].shape.rank == b[i].shape.rank;
    for (int k = 0; match && k < a[i].shape.rank; ++k)
      match = a[i].shape[k] == b[i].shape[k] || a[i].shape[k] < 0 || b[i].shape[k] < 0;
  }
  return match;
}

/// Whether two structures have leaves of the same element types and of shapes that may be equal.
template <class A, class B>
constexpr bool leaves_may_match() {
  if constexpr (has_any<A>() || has_any<B>()) return true;  // the running program sees
  else return known_leaves_may_match<A, B>();
}
/// Whether the leaves of `out` have these types. A tensor that can only have one type throws if it
/// is not that; an `any_tensor` can take another.
template <class Out>
constexpr bool has_types(const Out& out, std::span<const spec> types) {
  bool all = true;
  std::size_t k = 0;
  for_each_leaf(out, [&]<class Leaf>(const Leaf& leaf) {
    if constexpr (is_input<Leaf>) {
      const spec& type = types[k++];
      const spec found = spec_of(leaf);
      if (found == type) return;
      if constexpr (is_any<Leaf>) {
        all = false;
        return;
      }
      if (found.type != type.type)
        throw dtype_error("into: the output has the element type " +
                          std::string(name_of(found.type)) + ", the result " +
                          std::string(name_of(type.type)));
      throw_shape_error(sentence("into: the output has the shape ")
                        << found.shape << ", the result " << type.shape);
    }
  });
  return all;
}

/// The owning tensor of the type of a tensor or view.
template <class A>
struct tensor_like : tensor_of<typename operand<A>::value_type, typename operand<A>::shape_type> {};

/// Gives one structure's leaves the elements of another's.
template <class From, class To>
constexpr void copy_leaves(From& from, To& to) {
  if constexpr (std::is_arithmetic_v<From>) {
    if constexpr (std::is_arithmetic_v<To>) to = from;
    else *to.begin() = from;
  } else if constexpr (leaf<From>) {
    if constexpr (is_any<From> && is_any<To>) to = std::move(from);
    else if constexpr (is_any<From>) {
      auto typed = from.template to<typename tensor_like<To>::type>();
      copy_leaves(typed, to);
    } else if constexpr (is_any<To>) to = any_tensor(from);
    else {
      auto source = from.begin();
      for (auto& x : to) x = *source++;
    }
  } else {
    auto sources = structure<From>::parts(from);
    auto targets = structure<std::remove_const_t<To>>::parts(to);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (..., copy_leaves(std::get<I>(sources), std::get<I>(targets)));
    }(std::make_index_sequence<std::tuple_size_v<decltype(sources)>>{});
  }
}

/// A leaf whose elements may lie apart: a view.
template <class Leaf>
concept strided_leaf = requires(const Leaf& leaf) { leaf.is_contiguous(); };

template <class S>
constexpr std::size_t strided_count() {
  std::size_t n = 0;
  for_each_leaf_type<S>(
      [&n]<class Leaf>(std::type_identity<Leaf>) { n += strided_leaf<Leaf> ? 1 : 0; });
  return n;
}

template <class Leaf>
constexpr std::size_t bytes_of(const Leaf& leaf) {
  if constexpr (std::is_arithmetic_v<Leaf>) return sizeof leaf;
  else if constexpr (is_any<Leaf>) return leaf.bytes();
  else return leaf.size() * sizeof(typename Leaf::value_type);
}

/// Pointers to the inputs of a call, in the order of the graph's inputs. Strided views are copied.
template <std::size_t N, std::size_t Strided>
struct argument_pointers {
  const void* data[N > 0 ? N : 1] = {};
  std::size_t bytes[N > 0 ? N : 1] = {};
  std::array<std::optional<scratch>, Strided> copies;

  template <class... Args>
  explicit argument_pointers(const Args&... args) {
    std::size_t k = 0;
    std::size_t next_copy = 0;
    [[maybe_unused]] const auto append = [&]<class Leaf>(const Leaf& leaf) {
      if constexpr (is_input<Leaf>) {
        bytes[k] = bytes_of(leaf);
        if constexpr (std::is_arithmetic_v<Leaf>) data[k] = &leaf;
        else data[k] = leaf.data();
        if constexpr (strided_leaf<Leaf>)
          if (!leaf.is_contiguous()) data[k] = copy(leaf, copies[next_copy++]);
        ++k;
      }
    };
    (for_each_leaf(args, append), ...);
  }

  /// Whether memory that is to be written is also an input.
  [[nodiscard]] bool overlaps(const void* out, std::size_t size) const {
    const auto* begin = static_cast<const std::byte*>(out);
    for (std::size_t k = 0; k < N; ++k) {
      const auto* other = static_cast<const std::byte*>(data[k]);
      if (std::less<>{}(begin, other + bytes[k]) && std::less<>{}(other, begin + size)) return true;
    }
    return false;
  }

 private:
  template <class Leaf>
  static const void* copy(const Leaf& leaf, std::optional<scratch>& memory) {
    memory.emplace(bytes_of(leaf));
    const spec type = spec_of(leaf);
    gather(leaf.data(), type.type, type.shape, leaf.strides(), memory->data());
    return memory->data();
  }
};

/// What a function is made of: a stateless callable, a model that it owns, or one that it refers
/// to.
template <class F>
struct callable_of {
  using type = F;
  static constexpr const F& get(const F& f) { return f; }
};
template <class F>
struct callable_of<std::reference_wrapper<F>> {
  using type = std::remove_const_t<F>;
  static constexpr const F& get(const std::reference_wrapper<F>& f) { return f.get(); }
};

/// A tensor of the type that is asked for; its elements do not matter.
template <class A>
[[nodiscard]] any_tensor as_example(const A& a) {
  spec type;
  if constexpr (std::is_same_v<A, spec>) type = a;
  else type = spec_of(a);
  return any_tensor::borrow(type.type, static_cast<const void*>(nullptr), type.shape,
                            row_major(type.shape));
}

/// Whether the compiler traces a callable with what is bound to it.
template <class F>
inline constexpr bool is_bound_in_compiler = false;
template <class F, class... Values>
inline constexpr bool is_bound_in_compiler<bound<F, Values...>> =
    !(has_any<referred_t<Values>>() || ...);

/// Whether a structure holds handles.
template <class S>
constexpr bool has_handles() {
  bool found = false;
  for_each_leaf_type<S>([&]<class Leaf>(std::type_identity<Leaf>) {
    found = found || (is_handle<Leaf> && !is_variable<Leaf>);
  });
  return found;
}

/// Whether a structure holds variables.
template <class S>
constexpr bool holds_variables() {
  bool found = false;
  for_each_leaf_type<S>(
      [&]<class Leaf>(std::type_identity<Leaf>) { found = found || is_variable<Leaf>; });
  return found;
}
/// Whether an argument of a call, as a forwarding reference deduces it, is a model that may change.
template <class A>
inline constexpr bool may_change = [] {
  if constexpr (std::is_lvalue_reference_v<A> && !std::is_const_v<std::remove_reference_t<A>>)
    return holds_variables<std::remove_reference_t<A>>();
  else return false;
}();
template <class F>
inline constexpr bool refers_to_model = false;
template <class F>
  requires(!std::is_const_v<F>)
inline constexpr bool refers_to_model<std::reference_wrapper<F>> = model<F>;

/// Whether none of the inputs that these outputs replace is in a structure that is const.
template <class... Inputs>
constexpr bool may_update(list_view<std::int32_t> updates) {
  std::int32_t first = 0;
  bool all = true;
  const auto check = [&]<class S>(std::type_identity<S>) {
    const auto count = static_cast<std::int32_t>(input_count<S>());
    for (std::int32_t u : updates)
      if (u >= first && u < first + count && std::is_const_v<S>) all = false;
    first += count;
  };
  (check(std::type_identity<Inputs>{}), ...);
  return all;
}

/// Calls f(variable, number of the update) for each input that is to get a new value.
template <class F, class... Inputs>
constexpr void for_each_update(list_view<std::int32_t> updates, F&& f, Inputs&... inputs) {
  std::int32_t input = 0;
  std::size_t next = 0;
  const auto visit = [&]<class Leaf>(Leaf& leaf) {
    if constexpr (is_input<std::remove_const_t<Leaf>>) {
      if constexpr (is_variable<Leaf>)  // one that may change
        if (next < updates.size() && updates[next] == input) f(leaf, next++);
      ++input;
    }
  };
  (for_each_leaf(inputs, visit), ...);
}

template <class T>
constexpr const T& refer_to(const T& x) {
  return x;
}
template <class T>
constexpr T& refer_to(const std::reference_wrapper<T>& x) {
  return x.get();
}

}  // namespace detail

/// A function for one signature, with its graph. It stays when the function or its cache is gone.
template <class Callable, std::size_t Arguments>
class concrete_function {
 public:
  concrete_function(std::shared_ptr<const detail::plan> p, signature s)
      : plan_(std::move(p)), signature_(std::move(s)) {}

  [[nodiscard]] const tfgraph::signature& signature() const { return signature_; }
  /// The optimised graph.
  [[nodiscard]] graph_view graph() const { return plan_->graph(); }

  /// Calls it. A `signature_error` for arguments of other types than the signature's.
  template <class... Args>
    requires(sizeof...(Args) == Arguments)
  [[nodiscard]] auto operator()(const Args&... args) const {
    return call(any_tensor::borrow(args)...);
  }

 private:
  template <class... Any>
  auto call(const Any&... args) const {
    detail::signature_key<static_cast<int>(Arguments)> key;
    (key.push(args.dtype(), args.shape()), ...);
    if (!(signature_ == key))
      throw signature_error("the function is for " + to_string(signature_) + ", not for " +
                            to_string(tfgraph::signature(key)));
    using symbolic = detail::live_result<Callable, Any...>;
    detail::make_result<!detail::leaf<symbolic>> make{plan_->outputs().data()};
    auto result = detail::build_like<symbolic>(make);
    const detail::argument_pointers<Arguments, Arguments> in(args...);
    std::vector<void*> out;
    detail::for_each_leaf(result, [&]<class Leaf>(Leaf& leaf) {
      if constexpr (detail::is_input<Leaf>) out.push_back(leaf.data());
    });
    plan_->run(in.data, out.data());
    return result;
  }

  std::shared_ptr<const detail::plan> plan_;
  tfgraph::signature signature_;
};

/// A traced function. It is a small value; what it is made of lives in the compiler.
///
///   constexpr auto cube = tg::function([](auto x) { return tg::pow(x, 3); });
///   static_assert(cube(2) == 8);
///   tg::tensor<float, 2> y = cube(tg::tensor<float, 2>{10, 20});
///
/// The callable is called with handles, once for each combination of argument types, by the
/// compiler: if it has no run-time state, or is a model, an aggregate of `tg::variable`s
/// (`function(model)` owns a copy of the model, `function(std::ref(model))` refers to yours), or
/// has values bound to it with `bind_front`. With captures, and for arguments of type `any_tensor`,
/// it is the running program that calls it, once for each signature. Tensors that a lambda captures
/// are then inputs by reference, whose elements each call sees as they are; captured numbers, and
/// what the callable computes of captured values alone, are part of the graph, as they were when it
/// was traced.
///
/// Where extents are `dyn`, or all is traced by the running program, a *plan* is made per signature
/// and kept in a cache. Called with handles, by another callable that is being traced, a function
/// becomes part of that trace.
template <class F, options O = strict_options>
class traced_function {
  using callable = typename detail::callable_of<F>::type;
  // With captures, which the compiler cannot look into: the running program traces it.
  static constexpr bool is_closure = !detail::stateless<callable> && !detail::model<callable> &&
                                     !detail::is_bound_in_compiler<callable>;
  template <class... Args>
  static constexpr bool is_live =
      is_closure || (detail::has_any<std::remove_cvref_t<Args>>() || ...);
  static_assert([] {
    if constexpr (detail::model<callable>) return detail::require_model<callable>();
    else return true;
  }());

  template <class... Args>
  using compiled = detail::compiled<callable, O, std::remove_cvref_t<Args>...>;

 public:
  constexpr explicit traced_function(F f) : callable_(std::move(f)) {}

  /// Calls: a scalar for a result of rank 0, else a tensor; structures come back as structures.
  template <class... Args>
    requires(!detail::refers_to_model<F>)
  [[nodiscard]] constexpr auto operator()(const Args&... args) const {
    return call(args...);
  }
  /// The same with models that the callable may assign to: arguments that it takes by reference, or
  /// the model that the function refers to. Their variables change when all has been computed.
  template <class... Args>
    requires(detail::refers_to_model<F> || (detail::may_change<Args> || ...))
  constexpr auto operator()(Args&&... args) const {
    return call(args...);
  }

 private:
  template <class... Args>
  constexpr auto call(Args&... args) const {
    if constexpr ((detail::has_handles<Args>() || ...)) {
      return original()(args...);
    } else if constexpr (is_live<Args...>) {
      return run_live(args...);
    } else {
      using made = compiled<Args...>;
      if constexpr (!made::traced::value.update_list.empty()) {
        return update<made>(args...);
      } else if constexpr (made::is_static) {
        auto result = make_result<made>(typename made::result_maker{made::output_types.data()});
        if (std::is_constant_evaluated()) evaluate(made::optimized::value, result, args...);
        else run(result, false, &execute::run<typename made::program>, args...);
        return result;
      } else if (std::is_constant_evaluated()) {
        const auto types =
            with_state([](const auto&... inputs) { return detail::types_of(inputs...); }, args...);
        const tfgraph::graph bound = detail::bound_or_throw(made::traced::value, types);
        std::vector<spec> outputs;
        for (node_id o : bound.output_list) outputs.push_back(bound.type(o));
        auto result = make_result<made>(typename made::result_maker{outputs.data()});
        evaluate(bound.view(), result, args...);
        return result;
      } else {
        return run_planned<made>(args...);
      }
    }
  }

 public:
  /// Calls, and writes the result into an existing tensor or view, or a structure of these. It may
  /// overlap the arguments.
  template <class Out, class... Args>
  constexpr void into(Out&& out, const Args&... args) const {
    if constexpr (is_live<Args...>) {
      if (!run_live_into(out, args...)) {
        auto result = run_live(args...);
        detail::copy_leaves(result, out);
      }
    } else into_compiled(out, args...);
  }

 private:
  template <class Out, class... Args>
  constexpr void into_compiled(Out& out, const Args&... args) const {
    using made = compiled<Args...>;
    using Result = typename made::result_type;
    static_assert(made::traced::value.update_list.empty(),
                  "tfgraph: into: the function assigns to variables; call it instead");
    static_assert(detail::leaves_may_match<std::remove_const_t<Out>, Result>(),
                  "tfgraph: into: the output has not the element type and shape of the result");
    if (!std::is_constant_evaluated()) {
      if constexpr (made::is_static) {
        if (detail::has_types(out, made::output_types) &&
            run(out, true, &execute::run<typename made::program>, args...))
          return;
      } else if (run_planned_into<made>(out, args...)) return;
    }
    Result result = (*this)(args...);
    detail::copy_leaves(result, out);
  }

 public:
  /// The optimised graph for these argument types. (With dynamic extents, the graph as written,
  /// without nodes that it does not need: each plan has an optimised one of its own.)
  template <class... Args>
  [[nodiscard]] static constexpr graph_view graph() {
    return compiled<Args...>::optimized::value;
  }
  /// The graph as written.
  template <class... Args>
  [[nodiscard]] static constexpr graph_view traced() {
    return compiled<Args...>::traced::value;
  }
  /// What the optimiser did, for these argument types: `to_string(f.explain<Args...>())`.
  template <class... Args>
  [[nodiscard]] static constexpr explanation explain() {
    return tfgraph::explain<O>(compiled<Args...>::traced::value);
  }
  /// What the executor runs.
  template <class... Args>
  [[nodiscard]] static constexpr program_view program() {
    return compiled<Args...>::program::program;
  }

  /// How often the callable was traced for calls whose extents only the running program knows (once
  /// for each combination of argument types, by the compiler), what the cache of their plans holds
  /// and has done, and how to empty it.
  [[nodiscard]] std::size_t trace_count() const { return cache_info().traces; }
  [[nodiscard]] tfgraph::cache_info cache_info() const { return state().plans.info(); }
  void clear_cache() const { state().clear(); }

  /// The function for one signature: of these tensors, or of inputs of these element types and
  /// shapes
  /// (`spec`), all as `any_tensor`.
  template <class... Args>
  [[nodiscard]] auto concrete(const Args&... args) const {
    bool traced = false;
    const auto plan = live_plan(traced, detail::as_example(args)...);
    return concrete_function<callable, sizeof...(Args)>(plan.share(), plan.key().inputs);
  }

  /// The signatures that have a plan, one a line.
  [[nodiscard]] std::string signatures() const {
    std::string text;
    for (const detail::plan_key& key : state().plans.keys()) text += to_string(key.inputs) + "\n";
    return text;
  }

  /// The callable itself: it runs operator by operator on tensors, too.
  [[nodiscard]] constexpr const callable& original() const {
    return detail::callable_of<F>::get(callable_);
  }

 private:
  template <class Made>
  static constexpr auto make_result(typename Made::result_maker make) {
    return detail::build_like<typename Made::symbolic_result>(make);
  }

  // Calls call(args..., the model).
  template <class Call, class... Args>
  constexpr decltype(auto) with_state(Call&& call, const Args&... args) const {
    if constexpr (detail::model<callable>) return call(args..., original());
    else if constexpr (detail::is_bound<callable>)
      return std::apply(
          [&](const auto&... v) -> decltype(auto) { return call(args..., detail::refer(v)...); },
          original().values);
    else return call(args...);
  }

  template <class Result, class... Args>
  constexpr void evaluate(const graph_view& g, Result& result, const Args&... args) const {
    with_state([&](const auto&... inputs) { execute::evaluate(g, result, inputs...); }, args...);
  }

  // Runs a program, which writes to the leaves of `out`. If `checked`, only if their memory is
  // contiguous and apart from the inputs; says whether it has.
  template <class Out, class Program, class... Args>
  bool run(Out& out, bool checked, Program&& program, const Args&... args) const {
    return with_state(
        [&](const auto&... inputs) { return run_with(out, checked, program, inputs...); }, args...);
  }

  template <class Out, class Program, class... Args>
  static bool run_with(Out& out, bool checked, Program&& program, const Args&... args) {
    constexpr std::size_t outputs = detail::input_count<std::remove_const_t<Out>>();
    const detail::argument_pointers<(detail::input_count<Args>() + ... + 0),
                                    (detail::strided_count<Args>() + ... + 0)>
    in(args...);
    void* pointers[outputs > 0 ? outputs : 1] = {};
    std::size_t k = 0;
    bool direct = true;
    detail::for_each_leaf(out, [&]<class Leaf>(Leaf& leaf) {
      if constexpr (detail::is_input<std::remove_const_t<Leaf>>) {
        if constexpr (std::is_arithmetic_v<Leaf>) pointers[k] = &leaf;
        else pointers[k] = leaf.data();
        if constexpr (detail::strided_leaf<Leaf>) direct = direct && leaf.is_contiguous();
        if (checked) direct = direct && !in.overlaps(pointers[k], detail::bytes_of(leaf));
        ++k;
      }
    });
    if (direct) program(in.data, pointers);
    return direct;
  }

  // Calls call(args..., the model), which may change the model.
  template <class Call, class... Args>
  constexpr decltype(auto) with_changing_state(Call&& call, Args&... args) const {
    if constexpr (detail::refers_to_model<F>) return call(args..., callable_.get());
    else if constexpr (detail::is_bound<callable>)
      return std::apply(
          [&](const auto&... v) -> decltype(auto) { return call(args..., detail::refer_to(v)...); },
          original().values);
    else if constexpr (detail::model<callable>) return call(args..., original());
    else return call(args...);
  }

  // A call of a callable that assigns to variables: their new values are further results, which the
  // variables get at the end.
  template <class Made, class... Args>
  constexpr auto update(Args&... args) const {
    static_assert(Made::is_static,
                  "tfgraph: a function that assigns to variables needs arguments of static extents");
    return with_changing_state(
        [](auto&... inputs) { return update_variables<Made>(inputs...); }, args...);
  }
  template <class Made, class Result, class... Inputs>
  static void run_update(Result& result, Inputs&... inputs) {
    constexpr detail::list_view<std::int32_t> updates = Made::traced::value.update_list;
    constexpr std::size_t results = detail::input_count<Result>();
    const detail::argument_pointers<(detail::input_count<Inputs>() + ... + 0),
                                    (detail::strided_count<Inputs>() + ... + 0)>
    in(inputs...);
    void* pointers[results + updates.size()] = {};
    std::size_t k = 0;
    detail::for_each_leaf(result, [&]<class Leaf>(Leaf& leaf) {
      if constexpr (detail::is_input<Leaf>) {
        if constexpr (std::is_arithmetic_v<Leaf>) pointers[k++] = &leaf;
        else pointers[k++] = leaf.data();
      }
    });
    constexpr std::size_t alignment = 64;
    std::size_t bytes = 0;
    const auto aligned = [](std::size_t n) { return (n + alignment - 1) / alignment * alignment; };
    detail::for_each_update(
        updates, [&](auto& v, std::size_t) { bytes += aligned(detail::bytes_of(v)); }, inputs...);
    const detail::scratch fresh(bytes);
    std::byte* next = fresh.data();
    detail::for_each_update(
        updates,
        [&](auto& v, std::size_t u) {
          pointers[results + u] = next;
          next += aligned(detail::bytes_of(v));
        },
        inputs...);
    execute::run<typename Made::program>(in.data, pointers);
    detail::for_each_update(
        updates,
        [&](auto& v, std::size_t u) {
          std::memcpy(v.data(), pointers[results + u], detail::bytes_of(v));
        },
        inputs...);
  }

  template <class Made, class... Inputs>
  static constexpr auto update_variables(Inputs&... inputs) {
    constexpr detail::list_view<std::int32_t> updates = Made::traced::value.update_list;
    static_assert(detail::may_update<Inputs...>(updates),
                  "tfgraph: the function assigns to a variable of a model that is const in this call; "
                  "pass the model itself, or make the function of std::ref(model)");
    auto result = make_result<Made>(typename Made::result_maker{Made::output_types.data()});
    constexpr std::size_t results =
        detail::input_count<std::remove_const_t<decltype(result)>>();
    if (std::is_constant_evaluated()) {
      const std::vector<value> outputs =
          execute::evaluate(Made::optimized::value, result, inputs...);
      detail::for_each_update(
          updates,
          [&]<class Variable>(Variable& v, std::size_t u) {
            std::size_t i = 0;
            for (auto& x : v)
              x = detail::from_bits<typename Variable::value_type>(outputs[results + u].elements[i++]);
          },
          inputs...);
    } else {
      run_update<Made>(result, inputs...);
    }
    if constexpr (std::is_same_v<typename Made::symbolic_result, std::tuple<>>) return;
    else return result;
  }

  template <class Made, class... Args>
  auto run_planned(const Args&... args) const {
    const auto plan = plan_for<Made>(args...);
    auto result = make_result<Made>(typename Made::result_maker{plan->outputs().data()});
    run(result, false, [&](auto in, auto out) { plan->run(in, out); }, args...);
    return result;
  }
  template <class Made, class Out, class... Args>
  bool run_planned_into(Out& out, const Args&... args) const {
    const auto plan = plan_for<Made>(args...);
    return detail::has_types(out, plan->outputs()) &&
           run(out, true, [&](auto in, auto to) { plan->run(in, to); }, args...);
  }

  template <class... Args>
  auto run_live(const Args&... args) const {
    using symbolic = detail::live_result<callable, std::remove_cvref_t<Args>...>;
    bool traced = false;
    const auto plan = live_plan(traced, args...);
    if (traced) state().note_trace(plan.key().inputs);
    detail::make_result<!detail::leaf<symbolic>> make{plan->outputs().data()};
    auto result = detail::build_like<symbolic>(make);
    run_with(result, false, [&](auto in, auto out) { plan->run(in, out); }, args...);
    return result;
  }
  template <class Out, class... Args>
  bool run_live_into(Out& out, const Args&... args) const {
    bool traced = false;
    const auto plan = live_plan(traced, args...);
    if (traced) state().note_trace(plan.key().inputs);
    return detail::has_types(out, plan->outputs()) &&
           run_with(out, true, [&](auto in, auto to) { plan->run(in, to); }, args...);
  }
  template <class... Args>
  auto live_plan(bool& traced, const Args&... args) const {
    return detail::live_plan_for<O>(state(), traced, original(), args...);
  }

  [[nodiscard]] detail::function_state& state() const {
    if constexpr (is_closure) return state_.get();
    else return detail::state_of<callable, O>();
  }

  // The plan of a call with dynamic extents: from the cache, or made.
  template <class Made, class... Args>
  auto plan_for(const Args&... args) const {
    return with_state(
        [&](const auto&... inputs) { return detail::plan_for<callable, O, Made>(inputs...); },
        args...);
  }

  struct no_state {
    constexpr explicit no_state(const options&) {}
  };

  [[no_unique_address]] F callable_;
  [[no_unique_address]] std::conditional_t<is_closure, detail::owned<detail::function_state>,
                                           no_state> state_{O};
};

/// Makes a traced function. The options say what the optimiser may change (nothing, by default):
///   tg::function<tg::numerics::fast>(f)
template <class F>
[[nodiscard]] constexpr auto function(F f) {
  return traced_function<F>(std::move(f));
}
template <options O, class F>
[[nodiscard]] constexpr auto function(F f) {
  return traced_function<F, O>(std::move(f));
}

}  // namespace tfgraph
