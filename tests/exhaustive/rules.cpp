// The rules of one variable that strict mode applies, over the values of float: both sides must
// have the same bits (NaN equal to NaN).
//   tfgraph_rules             every 65,521st value, and the neighbourhoods of special values
//   tfgraph_rules 64 3        every 64th value from the third on
//   tfgraph_rules 1           all 2^32 values
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/ops/all.hpp>
#include <tfgraph/optimize/pipeline.hpp>

#include <support/compare.hpp>

#include <boost/hana/for_each.hpp>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

namespace {

namespace tg = tfgraph;
namespace ops = tg::ops;
using namespace tg::optimize;

constexpr tg::index block = 4096;

const tg::operation* find(std::uint64_t key) {
  static const auto all = [] {
    std::map<std::uint64_t, const tg::operation*> m;
    boost::hana::for_each(tg::all_operators, [&](auto type) {
      const tg::operation* op = ops::id<typename decltype(type)::type>;
      m[op->key] = op;
    });
    return m;
  }();
  const auto found = all.find(key);
  return found == all.end() ? nullptr : found->second;
}

// The pattern of a rule as a graph of one float input; no_node if it is not of that kind.
struct instance {
  tg::graph g;
  float known;
  int variables = 0;

  tg::node_id term_node(const rule_set& set, const parsed_rule& p, std::int16_t at) {
    const term& t = set.terms[at];
    const tg::spec scalar{tg::dtype::float32, {}};
    switch (t.kind) {
      case term_kind::variable:
        if (variables == 0) {
          g.add_input(ops::id<ops::input>, {tg::dtype::float32, {block}});
          variables = t.variable + 1;
        }
        return t.variable + 1 == variables ? g.input_list[0] : tg::no_node;
      case term_kind::known:
        return tg::detail::record_full(g, scalar, tg::detail::to_bits(known));
      case term_kind::number:
        return tg::detail::record_full(g, scalar,
                                       tg::detail::to_bits(static_cast<float>(t.number)));
      case term_kind::lowest:
      case term_kind::highest:
        return tg::detail::record_full(
            g, scalar, detail::extreme_bits(t.kind == term_kind::highest, scalar.type));
      case term_kind::operation:
        break;
    }
    const tg::operation* op = find(p.key_of(t));
    if (op == nullptr || op->kind != tg::operation_kind::elementwise || t.arguments < 1)
      return tg::no_node;
    std::vector<tg::node_id> operands;
    std::vector<tg::spec> types;
    std::int16_t argument = static_cast<std::int16_t>(at + 1);
    for (int k = 0; k < t.arguments; ++k, argument = set.terms[argument].next) {
      operands.push_back(term_node(set, p, argument));
      if (operands.back() == tg::no_node) return tg::no_node;
      types.push_back(g.type(operands.back()));
    }
    const std::vector<tg::index> a{
        ops::is<ops::cast>(op) ? static_cast<tg::index>(tg::dtype::float32) : tg::index{3}};
    const bool attributed = ops::is<ops::cast>(op) || ops::is<ops::integer_power>(op);
    const std::span<const tg::index> attributes(a.data(), attributed ? 1u : 0u);
    const tg::inference r = op->infer(types, attributes);
    return r.objection.empty() ? g.add(op, r.result, operands, attributes) : tg::no_node;
  }
};

// Counts the values for which the rule changes a bit.
long long mismatches(const parsed_rule& p, float known, std::uint64_t step, std::uint64_t first,
                     bool* applies) {
  const rule_set& set = library_rules;
  instance i{{}, known};
  const tg::node_id root = i.term_node(set, p, p.from);
  *applies = false;
  if (root == tg::no_node || i.variables == 0) return 0;
  i.g.output_list.push_back(root);
  const std::unique_ptr<bool[]> enabled(new bool[set.lines.size()]());
  enabled[static_cast<std::size_t>(p.line)] = true;
  tg::detail::list<application_count> log;
  simplify_options o = tg::detail::simplify_options_of<tg::strict_options>::value;
  o.enabled = enabled.get();
  o.log = &log;
  const tg::graph better = tg::optimized(i.g.view(), o);
  if (log.size() == 0) return 0;
  *applies = true;
  long long wrong = 0;
  std::vector<tg::value> inputs{
      {{tg::dtype::float32, {block}}, std::vector<tg::element_bits>(block)}};
  const auto compare = [&] {
    const tg::value a = tg::evaluate(i.g.view(), inputs)[0];
    const tg::value b = tg::evaluate(better.view(), inputs)[0];
    for (std::size_t k = 0; k < a.elements.size(); ++k)
      wrong += tfgraph::test::same_bits(a.type.type, a.elements[k], b.elements[k]) ? 0 : 1;
  };
  std::size_t n = 0;
  const auto put = [&](std::uint64_t bits) {
    inputs[0].elements[n++] = bits & 0xffffffffu;
    if (n < block) return;
    compare();
    n = 0;
  };
  for (std::uint64_t v = first; v < std::uint64_t{1} << 32; v += step) put(v);
  for (std::uint64_t special :
       {0x0u, 0x80000000u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 0x00800000u, 0x80800000u,
        0x3f800000u, 0xbf800000u, 0x7f7fffffu, 0x4b000000u})
    for (std::uint64_t d = 0; d < 64; ++d) put(special + d - 32);
  while (n != 0) put(0);
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t step = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 65521;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  int checked = 0;
  bool right = true;
  for (const parsed_rule& p : library_rules.rules) {
    const rule& line = library_rules.lines[static_cast<std::size_t>(p.line)];
    if (line.needs != tg::numerics::strict || !contains(line.where, tg::dtype::float32)) continue;
    for (float known : {2.0f, 0.25f, -1.0f, 3.0f, 0x1p126f, 0x1p-126f}) {
      bool applies = false;
      const long long wrong = mismatches(p, known, step == 0 ? 1 : step, first, &applies);
      if (!applies) continue;
      ++checked;
      if (wrong != 0)
        std::printf("%.*s, known %g: %lld values\n", static_cast<int>(line.name.size()),
                    line.name.data(), static_cast<double>(known), wrong);
      right = right && wrong == 0;
      if (line.from.find('k') == std::string_view::npos) break;  // no known operand
    }
  }
  std::printf("%d rules and operators\n", checked);
  return right && checked > 40 ? 0 : 1;
}
