#include "bindings/tensor/type_slots.h"

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/error.h"
#include "bindings/op/known_op.h"
#include "bindings/process/errors.h"
#include "bindings/tensor/convert.h"
#include "bindings/tensor/numpy_interface.h"
#include "bindings/tensor/tensor_object.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "tensor/exposure.h"

namespace dyad::python {

namespace {

// The memory layout of the DLPack exchange, versions 0.8 and 1.0.
struct DlDevice {
  int32_t kind;
  int32_t index;
};
struct DlDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
struct DlTensor {
  void* data;
  DlDevice device;
  int32_t rank;
  DlDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};
struct Unversioned {
  DlTensor tensor;
  void* owner;
  void (*deleter)(Unversioned*);
};
struct Versioned {
  uint32_t major;
  uint32_t minor;
  void* owner;
  void (*deleter)(Versioned*);
  uint64_t flags;
  DlTensor tensor;
};

constexpr int32_t kCpuDevice = 1;
constexpr int32_t kCudaDevice = 2;
constexpr int32_t kCudaHostDevice = 3;
constexpr uint64_t kReadOnly = 1;
constexpr uint64_t kCopied = 2;
enum Code : uint8_t { kSigned = 0, kUnsigned = 1, kReal = 2, kBrain = 4, kComplexNumber = 5, kTruth = 6 };

/// How a kind of capsule is called before and after a consumer has taken it.
template <class Managed>
struct CapsuleName;
template <>
struct CapsuleName<Unversioned> {
  static constexpr const char* fresh = "dltensor";
  static constexpr const char* used = "used_dltensor";
};
template <>
struct CapsuleName<Versioned> {
  static constexpr const char* fresh = "dltensor_versioned";
  static constexpr const char* used = "used_dltensor_versioned";
};

Code code_of(DType dtype) {
  if (is_bool(dtype)) return kTruth;
  if (is_signed_int(dtype)) return kSigned;
  if (is_unsigned_int(dtype)) return kUnsigned;
  if (is_complex(dtype)) return kComplexNumber;
  return dtype == DType::kBFloat16 ? kBrain : kReal;
}

DType dtype_of_code(DlDataType given) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const DType dtype = static_cast<DType>(i);
    if (given.lanes == 1 && given.code == code_of(dtype) && given.bits == itemsize(dtype) * 8) return dtype;
  }
  buffer_error("from_dlpack: no dtype for elements of code ", int{given.code}, " with ", int{given.bits},
               " bits and ", int{given.lanes},
               " lanes; bools, integers, floats and complex numbers are accepted");
}

/// A tensor given away: the exchanged struct and what it points to.
template <class Managed>
struct Exported {
  Managed managed{};
  Tensor tensor;
  Ref<Storage> storage;  ///< the tensor may be given another one
  Ints shape;
};

template <class Managed>
void delete_exported(Managed* managed) {
  conceal(*static_cast<Exported<Managed>*>(managed->owner)->storage);
  delete static_cast<Exported<Managed>*>(managed->owner);
}

template <class Managed>
void destroy_capsule(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, CapsuleName<Managed>::fresh)) return;  // taken: the consumer deletes
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, CapsuleName<Managed>::fresh));
  if (managed->deleter) managed->deleter(managed);
}

DlDevice dlpack_device(Device device) {
  return {device.kind == DeviceKind::kCpu ? kCpuDevice : kCudaDevice, device.index};
}

template <class Managed>
PyObject* export_tensor(Tensor tensor, uint64_t flags) {
  auto exported = std::make_unique<Exported<Managed>>();
  exported->tensor = std::move(tensor);
  exported->storage = exported->tensor->storage;
  const TensorImpl& source = *exported->tensor;
  for (Dim size : source.shape) exported->shape.push_back(size.value());
  DlTensor& out = exported->managed.tensor;
  out.data = source.data;
  out.device = dlpack_device(source.device);
  out.rank = static_cast<int32_t>(source.rank());
  out.dtype = {code_of(source.dtype), static_cast<uint8_t>(itemsize(source.dtype) * 8), 1};
  out.shape = exported->shape.data();
  out.strides = exported->tensor->strides.data();
  exported->managed.owner = exported.get();
  exported->managed.deleter = delete_exported<Managed>;
  if constexpr (std::is_same_v<Managed, Versioned>) {
    exported->managed.major = 1;
    exported->managed.flags = flags;
  }
  Object capsule =
      check(PyCapsule_New(&exported->managed, CapsuleName<Managed>::fresh, destroy_capsule<Managed>));
  expose(*exported->storage);
  exported.release();  // the capsule owns it now
  return capsule.release();
}

struct Request {
  PyObject* stream = nullptr;
  PyObject* max_version = nullptr;
  PyObject* device = nullptr;
  PyObject* copy = nullptr;
};

Request read_request(PyObject* const* args, Py_ssize_t count, PyObject* names) {
  if (count > 0)
    type_error("__dlpack__: ", count, " positional arguments were given; only keywords are accepted");
  Request request;
  for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i) {
    const std::string_view name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i));
    PyObject* value = args[i] == Py_None ? nullptr : args[i];
    if (name == "stream") {
      request.stream = value;
    } else if (name == "max_version") {
      request.max_version = value;
    } else if (name == "dl_device") {
      request.device = value;
    } else if (name == "copy") {
      request.copy = value;
    } else {
      type_error("__dlpack__: unexpected keyword '", name,
                 "'; accepted are stream, max_version, dl_device, copy");
    }
  }
  return request;
}

