// The dynamic executor: runs a program that only the running program knows, kernel by kernel, in
// blocks of elements that stay in the nearest cache. Steps are function pointers on blocks, chosen
// once when a kernel is prepared; what has none is computed element by element from the operation
// table.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/execute/control.hpp>
#include <tfgraph/execute/scratch.hpp>
#include <tfgraph/graph/evaluate.hpp>
#include <tfgraph/schedule/program.hpp>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

namespace tfgraph::execute {
namespace detail {

using tfgraph::detail::at;
using tfgraph::detail::scratch;

inline element_bits read_element(const std::byte* p, std::size_t size) {
  element_bits bits = 0;
  std::memcpy(&bits, p, size);
  return bits;
}
inline void write_element(std::byte* p, std::size_t size, element_bits bits) {
  std::memcpy(p, &bits, size);
}

/// Copies `count` elements between strided places; strides in bytes.
inline void copy_strided(const std::byte* from, index from_stride, std::byte* to, index to_stride,
                         std::size_t size, index count) {
  const auto copy = [&]<class T>(T) {
    for (index i = 0; i < count; ++i)
      std::memcpy(to + i * to_stride, from + i * from_stride, sizeof(T));
  };
  const auto bytes = static_cast<index>(size);
  if (from_stride == bytes && to_stride == bytes) std::memcpy(to, from, at(count) * size);
  else if (size == 4) copy(std::uint32_t{});
  else if (size == 8) copy(std::uint64_t{});
  else if (size == 1) copy(std::uint8_t{});
  else copy(std::uint16_t{});
}

/// A kernel with all that can be decided before a call.
class prepared_kernel {
 public:
  prepared_kernel(const graph_view& g, const program_view& p, const kernel& k)
      : g_(g),
        k_(k),
        loads_(p.loads.begin() + k.first_load, p.loads.begin() + k.first_load + k.load_count),
        stores_(p.stores.begin() + k.first_store, p.stores.begin() + k.first_store + k.store_count),
        slots_(p.slots.begin() + k.first_slot, p.slots.begin() + k.first_slot + k.slot_count) {
    for (int i = 0; i < k.step_count; ++i) steps_.push_back(prepare(p.steps[k.first_step + i]));
    place_slots();
    repeat_numbers();
    // A store of what a step makes last in its register is made by the step itself.
    for (int s = 0; s < k.store_count; ++s) {
      if (k.rank == 0 || stores_[at(s)].stride[k.rank - 1] != 1) continue;
      for (int i = k.step_count - 1; i >= k.invariant_steps; --i)
        if (steps_[at(i)].result == stores_[at(s)].slot) {
          if (steps_[at(i)].store < 0) steps_[at(i)].store = s;
          break;
        }
    }
  }

  void run(const memory& m) const {
    switch (k_.kind) {
      case kernel_kind::elementwise:
        return run_elementwise(m);
      case kernel_kind::row_reduction:
        return run_row_reduction(m);
      case kernel_kind::column_reduction:
        return run_column_reduction(m);
      case kernel_kind::position:
        return run_position(m);
      case kernel_kind::contraction:
        return run_contraction(m);
      case kernel_kind::along_axis:
        return run_along_axis(m);
      case kernel_kind::repeat:
      case kernel_kind::when:
        break;  // not a loop nest
    }
  }

 private:
  static constexpr index lane_slack = 64;  // behind a block, for what is one element
  static constexpr index cache_bytes = 24 * 1024;

  struct prepared_step {
    const operation* op;
    const block_functions* code;  // or null
    dtype operand_type, type;
    int operand_count;
    int result;
    int operand[3];
    std::span<const index> attributes;
    int store = -1;  // where the result goes, if not to its register
  };

  [[nodiscard]] prepared_step prepare(const step& s) const {
    prepared_step r{s.op, nullptr, s.type, s.type, s.operand_count, s.result, {}, {}, -1};
    for (int i = 0; i < s.operand_count; ++i) r.operand[i] = s.operand[i];
    r.operand_type = slots_[at(s.operand[s.operand_count - 1])];
    r.code = code_of(*s.op, r.operand_type);
    r.attributes = g_.attributes(s.node);
    return r;
  }

  static const block_functions* code_of(const operation& op, dtype t) {
    return op.blocks->of_type[static_cast<int>(t)].load(std::memory_order_acquire);
  }

