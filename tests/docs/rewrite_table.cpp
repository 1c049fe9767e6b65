// docs/rewrites.md: the library's rules, made from their table, and where the rewrites of other
// optimisers are found or why they are not.
//   rewrite_table docs/rewrites.md          compares; ends with 1 if the file says something else
//   rewrite_table --write docs/rewrites.md  writes it
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/optimize/rules/all.hpp>

#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

namespace tg = tfgraph;
using tg::optimize::rule;

// ---- the rules ---------------------------------------------------------------------------------

std::string text_of(tg::numerics::licence l) {
  const std::pair<tg::numerics::licence, const char*> names[] = {
      {tg::numerics::reassociate, "reassociate"},
      {tg::numerics::reciprocal, "reciprocal"},
      {tg::numerics::no_nans, "no_nans"},
      {tg::numerics::no_signed_zeros, "no_signed_zeros"},
      {tg::numerics::contract, "contract"},
      {tg::numerics::improve, "improve"}};
  std::string s;
  for (const auto& [licence, name] : names)
    if (l.allows(licence)) s += (s.empty() ? "" : ", ") + std::string(name);
  return s.empty() ? "exact" : s;
}

std::string text_of(tg::optimize::types t) {
  switch (t) {
    case tg::optimize::types::all:
      return "all";
    case tg::optimize::types::floating:
      return "floating point";
    case tg::optimize::types::integer:
      return "integers";
    case tg::optimize::types::signed_integer:
      return "signed integers";
    case tg::optimize::types::unsigned_integer:
      return "unsigned integers";
    case tg::optimize::types::boolean:
      break;
  }
  return "bool";
}

template <std::size_t N>
std::string table(const char* title, const rule (&rules)[N]) {
  std::string s = "\n### " + std::string(title) +
                  "\n\n| rule | pattern | becomes | element types | floating point needs | if |\n"
                  "|---|---|---|---|---|---|\n";
  for (const rule& r : rules) {
    s += "| " + std::string(r.name) + " | `" + std::string(r.from) + "` | ";
    s += r.build ? std::string(r.to) : "`" + std::string(r.to) + "`";
    s += " | " + text_of(r.where) + " | " + text_of(r.needs) + " | " + std::string(r.when.text);
    if (!r.f.empty())
      s += (r.when.text.empty() ? "" : "; ") + std::string("f is one of ") + std::string(r.f);
    s += " |\n";
  }
  return s;
}

// ---- other optimisers' rewrites ----------------------------------------------------------------

struct rewrite {
  std::string_view what;
  std::string_view rules;  ///< names of our rules; empty: see `remark`
  std::string_view remark;
};

constexpr std::string_view no_control_flow =
    "graphs have no nodes with subgraphs and no side effects yet";
constexpr std::string_view folded = "constant folding";
constexpr std::string_view scheduler = "the scheduler fuses element-wise nodes into kernels";
constexpr std::string_view no_operator = "there is no such operator";

constexpr rewrite constant_folding[] = {
    {"shape, size and rank of static shapes; broadcast arguments; reduction indices", "",
     "extents are part of the types: such nodes do not exist"},
    {"Fill, ZerosLike, OnesLike; nodes of constants only", "", folded},
    {"Merge, Switch, Enter, Case with constants", "", no_control_flow},
    {"split into one", "", "a split is slices: slice_nothing"},
    {"transpose that moves nothing", "permute_nothing permute_is_reshape", ""},
    {"random shuffle", "", no_operator},
    {"reverse along extents of 1", "slice_nothing", ""},
    {"whole slice, whole strided slice", "slice_nothing", ""},
    {"tile by 1, pad by 0", "", "there is no such operator; broadcast_nothing, concat_of_one"},
    {"squeeze without axes", "squeeze_is_reshape reshape_nothing", ""},
    {"pack of one", "concat_of_one", ""},
    {"reshape to its own shape", "reshape_nothing", ""},
    {"reduction of nothing", "reduce_nothing", ""},
    {"select with a known condition", "where_true where_false where_same", ""},
    {"x * 1, x / 1, x and true", "multiply_by_one divide_by_one and_true", ""},
    {"x + 0, x or false", "add_minus_zero add_zero or_false", "+0 is not neutral for -0"},
    {"x - 0", "subtract_zero subtract_minus_zero", ""},
    {"0 - x", "subtract_from_zero subtract_from_minus_zero", ""},
    {"1 / x", "one_over", ""},
    {"x or true", "or_true", ""},
    {"x * 0, matmul with 0", "multiply_by_zero matmul_with_zero zero_with_matmul", ""},
    {"0 / x", "divide_zero", "for integers it would hide a division by zero"},
    {"x / c to x * (1 / c)", "divide_by_power_of_two divide_by_known", ""},
    {"constants pushed down: (x + c) + d, (x * c) * d and their kin",
     "sum_of_sum_and_known sum_of_difference_and_known difference_of_sum_and_known "
     "difference_of_difference_and_known known_minus_sum known_minus_difference "
     "sum_of_known_minus product_of_product_and_known",
     ""},
    {"constants pushed down through BiasAdd and convolutions", "", no_operator},
    {"constants of AddN gathered", "sum_of_sum_and_known", "sums are binary"},
    {"concat of concat", "concat_of_concat", ""},
    {"constant operands of concat folded", "", "only where all operands are constant"},
    {"assignment of x + 0", "", "variables are inputs and outputs of the graph"},
};

