#include "autograd/in_place.h"

#include "autograd/state.h"
#include "base/error.h"
#include "ops/call.h"

namespace dyad::autograd {

namespace {

DYAD_USE(copy, copy_into, masked_fill, zeros_like);

/// A base after a write through a view: the elements under the view come from what was written, the others
/// from the base before.
class WriteNode final : public Node {
 public:
  WriteNode(const TensorImpl& whole, Edge base, Edge written, Ref<ViewStep> steps)
      : Node(1),
        spec_{whole.dtype, whole.shape},
        steps_(std::move(steps)),
        base_known_(base),
        written_known_(written) {
    if (base_known_) edges.push_back(std::move(base));
    if (written_known_) edges.push_back(std::move(written));
  }
  std::string_view name() const override { return "write through a view"; }
  void free_saved() override { released = true; }

  void backward(std::span<Value> gradients, std::span<Value> inputs, bool recorded) override {
    size_t next = 0;
    if (base_known_) {
      inputs[next++] = recorded ? outside_recorded(gradients[0]) : outside(gradients[0]);
    }
    if (written_known_) inputs[next] = replay(steps_.get(), gradients[0]);
  }
  std::vector<ResultSpec> output_specs() const override { return {spec_}; }

 private:
  /// The gradient with zeros under the view.
  Value outside(const Value& gradient) const {
    Value kept = copy(gradient);
    copy_into(replay(steps_.get(), kept), 0);
    return kept;
  }
  Value outside_recorded(const Value& gradient) const {
    Value mask;
    {
      const RecordingSwitch off(false);
      mask = zeros_like(gradient, DType::kBool);
      copy_into(replay(steps_.get(), mask), true);
    }
    return masked_fill(gradient, mask, 0);
  }

  ResultSpec spec_;
  Ref<ViewStep> steps_;
  bool base_known_;
  bool written_known_;
};

/// Steps that saved the tensor hold it, and from now on hold the step that wrote to it; where that one was
/// made from theirs, a ring is closed.
void set_written(TensorImpl& tensor, Edge edge) {
  if (edge && tensor.storage->is_kept()) edge.node->close_with_recording();
  set_source(tensor, std::move(edge));
}

}  // namespace

void require_rewritable(std::string_view operation, const TensorImpl& target) {
  const AutogradMeta* meta = autograd_meta_of(target);
  if (!meta) return;
  if (meta->is_leaf() && edge_of(target)) {
    runtime_error(
        operation,
        ": A leaf tensor that need grad is being used in an inplace operator and cannot be written in "
        "place; write to a copy(), or inside no_grad");
  }
  if (!meta->base) return;
  if (const AutogradMeta* base = autograd_meta_of(*meta->base);
      base && base->is_leaf() && edge_of(*meta->base)) {
    runtime_error(operation,
                  ": the tensor is a view of an input that a gradient is asked for and cannot be written in "
                  "place; write to a copy(), or inside no_grad");
  }
  if (meta->unrecorded) {
    runtime_error(operation,
                  ": the tensor is a view that was made inside no_grad and is written outside of it; make "
                  "the view where it is written");
  }
}

bool updates_leaf(const TensorImpl& target, std::span<const Arg> args) {
  if (state().depth > 0) return false;
  const auto root_of = [](const TensorImpl& tensor) {
    const AutogradMeta* meta = autograd_meta_of(tensor);
    return meta && meta->base ? meta->base.get() : &tensor;
  };
  const TensorImpl* root = root_of(target);
  const AutogradMeta* leaf = autograd_meta_of(*root);
  if (!leaf || !leaf->asked || leaf->input) return false;
  return std::ranges::all_of(args, [&](const Arg& arg) {
    auto* value = arg.get<Value>();
    return !value || !*value || !requires_grad(**value) || root_of(as_tensor(*value)) == root;
  });
}

void rewrite(TensorImpl& target, Edge edge) {
  AutogradMeta& meta = need_autograd_meta(target);
  if (!meta.base) {
    set_written(target, std::move(edge));
    ++meta.rewrites;
    return;
  }
  AutogradMeta& base = need_autograd_meta(*meta.base);
  Edge before = edge_of(*meta.base);
  if (before || edge) {
    Ref<Node> node(new WriteNode(*meta.base, std::move(before), std::move(edge), meta.steps));
    set_written(*meta.base, {std::move(node), 0});
  }
  ++base.rewrites;
}

}  // namespace dyad::autograd
