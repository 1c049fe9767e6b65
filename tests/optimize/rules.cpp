// Each rule of the table by itself, each pair of rules, and what each licence may change, on random
// graphs that contain the rules' patterns. TFGRAPH_RULE_CASES=<count> sets the cases for each rule.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/graph/verify.hpp>
#include <tfgraph/optimize/pipeline.hpp>

#include <support/compare.hpp>
#include <support/rule_cases.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <memory>

namespace {

namespace tg = tfgraph;
namespace test = tfgraph::test;
using tg::optimize::parsed_rule;

#ifdef NDEBUG
constexpr int usual_cases = 150;
#else
constexpr int usual_cases = 20;
#endif

int cases_per_rule() {
  const char* text = std::getenv("TFGRAPH_RULE_CASES");
  return text != nullptr ? std::atoi(text) : usual_cases;
}

const tg::optimize::rule_set& all_rules() { return tg::optimize::library_rules; }

std::string name_of(const parsed_rule& p) {
  return std::string(all_rules().lines[static_cast<std::size_t>(p.line)].name);
}

// The optimiser with these lines of the table only.
class only {
 public:
  explicit only(std::initializer_list<int> lines, tg::numerics::licence allowed)
      : enabled_(new bool[all_rules().lines.size()]()) {
    for (int l : lines) enabled_[static_cast<std::size_t>(l)] = true;
    options_ = tg::detail::simplify_options_of<tg::options(tg::numerics::fast)>::value;
    options_.allowed = allowed;
    options_.enabled = enabled_.get();
    options_.log = &log_;
  }
  // Passes one at a time, so that the verifier sees what each makes.
  tg::graph apply(const tg::graph& g) {
    tg::graph now = tg::optimize::remove_dead(g.view());
    for (int round = 0; round < 3; ++round) {
      now = tg::optimize::simplify(now.view(), options_);
      if (const auto s = tg::verify(now.view()); !s.empty())
        throw std::logic_error(std::string(s.view()));
      now = tg::optimize::remove_dead(now.view());
    }
    if (const auto s = tg::verify(now.view()); !s.empty())
      throw std::logic_error(std::string(s.view()));
    return now;
  }
  bool applied() const { return log_.size() > 0; }

 private:
  std::unique_ptr<bool[]> enabled_;
  tg::optimize::simplify_options options_;
  tg::detail::list<tg::optimize::application_count> log_;
};

std::string complaint(const test::graph_case& c, only& o) try {
  const tg::graph better = o.apply(c.g);
  return test::difference(tg::evaluate(c.g.view(), c.inputs),
                          tg::evaluate(better.view(), c.inputs));
} catch (const std::exception& e) {
  return e.what();
}

void report(const test::graph_case& c, std::initializer_list<int> lines, const std::string& what) {
  const auto fails = [&](const test::graph_case& x) {
    only o(lines, tg::numerics::strict);
    return !complaint(x, o).empty();
  };
  const test::graph_case less = test::shrink(c, fails);
  only o(lines, tg::numerics::strict);
  FAIL_CHECK(what << "\nshrunk: " << complaint(less, o) << "\n"
                  << tg::to_string(less.g.view()) << "becomes\n"
                  << tg::to_string(o.apply(less.g).view()));
}

TEST_CASE("each rule alone changes no bit in strict mode") {
  const auto& rules = all_rules().rules;
  std::vector<int> applied(all_rules().lines.size(), 0);
  for (const parsed_rule& p : rules) {
    bool failed = false;
    for (int i = 0; i < cases_per_rule() && !failed; ++i) {
      test::rule_case random(static_cast<std::uint64_t>(i) * 1000 +
                             static_cast<std::uint64_t>(p.line));
      if (!random.add(all_rules(), p)) continue;
      only o({p.line}, tg::numerics::strict);
      const std::string what = complaint(random.c, o);
      applied[static_cast<std::size_t>(p.line)] += o.applied() ? 1 : 0;
      failed = !what.empty();
      if (failed)
        report(random.c, {p.line}, name_of(p) + ", case " + std::to_string(i) + ": " + what);
    }
  }
  // The test sees each rule at work that strict mode has.
  if (cases_per_rule() >= 100)
    for (std::size_t l = 0; l < applied.size(); ++l)
      if (all_rules().lines[l].needs == tg::numerics::strict)
        CHECK_MESSAGE(applied[l] > 0, all_rules().lines[l].name, " was never applied");
}

TEST_CASE("each pair of rules changes no bit in strict mode") {
  const auto& rules = all_rules().rules;
  const int count = static_cast<int>(rules.size());
  std::uint64_t seed = 7;
  int failed = 0;
#ifdef NDEBUG
  const int step = 1;
#else
  const int step = 17;
#endif
  for (int a = 0; a < count; ++a)
    for (int b = a % step; b < count && failed < 5; b += step) {
      if (rules[a].line == rules[b].line) continue;
      test::rule_case random(++seed);
      if (!random.add(all_rules(), rules[a]) || !random.add(all_rules(), rules[b])) continue;
      only o({rules[a].line, rules[b].line}, tg::numerics::strict);
      const std::string what = complaint(random.c, o);
      if (what.empty()) continue;
      ++failed;
      report(random.c, {rules[a].line, rules[b].line},
             name_of(rules[a]) + " and " + name_of(rules[b]) + ", seed " + std::to_string(seed) +
                 ": " + what);
    }
}

TEST_CASE("under its licence a rule changes the last digits only") {
  std::vector<int> applied(all_rules().lines.size(), 0);
  for (const parsed_rule& p : all_rules().rules) {
    const tg::optimize::rule& line = all_rules().lines[static_cast<std::size_t>(p.line)];
    if (line.needs == tg::numerics::strict) continue;
    bool failed = false;
    for (int i = 0; i < cases_per_rule() && !failed; ++i) {
      test::rule_case random(
          static_cast<std::uint64_t>(i) * 1000 + static_cast<std::uint64_t>(p.line), true, true);
      if (!random.add(all_rules(), p)) continue;
      only o({p.line}, line.needs);
      const tg::graph better = o.apply(random.c.g);
      if (!o.applied()) continue;
      ++applied[static_cast<std::size_t>(p.line)];
      const auto expected = tg::evaluate(random.c.g.view(), random.c.inputs);
      const auto found = tg::evaluate(better.view(), random.c.inputs);
      for (std::size_t k = 0; k < expected.size() && !failed; ++k) {
        if (expected[k].type.type != tg::dtype::float64) continue;
        for (std::size_t e = 0; e < expected[k].elements.size() && !failed; ++e) {
          const double x = tg::detail::from_bits<double>(expected[k].elements[e]);
          const double y = tg::detail::from_bits<double>(found[k].elements[e]);
          if (std::isnan(x) || std::isinf(x)) continue;  // not what the licence is about
          failed = !(std::fabs(x - y) <= 1e-13 * (1 + std::fabs(x)));
          if (failed)
            FAIL_CHECK(line.name << ": " << y << " instead of " << x << "\n"
                                 << tg::to_string(random.c.g.view()) << "becomes\n"
                                 << tg::to_string(better.view()));
        }
      }
    }
  }
  if (cases_per_rule() >= 100)
    for (std::size_t l = 0; l < applied.size(); ++l)
      if (all_rules().lines[l].needs != tg::numerics::strict)
        CHECK_MESSAGE(applied[l] > 0, all_rules().lines[l].name, " was never applied");
}

}  // namespace
