#include "bindings/progress.h"

#include "base/progress.h"
#include "bindings/last_thread.h"

namespace nb = nanobind;

namespace dyad::python {

namespace {

/// The Python object that is told of compilations; it lives as long as the process.
PyObject* observer = nullptr;

/// Calls a method of the observer, with the global lock released or held. An exception that is under way
/// stays; one that the observer raises is printed.
template <class... Arguments>
void tell(const char* method, const char* format, Arguments... arguments) {
  if (!may_ask_for_lock()) return;
  const PyGILState_STATE state = PyGILState_Ensure();
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyObject* result = PyObject_CallMethod(observer, method, format, arguments...);
  if (!result) PyErr_WriteUnraisable(observer);
  Py_XDECREF(result);
  PyErr_Restore(type, value, traceback);
  PyGILState_Release(state);
}

constexpr ProgressNotice kNotice{
    [](const std::string& name, const std::string& purpose) {
      tell("begin", "ss", name.c_str(), purpose.c_str());
    },
    [](const char* stage) { tell("look", "s", stage); },
    [] { tell("end", nullptr); },
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
      nb::arg("observer"), "Has an object told of compilations: begin(name, purpose), look(stage), end().");
}

}  // namespace dyad::python
