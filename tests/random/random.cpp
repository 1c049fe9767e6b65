// Random numbers: the published vectors of Philox 4x32-10, the same bits in every executor, and what
// the distributions must be, for fixed keys and with wide margins.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/random/random.hpp>
#include <tfgraph/tfgraph.hpp>

#include <support/agree.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

namespace tg = tfgraph;
namespace random = tfgraph::random;
using tg::shape;
using tg::tensor;
using tg::test::check_agreement;

// ---- Philox -------------------------------------------------------------------------------------

// The vectors of Random123's kat_vectors (D. E. Shaw Research): counter, key, result.
constexpr bool gives(std::array<std::uint64_t, 4> counter, std::array<std::uint32_t, 2> key,
                     std::array<std::uint64_t, 4> expected) {
  const auto x = random::detail::philox(
      random::key_of{key[0], key[1]},
      random::detail::block{counter[0], counter[1], counter[2], counter[3]});
  return x.a == expected[0] && x.b == expected[1] && x.c == expected[2] && x.d == expected[3];
}
static_assert(gives({0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
static_assert(gives({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff},
                    {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
static_assert(gives({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0},
                    {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));

/// Philox again, on plain integers.
struct plain_philox {
  std::uint32_t k0, k1;
  std::array<std::uint32_t, 4> operator()(std::uint32_t c0, std::uint32_t c1, std::uint32_t c2,
                                          std::uint32_t c3) const {
    std::uint32_t a = k0;
    std::uint32_t b = k1;
    for (int r = 0; r < 10; ++r) {
      const std::uint64_t p = std::uint64_t{0xD2511F53} * c0;
      const std::uint64_t q = std::uint64_t{0xCD9E8D57} * c2;
      c0 = static_cast<std::uint32_t>(q >> 32) ^ c1 ^ a;
      c2 = static_cast<std::uint32_t>(p >> 32) ^ c3 ^ b;
      c1 = static_cast<std::uint32_t>(q);
      c3 = static_cast<std::uint32_t>(p);
      a += 0x9E3779B9;
      b += 0xBB67AE85;
    }
    return {c0, c1, c2, c3};
  }
};

TEST_CASE("uniform numbers are the words of the blocks, word by word") {
  const auto found = random::uniform<float>(random::key(0x123456789abcdefu), shape<11>{});
  const plain_philox philox{0x89abcdef, 0x1234567};
  for (std::uint32_t i = 0; i < 11; ++i)
    CHECK(found.data()[i] == static_cast<float>(philox(i % 3, 0, 0, 0)[i / 3] >> 8) * 0x1p-24F);
  const auto doubles = random::uniform<double>(random::key(5), shape<2, 2>{});
  const plain_philox other{5, 0};
  for (std::uint32_t i = 0; i < 4; ++i) {
    const auto words = other(i % 2, 0, 0, 0);
    const std::uint64_t bits = (std::uint64_t{words[2 * (i / 2)] >> 5} << 26) | words[2 * (i / 2) + 1] >> 6;
    CHECK(doubles.data()[i] == static_cast<double>(bits) * 0x1p-53);
  }
}

// ---- keys ---------------------------------------------------------------------------------------

TEST_CASE("keys of integers of either sign, split and folded, differ") {
  std::vector<std::uint64_t> seen;
  const auto note = [&](const auto& k) {
    seen.push_back(std::uint64_t{k.high} << 32 | std::uint64_t{k.low});
  };
  note(random::key(0));
  note(random::key(1));
  note(random::key(-1));
  note(random::key(std::uint64_t{1} << 32));
  const auto k = random::key(7);
  note(k);
  for (const auto& part : random::split<3>(k)) note(part);
  for (int i = -2; i < 3; ++i) note(random::fold_in(k, i));
  std::ranges::sort(seen);
  CHECK(std::ranges::adjacent_find(seen) == seen.end());
  // A traced seed is the same as a plain one.
  const auto traced = tg::function([](auto seed) {
    const auto key = random::key(seed);
    return std::tuple(key.low, key.high);
  });
  for (const std::int64_t seed : {0L, 42L, -42L, 0x7edcba9876543210L}) {
    const auto plain = random::key(seed);
    CHECK(traced(seed) == std::tuple(plain.low, plain.high));
  }
}

TEST_CASE("numbers of the same key are computed once, those of others are not") {
  constexpr auto f = [](auto key) {
    return random::uniform<float>(key, shape<8>{}) + random::uniform<float>(key, shape<8>{});
  };
  constexpr auto g = [](auto key) {
    const auto [a, b] = random::split(key);
    return random::uniform<float>(a, shape<8>{}) + random::uniform<float>(b, shape<8>{});
  };
  using key_type = decltype(random::key(1));
  constexpr int in_f = decltype(tg::function(f))::template graph<key_type>().count("mul");
  constexpr int in_g = decltype(tg::function(g))::template graph<key_type>().count("mul");
  CHECK(in_f <= 26);
  CHECK(in_g >= 3 * 20);
}

// ---- executors ----------------------------------------------------------------------------------

constexpr auto from_seed = [](auto seed) {
  const auto key = random::key(seed);
  return std::tuple(random::uniform<float>(key, shape<37>{}), random::normal<double>(key, shape<3>{}));
};
static_assert(std::get<0>(tg::function([](auto seed) {
                const auto u = random::uniform<float>(random::key(seed), shape<2>{});
                return std::tuple(tg::max(u) < 1, u);
              })(3)));

TEST_CASE("the same bits in every executor") {
  check_agreement("uniform and normal", from_seed, 1234567);
  const auto in_loop = [](auto seed) {
    auto sum = tg::zeros<float>(shape<5>{});
    const auto key = random::key(seed);
    for (auto i : tg::range(4, seed, sum))
      sum = sum + random::uniform<float>(random::fold_in(key, i), shape<5>{});
    return sum;
  };
  check_agreement("a key for each turn", in_loop, 9);
}

// ---- distributions ------------------------------------------------------------------------------

template <class Tensor>
struct moments {
  double mean = 0, variance = 0, skew = 0, smallest = 1e300, largest = -1e300;
  explicit moments(const Tensor& x) {
    const auto n = static_cast<double>(x.size());
    for (const auto v : x) mean += static_cast<double>(v) / n;
    for (const auto v : x) {
      const double d = static_cast<double>(v) - mean;
      variance += d * d / n;
      skew += d * d * d / n;
      smallest = std::min(smallest, static_cast<double>(v));
      largest = std::max(largest, static_cast<double>(v));
    }
  }
};

TEST_CASE("uniform") {
  constexpr std::size_t n = 100'000;
  const auto x = random::uniform<float>(random::key(1), shape<n>{});
  const moments m(x);
  CHECK(std::abs(m.mean - 0.5) < 0.005);
  CHECK(std::abs(m.variance - 1 / 12.0) < 0.002);
  CHECK(m.smallest >= 0);
  CHECK(m.largest < 1);
  std::array<int, 64> bins{};
  for (const float v : x) ++bins[static_cast<std::size_t>(v * 64)];
  double chi = 0;
  for (const int b : bins) chi += std::pow(b - n / 64.0, 2) / (n / 64.0);
  CHECK(chi > 25);   // 63 degrees of freedom: outside of these once in 10^5
  CHECK(chi < 120);
  const auto y = random::uniform<float>(random::fold_in(random::key(1), 0), shape<n>{});
  double together = 0;
  for (std::size_t i = 0; i < n; ++i) together += static_cast<double>((x.data()[i] - 0.5F) * (y.data()[i] - 0.5F));
  CHECK(std::abs(together / n) < 0.002);
  const moments wide(random::uniform<double>(random::key(2), shape<1000>{}, -3.0, 5.0));
  CHECK(wide.smallest >= -3);
  CHECK(wide.largest <= 5);
  CHECK(std::abs(wide.mean - 1) < 0.4);
}

TEST_CASE("normal") {
  const auto x = random::normal<float>(random::key(3), shape<100'000>{});
  const moments m(x);
  CHECK(std::abs(m.mean) < 0.02);
  CHECK(std::abs(m.variance - 1) < 0.03);
  CHECK(std::abs(m.skew) < 0.05);
  int beyond = 0;
  for (const float v : x) beyond += std::abs(v) > 1.959964F ? 1 : 0;
  CHECK(std::abs(beyond - 5000) < 350);
}

TEST_CASE("bernoulli, categorical, permutation") {
  const auto coins = random::bernoulli(random::key(4), 0.3F, shape<20'000>{});
  CHECK(std::abs(std::count(coins.begin(), coins.end(), true) - 6000) < 300);
  tensor<float, 20'000, 3> logits;
  for (std::size_t i = 0; i < 20'000; ++i)
    for (std::size_t c = 0; c < 3; ++c)
      logits(i, c) = c == 0 ? std::log(0.2F) : c == 1 ? std::log(0.7F) : std::log(0.1F);
  std::array<int, 3> classes{};
  for (const auto c : random::categorical(random::key(5), logits)) ++classes[static_cast<std::size_t>(c)];
  CHECK(std::abs(classes[0] - 4000) < 300);
  CHECK(std::abs(classes[1] - 14000) < 350);
  CHECK(std::abs(classes[2] - 2000) < 250);
  auto order = random::permutation<50>(random::key(6));
  CHECK(!std::ranges::is_sorted(order));
  std::ranges::sort(order);
  for (std::size_t i = 0; i < 50; ++i) CHECK(order.data()[i] == static_cast<std::int64_t>(i));
}

}  // namespace
