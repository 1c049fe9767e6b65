// The gamma function, its logarithm and the derivative of that. All of them are computed in double.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/simd/pow.hpp>
#include <tfgraph/simd/trig.hpp>

namespace tfgraph::simd {
namespace detail {

/// For 0 < x < 8.5: x = 2 + d + k with |d| <= 1/2 (or d = x, k = -2), and the factor between the
/// gamma functions of x and 2 + d: product = (x - 1) ... (x - k) for k > 0, and x or x (x + 1),
/// which divides, for k < 0.
template <class B>
struct gamma_shift {
  B d, k;
  twofold<B> product;
};

template <class B>
constexpr gamma_shift<B> shift_gamma(B x) {
  const B one(1.0), zero(0.0);
  const B k = clamp(nearest_integer(x) - B(2.0), -2.0, 6.0);
  twofold<B> product{select(k < zero, x, one), zero};
  product = {select(k < -one, x * (x + one), product.high),
             select(k < -one, fma(x, x, x - x * (x + one)), zero)};
  for (int j = 1; j <= 6; ++j) {
    const B factor = select(k < B(double(j)), one, x - B(double(j)));
    const auto p = two_product(product.high, factor);
    product = {p.high, fma(product.low, factor, p.low)};
  }
  return {x - (k + B(2.0)), k, product};
}

/// log(gamma(x)) for x >= 8 by Stirling's series: (x - 1/2) (log(x) - 1) + (log(2 pi) - 1) / 2 +
/// S(1/x^2) / x; l is log(x).
template <class B>
constexpr twofold<B> stirling(B x, twofold<B> l) {
  const auto t = two_sum(l.high, B(-1.0));
  const auto a = two_sum(x, B(-0.5));
  const auto p = two_product(a.high, t.high);
  const B p_low = fma(a.high, t.low + l.low, fma(a.low, t.high, p.low));
  const auto sum = two_sum(p.high, B(0x1.acfe390c97d69p-2));
  const B inverse = reciprocal(x);
  // Minimax, relative error 2^-60.
  const B s = polynomial(
      inverse * inverse,
      {0x1.5555555555555p-4, -0x1.6c16c16c14af5p-9, 0x1.a01a017e8a20dp-11, -0x1.38134e15f8cabp-11,
       0x1.b92c937666f79p-11, -0x1.ef980c66fdbfdp-10, 0x1.4c38363fa8affp-8});
  const auto result =
      fast_two_sum(sum.high, fma(s, inverse, sum.low + (p_low + B(0x1.3494bc9001442p-56))));
  const auto finite = isfinite(p.high);
  return {select(finite, result.high, p.high), select(finite, result.low, B(0.0))};
}

/// log(gamma(x)) for finite x > 0.
template <class B>
constexpr twofold<B> log_gamma_of_positive(B x) {
  const auto small = x < B(8.0);
  const auto shift = shift_gamma(select(small, x, B(2.0)));
  // log(gamma(2 + d)) / d (minimax, relative error 2^-60).
  const B q = polynomial(
      shift.d,
      {0x1.b0ee6072093cep-2, 0x1.4a34cc4a60fa7p-2, -0x1.13e001a55760cp-4, 0x1.51322ac7d7fc5p-6,
       -0x1.e404fc218c971p-8, 0x1.7add6eae5cfe1p-9, -0x1.38ac5c2e03555p-10, 0x1.0b36af3394862p-11,
       -0x1.d3fd4aef436ddp-13, 0x1.a127dd5f63b3fp-14, -0x1.78deb07237943p-15, 0x1.5806d05460d2fp-16,
       -0x1.3cb1702eef971p-17, 0x1.2641213c6c1e3p-18, -0x1.129b64f65f77ep-19, 0x1.edea43e9fc683p-21,
       -0x1.cba8d2f265bc7p-22, 0x1.2b5c55eddc2f2p-22, -0x1.245c7533030efp-23});
  const auto p = two_product(shift.d, q);
  const auto l = precise_log(select(small, shift.product.high, x));
  const B l_low = l.low + shift.product.low / shift.product.high;
  const auto down = shift.k < B(0.0);
  const auto sum = two_sum(p.high, select(down, -l.high, l.high));
  const B low = sum.low + (p.low + select(down, -l_low, l_low));
  const auto near = fast_two_sum(sum.high, low);
  const auto far = stirling(select(small, B(8.0), x), l);
  return {select(small, near.high, far.high), select(small, near.low, far.low)};
}

/// |sin(pi x)|, and whether sin(pi x) is negative for x > 0.
template <class B>
struct sine_of_pi {
  twofold<B> magnitude;
  twofold<B> cosine;  // cos(pi x) times the sign of sin(pi x)
  typename B::mask_type negative;
};

template <class B>
constexpr sine_of_pi<B> sin_pi(B x) {
  const B n = round(x), f = x - n, a = abs(f);
  const auto swap = a > B(0.25);
  const B g = select(swap, B(0.5) - a, a);
  const auto p = two_product(g, B(pi_parts<double>::high));
  const auto r = fast_two_sum(p.high, fma(g, B(pi_parts<double>::low), p.low));
  const auto s = sin_of_reduced(r), c = cos_of_reduced(r);
  const B cosine = select(swap, s.high, c.high), cosine_low = select(swap, s.low, c.low);
  const auto odd = trunc(n * B(0.5)) != n * B(0.5);
  return {{select(swap, c.high, s.high), select(swap, c.low, s.low)},
          {select(f < B(0.0), -cosine, cosine), select(f < B(0.0), -cosine_low, cosine_low)},
          odd ^ (f < B(0.0))};
}

template <int W>
constexpr batch<double, W> lgamma(batch<double, W> x) {
  using B = batch<double, W>;
  const B a = abs(x), zero(0.0), infinity(scalar::format<double>::infinity);
  const auto ordinary = (a > zero) & (a < infinity);
  const B safe = select(ordinary, a, B(1.0));
  const auto positive = log_gamma_of_positive(safe);
  B result = positive.high + positive.low;
  if (const auto negative = x < B(-0x1p-60); any(negative)) {
    // gamma(x) gamma(-x) = -pi / (x sin(pi x))
    const auto s = sin_pi(safe).magnitude;
    const auto p = two_product(safe, s.high);
    const B p_low = fma(safe, s.low, p.low);
    const B divisor = select(p.high > zero, p.high, B(1.0));
    const auto l = precise_log(divisor);
    const auto sum = two_sum(l.high, positive.high);
    const auto difference = two_sum(B(0x1.250d048e7a1bdp0), -sum.high);  // log(pi)
    const B low = difference.low - (sum.low + (l.low + positive.low + p_low / divisor)) +
                  B(0x1.7abf2ad8d5088p-57);
    const B reflected = select(p.high > zero, difference.high + low, infinity);
    result = select(negative, reflected, result);
  }
  return select(ordinary, result, select(isnan(x), x, infinity));
}

template <int W>
constexpr batch<double, W> tgamma(batch<double, W> x) {
  using B = batch<double, W>;
  const B a = abs(x), one(1.0), zero(0.0), nan(scalar::format<double>::nan);
  const B safe = select((a > zero) & (a < B(200.0)), a, B(200.0));
  const auto small = safe < B(8.0);
  const auto shift = shift_gamma(select(small, safe, B(2.0)));
  // gamma(2 + d) (minimax, relative error 2^-59).
  const B d = shift.d;
  const B slope = polynomial(
      d,
      {0x1.b0ee6072093cep-2, 0x1.a5b978b96bedp-2, 0x1.4e23998464fbbp-4, 0x1.301fbb0f236cp-4,
       -0x1.17f3740b39fdep-12, 0x1.6d7eeacd7a8edp-7, -0x1.75e6e919dc5cap-9, 0x1.13c448581bb08p-9,
       -0x1.e21f15ccda24bp-11, 0x1.011b280c4e2f8p-11, -0x1.f94bb95a847a1p-13, 0x1.fe3e5869d78fep-14,
       -0x1.fdd0cf488555cp-15, 0x1.007ec81e14691p-15, -0x1.010fb05e94d84p-16, 0x1.e43c178910139p-18,
       -0x1.dd87ee22374e4p-19, 0x1.608900864a856p-19, -0x1.6c2488124c0b7p-20});
  const auto g = fast_two_sum(one, d * slope);
  // gamma(|x|) as top / bottom * 2^n.
  const auto down = shift.k < zero;
  const auto up = two_product(g.high, shift.product.high);
  const B up_low = fma(g.high, shift.product.low, fma(g.low, shift.product.high, up.low));
  const B large = select(small, B(8.0), safe);
  const auto s = stirling(large, precise_log(large));
  const auto [n, r] = reduce_exp(s.high, s.low);
  const auto e = exp_of_reduced(r);
  twofold<B> top{select(small, select(down, g.high, up.high), e.high),
                 select(small, select(down, g.low, up_low), e.low)};
  twofold<B> bottom{select(small & down, shift.product.high, one),
                    select(small & down, shift.product.low, zero)};
  B exponent = select(small, zero, n);
  if (const auto negative = x < zero; any(negative)) {
    // gamma(x) gamma(-x) = -pi / (x sin(pi x))
    const B finite = select(isfinite(a), a, one);
    const auto sine = sin_pi(finite);
    const auto p = two_product(finite, sine.magnitude.high);
    const B p_low = fma(finite, sine.magnitude.low, p.low);
    const auto q = two_product(top.high, p.high);
    const B q_low = fma(top.high, p_low, fma(top.low, p.high, q.low));
    const auto c = two_product(bottom.high, B(pi_parts<double>::high));
    const B c_low = fma(bottom.high, B(pi_parts<double>::low),
                        fma(bottom.low, B(pi_parts<double>::high), c.low));
    const B sign = select(sine.negative, one, -one);
    top = {select(negative, c.high * sign, top.high), select(negative, c_low * sign, top.low)};
    bottom = {select(negative, q.high, bottom.high), select(negative, q_low, bottom.low)};
    exponent = select(negative, -exponent, exponent);
  }
  const auto quotient = divide(top, bottom);
  B result = scale(quotient.high + quotient.low, exponent);
  result = select(a < B(0x1p-60), one / x, result);
  return select(isnan(x) | ((x < zero) & (trunc(x) == x)), nan, result);
}

template <int W>
constexpr batch<double, W> digamma(batch<double, W> x) {
  using B = batch<double, W>;
  const B a = abs(x), one(1.0), zero(0.0);
  const auto small = a < B(8.0);
  // For x < 8: from 1 <= y < 2 with sums of 1 / (y + j), or x + 1 if x < 1.
  const B v = select(small, a, one);
  const auto below = v < one;
  twofold<B> numerator{select(below, -one, zero), zero}, denominator{select(below, v, one), zero};
  for (int j = 1; j <= 6; ++j) {
    const auto used = v >= B(double(j + 1));
    const B factor = select(used, v - B(double(j)), one);
    const auto n = two_product(numerator.high, factor), d = two_product(denominator.high, factor);
    const auto sum = two_sum(n.high, select(used, denominator.high, zero));
    const B rest = fma(numerator.low, factor, n.low) + select(used, denominator.low, zero);
    numerator = fast_two_sum(sum.high, sum.low + rest);
    denominator = {d.high, fma(denominator.low, factor, d.low)};
  }
  const auto quotient = divide(numerator, denominator);
  const B y = select(below, v + one, v - trunc(v) + one);
  // digamma(y) / (y - y0), y0 its positive zero (minimax, relative error 2^-53).
  const B p = polynomial(
      y - B(1.5),
      {0x1.e6f0cbb873617p-1,  -0x1.b1cb63005ee5bp-2,  0x1.eca189b8e6bf9p-3,  -0x1.2feeeb98b0574p-3,
       0x1.8512e59078784p-4,  -0x1.fb44201e4769p-5,   0x1.4de9a9fadf323p-5,  -0x1.b9f8b4c794a73p-6,
       0x1.2564781f557bap-6,  -0x1.8634c4184141dp-7,  0x1.03bfc58a52a3ep-7,  -0x1.5a16ff325fdeap-8,
       0x1.cd47b3efee08cp-9,  -0x1.326174aa496e8p-9,  0x1.97a5891dc8134p-10, -0x1.1a8f7a81fecffp-10,
       0x1.7e0dced2588bep-11, -0x1.73958315ed8d2p-12, 0x1.c74a42cb5b4bfp-13, -0x1.8d1e9be5062cp-12,
       0x1.18ccf2112add1p-12});
  const B to_zero = (y - B(0x1.762d86356be3fp0)) - B(0x1.b86a722197829p-54);
  const B near_low = fma(to_zero, p, quotient.low);
  const B near = near_low + quotient.high;
  // For x >= 8: log(x) - 1/(2 x) + w Y(w), w = 1/x^2 (minimax, relative error 2^-56).
  const B u = select(small, B(8.0), a), inverse = reciprocal(u), w = inverse * inverse;
  const B tail = polynomial(
      w, {-0x1.5555555555555p-4, 0x1.11111111099f1p-7, -0x1.041040c7a1018p-8, 0x1.1110b4cf822abp-8,
          -0x1.f0389f9adfff1p-8, 0x1.532850f8f45f8p-6, -0x1.04d0c844fdc91p-4});
  const B from_log = fnma(w, tail, B(0.5) * inverse);
  const B far = log(u) - from_log;
  B result = select(small, near, far);
  if (const auto negative = x < zero; any(negative)) {
    // digamma(x) = digamma(-x) + 1/(-x) - pi cot(pi x)
    const auto sine = sin_pi(select(isfinite(x), a, one));
    const B pi(pi_parts<double>::high);
    const auto c = two_product(pi, sine.cosine.high);
    const B c_low =
        fma(pi, sine.cosine.low, fma(B(pi_parts<double>::low), sine.cosine.high, c.low));
    const auto cotangent = divide<B>({c.high, c_low}, sine.magnitude);
    // Between negative integers the sum has zeros, so more of digamma(-x) is needed than one double.
    const auto l = precise_log(u);
    const auto near_sum = two_sum(quotient.high, near_low);
    const auto far_sum = two_sum(l.high, -from_log);
    const auto sum = two_sum(select(small, near_sum.high, far_sum.high), cotangent.high);
    const B low = select(small, near_sum.low, far_sum.low + l.low);
    const B reflected = sum.high + (sum.low + ((cotangent.low + low) + reciprocal(a)));
    result =
        select(negative, select(trunc(x) == x, B(scalar::format<double>::nan), reflected), result);
  }
  result = select(a < B(0x1p-60), -one / x, result);
  return select(x == B(-scalar::format<double>::infinity), B(scalar::format<double>::nan), result);
}

// ---- for results in float and arguments that are not negative: relative error 2^-28 ----

/// What gamma functions of x have in common: for x < 4, x = 2 + d + k and the factor between their
/// values at x and 2 + d as above.
template <class B>
struct short_shift {
  typename B::mask_type small, down;
  B d, product;
};

template <class B>
constexpr short_shift<B> short_shift_gamma(B x) {
  const B one(1.0), two(2.0), zero(0.0);
  const B k = clamp(nearest_integer(x) - two, -2.0, 2.0);
  const auto down = k < zero;
  const B first = select(down, x, select(k == zero, one, x - one));
  const B second = select(k < -one, x + one, select(k == two, x - two, one));
  return {x < B(4.0), down, x - (k + two), first * second};
}

/// log(gamma(x)) for x >= 4 from l = log(x) and 1/x, by Stirling's series.
template <class B>
constexpr B short_stirling(B x, B l, B inverse) {
  const B s = polynomial(inverse * inverse, {0x1.555555122078bp-4, -0x1.6c125be9c15ebp-9,
                                             0x1.9d07798a44732p-11, -0x1.fc4052ca6e921p-12});
  return fma(x - B(0.5), l - B(1.0), fma(s, inverse, B(0x1.acfe390c97d69p-2)));
}

template <int W>
constexpr batch<double, W> short_lgamma(batch<double, W> x) {
  using B = batch<double, W>;
  const B infinity(scalar::format<double>::infinity);
  const auto ordinary = (x > B(0.0)) & (x < infinity);
  const B safe = select(ordinary, x, B(1.0));
  const auto [small, down, d, product] = short_shift_gamma(safe);
  // log(gamma(2 + d)) / d (minimax, relative error 2^-33).
  const B q = polynomial(
      d, {0x1.b0ee607074fefp-2, 0x1.4a34cc601a67p-2, -0x1.13dffc9944043p-4, 0x1.5131db471269cp-6,
          -0x1.e40f2d9cc15f2p-8, 0x1.7b0674762ca0dp-9, -0x1.36e465d4ed66fp-10,
          0x1.06f045325f7fap-11, -0x1.09f01b513a005p-12, 0x1.009ee72a2243cp-13});
  const B l = short_log(select(small, product, safe));
  const B near = fma(d, q, select(down, -l, l));
  const B far = short_stirling(safe, l, reciprocal(safe));
  return select(ordinary, select(small, near, far), select(isnan(x), x, infinity));
}

template <int W>
constexpr batch<double, W> short_tgamma(batch<double, W> x) {
  using B = batch<double, W>;
  const B one(1.0), zero(0.0), limit(40.0);
  const B safe = select((x > zero) & (x < limit), x, limit);
  const auto [small, down, d, product] = short_shift_gamma(safe);
  // (gamma(2 + d) - 1) / d (minimax, relative error of gamma 2^-33).
  const B g = fma(d,
                  polynomial(d, {0x1.b0ee6049e80c1p-2, 0x1.a5b9797134c1ep-2, 0x1.4e23d2405086p-4,
                                 0x1.301f3c65c851fp-4, -0x1.1d2934a1093c2p-12, 0x1.6db8c478ae0f5p-7,
                                 -0x1.6fd8685681945p-9, 0x1.0dfa5081f60d1p-9,
                                 -0x1.20e4d5cb611cdp-10, 0x1.434e193c476abp-11}),
                  one);
  const B top = select(small, select(down, g, g * product), one);
  const B quotient = top / select(small, select(down, product, one), safe);
  const B far = short_exp(short_stirling(safe, short_log(safe), quotient));
  const B result = select(x == zero, one / x, select(small, quotient, far));
  return select(isnan(x), x, result);
}

}  // namespace detail

/// log|gamma(x)|; infinite at 0, -1, -2, ... Error below 0.6 ulp (float) and 4 ulp (double); near
/// the zeros between negative integers the error in double is absolute, below 2^-52.
template <floating T, int W>
constexpr batch<T, W> lgamma(batch<T, W> x) {
  const auto v = cast<double>(x);
  if constexpr (std::is_same_v<T, float>) {
    const auto negative = v < batch<double, W>(0.0);
    const auto result = detail::short_lgamma(v);
    return cast<T>(any(negative) ? select(negative, detail::lgamma(v), result) : result);
  } else {
    return detail::lgamma(v);
  }
}

/// The gamma function; NaN at -1, -2, ... Error below 0.6 ulp (float) and 4 ulp (double).
template <floating T, int W>
constexpr batch<T, W> tgamma(batch<T, W> x) {
  const auto v = cast<double>(x);
  if constexpr (std::is_same_v<T, float>) {
    const auto negative = v < batch<double, W>(0.0);
    const auto result = detail::short_tgamma(v);
    return cast<T>(any(negative) ? select(negative, detail::tgamma(v), result) : result);
  } else {
    return detail::tgamma(v);
  }
}

/// The derivative of log(gamma(x)); NaN at -1, -2, ... Error below 0.6 ulp (float) and 4 ulp (double;
/// next to the zeros between negative integers it is absolute, below 2^-53).
template <floating T, int W>
constexpr batch<T, W> digamma(batch<T, W> x) {
  return cast<T>(detail::digamma(cast<double>(x)));
}

}  // namespace tfgraph::simd
