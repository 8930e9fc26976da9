// One driver for all elementwise operators: it brings operands of any dtype, stride and broadcast to the
// contiguous loops of the scalar definitions, block by block, and spreads large work over the cores.

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/strided.h"
#include "kernels/scalar/table.h"
#include "runtime/kernel.h"

extern "C" {
// The linker's bounds of the section in which the loop entries lie.
extern const dyad::kernels::LoopEntry* const __start_dyad_loops[] __attribute__((visibility("hidden")));
extern const dyad::kernels::LoopEntry* const __stop_dyad_loops[] __attribute__((visibility("hidden")));
}

namespace dyad::kernels {

namespace {

constexpr size_t kMaxOperands = 3;
constexpr int64_t kParallelGrain = 32768;

/// One operand as the loops see it.
struct Operand {
  const char* data = nullptr;
  DType dtype = DType::kFloat32;  ///< as stored
  DType wanted = DType::kFloat32;
  Convert convert = nullptr;  ///< null: stored as wanted
  bool single = false;        ///< one number for all elements, already converted
  alignas(16) char number[16];
};

[[noreturn]] void refuse_dtype(const LoopEntry& entry, const KernelCall& call, DType dtype) {
  std::string accepted;
  for (int i = 0; i < kDTypeCount; ++i) {
    if (entry.loops[i]) accepted += cat(accepted.empty() ? "" : ", ", static_cast<DType>(i));
  }
  type_error(call.op(), ": not defined for ", dtype, "; accepted are ", accepted,
             entry.loops[static_cast<size_t>(DType::kFloat32)] ? ", Float16, BFloat16" : "");
}

void load_operand(const KernelCall& call, size_t i, DType wanted, Operand& operand) {
  operand.wanted = wanted;
  if (!call.is_value(i)) {
    store(call.number(i), wanted, operand.number);
    operand.data = operand.number;
    operand.single = true;
    return;
  }
  const ValueImpl& value = call.in(i);
  operand.data = value.as<char>();
  operand.dtype = value.dtype;
  if (value.dtype != wanted) operand.convert = converter(value.dtype, wanted);
  if (value.size() == 1) {
    if (operand.convert) {
      operand.convert(1, operand.data, operand.number);
      operand.data = operand.number;
    }
    operand.single = true;
  }
}

/// Work of one operator call that does not change from block to block.
struct Plan {
  const LoopEntry* entry;
  Loop loop;
  Operand operands[kMaxOperands];
  Convert narrow = nullptr;  ///< from the computed to the stored dtype of the result
  DType computed;            ///< dtype that the loop writes
  ValueImpl* out;
};

void run_contiguous(const Plan& plan, int64_t begin, int64_t end) {
  const void* in[kMaxOperands];
  uint8_t step[kMaxOperands];
  for (size_t i = 0; i < plan.entry->operands; ++i) {
    const Operand& operand = plan.operands[i];
    step[i] = !operand.single;
    in[i] = operand.data + (operand.single ? 0 : begin * itemsize(operand.wanted));
  }
  plan.loop(end - begin, in, step, plan.out->as<char>() + begin * itemsize(plan.computed));
}

/// Brings `count` elements of an operand to the wanted dtype in `block`, unless they can be used where they
/// are.
const void* fetch(const Operand& operand, int64_t at, int64_t stride, int64_t count, char* block,
                  uint8_t& step) {
  if (operand.single) {
    step = 0;
    return operand.data;
  }
  const int64_t bytes = itemsize(operand.dtype);
  const char* source = operand.data + at * bytes;
  step = stride != 0;
  const int64_t needed = step ? count : 1;
  if (!operand.convert && (needed == 1 || stride == 1)) return source;
  if (needed > 1 && stride != 1) {
    alignas(64) char gathered[kBlock * 16];
    char* place = operand.convert ? gathered : block;
    gather(bytes, needed, source, stride, place);
    if (operand.convert) operand.convert(needed, place, block);
  } else {
    operand.convert(needed, source, block);
  }
  return block;
}

void run_strided(const Plan& plan, const StridedLoop& loop, int64_t begin, int64_t end) {
  alignas(64) char blocks[kMaxOperands][kBlock * 16];
  alignas(64) char computed[kBlock * 16];
  alignas(64) char narrowed[kBlock * 2];
  const int64_t out_bytes = itemsize(plan.out->dtype);
  for_each_run(loop, begin, end, [&](int64_t run, const int64_t* at) {
    const int64_t out_stride = loop.inner_stride(0);
    const bool direct = !plan.narrow && out_stride == 1;
    // Operands that need no block let the loop take the whole run at once.
    bool plain = direct;
    for (size_t i = 0; plain && i < plan.entry->operands; ++i) {
      const Operand& operand = plan.operands[i];
      const int64_t stride = loop.inner_stride(i + 1);
      plain = operand.single || (!operand.convert && (stride == 0 || stride == 1));
    }
    const int64_t piece = plain ? run : kBlock;
    for (int64_t done = 0; done < run; done += piece) {
      const int64_t count = std::min(piece, run - done);
      const void* in[kMaxOperands];
      uint8_t step[kMaxOperands];
      for (size_t i = 0; i < plan.entry->operands; ++i) {
        const int64_t stride = loop.inner_stride(i + 1);
        in[i] = fetch(plan.operands[i], at[i + 1] + done * stride, stride, count, blocks[i], step[i]);
      }
      char* target = plan.out->as<char>() + (at[0] + done * out_stride) * out_bytes;
      plan.loop(count, in, step, direct ? target : computed);
      if (direct) continue;
      const char* result = computed;
      if (plan.narrow) {
        plan.narrow(count, computed, out_stride == 1 ? target : narrowed);
        result = narrowed;
      }
      if (out_stride != 1) scatter(out_bytes, count, result, target, out_stride);
    }
  });
}

bool all_contiguous(const Plan& plan, const KernelCall& call) {
  if (plan.narrow || !plan.out->contiguous()) return false;
  for (size_t i = 0; i < plan.entry->operands; ++i) {
    const Operand& operand = plan.operands[i];
    if (operand.single) continue;
    if (operand.convert || !(call.in(i).shape == plan.out->shape) || !call.in(i).contiguous()) return false;
  }
  return true;
}

void run_elementwise(const KernelCall& call) {
  Plan plan;
  plan.entry = static_cast<const LoopEntry*>(call.payload());
  plan.out = &call.out();
  const DType computing = computing_dtype(plan.entry->kind, plan.entry->operands, call, plan.out->dtype);
  plan.loop = plan.entry->loops[static_cast<size_t>(computing)];
  if (!plan.loop) refuse_dtype(*plan.entry, call, computing);
  plan.computed = computed_dtype(plan.entry->kind, computing);
  if (plan.computed != plan.out->dtype) plan.narrow = converter(plan.computed, plan.out->dtype);

  const int64_t total = plan.out->size();
  if (total == 0) return;
  for (size_t i = 0; i < plan.entry->operands; ++i) {
    const bool condition = plan.entry->kind == LoopKind::kSelect && i == 0;
    load_operand(call, i, condition ? DType::kBool : computing, plan.operands[i]);
  }
  const int64_t grain = kParallelGrain / plan.entry->cost;
  if (all_contiguous(plan, call)) {
    parallel_for(total, grain, [&](int64_t begin, int64_t end) { run_contiguous(plan, begin, end); });
    return;
  }
  Strides strides[kMaxOperands + 1];
  strides[0] = plan.out->strides;
  for (size_t i = 0; i < plan.entry->operands; ++i) {
    strides[i + 1] = plan.operands[i].single
                         ? Strides(plan.out->shape.size(), 0)
                         : broadcast_strides(call.in(i).shape, call.in(i).strides, plan.out->shape);
  }
  const StridedLoop loop(plan.out->shape, strides, plan.entry->operands + size_t{1});
  parallel_for(total, grain, [&](int64_t begin, int64_t end) { run_strided(plan, loop, begin, end); });
}

const bool registered = [] {
  const int best = best_instruction_set();
  for (auto* at = __start_dyad_loops; at != __stop_dyad_loops; ++at) {
    const LoopEntry* entry = *at;
    if (entry->instruction_set == best)
      KernelRegistry::instance().add(entry->name, DeviceKind::kCpu, run_elementwise, entry);
  }
  return true;
}();

}  // namespace

int best_instruction_set() {
  static const int best = [] {
    __builtin_cpu_init();
    int level = 0;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c"))
      level = 1;
    if (level == 1 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
      level = 2;
    }
    const char* limit = std::getenv("DYAD_ISA_LIMIT");
    if (limit && std::string_view(limit) == "baseline") level = 0;
    if (limit && std::string_view(limit) == "avx2") level = std::min(level, 1);
    return level;
  }();
  return best;
}

}  // namespace dyad::kernels
