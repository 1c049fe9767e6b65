// Trigonometric functions and their inverses.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/simd/building_blocks.hpp>

namespace tfgraph::simd {
namespace detail {

/// pi/2 in three parts.
inline constexpr double half_pi[] = {0x1.921fb54442d18p0, 0x1.1a62633145c07p-54,
                                     -0x1.f1976b7ed8fbcp-110};

/// An angle as quadrant * pi/2 + r, |r| <= pi/4; the quadrant modulo 4.
template <int W>
struct reduced_angle {
  batch<std::int64_t, W> quadrant;
  twofold<batch<double, W>> r;
};

/// Reduction of a large finite x, exact to 2^-70 relative (Payne and Hanek): x = m 2^e is
/// multiplied by those 192 bits of 2/pi that decide the result modulo 4.
constexpr reduced_angle<1> reduce_large_angle(double x) {
  // 64 zeros, then the binary digits of 2/pi.
  constexpr std::uint64_t digits[] = {0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0,
                                      0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
                                      0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
                                      0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
                                      0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
                                      0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea,
                                      0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};
  const auto [m, e] = scalar::decompose(x);
  const int first = e - 2 + 64;  // digits before this one contribute multiples of 4
  const auto word = [&](int i) {
    const int position = first + 64 * i, shift = position % 64;
    const std::uint64_t left = digits[position / 64], right = digits[position / 64 + 1];
    return shift == 0 ? left : (left << shift) | (right >> (64 - shift));
  };
  const scalar::uint128 low = scalar::uint128{m} * word(2);
  const scalar::uint128 middle = scalar::uint128{m} * word(1) + (low >> 64);
  const std::uint64_t high = m * word(0) + static_cast<std::uint64_t>(middle >> 64);
  // Two bits of quadrant, then the fraction; it is rounded to the nearest quadrant.
  scalar::uint128 fraction = (scalar::uint128{high} << 66) |
                             (scalar::uint128{static_cast<std::uint64_t>(middle)} << 2) |
                             (static_cast<std::uint64_t>(low) >> 62);
  auto quadrant = static_cast<std::int64_t>(high >> 62);
  const bool above_half = (fraction >> 127) != 0;
  if (above_half) {
    fraction = ~fraction + 1;
    ++quadrant;
  }
  // Doubles come as close to a multiple of pi/2 as 2^-61: the leading zeros go first.
  const auto top = static_cast<std::uint64_t>(fraction >> 64);
  const int zeros = top != 0 ? std::countl_zero(top) : 64;
  fraction <<= zeros;
  const double head = static_cast<double>(static_cast<std::uint64_t>(fraction >> 75));
  const double tail =
      static_cast<double>(static_cast<std::uint64_t>(fraction >> 22) & ((1ULL << 53) - 1));
  using B = batch<double, 1>;
  const auto f = fast_two_sum(B(head * scalar::power_of_two<double>(-53 - zeros)),
                              B(tail * scalar::power_of_two<double>(-106 - zeros)));
  const auto p = two_product(f.high, B(half_pi[0]));
  auto r = fast_two_sum(p.high, fma(f.low, B(half_pi[0]), fma(f.high, B(half_pi[1]), p.low)));
  if (above_half != (x < 0)) r = {-r.high, -r.low};
  return {batch<std::int64_t, 1>(x < 0 ? -quadrant : quadrant), r};
}

/// Beyond this, and it is far beyond what programs ask for, angles are reduced lane by lane.
inline constexpr double large_angle = 0x1p30;

template <int W>
[[gnu::noinline]] constexpr reduced_angle<W> reduce_large_lanes(batch<double, W> x,
                                                                reduced_angle<W> angle) {
  using B = batch<double, W>;
  double lane[B::size]{}, high[B::size]{}, low[B::size]{};
  std::int64_t quadrant[B::size]{};
  x.store(lane);
  angle.quadrant.store(quadrant);
  angle.r.high.store(high);
  angle.r.low.store(low);
  for (std::size_t i = 0; i < B::size; ++i) {
    if (!(scalar::magnitude(lane[i]) > large_angle && scalar::is_finite(lane[i]))) continue;
    const auto reduced = reduce_large_angle(lane[i]);
    quadrant[i] = reduced.quadrant.value;
    high[i] = reduced.r.high.value;
    low[i] = reduced.r.low.value;
  }
  return {batch<std::int64_t, W>::load(quadrant), {B::load(high), B::load(low)}};
}

/// Cody and Waite: n * half_pi[0] and its difference from x are exact. For a result in float (T)
/// r.high suffices.
template <class T, int W>
constexpr reduced_angle<W> reduce_angle(batch<double, W> x) {
  using B = batch<double, W>;
  const B n = nearest_integer(x * B(0x1.45f306dc9c883p-1));
  const B difference = fnma(n, B(half_pi[0]), x);
  reduced_angle<W> angle{float_to_integer(n), {}};
  if constexpr (std::is_same_v<T, float>) {
    angle.r = {fnma(n, B(half_pi[1]), difference), B(0.0)};
  } else {
    const auto p = two_product(n, B(half_pi[1]));
    const auto r = two_sum(difference, -p.high);
    angle.r = fast_two_sum(r.high, fnma(n, B(half_pi[2]), r.low - p.low));
  }
  return any(abs(x) > B(large_angle)) ? reduce_large_lanes(x, angle) : angle;
}

/// sin(r) and cos(r) for |r| <= pi/4, each in two parts (minimax, relative error 2^-58 and 2^-64).
template <class B>
constexpr twofold<B> sin_of_reduced(twofold<B> r) {
  const B z = r.high * r.high;
  const B p = polynomial(z, {-0x1.5555555555549p-3, 0x1.111111110f87ap-7, -0x1.a01a019c119a7p-13,
                             0x1.71de3577b7ce7p-19, -0x1.ae5e663b91f14p-26, 0x1.5d930145955bep-33});
  return fast_two_sum(r.high, fma(z * r.high, p, fma(B(-0.5) * z, r.low, r.low)));
}

template <class B>
constexpr twofold<B> cos_of_reduced(twofold<B> r) {
  const auto z = two_product(r.high, r.high);
  const B p =
      polynomial(z.high, {0x1.555555555554cp-5, -0x1.6c16c16c1517ep-10, 0x1.a01a019cb1c0ap-16,
                          -0x1.27e4f809f2b46p-22, 0x1.1ee9ebea8a403p-29, -0x1.8fae9d2241112p-37});
  const auto c = fast_two_sum(B(1.0), B(-0.5) * z.high);
  return fast_two_sum(c.high,
                      c.low + fma(z.high * z.high, p, fnma(r.high, r.low, B(-0.5) * z.low)));
}

/// The same for a result in float: relative error 2^-28 and 2^-33.
template <class B>
constexpr B short_sin_of_reduced(B r) {
  const B z = r * r;
  return fma(z * r,
             polynomial(z, {-0x1.55554596d72f8p-3, 0x1.11075f4d7c44dp-7, -0x1.994e58e79bfa4p-13}),
             r);
}

template <class B>
constexpr B short_cos_of_reduced(B r) {
  const B z = r * r;
  const B p = polynomial(z, {0x1.55554ab2ee79ap-5, -0x1.6c0c8aff9f38p-10, 0x1.9a021f4ca4345p-16});
  return fma(z, fma(z, p, B(-0.5)), B(1.0));
}

/// sin(a + shift * pi/2) for 0 <= a <= 2^12 by arithmetic in float, and whether that could be done:
/// not for larger a, nor for those very close to a multiple of pi/2.
template <int W>
struct fast_sine {
  batch<float, W> value;
  mask<float, W> failed;
};

template <int W>
constexpr fast_sine<W> sin_of_small_angle(batch<float, W> a, std::int32_t shift) {
  using B = batch<float, W>;
  using I = batch<std::int32_t, W>;
  // Cody and Waite: n * (pi/2 to 24 bits) and its difference from a are exact; r in two parts,
  // which are right as long as |r| is not small against the next multiple.
  const B magic(counter<float>), one(1), zero(0);
  const B counted = fma(a, B(0x1.45f306p-1f), magic), n = counted - magic;
  const I quadrant = bit_cast_to<std::int32_t>(counted) + I(shift);
  const B difference = fnma(n, B(0x1.921fb6p0f), a);
  const B r = fnma(n, B(-0x1.777a5cp-25f), difference);
  const B r_low = fnma(n, B(-0x1.ee59dap-50f), fnma(n, B(-0x1.777a5cp-25f), difference - r));
  const auto failed = (abs(r) < a * B(0x1p-24f)) | (a > B(0x1p12f));
  // r + r z S(z) + r_low, or 1 - r^2/2 + z^2 C(z) - r r_low, with z = r^2: both have three terms
  // (minimax, relative error 2^-27 and 2^-32).
  const auto sine = mask_cast<float>((quadrant & I(1)) == I(0));
  const auto pick = [&](float s, float c) { return select(sine, B(s), B(c)); };
  const B z = r * r;
  const B p =
      fma(fma(pick(-0x1.99432ep-13f, 0x1.99eb9cp-16f), z, pick(0x1.110758p-7f, -0x1.6c0c3p-10f)), z,
          pick(-0x1.555546p-3f, 0x1.55554ap-5f));
  const B rest = fma(z * select(sine, r, z), p, r_low * select(sine, one, -r));
  const B value = select(sine, r, one) + fma(select(sine, zero, B(-0.5f) * r), r, rest);
  const I sign = (quadrant & I(2)) << I(30);
  return {bit_cast_to<float>(bit_cast_to<std::int32_t>(value) ^ sign), failed};
}

/// The same for any x.
template <class T, int W>
constexpr batch<T, W> sin_of_any_angle(batch<T, W> x, std::int64_t shift) {
  using I = batch<std::int64_t, W>;
  const auto angle = reduce_angle<T>(cast<double>(x));
  const I quadrant = angle.quadrant + I(shift);
  const auto swap = (quadrant & I(std::int64_t(1))) != I(std::int64_t(0));
  batch<double, W> value;
  if constexpr (std::is_same_v<T, float>)
    value = select(swap, short_cos_of_reduced(angle.r.high), short_sin_of_reduced(angle.r.high));
  else value = select(swap, cos_of_reduced(angle.r).high, sin_of_reduced(angle.r).high);
  const I sign = (quadrant & I(std::int64_t(2))) << I(std::int64_t(62));
  return cast<T>(bit_cast_to<double>(bit_cast_to<std::int64_t>(value) ^ sign));
}

template <int W>
[[gnu::noinline]] constexpr batch<float, W> complete_sine(batch<float, W> x, fast_sine<W> fast,
                                                          std::int64_t shift) {
  return select(fast.failed, sin_of_any_angle(x, shift), fast.value);
}

/// atan(a / b) for 0 <= a <= b, b > 0 and neither of them near the ends of the range, or b == 1; in
/// two parts. From tan(pi/8) on as pi/4 + atan((a - b) / (a + b)).
template <class B>
constexpr twofold<B> atan_of_ratio(B a, B b) {
  using T = typename B::value_type;
  constexpr bool single = std::is_same_v<T, float>;
  const auto upper = a > b * B(T(0.41421356));
  const auto difference = two_sum(a, -b), sum = fast_two_sum(b, a);
  const auto t =
      divide<B>({select(upper, difference.high, a), select(upper, difference.low, B(T(0)))},
                {select(upper, sum.high, b), select(upper, sum.low, B(T(0)))});
  // (atan(t) - t) / t^3 for |t| <= tan(pi/8) (minimax; relative error of atan: float 2^-30, double
  // 2^-59).
  const B z = t.high * t.high;
  B p;
  if constexpr (single)
    p = polynomial(
        z, {-0x1.55554ap-2f, 0x1.9991a6p-3f, -0x1.23b636p-3f, 0x1.b1fa18p-4f, -0x1.f22b0ep-5f});
  else
    p = polynomial(z, {-0x1.555555555553dp-2, 0x1.9999999995864p-3, -0x1.24924922ad9cep-3,
                       0x1.c71c70e632c37p-4, -0x1.745cf8e036116p-4, 0x1.3b11194fb07dp-4,
                       -0x1.10ebb98ac63b4p-4, 0x1.df0f4c67653fbp-5, -0x1.9cd26ec522d2p-5,
                       0x1.37d40272e246dp-5, -0x1.2564df59bc586p-6});
  const B base_high =
      select(upper, B(single ? T(0x1.921fb6p-1) : T(0x1.921fb54442d18p-1)), B(T(0)));
  const B base_low =
      select(upper, B(single ? T(-0x1.777a5cp-26) : T(0x1.1a62633145c07p-55)), B(T(0)));
  const auto result = fast_two_sum(base_high, t.high);
  return fast_two_sum(result.high, result.low + (base_low + fma(z * t.high, p, t.low)));
}

/// c - x for a multiple c of pi/2 in two parts, rounded.
template <class T, int W>
constexpr batch<T, W> subtract_from(T high, T low, twofold<batch<T, W>> x) {
  const auto difference = two_sum(batch<T, W>(high), -x.high);
  return difference.high + (difference.low + (batch<T, W>(low) - x.low));
}

template <class T>
struct pi_parts {
  static constexpr bool single = std::is_same_v<T, float>;
  static constexpr T high = single ? T(0x1.921fb6p1) : T(0x1.921fb54442d18p1);
  static constexpr T low = single ? T(-0x1.777a5cp-24) : T(0x1.1a62633145c07p-53);
};

}  // namespace detail

/// The sine, for arguments of any size. Error below 0.9 ulp.
template <floating T, int W>
constexpr batch<T, W> sin(batch<T, W> x) {
  if constexpr (std::is_same_v<T, float>) {
    auto fast = detail::sin_of_small_angle(abs(x), 0);
    fast.value = select(signbit(x), -fast.value, fast.value);
    return any(fast.failed) ? detail::complete_sine(x, fast, 0) : fast.value;
  } else {
    return select(x == batch<T, W>(T(0)), x, detail::sin_of_any_angle(x, 0));
  }
}

/// The cosine, for arguments of any size. Error below 0.9 ulp.
template <floating T, int W>
constexpr batch<T, W> cos(batch<T, W> x) {
  if constexpr (std::is_same_v<T, float>) {
    const auto fast = detail::sin_of_small_angle(abs(x), 1);
    return any(fast.failed) ? detail::complete_sine(x, fast, 1) : fast.value;
  } else {
    return detail::sin_of_any_angle(x, 1);
  }
}

/// The tangent, for arguments of any size. Error below 0.6 ulp (float) and 0.9 ulp (double).
template <floating T, int W>
constexpr batch<T, W> tan(batch<T, W> x) {
  using B = batch<double, W>;
  using I = batch<std::int64_t, W>;
  const auto angle = detail::reduce_angle<T>(cast<double>(x));
  const auto swap = mask_cast<double>((angle.quadrant & I(std::int64_t(1))) != I(std::int64_t(0)));
  B value;
  if constexpr (std::is_same_v<T, float>) {
    const B s = detail::short_sin_of_reduced(angle.r.high),
            c = detail::short_cos_of_reduced(angle.r.high);
    value = select(swap, -c, s) / select(swap, s, c);
  } else {
    const auto s = detail::sin_of_reduced(angle.r), c = detail::cos_of_reduced(angle.r);
    const auto q = detail::divide<B>({select(swap, -c.high, s.high), select(swap, -c.low, s.low)},
                                     {select(swap, s.high, c.high), select(swap, s.low, c.low)});
    value = q.high + q.low;
  }
  return select(x == batch<T, W>(T(0)), x, cast<T>(value));
}

namespace detail {

/// asin(x) as sign, and for |x| > 1/2 as pi/2 - 2 asin(sqrt((1 - |x|) / 2)): the part that is a
/// small asin.
template <class B>
struct asin_parts {
  typename B::mask_type large;
  twofold<B> small;  // asin(|x|), or 2 asin(sqrt((1 - |x|) / 2))
};

template <class B>
constexpr asin_parts<B> split_asin(B x) {
  using T = typename B::value_type;
  const B a = abs(x), half(T(0.5));
  const auto large = a > half;
  const B z = select(large, half - half * a, a * a);
  const B root = sqrt(z);
  const B root_low = fnma(root, root, z) * (half / root);
  const B s = select(large, root + root, a);
  const B s_low = select(large & (z > B(T(0))), root_low + root_low, B(T(0)));
  // (asin(s) - s) / s^3 for |s| <= 1/2 (minimax; relative error of asin: float 2^-31, double
  // 2^-59).
  B p;
  if constexpr (std::is_same_v<T, float>)
    p = polynomial(z, {0x1.55554cp-3f, 0x1.33388ep-4f, 0x1.6cac3ap-5f, 0x1.04a666p-5f,
                       0x1.d7f178p-7f, 0x1.33bc04p-5f});
  else
    p = polynomial(
        z, {0x1.5555555555578p-3, 0x1.333333332df7ap-4, 0x1.6db6db7226427p-5, 0x1.f1c71a8db0492p-6,
            0x1.6e8bdfa85287cp-6, 0x1.1c49e29cfd97fp-6, 0x1.ca20d09a1f8b4p-7, 0x1.757b67916a698p-7,
            0x1.61744f6ccb8a1p-7, 0x1.e2b9c68cd5c45p-9, 0x1.6493f733b2b6p-6, -0x1.59561c3c323e7p-6,
            0x1.0bb0d432c615fp-5});
  return {large, fast_two_sum(s, fma(s * z, p, s_low))};
}

}  // namespace detail

/// The arcsine; NaN outside [-1, 1]. Error below 0.8 ulp.
template <floating T, int W>
constexpr batch<T, W> asin(batch<T, W> x) {
  const auto [large, small] = detail::split_asin(x);
  const auto folded =
      detail::subtract_from(detail::pi_parts<T>::high / 2, detail::pi_parts<T>::low / 2, small);
  return copysign(select(large, folded, small.high), x);
}

/// The arccosine; NaN outside [-1, 1]. Error below 0.8 ulp.
template <floating T, int W>
constexpr batch<T, W> acos(batch<T, W> x) {
  using B = batch<T, W>;
  const auto [large, small] = detail::split_asin(x);
  const mask<T, W> negative = x < B(T(0));
  // pi/2 - asin(x), or from the other end: 2 asin(...) and pi - 2 asin(...).
  const detail::twofold<B> signed_small{select(negative, -small.high, small.high),
                                        select(negative, -small.low, small.low)};
  const B middle = detail::subtract_from(detail::pi_parts<T>::high / 2,
                                         detail::pi_parts<T>::low / 2, signed_small);
  const B reflected =
      detail::subtract_from(detail::pi_parts<T>::high, detail::pi_parts<T>::low, small);
  return select(large, select(negative, reflected, small.high), middle);
}

/// The arctangent. Error below 1 ulp.
template <floating T, int W>
constexpr batch<T, W> atan(batch<T, W> x) {
  using B = batch<T, W>;
  const B one(T(1)), a = abs(x);
  const mask<T, W> inverted = a > one;
  // Beyond `huge` the result is pi/2; it keeps the ratio away from the end of the range.
  constexpr T huge = 4 / (std::numeric_limits<T>::epsilon() * std::numeric_limits<T>::epsilon());
  const B finite = detail::clamp(a, T(0), huge);
  const auto r =
      detail::atan_of_ratio(select(inverted, one, finite), select(inverted, finite, one));
  const B reflected =
      detail::subtract_from(detail::pi_parts<T>::high / 2, detail::pi_parts<T>::low / 2, r);
  const B result = copysign(select(inverted, reflected, r.high), x);
  return select(a < B(std::numeric_limits<T>::epsilon() / 4), x, result);
}

/// The angle of the point (x, y), between -pi and pi, with the signs and limits of IEEE 754. Error
/// below 1 ulp.
template <floating T, int W>
constexpr batch<T, W> atan2(batch<T, W> y, batch<T, W> x) {
  using B = batch<T, W>;
  using parts = detail::pi_parts<T>;
  const B zero(T(0)), one(T(1)), infinity(scalar::format<T>::infinity);
  const B ax = abs(x), ay = abs(y);
  const mask<T, W> inverted = ay > ax;
  B a = select(inverted, ax, ay), b = select(inverted, ay, ax);  // a <= b
  // Infinities: only the direction counts.
  const mask<T, W> both = a == infinity;
  a = select(both, one, select(b == infinity, zero, a));
  b = select(both | (b == infinity) | (b == zero), one, b);
  // Scaled away from the ends of the range.
  const B factor =
      select(b > B(scalar::format<T>::large), B(scalar::format<T>::small),
             select(b < B(scalar::format<T>::small), B(scalar::format<T>::large), one));
  const B p = a * factor, q = b * factor;
  auto r = detail::atan_of_ratio(p, q);
  // A ratio near the smallest numbers is its own arctangent, and nothing may be lost of it.
  const B ratio = p / q;
  const mask<T, W> tiny = ratio < B(std::numeric_limits<T>::epsilon() / 4);
  r = {select(tiny, ratio, r.high), select(tiny, zero, r.low)};
  // From the first octant to the half plane y >= 0.
  const mask<T, W> left = signbit(x);
  const B sign_x = copysign(one, x);
  const detail::twofold<B> mirrored{r.high * sign_x, r.low * sign_x};
  const B upright = detail::subtract_from(parts::high / 2, parts::low / 2, mirrored);
  const B reflected = detail::subtract_from(parts::high, parts::low, r);
  const B result = copysign(select(inverted, upright, select(left, reflected, r.high)), y);
  return select(isnan(x) | isnan(y), B(scalar::format<T>::nan), result);
}

}  // namespace tfgraph::simd
