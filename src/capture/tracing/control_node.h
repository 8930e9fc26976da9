#pragma once

#include "autograd/node.h"
#include "capture/tracing/joint.h"

namespace dyad::tracing {

/// What a node is differentiated by, given the operands that lead somewhere, and the results that vary then.
struct Reach {
  std::vector<bool> by;
  std::vector<bool> of;
};
Reach reach(const ir::Node& node, const std::vector<bool>& leads);

/// A node with functions (`if`, `while`, `call`) on the tape. Its backward writes the gradient of the
/// functions down; the node itself then hands out what that needs.
class ControlNode : public autograd::Node {
 public:
  /// `operands` are the arguments as they were, tokens as some number. `state` tells
  /// which of them are a Parameter's memory, `leads` which have an
  /// edge; `by` which ones the functions are differentiated by, those and perhaps more; `of` which results a
  /// gradient may arrive for, in the order of the outputs.
  ControlNode(GraphTracer& tracer, Scope& home, ir::Node& node, std::vector<Item> operands,
              std::vector<bool> state, std::vector<bool> leads, std::vector<bool> by, std::vector<bool> of);

  static Ref<ControlNode> make(GraphTracer& tracer, Scope& home, ir::Node& node, std::vector<bool> state,
                               std::vector<bool> leads, std::vector<autograd::Edge> edges,
                               std::vector<bool> by, std::vector<bool> of);
  /// Makes it the source of these, one per result of the node; some may be empty.
  void give_source(std::span<const Tensor> results);

  std::string_view name() const override;
  void free_saved() override {}
  Value nothing_at(uint32_t output) const override;

 protected:
  /// The gradients that arrived, zeros where there is none; one per result of `of`.
  std::vector<Item> arrived(std::span<Value> gradients) const;
  /// What the backward of a joint takes, but for the gradients. `next` counts the node's further results.
  std::vector<Item> residuals(const Joint& joint, const std::vector<Item>& params, size_t& next) const;
  void give(std::span<const Item> found, std::span<Value> inputs) const;
  /// The operands, with where their gradients go if the backward is recorded itself; further results then
  /// have a source too.
  std::vector<Item> operands(bool recorded);
  /// A further result of the node.
  Item add_result(const ir::GraphValue& spec);

  // Forward mode: functions that move the tangents along with the values.
  struct Moved {
    std::vector<Item> results;
    std::vector<Item> tangents;  ///< of the results that `of` tells
  };
  /// Runs a function again on `args`, where those that have a tangent move.
  Moved moved(const ir::Function& function, std::vector<Item> args, std::span<const Value> tangents) const;
  /// The tangents that arrived, one per operand; empty for one that does not lead anywhere.
  std::vector<Value> by_operand(std::span<const Value> arrived) const;
  /// Whether running the functions once more would be noticed.
  bool acts() const;

  const Ref<GraphTracer> tracer_;
  Scope& home_;
  ir::Node& node_;
  const std::vector<ir::Function*> functions_;  ///< as they were
  const std::vector<Item> operands_;
  const std::vector<bool> state_;
  const std::vector<bool> leads_;
  const std::vector<bool> by_;
  const std::vector<bool> of_;
  std::vector<Item> further_;  ///< results that were added
  bool further_recorded_ = false;
};

/// Nothing, as a gradient of this type.
Item nothing(GraphTracer& tracer, const TypeSpec& spec);

class IfNode final : public ControlNode {
 public:
  using ControlNode::ControlNode;
  void backward(std::span<Value> gradients, std::span<Value> inputs, bool recorded) override;
  void forward(autograd::Push& push) override;

 private:
  void split();
  std::vector<Joint> joints_;
};

class WhileNode final : public ControlNode {
 public:
  using ControlNode::ControlNode;
  void backward(std::span<Value> gradients, std::span<Value> inputs, bool recorded) override;
  void forward(autograd::Push& push) override;

 private:
  void split();
  Joint joint_;
  std::vector<bool> put_aside_;  ///< per residual: it differs from round to round
  Item rounds_;
};

/// A function that calls itself: its gradient runs it again.
class CallNode final : public ControlNode {
 public:
  using ControlNode::ControlNode;
  void backward(std::span<Value> gradients, std::span<Value> inputs, bool recorded) override;
  void forward(autograd::Push& push) override;

 private:
  Scope& gradient() const;
  Scope& tangent() const;
};

}  // namespace dyad::tracing
