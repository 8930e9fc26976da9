#include "bindings/process/module.h"

#include <nanobind/stl/string.h>

#include <array>
#include <string>
#include <string_view>

#include "base/text.h"
#include "bindings/process/last_thread.h"
#include "bindings/python.h"
#include "eager/placement.h"
#include "eager/profile.h"
#include "runtime/cuda/faults.h"

namespace nb = nanobind;

namespace dyad::python {

namespace {

/// Files below it are not the user's.
std::string package_folder;
/// Python's function that makes words of codes and a line: (what was called or None, lines).
PyObject* describe = nullptr;

constexpr size_t kMostFrames = 12;  ///< of the framework between the program and an operator

/// While it lives, this thread has the global lock; not where the interpreter is ending.
class HeldLock {
 public:
  HeldLock() : held_(PyGILState_Check() || may_ask_for_lock()) {
    if (held_) state_ = PyGILState_Ensure();
  }
  HeldLock(const HeldLock&) = delete;
  HeldLock& operator=(const HeldLock&) = delete;
  ~HeldLock() {
    if (held_) PyGILState_Release(state_);
  }
  bool held() const { return held_; }

 private:
  bool held_;
  PyGILState_STATE state_{};
};

cuda::LaunchPlace::Told told_of(PyObject* answer) {
  cuda::LaunchPlace::Told told;
  const char* called = nullptr;
  const char* lines = nullptr;
  if (answer && PyArg_ParseTuple(answer, "zs", &called, &lines))
    told = {called ? called : "", lines};
  else
    PyErr_Clear();  // the fault itself is told all the same
  return told;
}

/// A line of Python that runs operators one by one: codes of the framework's functions on the way to it, its
/// own, and the instruction.
class RunningPlace final : public cuda::LaunchPlace {
 public:
  RunningPlace() = default;
  RunningPlace(const RunningPlace&) = delete;
  RunningPlace& operator=(const RunningPlace&) = delete;
  ~RunningPlace() override {
    const HeldLock lock;
    if (!lock.held()) return;
    for (size_t i = 0; i < count_; ++i) Py_DECREF(codes_[i]);
  }

  /// True for the program's own frame, which is the last one.
  bool add(PyFrameObject* frame) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    const char* file = PyUnicode_AsUTF8(code->co_filename);
    if (!file) PyErr_Clear();
    const bool own = file && !std::string_view(file).starts_with(package_folder);
    if (count_ == kMostFrames) Py_DECREF(codes_[--count_]);  // the program's own is told in any case
    codes_[count_++] = code;
    instruction_ = PyFrame_GetLasti(frame);
    return own;
  }

  Told tell() const override {
    const HeldLock lock;
    if (!lock.held() || count_ == 0) return {};
    const Object codes = Object::take(PyTuple_New(static_cast<Py_ssize_t>(count_)));
    if (!codes) return told_of(nullptr);
    for (size_t i = 0; i < count_; ++i) {
      PyTuple_SET_ITEM(codes.get(), static_cast<Py_ssize_t>(i),
                       Py_NewRef(reinterpret_cast<PyObject*>(codes_[i])));
    }
    const int line = PyCode_Addr2Line(codes_[count_ - 1], instruction_);
    return told_of(
        Object::take(PyObject_CallFunction(describe, "Oii", codes.get(), line, instruction_)).get());
  }

 private:
  std::array<PyCodeObject*, kMostFrames> codes_{};
  size_t count_ = 0;
  int instruction_ = 0;
};

/// A line that is in a graph.
class GraphPlace final : public cuda::LaunchPlace {
 public:
  explicit GraphPlace(const ir::Location& place) : place_(place) {}
  Told tell() const override {
    const HeldLock lock;
    if (!lock.held()) return {};
    const Object answer =
        Object::take(PyObject_CallFunction(describe, "si", place_.file.c_str(), place_.line));
    Told told = told_of(answer.get());
    told.called = place_.called;
    return told;
  }

 private:
  ir::Location place_;
};

Ref<cuda::LaunchPlace> place_now() {
  // Where every operator waits, the traceback tells the line.
  if (eager::launches_block() || !describe) return {};
  if (const ir::Location* line = eager::line_of_graph()) return Ref<cuda::LaunchPlace>(new GraphPlace(*line));
  if (!PyGILState_Check()) return {};  // a thread of the library's own
  Ref<RunningPlace> place(new RunningPlace);
  Object frame = Object::share(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  while (frame) {
    auto* current = reinterpret_cast<PyFrameObject*>(frame.get());
    if (place->add(current)) break;
    frame = Object::take(reinterpret_cast<PyObject*>(PyFrame_GetBack(current)));
  }
  return place;
}

void tell_places_by(const std::string& folder, nb::callable words) {
  package_folder = folder;
  Py_XDECREF(std::exchange(describe, words.release().ptr()));
  cuda::set_launch_place_source(place_now);
}

}  // namespace

void add_launch_place(nb::module_& module) { module.def("tell_launch_places_by", tell_places_by); }

}  // namespace dyad::python
