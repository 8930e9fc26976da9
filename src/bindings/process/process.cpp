#include "bindings/process/module.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>

#include "base/available_cpus.h"
#include "base/error.h"
#include "base/parallel.h"
#include "bindings/process/errors.h"
#include "bindings/process/last_thread.h"
#include "eager/dispatch.h"
#include "eager/placement.h"
#include "runtime/allocator.h"
#include "runtime/context.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/precision.h"
#include "runtime/device.h"
#include "tensor/host_route.h"

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

void warn_of_host_route(std::string_view message) {
  const PyGILState_STATE state = PyGILState_Ensure();
  const int failed = PyErr_WarnEx(PyExc_RuntimeWarning, std::string(message).c_str(), 1);
  PyGILState_Release(state);
  if (failed < 0) throw PythonError{};
}

/// The runtime of the chosen device; null on the CPU.
DeviceRuntime* chosen_runtime() { return find_device_runtime(Context::process().device().kind); }
int chosen_index() { return Context::process().device().index; }

template <class Statistics>
nb::dict entries_of(const Statistics& now) {
  nb::dict entry;
  entry["allocated"] = now.allocated;
  entry["max_allocated"] = now.max_allocated;
  entry["reserved"] = now.reserved;
  entry["max_reserved"] = now.max_reserved;
  return entry;
}

nb::dict memory_statistics() {
  DeviceRuntime* device = chosen_runtime();
  return device ? entries_of(device->statistics(chosen_index())) : entries_of(host_memory::statistics());
}

void reset_memory_peaks() {
  DeviceRuntime* device = chosen_runtime();
  device ? device->reset_peaks(chosen_index()) : host_memory::reset_peaks();
}

void empty_cache() {
  host_memory::empty_cache();
  if (DeviceRuntime* device = chosen_runtime()) device->empty_cache(chosen_index());
}

void synchronize() {
  DeviceRuntime* device = chosen_runtime();
  if (!device) return;
  const nb::gil_scoped_release meanwhile;
  device->synchronize(chosen_index());
}

/// Waits for the devices that the program has used; errors that their work met are raised here.
void finish_devices() {
  DeviceRuntime* device = find_device_runtime(DeviceKind::kCuda);
  if (!device || cuda::in_forked_child()) return;
  const nb::gil_scoped_release meanwhile;
  for (int index = 0; index < device->count(); ++index) {
    if (device->statistics(index).reserved > 0) device->synchronize(index);
  }
}

/// Lets the process end with status 1 where it would end with 0. Other handlers of its end still run.
void fail_at_exit() {
  on_exit(
      [](int status, void*) {
        if (status == 0) std::exit(1);
      },
      nullptr);
}

void set_memory_limit(int64_t bytes) {
  if (DeviceRuntime* device = chosen_runtime()) device->set_limit(chosen_index(), bytes);
}

std::string describe_device(std::string_view target, int index) {
  const Device device = Context::process().find_device("get_device_name", target, index);
  DeviceRuntime* runtime = find_device_runtime(device.kind);
  return runtime ? runtime->describe(index) : std::string(device_name(device.kind));
}

int device_count(std::string_view target) {
  DeviceRuntime* cuda =
      target == device_name(DeviceKind::kCuda) ? find_device_runtime(DeviceKind::kCuda) : nullptr;
  if (cuda) return cuda->count();
  return target == device_name(DeviceKind::kCpu) ? 1 : 0;
}

std::string missing_device() {
  DeviceRuntime* cuda = find_device_runtime(DeviceKind::kCuda);
  return cuda ? cuda->missing() : "this build knows no GPU";
}

}  // namespace

void watch_host() {
  eager::set_host_lock({release_lock, acquire_lock});
  set_host_route_notice(warn_of_host_route);
  set_interrupt_check(raise_if_interrupted);
  watch_end();
}

void add_process(nb::module_& module) {
  module.def("get_mode", [] { return static_cast<int>(Context::process().mode()); });
  module.def("set_mode", [](int mode) { Context::process().set_mode(static_cast<Mode>(mode)); });
  module.def("get_device_target", [] { return device_name(Context::process().device().kind); });
  module.def("set_device",
             [](std::string_view target, int index) { Context::process().set_device(target, index); });
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
  module.def("get_num_threads", [] {
    follow_cpus();
    return thread_count();
  });
  module.def("active_threads", [] {
    follow_cpus();
    return active_threads();
  });
  module.def("set_num_threads", set_thread_count);
  module.def("available_cpus", [] {
    follow_cpus();
    return AvailableCpus::mine().count();
  });
  module.def("memory_statistics", memory_statistics);
  module.def("reset_memory_peaks", reset_memory_peaks);
  module.def("empty_cache", empty_cache);
  module.def("synchronize", synchronize);
  module.def("set_memory_limit", set_memory_limit);
  module.def("describe_device", describe_device);
  module.def("device_count", device_count);
  module.def("missing_device", missing_device);
  module.def("add_library_folder", cuda::add_library_folder);
  module.def("announce_end_of_program", announce_end_of_program, nb::call_guard<nb::gil_scoped_release>());
  module.def("finish_devices", finish_devices);
  module.def("fail_at_exit", fail_at_exit);
  module.def("set_allow_tf32", [](bool products, bool convolutions) {
    cuda::set_allow_tf32({.products = products, .convolutions = convolutions});
  });
  module.def("set_launch_blocking", [](bool on) { eager::launch_blocking.store(on); });
}

}  // namespace dyad::python
