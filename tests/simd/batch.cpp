// Types and simple functions: every element type at every width against plain scalar code.
// SPDX-License-Identifier: BSL-1.0
#include "lanes.hpp"

using namespace tests;

namespace {

template <class T>
T wrap(std::uint64_t x) {
  return static_cast<T>(x);
}

template <class T>
T wrap_sum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return a + b;
  else return wrap<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

template <class T, int W>
void check_arithmetic() {
  const auto u = [](T x) { return static_cast<std::uint64_t>(x); };
  check<T, W>("==", [](auto a, auto b) { return a == b; }, [](T a, T b) { return a == b; });
  check<T, W>("!=", [](auto a, auto b) { return a != b; }, [](T a, T b) { return a != b; });
  check<T, W>("<", [](auto a, auto b) { return a < b; }, [](T a, T b) { return a < b; });
  check<T, W>("<=", [](auto a, auto b) { return a <= b; }, [](T a, T b) { return a <= b; });
  check<T, W>(">", [](auto a, auto b) { return a > b; }, [](T a, T b) { return a > b; });
  check<T, W>(">=", [](auto a, auto b) { return a >= b; }, [](T a, T b) { return a >= b; });
  check<T, W>(
      "^ of masks", [](auto a, auto b) { return (a < b) ^ (a == a); },
      [](T a, T b) { return (a < b) != (a == a); });
  check<T, W>(
      "~ of masks", [](auto a, auto b) { return ~(a < b); }, [](T a, T b) { return !(a < b); });
  check<T, W>(
      "select", [](auto a, auto b) { return select(a < b, b, a); },
      [](T a, T b) { return a < b ? b : a; });
  check<T, W>(
      "select by !=", [](auto a, auto b) { return select(a != b, b, a + b); },
      [](T a, T b) { return a != b ? b : wrap_sum(a, b); });
  if constexpr (std::is_floating_point_v<T>) {
    check<T, W>("+", [](auto a, auto b) { return a + b; }, [](T a, T b) { return a + b; });
    check<T, W>("-", [](auto a, auto b) { return a - b; }, [](T a, T b) { return a - b; });
    check<T, W>("*", [](auto a, auto b) { return a * b; }, [](T a, T b) { return a * b; });
    check<T, W>("/", [](auto a, auto b) { return a / b; }, [](T a, T b) { return a / b; });
    check<T, W>(
        "fma", [](auto a, auto b) { return fma(a, b, a); },
        [](T a, T b) { return std::fma(a, b, a); });
    check<T, W>("negation", [](auto a, auto) { return -a; }, [](T a, T) { return -a; });
    check<T, W>("abs", [](auto a, auto) { return abs(a); }, [](T a, T) { return std::fabs(a); });
    check<T, W>(
        "copysign", [](auto a, auto b) { return copysign(a, b); },
        [](T a, T b) { return std::copysign(a, b); });
    check<T, W>("sqrt", [](auto a, auto) { return sqrt(a); }, [](T a, T) { return std::sqrt(a); });
    check<T, W>(
        "floor", [](auto a, auto) { return floor(a); }, [](T a, T) { return std::floor(a); });
    check<T, W>("ceil", [](auto a, auto) { return ceil(a); }, [](T a, T) { return std::ceil(a); });
    check<T, W>(
        "trunc", [](auto a, auto) { return trunc(a); }, [](T a, T) { return std::trunc(a); });
    check<T, W>(
        "round", [](auto a, auto) { return round(a); }, [](T a, T) { return std::nearbyint(a); });
    check<T, W>(
        "isnan", [](auto a, auto) { return isnan(a); }, [](T a, T) { return std::isnan(a); });
    check<T, W>(
        "isinf", [](auto a, auto) { return isinf(a); }, [](T a, T) { return std::isinf(a); });
    check<T, W>(
        "isfinite", [](auto a, auto) { return isfinite(a); },
        [](T a, T) { return std::isfinite(a); });
    check<T, W>(
        "signbit", [](auto a, auto) { return signbit(a); }, [](T a, T) { return std::signbit(a); });
    const auto larger = [](T a, T b) {
      return a != a || b != b ? a + b : a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b);
    };
    const auto smaller = [](T a, T b) {
      return a != a || b != b ? a + b : a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b);
    };
    check<T, W>("max", [](auto a, auto b) { return max(a, b); }, larger);
    check<T, W>("min", [](auto a, auto b) { return min(a, b); }, smaller);
  } else {
    check<T, W>(
        "+", [](auto a, auto b) { return a + b; }, [u](T a, T b) { return wrap<T>(u(a) + u(b)); });
    check<T, W>(
        "-", [](auto a, auto b) { return a - b; }, [u](T a, T b) { return wrap<T>(u(a) - u(b)); });
    check<T, W>(
        "*", [](auto a, auto b) { return a * b; }, [u](T a, T b) { return wrap<T>(u(a) * u(b)); });
    check<T, W>(
        "negation", [](auto a, auto) { return -a; }, [u](T a, T) { return wrap<T>(0 - u(a)); });
    check<T, W>(
        "abs", [](auto a, auto) { return abs(a); },
        [u](T a, T) { return wrap<T>(a < T(0) ? 0 - u(a) : u(a)); });
    check<T, W>(
        "&", [](auto a, auto b) { return a & b; }, [u](T a, T b) { return wrap<T>(u(a) & u(b)); });
    check<T, W>(
        "|", [](auto a, auto b) { return a | b; }, [u](T a, T b) { return wrap<T>(u(a) | u(b)); });
    check<T, W>(
        "^", [](auto a, auto b) { return a ^ b; }, [u](T a, T b) { return wrap<T>(u(a) ^ u(b)); });
    check<T, W>("~", [](auto a, auto) { return ~a; }, [u](T a, T) { return wrap<T>(~u(a)); });
    check<T, W>(
        "<<", [](auto a, auto b) { return a << (b & decltype(b)(T(7))); },
        [u](T a, T b) { return wrap<T>(u(a) << (u(b) & 7)); });
    check<T, W>(
        ">>", [](auto a, auto b) { return a >> (b & decltype(b)(T(7))); },
        [u](T a, T b) { return T(a >> (u(b) & 7)); });
    const auto quotient = [u](T a, T b) {
      return b == 0 ? T(0) : std::is_signed_v<T> && b == T(-1) ? wrap<T>(0 - u(a)) : T(a / b);
    };
    check<T, W>("trunc_div", [](auto a, auto b) { return trunc_div(a, b); }, quotient);
    check<T, W>(
        "floor_div and floor_mod",
        [](auto a, auto b) { return floor_div(a, b) * b + floor_mod(a, b); },
        [](T a, T) { return a; });
    check<T, W>(
        "sign of floor_mod", [](auto a, auto b) { return sign(floor_mod(a, b)) * sign(b); },
        [](T a, T b) {
          return b == 0 ? T(0) : std::is_signed_v<T> && b == T(-1) ? T(0) : T(a % b != 0);
        });
    check<T, W>(
        "max", [](auto a, auto b) { return max(a, b); }, [](T a, T b) { return a < b ? b : a; });
    check<T, W>(
        "min", [](auto a, auto b) { return min(a, b); }, [](T a, T b) { return b < a ? b : a; });
  }
  check<T, W>(
      "sign", [](auto a, auto) { return sign(a); },
      [](T a, T) { return a > T(0)   ? T(1)
                          : a < T(0) ? T(T(0) - T(1))
                                     : a; });
}

