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

/// Memory that one or more tensors of a function lie in.
struct Buffer {
  /// Where the memory comes from.
  enum class Source : uint8_t {
    kParam,     ///< that of an argument
    kConstant,  ///< that of a constant
    kArena,     ///< a place in the frame's own memory
    kOwned,     ///< allocated for each run, because the caller or the host will hold it
    kGiven,     ///< the caller says where the result goes
    kAdopted,   ///< whatever a step gives that chooses its memory itself
  };
  Source source = Source::kArena;
  uint32_t index = 0;  ///< of the parameter or result
  size_t bytes = 0;
  size_t offset = 0;           ///< in the frame's memory
  uint32_t first = 0;          ///< the step that makes it
  uint32_t last = 0;           ///< the last step that uses it
  int takes_over = -1;         ///< a buffer whose place it may have, because that one ends where it begins
  bool needs_storage = false;  ///< a write, a view made at run time or a result asks whose memory it is
  std::vector<uint32_t> tensors;
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

/// A step over planned tensors, which it names by their numbers in the function. A view is no step: it is
/// another tensor in the same buffer.
struct PlannedStep {
  /// A tensor among the arguments of an operator.
  struct TensorOperand {
    uint16_t arg;
    int16_t member;  ///< its place in a list of values, or -1
    uint32_t tensor;
  };
  /// A number among them.
  struct NumberOperand {
    uint16_t arg;
    Slot slot;
  };
  /// An argument or result of a function that is called: a tensor, or what lies in a slot, which is a number,
  /// a residual stack or, without a slot, a token.
  struct Passed {
    int tensor = -1;
    Slot slot = kNoSlot;
  };
  /// A variable of a loop whose next value is written to other memory than the last one.
  struct Alternating {
    uint32_t variable;
    uint32_t result;  ///< the tensor that has the value at the end
    uint32_t spare;   ///< the tensor that has it every other turn
  };

  const Step& origin() const { return *step; }
  /// In the user's program; null where the planner put the step in.
  const ir::Location* location() const { return step ? &step->node->location : nullptr; }

  StepKind kind = StepKind::kOperator;
  uint32_t index = 0;  ///< in the function
  const Step* step = nullptr;
  const Op* op = nullptr;
  Kernel kernel;                ///< of an operator; one without it goes through dispatch
  Ref<codegen::Kernel> code;    ///< of a fused function; null where it is run operator by operator
  Ref<codegen::Launch> launch;  ///< the same for these tensors
  bool keeps_places = false;    ///< of a fused function: a result may lie over an operand of its shape
  bool preserves = false;       ///< what it writes is state, whose old version a gradient may need
  bool copies = false;          ///< of a push on a residual stack: the tensor's memory will be used again
  bool long_work = false;       ///< worth letting the host's other threads run meanwhile
  std::vector<Arg> args;        ///< attributes; operands are filled in
  std::vector<TensorOperand> tensors;
  std::vector<NumberOperand> numbers;
  std::vector<uint32_t> outs;     ///< tensors that it gives
  std::vector<uint32_t> written;  ///< tensors that it writes in memory which others may hold
  std::vector<Passed> passed;     ///< to a function, a branch or a loop
  std::vector<Passed> given;      ///< by it
  std::vector<Alternating> alternating;
  std::vector<const FunctionPlan*> functions;
};

/// How a result of a function leaves it.
struct ResultPlan {
  enum class Way : uint8_t {
    kNone,           ///< a token
    kNumber,         ///< in its slot
    kResidualStack,  ///< in its slot
    kForwarded,      ///< it is an argument
    kGiven,          ///< in memory that the caller named
    kTensor,         ///< of the main function: as a tensor of its own
  };
  Way way = Way::kNone;
  uint32_t tensor = 0;
  Slot slot = kNoSlot;
};

/// A function whose shapes are all known: every tensor has its place before it runs. It never changes.
struct FunctionPlan {
  const FunctionCode* code = nullptr;
  uint32_t index = 0;  ///< in the module
  bool is_main = false;
  std::vector<Buffer> buffers;
  std::vector<PlannedTensor> tensors;
  std::vector<int> tensor_of_slot;  ///< -1 for a number or a residual stack
  bool has_residual_stacks = false;
  std::vector<PlannedStep> steps;
  std::vector<ResultPlan> results;
  std::vector<bool> copyable;           ///< parameters that a row-major copy may stand for
  std::vector<uint32_t> bound_buffers;  ///< those whose memory differs from run to run
  std::vector<uint32_t> owned_starts;   ///< buffers allocated for each run, by the step that makes them
  std::vector<uint32_t> param_ends;  ///< buffers of parameters by their last use; results are not among them
  size_t arena_bytes = 0;
  size_t least_bytes = 0;      ///< no order of places takes less than this
  size_t unplanned_bytes = 0;  ///< what the tensors would take if nothing was used again
};

/// Makes the machine code of all fused functions that the plans call, at once.
void make_launches(std::span<const std::unique_ptr<FunctionPlan>> functions);

/// The plans of a program's functions; empty where a shape is known only at run time.
class Plan {
 public:
  explicit Plan(const Code& code);
  const FunctionPlan* main() const { return complete_ ? functions_.front().get() : nullptr; }
  const std::vector<std::unique_ptr<FunctionPlan>>& functions() const { return functions_; }

 private:
  std::vector<std::unique_ptr<FunctionPlan>> functions_;
  bool complete_ = false;
};

}  // namespace dyad::plan
