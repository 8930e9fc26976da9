#pragma once

#include "autograd/node.h"
#include "ops/op.h"
#include "tensor/tensor.h"

namespace dyad::autograd {

/// How a view came from its base: the operators, last first.
struct ViewStep : RefCounted {
  const Op* op;
  std::vector<Arg> args;  ///< the first one, the tensor looked at, is left out
  Ref<ViewStep> before;
};

/// What differentiation knows of one tensor.
class AutogradMeta final : public RefCounted {
 public:
  /// The step that made the tensor; empty for a leaf and for a constant.
  Edge source;

  // A leaf: its gradient is wanted.
  Ref<LeafNode> leaf;
  uint32_t trackers = 0;  ///< transforms that track it now
  bool asked = false;     ///< `requires_grad_()`
  bool input = false;     ///< the stand-in for an argument of a transform
  Tensor gradient;        ///< `.grad`
  SharedHooks hooks;

  // A view: writes through it reach the base, and writes to the base reach it.
  Tensor base;
  Ref<ViewStep> steps;      ///< none for a tensor that looks at all of the base
  uint32_t seen = 0;        ///< `base`'s rewrites when `source` was made
  bool unrecorded = false;  ///< made while recording was off
  /// In-place writes that gave the tensor another source.
  uint32_t rewrites = 0;

  ~AutogradMeta() override;
  bool is_leaf() const { return trackers > 0 || asked || input; }
  static void* operator new(size_t bytes);
  static void operator delete(void* block, size_t bytes);
};

/// The metadata of a tensor, or null.
inline AutogradMeta* autograd_meta_of(const ValueImpl& value) {
  if (!value.is_tensor()) return nullptr;  // a description without data has none
  return static_cast<AutogradMeta*>(static_cast<const TensorImpl&>(value).autograd_meta.get());
}
/// The same; made if there was none.
AutogradMeta& need_autograd_meta(TensorImpl& tensor);

/// Where the gradient of this tensor goes; empty for a constant.
Edge edge_of(const ValueImpl& value);
/// The same for a tensor that was kept to be differentiated later: the transform it was recorded in may be
/// over.
Edge kept_edge_of(const ValueImpl& value);
inline bool requires_grad(const ValueImpl& value) {
  return autograd_meta_of(value) && static_cast<bool>(edge_of(value));
}
/// Makes `edge` the source of the tensor.
void set_source(TensorImpl& tensor, Edge edge);

/// The tensor with what its memory held at that version, without metadata; empty if it was overwritten and
/// no copy was kept.
Tensor as_saved(const TensorImpl& tensor, uint32_t version);

/// A new tensor that stands for an argument of the current transform: over the same memory, or `input`.
Tensor as_input(const Tensor& tensor, Tensor input = {});
/// Makes the tensor itself a leaf, as often as it is called; `untrack` takes one call back.
void track(TensorImpl& tensor);
void untrack(TensorImpl& tensor);
/// `requires_grad_()`: a leaf until it is taken back.
void ask_gradient(TensorImpl& tensor, bool asked);

/// Lets `hook` see the gradient of this tensor whenever one arrives.
void add_hook(TensorImpl& tensor, Ref<Hook> hook);

/// Remembers that `alias` is another tensor over the whole memory of `whole`.
void link_alias(TensorImpl& alias, TensorImpl& whole);
/// Remembers that `view` looks at the memory of `whole`, by `op` with `args`.
void link_view(TensorImpl& view, TensorImpl& whole, const Op& op, std::span<const Arg> args);
/// Applies the operators that lead from a base to a view to another tensor of the base's shape.
Value replay(const ViewStep* steps, const Value& base);

}  // namespace dyad::autograd