  void place_slots() {
    index bytes = 0;
    for (dtype t : slots_) bytes += static_cast<index>(size_of(t));
    block_ = std::clamp<index>(cache_bytes / std::max<index>(bytes, 1) / 256 * 256, 256, 4096);
    for (dtype t : slots_) {
      slot_offset_.push_back(scratch_bytes_);
      const std::size_t size = at(block_ + lane_slack) * size_of(t);
      scratch_bytes_ += (size + 63) / 64 * 64;
    }
  }

  // Numbers stand ready in the plan, as often as an operand that is one element must.
  void repeat_numbers() {
    numbers_.resize(loads_.size());
    for (std::size_t l = 0; l < loads_.size(); ++l) {
      const access& a = loads_[l];
      if (a.where.kind != place_kind::number) continue;
      const auto bits =
          static_cast<element_bits>(g_.attributes(static_cast<node_id>(a.where.number))[0]);
      const std::size_t size = size_of(a.type);
      numbers_[l].resize(at(lane_slack));
      for (std::size_t i = 0; i < at(lane_slack); ++i)
        write_element(reinterpret_cast<std::byte*>(numbers_[l].data()) + i * size, size, bits);
    }
  }
  [[nodiscard]] const std::byte* number(std::size_t l) const {
    return reinterpret_cast<const std::byte*>(numbers_[l].data());
  }

  [[nodiscard]] index turns(int first, int last) const {
    index n = 1;
    for (int i = first; i < last; ++i) n *= k_.loops[i];
    return n;
  }

  /// An access while the loops of the kernel turn: its tensor, and an offset in elements.
  struct reached {
    std::byte* base;
    index offset;
    [[nodiscard]] std::byte* at(std::size_t size) const {
      return base + offset * static_cast<index>(size);
    }
  };
  /// What a register holds.
  struct content {
    const std::byte* data;
    index step;  ///< 0: one element, which is there many times
  };
  /// The accesses of the kernel, and its registers.
  struct state {
    state(const prepared_kernel& k, const memory& m)
        : own(k.scratch_bytes_ + (k.loads_.size() + k.stores_.size()) * sizeof(reached) +
              k.slots_.size() * sizeof(content)),
          registers(own.data()),
          load(reinterpret_cast<reached*>(registers + k.scratch_bytes_)),
          store(load + k.loads_.size()),
          slot(reinterpret_cast<content*>(store + k.stores_.size())),
          result(reach(k.k_.result, m)) {
      for (std::size_t i = 0; i < k.loads_.size(); ++i) load[i] = reach(k.loads_[i], m);
      for (std::size_t i = 0; i < k.stores_.size(); ++i) store[i] = reach(k.stores_[i], m);
    }

    scratch own;
    std::byte* registers;
    reached* load;
    reached* store;
    content* slot;
    reached result;
  };

  [[nodiscard]] static reached reach(const access& a, const memory& m) {
    return {base_of(a.where, m), a.offset};
  }

  void advance(state& s, int loop, index n) const {
    for (std::size_t i = 0; i < loads_.size(); ++i) s.load[i].offset += n * loads_[i].stride[loop];
    for (std::size_t i = 0; i < stores_.size(); ++i)
      s.store[i].offset += n * stores_[i].stride[loop];
    s.result.offset += n * k_.result.stride[loop];
  }

  /// Runs f(state) for all turns of loops first ... last - 1.
  template <class F>
  void nest(int first, int last, state& s, F&& f) const {
    if (first >= last) {
      f();
      return;
    }
    for (index i = 0; i < k_.loops[first]; ++i) {
      nest(first + 1, last, s, f);
      advance(s, first, 1);
    }
    advance(s, first, -k_.loops[first]);
  }

  // ---- a block of the last loop ---------------------------------------------------------------

  [[nodiscard]] std::byte* own(const state& s, int slot) const {
    return s.registers + slot_offset_[at(slot)];
  }
  [[nodiscard]] index vector_stride(const access& a) const {
    return k_.rank > 0 ? a.stride[k_.rank - 1] : 0;
  }