constexpr rewrite arithmetic[] = {
    {"tree of sums to one AddN", "",
     "element-wise sums are one kernel already; broadcast ones keep their order"},
    {"Conj", "", "there are no complex numbers"},
    {"factors into convolutions", "", no_operator},
    {"transposes into matmul", "transposed_product_of_transposed",
     "a transposed operand is a layout, which the kernel reads in place"},
    {"common factor out of a sum",
     "common_factor_of_sum common_factor_of_difference common_divisor_of_sum", ""},
    {"small shapes of a sum or product first", "product_of_scaled",
     "constants only; of unknown operands not yet"},
    {"transpose of transpose", "permute_of_permute permute_elementwise_permute", ""},
    {"involutions", "double_negation double_not double_inversion double_reciprocal",
     "1 / (1 / x) rounds twice"},
    {"bitcasts", "", no_operator},
    {"cast to the same type", "cast_to_own_type cast_of_cast", ""},
    {"pack of copies to a tile", "", "the copies are read once as it is"},
    {"x * ones to a broadcast", "multiply_by_one", ""},
    {"reshape of reshape, reshape before a broadcast", "reshape_of_reshape broadcast_of_broadcast",
     ""},
    {"a - (-b), a + (-b), (-a) + b", "add_negated subtract_negated", ""},
    {"x * x to square", "square_is_product", "the other way round: the product is the normal form"},
    {"not of a comparison",
     "not_equal not_not_equal not_less not_less_equal not_greater not_greater_equal", ""},
    {"cast after transpose", "", "movement costs nothing"},
    {"sum of n equal operands", "", "x + x is as cheap as 2 * x"},
    {"unary chains out of concat and split", "", "element-wise nodes join the kernels of both"},
    {"x / sqrt(y)", "quotient_by_root reciprocal_of_root", ""},
    {"idempotent functions",
     "idempotent floor_of_round ceil_of_round trunc_of_round round_of_round", ""},
    {"powers with known exponents",
     "power_zero power_one power_two power_three power_minus_one power_half power_minus_half "
     "integer_power_is_products",
     ""},
    {"log(1 + x), exp(x) - 1", "log_of_one_plus exp_minus_one one_minus_exp", ""},
    {"log(softmax(x))", "log_softmax", ""},
    {"max of monotone functions",
     "max_of_monotone min_of_monotone max_of_increasing min_of_increasing max_of_partial "
     "min_of_partial max_of_negated min_of_negated",
     ""},
    {"argmax of monotone functions", "argmax_of_negated argmin_of_negated",
     "others tie where they round or saturate"},
    {"unary chains to one kernel", "", scheduler},
    {"slice of a stack along its axis", "slice_of_concat", ""},
    {"embedding lookups, segment reductions", "", no_operator},
    {"square of a difference to one operator", "", scheduler},
};

constexpr rewrite structural[] = {
    {"common subexpressions", "", "cse.hpp, with commutative operands in any order"},
    {"pruning, identities, StopGradient", "", "dead.hpp; there are no identity nodes"},
    {"control dependencies; grouping; transitive reduction", "",
     "a graph has no control dependencies"},
    {"loop-invariant motion, dead branches, dead loops, stacks", "", no_control_flow},
    {"functions inlined, unused results dropped", "",
     "a called function is traced into its caller"},
    {"recompute or swap", "",
     "the memory plan shares the arena by lifetimes; recomputation is not decided yet"},
    {"remapper fusions of bias, activation, residual", "", scheduler},
    {"batch normalisation, layer normalisation, gelu, swish, softmax as one kernel", "",
     "not recognised: there is no row kernel that would use it"},
    {"convolutions, images, strings, quantisation, devices, mixed precision", "", no_operator},
};

