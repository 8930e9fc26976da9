#pragma once

#include <nanobind/nanobind.h>

#include <span>
#include <vector>

#include "bindings/jit/output_template.h"
#include "bindings/python.h"
#include "capture/guards/tree.h"

namespace dyad::python {

/// One compiled form of a function: for which calls it stands, what to run, and what to make of the results.
class CompiledEntry {
 public:
  /// `tree` is a GuardTree, closed from now on; `program` a Program, or None where there is nothing to run.
  /// `failure` is None, or called with the exception and the objects that were found when running raised.
  CompiledEntry(size_t positional, PyObject* keywords, PyObject* tree, PyObject* program, PyObject* output,
                PyObject* effects, PyObject* failure);

  /// Whether a call has this number of arguments by position and these keywords, in this order.
  bool takes(size_t positional, PyObject* keywords) const;
  const guards::Tree& tree() const { return *tree_; }
  /// The inputs of the program among what the tree found. False for a number beyond 64 bits.
  bool take_inputs(const guards::Found& found, std::vector<Arg>& inputs) const;
  /// Runs the program, then the effects, and makes the object to return.
  Object run(const guards::Found& found, std::span<const Arg> inputs) const;

  size_t positional() const { return positional_; }
  PyObject* keywords() const { return keywords_.get(); }
  PyObject* tree_object() const { return tree_object_.get(); }
  PyObject* program() const { return program_.get(); }

  int traverse(visitproc visit, void* arg) const;

 private:
  void run_watched(const guards::Found& found, std::span<const Arg> inputs, std::vector<Arg>& results) const;

  size_t positional_;
  Object keywords_;
  Object tree_object_;
  guards::Tree* tree_;
  Object program_;
  Object failure_;
  size_t result_count_ = 0;
  size_t shared_count_ = 0;
  std::vector<OutputTemplate> templates_;  ///< the effects, then the output
};

/// The entry in a Python object; null for another object.
CompiledEntry* entry_of(PyObject* object);

}  // namespace dyad::python
