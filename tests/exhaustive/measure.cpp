// The largest error of every function, as the rows of the table in docs/accuracy.md: name, largest
// error of float and where, largest error of double and where.
//
//   measure            a sample, in seconds
//   measure all        every one of the 2^32 floats, and 2^18 doubles a function, in minutes
//
// Floats are compared with this library's double result, which is itself compared with MPFR; the
// worst float of each function is then measured with MPFR.
// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "../simd/functions.hpp"

using namespace tests;
using simd::batch;

namespace {

struct worst {
  double error = 0, argument = 0;
  bool add(double e, double x) {
    if (!(e > error)) return false;
    error = e;
    argument = x;
    return true;
  }
};

template <class T>
double exact_error(T x, T y, reference r) {
  big_number argument(60), exact;
  mpfr_set_d(argument.value, static_cast<double>(x), MPFR_RNDN);
  r(exact.value, argument.value);
  return error_in_ulp(y, exact.value);
}

// Every stride-th float.
worst measure_floats(auto f, reference r, std::uint64_t stride) {
  constexpr int W = simd::native_lanes<float>;
  using B = batch<float, W>;
  worst result{0.5, 0};  // what agrees with the rounded double is not looked at
  // Errors by comparison with double are rough near the ends of the range only; candidates are
  // measured exactly.
  double rough = 0;
  for (std::uint64_t first = 0; first < (1ULL << 32); first += stride * W) {
    float x[B::size];
    for (std::uint64_t i = 0; i < W; ++i)
      x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(first + stride * i));
    const B v = B::load(x);
    const B y = f(v);
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
    if (all(sound)) continue;
    for (int i = 0; i < W; ++i) {
      if (sound.get(i)) continue;
      const float a = x[i], b = y.get(i);
      const double e = exact_error(a, b, r);
      result.add(e, static_cast<double>(a));
      rough = std::max(rough, std::min(error.get(i), e));
    }
  }
  return result;
}

worst measure_doubles(auto f, reference r, const ranges& hard, int count, bool positive_only) {
  constexpr int W = simd::native_lanes<double>;
  auto x = arguments<double>(hard, count / static_cast<int>(hard.size() + 1), 7);
  while (x.size() % W != 0) x.push_back(1);
  worst result;
  for (std::size_t i = 0; i < x.size(); i += W) {
    const auto y = f(batch<double, W>::load(&x[i]));
    for (int k = 0; k < W; ++k) {
      const double a = x[i + static_cast<std::size_t>(k)];
      if (positive_only && a < 0) continue;
      result.add(exact_error(a, y.get(k), r), a);
    }
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const bool all = argc > 1 && std::strcmp(argv[1], "all") == 0;
  const std::string only = argc > 2 ? argv[2] : "";
  const std::uint64_t stride = all ? 1 : 65521;
  const int doubles = all ? 1 << 18 : 20000;
  bool good = true;
  for_each_unary(
      [&](const char* name, auto f, reference r, const ranges& hard, double single, double twice) {
        if (!only.empty() && only != name) return;
        const bool positive_only =
            std::strcmp(name, "lgamma") == 0 || std::strcmp(name, "digamma") == 0;
        const worst a = measure_floats(f, r, stride);
        const worst b = measure_doubles(f, r, hard, doubles, positive_only);
        std::printf("| %s | %.4f | `%a` | %.4f | `%a` |\n", name, a.error, a.argument, b.error,
                    b.argument);
        std::fflush(stdout);
        good = good && a.error <= single && b.error <= twice;
      });
  return good ? 0 : 1;
}
