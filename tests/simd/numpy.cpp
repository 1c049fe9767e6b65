// NumPy's validation tables: arguments, expected bits and the error that NumPy allows.
// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "functions.hpp"

using namespace tests;
using simd::batch;

namespace {

template <class T>
T from_hex(const std::string& text) {
  return std::bit_cast<T>(
      static_cast<simd::scalar::unsigned_of<T>>(std::strtoull(text.c_str(), nullptr, 16)));
}

// The line of a table: type, argument and result as hexadecimal bits, error in ulp.
template <class T>
void check_line(auto f, const std::string& argument, const std::string& result, double bound) {
  constexpr int W = simd::native_lanes<T>;
  const T x = from_hex<T>(argument), expected = from_hex<T>(result);
  for (const T y : {f(batch<T, 1>(x)).value, f(batch<T, W>(x)).get(W - 1)}) {
    if (same(y, expected)) continue;
    big_number exact;
    mpfr_set_d(exact.value, static_cast<double>(expected), MPFR_RNDN);
    const double error = error_in_ulp(y, exact.value);
    if (error > bound)
      FAIL_CHECK(x << " gives " << y << " instead of " << expected << ", " << error << " ulp");
  }
}

void check_table(const std::filesystem::path& table, auto f) {
  std::ifstream file(table);
  REQUIRE_MESSAGE(file, table.string() << " is missing");
  int lines = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string type, argument, result, error;
    std::getline(fields, type, ',');
    std::getline(fields, argument, ',');
    std::getline(fields, result, ',');
    std::getline(fields, error, ',');
    if (type != "np.float32" && type != "np.float64") continue;
    CAPTURE(table.filename().string());
    const double bound = std::max(1.0, std::strtod(error.c_str(), nullptr));
    if (type == "np.float32") check_line<float>(f, argument, result, bound);
    else check_line<double>(f, argument, result, bound);
    ++lines;
  }
  CHECK(lines > 0);
}

}  // namespace

TEST_CASE("NumPy's validation tables") {
  const std::filesystem::path folder = TFGRAPH_NUMPY_TABLES;
  if (folder.empty()) {
    MESSAGE("skipped: NumPy's tests are not installed");
    return;
  }
  // NumPy's names where they differ from ours.
  const std::map<std::string, std::string> names{{"asin", "arcsin"},   {"acos", "arccos"},
                                                 {"atan", "arctan"},   {"asinh", "arcsinh"},
                                                 {"acosh", "arccosh"}, {"atanh", "arctanh"}};
  int tables = 0;
  for_each_unary([&](const std::string& name, auto f, reference, const ranges&, double, double) {
    const auto numpy = names.contains(name) ? names.at(name) : name;
    const auto table = folder / ("umath-validation-set-" + numpy + ".csv");
    if (!std::filesystem::exists(table)) return;
    check_table(table, f);
    ++tables;
  });
  CHECK(tables == 20);
}
