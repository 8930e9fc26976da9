#pragma once

#include "autograd/node.h"
#include "transforms/joint.h"

namespace dyad::transforms {

/// What differentiation knows of the arguments and results of a node with functions.
struct Flow {
  std::vector<bool> state;  ///< per argument: it is a Parameter's memory
  std::vector<bool> leads;  ///< per argument: it has an edge
  /// Per argument: the functions are differentiated by it. Those that lead somewhere, and perhaps more.
  std::vector<bool> by;
  std::vector<bool> of;  ///< per result: a gradient may arrive for it; in the order of the step's outputs
  std::vector<Ref<Storage>> memories = {};  ///< per argument: where it lies; null for a number
};
/// Completes `by` and `of` for the arguments that lead somewhere.
void find_reach(const ir::Node& node, Flow& flow);

/// A node with functions (`if`, `while`, `call`) on the tape. Its backward writes the gradient of the
/// functions down; the node itself then hands out what that needs.
class ControlNode : public autograd::Node {
 public:
  static Ref<ControlNode> make(GraphTracer& tracer, Scope& home, ir::Node& node, Flow flow,
                               std::vector<autograd::Edge> edges);
  /// Makes it the source of these, one per result of the node; some may be empty.
  void give_source(std::span<const Tensor> results);

  std::string_view name() const override;
  void free_saved() override {}
  Value nothing_at(uint32_t output) const override;

 protected:
  ControlNode(GraphTracer& tracer, Scope& home, ir::Node& node, Flow flow);

  /// The gradients that arrived, zeros where there is none; one per result of `of`.
  std::vector<Item> arrived(std::span<Value> gradients) const;
  /// `found` has a gradient for each operand of `by`; those that lead somewhere are wanted.
  void give(std::span<const Item> found, std::span<Value> inputs) const;
  /// The operands, with where their gradients go if the backward is recorded itself; further results then
  /// have a source too.
  std::vector<Item> operands(bool recorded);
  /// The gradient needs what an operand held. That an operator has overwritten it since is an error only on
  /// paths that use it, so Python runs the function.
  void require_unwritten(size_t operand);
  /// A further result of the node.
  Item add_result(const ir::GraphValue& like);

  // Forward mode (control_tangent.cpp): functions that move the tangents along with the values.
  struct Moved {
    std::vector<Item> results;
    std::vector<Item> tangents;  ///< of the results that `of` tells
  };
  /// Runs a function again on `args`, where those that have a tangent move.
  Moved moved(const ir::Function& function, std::vector<Item> args, std::span<const Value> tangents) const;
  /// The tangents that arrived, one per operand; empty for one that does not lead anywhere.
  std::vector<Value> by_operand(std::span<const Value> arrived) const;
  /// The tangent of an operand, zeros where none arrived.
  Item tangent_or_zeros(const Value& tangent, const ir::GraphValue& param, const Item& operand) const;
  /// Whether running the functions once more would be noticed.
  bool acts() const;

  const Ref<GraphTracer> tracer_;
  Scope& home_;  ///< the function that the node is in
  ir::Node& node_;
  const std::vector<ir::Function*> functions_;  ///< as they were
  const std::vector<Item> operands_;            ///< the arguments as they were, tokens as some number
  const std::vector<bool> state_;               ///< see Flow
  const std::vector<bool> leads_;
  const std::vector<bool> by_;
  const std::vector<bool> of_;
  std::vector<Item> further_;  ///< results that were added

 private:
  const std::vector<Ref<Storage>> memories_;  ///< see Flow
  std::vector<uint32_t> versions_;            ///< of the memories, after the node
  void record_further();
  bool further_recorded_ = false;
};

/// The arms are split; the forward that runs gives its residuals.
class IfNode final : public ControlNode {
 public:
  using ControlNode::ControlNode;
  void backward(std::span<Value> gradients, std::span<Value> inputs, bool recorded) override;
  void forward(autograd::Push& push) override;

 private:
  void split();
  std::vector<Joint> joints_;
};

/// The body is split; its residuals go to stacks, and a loop in the other direction takes them from there.
class WhileNode final : public ControlNode {
 public:
  using ControlNode::ControlNode;
  void backward(std::span<Value> gradients, std::span<Value> inputs, bool recorded) override;
  void forward(autograd::Push& push) override;

 private:
  void require_fixed_sizes() const;
  void split();
  Joint joint_;
  Item rounds_;  ///< how many there were
};

/// A function that calls itself: its gradient runs it again.
class CallNode final : public ControlNode {
 public:
  using ControlNode::ControlNode;
  void backward(std::span<Value> gradients, std::span<Value> inputs, bool recorded) override;
  void forward(autograd::Push& push) override;

 private:
  /// The function that gives the gradients, by all that `by` tells, of all that `of` tells.
  Scope& gradient() const;
  Scope& declare_gradient() const;
  std::vector<Item> differentiated(std::vector<Item> args, std::span<const Item> seeds) const;
  /// The function that takes a tangent beside each parameter that may move, and gives those of the results.
  Scope& tangent() const;
};

}  // namespace dyad::transforms
