#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "autograd/state.h"
#include "ir/graph.h"
#include "ops/op.h"
#include "tensor/tensor.h"
#include "types/scalar.h"

namespace dyad::tracing {

/// One operator on the way from a storage to a view of it. A symbolic tensor keeps the last step; one that
/// shows all of its storage keeps none.
struct Window final : RefCounted {
  const Op* op = nullptr;
  std::vector<Arg> args;  ///< the first one, the tensor looked at, is left out
  Ref<Window> before;
  bool constant = false;  ///< no gradient flows through the view: it was made inside `no_grad`
};

/// What a storage holds at the place of the program that is being written down.
struct Held {
  ir::GraphValueRef value;
  uint32_t version = 0;  ///< counts writes, so that a view knows whether it is out of date
  bool written = false;
  bool overwritten = false;  ///< an operator wrote to it that does not put aside what a tape keeps of it
};

/// What a function takes from those around it, besides its own parameters; `param` stands for it inside.
struct CapturedVariable {
  enum class Kind : uint8_t { kStorage, kNumber, kToken };
  Kind kind = Kind::kStorage;
  const Storage* storage = nullptr;
  ir::GraphValueRef number;  ///< as the function that made it knows it
  ir::GraphValueRef param;
  Tensor tensor;  ///< through which the storage was reached; it knows where its gradient goes
};

/// A Python number that is known when the graph runs. A size of a tensor is one too; it is written down as a
/// value only where a value is needed.
struct Number {
  Scalar::Kind kind = Scalar::Kind::kInt;
  ir::GraphValueRef value;  ///< empty for a size
  Dim size;
  bool is_size() const { return !value; }
};

/// What goes into a graph and comes out of it.
using Item = std::variant<Tensor, Number, Scalar>;

/// What a parameter or a result will be: a tensor with perhaps symbolic dimensions, or a number.
struct TypeSpec {
  bool number = false;
  bool residual_stack = false;  ///< of such tensors
  Scalar::Kind kind = Scalar::Kind::kInt;
  DType dtype = DType::kFloat32;
  Shape shape;
  Strides strides = {};  ///< as those of an ir::GraphValue
};

/// What a function was declared with that may be called before it is written.
struct Declared {
  std::vector<TypeSpec> params;
  std::vector<TypeSpec> results;
  std::vector<Item> stand_ins;  ///< of the parameters
  bool closed = false;
};

/// A function that is being written down, and what its storages hold.
struct Scope {
  struct View {
    Ref<Window> window;  ///< kept alive, so that its address means one window
    ir::GraphValueRef value;
    uint32_t version = 0;
  };
  struct Constant {
    Tensor tensor;
    ir::Node* node = nullptr;
  };

  uint64_t id = 0;
  ir::Function* function = nullptr;
  Scope* parent = nullptr;
  Scope* caller = nullptr;  ///< where it was opened
  std::unique_ptr<Declared> declared;
  size_t own_params = 0;
  bool open = true;  ///< it is on the stack; a suspended function is not
  /// Nodes that run the function, and where they are; what is captured later is handed over there too.
  std::vector<std::pair<ir::Node*, Scope*>> uses;
  /// Functions that take the same arguments, itself among them: both arms, condition and body.
  std::vector<Scope*> group;

  std::unordered_map<const Storage*, Held> held;
  std::unordered_map<const Window*, View> views;
  std::unordered_map<const TensorImpl*, Constant> constants;
  std::unordered_map<const ir::GraphValue*, ir::GraphValueRef> numbers;  ///< captured ones
  std::unordered_map<int64_t, ir::GraphValueRef> sizes;                  ///< symbols as numbers
  std::unordered_map<const ir::GraphValue*, Dim> symbols;                ///< numbers as symbols
  std::vector<CapturedVariable> captured;
  /// Memories whose contents the gradients of branches and loops inside need.
  std::unordered_set<const Storage*> needed;
  ir::GraphValueRef token;
  bool acts = false;  ///< has taken and given the token
  /// What is recorded inside for differentiation, while the function is not the one being written.
  autograd::State tape;

  bool within(const Scope& outer) const {
    for (const Scope* scope = this; scope; scope = scope->parent) {
      if (scope == &outer) return true;
    }
    return false;
  }
};

/// Whether the function leaves the storage, or the order of effects, changed.
bool is_changed(const Scope& scope, const CapturedVariable& what);
/// Returns whether it leaves the storage overwritten, see Held.
bool is_overwritten(const Scope& scope, const Storage& storage);
/// Lets the function give these values, and what it leaves in the storages that it changed.
void give_results(Scope& scope, std::span<const ir::GraphValueRef> items,
                  const std::vector<CapturedVariable>& changed);
/// The shape with a symbol of its own for each size that is open.
Shape with_fresh_sizes(Shape shape);

}  // namespace dyad::tracing
