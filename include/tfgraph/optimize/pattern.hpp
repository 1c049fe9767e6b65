// Tables of rules, parsed: the patterns as flat terms, indexed by the operators at their roots.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/list.hpp>
#include <tfgraph/graph/frozen.hpp>
#include <tfgraph/optimize/rule.hpp>

#include <span>
#include <stdexcept>

namespace tfgraph::optimize {

enum class term_kind : std::uint8_t { variable, known, number, lowest, highest, operation };

/// A part of a pattern. The terms of a pattern stand in prefix order.
struct term {
  static constexpr std::int8_t any_number = -1;
  term_kind kind;
  std::int8_t variable;   ///< its number in the rule
  std::int8_t arguments;
  std::int8_t swap;       ///< which bit of an order exchanges the operands; -1: none
  std::int16_t next;      ///< the term after this one and its arguments
  std::uint64_t key;      ///< of the operation
  double number;
};

struct parsed_rule {
  static constexpr int most_variables = 6;
  std::int16_t line;      ///< in the table
  std::int16_t from, to;  ///< the first terms; `to` is -1 where code builds
  std::int8_t swaps;      ///< number of operators whose operands may be exchanged
  char variables[most_variables];
  std::uint64_t root, anchor;
};

/// The operand that a rule is found by: its operator's key, or one of these.
inline constexpr std::uint64_t no_anchor = 0;
inline constexpr std::uint64_t known_anchor = 1;

struct rule_set {
  static constexpr std::size_t slots = 512;
  std::span<const rule> lines;
  tfgraph::detail::list_view<term> terms;
  tfgraph::detail::list_view<parsed_rule> rules;
  tfgraph::detail::list_view<std::int16_t> first, next;  ///< chains of rules

  [[nodiscard]] static constexpr std::size_t slot(std::uint64_t root, std::uint64_t anchor) {
    return (root * 3 + anchor) % slots;
  }
};

namespace detail {

struct rule_lists {
  tfgraph::detail::list<term> terms;
  tfgraph::detail::list<parsed_rule> rules;
  tfgraph::detail::list<std::int16_t> first, next;
};

constexpr bool commutes(std::uint64_t key) {
  constexpr std::string_view names[] = {"add",    "mul",     "maximum", "minimum",
                                        "equal",  "not_equal", "and",     "or",
                                        "xor",    "bit_and", "bit_or",  "bit_xor"};
  for (std::string_view n : names)
    if (tfgraph::detail::operation_key(n) == key) return true;
  return false;
}

/// Reads the patterns of one rule.
class pattern_parser {
 public:
  constexpr pattern_parser(rule_lists& out, std::uint64_t f) : out_(out), f_(f) {}

  constexpr std::int16_t parse(std::string_view text) {
    text_ = text;
    at_ = 0;
    const auto first = static_cast<std::int16_t>(out_.terms.size());
    parse_term();
    if (at_ != text_.size()) throw std::logic_error("a pattern does not end where it should");
    return first;
  }

  parsed_rule rule{};

 private:
  static constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static constexpr bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

  constexpr char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  constexpr void expect(char c) {
    if (now() != c) throw std::logic_error("a pattern misses a comma or a parenthesis");
    ++at_;
    while (now() == ' ') ++at_;
  }

  constexpr void parse_term() {
    const std::size_t place = out_.terms.size();
    out_.terms.push_back({term_kind::number, 0, 0, -1, 0, 0, 0});
    if (is_letter(now())) parse_name(place);
    else out_.terms[place].number = parse_number();
    out_.terms[place].next = static_cast<std::int16_t>(out_.terms.size());
  }

  constexpr void parse_name(std::size_t place) {
    const std::size_t begin = at_;
    while (is_letter(now()) || is_digit(now()) || now() == '_') ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (now() == '(') return parse_operation(place, name);
    term& t = out_.terms[place];
    if (name.size() == 1) {
      t.kind = name[0] >= 'k' && name[0] <= 'm' ? term_kind::known : term_kind::variable;
      t.variable = number_of(name[0]);
    } else if (name == "lowest") t.kind = term_kind::lowest;
    else if (name == "highest") t.kind = term_kind::highest;
    else if (name == "true") t.number = 1;
    else if (name != "false") throw std::logic_error("a pattern has a word that means nothing");
  }

  constexpr void parse_operation(std::size_t place, std::string_view name) {
    const std::uint64_t key = name == "f" ? f_ : tfgraph::detail::operation_key(name);
    expect('(');
    std::int8_t arguments = 0;
    while (now() != ')') {
      if (arguments > 0) expect(',');
      parse_term();
      ++arguments;
      if (text_.substr(at_, 3) == "...") {
        arguments = term::any_number;
        at_ += 3;
        break;
      }
    }
    expect(')');
    term& t = out_.terms[place];
    t.kind = term_kind::operation;
    t.key = key;
    t.arguments = arguments;
    if (arguments == 2 && commutes(key)) t.swap = rule.swaps++;
  }

