#include "bindings/jit/module.h"

#include "base/error.h"
#include "base/progress.h"
#include "bindings/process/errors.h"
#include "bindings/process/last_thread.h"

namespace nb = nanobind;

namespace dyad::python {

namespace {

/// The Python object that is told of compilations; it lives as long as the process.
PyObject* observer = nullptr;

/// Calls a method of the observer, with the global lock released or held. An exception that is under way
/// stays. Returns whether the method raised another, which is then pending if `may_raise`.
template <class... Arguments>
bool tell(bool may_raise, const char* method, const char* format, Arguments... arguments) {
  if (!may_ask_for_lock()) return false;
  const PyGILState_STATE state = PyGILState_Ensure();
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  may_raise = may_raise && !type;
  PyObject* result = PyObject_CallMethod(observer, method, format, arguments...);
  if (!result && !may_raise) raise_later();
  if (!may_raise) PyErr_Restore(type, value, traceback);
  Py_XDECREF(result);
  PyGILState_Release(state);
  return !result && may_raise;
}

constexpr ProgressNotice kNotice{
    [](const std::string& name, const std::string& purpose) {
      tell(false, "begin", "ss", name.c_str(), purpose.c_str());
    },
    [](const char* stage) {
      if (tell(true, "look", "s", stage)) raise(ErrorKind::kInterrupted, "interrupted");
    },
    [] { tell(false, "end", nullptr); },
};

}  // namespace

void add_progress(nb::module_& module) {
  module.def(
      "observe_compilations",
      [](nb::object given) {
        nb::object before = nb::steal(observer);
        observer = given.release().ptr();
        set_progress_notice(&kNotice);
      },
      nb::arg("observer"),
      "Has an object told of compilations: begin(name, purpose), look(stage), end(). What a signal handler "
      "raises "
      "in `look` ends the compilation; what it raises in the others is raised when they have returned.");
}

}  // namespace dyad::python
