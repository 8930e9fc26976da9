#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "base/error.h"
#include "bindings/data/callback.h"
#include "bindings/data/module.h"
#include "bindings/data/values.h"
#include "data/pipeline/stages.h"

namespace nb = nanobind;

namespace dyad::python {

namespace {

using Positions = std::vector<int64_t>;
using Names = std::optional<std::vector<std::string>>;
using Stages = std::vector<data::StageRef>;
using Transforms = std::vector<data::TransformRef>;

/// Rows from a Python iterator, one for each epoch. It is asked for a row when that is claimed.
class Iterated final : public data::Stage {
 public:
  Iterated(nb::callable start, nb::object explain) : start_(std::move(start), std::move(explain)) {}
  std::string_view name() const override { return "iterated"; }
  Draws draws() const override { return Draws::kOrder; }

  void begin(int64_t epoch) override {
    stream_ = epoch_random(epoch).key();
    next_ = 0;
    const Interpreter interpreter;
    start_.explained([&] {
      iterator_.set({});
      iterator_.set(check(PyObject_GetIter(start_.call().get())));
    });
    ended_ = false;
  }

  bool claim(data::Work& work) override {
    if (ended_) return false;
    const Timing timing(*this, 0);
    const Interpreter interpreter;
    ended_ = !start_.explained([&] { return take(work.row); });
    if (ended_) return false;
    work.stream = stream_;
    work.number = next_++;
    count(1);
    return true;
  }

  void finish(data::Work&) const override {}

 private:
  bool take(data::Row& row) {
    const Object values = Object::take(PyIter_Next(iterator_.get()));
    if (!values) {
      if (PyErr_Occurred()) throw PythonError{};
      iterator_.set({});
      return false;
    }
    row = owned_row_from(values.get());
    return true;
  }