template <class T, int W>
void check_memory() {
  using B = batch<T, W>;
  for_all_pairs<T, W>([](const auto& a, const auto& b) {
    for (int n = 0; n <= W; ++n) {
      // The memory ends after n elements, so that a sanitizer sees any access beyond.
      std::vector<T> part(a.begin(), a.begin() + n), copy(part.size());
      const auto x = B::load_partial(part.data(), n);
      x.store_partial(copy.data(), n);
      for (int k = 0; k < W; ++k)
        CHECK(same(x.get(k), k < n ? part[static_cast<std::size_t>(k)] : T(0)));
      for (std::size_t k = 0; k < part.size(); ++k) CHECK(same(copy[k], part[k]));
    }
    const auto m = B::load(a.data()) < B::load(b.data());
    std::array<bool, B::size> flags;
    m.store(flags.data());
    bool some = false, every = true;
    for (std::size_t k = 0; k < flags.size(); ++k) {
      CHECK(flags[k] == (a[k] < b[k]));
      some = some || flags[k];
      every = every && flags[k];
    }
    CHECK(any(m) == some);
    CHECK(all(m) == every);
    CHECK(!any(mask<T, W>::load(flags.data()) ^ m));
  });
  std::array<T, 3 * B::size> spread;
  for (std::size_t i = 0; i < spread.size(); ++i) spread[i] = static_cast<T>(i % 128);
  const auto strided = B::load_strided(spread.data(), 3);
  const auto backwards = B::load_strided(spread.data() + W - 1, -1);
  for (int k = 0; k < W; ++k) {
    CHECK(strided.get(k) == static_cast<T>(3 * k % 128));
    CHECK(backwards.get(k) == static_cast<T>(W - 1 - k));
    CHECK(B::iota().get(k) == static_cast<T>(k));
    CHECK(B(T(7)).get(k) == T(7));
  }
}

