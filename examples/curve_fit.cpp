// Fits a curve to measurements with the Levenberg-Marquardt algorithm, which needs the derivatives
// of all residuals by all parameters: a Jacobian, which the compiler makes of the curve.
// SPDX-License-Identifier: BSL-1.0
//
// The measurements and the certified results are the problem Misra1a of NIST's Statistical
// Reference Datasets for nonlinear regression,
// https://www.itl.nist.gov/div898/strd/nls/data/misra1a.shtml (D. Misra, NIST, 1978: dental
// research, monomolecular adsorption).
//
// prints: start 1: .* 238\.94212918 .* 0\.00055015643181 .* 0\.12455138894
// prints: start 2: .* 238\.94212918 .* 0\.00055015643181 .* 0\.12455138894
// prints: Both agree with the certified values
#include <tfgraph/tfgraph.hpp>

#include <cmath>
#include <iomanip>
#include <iostream>
#include <utility>

namespace tg = tfgraph;

using parameters = tg::tensor<double, 2>;
using samples = tg::tensor<double, 14>;

constexpr samples pressure{77.6,  114.9, 141.1, 190.8, 239.9, 289.0, 332.8,
                           378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0};
constexpr samples volume{10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02,
                         44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78};
constexpr parameters certified{2.3894212918e+02, 5.5015643181e-04};
constexpr double certified_error = 1.2455138894e-01;

// One element, in row-major order.
constexpr auto element = []<tg::index I>(auto x, tg::axis_t<I>) {
  const auto flat = tg::reshape(x, tg::shape<decltype(x)::shape_type::size()>{});
  return tg::reshape(tg::slice(flat, tg::section<I, I + 1>), tg::shape<>{});
};

// How far the curve b0 (1 - exp(-b1 x)) is from the measurements.
constexpr auto residuals = [](auto b) {
  const auto b0 = element(b, tg::axis<0>), b1 = element(b, tg::axis<1>);
  return b0 * (1 - tg::exp(-b1 * tg::constant(pressure))) - tg::constant(volume);
};
constexpr auto squared_error =
    tg::function([](auto b) { return tg::sum(tg::square(residuals(b))); });

// The parameters after one step. Without damping it is Gauss and Newton's, which is right for a
// linear curve; with much of it a short step downhill.
constexpr auto step = tg::function([](auto b, auto damping) {
  const auto j = tg::jacobian(residuals)(b);            // (14, 2)
  const auto gradient = tg::matmul(residuals(b), j);    // (2)
  const auto normal = tg::matmul(tg::transpose(j), j);  // (2, 2)
  const auto damped = normal * (1 + damping * tg::eye<double>(tg::shape<2>{}));
  // Cramer's rule: the inverse of ((p, q), (q, r)) is ((r, -q), (-q, p)) / (p r - q q).
  const auto p = element(damped, tg::axis<0>), q = element(damped, tg::axis<1>),
             r = element(damped, tg::axis<3>);
  const auto g0 = element(gradient, tg::axis<0>), g1 = element(gradient, tg::axis<1>);
  return b - tg::stack(tg::axis<0>, r * g0 - q * g1, p * g1 - q * g0) / (p * r - q * q);
});

// Steps until they change nothing any more: less damping after each that made the error smaller,
// more after any other, which is not taken.
std::pair<parameters, int> fit(parameters b) {
  double error = squared_error(b);
  double damping = 1e-3;
  int steps = 0;
  while (damping < 1e6 && steps < 200) {
    ++steps;
    const parameters next = step(b, damping);
    const double next_error = squared_error(next);
    if (next_error < error) {
      b = next;
      error = next_error;
      damping /= 5;
    } else damping *= 2;
  }
  return {b, steps};
}

int main() {
  bool agree = true;
  int start = 0;
  for (const parameters& first : {parameters{500, 0.0001}, parameters{250, 0.0005}}) {
    const auto [b, steps] = fit(first);
    std::cout << std::setprecision(11) << "start " << ++start << ": " << steps
              << " steps to b0 = " << b(0) << " , b1 = " << b(1) << " , squared error "
              << squared_error(b) << '\n';
    for (std::size_t i = 0; i < 2; ++i) agree = agree && std::abs(b(i) / certified(i) - 1) < 1e-9;
    agree = agree && std::abs(squared_error(b) / certified_error - 1) < 1e-9;
  }
  std::cout << (agree ? "Both agree" : "They do not agree") << " with the certified values.\n";
  return agree ? 0 : 1;
}
