#pragma once

#include "autograd/autograd_meta.h"
#include "bindings/python.h"

namespace dyad::python {

/// A recorded step whose backward is a Python callable.
class FunctionNode final : public autograd::Node {
 public:
  struct Options {
    bool materialize = true;    ///< zeros for outputs that no gradient arrives for; else None
    bool pass_outputs = false;  ///< the callable takes the tuple of outputs first
  };
  /// `edges` has one entry per input, empty for one without a gradient.
  FunctionNode(std::string name, std::vector<autograd::Edge> inputs, ValueList input_descriptions,
               ValueList outputs, PyObject* callable, Options options);
  ~FunctionNode() override;

  std::string_view name() const override { return name_; }
  void backward(std::span<Value> gradients, std::span<Value> inputs, bool recorded) override;
  std::vector<ResultSpec> output_specs() const override;
  Value nothing_at(uint32_t output) const override;
  void free_saved() override;

 private:
  Object arguments(std::span<Value> gradients, bool recorded) const;
  Value checked(PyObject* given, const Value& input, size_t position) const;

  std::string name_;
  std::vector<size_t> positions_;  ///< of the input that each edge belongs to
  ValueList inputs_;               ///< dtype and shape of each input
  ValueList outputs_;
  Options options_;
  Ref<RefCounted> callable_;
};

/// A Python callable as a hook on gradients.
Ref<autograd::Hook> python_hook(PyObject* callable);

/// For Python's collector of cycles: shows it the hooks that only this metadata owns, and lets go of
/// them.
int traverse_hooks(const autograd::AutogradMeta& meta, visitproc visit, void* arg);
void clear_hooks(autograd::AutogradMeta& meta);

}  // namespace dyad::python
