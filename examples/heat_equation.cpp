// The heat equation on a square plate, in a captured loop: 2,000 steps are one loop of the graph. The
// result is compared with the exact solution of the same difference equation, and drawn.
// SPDX-License-Identifier: BSL-1.0
//
//   heat_equation [picture.svg]
//
// prints: 2000 steps, one loop in the graph
// prints: The exact solution differs by at most [0-9.]+e-1[0-9]
// prints: A picture of it:
#include <tfgraph/tfgraph.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

namespace tg = tfgraph;

constexpr std::size_t side = 48;  // inner points along each side; the border is kept at 0
using plate = tg::tensor<double, side, side>;
constexpr double ratio = 0.2;  // diffusivity * time step / (distance of points)^2; stable up to 0.25

// What the neighbours in one direction are: the plate moved by one, with the border coming in.
constexpr auto moved = []<tg::index Axis>(auto u, tg::axis_t<Axis> axis, auto backwards) {
  using border = std::conditional_t<Axis == 0, tg::shape<1, side>, tg::shape<side, 1>>;
  const auto none = tg::zeros<double>(border{});
  const auto part = [&](auto section) {
    if constexpr (Axis == 0) return tg::slice(u, section);
    else return tg::slice(u, tg::all, section);
  };
  if constexpr (decltype(backwards)::value) return tg::concat(axis, none, part(tg::section<0, -1>));
  else return tg::concat(axis, part(tg::section<1>), none);
};

constexpr auto diffuse = tg::function([](auto u, auto steps) {
  constexpr std::true_type backwards{};
  constexpr std::false_type forwards{};
  for ([[maybe_unused]] auto i : tg::range(steps)) {
    const auto neighbours =
        moved(u, tg::axis<0>, backwards) + moved(u, tg::axis<0>, forwards) +
        moved(u, tg::axis<1>, backwards) + moved(u, tg::axis<1>, forwards);
    u = u + ratio * (neighbours - 4.0 * u);
  }
  return u;
});

void draw(std::ostream& out, const plate& before, const plate& after) {
  constexpr int cell = 6;
  const auto width = static_cast<int>(side) * cell;
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << 2 * width + 20 << "\" height=\""
      << width << "\">\n";
  int left = 0;
  for (const plate* u : {&before, &after}) {
    for (std::size_t i = 0; i < side; ++i)
      for (std::size_t j = 0; j < side; ++j) {
        const int hot = static_cast<int>(255 * std::clamp((*u)(i, j), 0.0, 1.0));
        out << "<rect x=\"" << left + static_cast<int>(j) * cell << "\" y=\""
            << static_cast<int>(i) * cell << "\" width=\"" << cell << "\" height=\"" << cell
            << "\" fill=\"rgb(" << hot << ',' << hot / 3 << ',' << 255 - hot << ")\"/>\n";
      }
    left = width + 20;
  }
  out << "</svg>\n";
}

int main(int argc, char** argv) try {
  // Two waves, each of which keeps its form: every step multiplies it by a number that the equation
  // for a sine gives.
  constexpr int steps = 2000;
  const double pi = std::acos(-1.0);
  const auto wave = [&](std::size_t k, std::size_t i) {
    return std::sin(pi * static_cast<double>(k * (i + 1)) / static_cast<double>(side + 1));
  };
  const auto decay = [&](std::size_t k, std::size_t l) {
    const auto s = [&](std::size_t m) {
      return std::pow(std::sin(pi * static_cast<double>(m) / (2 * static_cast<double>(side + 1))), 2);
    };
    return std::pow(1 - 4 * ratio * (s(k) + s(l)), steps);
  };
  plate start, exact;
  for (std::size_t i = 0; i < side; ++i)
    for (std::size_t j = 0; j < side; ++j) {
      start(i, j) = 0.6 * wave(1, i) * wave(1, j) + 0.4 * wave(3, i) * wave(2, j);
      exact(i, j) = 0.6 * decay(1, 1) * wave(1, i) * wave(1, j) +
                    0.4 * decay(3, 2) * wave(3, i) * wave(2, j);
    }

  std::cout << steps << " steps, " << (diffuse.graph<plate, int>().count("loop") == 1 ? "one" : "no")
            << " loop in the graph of " << diffuse.graph<plate, int>().size() << " nodes\n";
  const auto begin = std::chrono::steady_clock::now();
  const plate end = diffuse(start, steps);
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
  double difference = 0;
  for (std::size_t i = 0; i < side; ++i)
    for (std::size_t j = 0; j < side; ++j)
      difference = std::max(difference, std::abs(end(i, j) - exact(i, j)));
  std::cout << "The exact solution differs by at most " << difference << ".\n"
            << time.count() / steps << " us a step for " << side << " x " << side << " points\n";

  const std::string picture = argc > 1 ? argv[1] : std::string(argv[0]) + ".svg";
  std::ofstream svg(picture);
  draw(svg, start, end);
  if (!svg.flush()) throw std::runtime_error("cannot write " + picture);
  std::cout << "A picture of it: " << picture << '\n';
  return difference < 1e-9 ? 0 : 1;
} catch (const std::exception& e) {
  std::cerr << "heat_equation: " << e.what() << '\n';
  return 1;
}
