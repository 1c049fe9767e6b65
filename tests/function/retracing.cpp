// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/function/retracing.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace tg = tfgraph;
using tg::dtype;
using tg::signature;
using tg::detail::retrace_detector;

std::vector<tg::retrace_report> reports;
std::atomic<int> count{0};

// Collects the reports while it exists.
struct collected {
  collected() { reports.clear(); }
  collected(const collected&) = delete;
  collected& operator=(const collected&) = delete;
  ~collected() { tg::set_retrace_handler(before); }
  tg::retrace_handler before =
      tg::set_retrace_handler([](const tg::retrace_report& r) { reports.push_back(r); });
};

signature row(tg::index n) { return {{dtype::float32, {4, n}}, {dtype::int64, {}}}; }

TEST_CASE("the fifth trace in a row is reported, and once more after five more") {
  const collected scope;
  retrace_detector d;
  std::vector<std::size_t> after;
  for (std::size_t call = 0; call < 30; ++call) {
    d.traced("cube", row(static_cast<tg::index>(call)), call);
    after.push_back(reports.size());
  }
  CHECK(after[3] == 0);
  CHECK(after[4] == 1);
  CHECK(after[8] == 1);
  CHECK(after[9] == 2);
  CHECK(after[29] == 2);
  CHECK(reports[0].function == "cube");
  CHECK(reports[0].calls == 5);
  CHECK(reports[0].traces == 5);
  CHECK(reports[0].before == row(3));
  CHECK(reports[0].now == row(4));
  CHECK(reports[0].argument == 0);
}

TEST_CASE("five of ten calls are reported, five of eleven are not") {
  const collected scope;
  retrace_detector ten;
  for (const std::size_t call : {0U, 2U, 4U, 6U, 9U}) ten.traced("f", row(1), call);
  CHECK(reports.size() == 1);
  retrace_detector eleven;
  for (const std::size_t call : {0U, 2U, 4U, 6U, 10U}) eleven.traced("f", row(1), call);
  CHECK(reports.size() == 1);
  eleven.traced("f", row(1), 11);  // calls 2, 4, 6, 10 and 11
  CHECK(reports.size() == 2);
  retrace_detector rare;
  for (std::size_t call = 0; call < 100; call += 3) rare.traced("f", row(1), call);
  CHECK(reports.size() == 2);
}

TEST_CASE("text") {
  CHECK(to_string(tg::retrace_report{"cube", 9, 5, row(3), row(4), 0}) ==
        "cube was traced in 5 of its last 9 calls, last for (float32 (4, 4), int64 ()) and before "
        "for (float32 (4, 3), int64 ()): argument 0 is float32 (4, 4) and was float32 (4, 3)");
  CHECK(to_string(tg::retrace_report{"f", 5, 5, {{dtype::int8, {}}}, {}, 0}) ==
        "f was traced in 5 of its last 5 calls, last for () and before for (int8 ()): argument 0 "
        "is absent and was int8 ()");
  CHECK(to_string(tg::retrace_report{"f", 5, 5, row(3), row(3), -1}) ==
        "f was traced in 5 of its last 5 calls, the last two times for the same signature "
        "(float32 (4, 3), int64 ()): more signatures are in use than its cache has room for");
}

TEST_CASE("there may be no handler, and a handler may throw") {
  const auto before = tg::set_retrace_handler(nullptr);
  CHECK((before == &tg::print_retrace_report));
  retrace_detector silent;
  for (std::size_t call = 0; call < 5; ++call) silent.traced("f", row(1), call);
  const auto none = tg::set_retrace_handler(
      [](const tg::retrace_report& r) { throw std::runtime_error(to_string(r)); });
  CHECK((none == nullptr));
  retrace_detector d;
  for (std::size_t call = 0; call < 4; ++call) d.traced("f", row(1), call);
  CHECK_THROWS_AS(d.traced("f", row(1), 4), std::runtime_error);
  d.traced("f", row(1), 5);
  tg::set_retrace_handler(before);
}

TEST_CASE("functions may trace, and handlers may be set, on several threads") {
  count = 0;
  const auto before = tg::set_retrace_handler([](const tg::retrace_report&) { ++count; });
  retrace_detector d;
  std::atomic<std::size_t> call{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (tg::index i = 0; i < 100; ++i) {
        d.traced("f", row(i), call++);
        tg::set_retrace_handler([](const tg::retrace_report&) { ++count; });
      }
    });
  for (auto& t : threads) t.join();
  CHECK(count <= 2);
  tg::set_retrace_handler(before);
}

}  // namespace