// Straight-line code, whose constants come from memory, with everything in integer registers at the end.
template <class T, int W>
[[gnu::noinline]] void keep_or_copy_sign(const T* x, const T* y, simd::scalar::unsigned_of<T>* z) {
  using B = batch<T, W>;
  const B a = B::load(x), b = B::load(y) * B(T(3));
  const B result = select(abs(a) < B(T(3)), a, copysign(b, a));
  simd::bit_cast_to<simd::scalar::unsigned_of<T>>(result).store(z);
}

template <class T, int W>
void check_selection_of_signs() {
  T x[static_cast<std::size_t>(W)], y[static_cast<std::size_t>(W)];
  simd::scalar::unsigned_of<T> z[static_cast<std::size_t>(W)];
  for (int i = 0; i < W; ++i) {
    x[i] = static_cast<T>(i % 2 == 0 ? 4 * i : -4 * i);
    y[i] = static_cast<T>(10 + i);
  }
  keep_or_copy_sign<T, W>(x, y, z);
  CAPTURE(W);
  for (int i = 0; i < W; ++i)
    CHECK(same(std::bit_cast<T>(z[i]),
               std::fabs(x[i]) < 3 ? x[i] : std::copysign(y[i] * 3, x[i])));
}

}  // namespace

TEST_CASE_TEMPLATE("arithmetic, comparison and selection", T, ELEMENT_TYPES) {
  check_every_width<T>([]<class U, int W> { check_arithmetic<U, W>(); });
}

TEST_CASE_TEMPLATE("a selection between an argument and its sign copied", T, float, double) {
  check_selection_of_signs<T, 2>();
  check_selection_of_signs<T, 4>();
  check_selection_of_signs<T, 8>();
  check_selection_of_signs<T, 16>();
}

TEST_CASE_TEMPLATE("whole and partial loads and stores", T, ELEMENT_TYPES) {
  check_every_width<T>([]<class U, int W> { check_memory<U, W>(); });
}

TEST_CASE_TEMPLATE("reductions have one order at every width", T, float, double) {
  std::array<T, 16> x;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = T(1) / T(i + 3);
  auto expected = x;
  for (std::size_t n = 8; n > 0; n /= 2)
    for (std::size_t i = 0; i < n; ++i) expected[i] = expected[i] + expected[i + n];
  CHECK(same(reduce_add(batch<T, 16>::load(x.data())), expected[0]));
  CHECK(reduce_max(batch<T, 16>::load(x.data())) == x[0]);
  CHECK(reduce_min(batch<T, 16>::load(x.data())) == x[15]);
}

// ---- what a scalar batch is in a constant expression ----

namespace {

template <class T>
constexpr bool special_results_are_constants() {
  using limits = std::numeric_limits<T>;
  using S = batch<T, 1>;
  const S inf(limits::infinity()), nan(limits::quiet_NaN()), big(limits::max()), zero(T(0)),
      one(T(1)), tiny(limits::denorm_min());
  const auto is_nan = [](S x) { return x.value != x.value; };
  return (big + big).value == inf.value && (big * big).value == inf.value &&
         (one / zero).value == inf.value && is_nan(inf - inf) && is_nan(zero * inf) &&
         is_nan(zero / zero) && is_nan(nan + one) && is_nan(sqrt(-one)) &&
         (tiny * S(T(0.5))).value == 0 && (-one / inf).value == 0 &&
         fma(big, S(T(2)), -big).value == big.value && fma(big, big, -inf).value == -inf.value &&
         sqrt(big).value > 1 && (big - big).value == 0;
}

}  // namespace

static_assert(special_results_are_constants<float>());
static_assert(special_results_are_constants<double>());
static_assert((batch<int, 1>(std::numeric_limits<int>::max()) + batch<int, 1>(1)).value ==
              std::numeric_limits<int>::min());
static_assert(
    simd::cast<std::int32_t>(batch<float, 1>(std::numeric_limits<float>::quiet_NaN())).value == 0);
static_assert(simd::cast<std::uint8_t>(batch<double, 1>(-3.0)).value == 0);
static_assert(simd::cast<std::uint8_t>(batch<int, 1>(257)).value == 1);
static_assert(simd::cast<float>(batch<double, 1>(1e300)).value ==
              std::numeric_limits<float>::infinity());
static_assert(trunc_div(batch<std::int64_t, 1>(std::numeric_limits<std::int64_t>::min()),
                        batch<std::int64_t, 1>(-1))
                  .value == std::numeric_limits<std::int64_t>::min());
