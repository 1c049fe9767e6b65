// Functions composed of operators: statistics, softmax and its kin, one_hot, relu. They add no
// operator to graphs; optimisation and differentiation see through them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/math.hpp>
#include <tfgraph/ops/matmul.hpp>
#include <tfgraph/ops/reduce.hpp>
#include <tfgraph/trace/create.hpp>
#include <tfgraph/trace/operators.hpp>

namespace tfgraph {
namespace detail {

/// How many elements of x are combined into one of y, when axes are reduced.
template <class X, class Y, class... Options>
constexpr auto elements_per_result(const X& x, const Y&, Options... options) {
  if constexpr (is_any<X>) {
    if (!is_floating(spec_of(x).type))
      throw dtype_error("mean, var and std need a floating-point type; convert with astype");
    return reduction_function<ops::element_count>{}(x, options...);
  } else {
    using T = typename operand<X>::value_type;
    using Full = typename operand<X>::shape_type;
    using Reduced = typename operand<Y>::shape_type;
    static_assert(std::is_floating_point_v<T>,
                  "tfgraph: mean, var and std need a floating-point type; convert with astype");
    if constexpr (!Full::is_static) return reduction_function<ops::element_count>{}(x, options...);
    else if constexpr (Reduced::size() == 0) return T(1);
    else return static_cast<T>(Full::size() / Reduced::size());
  }
}

}  // namespace detail

/// relu(x): x where it is positive, else 0; NaN stays NaN. Its derivative at 0 is 0.
struct relu_function : composite_function<relu_function> {
  template <class X>
  static constexpr auto compose(const X& x) {
    return where(x <= 0, 0, x);
  }
};
inline constexpr relu_function relu{};

/// mean(x), mean(x, axis<...>), mean(x, axis<...>, keepdims): sum / count. Of nothing: NaN.
struct mean_function : composite_function<mean_function> {
  template <class X, class... Options>
  static constexpr auto compose(const X& x, Options... options) {
    const auto total = sum(x, options...);
    return total / detail::elements_per_result(x, total, options...);
  }
};
inline constexpr mean_function mean{};

/// var(x, ...): the mean of the squared distances from the mean (no correction), in two passes.
struct var_function : composite_function<var_function> {
  template <class X, index... A>
  static constexpr auto compose(const X& x, axis_t<A...> a, keepdims_t) {
    return mean(square(x - mean(x, a, keepdims)), a, keepdims);
  }
  template <class X, index... A>
  static constexpr auto compose(const X& x, axis_t<A...> a) {
    return mean(square(x - mean(x, a, keepdims)), a);
  }
  template <class X>
  static constexpr auto compose(const X& x) {
    return mean(square(x - mean(x, keepdims)));
  }
  template <class X>
  static constexpr auto compose(const X& x, keepdims_t) {
    return mean(square(x - mean(x, keepdims)), keepdims);
  }
};
inline constexpr var_function var{};

/// logsumexp(x, axis<-1>) = log(sum(exp(x))) along an axis, with the largest element subtracted
/// first so that it cannot overflow. (A row of -inf gives -inf.)
struct logsumexp_function : composite_function<logsumexp_function> {
  template <class X, index... A>
  static constexpr auto compose(const X& x, axis_t<A...> a, keepdims_t) {
    const auto largest = max(x, a, keepdims);
    const auto shift = where(isfinite(largest), largest, 0);
    return log(sum(exp(x - shift), a, keepdims)) + shift;
  }
  template <class X, index... A>
  static constexpr auto compose(const X& x, axis_t<A...> a) {
    return squeeze(compose(x, a, keepdims), a);
  }
};
inline constexpr logsumexp_function logsumexp{};

/// softmax(x, axis<-1>) = exp(x - max) / sum(exp(x - max)) along an axis.
struct softmax_function : composite_function<softmax_function> {
  template <class X, index A>
  static constexpr auto compose(const X& x, axis_t<A> a) {
    const auto e = exp(x - max(x, a, keepdims));
    return e / sum(e, a, keepdims);
  }
  template <class X>
  static constexpr auto compose(const X& x) {
    return compose(x, axis<-1>);
  }
};
inline constexpr softmax_function softmax{};

/// log_softmax(x, axis<-1>) = (x - max) - log(sum(exp(x - max))).
struct log_softmax_function : composite_function<log_softmax_function> {
  template <class X, index A>
  static constexpr auto compose(const X& x, axis_t<A> a) {
    const auto shifted = x - max(x, a, keepdims);
    return shifted - log(sum(exp(shifted), a, keepdims));
  }
  template <class X>
  static constexpr auto compose(const X& x) {
    return compose(x, axis<-1>);
  }
};
inline constexpr log_softmax_function log_softmax{};

/// one_hot<float>(labels, constant_c<10>): a new last axis with 1 at the position that the label
/// (an integer) names and 0 elsewhere; labels out of range give zeros.
template <element T>
struct one_hot_function : composite_function<one_hot_function<T>> {
  template <class X, detail::static_value N>
  static constexpr auto compose(const X& labels, N count) {
    if constexpr (detail::is_any<X>)
      return astype<T>(equal(astype<index>(expand_dims(labels, axis<-1>)), arange<index>(count)));
    else {
      using L = typename detail::operand<X>::value_type;
      return astype<T>(equal(expand_dims(labels, axis<-1>), arange<L>(count)));
    }
  }
};
template <element T, class X, detail::static_value N>
[[nodiscard]] constexpr auto one_hot(const X& labels, N count) {
  return one_hot_function<T>{}(labels, count);
}

}  // namespace tfgraph
