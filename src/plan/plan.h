#pragma once

#include <memory>
#include <span>
#include <vector>

#include "codegen/loops/kernel.h"
#include "plan/steps.h"
#include "runtime/kernel.h"
#include "tensor/tensor.h"

namespace dyad::plan {

struct FunctionPlan;

/// Memory that one or more values of a function lie in.
struct Buffer {
  enum class Source : uint8_t {
    kParam,     ///< of an argument
    kConstant,  ///< of a constant
    kArena,     ///< a place in the frame's own memory
    kOwned,     ///< allocated for each run, for somebody outside will hold it
    kGiven,     ///< the caller says where the result goes
    kAdopted,   ///< whatever a step gives that chooses its memory itself
  };
  Source source = Source::kArena;
  uint32_t index = 0;  ///< of the parameter or result
  size_t bytes = 0;
  size_t offset = 0;   ///< in the frame's memory
  uint32_t first = 0;  ///< the step that makes it
  uint32_t last = 0;   ///< the last step that uses it
  int takes_over = -1;
  bool needs_storage =
      false;  ///< somebody asks whose memory it is: a write, a view made at run time, a result
  std::vector<uint32_t> planned_tensors;
};

/// A tensor of a function: how it lies in its buffer.
struct PlannedTensor {
  DType dtype = DType::kFloat32;
  Shape shape;
  Strides strides;
  uint32_t buffer = 0;
  int64_t offset = 0;  ///< in bytes
  Tensor constant;     ///< itself, if it is one
};

/// A step over planned_tensors. Views are no steps: they are planned_tensors.
struct PlannedStep {
  enum class Kind : uint8_t {
    kKernel,
    kFused,
    kDispatch,
    kNumber,
    kNumberOf,
    kTensorOf,
    kCall,
    kIf,
    kWhile,
    kHost,
    kResidualStack
  };
  struct TensorOperand {
    uint16_t arg;
    int16_t member;
    uint32_t planned_tensor;
  };
  struct NumberOperand {
    uint16_t arg;
    Slot slot;
  };
  /// An argument or result of a function that is called: a planned_tensor, a number, a residual stack or a
  /// token.
  struct Passed {
    int planned_tensor = -1;
    Slot slot = kNoSlot;
  };
  /// A variable of a loop whose next value is written to other memory than the last one.
  struct Alternating {
    uint32_t variable;
    uint32_t result;  ///< planned_tensor
    uint32_t spare;   ///< planned_tensor
  };

  Kind kind = Kind::kKernel;
  const Step* step = nullptr;
  const Op* op = nullptr;
  Kernel kernel;
  Ref<codegen::Kernel> code;    ///< of a fused function; null where it is run operator by operator
  Ref<codegen::Launch> launch;  ///< the same for these planned_tensors
  bool keeps_places = false;    ///< of a fused function: a result may lie over an operand of its shape
  bool preserves = false;       ///< what it writes is state, which somebody may have kept for later
  bool copies = false;          ///< of a step that puts a tensor aside: its memory will be used again
  bool long_work = false;       ///< worth letting the host's other threads run meanwhile
  std::vector<Arg> args;
  std::vector<TensorOperand> tensors;
  std::vector<NumberOperand> numbers;
  std::vector<uint32_t> outs;     ///< planned_tensors
  std::vector<uint32_t> written;  ///< planned_tensors whose memory may be somebody else's
  std::vector<Passed> passed;
  std::vector<Passed> given;  ///< what a function called gives
  std::vector<Alternating> alternating;
  std::vector<const FunctionPlan*> functions;
};

/// How a result of a function leaves it.
struct ResultPlan {
  enum class Way : uint8_t { kNone, kNumber, kResidualStack, kForwarded, kGiven, kTensor };
  Way way = Way::kNone;
  uint32_t planned_tensor = 0;
  Slot slot = kNoSlot;
};

/// A function whose shapes are all known: every tensor has its place before it runs.
struct FunctionPlan {
  const FunctionCode* code = nullptr;
  uint32_t index = 0;  ///< in the module
  bool is_main = false;
  std::vector<Buffer> buffers;
  std::vector<PlannedTensor> planned_tensors;
  std::vector<int> planned_tensor_of_slot;  ///< -1 for a number or a residual stack
  bool has_histories = false;
  std::vector<PlannedStep> steps;
  std::vector<ResultPlan> results;
  std::vector<bool> copyable;           ///< parameters of which a copy will do
  std::vector<uint32_t> bound_buffers;  ///< those whose memory differs from run to run
  std::vector<uint32_t> owned_starts;   ///< buffers allocated for each run, by the step that makes them
  std::vector<uint32_t> param_ends;  ///< buffers of parameters by their last use; results are not among them
  size_t arena_bytes = 0;
  size_t least_bytes = 0;  ///< no order of places takes less than this
  size_t unplanned_bytes = 0;
};

/// Makes the machine code of all fused functions that the plans call, at once.
void make_launches(std::span<const std::unique_ptr<FunctionPlan>> functions);

/// The plans of a program's functions; empty where a shape is known only at run time.
class Plan {
 public:
  explicit Plan(const Code& code);
  const FunctionPlan* main() const;
  const std::vector<std::unique_ptr<FunctionPlan>>& functions() const { return functions_; }

 private:
  std::vector<std::unique_ptr<FunctionPlan>> functions_;
  bool complete_ = false;
};

}  // namespace dyad::plan
