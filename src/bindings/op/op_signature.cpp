#include "bindings/op/op_function.h"

#include "bindings/tensor/convert.h"

namespace dyad::python {

namespace {

/// `inspect`, imported when a signature is first asked for: calling operators never needs it.
class Inspect {
 public:
  Inspect() : module_(check(PyImport_ImportModule("inspect"))), parameter_(member("Parameter")) {}

  Object member(const char* name) const { return check(PyObject_GetAttrString(module_.get(), name)); }
  Object parameter(const char* name, const char* kind, const Object& default_value) const {
    Object place = check(PyObject_GetAttrString(parameter_.get(), kind));
    Object args = check(Py_BuildValue("(sO)", name, place.get()));
    Object keywords = check(PyDict_New());
    if (default_value && PyDict_SetItemString(keywords.get(), "default", default_value.get()) < 0)
      throw PythonError{};
    return check(PyObject_Call(parameter_.get(), args.get(), keywords.get()));
  }

 private:
  Object module_;
  Object parameter_;
};

/// What stands for a parameter that is left out; empty where it must be given.
Object default_object(const Param& own, const FaceParam& shown) {
  if (shown.has_default) return check(arg_object(shown.default_value));
  if (own.has_default) return check(arg_object(own.default_value));
  return own.optional ? Object::share(Py_None) : Object();
}

}  // namespace

PyObject* signature_object(const Op& op, const Face& face, bool is_method) {
  const Inspect inspect;
  Object params = check(PyList_New(0));
  auto append = [&](const Object& param) {
    if (PyList_Append(params.get(), param.get()) < 0) throw PythonError{};
  };
  if (is_method) append(inspect.parameter("self", "POSITIONAL_OR_KEYWORD", Object()));
  bool keyword_only = false;
  bool defaulted = false;
  for (const FaceParam& shown : face.params) {
    keyword_only |= shown.keyword_only;
    if (shown.gathers) {
      append(inspect.parameter(shown.name.c_str(), "VAR_POSITIONAL", Object()));
      keyword_only = true;  // nothing can be given by place after what takes the rest
      continue;
    }
    Object value = default_object(op.signature.params[static_cast<size_t>(shown.target)], shown);
    defaulted |= static_cast<bool>(value);
    // Python has no way to show a required parameter after one that may be left out; None says that it is
    // looked for.
    if (!value && defaulted && !keyword_only) value = Object::share(Py_None);
    append(inspect.parameter(shown.name.c_str(), keyword_only ? "KEYWORD_ONLY" : "POSITIONAL_OR_KEYWORD",
                             value));
  }
  return check(PyObject_CallFunctionObjArgs(inspect.member("Signature").get(), params.get(), nullptr))
      .release();
}

}  // namespace dyad::python
