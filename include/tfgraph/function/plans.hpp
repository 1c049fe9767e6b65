// Finding the plan of a call: its signature, and the cache of the function.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/execute/blocks.hpp>
#include <tfgraph/function/cache.hpp>
#include <tfgraph/function/plan.hpp>
#include <tfgraph/function/retracing.hpp>
#include <tfgraph/trace/structure.hpp>
#include <tfgraph/trace/trace.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tfgraph::detail {

/// Calls f(dtype, extents) for every input among the leaves of the arguments.
template <class F, class... Args>
constexpr void for_each_input_type(F&& f, const Args&... args) {
  [[maybe_unused]] const auto visit = [&f]<class Leaf>(const Leaf& leaf) {
    if constexpr (is_input<Leaf>) {
      const spec s = spec_of(leaf);
      f(s.type, s.shape);
    }
  };
  (for_each_leaf(args, visit), ...);
}

/// The types of the inputs among the leaves of the arguments.
template <class... Args>
[[nodiscard]] constexpr std::vector<spec> types_of(const Args&... args) {
  std::vector<spec> types;
  for_each_input_type([&](dtype t, const extents& e) { types.push_back({t, e}); }, args...);
  return types;
}

/// What a plan is kept under: the C++ types of the arguments, by an address that stands for them,
/// and the signature.
struct plan_key {
  const void* types;
  signature inputs;
};
[[nodiscard]] inline std::string to_string(const plan_key& k) { return to_string(k.inputs); }

template <int Inputs>
struct plan_lookup {
  const void* types;
  signature_key<Inputs> inputs;

  [[nodiscard]] std::uint64_t hash() const {
    return inputs.hash() ^ reinterpret_cast<std::uintptr_t>(types);
  }
  [[nodiscard]] explicit operator plan_key() const { return {types, signature(inputs)}; }
  [[nodiscard]] friend bool operator==(const plan_key& a, const plan_lookup& b) {
    return a.types == b.types && a.inputs == b.inputs;
  }
};

/// A graph that the running program traced, for inputs of these types (an extent may be unknown).
struct live_graph {
  const void* types;
  std::vector<spec> inputs;
  graph recorded;
  std::vector<capture> captures;

  [[nodiscard]] bool same_signature_but_extents(const void* t, std::span<const spec> now) const {
    bool same = types == t && inputs.size() == now.size();
    for (std::size_t i = 0; same && i < now.size(); ++i)
      same = inputs[i].type == now[i].type && inputs[i].shape.rank == now[i].shape.rank;
    return same;
  }
  [[nodiscard]] bool admits(std::span<const spec> now) const {
    for (std::size_t i = 0; i < now.size(); ++i)
      for (int k = 0; k < now[i].shape.rank; ++k)
        if (inputs[i].shape[k] >= 0 && inputs[i].shape[k] != now[i].shape[k]) return false;
    return true;
  }
};

/// What a function keeps of its calls: plans by signature, and the graphs that the running program
/// has traced for them, one for each combination of element types and ranks. (A template so that
/// only programs that have such calls compile it.)
template <class Plan>
class state_with {
 public:
  explicit state_with(const options& o) : plans(o.capacity), relax_shapes_(o.relax_shapes) {}

  signature_cache<Plan, plan_key> plans;

  /// The graph for inputs of these types, traced with `trace(types)` if there is none. After the
  /// second shape it is one for any extents where shapes have differed.
  template <class Trace>
  std::shared_ptr<const live_graph> graph_for(const void* types, const std::vector<spec>& exact,
                                              Trace trace) {
    std::vector<spec> now = exact;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& g : graphs_) {
        if (!g->same_signature_but_extents(types, now)) continue;
        if (g->admits(now)) return g;
        if (!relax_shapes_) continue;
        for (std::size_t i = 0; i < now.size(); ++i)
          for (int k = 0; k < now[i].shape.rank; ++k)
            if (g->inputs[i].shape[k] != now[i].shape[k]) now[i].shape[k] = extents::unknown;
      }
    }
    auto made = std::make_shared<live_graph>();
    made->types = types;
    made->inputs = std::move(now);
    try {
      trace(*made);
    } catch (const unknown_extent&) {
      relax_shapes_ = false;
      made->inputs = exact;
      trace(*made);
    }
    plans.count_trace();
    const std::lock_guard lock(mutex_);
    if (!relax_shapes_) return made;  // its only user is the plan
    for (auto& g : graphs_)
      if (g->same_signature_but_extents(types, made->inputs)) return g = made;
    graphs_.push_back(made);
    return made;
  }

  /// The running program has traced for a call: tells if that happens all too often.
  void note_trace(const signature& s) {
    const cache_info info = plans.info();
    retracing_.traced("a function", s, info.hits + info.misses);
  }

  void clear() {
    plans.clear();
    const std::lock_guard lock(mutex_);
    graphs_.clear();
  }

 private:
  std::atomic<bool> relax_shapes_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<const live_graph>> graphs_;
  retrace_detector retracing_;
};

using function_state = state_with<plan>;

/// The state of a function whose callable has no state of its own: all functions of that type share
/// it.
template <class F, options O>
[[nodiscard]] function_state& state_of() {
  static function_state state(O);
  return state;
}

/// The state of a function whose callable captured something. What it captured is at another place
/// in a copy, which therefore starts anew.
template <class State>
class owned {
 public:
  explicit owned(const options& o) : options_(o), state_(std::make_unique<State>(o)) {}
  owned(const owned& other) : owned(other.options_) {}
  owned& operator=(const owned&) {
    state_->clear();
    return *this;
  }
  [[nodiscard]] State& get() const { return *state_; }

 private:
  options options_;
  std::unique_ptr<State> state_;
};

/// Makes the dynamic executor have what the steps of a prototype need, for the kernels that none
/// matches.
template <class P>
void provide_blocks_of() {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    [[maybe_unused]] const auto provide =
        []<std::size_t S>(std::integral_constant<std::size_t, S>) {
          constexpr step s = P::program.steps[S];
          constexpr node_id operand = P::graph.operand(s.node, s.operand_count - 1);
          execute::provide_blocks<ops::struct_of<s.op>, element_t<P::graph.type(operand).type>>();
        };
    (provide(std::integral_constant<std::size_t, I>{}), ...);
  }(std::make_index_sequence<P::program.steps.size()>{});
}

template <class Made>
inline constexpr char types_tag = 0;

/// The plan for a call whose element types and ranks the compiler knows.
template <class F, options O, class Made, class... Args>
[[nodiscard]] auto plan_for(const Args&... args) {
  constexpr int inputs = static_cast<int>(Made::traced::value.input_list.size());
  plan_lookup<inputs> key{&types_tag<Made>, {}};
  for_each_input_type([&](dtype t, const extents& e) { key.inputs.push(t, e); }, args...);
  auto& plans = state_of<F, O>().plans;
  return plans.find_or_make(key, [&] {
    static const bool counted = (plans.count_trace(), true);
    static_cast<void>(counted);
    provide_blocks_of<typename Made::prototype>();
    return plan(Made::traced::value, types_of(args...),
                execute::prototypes_of<typename Made::prototype>(), simplify_options_of<O>::value);
  });
}

}  // namespace tfgraph::detail