  void generate(const access& a, index position, index stride, index count, std::byte* out) const {
    const auto node = static_cast<node_id>(a.where.number);
    const std::size_t size = size_of(a.type);
    const index all = std::max<index>(g_.type(node).shape.size(), 1);
    for (index i = 0; i < count; ++i)
      write_element(
          out + at(i) * size, size,
          g_[node].op->generate(g_.type(node), g_.attributes(node), (position + i * stride) % all));
  }
  // What does not change along the last loop: one element, many times.
  void load_repeated(state& s, std::size_t l) const {
    const access& a = loads_[l];
    if (a.where.kind == place_kind::number) {
      s.slot[a.slot] = {number(l), 0};
      return;
    }
    const std::size_t size = size_of(a.type);
    std::byte* const out = own(s, a.slot);
    if (a.where.kind == place_kind::generated) generate(a, s.load[l].offset, 0, 1, out);
    else std::memcpy(out, s.load[l].at(size), size);
    copy_strided(out, 0, out + size, static_cast<index>(size), size, lane_slack - 1);
    s.slot[a.slot] = {out, 0};
  }

  void run_step(state& s, const prepared_step& step, index count, std::byte* out) const {
    block b{out, {}, {}, count, step.attributes};
    for (int i = 0; i < step.operand_count; ++i) {
      const content& c = s.slot[step.operand[i]];
      b.operand[i] = c.data;
      b.step[i] = c.step;
    }
    if (step.code != nullptr && step.code->apply != nullptr) step.code->apply(b);
    else apply_elements(step, b);
  }

  void apply_elements(const prepared_step& step, const block& b) const {
    const std::size_t size = size_of(step.type);
    element_bits x[3] = {};
    for (index i = 0; i < b.count; ++i) {
      for (int k = 0; k < step.operand_count; ++k) {
        const std::size_t operand_size = size_of(slots_[at(step.operand[k])]);
        x[k] = read_element(
            static_cast<const std::byte*>(b.operand[k]) + at(i * b.step[k]) * operand_size,
            operand_size);
      }
      write_element(static_cast<std::byte*>(b.result) + at(i) * size, size,
                    step.op->element(step.operand_type, step.type, step.attributes, x));
    }
  }

  void prologue(state& s) const {
    for (std::size_t l = 0; l < loads_.size(); ++l)
      if (vector_stride(loads_[l]) == 0) load_repeated(s, l);
    for (int i = 0; i < k_.invariant_steps; ++i) {
      const prepared_step& step = steps_[at(i)];
      std::byte* const out = own(s, step.result);
      run_step(s, step, 1, out);
      const std::size_t size = size_of(step.type);
      copy_strided(out, 0, out + size, static_cast<index>(size), size, lane_slack - 1);
      s.slot[step.result] = {out, 0};
    }
  }

  /// The loads, steps and stores at elements first ... first + count - 1 of the last loop.
  void body(state& s, index first, index count) const {
    for (std::size_t l = 0; l < loads_.size(); ++l) {
      const access& a = loads_[l];
      const index stride = vector_stride(a);
      if (stride == 0) {
        // Steps of another block may have taken its register, but not what it holds.
        s.slot[a.slot] = {a.where.kind == place_kind::number ? number(l) : own(s, a.slot), 0};
        continue;
      }
      const auto size = static_cast<index>(size_of(a.type));
      const reached from{s.load[l].base, s.load[l].offset + first * stride};
      std::byte* const out = own(s, a.slot);
      if (a.where.kind == place_kind::generated) {
        generate(a, from.offset, stride, count, out);
        s.slot[a.slot] = {out, 1};
      } else if (stride == 1) {
        s.slot[a.slot] = {from.at(at(size)), 1};
      } else {
        copy_strided(from.at(at(size)), stride * size, out, size, at(size), count);
        s.slot[a.slot] = {out, 1};
      }
    }
    compute(s, first, count);
  }

  void compute(state& s, index first, index count) const {
    for (std::size_t i = at(k_.invariant_steps); i < steps_.size(); ++i) {
      const prepared_step& step = steps_[i];
      std::byte* const out = step.store >= 0 ? s.store[step.store].at(size_of(step.type)) +
                                                   first * static_cast<index>(size_of(step.type))
                                             : own(s, step.result);
      run_step(s, step, count, out);
      s.slot[step.result] = {out, 1};
    }
    for (std::size_t n = 0; n < stores_.size(); ++n) {
      const access& a = stores_[n];
      const auto size = static_cast<index>(size_of(a.type));
      const index stride = k_.rank > 0 ? a.stride[k_.rank - 1] : 1;
      std::byte* const to = s.store[n].at(at(size)) + first * stride * size;
      const content& c = s.slot[a.slot];
      if (c.data != to) copy_strided(c.data, c.step * size, to, stride * size, at(size), count);
    }
  }

