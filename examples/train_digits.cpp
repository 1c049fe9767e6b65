// Trains a neural network of two layers on 1,000 images of handwritten digits, and tries it on 797
// others. Writes a picture of how it went.  train_digits [digits.csv [picture.svg]]
// SPDX-License-Identifier: BSL-1.0
//
// prints: The gradient agrees with finite differences in all 2410 parameters
// prints: epoch 100 of 100
// prints: Trained in [0-9.]+ s
// prints: Recognised 7[45][0-9] of 797 images that it had not seen
// prints: A picture of it: .*svg
#include <tfgraph/tfgraph.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>

#include "data/digits.hpp"

namespace tg = tfgraph;

// ---- the network and its training: functions that the compiler traces --------------------------

template <class T>
struct network {
  tg::variable<T, 64, 32> w1;
  tg::variable<T, 32> b1;
  tg::variable<T, 32, 10> w2;
  tg::variable<T, 10> b2;

  // A score for each digit.
  constexpr auto operator()(const auto& images) const {
    const auto hidden = tg::tanh(tg::matmul(images / 16, w1) + b1);
    return tg::matmul(hidden, w2) + b2;
  }
};

// Cross-entropy: how improbable the network finds the right answers.
constexpr auto loss = tg::function([](const auto& model, auto images, auto labels) {
  const auto right = tg::one_hot<float>(labels, tg::constant_c<10>);
  const auto log_probability = tg::log_softmax(model(images));
  return -tg::mean(tg::sum(right * log_probability, tg::axis<-1>));
});

constexpr auto loss_and_gradient = tg::value_and_grad(loss);

// A step of gradient descent with momentum: the gradient changes a velocity, which changes the
// parameters.
constexpr auto train = tg::function(
    [](auto& model, auto& velocity, auto images, auto labels, auto rate) {
      const auto [value, gradient] = loss_and_gradient(model, images, labels);
      tg::for_each_variable(velocity, gradient,
                            [](auto& v, const auto& g) { v.assign(0.9f * v + g); });
      tg::for_each_variable(model, velocity,
                            [&](auto& p, const auto& v) { p.assign_sub(rate * v); });
      return value;
    });

constexpr auto classify = tg::function(
    [](const auto& model, auto images) { return tg::argmax(model(images), tg::axis<-1>); });
constexpr auto count_equal =
    tg::function([](auto a, auto b) { return tg::sum(tg::astype<int>(a == b)); });

// ---- training ----------------------------------------------------------------------------------

// Small random numbers (Glorot and Bengio, 2010) as weights; the biases start at zero.
template <class T>
network<T> random_network(std::mt19937& random) {
  network<T> model;
  tg::for_each_variable(model, [&]<class V>(V& v) {
    if constexpr (V::rank == 2) {
      const double bound = std::sqrt(6.0 / static_cast<double>(V::extent(0) + V::extent(1)));
      std::uniform_real_distribution<T> weight(static_cast<T>(-bound), static_cast<T>(bound));
      for (T& x : v) x = weight(random);
    }
  });
  return model;
}

constexpr std::size_t batch = 50;

// Images in random order, in batches.
class batches {
 public:
  explicit batches(const digits<1000>& all) : all_(all) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }
  void shuffle(std::mt19937& random) { std::shuffle(order_.begin(), order_.end(), random); }
  static constexpr std::size_t count() { return 1000 / batch; }
  [[nodiscard]] digits<batch> operator[](std::size_t b) const {
    digits<batch> part;
    for (std::size_t i = 0; i < batch; ++i) {
      const std::size_t from = order_[b * batch + i];
      for (std::size_t k = 0; k < 64; ++k) part.images(i, k) = all_.images(from, k);
      part.labels(i) = all_.labels(from);
    }
    return part;
  }

 private:
  const digits<1000>& all_;
  std::array<std::size_t, 1000> order_{};
};

// In how many parameters the gradient is what central differences say. In double, where the loss is
// exact enough to be subtracted.
std::size_t agreeing_parameters(const digits<batch>& part, std::mt19937& random) {
  network<double> model = random_network<double>(random);
  const tg::tensor<double, batch, 64> images = tg::astype<double>(part.images);
  const auto [value, gradient] = loss_and_gradient(model, images, part.labels);
  std::size_t agreeing = 0;
  tg::for_each_variable(model, gradient, [&](auto& parameters, const auto& slopes) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      double& p = parameters.data()[i];
      const double start = p;
      const auto loss_at = [&](double step) {
        p = start + step;
        return loss(model, images, part.labels);
      };
      const double difference = (loss_at(1e-5) - loss_at(-1e-5)) / 2e-5;
      p = start;
      if (std::abs(difference - slopes.data()[i]) < 1e-8) ++agreeing;
    }
  });
  return agreeing;
}

