// Runs a program (what the scheduler makes of a graph) one element at a time, and checks on the way
// what must hold of every program: nothing is read before it is written or outside of its memory.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/graph/evaluate.hpp>
#include <tfgraph/ops/generate.hpp>
#include <tfgraph/ops/matmul.hpp>
#include <tfgraph/schedule/schedule.hpp>

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace tfgraph::test {

/// A program that breaks a rule.
struct program_error : std::logic_error {
  using std::logic_error::logic_error;
};

class interpreter {
 public:
  interpreter(const graph_view& g, const program_view& p, const std::vector<value>& inputs)
      : g_(g), p_(p) {
    for (const value& v : inputs) inputs_.push_back(memory_of(v));
    for (node_id o : g.outputs())
      outputs_.emplace_back(detail::at(g.type(o).shape.size()) * size_of(g.type(o).type));
    arena_ = block(detail::at(p.arena_bytes));
  }

  [[nodiscard]] std::vector<value> run() {
    pointers_.resize(at(p_.pointer_count));
    run_kernels(0, static_cast<int>(p_.kernels.size()));
    std::vector<value> results;
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      const spec& type = g_.type(g_.outputs()[k]);
      value v{type, {}};
      for (index i = 0; i < type.shape.size(); ++i)
        v.elements.push_back(
            read({{place_kind::output, static_cast<index>(k)}, type.type, -1, 0, {}}, i));
      results.push_back(std::move(v));
    }
    return results;
  }

 private:
  // Bytes, and which of them have been written.
  struct block {
    std::vector<std::byte> bytes;
    std::vector<char> written;
    explicit block(std::size_t n = 0) : bytes(n), written(n, 0) {}
  };
  struct offsets {
    std::vector<index> load, store;
    index result = 0, left = 0, right = 0;
  };

  graph_view g_;
  program_view p_;
  std::vector<block> inputs_, outputs_;
  block arena_;
  // Where a pointer points.
  struct target {
    place where{};
    index bytes = 0;
  };
  std::vector<target> pointers_;
  std::vector<element_bits> registers_;
  int now_ = 0;

  template <class I>
  static std::size_t at(I i) {
    return static_cast<std::size_t>(i);
  }
  void require(bool holds, const char* what) const {
    if (!holds) throw program_error("kernel " + std::to_string(now_) + ": " + what);
  }

  static block memory_of(const value& v) {
    const std::size_t size = size_of(v.type.type);
    block b(v.elements.size() * size);
    for (std::size_t i = 0; i < v.elements.size(); ++i)
      std::memcpy(b.bytes.data() + i * size, &v.elements[i], size);
    b.written.assign(b.bytes.size(), 1);
    return b;
  }

  // ---- memory -----------------------------------------------------------------------------------

  access resolved(access a, index& offset) const {
    if (a.where.kind != place_kind::pointer) return a;
    const target& t = pointers_[at(a.where.number)];
    require(t.bytes % static_cast<index>(size_of(a.type)) == 0, "a pointer between elements");
    offset += t.bytes / static_cast<index>(size_of(a.type));
    a.where = t.where;
    return a;
  }

  element_bits read(const access& through, index offset) {
    const access a = resolved(through, offset);
    const std::size_t size = size_of(a.type);
    require(offset >= 0, "a read before the beginning");
    if (a.where.kind == place_kind::generated) {
      const auto id = static_cast<node_id>(a.where.number);
      require(offset < g_.type(id).shape.size(), "a position beyond a generator's last");
      return g_[id].op->generate(g_.type(id), g_.attributes(id), offset);
    }
    element_bits bits = 0;
    std::size_t first = at(offset) * size;
    if (a.where.kind == place_kind::pool) {
      first += 8 * at(a.where.number);
      require(first + size <= 8 * g_.pool.size(), "a read beyond the pool");
      std::memcpy(&bits, reinterpret_cast<const std::byte*>(g_.pool.data()) + first, size);
      return bits;
    }
    const block& b = memory(a.where, first);
    require(first + size <= b.bytes.size(), "a read beyond the end");
    for (std::size_t i = 0; i < size; ++i)
      require(b.written[first + i] != 0, "a read of what was never written");
    std::memcpy(&bits, b.bytes.data() + first, size);
    return bits;
  }

  void write(const access& through, index offset, element_bits bits) {
    const access a = resolved(through, offset);
    const std::size_t size = size_of(a.type);
    require(a.where.kind == place_kind::output || a.where.kind == place_kind::arena,
            "a write to what is not an output or intermediate");
    require(offset >= 0, "a write before the beginning");
    std::size_t first = at(offset) * size;
    block& b = memory(a.where, first);
    require(first + size <= b.bytes.size(), "a write beyond the end");
    std::memcpy(b.bytes.data() + first, &bits, size);
    for (std::size_t i = 0; i < size; ++i) b.written[first + i] = 1;
  }

  static bool is_memory(const place& where) {
    return where.kind != place_kind::generated && where.kind != place_kind::nowhere;
  }
  block& memory(const place& where, std::size_t& first) {
    require(where.kind != place_kind::nowhere, "an access to no place");
    if (where.kind == place_kind::arena) {
      require(where.number % schedule::alignment == 0, "an intermediate that is not aligned");
      first += at(where.number);
      return arena_;
    }
    std::vector<block>& blocks = where.kind == place_kind::input ? inputs_ : outputs_;
    require(where.number >= 0 && at(where.number) < blocks.size(), "no such argument");
    return blocks[at(where.number)];
  }

  // ---- registers --------------------------------------------------------------------------------

  const access& load(const kernel& k, int i) const { return p_.loads[at(k.first_load + i)]; }
  const access& store(const kernel& k, int i) const { return p_.stores[at(k.first_store + i)]; }
  dtype type_of(const kernel& k, std::int32_t r) const {
    require(r >= 0 && r < k.slot_count, "a register that does not exist");
    return p_.slots[at(k.first_slot + r)];
  }

  void do_loads(const kernel& k, const offsets& o, bool invariant, index i) {
    for (int l = 0; l < k.load_count; ++l) {
      const access& a = load(k, l);
      const index stride = k.rank > 0 ? a.stride[k.rank - 1] : 0;
      if ((k.kind != kernel_kind::contraction && stride == 0) != invariant) continue;
      require(type_of(k, a.slot) == a.type, "a load to a register of another type");
      registers_[at(a.slot)] = read(a, o.load[at(l)] + i * stride);
    }
  }

  void do_step(const kernel& k, const step& s) {
    element_bits x[3] = {};
    dtype operand = s.type;
    require(s.operand_count <= 3, "a step of too many operands");
    for (int n = 0; n < s.operand_count; ++n) {
      if (s.operand[n] >= 0) {
        operand = type_of(k, s.operand[n]);
        x[n] = registers_[at(s.operand[n])];
      } else {
        const node_id id = step::node_of_immediate(s.operand[n]);
        require(id >= 0 && id < g_.size() && g_[id].op == ops::id<ops::full>,
                "an immediate that is not a number");
        operand = g_.type(id).type;
        x[n] = static_cast<element_bits>(g_.attributes(id)[0]);
      }
    }
    require(type_of(k, s.result) == s.type, "a result in a register of another type");
    registers_[at(s.result)] = s.op->element(operand, s.type, g_.attributes(s.node), x);
  }

  void prologue(const kernel& k, const offsets& o) {
    do_loads(k, o, true, 0);
    for (int i = 0; i < k.invariant_steps; ++i) do_step(k, p_.steps[at(k.first_step + i)]);
  }
  void body(const kernel& k, const offsets& o, index i) {
    do_loads(k, o, false, i);
    for (int s = k.invariant_steps; s < k.step_count; ++s) do_step(k, p_.steps[at(k.first_step + s)]);
    for (int s = 0; s < k.store_count; ++s) {
      const access& a = store(k, s);
      require(type_of(k, a.slot) == a.type, "a store from a register of another type");
      write(a, o.store[at(s)] + i * (k.rank > 0 ? a.stride[k.rank - 1] : 0), registers_[at(a.slot)]);
    }
  }

  // ---- loops ------------------------------------------------------------------------------------

  offsets start(const kernel& k) const {
    offsets o;
    for (int l = 0; l < k.load_count; ++l) o.load.push_back(load(k, l).offset);
    for (int s = 0; s < k.store_count; ++s) o.store.push_back(store(k, s).offset);
    o.result = k.result.offset;
    o.left = k.left.offset;
    o.right = k.right.offset;
    return o;
  }

  // f(offsets) for all turns of loops first ... last - 1.
  template <class F>
  void nest(const kernel& k, int first, int last, offsets o, F f) const {
    if (first >= last) {
      f(o);
      return;
    }
    for (index i = 0; i < k.loops[first]; ++i) {
      nest(k, first + 1, last, o, f);
      for (int l = 0; l < k.load_count; ++l) o.load[at(l)] += load(k, l).stride[first];
      for (int s = 0; s < k.store_count; ++s) o.store[at(s)] += store(k, s).stride[first];
      o.result += k.result.stride[first];
      o.left += k.left.stride[first];
      o.right += k.right.stride[first];
    }
  }

  void run_kernel(const kernel& k) {
    registers_.assign(at(k.slot_count), 0xdead'beef'dead'beef);
    require(k.rank >= 0 && k.rank <= max_rank, "loops without number");
    const int vector = k.rank - 1;
    const index length = k.rank > 0 ? k.loops[vector] : 1;
    switch (k.kind) {
      case kernel_kind::elementwise:
        nest(k, 0, vector, start(k), [&](const offsets& o) {
          prologue(k, o);
          for (index i = 0; i < length; ++i) body(k, o, i);
        });
        break;
      case kernel_kind::row_reduction: run_row_reduction(k, vector, length); break;
      case kernel_kind::column_reduction: run_column_reduction(k, vector, length); break;
      case kernel_kind::position: run_position(k); break;
      case kernel_kind::contraction: run_contraction(k); break;
      case kernel_kind::along_axis: run_along_axis(k); break;
      case kernel_kind::repeat:
      case kernel_kind::when: require(false, "control flow is no loop nest"); break;
    }
  }

  // ---- loops and branches -----------------------------------------------------------------------

  void run_kernels(int first, int end) {
    for (int k = first; k < end; ++k) {
      now_ = k;
      const kernel& self = p_.kernels[at(k)];
      const int body = self.control.kernel_count;
      if (self.kind == kernel_kind::repeat) run_loop(self, k);
      else if (self.kind == kernel_kind::when) {
        const index n = number(self.control.selector);
        const int last = self.control.alternatives - 1;
        if ((n < 0 ? 0 : n > last ? last : n) == self.control.alternative)
          run_kernels(k + 1, k + 1 + body);
      } else {
        run_kernel(self);
        continue;
      }
      k += body;
      require(k < end, "a body beyond the end");
    }
  }

  index number(const access& a) { return detail::number_of(a.type, read(a, a.offset)); }

  void run_loop(const kernel& self, int k) {
    const auto& c = self.control;
    const carried_pointer* const carries = p_.carries.data() + c.first_carry;
    for (int i = 0; i < c.carry_count; ++i) {
      index offset = carries[i].start.offset;
      const access from = resolved(carries[i].start, offset);
      pointers_[at(carries[i].pointer)] = {from.where,
                                           offset * static_cast<index>(size_of(from.type))};
      if (carries[i].kind == carried_kind::state)
        pointers_[at(carries[i].pointer + 1)] = {carries[i].buffer[0], 0};
    }
    const bool conditional = c.by == turns_by::condition;
    const index turns = c.turns >= 0 ? c.turns : number(c.selector);
    bool more = turns != 0;
    for (index turn = 0; conditional ? more : turn < turns; ++turn) {
      if (c.turn.kind != place_kind::nowhere)
        write({c.turn, dtype::int64, -1, 0, {}}, 0, static_cast<element_bits>(turn));
      run_kernels(k + 1, k + 1 + c.kernel_count);
      now_ = k;
      for (int i = 0; i < c.carry_count; ++i) {
        target& present = pointers_[at(carries[i].pointer)];
        if (carries[i].kind != carried_kind::state) {
          present.bytes += carries[i].step;
          continue;
        }
        target& next = pointers_[at(carries[i].pointer + 1)];
        const target written = next;
        next = turn == 0 ? target{carries[i].buffer[1], 0} : present;
        present = written;
      }
      if (conditional) more = number(c.again) != 0;
    }
  }

  // ---- reductions -------------------------------------------------------------------------------

  template <class Row>
  element_bits combine_rows(const kernel& k, index elements, Row for_each_row) {
    const operation& op = *g_[k.root].op;
    const dtype t = k.result.type;
    const element_bits identity = op.identity(t, t, {}, nullptr);
    if (elements == 0) return detail::empty_reduction(t, identity);
    const auto combine = [&](element_bits a, element_bits b) {
      const element_bits x[2] = {a, b};
      return op.element(t, t, {}, x);
    };
    reduction_order::pairwise<element_bits> blocks;
    element_bits sum = identity;
    index row = 0;
    for_each_row([&](element_bits v) {
      sum = combine(sum, v);
      if (++row % reduction_order::rows == 0) {
        blocks.push(sum, combine);
        sum = identity;
      }
    });
    if (row % reduction_order::rows != 0) blocks.push(sum, combine);
    return blocks.finish(combine);
  }
  static index turns(const kernel& k, int first, int last) {
    index n = 1;
    for (int i = first; i < last; ++i) n *= k.loops[i];
    return n;
  }

  void run_row_reduction(const kernel& k, int vector, index length) {
    const operation& op = *g_[k.root].op;
    const dtype t = k.result.type;
    require(op.identity != nullptr && type_of(k, k.input_slot) == t, "a reduction of another type");
    const auto combine = [&](element_bits a, element_bits b) {
      const element_bits x[2] = {a, b};
      return op.element(t, t, {}, x);
    };
    nest(k, 0, k.kept, start(k), [&](const offsets& kept) {
      const element_bits total =
          combine_rows(k, turns(k, k.kept, vector) * length, [&](auto take) {
            nest(k, k.kept, vector, kept, [&](const offsets& o) {
              prologue(k, o);
              take(detail::fold(
                  length, t, op.identity(t, t, {}, nullptr),
                  [&](element_bits lane, index i) {
                    body(k, o, i);
                    return combine(lane, registers_[at(k.input_slot)]);
                  },
                  combine));
            });
          });
      write(k.result, kept.result, total);
    });
  }

  void run_column_reduction(const kernel& k, int vector, index length) {
    require(type_of(k, k.input_slot) == k.result.type, "a reduction of another type");
    nest(k, 0, k.kept, start(k), [&](const offsets& kept) {
      for (index i = 0; i < length; ++i) {
        const element_bits total = combine_rows(k, turns(k, k.kept, vector), [&](auto take) {
          nest(k, k.kept, vector, kept, [&](const offsets& o) {
            prologue(k, o);
            body(k, o, i);
            take(registers_[at(k.input_slot)]);
          });
        });
        write(k.result, kept.result + i * k.result.stride[vector], total);
      }
    });
  }

  void run_position(const kernel& k) {
    require(is_memory(k.left.where), "a position in what is not in memory");
    const operation& op = *g_[k.root].op;
    nest(k, 0, k.kept, start(k), [&](const offsets& kept) {
      element_bits best[2] = {0, read(k.left, kept.left)};
      index position = 0;
      index where = 0;
      nest(k, k.kept, k.rank, kept, [&](const offsets& o) {
        best[0] = read(k.left, o.left);
        if (op.element(k.left.type, dtype::boolean, {}, best) != 0) {
          best[1] = best[0];
          where = position;
        }
        ++position;
      });
      write(k.result, kept.result, static_cast<element_bits>(where));
    });
  }

  // ---- along an axis ----------------------------------------------------------------------------

  void run_along_axis(const kernel& k) {
    std::vector<value> operands;
    for (int l = 0; l < k.load_count; ++l) {
      const spec& type = g_.type(g_.operand(k.root, l));
      require(is_memory(load(k, l).where), "an operand along an axis that is not in memory");
      require(load(k, l).type == type.type, "an operand along an axis of another type");
      operands.push_back({type, {}});
      for (index i = 0; i < type.shape.size(); ++i)
        operands.back().elements.push_back(read(load(k, l), load(k, l).offset + i));
    }
    std::vector<const value*> pointers;
    for (const value& v : operands) pointers.push_back(&v);
    const value result =
        evaluate(*g_[k.root].op, g_.type(k.root), g_.attributes(k.root), pointers, {});
    for (std::size_t i = 0; i < result.elements.size(); ++i)
      write(store(k, 0), store(k, 0).offset + static_cast<index>(i), result.elements[i]);
  }

  // ---- products ---------------------------------------------------------------------------------

  void run_contraction(const kernel& k) {
    const operation& op = *ops::id<ops::multiply_add>;
    const dtype t = type_of(k, k.input_slot);
    const detail::matrix_product& p = k.product;
    const auto multiply_add = [&](element_bits x, element_bits y, element_bits z) {
      const element_bits lane[3] = {x, y, z};
      return op.element(t, t, {}, lane);
    };
    const element_bits one = detail::visit_dtype(t, []<class T>(T) { return detail::to_bits(T(1)); });
    require(k.rank == p.batch_loops + 2 && k.loops[p.batch_loops] == p.rows &&
                k.loops[p.batch_loops + 1] == p.columns,
            "loops that do not fit the product");
    require(is_memory(k.left.where) && is_memory(k.right.where),
            "a product of what is not in memory");
    nest(k, 0, p.batch_loops, start(k), [&](const offsets& batch) {
      index row = -1;
      nest(k, p.batch_loops, p.batch_loops + 1, batch, [&](const offsets& o) {
        ++row;
        for (index column = 0; column < p.columns; ++column) {
          const auto put = [&](element_bits sum, index d) {
            return multiply_add(
                read(k.left, batch.left + row * p.left_row + d * p.left_depth),
                read(k.right, batch.right + d * p.right_depth + column * p.right_column), sum);
          };
          element_bits sum = 0;
          if (p.columns == 1 && p.depth > 0)
            sum = detail::fold(p.depth, t, 0, put, [&](element_bits x, element_bits y) {
              return multiply_add(x, one, y);
            });
          else
            for (index d = 0; d < p.depth; ++d) sum = put(sum, d);
          registers_[at(k.input_slot)] = sum;
          prologue(k, o);
          body(k, o, column);
        }
      });
    });
  }
};

/// The results of a program.
[[nodiscard]] inline std::vector<value> interpret(const graph_view& g, const program& p,
                                                  const std::vector<value>& inputs) {
  return interpreter(g, p.view(), inputs).run();
}

}  // namespace tfgraph::test
