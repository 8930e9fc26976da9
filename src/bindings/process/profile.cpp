#include "bindings/process/module.h"

#include <nanobind/stl/string.h>

#include "bindings/python.h"
#include "eager/profile.h"

namespace nb = nanobind;

namespace dyad::python {

namespace {

/// Files below it are not the user's.
std::string package_folder;

std::string file_of(PyCodeObject* code) {
  const char* file = PyUnicode_AsUTF8(code->co_filename);
  if (file) return file;
  PyErr_Clear();
  return {};
}

/// The innermost line of Python that is not the library's.
ir::Location line_of_program() {
  ir::Location place;
  if (!PyGILState_Check()) return place;  // a thread of the library's own
  Object frame = Object::share(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  while (frame) {
    auto* current = reinterpret_cast<PyFrameObject*>(frame.get());
    const Object code = Object::take(reinterpret_cast<PyObject*>(PyFrame_GetCode(current)));
    std::string file = file_of(reinterpret_cast<PyCodeObject*>(code.get()));
    if (!file.starts_with(package_folder)) {
      place.file = std::move(file);
      place.line = PyFrame_GetLineNumber(current);
      return place;
    }
    frame = Object::take(reinterpret_cast<PyObject*>(PyFrame_GetBack(current)));
  }
  return place;
}

void start(const std::string& folder) {
  package_folder = folder;
  eager::set_host_location(line_of_program);
  eager::start_profile();
}

nb::list stop() {
  nb::list runs;
  for (const eager::KernelRun& run : eager::stop_profile()) {
    runs.append(nb::make_tuple(run.name, run.operators, run.operands, run.file, run.line, run.start, run.end,
                               run.thread, run.flop, run.bytes));
  }
  return runs;
}

}  // namespace

void add_profile(nb::module_& module) {
  module.def("start_profile", start);
  module.def("stop_profile", stop);
}

}  // namespace dyad::python
