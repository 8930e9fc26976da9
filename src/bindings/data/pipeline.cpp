#include "bindings/data/module.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <unistd.h>

#include <set>
#include <thread>

#include "base/error.h"
#include "bindings/data/device_feed.h"
#include "bindings/data/values.h"
#include "bindings/process/last_thread.h"
#include "data/pipeline/pipeline.h"
#include "runtime/context.h"

namespace nb = nanobind;

namespace dyad::python {

namespace {

/// While it lives, Python's other threads may run, and this one may wait for them.
class ReleasedLock {
 public:
  ReleasedLock() : state_(release_lock()) {}
  ReleasedLock(const ReleasedLock&) = delete;
  ReleasedLock& operator=(const ReleasedLock&) = delete;
  ~ReleasedLock() { acquire_lock(state_); }

 private:
  void* state_;
};

/// A pipeline as Python holds it. All of them are closed before the interpreter ends: their threads call
/// Python.
class PythonPipeline {
 public:
  PythonPipeline(data::StageRef root, uint64_t seed, int workers, int prefetch, int64_t epochs,
                 bool seed_is_set) {
    if (ending) runtime_error("dataset: the interpreter is ending; no iterator can be made any more");
    {
      const ReleasedLock others;
      pipeline_ =
          std::make_unique<data::Pipeline>(std::move(root), seed, workers, prefetch, epochs, seed_is_set);
    }
    all().insert(this);
  }
  PythonPipeline(const PythonPipeline&) = delete;
  PythonPipeline& operator=(const PythonPipeline&) = delete;
  ~PythonPipeline() {
    all().erase(this);
    const ReleasedLock others;
    pipeline_.reset();
  }

  nb::object next(bool as_tensors) {
    if (as_tensors && Context::process().device().kind == DeviceKind::kCuda) return next_on_device();
    data::Row row;
    if (feed_ && feed_->has_row()) return list_of(feed_->take(), as_tensors);
    auto step = data::Pipeline::Step::kRow;
    if (!pipeline_->next_if_there(row)) step = wait_for_next(row);
    if (step == data::Pipeline::Step::kEpochEnd) return nb::none();
    if (step == data::Pipeline::Step::kRow) return list_of(row, as_tensors);
    PyErr_SetNone(PyExc_StopIteration);
    throw nb::python_error();
  }

  void close() {
    feed_.reset();
    const ReleasedLock others;
    pipeline_->close();
  }

  data::Pipeline::Statistics statistics() const { return pipeline_->statistics(); }

  static void close_all() {
    ending = true;
    last_thread = std::this_thread::get_id();
    std::vector<nb::object> open;
    for (PythonPipeline* pipeline : all()) open.push_back(nb::find(pipeline));
    for (const nb::object& pipeline : open) {
      if (pipeline.is_valid()) nb::cast<PythonPipeline&>(pipeline).close();
    }
  }

 private:
  /// Rows for a GPU: while the program computes with one, the next one is on its way, if it is made.
  nb::object next_on_device() {
    const int device = Context::process().device().index;
    data::Row row;
    if (feed_ && feed_->has_row()) {
      row = feed_->take();
    } else if (!pipeline_->next_if_there(row)) {
      const auto step = wait_for_next(row);
      if (step == data::Pipeline::Step::kEpochEnd) return nb::none();
      if (step == data::Pipeline::Step::kEnd) {
        PyErr_SetNone(PyExc_StopIteration);
        throw nb::python_error();
      }
    }
    nb::object given = list_of(row, true);
    if (!feed_ || feed_->device() != device) feed_ = std::make_unique<DeviceFeed>(device);
    if (data::Row next; !feed_->has_row() && pipeline_->next_if_ready(next)) feed_->send(std::move(next));
    return given;
  }

  data::Pipeline::Step wait_for_next(data::Row& row) {
    try {
      const ReleasedLock others;
      return pipeline_->next(row);
    } catch (...) {
      if (ending && last_thread != std::this_thread::get_id()) stay();
      throw;
    }
  }

  /// A daemon thread, whose pipeline was closed because the program ends, waits for that.
  [[noreturn]] static void stay() {
    PyEval_SaveThread();
    for (;;) pause();
  }

  static std::set<PythonPipeline*>& all() {
    static auto* const pipelines = new std::set<PythonPipeline*>;
    return *pipelines;
  }

  static nb::object list_of(const data::Row& row, bool as_tensors) {
    nb::list list;
    for (const data::Item& item : row)
      list.append(nb::steal((as_tensors ? tensor_object_of(item) : object_of(item)).release()));
    return list;
  }

  static bool ending;
  static std::thread::id last_thread;
  std::unique_ptr<data::Pipeline> pipeline_;
  std::unique_ptr<DeviceFeed> feed_;  ///< under the interpreter's lock
};

bool PythonPipeline::ending = false;
std::thread::id PythonPipeline::last_thread;

nb::dict stage_dict(const data::Pipeline::StageStatistics& stage) {
  nb::dict entry;
  entry["name"] = stage.name;
  entry["number"] = stage.number;
  entry["children"] = stage.children;
  entry["rows"] = stage.rows;
  entry["seconds"] = stage.seconds;
  return entry;
}

nb::dict statistics_dict(const PythonPipeline& pipeline) {
  const data::Pipeline::Statistics all = pipeline.statistics();
  nb::list stages;
  for (const auto& stage : all.stages) stages.append(stage_dict(stage));
  nb::dict entry;
  entry["stages"] = stages;
  entry["workers"] = all.workers;
  entry["rows"] = all.rows;
  entry["waited"] = all.ring.waited;
  entry["fill"] = all.ring.filled;
  entry["slots"] = all.ring.slots;
  return entry;
}

}  // namespace

void add_data_pipeline(nb::module_& module) {
  add_data_orders(module);
  add_data_stages(module);
  nb::class_<PythonPipeline>(module, "Pipeline", nb::is_weak_referenceable())
      .def(nb::init<data::StageRef, uint64_t, int, int, int64_t, bool>(), nb::arg("root"), nb::arg("seed"),
           nb::arg("workers"), nb::arg("prefetch"), nb::arg("epochs"), nb::arg("seed_is_set") = false)
      .def("next", &PythonPipeline::next, nb::arg("as_tensors"))
      .def("close", &PythonPipeline::close)
      .def("statistics", statistics_dict);
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(PythonPipeline::close_all));
}

}  // namespace dyad::python
