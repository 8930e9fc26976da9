#pragma once

#include <unordered_map>
#include <vector>

#include "ir/graph.h"
#include "ops/op.h"
#include "tensor/tensor.h"

namespace dyad::record {

/// One operator on the way from a storage to a view of it. A symbolic tensor keeps the last step; one that
/// shows all of its storage keeps none.
struct Window final : RefCounted {
  const Op* op = nullptr;
  std::vector<Arg> args;  ///< the first one, the tensor looked at, is left out
  Ref<Window> before;
};

/// What a storage holds at the place of the program that is being written down.
struct Held {
  ir::GraphValueRef value;
  uint32_t version = 0;  ///< counts writes, so that a view knows whether it is out of date
  bool written = false;
};

/// What a function takes from those around it, besides its own parameters; `param` stands for it inside.
struct Lifted {
  enum class Kind : uint8_t { kStorage, kNumber, kToken };
  Kind kind = Kind::kStorage;
  const Storage* storage = nullptr;
  ir::GraphValueRef number;  ///< as the function that made it knows it
  ir::GraphValueRef param;
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
  size_t own_params = 0;
  bool open = true;  ///< it is on the stack; a suspended function is not
  /// Nodes that run the function, and where they are; what is lifted later is handed over there too.
  std::vector<std::pair<ir::Node*, Scope*>> uses;
  /// Functions that take the same arguments, itself among them: both arms, condition and body.
  std::vector<Scope*> group;

  std::unordered_map<const Storage*, Held> held;
  std::unordered_map<const Window*, View> views;
  std::unordered_map<const TensorImpl*, Constant> constants;
  std::unordered_map<const ir::GraphValue*, ir::GraphValueRef> numbers;  ///< lifted ones
  std::unordered_map<int64_t, ir::GraphValueRef> sizes;                  ///< symbols as numbers
  std::unordered_map<const ir::GraphValue*, Dim> symbols;                ///< numbers as symbols
  std::vector<Lifted> lifted;
  ir::GraphValueRef token;
  bool acts = false;  ///< has taken and given the token

  bool within(const Scope& outer) const {
    for (const Scope* scope = this; scope; scope = scope->parent) {
      if (scope == &outer) return true;
    }
    return false;
  }
};

}  // namespace dyad::record
