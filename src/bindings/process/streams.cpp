#include "bindings/process/module.h"

#include "runtime/context.h"
#include "runtime/cuda/event.h"
#include "runtime/cuda/stream.h"
#include "runtime/device.h"

namespace nb = nanobind;

namespace dyad::python {

namespace {

/// A stream as Python holds it.
struct DeviceStream {
  Ref<cuda::Stream> stream;
};

int chosen_index() { return Context::process().device().index; }

DeviceStream open_stream(int priority) {
  streams_opened.store(true);
  return {cuda::Stream::open(chosen_index(), priority)};
}
DeviceStream default_stream() { return {cuda::Stream::of_device(chosen_index())}; }
DeviceStream current_stream() { return {cuda::current_stream_object(chosen_index())}; }

}  // namespace

void add_streams(nb::module_& module) {
  using Unlocked = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<DeviceStream>(module, "DeviceStream")
      .def_prop_ro("device", [](const DeviceStream& self) { return self.stream->device(); })
      .def_prop_ro("number", [](const DeviceStream& self) { return self.stream->number(); })
      .def_prop_ro("priority", [](const DeviceStream& self) { return self.stream->priority(); })
      .def("query", [](const DeviceStream& self) { return self.stream->is_done(); })
      .def("synchronize", [](const DeviceStream& self) { self.stream->synchronize(); }, Unlocked());
  nb::class_<cuda::Event>(module, "DeviceEvent")
      .def(
          "__init__",
          [](cuda::Event* self, const DeviceStream& of, bool timed, bool blocking) {
            new (self) cuda::Event(of.stream->device(), timed, blocking);
          },
          nb::arg("of"), nb::arg("timed"), nb::arg("blocking"))
      .def("record", [](cuda::Event& self, const DeviceStream& on) { self.record(*on.stream); })
      .def("hold_back",
           [](const cuda::Event& self, const DeviceStream& later) { self.hold_back(*later.stream); })
      .def("query", &cuda::Event::is_done)
      .def("synchronize", &cuda::Event::synchronize, Unlocked())
      .def("milliseconds_to", &cuda::Event::milliseconds_to);
  module.def("open_stream", open_stream);
  module.def("default_stream", default_stream);
  module.def("current_stream", current_stream);
  module.def("set_current_stream",
             [](const DeviceStream& chosen) { cuda::set_current_stream(chosen.stream); });
}

}  // namespace dyad::python
