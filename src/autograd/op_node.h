#pragma once

#include "autograd/node.h"
#include "autograd/usage.h"
#include "base/error.h"
#include "ops/op.h"

namespace dyad::autograd {

/// The inputs of a call that gradients are wanted for.
struct Inputs {
  struct Slot {
    uint32_t argument;
    int32_t member;  ///< of a list argument; -1 for a tensor
  };
  std::vector<Slot> slots;
  std::vector<Edge> edges;  ///< one per slot
  ArgumentMask needed = 0;

  explicit Inputs(std::span<const Arg> args);
  bool empty() const { return slots.empty(); }
};

/// A step needs a tensor as it was, and an operation in place has overwritten it.
class Overwritten final : public Error {
 public:
  explicit Overwritten(std::string_view message) : Error(ErrorKind::kRuntime, message) {}
};

/// A recorded operator: what its gradient rule will read, kept as it was.
class OpNode final : public Node {
 public:
  OpNode(const Op& op, std::span<const Arg> args, std::span<const Value> results, Inputs inputs);
  ~OpNode() override;
  std::string_view name() const override { return op_.name; }
  void backward(std::span<Value> gradients, std::span<Value> inputs, bool recorded) override;
  void forward(Push& push) override;
  void free_saved() override;

 private:
  /// What saved values are while a rule runs: as they were saved, which serves where nothing is recorded;
  /// steps with the sources they had; constants.
  enum class Standing : uint8_t { kSaved, kSourced, kConstant };

  Arg kept(const Arg& arg, bool read);
  Value kept(const Value& value, bool read);
  Value current(const Value& saved, size_t& position, std::string_view what, size_t index) const;
  std::vector<Arg> current_args(Standing standing) const;
  ValueList current_results(Standing standing) const;
  void run_rule(std::span<Value> gradients, std::span<Value> inputs, Standing standing) const;
  void forget();

  const Op& op_;
  ArgumentMask needed_;
  std::vector<Inputs::Slot> slots_;
  std::vector<Arg> args_;
  ValueList results_;
  std::vector<uint32_t> versions_;  ///< of the tensors kept, arguments before results
  Ref<RefCounted> place_;           ///< of the program that is captured, if it is
};

}  // namespace dyad::autograd
