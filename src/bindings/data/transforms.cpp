#include "bindings/data/values.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/error.h"
#include "bindings/data/callback.h"
#include "bindings/data/module.h"
#include "bindings/tensor/convert.h"
#include "bindings/tensor/numpy_interface.h"
#include "bindings/tensor/tensor_object.h"
#include "data/files/crc32c.h"
#include "data/rows/source.h"
#include "data/rows/transform.h"

namespace nb = nanobind;

namespace dyad::python {

namespace {

using Transforms = std::vector<std::shared_ptr<const data::Transform>>;

/// A Python function of the columns as NumPy arrays and of the key of the row's random numbers.
class PythonTransform final : public data::Transform {
 public:
  PythonTransform(nb::callable function, nb::object explain)
      : callback_(std::move(function), std::move(explain)) {}

  void apply(data::Row& columns, data::Random& random) const override {
    const Interpreter interpreter;
    columns = callback_.explained([&] {
      const Object given = tuple_of(columns);
      const Object key = check(PyLong_FromUnsignedLongLong(random.key()));
      columns.clear();
      return owned_row_from(callback_.call(given.get(), key.get()).get());
    });
  }

 private:
  Callback callback_;
};

data::Attribute list_attribute(PyObject* values) {
  const nb::object list = nb::borrow(values);
  const size_t size = nb::len(list);
  const nb::object first = size ? nb::object(list[0]) : nb::none();
  if (size == 0 || PyLong_Check(first.ptr())) {
    std::vector<int64_t> whole;
    if (nb::try_cast(list, whole)) return whole;
  }
  if (PyUnicode_Check(first.ptr())) return nb::cast<std::vector<std::string>>(list);
  if (nb::isinstance<data::Transform>(first)) return nb::cast<Transforms>(list);
  return nb::cast<std::vector<double>>(list);
}

data::Attribute attribute_from(nb::handle value) {
  PyObject* object = value.ptr();
  if (value.is_none()) return std::monostate{};
  if (PyBool_Check(object)) return object == Py_True;
  if (PyLong_Check(object)) return nb::cast<int64_t>(value);
  if (PyFloat_Check(object)) return nb::cast<double>(value);
  if (PyUnicode_Check(object)) return nb::cast<std::string>(value);
  if (PyDict_Check(object)) return nb::cast<std::map<std::string, int64_t>>(value);
  if (is_numpy_array(object)) return item_from(object).tensor("attribute");
  if (is_tensor(object)) return readable(tensor_of(object));
  return list_attribute(object);
}

/// Columns in, columns out, as a tuple. `key` starts the random numbers.
nb::object apply_transform(const data::Transform& transform, const nb::object& columns, uint64_t key) {
  data::Row row = row_from(columns.ptr());
  {
    const nb::gil_scoped_release others;
    data::Random random(key);
    transform.apply(row, random);
  }
  return nb::steal(tuple_of(row).release());
}

std::shared_ptr<data::Transform> make_transform(const std::string& name, const nb::dict& attributes) {
  return std::const_pointer_cast<data::Transform>(
      data::TransformTable::instance().make(name, attributes_from(attributes)));
}

std::shared_ptr<data::Transform> python_transform(nb::callable function, nb::object explain) {
  return std::make_shared<PythonTransform>(std::move(function), std::move(explain));
}

std::shared_ptr<data::Source> open_source(const std::string& name, const nb::dict& attributes) {
  const data::Attributes given = attributes_from(attributes);
  const nb::gil_scoped_release others;
  return std::const_pointer_cast<data::Source>(data::SourceTable::instance().open(name, given));
}

nb::object read_row(const data::Source& source, int64_t index) {
  data::Row row;
  {
    const nb::gil_scoped_release others;
    row = source.read(index);
  }
  return nb::steal(tuple_of(row).release());
}

}  // namespace

data::Attributes attributes_from(const nb::dict& values) {
  data::Attributes attributes;
  for (const auto& [name, value] : values) attributes.set(nb::cast<std::string>(name), attribute_from(value));
  return attributes;
}

void add_data_transforms(nb::module_& module) {
  nb::class_<data::Transform>(module, "Transform")
      .def("__call__", apply_transform, nb::arg("columns"), nb::arg("key"));
  nb::class_<data::Source>(module, "Source")
      .def("__len__", &data::Source::size)
      .def("__getitem__", read_row)
      .def_prop_ro("columns", &data::Source::columns)
      .def_prop_ro("classes", &data::Source::classes)
      .def_prop_ro("rows_per_file", &data::Source::rows_per_file);
  module.def("make_transform", make_transform, nb::arg("name"), nb::arg("attributes"));
  module.def("transform_names", [] { return data::TransformTable::instance().names(); });
  module.def("mix_keys", &data::Random::mix, nb::arg("a"), nb::arg("b"));
  module.def("python_transform", python_transform, nb::arg("function"), nb::arg("explain") = nb::none());
  module.def(
      "masked_crc32c", [](const nb::bytes& data) { return data::masked_crc32c({data.c_str(), data.size()}); },
      nb::arg("data"));
  module.def("open_source", open_source, nb::arg("name"), nb::arg("attributes"));
}

}  // namespace dyad::python
