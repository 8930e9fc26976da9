#pragma once

#include <unordered_set>

#include "capture/tracing/dependence.h"
#include "capture/tracing/replay.h"

namespace dyad::tracing {

/// A function split for reverse mode.
struct Joint {
  Scope* scope = nullptr;  ///< of the forward
  /// Takes what the function took; gives what it gave, then the residuals that are none of its parameters.
  ir::Function* forward = nullptr;
  /// Takes the residuals, then a gradient for each result that one may arrive for; gives a gradient for each
  /// parameter that one was asked for. Tokens are left out, but for one at the end where it acts.
  ir::Function* backward = nullptr;
  /// What the backward needs: the parameter of that place, or -1 for the next one of the further results.
  std::vector<int> residuals;
};

/// Writes a function and its gradient down as one, with a tape of its own, and splits that in two.
///
/// What the gradient uses of the function's values is handed over; constants and views are made again.
class JointWriter {
 public:
  JointWriter(GraphTracer& tracer, const ir::Function& function, std::vector<bool> by, std::vector<bool> of,
              std::vector<bool> state = {})
      : tracer_(tracer),
        function_(function),
        by_(std::move(by)),
        of_(std::move(of)),
        state_(std::move(state)) {
    state_.resize(function.params.size(), false);
  }
  JointWriter(const JointWriter&) = delete;
  JointWriter& operator=(const JointWriter&) = delete;

  /// `by` has a flag for each parameter, `of` one for each result; `state` tells of each parameter whether it
  /// is a Parameter's memory, which none is unless told.
  Joint write();

 private:
  void add_params();
  void add_gradients();
  void split(Joint& joint);
  ir::GraphValueRef kept(const ir::GraphValueRef& value, Joint& joint);
  ir::GraphValueRef handed_over(const ir::GraphValueRef& value, Joint& joint);
  ir::GraphValueRef again(const ir::Node& node, const ir::GraphValue& result, Joint& joint);
  bool is_late(const ir::GraphValue& value) const;
  void keep_sizes(const Arg& arg, Joint& joint);
  bool defined_again(Dim size, Joint& joint);

  GraphTracer& tracer_;
  const ir::Function& function_;
  std::vector<bool> by_;
  std::vector<bool> of_;
  std::vector<bool> state_;

  Scope* scope_ = nullptr;
  std::vector<ir::GraphValueRef> params_;  ///< of the forward, in the order of the function's
  std::vector<Item> args_;                 ///< what the function is run on
  std::vector<Value> inputs_;              ///< what it is differentiated by
  std::vector<Item> given_;                ///< its results, without tokens
  std::vector<ir::GraphValueRef> results_;
  std::vector<ir::GraphValueRef> seeds_;
  std::vector<ir::GraphValueRef> gradients_;
  std::vector<ir::Function::Update> updates_;
  ir::GraphValueRef token_;                             ///< after the forward
  std::unordered_map<const ValueImpl*, size_t> place_;  ///< of each node's results: early nodes first
  size_t early_ = 0;
  std::unordered_map<const ValueImpl*, ir::GraphValueRef> kept_;
  std::unordered_set<const ir::Node*> defined_;  ///< nodes that define sizes, made again
  ir::Function::Nodes::iterator front_;          ///< of the backward, where its own nodes begin
};

}  // namespace dyad::tracing
