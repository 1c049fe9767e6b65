// The price of a European call option by simulation: random numbers from keys, in a captured loop,
// beside the formula of Black and Scholes.
// SPDX-License-Identifier: BSL-1.0
//
// prints: simulated 10\.4[3-6][0-9]* \+- 0\.00
// prints: Black and Scholes 10\.4506
// prints: within 4 standard errors
// prints: the same price again
#include <tfgraph/random/random.hpp>
#include <tfgraph/tfgraph.hpp>

#include <chrono>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <tuple>

namespace tg = tfgraph;

constexpr double spot = 100, strike = 100, rate = 0.05, volatility = 0.2, years = 1;
constexpr std::size_t paths = 4096;  // in each turn of the loop

// The mean and the mean square of the discounted payoff over `batches` times `paths` prices.
constexpr auto simulate = tg::function([](auto key, auto batches) {
  auto sum = tg::constant(0.0), sum_of_squares = tg::constant(0.0);
  for (auto batch : tg::range(batches)) {
    const auto z = tg::random::normal<double>(tg::random::fold_in(key, batch), tg::shape<paths>{});
    const auto price = spot * tg::exp((rate - 0.5 * volatility * volatility) * years +
                                      volatility * tg::sqrt(tg::constant(years)) * z);
    const auto payoff = tg::exp(tg::constant(-rate * years)) * tg::maximum(price - strike, 0.0);
    sum = sum + tg::mean(payoff);
    sum_of_squares = sum_of_squares + tg::mean(payoff * payoff);
  }
  const auto n = tg::astype<double>(batches);
  return std::tuple(sum / n, sum_of_squares / n);
});

double black_scholes() {
  const auto normal = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  const double d1 = (std::log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) /
                    (volatility * std::sqrt(years));
  return spot * normal(d1) -
         strike * std::exp(-rate * years) * normal(d1 - volatility * std::sqrt(years));
}

int main() {
  constexpr int batches = 1024;
  const auto begin = std::chrono::steady_clock::now();
  const auto [price, square] = simulate(tg::random::key(2026), batches);
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
  const double error = std::sqrt((square - price * price) / (batches * double{paths}));
  std::cout << std::fixed << std::setprecision(4) << "simulated " << price << " +- " << error << " ("
            << time.count() / (batches * double{paths}) << " ns a path)\nBlack and Scholes "
            << black_scholes() << '\n';
  const bool right = std::abs(price - black_scholes()) < 4 * error;
  std::cout << (right ? "within 4 standard errors\n" : "too far off\n");
  const bool again = std::get<0>(simulate(tg::random::key(2026), batches)) == price;
  std::cout << (again ? "the same key gives the same price again\n" : "not repeatable\n");
  return right && again ? 0 : 1;
}
