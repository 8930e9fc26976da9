#include "bindings/process.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "base/error.h"
#include "base/parallel.h"
#include "bindings/last_thread.h"
#include "eager/dispatch.h"
#include "runtime/allocator.h"
#include "runtime/context.h"

namespace nb = nanobind;

namespace dyad::python {

namespace {

/// Called during long work, with the global lock released or held.
void raise_if_interrupted() {
  if (!may_ask_for_lock()) return;
  const PyGILState_STATE state = PyGILState_Ensure();
  const bool stop = PyErr_CheckSignals() < 0;
  // The exception stays with this thread and is found again when the operator returns.
  PyGILState_Release(state);
  if (stop) raise(ErrorKind::kInterrupted, "interrupted");
}

nb::dict memory_statistics() {
  const host_memory::Statistics now = host_memory::statistics();
  nb::dict entry;
  entry["allocated"] = now.allocated;
  entry["max_allocated"] = now.max_allocated;
  entry["reserved"] = now.reserved;
  entry["max_reserved"] = now.max_reserved;
  return entry;
}

}  // namespace

void watch_host() {
  eager::set_host_lock({release_lock, acquire_lock});
  set_interrupt_check(raise_if_interrupted);
  watch_end();
}

void add_process(nb::module_& module) {
  module.def("get_mode", [] { return static_cast<int>(Context::process().mode()); });
  module.def("set_mode", [](int mode) { Context::process().set_mode(static_cast<Mode>(mode)); });
  module.def("get_device_target", [] { return device_name(Context::process().device().kind); });
  module.def("set_device_target", [](std::string_view target) { Context::process().set_device(target); });
  module.def("available_targets", [] { return Context::process().available_targets(); });
  module.def("get_deterministic", [] { return Context::process().deterministic(); });
  module.def("set_deterministic", [](bool on) { Context::process().set_deterministic(on); });
  module.def("set_seed", [](uint64_t seed) { Context::process().generator().set_seed(seed); });
  module.def("get_generator_state", [] {
    const Generator::State state = Context::process().generator().state();
    return nb::make_tuple(state.seed, state.position);
  });
  module.def("set_generator_state", [](uint64_t seed, uint64_t position) {
    Context::process().generator().set_state({seed, position});
  });
  module.def("reserve_generator", [](uint64_t count) {
    const Generator::State state = Context::process().generator().reserve(count);
    return nb::make_tuple(state.seed, state.position);
  });
  module.def("get_num_threads", thread_count);
  module.def("set_num_threads", set_thread_count);
  module.def("memory_statistics", memory_statistics);
  module.def("reset_memory_peaks", host_memory::reset_peaks);
  module.def("empty_cache", host_memory::empty_cache);
}

}  // namespace dyad::python
