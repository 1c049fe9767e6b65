// Random graphs: as written, as optimised and as scheduled they give the same bits.
// TFGRAPH_RANDOM_GRAPHS=<count> and TFGRAPH_RANDOM_SEED=<first> choose others.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/graph/print.hpp>
#include <tfgraph/graph/verify.hpp>
#include <tfgraph/optimize/pipeline.hpp>

#include <support/compare.hpp>
#include <support/interpret.hpp>
#include <support/random_graph.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <exception>
#include <string>

namespace {

namespace tg = tfgraph;
namespace test = tfgraph::test;
using test::difference;

// What is wrong with what becomes of a graph; empty if nothing is.
std::string complaint(const test::graph_case& c) try {
  if (const auto s = tg::verify(c.g.view()); !s.empty()) return "written: " + std::string(s.view());
  const std::vector<tg::value> expected = tg::evaluate(c.g.view(), c.inputs);
  const auto scheduled = [&](const tg::graph& g) {
    const tg::program p = tg::schedule::make_program(g.view());
    return difference(expected, test::interpret(g.view(), p, c.inputs));
  };
  const tg::graph pruned = tg::optimize::remove_dead(c.g.view());
  if (const std::string s = scheduled(pruned); !s.empty()) return "scheduled as written: " + s;
  const tg::graph better = tg::optimized(c.g.view());
  if (const auto s = tg::verify(better.view()); !s.empty())
    return "optimised: " + std::string(s.view());
  if (const std::string s = difference(expected, tg::evaluate(better.view(), c.inputs)); !s.empty())
    return "optimised: " + s;
  if (const std::string s = scheduled(better); !s.empty()) return "scheduled: " + s;
  // Under all licences floating-point values may differ, integers may not, and executors agree.
  const tg::graph fast = tg::optimized<tg::options(tg::numerics::fast)>(c.g.view());
  if (const auto s = tg::verify(fast.view()); !s.empty()) return "fast: " + std::string(s.view());
  const std::vector<tg::value> nearly = tg::evaluate(fast.view(), c.inputs);
  const tg::program p = tg::schedule::make_program(fast.view());
  if (const std::string s = difference(nearly, test::interpret(fast.view(), p, c.inputs)); !s.empty())
    return "fast, scheduled: " + s;
  bool floating = false;
  for (tg::node_id id = 0; id < c.g.size(); ++id)
    floating = floating || tg::is_floating(c.g.type(id).type);
  if (const std::string s = difference(expected, nearly); !floating && !s.empty())
    return "fast, on integers: " + s;
  if (tg::optimized(better.view()).size() > better.size())
    return "optimising again makes the graph larger";
  return "";
} catch (const std::exception& e) {
  return e.what();
}

int setting(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}

#ifdef NDEBUG
constexpr int usual_count = 2000;
#else
constexpr int usual_count = 200;  // slow without optimisation
#endif

TEST_CASE("random graphs") {
  const int first = setting("TFGRAPH_RANDOM_SEED", 1);
  const int count = setting("TFGRAPH_RANDOM_GRAPHS", usual_count);
  int failed = 0;
  for (int seed = first; seed < first + count && failed < 3; ++seed) {
    const test::graph_case c = test::random_graph(static_cast<std::uint64_t>(seed)).make();
    const std::string what = complaint(c);
    if (what.empty()) continue;
    ++failed;
    const test::graph_case less =
        test::shrink(c, [](const test::graph_case& x) { return !complaint(x).empty(); });
    FAIL_CHECK("seed " << seed << ": " << what << "\nshrunk: " << complaint(less) << "\n"
                       << tg::to_string(less.g.view()));
  }
}

}  // namespace