  constexpr double parse_number() {
    const bool negative = now() == '-';
    if (negative) ++at_;
    if (!is_digit(now())) throw std::logic_error("a pattern has a sign that means nothing");
    double v = 0;
    while (is_digit(now())) v = 10 * v + (text_[at_++] - '0');
    if (now() == '.') {
      ++at_;
      for (double unit = 0.1; is_digit(now()); unit /= 10) v += unit * (text_[at_++] - '0');
    }
    return negative ? -v : v;
  }

  constexpr std::int8_t number_of(char letter) {
    for (int i = 0; i < parsed_rule::most_variables; ++i) {
      if (rule.variables[i] == '\0') rule.variables[i] = letter;
      if (rule.variables[i] == letter) return static_cast<std::int8_t>(i);
    }
    throw std::logic_error("a rule has too many variables");
  }

  rule_lists& out_;
  std::uint64_t f_;
  std::string_view text_;
  std::size_t at_ = 0;
};

constexpr std::uint64_t anchor_of(const rule_lists& lists, std::int16_t from) {
  const term root = lists.terms[from];
  std::uint64_t anchor = no_anchor;
  std::int16_t t = static_cast<std::int16_t>(from + 1);
  for (int k = 0; k < root.arguments; ++k, t = lists.terms[t].next) {
    const term& argument = lists.terms[t];
    if (argument.kind == term_kind::operation) return argument.key;
    if (argument.kind != term_kind::variable) anchor = known_anchor;
  }
  return anchor;
}

constexpr rule_lists parse_rules(std::span<const rule> lines) {
  rule_lists lists;
  lists.first.resize(rule_set::slots, -1);
  for (std::size_t line = 0; line < lines.size(); ++line) {
    const optimize::rule& r = lines[line];
    std::string_view rest = r.f;
    do {
      const std::size_t space = rest.find(' ');
      pattern_parser p(lists, tfgraph::detail::operation_key(rest.substr(0, space)));
      p.rule.line = static_cast<std::int16_t>(line);
      p.rule.from = p.parse(r.from);
      const std::int8_t swaps = p.rule.swaps;
      p.rule.to = r.build != nullptr ? std::int16_t{-1} : p.parse(r.to);
      p.rule.swaps = swaps;
      p.rule.root = lists.terms[p.rule.from].key;
      p.rule.anchor = anchor_of(lists, p.rule.from);
      lists.rules.push_back(p.rule);
      rest = space == std::string_view::npos ? std::string_view() : rest.substr(space + 1);
    } while (!rest.empty());
  }
  lists.next.resize(lists.rules.size(), -1);
  for (std::size_t r = lists.rules.size(); r-- > 0;) {
    const parsed_rule& p = lists.rules[r];
    std::int16_t& first = lists.first[rule_set::slot(p.root, p.anchor)];
    lists.next[r] = first;
    first = static_cast<std::int16_t>(r);
  }
  return lists;
}

struct rule_set_sizes {
  std::size_t terms, rules;
  [[nodiscard]] friend constexpr bool operator==(const rule_set_sizes&,
                                                 const rule_set_sizes&) = default;
};

template <auto S>
struct static_rules {
  tfgraph::detail::static_list<term, S.terms> terms;
  tfgraph::detail::static_list<parsed_rule, S.rules> rules;
  tfgraph::detail::static_list<std::int16_t, rule_set::slots> first;
  tfgraph::detail::static_list<std::int16_t, S.rules> next;

  template <class Lists>
  static constexpr static_rules from(const Lists& lists) {
    static_rules s{};
    s.terms.assign(lists.terms);
    s.rules.assign(lists.rules);
    s.first.assign(lists.first);
    s.next.assign(lists.next);
    return s;
  }
  [[nodiscard]] constexpr rule_set_sizes sizes() const { return {terms.count, rules.count}; }
  [[nodiscard]] constexpr bool fits() const {
    return terms.count <= S.terms && rules.count <= S.rules;
  }
  [[nodiscard]] constexpr rule_set view() const {
    return {{}, terms.view(), rules.view(), first.view(), next.view()};
  }
};

template <const auto& Lines>
struct parsed_table {
  static constexpr rule_lists make() { return parse_rules(Lines); }
};

}  // namespace detail

/// The rules of a table (a static array), ready to be applied:
///   inline constexpr tg::optimize::rule mine[] = {{.name = ..., .from = ..., .to = ...}};
///   inline constexpr auto my_rules = tg::optimize::rules<mine>;
template <const auto& Lines>
inline constexpr rule_set rules = [] {
  using table = detail::parsed_table<Lines>;
  rule_set s = tfgraph::detail::frozen_as<table, detail::static_rules,
                                          detail::rule_set_sizes{3000, 700}>::value;
  s.lines = Lines;
  return s;
}();

}  // namespace tfgraph::optimize
