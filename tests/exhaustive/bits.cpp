// Prints a checksum of the results of every function on a million arguments. The same program,
// built for different instruction sets and run on the same machine, must print the same.
// SPDX-License-Identifier: BSL-1.0
#include <cstdio>

#include "../simd/functions.hpp"

using namespace tests;
using simd::batch;

namespace {

// FNV-1a over the results; all NaNs are one value.
template <class T, class F>
std::uint64_t checksum(F f, const std::vector<T>& x) {
  constexpr int W = tested_lanes<T>;
  std::uint64_t sum = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < x.size(); i += W) {
    const int n = static_cast<int>(std::min<std::size_t>(W, x.size() - i));
    T y[batch<T, W>::size];
    f(batch<T, W>::load_partial(&x[i], n)).store(y);
    for (int k = 0; k < n; ++k) {
      const std::uint64_t bits =
          y[k] != y[k] ? 1 : std::bit_cast<simd::scalar::unsigned_of<T>>(y[k]);
      sum = (sum ^ bits) * 0x100000001b3;
    }
  }
  return sum;
}

template <class T>
std::uint64_t checksum_of_unary(auto f, const ranges& hard) {
  return checksum<T>(f, arguments<T>(hard, 1000000 / static_cast<int>(hard.size() + 1)));
}

template <class T>
std::uint64_t checksum_of_binary(auto f) {
  // The second argument is the first in another order.
  const auto g = [f](auto x) { return f(x * x, decltype(x)(T(3)) - x); };
  return checksum<T>(g, arguments<T>({{-10, 10}, {0, 2}}, 350000));
}

}  // namespace

int main() {
  const auto print = [](const char* name, std::uint64_t single, std::uint64_t twice) {
    std::printf("%-9s %016llx %016llx\n", name, static_cast<unsigned long long>(single),
                static_cast<unsigned long long>(twice));
  };
  for_each_unary([&](const char* name, auto f, reference, const ranges& hard, double, double) {
    print(name, checksum_of_unary<float>(f, hard), checksum_of_unary<double>(f, hard));
  });
  for_each_binary([&](const char* name, auto f, binary_reference, auto, double, double) {
    print(name, checksum_of_binary<float>(f), checksum_of_binary<double>(f));
  });
}
