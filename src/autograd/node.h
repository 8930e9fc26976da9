#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "types/arg.h"

namespace dyad::autograd {

class AutogradMeta;
class Node;

/// One result of a recorded step: where the gradient of a value that was made there goes.
struct Edge {
  Ref<Node> node;
  uint32_t output = 0;

  explicit operator bool() const { return static_cast<bool>(node); }
  bool operator==(const Edge&) const = default;
};

/// Whether a hook still runs. Apart from the hook, so that the handle to remove it does not keep it alive.
struct HookSwitch : RefCounted {
  bool removed = false;
};

/// Looks at a gradient on its way and may replace it.
class Hook : public RefCounted {
 public:
  /// The gradient to go on with; empty if it stays as it is.
  virtual Value operator()(const Value& gradient) = 0;
  const Ref<HookSwitch> status{new HookSwitch};
};
using Hooks = std::vector<Ref<Hook>>;
using SharedHooks = std::shared_ptr<Hooks>;

/// A step's share in forward mode: tangents arrive along its edges and leave at its outputs.
struct Push {
  std::span<const Value> arrived;   ///< one per edge; an empty one stands for zeros
  const std::vector<bool>& wanted;  ///< the outputs that a tangent is asked for
  std::span<Value> leaving;         ///< to be set, one per output; an empty one stands for zeros
  bool recorded;                    ///< this computation is itself recorded
};

/// One recorded step. Its edges lead to the steps that made its inputs, so the newest node keeps alive what
/// the gradient will need, and nothing else does.
class Node : public RefCounted {
 public:
  /// `outputs` is the number of results that gradients may arrive for. A step recorded outside of any
  /// transform is a reason to record what is made from its results, a `leaf` by itself is none.
  explicit Node(size_t outputs, bool leaf = false);
  ~Node() override;

  /// The name for messages: of the operator, or of the function.
  virtual std::string_view name() const = 0;
  /// Gradients of the inputs, one per edge, from those of the outputs; both may be empty. `recorded` tells
  /// that this computation is itself recorded.
  virtual void backward(std::span<Value> gradients, std::span<Value> inputs, bool recorded) = 0;
  /// Tangents of the outputs from those of the inputs. Unless a node knows better, `backward` transposed
  /// gives them, see transpose.h.
  virtual void forward(Push& push);
  /// dtype and shape of each output, for a node that does not know better.
  virtual std::vector<ResultSpec> output_specs() const;
  /// A gradient of the output that says nothing, for the same.
  virtual Value nothing_at(uint32_t output) const;
  /// Raises if what was saved is freed.
  void require_saved() const;
  /// Lets go of what was saved; the node cannot be walked through afterwards.
  virtual void free_saved() = 0;

  /// Orders nodes: what a node is made from has smaller numbers.
  const uint64_t sequence;
  /// The outermost transform it was recorded in; 0 outside of any.
  const uint64_t recording;
  const uint32_t outputs;
  bool released = false;
  /// The walk that has reached the node is the last one: what was saved may go while it is being used.
  bool last_walk = false;
  std::vector<Edge> edges;

  void add_hook(uint32_t output, Ref<Hook> hook);
  /// Hooks shared with the tensor itself: those of a leaf, which outlive the node.
  void share_hooks(SharedHooks hooks) { shared_hooks_ = std::move(hooks); }
  void run_hooks(std::span<Value> gradients) const;
  const std::vector<std::pair<uint32_t, Ref<Hook>>>& hooks() const { return hooks_; }
  void drop_hooks();
  /// Lets go of everything: what was saved, hooks, the steps before it.
  void close();
  /// Has `close_recording` close it: it holds something, such as a Python function or a tensor that was
  /// written to after it was saved, that may hold it in turn.
  void close_with_recording();

 private:
  const bool is_reason_;
  bool closes_with_recording_ = false;
  std::vector<std::pair<uint32_t, Ref<Hook>>> hooks_;
  SharedHooks shared_hooks_;
};

/// The outermost transform `recording` is over and its steps are not kept: those that may be part of a ring
/// of owners, which counting never frees, are closed.
void close_recording(uint64_t recording);

/// The number the next node will get.
uint64_t next_sequence();

/// Destroys what a node held without deep recursion: a chain of a hundred thousand nodes falls one by one.
void bury(std::vector<Edge> edges);
void bury(std::vector<Arg> args);
void bury(Ref<RefCounted> object);

/// Runs a gradient through hooks in the order of their registration.
void run_hooks(const Hooks& hooks, Value& gradient);

/// A tensor that gradients are asked for: the walk ends here. Inside an outer transform it also leads on to
/// what that one recorded.
class LeafNode final : public Node {
 public:
  explicit LeafNode(Edge outer = {});
  /// What is known of the tensor, as long as it lives.
  AutogradMeta* owner = nullptr;
  std::string_view name() const override { return "input"; }
  void backward(std::span<Value> gradients, std::span<Value> inputs, bool recorded) override;
  void forward(Push& push) override;
  void free_saved() override {}
};

}  // namespace dyad::autograd
