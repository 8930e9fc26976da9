#include "bindings/op/module.h"

#include <algorithm>

#include "bindings/op/called_name.h"
#include "bindings/op/op_function.h"
#include "bindings/tensor/convert.h"
#include "bindings/tensor/tensor_object.h"
#include "eager/dispatch.h"
#include "ops/cost.h"

namespace nb = nanobind;

namespace dyad::python {

namespace {

nb::str text(std::string_view view) { return nb::str(view.data(), view.size()); }

/// What a caller gives, by its name: that an int may be one of a running graph is no other type.
std::string_view short_kind(ParamKind kind) {
  constexpr std::string_view names[] = {"Tensor",  "Operand", "Number", "int",   "float",  "bool",
                                        "str",     "dtype",   "ints",   "sizes", "floats", "pairs",
                                        "Tensors", "Order",   "int",    "Number"};
  return names[static_cast<size_t>(kind)];
}

nb::list describe_params(const Op& op) {
  nb::list params;
  for (size_t i = 0; i < op.signature.params.size(); ++i) {
    const Param& param = op.signature.params[i];
    nb::dict entry;
    entry["name"] = text(param.name);
    entry["kind"] = text(short_kind(param.kind));
    entry["optional"] = param.optional;
    entry["default"] = param.has_default ? nb::object(text(param.default_text)) : nb::none();
    entry["meaning"] = text(op.meanings[i]);
    params.append(entry);
  }
  return params;
}

nb::dict describe_face(const Face& face, const Signature& signature) {
  nb::dict entry;
  nb::list params;
  for (const FaceParam& param : face.params) {
    const Param& own = signature.params[static_cast<size_t>(param.target)];
    nb::dict shown;
    shown["name"] = text(param.name);
    shown["target"] = text(own.name);
    shown["kind"] = text(short_kind(own.kind));
    shown["optional"] = own.optional;
    shown["keyword_only"] = param.keyword_only;
    shown["gathers"] = param.gathers;
    const bool has_default = param.has_default || own.has_default;
    shown["default"] = has_default
                           ? nb::object(text(param.has_default ? param.default_text : own.default_text))
                           : nb::none();
    params.append(shown);
  }
  entry["name"] = text(face.name);
  entry["params"] = params;
  return entry;
}

template <class Names>
nb::list texts(const Names& names) {
  nb::list list;
  for (std::string_view name : names) list.append(text(name));
  return list;
}

std::string_view movement_text(Movement movement) {
  constexpr std::string_view names[] = {"",          "identity", "copy", "cast", "permute", "reshape",
                                        "broadcast", "slice",    "join", "fill", "write",   "other"};
  return names[static_cast<size_t>(movement)];
}

std::string_view autocast_text(Autocast autocast) {
  constexpr std::string_view names[] = {"", "low", "float32", "widest"};
  return names[static_cast<size_t>(autocast)];
}

/// How the operator takes tensors whose channels lie innermost.
std::string_view layout_text(const Op& op) {
  if (op.layout) return "aware";
  return op.elementwise || op.reduction != Reduction::kNone ? "transparent" : "default";
}

nb::list describe_formulas(const Op& op) {
  nb::list formulas;
  for (const Formula& formula : op.formulas) {
    formulas.append(nb::make_tuple(text(formula.text), text(formula.condition)));
  }
  return formulas;
}

nb::dict describe_op(const Op& op) {
  nb::dict entry;
  entry["name"] = text(op.name);
  entry["doc"] = text(op.doc);
  entry["formulas"] = describe_formulas(op);
  entry["returns"] = text(op.returns);
  entry["see"] = text(op.see);
  entry["reference"] = text(op.reference);
  entry["params"] = describe_params(op);
  entry["results"] = op.signature.results;
  entry["lone_result"] = op.signature.lone_result;
  nb::list functions;
  for (const Face& face : op.functions) functions.append(describe_face(face, op.signature));
  entry["functions"] = functions;
  nb::list methods;
  for (const Face& face : op.methods) methods.append(describe_face(face, op.signature));
  entry["methods"] = methods;
  nb::list further_functions;
  for (const Face& face : op.further_functions) further_functions.append(describe_face(face, op.signature));
  entry["further_functions"] = further_functions;
  nb::list further_methods;
  for (const Face& face : op.further_methods) further_methods.append(describe_face(face, op.signature));
  entry["further_methods"] = further_methods;
  entry["inplace_methods"] = texts(op.inplace_methods);
  entry["mint_functions"] = texts(op.mint_functions);
  entry["numpy_functions"] = texts(op.numpy_functions);
  nb::list primitives;
  for (const PrimitiveFace& face : op.primitives) {
    nb::dict shown;
    shown["name"] = text(face.name);
    shown["init"] = describe_face(face.init, op.signature);
    shown["call"] = describe_face(face.call, op.signature);
    primitives.append(shown);
  }
  entry["primitives"] = primitives;
  nb::dict aliases;
  for (auto [alias, param] : op.aliases) aliases[text(alias)] = text(param);
  entry["aliases"] = aliases;
  entry["elementwise"] = op.elementwise;
  entry["cost"] = text(cost_origin(op));
  entry["movement"] = text(movement_text(op.movement));
  entry["layout"] = text(layout_text(op));
  entry["autocast"] = text(autocast_text(op.autocast));
  entry["compiler_made"] = op.compiler_made;
  entry["composed"] = op.body != nullptr;
  entry["kernel"] = eager::has_kernel(op);
  entry["view"] = op.view != nullptr;
  entry["shares_memory"] = op.shares_memory;
  entry["random"] = op.random;
  entry["data_shape"] = op.data_shape;
  entry["writes"] = op.writes;
  nb::list updates;
  for (int argument : op.updates) updates.append(argument);
  entry["updates"] = updates;
  entry["runnable"] = eager::runnable(op);
  entry["host_route"] = eager::takes_host_route(op);
  entry["gradient"] = op.grad               ? text("rule")
                      : op.grad_missing     ? text("missing")
                      : !op.no_grad.empty() ? text("none")
                      : op.body             ? text("body")
                                            : text("");
  entry["batching"] = op.batch         ? text("rule")
                      : op.elementwise ? text("elementwise")
                      : op.body        ? text("body")
                                       : text("loop");
  entry["no_grad"] = text(op.no_grad);
  entry["numpy"] = text(op.numpy);
  entry["samples"] = texts(op.samples);
  nb::list rejects;
  for (const Reject& reject : op.rejects) {
    rejects.append(nb::make_tuple(text(reject.call), text(reject.error), text(reject.message)));
  }
  entry["rejects"] = rejects;
  return entry;
}

nb::list op_table() {
  nb::list table;
  for (const Op* op : OpTable::instance().all()) table.append(describe_op(*op));
  return table;
}

nb::list mint_functions() {
  nb::list names;
  for (const Op* op : OpTable::instance().all()) {
    for (const std::string& name : op->mint_functions) names.append(text(name));
  }
  return names;
}

/// NumPy's name to that of the function of `ops`, the one of the same name if there is one, and how many
/// operands it has.
nb::dict numpy_functions() {
  nb::dict functions;
  for (const Op* op : OpTable::instance().all()) {
    const auto required = std::ranges::count(op->signature.params, false, &Param::has_default);
    for (const std::string& name : op->numpy_functions) {
      const auto same = std::ranges::find(op->functions, name, &Face::name);
      const Face& face = same == op->functions.end() ? op->functions.front() : *same;
      functions[text(name)] = nb::make_tuple(text(face.name), required);
    }
  }
  return functions;
}

nb::object callable(const Op& op, const Face& face, bool is_method, bool in_place) {
  return nb::steal(make_op_function(op, face, is_method, in_place));
}

nb::dict op_functions() {
  nb::dict functions;
  for (const Op* op : OpTable::instance().all()) {
    for (const Face& face : op->functions) functions[text(face.name)] = callable(*op, face, false, false);
  }
  for (const Op* op : OpTable::instance().all()) {
    for (const Face& face : op->further_functions) {
      add_form(nb::object(functions[text(face.name)]).ptr(), callable(*op, face, false, false).ptr());
    }
  }
  return functions;
}

/// The face of `add_`: the parameters of the operator's first method, under the name of the in-place one.
const Face& inplace_face(const Op& op, const std::string& name) {
  Face* face =
      new Face(op.methods.empty() ? plain_face(op.signature) : op.methods.front());  // kept by the function
  if (op.methods.empty()) face->params.erase(face->params.begin());
  face->name = name;
  return *face;
}

void add_methods(nb::object type) {
  for (const Op* op : OpTable::instance().all()) {
    for (const Face& face : op->methods) nb::setattr(type, text(face.name), callable(*op, face, true, false));
    for (const std::string& name : op->inplace_methods) {
      nb::setattr(type, text(name), callable(*op, inplace_face(*op, name), true, true));
    }
  }
  for (const Op* op : OpTable::instance().all()) {
    for (const Face& face : op->further_methods) {
      add_form(nb::object(type.attr("__dict__")[text(face.name)]).ptr(),
               callable(*op, face, true, false).ptr());
    }
  }
}

/// (class name, init face, call face with the constructor's parameters as trailing keywords, callable)
nb::list op_primitives() {
  nb::list primitives;
  for (const Op* op : OpTable::instance().all()) {
    for (const PrimitiveFace& primitive : op->primitives) {
      Face* whole = new Face(primitive.call);  // kept by the function
      whole->name = primitive.name;
      for (FaceParam param : primitive.init.params) {
        param.keyword_only = true;
        whole->params.push_back(std::move(param));
      }
      nb::list init;
      for (const FaceParam& param : primitive.init.params) {
        const Param& own = op->signature.params[static_cast<size_t>(param.target)];
        const bool has_default = param.has_default || own.has_default;
        nb::object value = nb::none();
        if (has_default)
          value = nb::steal(arg_object(param.has_default ? param.default_value : own.default_value));
        init.append(nb::make_tuple(text(param.name), has_default, value));
      }
      primitives.append(nb::make_tuple(text(primitive.name), init, callable(*op, *whole, false, false)));
    }
  }
  return primitives;
}

}  // namespace

void add_op_table(nb::module_& module) {
  module.def(
      "set_blamed_name", [](nb::object function) { set_blamed_name(function.ptr()); }, nb::arg("function"),
      "The function that gives the name under which an error is told, or None.");
  module.def("reverse_messages", reverse_messages, nb::arg("on"),
             "Has every message be reversed when it is made, for tests that no decision depends on one.");
  module.def("op_table", op_table, "Describes every operator: a list of dicts.");
  module.def("op_functions", op_functions, "Name to callable of every function of `ops`.");
  module.def("mint_functions", mint_functions, "Names of the functions of `ops` that `mint` has too.");
  module.def("numpy_functions", numpy_functions,
             "NumPy's name to the name of the function of `ops` and its number of operands.");
  module.def("op_primitives", op_primitives,
             "Name, constructor parameters and callable of every Primitive class.");
  add_methods(nb::borrow(reinterpret_cast<PyObject*>(tensor_type())));
}

}  // namespace dyad::python