  // The elements that the last step left in a register, one after the other.
  const std::byte* expanded(state& s, int slot, index count) const {
    const content& c = s.slot[slot];
    if (c.step != 0 || count <= lane_slack) return c.data;
    const auto size = static_cast<index>(size_of(slots_[at(slot)]));
    std::byte* const all = own(s, slot);
    if (c.data != all) std::memcpy(all, c.data, at(lane_slack * size));  // a number of the plan
    copy_strided(all, 0, all + lane_slack * size, size, at(size), count - lane_slack);
    return all;
  }

  // ---- kernels --------------------------------------------------------------------------------

  void run_elementwise(const memory& m) const {
    state s(*this, m);
    const index n = k_.rank > 0 ? k_.loops[k_.rank - 1] : 1;
    nest(0, k_.rank - 1, s, [&] {
      prologue(s);
      for (index i = 0; i < n; i += block_) body(s, i, std::min(block_, n - i));
    });
  }

  struct reduction {
    const operation& op;
    dtype type;
    const block_functions* code;
    element_bits identity;

    [[nodiscard]] element_bits combine(element_bits a, element_bits b) const {
      const element_bits pair[2] = {a, b};
      return op.element(type, type, {}, pair);
    }
  };
  [[nodiscard]] reduction reduction_of() const {
    const operation& op = *g_[k_.root].op;
    const dtype t = slots_[at(k_.input_slot)];
    return {op, t, code_of(op, t), op.identity(t, t, {}, nullptr)};
  }

  void run_row_reduction(const memory& m) const {
    state s(*this, m);
    const reduction r = reduction_of();
    const std::size_t size = size_of(r.type);
    const int vector = k_.rank - 1;
    const index n = k_.loops[vector];
    const index rows = turns(k_.kept, vector);
    const index reduction_block = reduction_order::block(size);
    alignas(64) std::byte lanes[256];
    const auto combine = [&r](element_bits a, element_bits b) { return r.combine(a, b); };

    const auto fold = [&](index first, index count) {
      for (std::size_t i = 0; i < 256 / size; ++i)
        write_element(lanes + i * size, size, r.identity);
      for (index i = 0; i < count; i += block_) {
        const index now = std::min(block_, count - i);
        body(s, first + i, now);
        accumulate(r, lanes, expanded(s, k_.input_slot, now), now);
      }
      return fold_lanes(r, lanes);
    };
    nest(0, k_.kept, s, [&] {
      if (rows * n == 0) {
        write_element(s.result.at(size), size,
                      tfgraph::detail::empty_reduction(r.type, r.identity));
        return;
      }
      reduction_order::pairwise<element_bits> row_blocks;
      element_bits total = r.identity;
      index row = 0;
      nest(k_.kept, vector, s, [&] {
        prologue(s);
        reduction_order::pairwise<element_bits> blocks;
        for (index first = 0; first < n; first += reduction_block)
          blocks.push(fold(first, std::min(reduction_block, n - first)), combine);
        total = combine(total, blocks.finish(combine));
        if (++row % reduction_order::rows == 0 || row == rows) {
          row_blocks.push(total, combine);
          total = r.identity;
        }
      });
      write_element(s.result.at(size), size, row_blocks.finish(combine));
    });
  }

  static void accumulate(const reduction& r, std::byte* lanes, const std::byte* x, index count) {
    if (r.code != nullptr) return r.code->accumulate(lanes, x, count);
    const std::size_t size = size_of(r.type);
    const std::size_t width = 256 / size;
    for (std::size_t i = 0; i < at(count); ++i) {
      std::byte* const lane = lanes + i % width * size;
      write_element(lane, size,
                    r.combine(read_element(lane, size), read_element(x + i * size, size)));
    }
  }
  static element_bits fold_lanes(const reduction& r, std::byte* lanes) {
    if (r.code != nullptr) return r.code->fold(lanes);
    const std::size_t size = size_of(r.type);
    for (std::size_t half = 128 / size; half > 0; half /= 2)
      for (std::size_t i = 0; i < half; ++i)
        write_element(lanes + i * size, size,
                      r.combine(read_element(lanes + i * size, size),
                                read_element(lanes + (i + half) * size, size)));
    return read_element(lanes, size);
  }

