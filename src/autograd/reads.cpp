#include "autograd/reads.h"

#include <utility>

namespace dyad::autograd {

void Reads::note(std::span<const Arg> args) {
  for (const Arg& arg : args) {
    if (auto* value = arg.get<Value>()) note(*value);
    if (auto* list = arg.get<ValueList>()) {
      for (const Value& value : *list) note(value);
    }
  }
}

void Reads::note(const Value& value) {
  if (!value || !requires_grad(*value)) return;
  TensorImpl& tensor = as_tensor(value);
  if (known_.insert(&tensor).second) tensors_.emplace_back(&tensor);
}

StandIn::StandIn(Tensor tensor) : tensor_(std::move(tensor)) {
  Ref<Node> leaf(new LeafNode(edge_of(*tensor_)));
  before_ = std::exchange(need_autograd_meta(*tensor_).source, {std::move(leaf), 0});
}

void StandIn::end() {
  const Tensor tensor = std::exchange(tensor_, Tensor());
  if (tensor) need_autograd_meta(*tensor).source = std::move(before_);
}

}  // namespace dyad::autograd
