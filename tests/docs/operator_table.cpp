// The table of operators in README.md, made from the operators' definitions.
//   operator_table README.md          compares; ends with 1 if the table there is another
//   operator_table --write README.md  puts the table there
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/ops/all.hpp>
#include <tfgraph/tfgraph.hpp>

#include <boost/hana/for_each.hpp>

#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace tg = tfgraph;
namespace ops = tg::ops;

// ---- which public functions record an operator -------------------------------------------------

struct spelling {
  const tg::operation* op;
  std::string functions;
};

template <class Function>
struct operator_of;
template <class Op>
struct operator_of<tg::elementwise_function<Op>> {
  using type = Op;
};
template <class Op>
struct operator_of<tg::reduction_function<Op>> {
  using type = Op;
};

// The name is checked by the compiler, and the operator follows from the function object's type.
#define FUNCTION(name) \
  spelling{ops::id<operator_of<std::remove_cv_t<decltype(tg::name)>>::type>, "`" #name "`"}
#define AND_OPERATOR(name, symbol) spelling{FUNCTION(name).op, "`" #name "`, `" symbol "`"}

std::vector<spelling> spellings() {
  return {
      AND_OPERATOR(add, "+"),
      AND_OPERATOR(subtract, "-"),
      AND_OPERATOR(multiply, "*"),
      AND_OPERATOR(divide, "/"),
      FUNCTION(floor_divide),
      FUNCTION(remainder),
      AND_OPERATOR(fmod, "%"),
      AND_OPERATOR(negative, "-"),
      FUNCTION(abs),
      FUNCTION(sign),
      FUNCTION(square),
      FUNCTION(reciprocal),
      FUNCTION(maximum),
      FUNCTION(minimum),
      FUNCTION(clip),
      AND_OPERATOR(bitwise_and, "&"),
      {FUNCTION(bitwise_or).op, "`bitwise_or`, <code>&#124;</code>"},
      AND_OPERATOR(bitwise_xor, "^"),
      AND_OPERATOR(bitwise_invert, "~"),
      AND_OPERATOR(bitwise_left_shift, "<<"),
      AND_OPERATOR(bitwise_right_shift, ">>"),
      AND_OPERATOR(equal, "=="),
      AND_OPERATOR(not_equal, "!="),
      AND_OPERATOR(less, "<"),
      AND_OPERATOR(less_equal, "<="),
      AND_OPERATOR(greater, ">"),
      AND_OPERATOR(greater_equal, ">="),
      AND_OPERATOR(logical_and, "&&"),
      {FUNCTION(logical_or).op, "`logical_or`, <code>&#124;&#124;</code>"},
      FUNCTION(logical_xor),
      AND_OPERATOR(logical_not, "!"),
      FUNCTION(where),
      FUNCTION(isnan),
      FUNCTION(isinf),
      FUNCTION(isfinite),
      FUNCTION(sqrt),
      FUNCTION(rsqrt),
      FUNCTION(cbrt),
      FUNCTION(hypot),
      FUNCTION(exp),
      FUNCTION(exp2),
      FUNCTION(expm1),
      FUNCTION(log),
      FUNCTION(log2),
      FUNCTION(log10),
      FUNCTION(log1p),
      FUNCTION(sin),
      FUNCTION(cos),
      FUNCTION(tan),
      FUNCTION(asin),
      FUNCTION(acos),
      FUNCTION(atan),
      FUNCTION(atan2),
      FUNCTION(sinh),
      FUNCTION(cosh),
      FUNCTION(tanh),
      FUNCTION(asinh),
      FUNCTION(acosh),
      FUNCTION(atanh),
      FUNCTION(erf),
      FUNCTION(erfc),
      FUNCTION(lgamma),
      FUNCTION(tgamma),
      FUNCTION(digamma),
      FUNCTION(sigmoid),
      FUNCTION(softplus),
      FUNCTION(floor),
      FUNCTION(ceil),
      FUNCTION(trunc),
      FUNCTION(round),
      FUNCTION(sum),
      FUNCTION(prod),
      FUNCTION(max),
      FUNCTION(min),
      FUNCTION(any),
      FUNCTION(all),
      FUNCTION(argmax),
      FUNCTION(argmin),
      {ops::id<ops::cast>, "`astype<T>`"},
      {ops::id<ops::pow>, "`pow`"},
      {ops::id<ops::integer_power>, "`pow` with a C++ integer"},
      {ops::id<ops::matmul>, "`matmul`"},
      {ops::id<ops::multiply_add>, "`*` and `+`, under `numerics::contract`"},
      {ops::id<ops::permute_dims>, "`permute_dims`, `transpose`, `matrix_transpose`"},
      {ops::id<ops::reshape>, "`reshape`"},
      {ops::id<ops::broadcast_to>, "`broadcast_to`"},
      {ops::id<ops::expand_dims>, "`expand_dims`"},
      {ops::id<ops::squeeze>, "`squeeze`"},
      {ops::id<ops::slice>, "`slice`, `flip`"},
      {ops::id<ops::concat>, "`concat`, `stack`"},
      {ops::id<ops::take>, "`take`"},
      {ops::id<ops::scatter_add>, "`scatter_add`"},
      {ops::id<ops::cumulative_sum>, "`cumulative_sum`"},
      FUNCTION(stop_gradient),
      {ops::id<ops::custom_gradient>, "`custom_gradient`"},
      {ops::id<ops::cotangent>, "the cotangent in `custom_gradient`"},
      {ops::id<ops::loop>, "`range`, `rows`, `fori`, `while_loop`, `scan`, `map`"},
      {ops::id<ops::branch>, "`cond`, `switch_`"},
      {ops::id<ops::parameter>, "a variable, a row or the number of the turn in a loop"},
      {ops::id<ops::result>, "what a loop or branch leaves"},
      {ops::id<ops::stacked>, "what `scan` and `map` stack"},
      {ops::id<ops::checkpoint>, "`checkpoint`"},
      {ops::id<ops::recompute>, "what `checkpoint` computes anew from"},
      {ops::id<ops::input>, "an argument"},
      {ops::id<ops::constant>, "a tensor in the callable"},
      {ops::id<ops::full>,
       "`constant`, `full`, `zeros`, `ones`, `full_like`, `zeros_like`, `ones_like`"},
      {ops::id<ops::iota>, "`arange`"},
      {ops::id<ops::eye>, "`eye`"},
      {ops::id<ops::full_like>, "`full_like`, ... of dynamic extents"},
      {ops::id<ops::sum_like>, "in derivatives of dynamic extents"},
      {ops::id<ops::reshape_like>, "in derivatives of dynamic extents"},
      {ops::id<ops::unslice>, "in derivatives of dynamic extents"},
      {ops::id<ops::element_count>, "in `mean`, of dynamic extents"},
  };
}

// ---- what an operator's definition says --------------------------------------------------------

std::string text_of(tg::operation_kind kind) {
  switch (kind) {
    case tg::operation_kind::input:
      return "input";
    case tg::operation_kind::constant:
      return "constant";
    case tg::operation_kind::generator:
      return "generator";
    case tg::operation_kind::shape_query:
      return "shape query";
    case tg::operation_kind::elementwise:
      return "elementwise";
    case tg::operation_kind::movement:
      return "movement";
    case tg::operation_kind::concatenation:
      return "concatenation";
    case tg::operation_kind::reduction:
      return "reduction";
    case tg::operation_kind::contraction:
      return "contraction";
    case tg::operation_kind::parameter:
    case tg::operation_kind::loop:
    case tg::operation_kind::branch:
    case tg::operation_kind::result:
      return "control flow";
    case tg::operation_kind::along_axis:
      return "along an axis";
    case tg::operation_kind::unbound:
      return "unbound";
    default:
      return "other";
  }
}

// The element types are found by asking the operator's rule about each of them.
template <class Op>
struct element_types {
  bool boolean = false, integer = false, floating = false;
  std::string result = "same";

  element_types() {
    if (Op::kind == tg::operation_kind::movement || Op::kind == tg::operation_kind::concatenation ||
        tg::is_structural(Op::kind)) {
      boolean = integer = floating = true;  // by the meaning of these kinds
      return;
    }
    for (int t = 0; t < tg::dtype_count; ++t) {
      const auto type = static_cast<tg::dtype>(t);
      std::vector<tg::spec> operands;
      for (int k = 0; k < Op::arity; ++k) {
        operands.push_back({k < Op::conditions ? Op::leading_type : type, {}});
        operands.back().shape.push_back(1);
      }
      const std::vector<tg::index> attributes(
          Op::kind == tg::operation_kind::along_axis ? 2 : 1, 0);
      const tg::inference found = ops::id<Op>->infer(operands, attributes);
      if (!found.objection.empty()) continue;
      if (type == tg::dtype::boolean) boolean = true;
      else if (tg::is_floating(type)) floating = true;
      else integer = true;
      if (found.result.type != type) result = tg::name_of(found.result.type);
    }
    if constexpr (requires { Op::result_type({}); }) result = "`T`";
  }

  std::string operands() const {
    if (boolean && integer && floating) return "any";
    std::string s;
    const auto append = [&s](bool has, const char* name) {
      if (has) s += (s.empty() ? "" : ", ") + std::string(name);
    };
    append(boolean, "bool");
    append(integer, "integer");
    append(floating, "floating");
    return s;
  }
};

template <class Op>
std::string row(const std::string& functions) {
  std::string operands = "stated";
  std::string result = "stated";
  if constexpr (Op::arity != 0) {
    const element_types<Op> types;
    operands = types.operands();
    result = types.result;
  }
  const tg::operation& o = *ops::id<Op>;
  const std::string onnx = o.onnx.empty() ? "-" : std::string(o.onnx);
  return "| " + functions + " | `" + std::string(o.name) + "` | " + text_of(o.kind) + " | " +
         operands + " | " + result + " | " + onnx + " |\n";
}

std::string table() {
  const auto all = spellings();
  std::string s =
      "| function | in graphs | kind | operands | result | ONNX |\n"
      "|---|---|---|---|---|---|\n";
  std::set<std::string_view> names;
  boost::hana::for_each(tg::all_operators, [&](auto type) {
    using Op = typename decltype(type)::type;
    if (!names.insert(Op::name).second)
      throw std::runtime_error("two operators are called " + std::string(Op::name));
    for (const spelling& f : all)
      if (f.op == ops::id<Op>) {
        s += row<Op>(f.functions);
        return;
      }
    throw std::runtime_error("no function is named for the operator " + std::string(Op::name));
  });
  return s;
}

// ---- the file ----------------------------------------------------------------------------------

constexpr std::string_view begin_mark =
    "<!-- operators: begin (tests/docs/operator_table.cpp) -->\n";
constexpr std::string_view end_mark = "<!-- operators: end -->";

int run(const std::string& path, bool write) {
  std::ifstream in(path);
  std::stringstream whole;
  whole << in.rdbuf();
  std::string text = whole.str();
  const auto begin = text.find(begin_mark);
  const auto end = text.find(end_mark);
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    throw std::runtime_error(path + " has no section between the marks");
  const auto first = begin + begin_mark.size();
  const std::string made = table();
  if (text.substr(first, end - first) == made) return 0;
  if (!write) {
    std::cerr << path << ": the table of operators is not what the operators say; it should be\n\n"
              << made << "\n(operator_table --write " << path << " puts it there)\n";
    return 1;
  }
  text.replace(first, end - first, made);
  std::ofstream(path) << text;
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  const bool write = argc == 3 && std::string_view(argv[1]) == "--write";
  if (argc != 2 && !write) throw std::runtime_error("operator_table [--write] README.md");
  return run(argv[argc - 1], write);
} catch (const std::exception& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
