// A Kalman filter over a measured series, as a scan, and its two variances found by maximum
// likelihood: the compiler differentiates the whole filter, twice.
// SPDX-License-Identifier: BSL-1.0
//
// The series is the annual flow of the Nile at Aswan from 1871 to 1970 in 10^8 m^3 (G. W. Cobb, The
// problem of the Nile, Biometrika 65, 1978). J. Durbin and S. J. Koopman use it throughout Time
// Series Analysis by State Space Methods (2nd edition, 2012), for a level that walks at random and is
// measured with an error; their estimates of the variances are 15099 and 1469.1.
//
// prints: of the measurement 15098\.5[0-9]*, of the level's walk 1469\.1
// prints: log-likelihood -632\.5456
// prints: the level in 1971 .* 798\.3
#include <tfgraph/tfgraph.hpp>

#include <cmath>
#include <iomanip>
#include <iostream>
#include <tuple>
#include <utility>

namespace tg = tfgraph;

constexpr int years = 100;
constexpr tg::tensor<double, years> flow{
    1120, 1160, 963,  1210, 1160, 1160, 813,  1230, 1370, 1140, 995,  935,  1110, 994,  1020,
    960,  1180, 799,  958,  1140, 1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774,  840,
    874,  694,  940,  833,  701,  916,  692,  1020, 1050, 969,  831,  726,  456,  824,  702,
    1120, 1100, 832,  764,  821,  768,  845,  864,  862,  698,  845,  744,  796,  1040, 759,
    781,  865,  845,  944,  984,  897,  822,  1010, 771,  676,  649,  846,  812,  742,  801,
    1040, 860,  874,  848,  890,  744,  749,  838,  1050, 918,  986,  797,  923,  975,  815,
    1020, 906,  901,  1170, 912,  746,  919,  718,  714,  740};

// The filter for these logarithms of the variances: the level and its variance that are expected for
// the year after the last, and of every year but the first the level that was expected, and how
// unlikely the measured flow was.
constexpr auto filter = [](auto log_variances) {
  const auto variances = tg::exp(log_variances);
  const auto measurement = tg::sum(tg::slice(variances, tg::section<0, 1>));
  const auto walk = tg::sum(tg::slice(variances, tg::section<1, 2>));
  const auto step = [&](auto expected, auto measured) {
    const auto [level, variance] = expected;
    const auto error = measured - level;
    const auto error_variance = variance + measurement;
    const auto gain = variance / error_variance;
    const auto unlikely =
        0.5 * (tg::log(tg::constant(2 * 3.14159265358979323846)) + tg::log(error_variance) +
               tg::square(error) / error_variance);
    return std::pair(std::tuple(level + gain * error, variance * (1 - gain) + walk),
                     std::tuple(level, unlikely));
  };
  // Nothing is known of the level before the first year, so its flow is all that is.
  const auto start = std::tuple(tg::constant(flow(0)), measurement + walk);
  return tg::scan(step, start, tg::slice(tg::constant(flow), tg::section<1>));
};

constexpr auto unlikelihood = [](auto log_variances) {
  return tg::sum(std::get<1>(filter(log_variances).second));
};

int main() {
  using parameters = tg::tensor<double, 2>;
  constexpr auto value_and_gradient = tg::value_and_grad(unlikelihood);
  constexpr auto hessian = tg::hessian(unlikelihood);

  // Newton's method.
  parameters p{std::log(10'000.0), std::log(1'000.0)};
  std::cout << std::fixed << std::setprecision(4);
  for (int i = 0; i < 12; ++i) {
    const auto [value, g] = value_and_gradient(p);
    const tg::tensor<double, 2, 2> h = hessian(p);
    std::cout << "step " << i << ": log-likelihood " << -value << '\n';
    const double d = h(0, 0) * h(1, 1) - h(0, 1) * h(1, 0);
    const parameters step{(h(1, 1) * g(0) - h(0, 1) * g(1)) / d,
                          (h(0, 0) * g(1) - h(1, 0) * g(0)) / d};
    p = parameters{p(0) - step(0), p(1) - step(1)};
    if (std::abs(step(0)) + std::abs(step(1)) < 1e-10) break;
  }
  const auto [next, all] = tg::function(filter)(p);
  std::cout << "Variances: of the measurement " << std::exp(p(0)) << ", of the level's walk "
            << std::exp(p(1)) << "\nExpected: the level in 1971 is " << std::get<0>(next)
            << ", give or take " << std::sqrt(std::get<1>(next)) << '\n';
}