constexpr rewrite xla[] = {
    {"constant to the right; a - c to a + (-c)", "",
     "patterns match commutative operands both ways"},
    {"x + (y - x), x - x, x - (x - y), x - (x + y), (x + y) - x",
     "subtract_and_add difference_of_same subtract_difference subtract_sum add_and_subtract", ""},
    {"(-a) * (-b), |a| * |a|", "multiply_negated divide_negated negated_times_known product_of_abs",
     ""},
    {"convert(p) * x to a select", "",
     "NaN times false is NaN: as written it means something else"},
    {"exp(a) * exp(b), exp(a) / exp(b)", "product_of_exponentials quotient_of_exponentials", ""},
    {"a / pow(b, c), a / exp(b)", "",
     "no gain: the quotient is one instruction in the same kernel"},
    {"(a / b) / c, a / (b / c)", "quotient_of_quotient divide_by_quotient", ""},
    {"integer quotients and remainders by powers of two",
     "unsigned_divide_by_power_of_two floor_divide_by_power_of_two "
     "unsigned_remainder_by_power_of_two remainder_by_power_of_two remainder_of_remainder",
     "of signed division towards zero not: it takes a selection"},
    {"sqrt(x)^2, rsqrt(x)^2, sqrt(x^2)", "square_of_root square_of_inverse_root root_of_square",
     ""},
    {"log(exp(x)), exp(log(x)) and their kin",
     "log_of_exp exp_of_log log2_of_exp2 log1p_of_expm1 expm1_of_log1p", ""},
    {"log(pow(a, b)), pow(exp(a), b)", "", "NaN to finite numbers, or the reverse"},
    {"log(sqrt(a))", "log_of_root", ""},
    {"rsqrt(1 / a), rsqrt(pow(a, -2))", "", "rare"},
    {"abs of what is not negative",
     "abs_of_positive abs_of_unsigned abs_of_negated abs_of_negated_integer", ""},
    {"unsigned x < 0",
     "unsigned_below_zero unsigned_from_zero zero_above_unsigned zero_below_unsigned", ""},
    {"x == x, x < x",
     "equal_to_itself equal_to_itself_bool ordered_with_itself less_than_itself unequal_to_itself "
     "unequal_to_itself_float",
     ""},
    {"p == true, p != false", "equal_true equal_false unequal_false unequal_true", ""},
    {"max(a, b) > a", "maximum_greater minimum_less", ""},
    {"max(x, x), max(x, -inf), absorption, merged bounds",
     "extreme_of_same maximum_with_lowest minimum_with_highest extreme_absorbs extreme_of_known "
     "maximum_absorbs_minimum minimum_absorbs_maximum",
     ""},
    {"max(f(a), f(b))",
     "maximum_of_monotone minimum_of_monotone maximum_of_increasing minimum_of_increasing "
     "maximum_of_negated minimum_of_negated",
     ""},
    {"a xor a, a and a, a and 0, a or ~0",
     "xor_of_same logic_of_same bits_and_zero bits_or_zero bits_and_ones bits_or_ones "
     "bits_xor_ones bits_of_known logic_absorbs and_of_opposites or_of_opposites",
     ""},
    {"selects",
     "where_same where_not where_true_false where_false_true where_where where_else_where", ""},
    {"arithmetic at a narrower type", "", "not yet: it needs ranges of values"},
    {"broadcasts sunk and implied",
     "broadcast_of_broadcast broadcast_is_implied broadcast_is_implied_at_left "
     "broadcast_is_implied_at_right function_of_broadcast",
     ""},
    {"slices of slices, concats, broadcasts, transposes",
     "slice_of_slice slice_of_concat slice_of_broadcast slice_of_permuted concat_of_slices", ""},
    {"pads, dynamic slices, gathers, scatters, sorts, windows", "", no_operator},
    {"reductions of reshapes, transposes, broadcasts, reductions",
     "reduction_of_reshaped extreme_of_permuted sum_of_permuted extreme_of_broadcast "
     "sum_of_broadcast extreme_of_extreme sum_of_sum",
     ""},
    {"reduction of a concat to reductions of its operands", "",
     "no gain: the concat is written by its operands' kernels"},
    {"factors out of sums", "sum_of_negated sum_of_scaled any_of_not all_of_not", ""},
    {"dot: outer product, unit matrix, order of products, factors",
     "outer_product matmul_with_eye eye_with_matmul product_right_first product_left_first "
     "scaled_left_factor scaled_right_factor",
     "the order of three factors at a time, not of a whole chain at once"},
    {"powers of a matrix", "", "power_chain.hpp: repeated squaring, also of element-wise products"},
    {"dot of a concat to a sum of dots", "", "no gain"},
    {"pairwise sums", "", "sums have a defined pairwise order already"},
    {"fused multiply-add", "contract_sum contract_difference contract_subtraction", ""},
};

