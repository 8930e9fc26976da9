#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "capture/guards/check.h"
#include "capture/guards/lookup.h"

namespace dyad::guards {

/// The objects that a tree found in one call, by number; it owns them.
class Found {
 public:
  explicit Found(size_t count);
  Found(const Found&) = delete;
  Found& operator=(const Found&) = delete;
  ~Found();

  PyObject** data() { return objects_; }
  PyObject* const* data() const { return objects_; }
  PyObject* operator[](size_t id) const { return objects_[id]; }
  /// Lets go of all objects.
  void clear();

 private:
  static constexpr size_t kInside = 48;
  size_t count_;
  PyObject** objects_;
  std::unique_ptr<PyObject*[]> heap_storage_;
  PyObject* inline_storage_[kInside];
};

/// Everything that a captured program read, as a tree of look-ups from the arguments and from fixed objects,
/// and what must hold of the objects found. Asking it runs no code of the user's, except that of
/// `check_call`.
///
/// Look-ups are numbered; asking for one a second time gives the same number, and a demand that is made again
/// is left out. Steps are carried out in the order in which they were added, and the first that fails ends
/// the check. A tree that belongs to an entry is closed and never changes.
class Tree {
 public:
  using Id = uint32_t;

  Tree();
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  Id argument(Py_ssize_t index, std::string name);
  /// A fixed object. If `weak`, it is not kept alive where its type allows that, and the check fails once it
  /// is gone.
  Id object(PyObject* object, bool weak, std::string name);
  Id attribute(Id parent, PyObject* name);
  Id class_attribute(Id parent, PyObject* name);
  Id item(Id parent, PyObject* key);
  Id element(Id parent, Py_ssize_t index);
  Id cell_contents(Id parent);

  void missing_attribute(Id parent, PyObject* name);
  void missing_class_attribute(Id parent, PyObject* name);
  void missing_item(Id parent, PyObject* key);
  void check_type(Id id, PyTypeObject* type);
  /// Demands this very object. It is kept alive only if its type knows no weak references or `weak` is false.
  void check_identity(Id id, PyObject* object, bool weak);
  void check(Id id, CheckPointer check);
  void check_alias(Id a, Id b);
  void check_same_size(Id a, size_t axis, Id b, size_t other_axis);
  void check_disjoint_memory(std::vector<Id> ids);
  /// Demands that no two of the objects are the same one.
  void check_distinct_objects(std::vector<Id> ids);
  void check_state(const State& state, int64_t value);
  void input(Id id);
  /// Puts the inputs into another order: the one with the number order[i] comes i-th.
  void arrange_inputs(const std::vector<size_t>& order);

  void close() { closed_ = true; }
  /// Number of objects that are looked up, which is what `Found` is made for.
  size_t size() const { return nodes_.size(); }
  size_t check_count() const;
  const std::vector<Id>& inputs() const { return inputs_; }
  /// Whether none of the objects that it knows weakly has died; else no call will ever fit again.
  bool alive() const;

  bool matches(std::span<PyObject* const> arguments, Found& found) const {
    return first_failure(arguments, found, true) == steps_.size();
  }
  /// Only looks up. False if something is not there.
  bool locate(std::span<PyObject* const> arguments, Found& found) const {
    return first_failure(arguments, found, false) == steps_.size();
  }

  /// A guard: what is demanded of what, in words for people.
  struct Demand {
    GuardKind kind;
    std::string subject, expected;
  };
  /// A guard that does not hold. `of_argument` means that its subject is an argument or a member of one.
  struct Failure : Demand {
    std::string actual;
    Difference difference;
    bool of_argument;
  };
  std::optional<Failure> failure(std::span<PyObject* const> arguments) const;
  /// What people call the object that a look-up finds: "argument x.weights[0]".
  std::string path(Id id) const;
  std::vector<Demand> demands() const;
  /// One line for each thing that is demanded.
  std::vector<std::string> describe() const;

  int traverse(visitproc visit, void* arg) const;
  /// Lets go of all objects; the tree then holds for no call.
  void clear();

 private:
  enum class Kind : uint8_t {
    // Look-ups.
    kArgument,
    kObject,
    kWeakObject,
    kAttribute,
    kClassAttribute,
    kItem,
    kItemByIdentity,
    kElement,
    kCellContents,
    // Demands.
    kMissingAttribute,
    kMissingClassAttribute,
    kMissingItem,
    kMissingItemByIdentity,
    kType,
    kSame,
    kSameWeak,
    kCheck,
    kNever,
  };
  static constexpr Id kNoObject = ~Id{0};
  struct alignas(64) Step {  // what every call reads lies in one line of the cache
    Kind kind = Kind::kNever;
    Id subject = kNoObject;            ///< the object that it looks in, or that something is demanded of
    Id result = kNoObject;             ///< the number of what a look-up finds
    nanobind::object key{};            ///< name, key, type, object, weak reference; the constant of a check
    mutable CachedAttribute cached{};  ///< of a look-up in a dict
    CheckPointer check{};
    Py_ssize_t index = 0;
    std::string name{};  ///< for people, if one was given
  };

  static bool is_look_up(const Step& step) { return step.kind <= Kind::kCellContents; }
  void require_open() const;
  void require(Id id) const;
  /// The look-up of this kind, parent and key: the one there is, or a new one.
  Id look_up(Step step, PyObject* identity);
  void demand(Step step);
  size_t first_failure(std::span<PyObject* const> arguments, Found& found, bool with_checks) const;
  static PyObject* find(const Step& step, PyObject* parent, std::span<PyObject* const> arguments);
  static bool matches(const Step& step, PyObject* subject, PyObject* const* found);

  std::string class_path(Id id) const;
  std::string paths(const std::vector<Id>& ids) const;
  static GuardKind kind_of(const Step& step);
  /// Whether the object is found from an argument through items only.
  bool is_of_argument(Id id) const;
  /// Whether all that a guard is about is.
  bool is_of_argument(const Step& step) const;
  Difference difference(const Step& step, const Found& found) const;
  std::string expected(const Step& step) const;
  std::string actual(const Step& step, const Found& found, size_t argument_count) const;

  std::vector<Step> steps_;
  std::vector<uint32_t> nodes_;  ///< the step of each look-up
  std::vector<Id> inputs_;
  nanobind::dict known_;  ///< (kind, parent, key) to the number of the look-up, or to None for a demand
  bool closed_ = false;
};

}  // namespace dyad::guards
