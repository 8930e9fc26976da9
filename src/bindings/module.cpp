#include <nanobind/nanobind.h>

#include "bindings/data/module.h"
#include "bindings/jit/module.h"
#include "bindings/op/module.h"
#include "bindings/process/errors.h"
#include "bindings/process/module.h"
#include "bindings/tensor/module.h"
#include "dyad/version.h"
#include "eager/dispatch.h"

NB_MODULE(_core, module) {
  namespace api = dyad::api;
  namespace eager = dyad::eager;
  namespace python = dyad::python;
  nanobind::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const nanobind::python_error&) {
      throw;
    } catch (...) {
      python::set_error();
    }
  });
  // Tensor's attributes live as long as the process; that is no leak.
  nanobind::set_leak_warnings(false);
  module.attr("__version__") = api::version();
  eager::initialise();
  python::watch_host();
  python::add_error_classes(module.ptr());
  python::add_dtypes(module.ptr());
  python::add_tensor_type(module.ptr());
  python::add_data_functions(module.ptr());
  python::add_op_function_type(module.ptr());
  python::add_op_table(module);
  python::add_op_rules(module);
  python::add_process(module);
  python::add_launch_place(module);
  python::add_streams(module);
  python::add_profile(module);
  python::add_tape(module);
  python::add_program(module);
  python::add_progress(module);
  python::add_guard_tree(module);
  python::add_compiled_entry(module);
  python::add_compiled_function(module.ptr());
  python::add_graph(module);
  python::add_parsed_graph(module);
  nanobind::module_ data = module.def_submodule("data");
  python::add_data_transforms(data);
  python::add_data_pipeline(data);
}
