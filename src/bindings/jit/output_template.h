#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "bindings/python.h"
#include "capture/guards/tree.h"
#include "types/arg.h"

namespace dyad::python {

/// How a Python object is made from what a program gave. Written in Python as nested tuples:
/// ("result", i), ("constant", object), ("fresh", tensor), ("source", node), ("list", [t…]), ("tuple", [t…]),
/// ("dict", [(key, t)…]), ("build", callable, [t…]), ("choice", i, [t…]) and ("shared", k, t).
class OutputTemplate {
 public:
  /// What one call gave: results of the program, objects that the guards found, and what was built once for
  /// all places.
  struct Outcome {
    std::span<const Arg> results;
    const guards::Found& found;
    std::span<const guards::Tree::Id> inputs;  ///< where the inputs of the program were found
    std::vector<Object> shared;
    /// The inputs that are tensors, once a result is looked for among many of them.
    std::unordered_map<const ValueImpl*, PyObject*> given = {};
  };
  /// What a template may refer to.
  struct Limits {
    size_t results;
    size_t nodes;
  };

  /// Reads the Python form; `shared_count` grows to the number of shared objects. What is not one is a
  /// TypeError, a number out of range an IndexError.
  OutputTemplate(PyObject* form, const Limits& limits, size_t& shared_count);

  Object build(Outcome& outcome) const;

  int traverse(visitproc visit, void* arg) const;

 private:
  enum class Kind : uint8_t {
    kResult,
    kConstant,
    kFresh,
    kSource,
    kList,
    kTuple,
    kDict,
    kBuild,
    kChoice,
    kShared
  };

  void read(std::string_view kind, PyObject* form, const Limits& limits, size_t& shared_count);
  void read_parts(PyObject* parts, const Limits& limits, size_t& shared_count);
  void read_entries(PyObject* entries, const Limits& limits, size_t& shared_count);
  Object build_dict(Outcome& outcome) const;
  Object call(Outcome& outcome) const;
  const OutputTemplate& chosen(const Outcome& outcome) const;

  Kind kind_ = Kind::kConstant;
  size_t index_ = 0;
  Object object_;             ///< constant, tensor or callable
  std::vector<Object> keys_;  ///< of a dict
  std::vector<OutputTemplate> parts_;
};

}  // namespace dyad::python