  Callback start_;
  SharedObject iterator_;
  uint64_t stream_ = 0;
  int64_t next_ = 0;
  bool ended_ = true;
};

data::Padding padding_from(nb::handle entry) {
  data::Padding padding;
  if (entry.is_none()) return padding;
  padding.on = true;
  if (!entry[0].is_none()) padding.shape = nb::cast<Positions>(entry[0]);
  const nb::object value = entry[1];
  if (PyBytes_Check(value.ptr()))
    padding.text = {PyBytes_AS_STRING(value.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(value.ptr()))};
  else if (PyUnicode_Check(value.ptr()))
    padding.text = nb::cast<std::string>(value);
  else if (!value.is_none())
    padding.number = nb::cast<double>(nb::float_(value));
  return padding;
}

std::optional<std::vector<data::Padding>> paddings_from(const nb::object& pad) {
  if (pad.is_none()) return std::nullopt;
  std::vector<data::Padding> all;
  for (const nb::handle entry : pad) all.push_back(padding_from(entry));
  return all;
}

/// A list of a column's values as NumPy arrays.
data::Item list_of(data::Row&& values) {
  const Interpreter interpreter;
  try {
    const Object list = check(PyList_New(0));
    for (const data::Item& value : values) {
      if (PyList_Append(list.get(), object_of(value).get()) < 0) throw PythonError{};
    }
    return object_item(list.get());
  } catch (const PythonError&) {
    raise_explained(Py_None);
  }
}

void set_size(data::Batching& batching, const nb::object& size, const nb::object& explain) {
  if (!PyCallable_Check(size.ptr())) {
    batching.size = nb::cast<int64_t>(size);
    return;
  }
  auto callback = std::make_shared<const Callback>(size, explain);
  batching.size_function = [callback](int64_t epoch, int64_t batch) {
    const Interpreter interpreter;
    return callback->explained([&] {
      const Object first = check(PyLong_FromLongLong(epoch));
      const Object second = check(PyLong_FromLongLong(batch));
      const int64_t rows = PyLong_AsLongLong(callback->call(first.get(), second.get()).get());
      if (rows == -1 && PyErr_Occurred()) throw PythonError{};
      return rows;
    });
  };
}

data::StageRef batched(data::StageRef child, const nb::object& size, bool drop_remainder,
                       const nb::object& pad, std::shared_ptr<data::Transform> transform, Positions take,
                       std::optional<Positions> arrange, const Names& names, const nb::object& explain) {
  data::Batching batching;
  set_size(batching, size, explain);
  batching.drop_remainder = drop_remainder;
  batching.padding = paddings_from(pad);
  batching.transform = std::move(transform);
  batching.columns = {std::move(take), std::move(arrange)};
  batching.as_list = list_of;
  if (names) batching.names = *names;
  return data::batched(std::move(child), std::move(batching));
}

data::StageRef bucketed(data::StageRef child, Positions boundaries, Positions sizes,
                        std::shared_ptr<data::Transform> length, Positions take, const nb::object& pad,
                        bool drop_remainder, bool to_boundary, const Names& names) {
  data::Bucketing bucketing{std::move(boundaries), std::move(sizes), std::move(length), std::move(take),
                            paddings_from(pad),    drop_remainder,   to_boundary,       {}};
  if (names) bucketing.names = *names;
  return data::bucketed(std::move(child), std::move(bucketing));
}

data::StageRef mapped(data::StageRef child, const Transforms& transforms, Positions take,
                      std::optional<Positions> arrange) {
  return data::mapped(std::move(child), transforms, {std::move(take), std::move(arrange)});
}

void add_batching(nb::module_& module) {
  module.def("batched", batched, nb::arg("child"), nb::arg("size"), nb::arg("drop_remainder") = false,
             nb::arg("pad") = nb::none(), nb::arg("transform") = nb::none(), nb::arg("take") = Positions(),
             nb::arg("arrange") = nb::none(), nb::arg("names") = nb::none(), nb::arg("explain") = nb::none());
  module.def("bucketed", bucketed, nb::arg("child"), nb::arg("boundaries"), nb::arg("sizes"),
             nb::arg("length").none(), nb::arg("take"), nb::arg("pad") = nb::none(),
             nb::arg("drop_remainder") = false, nb::arg("to_boundary") = false,
             nb::arg("names") = nb::none());
}

}  // namespace

void add_data_stages(nb::module_& module) {
  nb::class_<data::Stage>(module, "Stage")
      .def_prop_ro("name", &data::Stage::name)
      .def_prop_ro("number", &data::Stage::number)
      .def_prop_ro("rows", &data::Stage::rows)
      .def_prop_ro("seconds", &data::Stage::seconds);
  module.def(
      "sampled",
      [](std::shared_ptr<data::Source> source, std::shared_ptr<data::Order> order) {
        return data::sampled(std::move(source), std::move(order));
      },
      nb::arg("source"), nb::arg("order"));
  module.def(
      "iterated",
      [](nb::callable start, nb::object explain) -> data::StageRef {
        return std::make_shared<Iterated>(std::move(start), std::move(explain));
      },
      nb::arg("start"), nb::arg("explain") = nb::none());
  module.def("mapped", mapped, nb::arg("child"), nb::arg("transforms"), nb::arg("take"),
             nb::arg("arrange") = nb::none());
  add_batching(module);
  module.def("shuffled", data::shuffled, nb::arg("child"), nb::arg("buffer"));
  module.def("repeated", data::repeated, nb::arg("child"), nb::arg("count"));
  module.def("taken", data::taken, nb::arg("child"), nb::arg("count"));
  module.def("skipped", data::skipped, nb::arg("child"), nb::arg("count"));
  module.def("zipped", data::zipped, nb::arg("children"));
  module.def("concatenated", data::concatenated, nb::arg("children"));
  module.def("projected", data::projected, nb::arg("child"), nb::arg("positions"));
  module.def(
      "filtered",
      [](data::StageRef child, std::shared_ptr<data::Transform> predicate, Positions take) {
        return data::filtered(std::move(child), std::move(predicate), std::move(take));
      },
      nb::arg("child"), nb::arg("predicate"), nb::arg("take"));
}

}  // namespace dyad::python