  void run_column_reduction(const memory& m) const {
    const reduction r = reduction_of();
    const std::size_t size = size_of(r.type);
    const int vector = k_.rank - 1;
    const index n = k_.loops[vector];
    const index rows = turns(k_.kept, vector);
    // Sums of blocks of rows: as many as a balanced tree has levels, and one more at work.
    constexpr int most_levels = 34;
    const index width = std::min(block_, std::max<index>(n, 1));
    const std::size_t one = (at(width) * size + 63) / 64 * 64;
    const scratch totals(one * at(rows > reduction_order::rows ? most_levels : 2));
    state s(*this, m);
    const auto level = [&](int l) { return totals.data() + one * at(l); };

    nest(0, k_.kept, s, [&] {
      for (index first = 0; first < n; first += block_) {
        const index count = std::min(block_, n - first);
        const auto clear = [&](std::byte* p, element_bits bits) {
          for (std::size_t i = 0; i < at(count); ++i) write_element(p + i * size, size, bits);
        };
        const auto combine_into = [&](std::byte* a, const std::byte* b, std::byte* out) {
          const block pair{out, {a, b, nullptr}, {1, 1, 0}, count, {}};
          if (r.code != nullptr) return r.code->apply(pair);
          for (std::size_t i = 0; i < at(count); ++i)
            write_element(
                out + i * size, size,
                r.combine(read_element(a + i * size, size), read_element(b + i * size, size)));
        };
        std::byte* total = level(0);
        clear(total, rows == 0 ? tfgraph::detail::empty_reduction(r.type, r.identity) : r.identity);
        std::size_t blocks = 0;
        index row = 0;
        nest(k_.kept, vector, s, [&] {
          prologue(s);
          body(s, first, count);
          combine_into(total, expanded(s, k_.input_slot, count), total);
          if (rows > reduction_order::rows && (++row % reduction_order::rows == 0 || row == rows)) {
            // As reduction_order::pairwise does it: level l + 1 holds 2^l blocks, or nothing.
            int l = 1;
            for (std::size_t b = blocks++; (b & 1) != 0; b >>= 1)
              combine_into(level(l++), total, total);
            std::memcpy(level(l), total, at(count) * size);
            if (row != rows) clear(total, r.identity);
          }
        });
        if (rows > reduction_order::rows) {
          int l = 1;
          std::size_t b = blocks;
          for (; (b & 1) == 0; b >>= 1) ++l;
          std::memcpy(total, level(l), at(count) * size);
          while ((b >>= 1) != 0)
            if (++l; (b & 1) != 0) combine_into(level(l), total, total);
        }
        const index stride = k_.result.stride[vector] * static_cast<index>(size);
        copy_strided(total, static_cast<index>(size), s.result.at(size) + first * stride, stride,
                     size, count);
      }
    });
  }

  void run_position(const memory& m) const {
    const operation& op = *g_[k_.root].op;
    const dtype t = k_.left.type;
    const std::size_t size = size_of(t);
    const block_functions* const code = code_of(op, t);
    const int vector = k_.rank - 1;
    const auto walk = [&](auto&& self, int loop, int last, index from, index to, auto&& f) -> void {
      if (loop >= last) return f(from, to);
      for (index i = 0; i < k_.loops[loop]; ++i)
        self(self, loop + 1, last, from + i * k_.left.stride[loop], to + i * k_.result.stride[loop],
             f);
    };
    const std::byte* const x = reach(k_.left, m).at(size);
    std::byte* const out = reach(k_.result, m).at(sizeof(index));
    walk(walk, 0, k_.kept, 0, 0, [&](index first, index to) {
      element_bits best = read_element(x + first * static_cast<index>(size), size);
      index where = 0;
      index position = 0;
      walk(walk, k_.kept, std::max(vector, k_.kept), first, 0, [&](index from, index) {
        const bool last_is_kept = vector < k_.kept;
        const index count = last_is_kept ? 1 : k_.loops[vector];
        const index stride = last_is_kept ? 1 : k_.left.stride[vector];
        const std::byte* const run = x + from * static_cast<index>(size);
        if (code != nullptr) {
          code->find(run, stride, count, position, &best, &where);
        } else {
          for (index i = 0; i < count; ++i) {
            const element_bits pair[2] = {
                read_element(run + i * stride * static_cast<index>(size), size), best};
            if (op.element(t, dtype::boolean, {}, pair) != 0) {
              best = pair[0];
              where = position + i;
            }
          }
        }
        position += count;
      });
      std::memcpy(out + to * static_cast<index>(sizeof where), &where, sizeof where);
    });
  }

