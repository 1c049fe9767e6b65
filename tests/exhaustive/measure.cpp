// The largest error of every function, as rows of a table: function, type, number of arguments,
// largest error in units in the last place, where it is, and a checksum of all results.
//
//   measure                  a sample, in seconds; fails if an error is above its bound
//   measure all [function]   all 2^32 floats, and 10^8 doubles (or pairs) a function, in an hour
//   measure bits [function]  checksums alone, of every 17th float and 10^7 doubles
//
// Two stages: a quick reference finds the arguments whose error might be the largest so far, and
// MPFR measures these, and one argument in 2^16 besides, which also bounds the error of the quick
// reference. For floats that is this library's double result, for doubles the long double function
// of the C library (64 bits of significand), or one made of these.
// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "../simd/functions.hpp"

using namespace tests;
using simd::batch;

namespace {

using extended = long double;

// ---- quick references ----

// The recurrence up to 16 and the asymptotic series; the reflection formula; -1/x near 0.
extended digamma(extended x) {
  constexpr extended pi = 3.14159265358979323846264338327950288L;
  if (std::fabs(x) < 0x1p-33L) return -1 / x - 0.57721566490153286060651209008240243L;
  if (x < 0) {
    if (x == std::floor(x)) return std::numeric_limits<extended>::quiet_NaN();
    const extended f = x - std::nearbyint(x);
    return digamma(-x) - 1 / x - pi / std::tan(pi * f);
  }
  extended sum = 0;
  for (; x < 16; x += 1) sum -= 1 / x;
  const extended w = 1 / (x * x);
  const extended series =
      w * (1 / 12.0L -
           w * (1 / 120.0L -
                w * (1 / 252.0L -
                     w * (1 / 240.0L -
                          w * (1 / 132.0L -
                               w * (691 / 32760.0L - w * (1 / 12.0L - w * (3617 / 8160.0L))))))));
  return sum + std::log(x) - 1 / (2 * x) - series;
}

using function = extended (*)(extended);

function quick_reference(const std::string& name) {
  static const std::pair<const char*, function> table[] = {
      {"exp", [](extended v) { return std::exp(v); }},
      {"exp2", [](extended v) { return std::exp2(v); }},
      {"expm1", [](extended v) { return std::expm1(v); }},
      {"log", [](extended v) { return std::log(v); }},
      {"log2", [](extended v) { return std::log2(v); }},
      {"log10", [](extended v) { return std::log10(v); }},
      {"log1p", [](extended v) { return std::log1p(v); }},
      {"sqrt", [](extended v) { return std::sqrt(v); }},
      {"rsqrt", [](extended v) { return 1 / std::sqrt(v); }},
      {"cbrt", [](extended v) { return std::cbrt(v); }},
      {"sin", [](extended v) { return std::sin(v); }},
      {"cos", [](extended v) { return std::cos(v); }},
      {"tan", [](extended v) { return std::tan(v); }},
      {"asin", [](extended v) { return std::asin(v); }},
      {"acos", [](extended v) { return std::acos(v); }},
      {"atan", [](extended v) { return std::atan(v); }},
      {"sinh", [](extended v) { return std::sinh(v); }},
      {"cosh", [](extended v) { return std::cosh(v); }},
      {"tanh", [](extended v) { return std::tanh(v); }},
      {"asinh", [](extended v) { return std::asinh(v); }},
      {"acosh", [](extended v) { return std::acosh(v); }},
      {"atanh", [](extended v) { return std::atanh(v); }},
      {"erf", [](extended v) { return std::erf(v); }},
      {"erfc", [](extended v) { return std::erfc(v); }},
      {"lgamma", [](extended v) { return std::lgamma(v); }},
      {"tgamma", [](extended v) { return std::tgamma(v); }},
      {"digamma", digamma},
      {"sigmoid", [](extended v) { return 1 / (1 + std::exp(-v)); }},
      {"softplus", [](extended v) { return v > 100 ? v : std::log1p(std::exp(v)); }},
  };
  for (const auto& [n, f] : table)
    if (name == n) return f;
  return nullptr;
}

// ---- arguments ----

// Numbers that functions have trouble with: at each the arguments come arbitrarily close.
std::vector<double> hard_points(const std::string& name) {
  constexpr double pi = 3.141592653589793;
  if (name == "exp" || name == "sinh" || name == "cosh" || name == "expm1" || name == "sigmoid" ||
      name == "softplus")
    return {0,
            0x1.62e42fefa39efp-2,
            709.782712893384,
            710.4758600739439,
            -708.3964185322641,
            -745.1332191019411,
            -37.4,
            36.7};
  if (name == "exp2") return {0, 0.5, 1024, -1022, -1074, -1075};
  if (name.starts_with("log")) return {0, 1, 0.75, 1.5, -1, -0.25, 0.5, 0x1p-1022};
  if (name == "sin" || name == "cos" || name == "tan") {
    std::vector<double> v{0, pi / 4, 0x1p30, 6381956970095103 * 0x1p797};
    for (int i = 1; i < 64; ++i) v.push_back(i * pi / 2);
    return v;
  }
  if (name == "asin" || name == "acos" || name == "atanh") return {0, 0.5, -0.5, 1, -1};
  if (name == "atan") return {0, 0.41421356237309503, 1, 2.414213562373095, 0x1p53};
  if (name == "tanh" || name == "asinh") return {0, 0x1p-20, 20, 0x1p60};
  if (name == "acosh") return {1, 0x1p60};
  if (name == "erf" || name == "erfc") return {0, 0.5, -0.5, 1, 6, 26.5, 27.2};
  if (name == "lgamma" || name == "tgamma" || name == "digamma") {
    std::vector<double> v{0, 1, 1.4616321449683622, 2, 4, 8, 171.6243769563027, -170.5, -184.0};
    for (int i = 1; i < 20; ++i) v.push_back(-i);
    // The zeros of lgamma and digamma next to 0.
    for (double zero : {-0.5040830082644554, -1.5734984731623904, -2.4570247382208006,
                        -2.7476826467274127, -3.143580888349981, -3.955294284858598,
                        -2.610720868444144, -3.635293366436901, -4.653237761743142})
      v.push_back(zero);
    return v;
  }
  return {0, 1};
}

// Arguments in the order of their numbers: a quarter random bits, a quarter close to hard points,
// the rest spread over the hard ranges.
class argument_list {
 public:
  argument_list(const std::string& name, const ranges& hard)
      : hard_(hard), points_(hard_points(name)) {}
  template <class T>
  T next() {
    const std::uint64_t bits = random_();
    const auto pick = bits & 7;
    const double unit = static_cast<double>(bits >> 11) * 0x1p-53;
    if (pick < 2) return std::bit_cast<T>(static_cast<simd::scalar::unsigned_of<T>>(random_()));
    if (pick < 4) {
      const double p = points_[(bits >> 3) % points_.size()];
      const double distance = std::ldexp(unit - 0.5, -static_cast<int>(random_() % 60));
      return static_cast<T>(std::fma(p == 0 ? 1 : p, distance, p));
    }
    const auto& [low, high] = hard_[(bits >> 3) % hard_.size()];
    return static_cast<T>(
        std::fma(high - low, static_cast<double>(random_() >> 11) * 0x1p-53, low));
  }

