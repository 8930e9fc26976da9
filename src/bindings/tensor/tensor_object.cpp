#include "bindings/tensor/tensor_object.h"

#include <structmember.h>

#include <optional>
#include <unordered_map>

#include "base/error.h"
#include "bindings/jit/graph_object.h"
#include "bindings/op/function_node.h"
#include "bindings/process/errors.h"
#include "bindings/tensor/convert.h"
#include "bindings/tensor/create.h"
#include "bindings/tensor/module.h"
#include "bindings/tensor/type_slots.h"

namespace dyad::python {

namespace {

PyTypeObject* type = nullptr;

TensorObject* cast(PyObject* object) { return reinterpret_cast<TensorObject*>(object); }

/// Objects of derived classes by the tensor they hold; they leave when they let go of it.
std::unordered_map<const TensorImpl*, PyObject*>& owners() {
  static auto* known = new std::unordered_map<const TensorImpl*, PyObject*>;
  return *known;
}

void disown(PyObject* object) {
  if (Py_TYPE(object) == type) return;
  auto found = owners().find(cast(object)->tensor.get());
  if (found != owners().end() && found->second == object) owners().erase(found);
}

PyObject* tensor_new(PyTypeObject* subtype, PyObject*, PyObject*) {
  PyObject* self = subtype->tp_alloc(subtype, 0);
  if (self) new (&cast(self)->tensor) Tensor;
  return self;
}

int tensor_init(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded(-1, [&] {
    initialise_tensor(self, args, kwargs);
    return 0;
  });
}

/// What differentiation knows of the tensor, if this object is the only owner of both.
autograd::AutogradMeta* own_autograd_meta(PyObject* self) {
  const Tensor& tensor = cast(self)->tensor;
  if (!tensor || tensor->owners() != 1) return nullptr;
  autograd::AutogradMeta* meta = autograd::autograd_meta_of(*tensor);
  return meta && meta->owners() == 1 ? meta : nullptr;
}

int tensor_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(cast(self)->attributes);
  if (const Pending* pending = cast(self)->pending) Py_VISIT(pending->initializer.get());
  const autograd::AutogradMeta* meta = own_autograd_meta(self);
  return meta ? traverse_hooks(*meta, visit, arg) : 0;
}

void drop_pending(TensorObject& self) { delete std::exchange(self.pending, nullptr); }

int tensor_clear(PyObject* self) {
  Py_CLEAR(cast(self)->attributes);
  if (Pending* pending = cast(self)->pending) pending->initializer = Object();
  if (autograd::AutogradMeta* meta = own_autograd_meta(self)) clear_hooks(*meta);
  return 0;
}

void tensor_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  if (cast(self)->weak_references) PyObject_ClearWeakRefs(self);
  Py_CLEAR(cast(self)->attributes);
  drop_pending(*cast(self));
  disown(self);
  cast(self)->tensor.~Ref();
  PyTypeObject* own = Py_TYPE(self);
  own->tp_free(self);
  Py_DECREF(own);
}

