// When a function is traced, and when a trace is used again: TensorFlow's rules, without its
// surprises. An `any_tensor` is a tensor whose element type and shape only the running program
// knows.
// SPDX-License-Identifier: BSL-1.0
//
// prints: the int 2: 4 .1 trace.
// prints: the int 3: 9 .1 trace.
// prints: 2 ints: .16 25. .2 traces.
// prints: the static value 10: 20 .1 trace.
// prints: the static value 20: 40 .2 traces.
// prints: the static value 10 again: 30 .2 traces.
// prints: 1 to 100 floats: 2 traces, 100 plans
// prints: 1 to 100 floats of a tensor<float, dyn>: 1 trace, 100 plans
// prints: known to the compiler: 4 4
// prints: .int32 ...
// prints: .int32 .2..
#include <tfgraph/tfgraph.hpp>

#include <cstdlib>
#include <iostream>

namespace tg = tfgraph;

namespace {

/// Calls, and prints the result and how often the function has been traced.
template <class F, class... Args>
void show(const char* what, const F& f, const Args&... args) {
  const tg::any_tensor result = f(args...);
  const std::size_t traces = f.trace_count();
  std::cout << what << ": " << result << " (" << traces << (traces == 1 ? " trace" : " traces")
            << ")\n";
}

void require(bool holds) {
  if (!holds) std::exit(EXIT_FAILURE);
}

}  // namespace

int main() {
  // A signature is element types and shapes, never the value of a tensor.
  const auto square = tg::function([](auto x) { return x * x; });
  show("the int 2", square, tg::any_tensor(2));
  show("the int 3", square, tg::any_tensor(3));
  show("2 ints", square, tg::any_tensor(tg::tensor<int, 2>{4, 5}));

  // A static value is part of the signature, as a Python value is for tf.function.
  const auto times = tg::function([](auto x, auto n) { return x * n; });
  show("the static value 10", times, tg::any_tensor(2), tg::constant_c<10>);
  show("the static value 20", times, tg::any_tensor(2), tg::constant_c<20>);
  show("the static value 10 again", times, tg::any_tensor(3), tg::constant_c<10>);

  // Many shapes are no reason to trace: after the second one, the graph is for any.
  const auto total = tg::function([](auto x) { return tg::sum(x * 2); });
  for (tg::index n = 1; n <= 100; ++n)
    require(total(tg::any_tensor(tg::dtype::float32, {n})).item<float>() == 0);
  std::cout << "1 to 100 floats: " << total.trace_count() << " traces, " << total.cache_info().size
            << " plans\n";

  // Where the compiler knows rank and element type, it traces, once; extents only need a plan.
  const auto mean = tg::function([](auto x) { return tg::mean(x); });
  for (tg::index n = 1; n <= 100; ++n) require(mean(tg::tensor<float, tg::dyn>(n)) == 0);
  std::cout << "1 to 100 floats of a tensor<float, dyn>: " << mean.trace_count() << " trace, "
            << mean.cache_info().size << " plans\n";

  // Where it knows all, there is nothing left to do at run time.
  static_assert(square(2) == 4);
  std::cout << "known to the compiler: " << square(2) << " " << square(2.0f) << "\n";

  std::cout << square.signatures();
}