template <std::size_t N>
std::string table(const char* title, const rewrite (&rows)[N], std::set<std::string_view>& named) {
  std::string s = "\n### " + std::string(title) + "\n\n| rewrite | here |\n|---|---|\n";
  for (const rewrite& r : rows) {
    std::string here;
    for (std::string_view rest = r.rules; !rest.empty();) {
      const std::size_t space = rest.find(' ');
      const std::string_view name = rest.substr(0, space);
      bool found = false;
      for (const rule& x : tg::optimize::library_table) found = found || x.name == name;
      if (!found) throw std::runtime_error("there is no rule " + std::string(name));
      named.insert(name);
      here += (here.empty() ? "" : ", ") + std::string(name);
      rest = space == std::string_view::npos ? "" : rest.substr(space + 1);
    }
    if (!r.remark.empty()) here += (here.empty() ? "" : "; ") + std::string(r.remark);
    s += "| " + std::string(r.what) + " | " + here + " |\n";
  }
  return s;
}

std::string document() {
  std::set<std::string_view> names;
  for (const rule& r : tg::optimize::library_table)
    if (!names.insert(r.name).second)
      throw std::runtime_error("two rules are called " + std::string(r.name));
  std::set<std::string_view> named;
  std::string s =
      "# Rewrites\n\n"
      "Made by tests/docs/rewrite_table.cpp from the tables in include/tfgraph/optimize/rules.\n\n"
      "In strict mode, the default, only exact rules are applied to floating-point values: they "
      "change no bit of\nany result (the payload of NaN aside). A rule that needs licences is "
      "applied to floating-point values if\nthe function was given all of them "
      "(`tg::function<tg::numerics::fast>(f)`), and always to integers, whose\narithmetic is "
      "modular. Any rule is switched off by its name, "
      "`tg::strict_options.without(\"double_negation\")`,\nand a program adds a table of its own "
      "by `.with(tg::optimize::rules<table>)`.\n\n"
      "In patterns, `k` and `l` are known values, other letters anything; operands of commutative "
      "operators\nmatch in any order.\n\n"
      "## Rules\n";
  s += table("Arithmetic", tg::optimize::arithmetic_rules);
  s += table("Logic, bits, comparisons, selection, conversion", tg::optimize::logic_rules);
  s += table("Cheaper operators", tg::optimize::strength_rules);
  s += table("Movement", tg::optimize::movement_rules);
  s += table("Reductions", tg::optimize::reduction_rules);
  s += table("Matrix products", tg::optimize::matmul_rules);
  s += table("Better formulas", tg::optimize::improve_rules);
  s += table("Contraction", tg::optimize::contract_rules);
  s += "\n## What other optimisers do, and where it is here\n";
  s += table("Constant folding (Grappler)", constant_folding, named);
  s += table("Arithmetic (Grappler)", arithmetic, named);
  s += table("Structure (Grappler)", structural, named);
  s += table("Algebraic simplification (XLA)", xla, named);
  std::string ours;
  for (const rule& r : tg::optimize::library_table)
    if (!named.contains(r.name)) ours += (ours.empty() ? "" : ", ") + std::string(r.name);
  return s + "\nRules without a counterpart there: " + ours + ".\n";
}

int run(const std::string& path, bool write) {
  const std::string made = document();
  if (write) {
    std::ofstream(path) << made;
    return 0;
  }
  std::ifstream in(path);
  std::stringstream whole;
  whole << in.rdbuf();
  if (whole.str() == made) return 0;
  std::cerr << path << " is not what the rules say (rewrite_table --write " << path
            << " writes it)\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) try {
  const bool write = argc == 3 && std::string_view(argv[1]) == "--write";
  if (argc != 2 && !write) throw std::runtime_error("rewrite_table [--write] docs/rewrites.md");
  return run(argv[argc - 1], write);
} catch (const std::exception& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
