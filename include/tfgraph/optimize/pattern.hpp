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

/// Stands for the key of the operator that f is.
inline constexpr std::uint64_t any_of_f = 2;

/// A part of a pattern. The terms of a pattern stand in prefix order.
struct term {
  static constexpr std::int8_t any_number = -1;
  term_kind kind;
  std::int8_t variable;  ///< its number in the rule
  std::int8_t arguments;
  std::int8_t swap;   ///< which bit of an order exchanges the operands; -1: none
  std::int16_t next;  ///< the term after this one and its arguments
  std::uint64_t key;  ///< of the operation; `any_of_f` stands for the rule's f
  double number;
};

struct parsed_rule {
  static constexpr int most_variables = 6;
  std::int16_t line;      ///< in the table
  std::int16_t from, to;  ///< the first terms; `to` is -1 where code builds
  std::int8_t swaps;      ///< number of operators whose operands may be exchanged
  char variables[most_variables];
  std::uint64_t root, anchor, f;
  types where;
  std::uint8_t needs;  ///< bits of a licence

  [[nodiscard]] constexpr std::uint64_t key_of(const term& t) const {
    return t.key == any_of_f ? f : t.key;
  }
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

/// The largest number of operators that f stands for.
inline constexpr int most_of_f = 20;

struct rule_lists {
  tfgraph::detail::list<term> terms;
  tfgraph::detail::list<parsed_rule> rules;
  tfgraph::detail::list<std::int16_t> first, next;
};

inline constexpr std::uint64_t commutative_keys[] = {
    tfgraph::detail::operation_key("add"),     tfgraph::detail::operation_key("mul"),
    tfgraph::detail::operation_key("maximum"), tfgraph::detail::operation_key("minimum"),
    tfgraph::detail::operation_key("equal"),   tfgraph::detail::operation_key("not_equal"),
    tfgraph::detail::operation_key("and"),     tfgraph::detail::operation_key("or"),
    tfgraph::detail::operation_key("xor"),     tfgraph::detail::operation_key("bit_and"),
    tfgraph::detail::operation_key("bit_or"),  tfgraph::detail::operation_key("bit_xor")};

constexpr bool commutes(std::uint64_t key) {
  for (std::uint64_t k : commutative_keys)
    if (k == key) return true;
  return false;
}

/// Reads the patterns of one rule.
class pattern_parser {
 public:
  constexpr pattern_parser(rule_lists& out, bool f_commutes) : out_(out), f_commutes_(f_commutes) {}

  constexpr std::int16_t parse(std::string_view text) {
    at_ = text.data();
    end_ = at_ + text.size();
    const auto first = static_cast<std::int16_t>(out_.terms.size());
    parse_term();
    if (at_ != end_) throw std::logic_error("a pattern does not end where it should");
    return first;
  }

  parsed_rule rule{};

 private:
  static constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

  // A pattern ends with a parenthesis or a word, so that what follows is looked at only there.
  [[nodiscard]] constexpr bool next_is(char c) const { return at_ != end_ && *at_ == c; }
  constexpr void expect(char c) {
    if (!next_is(c)) throw std::logic_error("a pattern misses a comma or a parenthesis");
    ++at_;
    while (next_is(' ')) ++at_;
  }

  constexpr void parse_term() {
    const std::size_t place = out_.terms.size();
    out_.terms.push_back({term_kind::number, 0, 0, -1, 0, 0, 0});
    if (at_ != end_ && *at_ >= 'a' && *at_ <= 'z') parse_name(place);
    else out_.terms[place].number = parse_number();
    out_.terms[place].next = static_cast<std::int16_t>(out_.terms.size());
  }

