// Recognises handwritten digits: learns the mean image of each digit from 1,000 images, and finds
// the nearest mean for 797 others.  digits [file.csv]
// SPDX-License-Identifier: BSL-1.0
//
// prints: Recognised 710 of 797 images that it had not seen
// prints: The graph of predict has [0-9]+ nodes as written and [0-9]+ optimised
// prints: digraph tfgraph
// prints: The plain callable gives the same bits
// prints: Time per image: traced [0-9.]+ us, plain [0-9.]+ us
#include "data/digits.hpp"

#include <tfgraph/tfgraph.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <string>
#include <tuple>

namespace tg = tfgraph;

// ---- the classifier: two functions, traced and optimised by the compiler -----------------------

// The mean image of each digit, and the mean squared distance of a pixel from it.
constexpr auto fit = tg::function([](auto images, auto labels) {
  const auto member = tg::one_hot<float>(labels, tg::constant_c<10>);              // (n, 10)
  const auto count = tg::sum(member, tg::axis<0>);                                 // (10)
  const auto total = tg::matmul(tg::transpose(member), images);                    // (10, 64)
  const auto means = total / tg::expand_dims(count, tg::axis<1>);                  // (10, 64)
  const auto variance = tg::mean(tg::square(images - tg::matmul(member, means)));  // one number
  return std::tuple(means, variance);
});

// For each image: the digit, how probable it is, and the logarithms of all ten probabilities.
constexpr auto predict = tg::function([](auto images, auto means, auto variance) {
  const auto difference = tg::expand_dims(images, tg::axis<1>) - means;  // (n, 10, 64)
  const auto distance = tg::sum(tg::square(difference), tg::axis<-1>);   // (n, 10)
  const auto score = -distance / (2 * variance);                         // (n, 10)
  const auto digit = tg::argmax(score, tg::axis<-1>);                    // (n)
  const auto probability = tg::max(tg::softmax(score), tg::axis<-1>);    // (n)
  return std::tuple(digit, probability, tg::log_softmax(score));
});

// How many elements are the same.
constexpr auto count_equal =
    tg::function([](auto a, auto b) { return tg::sum(tg::astype<int>(a == b)); });

// ---- the program -------------------------------------------------------------------------------

// The shortest of 20 runs, in microseconds per image.
template <class Run>
double time_per_image(std::size_t images, Run run) {
  using clock = std::chrono::steady_clock;
  auto best = clock::duration::max();
  for (int i = 0; i < 20; ++i) {
    const auto start = clock::now();
    (void)run();
    best = std::min(best, clock::now() - start);
  }
  return std::chrono::duration<double, std::micro>(best).count() / static_cast<double>(images);
}

int main(int argc, char** argv) try {
  std::ifstream csv(argc > 1 ? argv[1] : "examples/data/digits.csv");
  const auto training = read_digits<1000>(csv);
  const auto unseen = read_digits<797>(csv);

  // Traced functions are called like any other.
  const auto [means, variance] = fit(training.images, training.labels);
  const auto answer = predict(unseen.images, means, variance);
  const auto& [digit, probability, log_probability] = answer;
  std::cout << "Recognised " << count_equal(digit, unseen.labels) << " of " << digit.size()
            << " images that it had not seen.\n"
            << "The first one is a " << digit(0) << ", with probability " << probability(0)
            << ".\n\n";

  // The callable is still there, and computes the same, one operator after the other.
  const auto& plain = predict.original();
  const auto run = [&](const auto& f) { return f(unseen.images, means, variance); };
  const bool same = run(plain) == answer;
  std::cout << "The plain callable gives " << (same ? "the same bits" : "another answer") << ".\n"
            << "Time per image: traced " << time_per_image(797, [&] { return run(predict); })
            << " us, plain " << time_per_image(797, [&] { return run(plain); }) << " us.\n\n";

  // Graphs are constants that can be looked at.
  using images_t = tg::tensor<float, 797, 64>;
  using means_t = tg::tensor<float, 10, 64>;
  constexpr auto written = predict.traced<images_t, means_t, float>();
  constexpr auto optimized = predict.graph<images_t, means_t, float>();
  std::cout << "The graph of predict has " << written.size() << " nodes as written and "
            << optimized.size() << " optimised. A picture of it, for Graphviz's dot:\n\n"
            << tg::to_dot(optimized);
} catch (const std::exception& e) {
  std::cerr << "digits: " << e.what() << '\n';
  return 1;
}