  // The product goes to memory, one batch at a time, and what follows it is an elementwise kernel
  // over its rows.
  void run_contraction(const memory& m) const {
    const dtype t = k_.left.type;
    const std::size_t size = size_of(t);
    const tfgraph::detail::matrix_product& p = k_.product;
    const int batch_loops = p.batch_loops;
    const bool direct = steps_.empty() && stores_.size() == 1 && loads_.empty() &&
                        (stores_[0].stride[batch_loops + 1] == 1 || p.columns == 1);
    const scratch product(direct ? 0 : at(p.rows * p.columns) * size);
    state s(*this, m);
    reached left = reach(k_.left, m);
    reached right = reach(k_.right, m);
    const operation& op = *g_[p.node].op;
    const block_functions* const code = code_of(op, t);
    const auto batches = [&](auto&& self, int loop) -> void {
      if (loop < batch_loops) {
        for (index i = 0; i < k_.loops[loop]; ++i) {
          self(self, loop + 1);
          advance(s, loop, 1);
          left.offset += k_.left.stride[loop];
          right.offset += k_.right.stride[loop];
        }
        advance(s, loop, -k_.loops[loop]);
        left.offset -= k_.left.stride[loop] * k_.loops[loop];
        right.offset -= k_.right.stride[loop] * k_.loops[loop];
        return;
      }
      block_product b{left.at(size),
                      right.at(size),
                      direct ? s.store[0].at(size) : product.data(),
                      p.rows,
                      p.columns,
                      p.depth,
                      p.left_row,
                      p.left_depth,
                      p.right_depth,
                      p.right_column,
                      direct ? stores_[0].stride[batch_loops] : p.columns};
      if (code != nullptr) code->multiply(b);
      else multiply_elements(op, t, b);
      if (direct) return;
      for (index i = 0; i < p.rows; ++i, advance(s, batch_loops, 1)) {
        prologue(s);
        for (index j = 0; j < p.columns; j += block_) {
          s.slot[k_.input_slot] = {product.data() + at(i * p.columns + j) * size, 1};
          body(s, j, std::min(block_, p.columns - j));
        }
      }
      advance(s, batch_loops, -p.rows);
    };
    batches(batches, 0);
  }

  void run_along_axis(const memory& m) const {
    const void* operands[3] = {};
    for (std::size_t i = 0; i < loads_.size(); ++i)
      operands[i] = reach(loads_[i], m).at(size_of(loads_[i].type));
    const access& to = stores_[0];
    g_[k_.root].op->run_memory(to.type, tfgraph::detail::axis_of_loops(k_.loops),
                               g_.attributes(k_.root), operands, reach(to, m).at(size_of(to.type)));
  }

  static void multiply_elements(const operation& op, dtype t, const block_product& b) {
    const std::size_t size = size_of(t);
    const element_bits one =
        tfgraph::detail::visit_dtype(t, []<class T>(T) { return tfgraph::detail::to_bits(T(1)); });
    const auto multiply_add = [&](element_bits x, element_bits y, element_bits z) {
      const element_bits lane[3] = {x, y, z};
      return op.element(t, t, {}, lane);
    };
    const auto element = [&](const void* p, index i) {
      return read_element(static_cast<const std::byte*>(p) + i * static_cast<index>(size), size);
    };
    for (index i = 0; i < b.rows; ++i)
      for (index j = 0; j < b.columns; ++j) {
        const auto put = [&](element_bits sum, index k) {
          return multiply_add(element(b.left, i * b.left_row + k * b.left_depth),
                              element(b.right, k * b.right_depth + j * b.right_column), sum);
        };
        element_bits sum = 0;
        if (b.columns == 1 && b.depth > 0)
          sum = tfgraph::detail::fold(b.depth, t, 0, put, [&](element_bits x, element_bits y) {
            return multiply_add(x, one, y);
          });
        else
          for (index k = 0; k < b.depth; ++k) sum = put(sum, k);
        write_element(
            static_cast<std::byte*>(b.out) + (i * b.out_row + j) * static_cast<index>(size), size,
            sum);
      }
  }

  graph_view g_;
  kernel k_;
  std::vector<access> loads_, stores_;
  std::vector<prepared_step> steps_;
  std::vector<dtype> slots_;
  std::vector<std::size_t> slot_offset_;
  std::vector<std::vector<element_bits>> numbers_;  // of the loads that are numbers
  std::size_t scratch_bytes_ = 0;
  index block_ = 0;
};

}  // namespace detail
}  // namespace tfgraph::execute
