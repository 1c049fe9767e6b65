// Telling the user when a function keeps being traced, which costs far more than running it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/function/signature.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace tfgraph {

/// That a function keeps being traced: at least `traces` of its last `calls` calls traced it.
struct retrace_report {
  std::string_view function;  ///< a name for the reader
  std::size_t calls = 0;
  std::size_t traces = 0;
  signature before;  ///< traced before the last time
  signature now;     ///< traced the last time
  int argument = 0;  ///< the first input that differs between the two; negative if none does
};

/// One line: which function, how often, and what differs.
[[nodiscard]] inline std::string to_string(const retrace_report& r) {
  std::string text = std::string(r.function) + " was traced in " + std::to_string(r.traces) +
                     " of its last " + std::to_string(r.calls) + " calls, ";
  if (r.argument < 0)
    return text + "the last two times for the same signature " + to_string(r.now) +
           ": more signatures are in use than its cache has room for";
  text += "last for " + to_string(r.now) + " and before for " + to_string(r.before) +
          ": argument " + std::to_string(r.argument);
  const auto describe = [&r](const signature& s) {
    return r.argument < s.size() ? detail::describe_input(s, r.argument) : "absent";
  };
  return text + " is " + describe(r.now) + " and was " + describe(r.before);
}

/// Is called on the thread whose call traced, after that. What it throws, the call throws.
using retrace_handler = void (*)(const retrace_report&);

/// The handler of a program that has set none: one line on the standard error stream.
inline void print_retrace_report(const retrace_report& r) {
  std::fputs(("tfgraph: " + to_string(r) + "\n").c_str(), stderr);
}

namespace detail {

inline constinit std::atomic<retrace_handler> current_retrace_handler{&print_retrace_report};

}  // namespace detail

/// Sets what is told that a function keeps being traced (`nullptr`: nobody is), and returns what
/// was told before. Any thread may call it at any time.
inline retrace_handler set_retrace_handler(retrace_handler h) {
  return detail::current_retrace_handler.exchange(h);
}

namespace detail {

/// Watches one function: the handler is told when five of its last ten calls traced it, at most
/// twice. Calls that do not trace cost nothing.
class retrace_detector {
 public:
  static constexpr std::size_t traces = 5;
  static constexpr std::size_t calls = 10;
  static constexpr int reports = 2;

  /// The function has been traced for `s`, in the call of this number (any numbers that count up).
  void traced(std::string_view function, const signature& s, std::size_t call) {
    retrace_report report{function, 0, traces, {}, s, 0};
    {
      const std::lock_guard lock(mutex_);
      report.before = std::exchange(last_, s);
      if (reported_ == reports) return;
      recent_[count_++ % traces] = call;
      if (count_ < traces) return;
      const std::size_t oldest = recent_[count_ % traces];
      report.calls = call - oldest + 1;
      if (report.calls > calls) return;
      ++reported_;
      count_ = 0;  // a second report takes as many traces again
    }
    report.argument = first_difference(report.before, report.now);
    if (const retrace_handler h = current_retrace_handler.load()) h(report);
  }

 private:
  std::mutex mutex_;
  std::array<std::size_t, traces> recent_{};  // the calls that traced last, as a ring
  std::size_t count_ = 0;
  int reported_ = 0;
  signature last_;
};

}  // namespace detail
}  // namespace tfgraph
