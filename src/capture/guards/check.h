#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "capture/guards/state.h"
#include "types/dtype.h"

namespace dyad::guards {

/// What a guard demands.
enum class GuardKind : uint8_t {
  kPresence,
  kAbsence,
  kType,
  kIdentity,
  kValue,
  kLength,
  kKeys,
  kTensor,
  kSize,
  kArray,
  kMemory,
  kObjects,
  kState,
  kCall,
};

/// What of an object differs from what a guard demands, where that is known.
enum class Difference : uint8_t { kUnknown, kShape, kForm, kNumber, kGone };

/// Something that must hold of an object for a compiled program to fit.
class Check {
 public:
  virtual ~Check() = default;
  /// `subject` is the object asked about, `found` all objects of the tree by number.
  virtual bool matches(PyObject* subject, PyObject* const* found) const = 0;
  virtual GuardKind kind() const = 0;
  virtual Difference difference(PyObject*, PyObject* const*) const { return Difference::kUnknown; }
  /// The objects that it compares with each other, where it has no subject.
  virtual std::span<const uint32_t> objects() const { return {}; }
  /// What is demanded, and what is there instead.
  virtual std::string expected() const = 0;
  virtual std::string actual(PyObject* subject, PyObject* const* found) const;
  virtual int traverse(visitproc, void*) const { return 0; }
  /// An immutable object for which it holds, borrowed; null if there is none.
  virtual PyObject* constant() const { return nullptr; }
};
using CheckPointer = std::unique_ptr<const Check>;

/// The form of a tensor: element type, shape with holes for symbolic dimensions, whether it must (not) be
/// contiguous, and the exact Python type if one is given.
struct TensorDemand {
  DType dtype{};
  std::vector<std::optional<int64_t>> shape{};
  std::optional<bool> contiguous{};
  PyTypeObject* type = nullptr;
};

/// The sizes that an open axis may have: `remainder` more than a multiple of `divisor`, within limits.
struct SizeDemand {
  int64_t low = 0;
  std::optional<int64_t> high{};
  int64_t divisor = 1;
  int64_t remainder = 0;
};

CheckPointer check_equal(PyObject* value);
CheckPointer check_length(Py_ssize_t length);
CheckPointer check_keys(PyObject* keys);
CheckPointer check_tensor(TensorDemand demand);
CheckPointer check_size(size_t axis, SizeDemand demand);
/// Demands the size that the object with number `other` has at `other_axis`.
CheckPointer check_same_size(size_t axis, uint32_t other, size_t other_axis, std::string path);
CheckPointer check_array(PyObject* array);
CheckPointer check_alias(uint32_t other, std::string path);
CheckPointer check_disjoint_memory(std::vector<uint32_t> ids);
CheckPointer check_distinct_objects(std::vector<uint32_t> ids);
CheckPointer check_state(const State& state, int64_t value);
CheckPointer check_call(PyObject* callable, PyObject* expected);

/// The value of a state as text.
std::string show_state(const State& state, int64_t value);

}  // namespace dyad::guards
