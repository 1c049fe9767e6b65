// A plan: what is made once for a signature that only the running program knows. The graph with all
// extents bound, optimised and scheduled, and for each kernel the code that runs it: the compiler's
// where it has made some, the dynamic executor's otherwise.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/execute/dynamic.hpp>
#include <tfgraph/execute/prototype.hpp>
#include <tfgraph/optimize/bind.hpp>
#include <tfgraph/optimize/pipeline.hpp>
#include <tfgraph/schedule/schedule.hpp>
#include <tfgraph/trace/live.hpp>

#include <optional>
#include <vector>

namespace tfgraph::detail {

/// A graph, with the extents of its inputs; a `shape_error` if they do not fit it.
[[nodiscard]] constexpr graph bound_or_throw(const graph_view& g, std::span<const spec> inputs) {
  binding b = bind_extents(g, inputs);
  if (!b.objection.empty()) throw_shape_error(b.objection);
  return std::move(b.bound);
}

class plan {
 public:
  /// For a graph as written and the types of its inputs, the last of which are captured tensors.
  plan(const graph_view& traced, std::span<const spec> inputs, const execute::prototypes& known,
       const optimize::simplify_options& rules = simplify_options_of<strict_options>::value,
       std::vector<capture> captures = {})
      : captures_(std::move(captures)),
        input_count_(inputs.size()),
        graph_(optimized(bound_or_throw(traced, inputs).view(), rules)),
        program_(schedule::make_program(graph_.view(), schedule::numbers_are::loaded)) {
    const graph_view g = graph_.view();
    const program_view p = program_.view();
    for (node_id id = 0; id < g.size(); ++id)
      numbers_.push_back(
          ops::is<ops::full>(g[id].op) ? static_cast<element_bits>(g.attributes(id)[0]) : 0);
    for (node_id o : g.outputs()) outputs_.push_back(g.type(o));
    const execute::detail::matcher matcher(known, g, p);
    kernels_.reserve(p.kernels.size());
    for (std::size_t k = 0; k < p.kernels.size(); ++k) {
      const kernel& self = p.kernels[k];
      kernel_entry& e = kernels_.emplace_back();
      if (is_control(self.kind)) continue;
      e.code = matcher.find(k);
      e.numbers = {&self, p.loads.begin() + self.first_load, p.stores.begin() + self.first_store};
      if (e.code == nullptr) e.interpreted.emplace(g, p, self);
    }
  }
  plan(plan&&) noexcept = default;  // its parts point at memory that moves along

  [[nodiscard]] graph_view graph() const { return graph_.view(); }
  [[nodiscard]] program_view program() const { return program_.view(); }
  /// The types of the results.
  [[nodiscard]] std::span<const spec> outputs() const { return outputs_; }
  /// How many kernels run as the compiler's code.
  [[nodiscard]] int compiled_kernels() const {
    int n = 0;
    for (const kernel_entry& e : kernels_) n += e.code != nullptr ? 1 : 0;
    return n;
  }

  void run(const void* const* inputs, void* const* outputs) const {
    if (!captures_.empty()) return run_with_captures(inputs, outputs);
    run_all(inputs, outputs);
  }

 private:
  void run_all(const void* const* inputs, void* const* outputs) const {
    const std::size_t pointers = at(program_.pointer_count) * sizeof(std::byte*);
    execute::memory m{inputs, outputs, nullptr, nullptr, graph_.pool.data(), numbers_.data()};
    if (program_.arena_bytes == 0 && pointers == 0) return run(m);
    const auto bytes = static_cast<std::size_t>(program_.arena_bytes);
    const scratch arena(bytes + pointers);
    m.arena = arena.data();
    m.pointers = reinterpret_cast<std::byte**>(m.arena + bytes);
    run(m);
  }

  void run_with_captures(const void* const* inputs, void* const* outputs) const {
    const std::size_t arguments = input_count_ - captures_.size();
    const scratch pointers(input_count_ * sizeof(const void*));
    const void** const all = reinterpret_cast<const void**>(pointers.data());
    for (std::size_t i = 0; i < arguments; ++i) all[i] = inputs[i];
    std::vector<any_tensor> copies;  // of those that do not lie contiguous
    for (std::size_t i = 0; i < captures_.size(); ++i) {
      const capture& c = captures_[i];
      const captured_elements now = c.elements(c.object);
      if (!(now.type == c.type))
        throw signature_error(
            "a tensor that the callable captured has another type than when it was traced; "
            "clear_cache() makes the function be traced anew");
      any_tensor elements =
          any_tensor::borrow(now.type.type, now.data, now.type.shape, now.strides);
      if (elements.is_contiguous()) {
        all[arguments + i] = now.data;
      } else {
        copies.push_back(elements);  // a copy owns its elements
        all[arguments + i] = std::as_const(copies.back()).data();
      }
    }
    run_all(all, outputs);
  }

  struct kernel_entry {
    execute::kernel_code* code = nullptr;
    execute::kernel_view numbers;
    std::optional<execute::detail::prepared_kernel> interpreted;
  };

  void run(const execute::memory& m) const { run(m, 0, kernels_.size()); }
  void run(const execute::memory& m, std::size_t first, std::size_t end) const {
    for (std::size_t k = first; k < end; ++k) {
      const kernel_entry& e = kernels_[k];
      if (e.code != nullptr) {
        e.code(m, e.numbers);
      } else if (e.interpreted) {
        e.interpreted->run(m);
      } else {
        const control_flow& control = program_.kernels[k].control;
        const std::size_t body_end = k + 1 + at(control.kernel_count);
        if (program_.kernels[k].kind == kernel_kind::repeat)
          execute::detail::repeat(control, program_.carries.data() + control.first_carry, m,
                                  [&] { run(m, k + 1, body_end); });
        else if (execute::detail::is_selected(control, m)) run(m, k + 1, body_end);
        k = body_end - 1;
      }
    }
  }

  std::vector<capture> captures_;
  std::size_t input_count_;
  tfgraph::graph graph_;
  tfgraph::program program_;
  std::vector<element_bits> numbers_;
  std::vector<spec> outputs_;
  std::vector<kernel_entry> kernels_;
};

}  // namespace tfgraph::detail
