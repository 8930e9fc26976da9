#pragma once

#include <unordered_map>

#include "autograd/node.h"
#include "tensor/tensor.h"

namespace dyad::autograd {

/// Forward mode: tangents pushed along what was recorded since `mark`, from `inputs` (leaves of a transform)
/// to whatever was made of them. An empty tangent stands for zeros.
///
/// What it found for a step it remembers, so it can be asked for more outputs, those of its own computation
/// too: where that was recorded, asking for the tangents of tangents gives higher derivatives.
class Pushforward {
 public:
  Pushforward(std::span<const Value> inputs, std::span<const Value> tangents, uint64_t mark);

  /// The tangents of these outputs; zeros for one that does not depend on the inputs. The computation is
  /// recorded if recording is on.
  std::vector<Value> operator()(std::span<const Value> outputs);
  /// The same as the push gives them: empty for zeros, and perhaps in memory that others look at.
  std::vector<Value> tangents(std::span<const Value> outputs);

 private:
  struct Known {
    Ref<Node> node;  ///< kept alive, so that its address means one node
    std::vector<bool> found;
    std::vector<Value> tangents;
  };
  Known& at(const Ref<Node>& node);
  bool is_known(const Edge& edge) const;
  void push_to(std::span<const Edge> ends);
  void step(Node& node, const std::vector<bool>& wanted);

  uint64_t mark_;
  std::vector<Value> given_;
  std::unordered_map<Node*, Known> known_;
};

}  // namespace dyad::autograd