  constexpr void parse_name(std::size_t place) {
    const char* const begin = at_;
    const char* p = at_;
    while (p != end_ && *p > ')' && *p != ',' && *p != '.') ++p;
    at_ = p;
    const auto length = static_cast<std::size_t>(p - begin);
    if (next_is('(')) return parse_operation(place, {begin, length});
    term& t = out_.terms[place];
    const std::string_view name(begin, length);
    if (length == 1) {
      t.kind = *begin >= 'k' && *begin <= 'm' ? term_kind::known : term_kind::variable;
      t.variable = number_of(*begin);
    } else if (name == "lowest") t.kind = term_kind::lowest;
    else if (name == "highest") t.kind = term_kind::highest;
    else if (name == "true") t.number = 1;
    else if (name != "false") throw std::logic_error("a pattern has a word that means nothing");
  }

  constexpr void parse_operation(std::size_t place, std::string_view name) {
    const bool is_f = name.size() == 1 && name[0] == 'f';
    const std::uint64_t key = is_f ? any_of_f : tfgraph::detail::operation_key(name);
    expect('(');
    std::int8_t arguments = 0;
    while (!next_is(')')) {
      if (arguments > 0) expect(',');
      parse_term();
      ++arguments;
      if (next_is('.')) {  // x...
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
    if (arguments == 2 && (is_f ? f_commutes_ : commutes(key))) t.swap = rule.swaps++;
  }

  constexpr double parse_number() {
    const bool negative = next_is('-');
    if (negative) ++at_;
    if (at_ == end_ || !is_digit(*at_))
      throw std::logic_error("a pattern has a sign that means nothing");
    double v = 0;
    while (at_ != end_ && is_digit(*at_)) v = 10 * v + (*at_++ - '0');
    if (next_is('.')) {
      ++at_;
      for (double unit = 0.1; at_ != end_ && is_digit(*at_); unit /= 10) v += unit * (*at_++ - '0');
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
  bool f_commutes_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
};

constexpr std::uint64_t anchor_of(const rule_lists& lists, const parsed_rule& r) {
  const term root = lists.terms[r.from];
  std::uint64_t anchor = no_anchor;
  std::int16_t t = static_cast<std::int16_t>(r.from + 1);
  const int arguments = root.arguments == term::any_number ? 1 : root.arguments;
  for (int k = 0; k < arguments; ++k, t = lists.terms[t].next) {
    const term& argument = lists.terms[t];
    if (argument.kind == term_kind::operation) return r.key_of(argument);
    if (argument.kind != term_kind::variable) anchor = known_anchor;
  }
  return anchor;
}

constexpr rule_lists parse_rules(std::span<const rule> lines) {
  rule_lists lists;
  lists.terms.reserve(2048);
  lists.rules.reserve(512);
  lists.first.resize(rule_set::slots, -1);
  const rule* const all = lines.data();
  for (std::size_t line = 0; line < lines.size(); ++line) {
    const optimize::rule& r = all[line];
    std::uint64_t f[most_of_f] = {};
    int count = 0;
    for (const char *p = r.f.data(), *end = p + r.f.size(); p != end; ++count) {
      const char* word = p;
      while (p != end && *p != ' ') ++p;
      f[count] = tfgraph::detail::operation_key({word, static_cast<std::size_t>(p - word)});
      if (p != end) ++p;
      if (commutes(f[count]) != commutes(f[0]))
        throw std::logic_error("of the operators that f stands for, only some commute");
    }
    pattern_parser parser(lists, count > 0 && commutes(f[0]));
    parsed_rule& p = parser.rule;
    p.line = static_cast<std::int16_t>(line);
    p.where = r.where;
    p.needs = r.needs.bits;
    p.from = parser.parse(r.from);
    const std::int8_t swaps = p.swaps;
    p.to = r.build ? std::int16_t{-1} : parser.parse(r.to);
    p.swaps = swaps;
    for (int k = 0; k == 0 || k < count; ++k) {
      p.f = f[k];
      p.root = p.key_of(lists.terms[p.from]);
      p.anchor = anchor_of(lists, p);
      lists.rules.push_back(p);
    }
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
