#pragma once

#include <unordered_map>
#include <unordered_set>

#include "ops/op.h"
#include "transforms/items.h"

namespace dyad::transforms {

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
  /// Per parameter: the gradient needs what the function finds or leaves in its memory.
  std::vector<bool> kept;
  /// The gradient needs what the function has written, and would overwrite if it ran again.
  bool overwrites_kept = false;

  /// How many residuals are further results of the forward.
  size_t further() const;
  /// Takes the further results, those from `first` on, away from the forward.
  std::vector<ir::GraphValueRef> take_further(size_t first) const;
  /// The residuals among what the forward takes and the further results that it gives.
  template <class T>
  std::vector<T> residuals_among(std::span<const T> params, std::span<const T> given) const {
    std::vector<T> found;
    auto next = given.begin();
    for (const int param : residuals)
      found.push_back(param >= 0 ? params[static_cast<size_t>(param)] : *next++);
    return found;
  }
};

/// Writes a function and its gradient down as one, with a tape of its own, and splits that in two.
///
/// What the gradient uses of the function's values is handed over; constants and views are made again.
class JointWriter {
 public:
  /// `by` has a flag for each parameter, `of` one for each result; `state` tells of each parameter whether it
  /// is a Parameter's memory, which none is unless told.
  JointWriter(GraphTracer& tracer, const ir::Function& function, std::vector<bool> by, std::vector<bool> of,
              std::vector<bool> state = {});
  JointWriter(const JointWriter&) = delete;
  JointWriter& operator=(const JointWriter&) = delete;
  Joint write();

 private:
  // The joint function: parameters, the function's own nodes, the gradient's.
  void add_params();
  void run_function();
  void note_kept_memories();
  void add_gradients(uint64_t mark);
  void note_early(const ir::Node* last);
  // The split.
  void split();
  void finish_forward();
  ir::GraphValueRef token_param(const ir::GraphValueRef& captured);
  void fill_backward();
  void finish_backward(bool acts);
  // What the backward uses of the forward.
  bool is_late(const ir::GraphValue& value) const;
  ir::GraphValueRef kept(const ir::GraphValueRef& value);
  ir::GraphValueRef handed_over(const ir::GraphValueRef& value);
  ir::GraphValueRef again(const ir::Node& node, const ir::GraphValue& result);
  Arg kept_arg(const Arg& arg);
  void keep_sizes(const Arg& arg);
  void keep_size(Dim size);
  bool is_known(Dim size) const;
  bool defined_again(Dim size);
  bool hand_over_one_with(Dim size);

  GraphTracer& tracer_;
  const ir::Function& function_;
  std::vector<bool> by_;
  std::vector<bool> of_;
  std::vector<bool> state_;

  Joint joint_;
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
  std::unordered_set<const ValueImpl*> early_results_;  ///< of the forward's nodes
  size_t early_ = 0;                                    ///< how many nodes are the forward's
  std::unordered_map<const ValueImpl*, ir::GraphValueRef> kept_;
  std::unordered_set<const ir::Node*> defined_;  ///< nodes that define sizes, made again
  ir::Function::Nodes::iterator front_;          ///< of the backward, where its own nodes begin
};

}  // namespace dyad::transforms