 private:
  std::mt19937_64 random_{7};
  const ranges& hard_;
  std::vector<double> points_;
};

// ---- measuring ----

struct row {
  std::uint64_t arguments = 0, checksum = 0xcbf29ce484222325;
  double error = 0, x = 0, y = 0;  // the largest error and where it is
  double quick_error = 0;          // the largest error of the quick reference that was seen

  template <class T>
  void add_bits(T result) {
    const std::uint64_t bits =
        result != result ? 1 : std::bit_cast<simd::scalar::unsigned_of<T>>(result);
    checksum = (checksum ^ bits) * 0x100000001b3;
  }
  void add(double e, double a, double b = 0) {
    if (!(e > error)) return;
    error = e;
    x = a;
    y = b;
  }
};

// lgamma and digamma have zeros on the negative axis that are no simple numbers. Near these their
// errors in double are small only against 1 (lgamma) or the larger of 1 and log|x| (digamma); there
// that is the number whose last place is the unit.
bool zeros_are_hard(const std::string& name) { return name == "lgamma" || name == "digamma"; }

double least_unit_of(const std::string& name, double x) {
  if (!zeros_are_hard(name) || !(x < 0)) return 0;
  return name == "digamma" && x < -3 ? std::min(std::log(-x), 700.0) : 1;
}

template <class T>
int last_place(extended x) {
  int exponent = 0;
  static_cast<void>(std::frexp(x, &exponent));
  return std::max(exponent, std::numeric_limits<T>::min_exponent) - std::numeric_limits<T>::digits;
}

template <class T>
double exact_error(T x, T y, reference r, double least = 0) {
  big_number argument(60), exact;
  mpfr_set_d(argument.value, static_cast<double>(x), MPFR_RNDN);
  r(exact.value, argument.value);
  if (!mpfr_number_p(exact.value) || !std::isfinite(y) ||
      std::fabs(mpfr_get_d(exact.value, MPFR_RNDN)) >= least)
    return error_in_ulp(y, exact.value);
  mpfr_sub_d(exact.value, exact.value, static_cast<double>(y), MPFR_RNDN);
  return std::fabs(std::ldexp(mpfr_get_d(exact.value, MPFR_RNDN), -last_place<T>(least)));
}

// |y - exact| in units in the last place of `exact`, roughly where that is near a power of two.
template <class T>
double quick_error_in_ulp(T y, extended exact, double least = 0) {
  if (y != y && exact != exact) return 0;
  if (!std::isfinite(y) || !(std::fabs(exact) <= extended(std::numeric_limits<T>::max())))
    return y == static_cast<T>(exact) ? 0 : std::numeric_limits<double>::infinity();
  const extended unit = std::max(std::fabs(exact), extended(least));
  return static_cast<double>(std::ldexp(std::fabs(extended(y) - exact), -last_place<T>(unit)));
}

// Every stride-th float. The quick reference is the double result: candidates are all results that
// are not its rounding and more than the largest error so far away from it. Where float and double
// share their code (gamma functions of negative numbers) it is the long double function.
row measure_floats(const std::string& name, auto f, reference r, std::uint64_t stride,
                   bool only_bits) {
  const bool shared = name == "lgamma" || name == "tgamma" || name == "digamma";
  const auto quick = quick_reference(name);
  constexpr int W = tested_lanes<float>;
  using B = batch<float, W>;
  row result;
  double rough = 0;
  const std::uint64_t blocks = (1ULL << 32) / (stride * 64);  // the same whatever the lanes
  for (std::uint64_t first = 0; first < blocks * stride * 64; first += stride * W) {
    float x[B::size], results[B::size];
    for (std::uint64_t i = 0; i < W; ++i)
      x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(first + stride * i));
    const B v = B::load(x);
    const B y = f(v);
    y.store(results);
    for (float z : results) result.add_bits(z);
    result.arguments += W;
    if (only_bits) continue;
    if (shared && std::signbit(x[0])) {
      for (int i = 0; i < W; ++i) {
        const float a = x[i], b = results[i];
        const double e = quick_error_in_ulp(b, quick(extended(a)));
        if (e > 0.4 && e > result.error - 0.005)
          result.add(exact_error(a, b, r), static_cast<double>(a));
      }
      continue;
    }
    const auto z = f(simd::cast<double>(v));
    // The unit in the last place of the result, from the exponent of z.
    const auto bits =
        simd::bit_cast_to<std::uint64_t>(z) & batch<std::uint64_t, W>(0x7ff0000000000000);
    const auto power = simd::bit_cast_to<double>(bits);
    const auto unit = max(power * batch<double, W>(0x1p-23), batch<double, W>(0x1p-149));
    const auto wide = simd::cast<double>(y);
    const auto error = abs(wide - z) / unit;
    const auto sound = (error <= batch<double, W>(rough)) |
                       simd::mask_cast<double>(y == simd::cast<float>(z)) |
                       (isnan(wide) & isnan(z));
    const bool sampled = (first / (stride * W)) % 4096 == 0;
    if (all(sound) && !sampled) continue;
    for (int i = 0; i < W; ++i) {
      if (sound.get(i) && !(sampled && i == 0)) continue;
      const float a = x[i], b = y.get(i);
      const double e = exact_error(a, b, r);
      result.add(e, static_cast<double>(a));
      if (!sound.get(i)) rough = std::max(rough, std::min(error.get(i), e));
    }
  }
  return result;
}