// ---- the picture -------------------------------------------------------------------------------

// The mean loss of each epoch, on a logarithmic scale.
void draw_loss(std::ostream& svg, std::span<const float> losses) {
  const auto y = [](double v) { return 90 - 80 * std::log10(v); };
  for (const double v : {1.0, 0.1, 0.01})
    svg << "<path d='M60 " << y(v) << "h400' stroke='#ddd'/><text x='55' y='" << y(v) + 4
        << "' text-anchor='end'>" << v << "</text>\n";
  svg << "<polyline fill='none' stroke='#06c' stroke-width='2' points='";
  for (std::size_t i = 0; i < losses.size(); ++i)
    svg << 60 + 400.0 * static_cast<double>(i) / static_cast<double>(losses.size() - 1) << ','
        << y(static_cast<double>(losses[i])) << ' ';
  svg << "'/>\n<text x='60' y='30'>Loss over " << losses.size() << " epochs</text>\n";
}

// An image of 8 by 8 pixels, and what the network takes it for: in red if it is something else.
void draw_image(std::ostream& svg, const digits<797>& all, std::size_t i, std::int64_t answer,
                std::size_t x, std::size_t y) {
  svg << "<g transform='translate(" << x << ' ' << y << ")'>";
  for (std::size_t k = 0; k < 64; ++k)
    if (const float ink = all.images(i, k); ink > 0)
      svg << "<rect x='" << k % 8 * 6 << "' y='" << k / 8 * 6 << "' width='6' height='6' opacity='"
          << ink / 16 << "'/>";
  svg << "<text x='24' y='64' text-anchor='middle' fill='"
      << (answer == all.labels(i) ? "black" : "red") << "'>" << answer << "</text></g>\n";
}

void draw(std::ostream& svg, std::span<const float> losses, const digits<797>& unseen,
          const tg::tensor<std::int64_t, 797>& answers) {
  svg << "<svg xmlns='http://www.w3.org/2000/svg' width='1010' height='320' "
         "font-family='sans-serif' font-size='13'>\n<rect width='1010' height='320' "
         "fill='white'/>\n";
  draw_loss(svg, losses);
  svg << "<text x='500' y='30'>Unseen images, what they are taken for, and mistakes</text>\n";
  std::size_t place = 0;
  for (const bool mistakes : {false, true})
    for (std::size_t i = 0; i < 797 && place < (mistakes ? 28 : 14); ++i)
      if (!mistakes || answers(i) != unseen.labels(i)) {
        draw_image(svg, unseen, i, answers(i), 500 + place % 7 * 70, 45 + place / 7 * 68);
        ++place;
      }
  svg << "</svg>\n";
}

// ---- the program -------------------------------------------------------------------------------

int main(int argc, char** argv) try {
  std::ifstream csv(argc > 1 ? argv[1] : "examples/data/digits.csv");
  const auto training = read_digits<1000>(csv);
  const auto unseen = read_digits<797>(csv);
  std::mt19937 random(1);
  batches parts(training);

  std::cout << "The gradient agrees with finite differences in "
            << (agreeing_parameters(parts[0], random) == 2410 ? "all" : "not all")
            << " 2410 parameters.\n";

  constexpr std::size_t epochs = 100;
  std::array<float, epochs> losses{};
  auto model = random_network<float>(random);
  network<float> velocity;
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
    const float rate = 0.05f;
    parts.shuffle(random);
    for (std::size_t b = 0; b < parts.count(); ++b) {
      const auto part = parts[b];
      losses[epoch] += train(model, velocity, part.images, part.labels, rate) /
                       static_cast<float>(parts.count());
    }
    std::cout << "\repoch " << epoch + 1 << " of " << epochs << ", loss " << losses[epoch] << "    "
              << std::flush;
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;

  const auto answers = classify(model, unseen.images);
  const int right = count_equal(answers, unseen.labels);
  std::cout << "\nTrained in " << time.count() << " s.\nRecognised " << right
            << " of 797 images that it had not seen (" << right / 7.97 << " %).\n";

  const std::string picture = argc > 2 ? argv[2] : std::string(argv[0]) + ".svg";
  std::ofstream svg(picture);
  draw(svg, losses, unseen, answers);
  if (!svg.flush()) throw std::runtime_error("cannot write " + picture);
  std::cout << "A picture of it: " << picture << '\n';
  return right >= 742 ? 0 : 1;  // 0.93
} catch (const std::exception& e) {
  std::cerr << "train_digits: " << e.what() << '\n';
  return 1;
}