long first_of_pair(const char* name, PyObject* pair) {
  if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) {
    type_error("__dlpack__: ", name, " is ", describe(pair), "; it must be a tuple of two ints or None");
  }
  const long first = PyLong_AsLong(PyTuple_GET_ITEM(pair, 0));
  if (first == -1 && PyErr_Occurred()) throw PythonError{};
  return first;
}

template <class Managed>
Tensor import_tensor(PyObject* capsule) {
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, CapsuleName<Managed>::fresh));
  if (!managed) throw PythonError{};
  bool writable = true;
  if constexpr (std::is_same_v<Managed, Versioned>) {
    if (managed->major != 1)
      buffer_error("from_dlpack: the capsule has version ", managed->major, "; version 1 is accepted");
    writable = (managed->flags & kReadOnly) == 0;
  }
  const DlTensor& given = managed->tensor;
  Device device;
  if (given.device.kind == kCudaDevice) {
    device =
        Context::process().find_device("from_dlpack", device_name(DeviceKind::kCuda), given.device.index);
  } else if (given.device.kind != kCpuDevice && given.device.kind != kCudaHostDevice) {
    buffer_error("from_dlpack: the data lies on a device of kind ", given.device.kind,
                 "; memory of the CPU and of NVIDIA's GPUs is accepted");
  }
  const DType dtype = dtype_of_code(given.dtype);
  const Shape shape(given.shape, given.shape + given.rank);
  const Strides strides =
      given.strides ? Strides(given.strides, given.strides + given.rank) : contiguous_strides(shape);
  char* data = static_cast<char*>(given.data) + given.byte_offset;
  const size_t bytes = static_cast<size_t>(numel(shape) * itemsize(dtype));
  Tensor tensor = borrow(
      data, bytes, writable, dtype, shape, strides,
      [managed] {
        if (managed->deleter) managed->deleter(managed);
      },
      device);
  if (PyCapsule_SetName(capsule, CapsuleName<Managed>::used) < 0) throw PythonError{};
  if (writable) expose(*tensor->storage);  // its owner may write as long as it lives
  return device.kind == DeviceKind::kCpu ? with_plain_bools(std::move(tensor)) : tensor;
}

/// Asks for the newest form first; producers from before version 1 do not know the keyword.
Object capsule_of(PyObject* source) {
  if (PyCapsule_CheckExact(source)) return Object::share(source);
  Object produce = Object::take(PyObject_GetAttrString(source, "__dlpack__"));
  if (!produce) {
    PyErr_Clear();
    type_error("from_dlpack: ", describe(source),
               " cannot be exchanged; need an object with __dlpack__ or a DLPack capsule");
  }
  Object none = check(PyTuple_New(0));
  Object keywords = check(Py_BuildValue("{s:(ii)}", "max_version", 1, 0));
  Object capsule = Object::take(PyObject_Call(produce.get(), none.get(), keywords.get()));
  if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    capsule = Object::take(PyObject_CallNoArgs(produce.get()));
  }
  if (!capsule) throw PythonError{};
  return capsule;
}

}  // namespace

PyObject* tensor_dlpack(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  return guarded([&] {
    const Request request = read_request(args, count, names);
    Tensor tensor = tensor_of(self);
    require_data("__dlpack__", *tensor);
    const bool here = tensor->device.kind == DeviceKind::kCpu;
    if (request.stream && here)
      value_error("__dlpack__: stream is ", describe(request.stream),
                  "; CPU memory has no stream, need None");
    if (request.device && first_of_pair("dl_device", request.device) != dlpack_device(tensor->device).kind) {
      buffer_error("__dlpack__: dl_device is ", describe(request.device), "; the data lies on the ",
                   here ? "CPU, (1, 0)" : "GPU, (2, 0)");
    }
    // The reader's stream is not ours: what was asked for so far is done before it looks.
    if (!here) {
      const nanobind::gil_scoped_release meanwhile;
      runtime_of(tensor->device).synchronize(tensor->device.index);
    }
    const bool copy = request.copy && PyObject_IsTrue(request.copy) == 1;
    if (copy) tensor = duplicated(tensor);
    const uint64_t flags = (copy ? kCopied : 0) | (tensor->storage->writable() ? 0 : kReadOnly);
    if (request.max_version && first_of_pair("max_version", request.max_version) >= 1) {
      return export_tensor<Versioned>(std::move(tensor), flags);
    }
    if (flags & kReadOnly) {
      buffer_error(
          "__dlpack__: the tensor is read-only, which only version 1 of DLPack can say; pass max_version=(1, "
          "0)");
    }
    return export_tensor<Unversioned>(std::move(tensor), flags);
  });
}

PyObject* tensor_dlpack_device(PyObject* self, PyObject*) {
  return guarded([&] {
    const DlDevice device = dlpack_device(tensor_of(self)->device);
    return Py_BuildValue("(ii)", device.kind, device.index);
  });
}

PyObject* from_dlpack(PyObject*, PyObject* source) {
  return guarded([&] {
    Object capsule = capsule_of(source);
    if (PyCapsule_IsValid(capsule.get(), CapsuleName<Versioned>::fresh))
      return wrap(import_tensor<Versioned>(capsule.get()));
    if (PyCapsule_IsValid(capsule.get(), CapsuleName<Unversioned>::fresh))
      return wrap(import_tensor<Unversioned>(capsule.get()));
    value_error("from_dlpack: the capsule is no DLPack capsule or was consumed already");
  });
}

}  // namespace dyad::python