// Feeds `count` arguments to f, W at a time; quick and exact yield errors in ulp.
template <class T, class Arguments, class F, class Quick, class Exact>
row measure_list(std::uint64_t count, bool only_bits, Arguments arguments, F f, Quick quick,
                 Exact exact) {
  constexpr int W = tested_lanes<T>;
  using B = batch<T, W>;
  constexpr int block = 64;  // the same arguments in the same order, whatever the lanes
  row result;
  for (; result.arguments < count; result.arguments += block) {
    T x[block], y[block], z[block];
    for (int i = 0; i < block; ++i) arguments(x[i], y[i]);
    for (int i = 0; i < block; i += W) f(B::load(x + i), B::load(y + i)).store(z + i);
    for (int i = 0; i < block; ++i) {
      result.add_bits(z[i]);
      if (only_bits) continue;
      const double rough = quick(x[i], y[i], z[i]);
      const bool sampled = i == 0 && result.arguments % (1 << 16) == 0;
      if (rough <= result.error - 0.005 && !sampled) continue;
      if (rough <= 0.4 && !sampled) continue;
      const double e = exact(x[i], y[i], z[i]);
      result.add(e, static_cast<double>(x[i]), static_cast<double>(y[i]));
      if (sampled && rough < 1e3)
        result.quick_error = std::max(result.quick_error, std::fabs(rough - e));
    }
  }
  return result;
}

