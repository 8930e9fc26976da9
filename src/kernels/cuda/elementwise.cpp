// Elementwise operators on a device: operands of any stride and broadcast go to the kernels of the scalar
// definitions. Operands that are stored in another dtype than the one that is computed in are converted
// first, but for float16 and bfloat16, which kernels read and write themselves.

#include <algorithm>
#include <memory>
#include <optional>

#include "base/error.h"
#include "kernels/cuda/copy.h"
#include "kernels/cuda/elementwise.h"
#include "kernels/cuda/params/elementwise.h"
#include "kernels/cuda/strided_parts.h"
#include "kernels/scalar/table.h"
#include "runtime/cuda/launch.h"
#include "runtime/kernel.h"
#include "types/scalar.h"

namespace dyad::kernels {

namespace {

constexpr size_t kArrays = cuda::kMostOperands + 1;

[[noreturn]] void refuse_dtype(const Definition& definition, const KernelCall& call, DType dtype) {
  std::string accepted;
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto one = static_cast<DType>(i);
    if (definition.computes_in(one)) accepted += cat(accepted.empty() ? "" : ", ", one);
  }
  type_error(call.op(), ": not defined for ", dtype, "; accepted are ", accepted,
             definition.computes_in(DType::kFloat32) ? ", Float16, BFloat16" : "");
}

/// The dtype that a kernel writes when it reads operands stored as `storage`.
DType written_dtype(LoopKind kind, DType computing, DType storage) {
  if (kind == LoopKind::kComparison || kind == LoopKind::kComplex) return computed_dtype(kind, computing);
  return kind == LoopKind::kRealPart ? real_dtype(storage) : storage;
}

/// The work of one operator call.
class Work {
 public:
  Work(const KernelCall& call, const DeviceDefinition& definition)
      : call_(call), names_(definition.names()), definition_(definition.definition), out_(call.out()) {
    computing_ = computing_dtype(definition_.kind, definition_.operands, call, out_.dtype);
    if (!definition_.computes_in(computing_)) refuse_dtype(definition_, call, computing_);
    storage_ = choose_storage();
  }

  void run() {
    if (out_.size() == 0) return;
    const DType written = written_dtype(definition_.kind, computing_, storage_);
    if (written == out_.dtype) return compute(out_);
    const cuda::DeviceWorkspace held(out_.device.index, static_cast<size_t>(out_.size() * itemsize(written)));
    Window computed(out_, out_.shape, contiguous_strides(out_.shape));
    computed.dtype = written;
    computed.data = held.as<void>();
    compute(computed);
    copy_on_device(computed, out_);
  }

 private:
  bool is_condition(size_t i) const { return definition_.kind == LoopKind::kSelect && i == 0; }

  /// The narrow float in which all tensors are stored, where the result is as well; else what is computed in.
  DType choose_storage() const {
    if (computing_ != DType::kFloat32) return computing_;
    std::optional<DType> common;
    for (size_t i = 0; i < definition_.operands; ++i) {
      if (!call_.is_value(i) || is_condition(i)) continue;
      const DType dtype = call_.in(i).dtype;
      if (!is_narrow_float(dtype) || (common && *common != dtype)) return computing_;
      common = dtype;
    }
    if (!common || written_dtype(definition_.kind, computing_, *common) != out_.dtype) return computing_;
    return *common;
  }

  void compute(ValueImpl& out) {
    cuda::ElementwiseParams params{};
    params.out = out.data;
    Strides strides[kArrays];
    strides[0] = out.strides;
    std::unique_ptr<DeviceContiguous> converted[cuda::kMostOperands];
    for (size_t i = 0; i < definition_.operands; ++i) {
      if (!call_.is_value(i)) {
        store(call_.number(i), is_condition(i) ? DType::kBool : computing_, params.number[i]);
        strides[i + 1] = Strides(out.shape.size(), 0);
        continue;
      }
      const ValueImpl& value = call_.in(i);
      const DType wanted = is_condition(i) ? DType::kBool : storage_;
      params.in[i] = value.data;
      Strides own = value.strides;
      if (value.dtype != wanted) {
        converted[i] = std::make_unique<DeviceContiguous>(value, wanted);
        params.in[i] = converted[i]->as();
        own = contiguous_strides(value.shape);
      }
      strides[i + 1] =
          value.size() == 1 ? Strides(out.shape.size(), 0) : broadcast_strides(value.shape, own, out.shape);
    }
    const StridedLoop loop(out.shape, strides, definition_.operands + size_t{1});
    for_each_part<kArrays>(loop, [&](const auto& index, uint32_t count, const int64_t* offset) {
      launch(params, out.dtype, index, count, offset);
    });
  }

  int64_t bytes_of(size_t array, DType written) const {
    if (array == 0) return itemsize(written);
    return is_condition(array - 1) ? 1 : itemsize(storage_);
  }

  void launch(cuda::ElementwiseParams params, DType written, const cuda::StridedIndex<kArrays>& index,
              uint32_t count, const int64_t* offset) const {
    params.index = index;
    params.count = count;
    params.out = static_cast<char*>(params.out) + offset[0] * bytes_of(0, written);
    for (size_t i = 0; i < definition_.operands; ++i) {
      if (params.in[i])
        params.in[i] = static_cast<const char*>(params.in[i]) + offset[i + 1] * bytes_of(i + 1, written);
    }
    const auto storage = static_cast<size_t>(storage_);
    const int at_once = cuda::elements_at_once(definition_.cost, static_cast<int>(itemsize(storage_)));
    const int device = out_.device.index;
    if (lies_in_packs(params, written, at_once)) {
      cuda::launch(device, names_.each[storage], cuda::cover(count, at_once), params);
    } else {
      cuda::launch(device, names_.strided[storage], cuda::cover(count), params);
    }
  }

  /// Whether every array holds `count` neighbouring elements side by side where the result does, or one for
  /// all of them.
  bool lies_in_packs(const cuda::ElementwiseParams& params, DType written, int count) const {
    const auto& index = params.index;
    const uint32_t last = index.rank - 1;
    if (index.stride[0][last] != 1 && params.count != 1) return false;
    if (last > 0 && index.size[last] % static_cast<uint32_t>(count) != 0) return false;
    for (size_t a = 0; a <= definition_.operands; ++a) {
      const int64_t inner = index.stride[a][last];
      if (inner == 0) continue;
      if (inner != 1) return false;
      const void* data = a == 0 ? params.out : params.in[a - 1];
      const auto alignment = static_cast<uintptr_t>(std::min<int64_t>(16, count * bytes_of(a, written)));
      if (reinterpret_cast<uintptr_t>(data) % alignment != 0) return false;
      for (uint32_t d = 0; d < last; ++d) {
        if (index.stride[a][d] % count != 0) return false;
      }
    }
    return true;
  }

  const KernelCall& call_;
  const DeviceDefinition::Names& names_;
  const Definition& definition_;
  ValueImpl& out_;
  DType computing_;
  DType storage_;
};

}  // namespace

const DeviceDefinition::Names& DeviceDefinition::names() const {
  std::call_once(named_, [this] {
    for (int i = 0; i < kDTypeCount; ++i) {
      const std::string_view dtype = device_dtype_name(static_cast<DType>(i));
      names_.each[i] = cat("each_", definition.name, "_", dtype);
      names_.strided[i] = cat("strided_", definition.name, "_", dtype);
    }
  });
  return names_;
}

void run_elementwise_on_device(const KernelCall& call) {
  Work(call, *static_cast<const DeviceDefinition*>(call.payload())).run();
}

}  // namespace dyad::kernels