PyMemberDef members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(TensorObject, attributes), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(TensorObject, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

template <class Function>
void* slot(Function* function) {
  return reinterpret_cast<void*>(function);
}

PyType_Slot* slots() {
  static PyType_Slot all[] = {
      {Py_tp_new, slot(tensor_new)},
      {Py_tp_init, slot(tensor_init)},
      {Py_tp_dealloc, slot(tensor_dealloc)},
      {Py_tp_traverse, slot(tensor_traverse)},
      {Py_tp_clear, slot(tensor_clear)},
      {Py_tp_members, members},
      {Py_tp_getset, tensor_attributes()},
      {Py_tp_methods, tensor_methods()},
      {Py_tp_richcompare, slot(tensor_compare)},
      {Py_tp_hash, slot(_Py_HashPointer)},
      {Py_tp_iter, slot(tensor_iterate)},
      {Py_sq_item, slot(tensor_row)},
      {Py_mp_length, slot(tensor_length)},
      {Py_mp_subscript, slot(tensor_get)},
      {Py_mp_ass_subscript, slot(tensor_set)},
      {Py_sq_length, slot(tensor_length)},
      {Py_sq_contains, slot(tensor_contains)},
      {Py_bf_getbuffer, slot(tensor_getbuffer)},
      {Py_bf_releasebuffer, slot(tensor_releasebuffer)},
      {Py_nb_add, slot(tensor_add)},
      {Py_nb_subtract, slot(tensor_subtract)},
      {Py_nb_multiply, slot(tensor_multiply)},
      {Py_nb_true_divide, slot(tensor_divide)},
      {Py_nb_floor_divide, slot(tensor_floor_divide)},
      {Py_nb_remainder, slot(tensor_remainder)},
      {Py_nb_divmod, slot(tensor_divmod)},
      {Py_nb_power, slot(tensor_power)},
      {Py_nb_matrix_multiply, slot(tensor_matmul)},
      {Py_nb_negative, slot(tensor_negative)},
      {Py_nb_positive, slot(tensor_positive)},
      {Py_nb_absolute, slot(tensor_absolute)},
      {Py_nb_invert, slot(tensor_invert)},
      {Py_nb_and, slot(tensor_and)},
      {Py_nb_or, slot(tensor_or)},
      {Py_nb_xor, slot(tensor_xor)},
      {Py_nb_lshift, slot(tensor_left_shift)},
      {Py_nb_rshift, slot(tensor_right_shift)},
      {Py_nb_bool, slot(tensor_bool)},
      {Py_nb_int, slot(tensor_int)},
      {Py_nb_float, slot(tensor_float)},
      {Py_nb_index, slot(tensor_index)},
      {Py_tp_doc, const_cast<char*>("A multi-dimensional array of elements of one dtype.")},
      {0, nullptr},
  };
  return all;
}

/// Draws the values of a pending tensor, or says why there are none.
void fill(PyObject* self) {
  const Pending* pending = cast(self)->pending;
  if (!pending)
    runtime_error("Tensor: this ", Py_TYPE(self)->tp_name, " has no data, its __init__ has not been called");
  if (!pending->initializer) {
    runtime_error("Tensor: a template of shape ", pending->shape, " has no data; it only describes an input");
  }
  Object initializer = Object::share(pending->initializer.get());
  Object shape = check(shape_object(pending->shape));
  Object dtype = check(dtype_object(pending->dtype));
  // What a program makes is drawn by its graph; what was there before, now and once.
  std::optional<OutsideGraphs> outside;
  if (tracing::current() && tracing::current() != pending->graph) outside.emplace();
  Object drawn = check(PyObject_CallMethod(initializer.get(), "draw", "OO", shape.get(), dtype.get()));
  if (!is_tensor(drawn.get()))
    type_error("Tensor: the initialiser's draw() gave ", describe(drawn.get()), "; need a Tensor");
  if (cast(self)->pending) set_tensor(self, tensor_of(drawn.get()));
}

}  // namespace

void add_tensor_type(PyObject* module) {
  PyType_Spec spec = {"dyad.Tensor", sizeof(TensorObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots()};
  Object made = check(PyType_FromSpec(&spec));
  type = reinterpret_cast<PyTypeObject*>(made.get());
  type->tp_name = "Tensor";  // as a class written in Python is called in the interpreter's messages
  if (PyModule_AddObjectRef(module, "Tensor", made.release()) < 0) throw PythonError{};
}

PyTypeObject* tensor_type() { return type; }

bool is_tensor(PyObject* object) {
  return Py_TYPE(object) == type || PyType_IsSubtype(Py_TYPE(object), type);
}

const Tensor& tensor_of(PyObject* object) {
  const Tensor& tensor = cast(object)->tensor;
  if (!tensor) [[unlikely]]
    fill(object);
  return tensor;
}

const Pending* pending_of(PyObject* object) { return cast(object)->pending; }

void set_tensor(PyObject* object, Tensor tensor) {
  // A leaf with new data is the same leaf.
  const Tensor& before = cast(object)->tensor;
  if (before && before->autograd_meta && !tensor->autograd_meta)
    tensor->autograd_meta = before->autograd_meta;
  disown(object);
  cast(object)->tensor = std::move(tensor);
  if (Py_TYPE(object) != type) owners()[cast(object)->tensor.get()] = object;
  drop_pending(*cast(object));
}

void set_pending(PyObject* object, Pending pending) {
  disown(object);
  cast(object)->tensor = Tensor();
  drop_pending(*cast(object));
  pending.graph = tracing::current();
  cast(object)->pending = new Pending(std::move(pending));
}

PyObject* owner_of(const TensorImpl& tensor) {
  auto found = owners().find(&tensor);
  return found == owners().end() ? nullptr : found->second;
}

PyObject* stand_in_for(PyObject* object, Tensor tensor) {
  PyTypeObject* own = Py_TYPE(object);
  Object made = check(own->tp_alloc(own, 0));
  new (&cast(made.get())->tensor) Tensor(std::move(tensor));
  if (PyObject* attributes = cast(object)->attributes) {
    cast(made.get())->attributes = check(PyDict_Copy(attributes)).release();
  }
  return made.release();
}

PyObject* wrap(Tensor tensor) {
  PyObject* self = type->tp_alloc(type, 0);
  if (!self) throw PythonError{};
  new (&cast(self)->tensor) Tensor(std::move(tensor));
  return self;
}

PyObject* wrap(Value value) { return wrap(Tensor::adopt(static_cast<TensorImpl*>(value.detach()))); }

}  // namespace dyad::python