void print(const char* name, const char* type, const row& r, bool only_bits) {
  std::printf("| `%s` | %s | %.3g |", name, type, static_cast<double>(r.arguments));
  if (!only_bits) std::printf(" %.4f | `%a%s", r.error, r.x, r.y == 0 ? "" : ", ");
  if (!only_bits && r.y != 0) std::printf("%a", r.y);
  if (!only_bits) std::printf("` | %.2g |", r.quick_error);
  std::printf(" %016llx |\n", static_cast<unsigned long long>(r.checksum));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "", only = argc > 2 ? argv[2] : "";
  const bool only_bits = mode == "bits", sample = mode.empty();
  const std::uint64_t stride = sample ? 65521 : only_bits ? 17 : 1;
  const std::uint64_t doubles = sample ? 100000 : only_bits ? 10000000 : 100000000;
  bool good = true;
  const auto report = [&](const std::string& name, const char* type, const row& r, double bound) {
    print(name.c_str(), type, r, only_bits);
    good = good && r.error <= bound;
  };
  for_each_unary([&](const std::string& name, auto f, reference r, const ranges& hard,
                     double single, double twice) {
    if (!only.empty() && only != name) return;
    report(name, "float", measure_floats(name, f, r, stride, only_bits), single);
    const auto quick = quick_reference(name);
    // sign: of all arguments, or 0
    const auto measure = [&](const std::string& title, int sign) {
      argument_list list(name, hard);
      const auto arguments = [&](double& x, double& y) {
        x = list.next<double>();
        if (sign != 0) x = std::copysign(x, sign);
        y = 0;
      };
      report(title, "double",
             measure_list<double>(
                 doubles, only_bits, arguments, [&](auto x, auto) { return f(x); },
                 [&](double x, double, double z) {
                   return quick_error_in_ulp(z, quick(extended(x)), least_unit_of(name, x));
                 },
                 [&](double x, double, double z) {
                   return exact_error(x, z, r, least_unit_of(name, x));
                 }),
             twice);
    };
    if (!zeros_are_hard(name)) return measure(name, 0);
    measure(name + "` of positive `x", 1);
    measure(name + "` of negative `x", -1);
  });
  for_each_binary([&](const char* name, auto f, binary_reference r, auto quick, double single,
                      double twice) {
    if (!only.empty() && only != name) return;
    const ranges hard{{-40, 40}, {0, 2}, {0.9, 1.1}, {-1000, 1000}};
    const auto measure = [&]<class T>(const char* type, double bound, T exponents) {
      argument_list list(name, hard);
      int n = 0;
      const auto pairs = [&](T& x, T& y) {
        x = list.next<T>();
        y = list.next<T>();
        // Every other power with a result in the range.
        if (n++ % 2 == 0 && x > 0 && std::isfinite(x) && x != 1)
          y = std::fmod(y, exponents) / std::fabs(std::log(x));
      };
      const auto exact = [&](T x, T y, T z) {
        big_number p(60), q(60), value;
        mpfr_set_d(p.value, static_cast<double>(x), MPFR_RNDN);
        mpfr_set_d(q.value, static_cast<double>(y), MPFR_RNDN);
        r(value.value, p.value, q.value);
        return error_in_ulp(z, value.value);
      };
      report(
          name, type,
          measure_list<T>(
              doubles, only_bits, pairs, f,
              [&](T x, T y, T z) { return quick_error_in_ulp(z, quick(extended(x), extended(y))); },
              exact),
          bound);
    };
    measure("float", single, 104.0f);
    measure("double", twice, 745.0);
  });
  return good ? 0 : 1;
}
