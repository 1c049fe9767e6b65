// tg::function: a callable over tensors, traced once per signature and run as fused kernels.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/execute/constant.hpp>
#include <tfgraph/execute/static.hpp>
#include <tfgraph/function/compiled.hpp>
#include <tfgraph/optimize/explain.hpp>

#include <array>
#include <functional>
#include <optional>

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

/// Whether two structures have leaves of the same element types and shapes.
template <class A, class B>
constexpr bool same_leaves() {
  spec types[2][64] = {};
  std::size_t count[2] = {};
  const auto list = [&](int side) {
    return [&types, &count, side]<class Leaf>(std::type_identity<Leaf>) {
      if constexpr (is_input<Leaf>)
        types[side][count[side]++] = {dtype_of<typename operand<Leaf>::value_type>,
                                      operand<Leaf>::shape_type::value};
    };
  };
  for_each_leaf_type<A>(list(0));
  for_each_leaf_type<B>(list(1));
  bool same = count[0] == count[1];
  for (std::size_t i = 0; same && i < count[0]; ++i) same = types[0][i] == types[1][i];
  return same;
}

/// Copies the elements of one structure's leaves to another's.
template <class From, class To>
constexpr void copy_leaves(const From& from, To& to) {
  if constexpr (std::is_arithmetic_v<From>) {
    if constexpr (std::is_arithmetic_v<To>) to = from;
    else *to.begin() = from;
  } else if constexpr (leaf<From>) {
    auto source = from.begin();
    for (auto& x : to) x = *source++;
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
    using T = typename Leaf::value_type;
    memory.emplace(leaf.size() * sizeof(T));
    T* out = memory->template as<T>();
    for (const T& x : leaf) *out++ = x;
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

/// Whether a structure holds handles.
template <class S>
constexpr bool has_handles() {
  bool found = false;
  for_each_leaf_type<S>([&]<class Leaf>(std::type_identity<Leaf>) {
    found = found || (is_handle<Leaf> && !is_variable<Leaf>);
  });
  return found;
}

}  // namespace detail

/// A traced function. It is a small value; what it is made of lives in the compiler.
///
///   constexpr auto cube = tg::function([](auto x) { return tg::pow(x, 3); });
///   static_assert(cube(2) == 8);
///   tg::tensor<float, 2> y = cube(tg::tensor<float, 2>{10, 20});
///
/// The callable is called with handles (`expr`), once for each combination of argument types. It
/// must have no run-time state, or be a model: an aggregate of `tg::variable`s. `function(model)`
/// owns a copy of the model, `function(std::ref(model))` refers to yours. Called with handles, by
/// another callable that is being traced, it becomes part of that trace.
template <class F, options O = strict_options>
class traced_function {
  using callable = typename detail::callable_of<F>::type;
  static_assert(detail::stateless<callable> || detail::model<callable>,
                "tfgraph: the callable of tg::function has run-time state (captures), which the "
                "compiler cannot see; pass it as an argument");
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
  [[nodiscard]] constexpr auto operator()(const Args&... args) const {
    if constexpr ((detail::has_handles<Args>() || ...)) {
      return original()(args...);
    } else {
      using made = compiled<Args...>;
      typename made::result_maker make;
      auto result = detail::build_like<typename made::symbolic_result>(make);
      if (std::is_constant_evaluated()) {
        if constexpr (detail::model<callable>)
          execute::evaluate(made::optimized::value, result, args..., original());
        else execute::evaluate(made::optimized::value, result, args...);
      } else run<made>(result, false, args...);
      return result;
    }
  }

  /// Calls, and writes the result into an existing tensor or view, or a structure of these. It may
  /// overlap the arguments.
  template <class Out, class... Args>
  constexpr void into(Out&& out, const Args&... args) const {
    using made = compiled<Args...>;
    using Result = typename made::result_type;
    static_assert(detail::same_leaves<std::remove_cvref_t<Out>, Result>(),
                  "tfgraph: into: the output has not the element type and shape of the result");
    if (!std::is_constant_evaluated() && run<made>(out, true, args...)) return;
    const Result result = (*this)(args...);
    detail::copy_leaves(result, out);
  }

  /// The optimised graph for these argument types.
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

  /// The callable itself: it runs operator by operator on tensors, too.
  [[nodiscard]] constexpr const callable& original() const {
    return detail::callable_of<F>::get(callable_);
  }

 private:
  // Writes to the leaves of `out`. If `checked`, only if their memory is contiguous and apart from
  // the inputs; says whether it has.
  template <class Made, class Out, class... Args>
  bool run(Out& out, bool checked, const Args&... args) const {
    if constexpr (detail::model<callable>) {
      return run_with<Made>(out, checked, args..., original());
    } else return run_with<Made>(out, checked, args...);
  }

  template <class Made, class Out, class... Args>
  static bool run_with(Out& out, bool checked, const Args&... args) {
    constexpr std::size_t outputs = Made::optimized::value.output_list.size();
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
    if (direct) execute::run<typename Made::program>(in.data, pointers);
    return direct;
  }

  [[no_unique_address]] F callable_;
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
