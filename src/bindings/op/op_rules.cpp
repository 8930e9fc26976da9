#include "bindings/op/module.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/rule.h"
#include "base/error.h"
#include "bindings/op/arguments.h"
#include "bindings/op/op_function.h"
#include "bindings/tensor/convert.h"
#include "bindings/tensor/tensor_object.h"
#include "eager/dispatch.h"
#include "ops/placeholder.h"

#include <nanobind/stl/string_view.h>

namespace nb = nanobind;

namespace dyad::python {

namespace {

/// A value without data, made in Python: `Placeholder(float32, ("n", 3))`.
struct PlaceholderObject {
  Value value;
};

const Op& op_named(std::string_view name) {
  const Op* op = OpTable::instance().find(name);
  if (!op)
    raise(ErrorKind::kKey, cat("op: there is no operator '", name, "'; op_table() lists those there are"));
  return *op;
}

nb::object named_op(std::string_view name) {
  static std::map<int, Face> faces;  // a callable refers to its face for as long as it lives
  const Op& op = op_named(name);
  const Face& face = faces.try_emplace(op.id, plain_face(op.signature)).first->second;
  return nb::steal(make_op_function(op, face, false, false));
}

PlaceholderObject make_placeholder(nb::handle dtype, nb::sequence shape) {
  DType element;
  if (!dtype_from(dtype.ptr(), element))
    type_error("Placeholder: dtype is ", describe(dtype.ptr()), "; need a dtype");
  Shape dims;
  for (nb::handle size : shape) {
    if (nb::isinstance<nb::str>(size)) {
      dims.push_back(Dim::symbol(nb::cast<std::string_view>(size)));
    } else {
      dims.push_back(nb::cast<int64_t>(size));
    }
  }
  return {placeholder(element, std::move(dims))};
}

/// The placeholder of an object: itself, or one like the tensor.
bool value_without_data(nb::handle object, Value& out) {
  if (nb::isinstance<PlaceholderObject>(object)) {
    out = nb::cast<PlaceholderObject&>(object).value;
    return true;
  }
  if (!is_tensor(object.ptr())) return false;
  const Tensor& tensor = tensor_of(object.ptr());
  out = placeholder(tensor->dtype, tensor->shape);
  return true;
}

Arg argument_without_data(const Op& op, const Param& param, nb::handle object) {
  Value value;
  if (value_without_data(object, value)) return value;
  if (param.kind == ParamKind::kTensors && nb::isinstance<nb::sequence>(object)) {
    ValueList members;
    for (nb::handle member : nb::cast<nb::sequence>(object)) {
      if (!value_without_data(member, value)) value = Value();
      members.push_back(value);
    }
    return members;
  }
  Arg arg;
  argument_from(op.name, param, object.ptr(), arg);
  return arg;
}

template <class Read>
std::vector<Arg> all_arguments(const Op& op, nb::sequence given, const Read& read) {
  const std::vector<Param>& params = op.signature.params;
  if (nb::len(given) > params.size()) {
    type_error(op.name, ": ", nb::len(given), " arguments were given; at most ", params.size(),
               " are accepted");
  }
  std::vector<Arg> args;
  for (nb::handle object : given) args.push_back(read(params[args.size()], object));
  while (args.size() < params.size()) args.push_back(params[args.size()].default_value);
  return args;
}

std::vector<Arg> arguments_with_data(const Op& op, nb::sequence given) {
  return all_arguments(op, given, [&](const Param& param, nb::handle object) {
    Arg arg;
    argument_from(op.name, param, object.ptr(), arg);
    return arg;
  });
}

nb::object dim_object(Dim dim) {
  if (dim.known()) return nb::int_(dim.value());
  return nb::str(to_text(dim).c_str());
}

/// (dtype, sizes) of a value, None for an empty one; an unknown size is the text of its expression.
nb::object described(const Value& value) {
  if (!value) return nb::none();
  nb::list sizes;
  for (Dim dim : value->shape) sizes.append(dim_object(dim));
  return nb::make_tuple(nb::steal(dtype_object(value->dtype)), nb::tuple(sizes));
}

nb::list described(const ValueList& values) {
  nb::list shown;
  for (const Value& value : values) shown.append(described(value));
  return shown;
}

std::vector<Arg> arguments_without_data(const Op& op, nb::sequence given) {
  return all_arguments(op, given, [&](const Param& param, nb::handle object) {
    return argument_without_data(op, param, object);
  });
}

nb::list infer(std::string_view name, nb::sequence given) {
  const Op& op = op_named(name);
  ValueList results;
  inferring_builder().apply(op, arguments_without_data(op, given), results);
  return described(results);
}

/// What the gradient rule would give for each argument, if every result were used.
nb::list infer_gradients(std::string_view name, nb::sequence given) {
  const Op& op = op_named(name);
  const std::vector<Arg> args = arguments_without_data(op, given);
  ValueList results;
  inferring_builder().apply(op, args, results);
  ValueList gradients;
  for (const Value& result : results) gradients.push_back(placeholder(result->dtype, result->shape));
  nb::list shown;
  for (const ArgumentGradient& gradient :
       run_gradient_rule(inferring_builder(), op, args, results, gradients)) {
    shown.append(gradient.members.empty() ? described(gradient.value)
                                          : nb::object(described(gradient.members)));
  }
  return shown;
}

ValueList tensors_or_none(nb::sequence objects) {
  ValueList values;
  for (nb::handle object : objects) {
    values.emplace_back();
    if (object.is_none()) continue;
    if (!is_tensor(object.ptr()))
      type_error("run_gradient_rule: got ", describe(object.ptr()), "; need a Tensor or None");
    values.back() = Value(tensor_of(object.ptr()));
  }
  return values;
}

nb::object tensor_or_none(const Value& value) { return value ? nb::steal(wrap(value)) : nb::none(); }

/// One entry per argument: a Tensor, a list for a list argument, None where there is no gradient.
nb::list gradients_of_arguments(std::string_view name, nb::sequence given, nb::sequence results,
                                nb::sequence gradients) {
  const Op& op = op_named(name);
  const auto found = run_gradient_rule(eager::builder(), op, arguments_with_data(op, given),
                                       tensors_or_none(results), tensors_or_none(gradients));
  nb::list shown;
  for (const ArgumentGradient& gradient : found) {
    if (gradient.members.empty()) {
      shown.append(tensor_or_none(gradient.value));
      continue;
    }
    nb::list members;
    for (const Value& member : gradient.members) members.append(tensor_or_none(member));
    shown.append(members);
  }
  return shown;
}

/// The results by the operator's body, where a plain call would use the kernel.
nb::list run_body(std::string_view name, nb::sequence given) {
  const Op& op = op_named(name);
  if (!op.body) type_error("run_body: ", name, " has no body; op_table() tells which operators are composed");
  const std::vector<Arg> args = arguments_with_data(op, given);
  ValueList results;
  op.body(Call(Arguments(op.name, args), eager::builder()), results);
  nb::list shown;
  for (const Value& result : results) shown.append(tensor_or_none(result));
  return shown;
}

}  // namespace

void add_op_rules(nb::module_& module) {
  nb::class_<PlaceholderObject>(module, "Placeholder",
                                "A value with dtype and shape and no data; sizes may be names.")
      .def("__init__", [](PlaceholderObject* self, nb::handle dtype, nb::sequence shape) {
        new (self) PlaceholderObject(make_placeholder(dtype, shape));
      });
  module.def("named_op", named_op, "The operator of that name under its own signature.");
  module.def("infer", infer, "dtype and shape of each result, without running the operator.");
  module.def("infer_gradients", infer_gradients,
             "dtype and shape of the gradient of each argument by the operator's rule, without running it.");
  module.def("run_body", run_body, "The results of an operator by its body, even where it has a kernel.");
  module.def("run_gradient_rule", gradients_of_arguments,
             "Gradients of an operator's arguments by its rule.");
}

}  // namespace dyad::python
