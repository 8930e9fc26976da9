#include <optional>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/error.h"
#include "bindings/data/callback.h"
#include "bindings/data/module.h"
#include "bindings/data/values.h"
#include "data/pipeline/order.h"
#include "data/pipeline/stages.h"
#include "data/rows/source.h"

namespace nb = nanobind;

namespace dyad::python {

namespace {

using Indices = std::vector<int64_t>;

/// Rows by number from a Python function. A second one, if there is one, gives the columns of several rows,
/// stacked, or None where that cannot be.
class PythonSource final : public data::Source {
 public:
  PythonSource(nb::callable read, int64_t size, const nb::object& explain, const nb::object& stacked)
      : read_(std::move(read), explain), size_(size) {
    if (!stacked.is_none()) stacked_.emplace(stacked, explain);
  }
  int64_t size() const override { return size_; }
  data::Row read(int64_t index) const override {
    const Interpreter interpreter;
    return read_.explained([&] {
      const Object number = check(PyLong_FromLongLong(index));
      return owned_row_from(read_.call(number.get()).get());
    });
  }
  bool read_stacked(const Indices& indices, data::Row& columns) const override {
    if (!stacked_) return false;
    const Interpreter interpreter;
    return stacked_->explained([&] {
      const nb::object numbers = nb::cast(indices);
      const Object made = stacked_->call(numbers.ptr());
      if (made.get() == Py_None) return false;
      columns = owned_row_from(made.get());
      return true;
    });
  }

 private:
  Callback read_;
  std::optional<Callback> stacked_;
  int64_t size_;
};

/// The integers of an array or a sequence.
Indices integers_from(PyObject* values) {
  Indices list;
  if (nb::try_cast(nb::borrow(values), list)) return list;
  const data::Item item = item_from(values);
  if (!item.is_tensor() || !is_int(item.tensor("sampler")->dtype))
    type_error("sampler: got ", item, "; it must give integers, the numbers of rows");
  const Tensor numbers = data::contiguous(item.tensor("sampler"));
  const char* at = numbers->as<const char>();
  for (int64_t i = 0; i < numbers->size(); ++i)
    list.push_back(load(numbers->dtype, at + i * itemsize(numbers->dtype)).to_int());
  return list;
}

std::shared_ptr<data::Order> order(const data::OrderRef& made) {
  return std::const_pointer_cast<data::Order>(made);
}

std::shared_ptr<data::Source> source(const data::SourceRef& made) {
  return std::const_pointer_cast<data::Source>(made);
}

std::shared_ptr<data::Order> python_order(nb::callable function, nb::object explain) {
  auto callback = std::make_shared<const Callback>(std::move(function), std::move(explain));
  return order(data::function_order([callback](int64_t epoch) {
    const Interpreter interpreter;
    return callback->explained([&] {
      const Object number = check(PyLong_FromLongLong(epoch));
      return integers_from(callback->call(number.get()).get());
    });
  }));
}

void add_drawing_orders(nb::module_& module) {
  module.def(
      "weighted_order",
      [](std::vector<double> weights, int64_t count, bool replacement) {
        return order(data::weighted_order(std::move(weights), count, replacement));
      },
      nb::arg("weights"), nb::arg("count"), nb::arg("replacement"));
  module.def(
      "classes_order",
      [](nb::object classes, int64_t per_class, int64_t count, bool shuffle) {
        return order(data::classes_order(integers_from(classes.ptr()), per_class, count, shuffle));
      },
      nb::arg("classes"), nb::arg("per_class"), nb::arg("count"), nb::arg("shuffle"));
  module.def(
      "distributed_order",
      [](int64_t shards, int64_t shard, bool shuffle, int64_t count, int64_t offset, bool even,
         uint64_t seed) {
        return order(data::distributed_order({shards, shard, shuffle, count, offset, even, seed}));
      },
      nb::arg("shards"), nb::arg("shard"), nb::arg("shuffle"), nb::arg("count"), nb::arg("offset"),
      nb::arg("even"), nb::arg("seed") = 0);
}

}  // namespace

void add_data_orders(nb::module_& module) {
  nb::class_<data::Order>(module, "Order")
      .def(
          "choose",
          [](const data::Order& chooser, int64_t size, uint64_t key, int64_t epoch) {
            const data::Indices chosen = chooser.choose(size, data::Random(key), epoch);
            Indices list;
            for (int64_t i = 0; i < chosen.size(); ++i) list.push_back(chosen[i]);
            return list;
          },
          nb::arg("size"), nb::arg("key"), nb::arg("epoch") = 0);
  module.def(
      "arrays_source",
      [](nb::object columns) { return source(data::arrays_source(row_from(columns.ptr()))); },
      nb::arg("columns"));
  module.def(
      "python_source",
      [](nb::callable read, int64_t size, const nb::object& explain,
         const nb::object& stacked) -> std::shared_ptr<data::Source> {
        return std::make_shared<PythonSource>(std::move(read), size, explain, stacked);
      },
      nb::arg("read"), nb::arg("size"), nb::arg("explain") = nb::none(), nb::arg("stacked") = nb::none());
  module.def(
      "sequential_order",
      [](int64_t start, int64_t count) { return order(data::sequential_order(start, count)); },
      nb::arg("start"), nb::arg("count"));
  module.def(
      "random_order",
      [](bool replacement, int64_t count) { return order(data::random_order(replacement, count)); },
      nb::arg("replacement"), nb::arg("count"));
  module.def(
      "subset_order",
      [](nb::object indices) { return order(data::subset_order(integers_from(indices.ptr()))); },
      nb::arg("indices"));
  module.def(
      "subset_random_order",
      [](nb::object indices, int64_t count) {
        return order(data::subset_random_order(integers_from(indices.ptr()), count));
      },
      nb::arg("indices"), nb::arg("count"));
  add_drawing_orders(module);
  module.def("python_order", python_order, nb::arg("function"), nb::arg("explain") = nb::none());
  module.def(
      "chained_order",
      [](std::shared_ptr<data::Order> chooser, std::shared_ptr<data::Order> below) {
        return order(data::chained_order(std::move(chooser), std::move(below)));
      },
      nb::arg("order"), nb::arg("below"));
}

}  // namespace dyad::python
