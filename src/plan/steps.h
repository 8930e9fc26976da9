#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"
#include "ops/number_operator.h"
#include "ops/op.h"
#include "plan/dim_expression.h"

namespace dyad::plan {

inline bool is_tensor(const ir::GraphValue& value) { return value.kind == ir::GraphValue::Kind::kTensor; }
inline bool is_residual_stack(const ir::GraphValue& value) {
  return value.kind == ir::GraphValue::Kind::kResidualStack;
}

/// Where a value of a function lies while the function runs: its place in the frame.
using Slot = uint32_t;
/// A token lies nowhere: steps run in order anyway.
inline constexpr Slot kNoSlot = ~Slot{0};

struct FunctionCode;

/// What a step does.
enum class StepKind : uint8_t {
  kOperator,   ///< of the table
  kFused,      ///< calls a fused function
  kNumber,     ///< arithmetic on numbers
  kIntrinsic,  ///< between tensors, numbers and sizes, and what loops keep for gradients: `Intrinsic::Task`
  kCall,
  kIf,
  kWhile,
  kHost,
};

/// One thing to do. Attributes are ready in `args`; values and sizes that are known when it runs are filled
/// in.
struct Step {
  /// A value among the arguments.
  struct Operand {
    uint16_t arg;
    int16_t member;  ///< its place in a list of values, or -1
    Slot slot;
    bool last_use;  ///< nothing after this step uses it, and this operand is the last one of the step
  };
  /// A size among the integers of an argument.
  struct Size {
    uint16_t arg;
    uint16_t position;
    DimExpression value;
  };
  /// A symbol that a result tells: the size of that axis.
  struct Binding {
    uint16_t result;
    uint16_t axis;
    uint32_t symbol;
  };
  /// A symbol that a function called here takes from this one.
  struct Inherited {
    uint32_t own;
    uint32_t callee;
  };

  /// The step itself, and for a planned one that which it stands for.
  const Step& origin() const { return *this; }
  /// In the user's program.
  const ir::Location* location() const { return &node->location; }

  StepKind kind = StepKind::kOperator;
  const ir::Node* node = nullptr;
  const Op* op = nullptr;  ///< of an operator of the table
  std::vector<Arg> args;
  std::vector<Operand> operands;
  std::vector<Size> sizes;
  std::vector<Slot> results;
  std::vector<Slot> dying;  ///< values that nothing needs afterwards, unused results among them
  std::vector<Binding> bindings;
  std::vector<const FunctionCode*> functions;
  std::vector<std::vector<Inherited>> inherited;  ///< one list per function
  uint32_t defines = 0;                           ///< of `define_symbol`: which symbol
};

/// A function as steps over a frame of slots.
struct FunctionCode {
  /// A value that is part of the graph.
  struct Constant {
    Slot slot;
    Arg value;
  };
  /// State that ends as that value.
  struct Update {
    Slot state;
    Slot value;
  };

  const ir::Function* function = nullptr;
  uint32_t index = 0;  ///< in the module
  size_t slots = 0;
  SymbolTable symbols;
  std::vector<Slot> params;
  std::vector<Step::Binding> bindings;  ///< symbols that the shapes of parameters tell
  std::vector<Slot> unused_params;
  std::vector<Constant> constants;
  std::vector<Step> steps;
  std::vector<Slot> results;
  std::vector<Update> updates;
};

/// The functions of a module as steps.
class Code {
 public:
  explicit Code(const ir::Module& module);

  const ir::Module& module() const { return module_; }
  const FunctionCode& main() const { return *functions_.front(); }
  const std::vector<std::unique_ptr<FunctionCode>>& functions() const { return functions_; }

 private:
  const ir::Module& module_;
  std::vector<std::unique_ptr<FunctionCode>> functions_;
};

}  // namespace dyad::plan
