// Elements of a tensor that index tensors choose, read and written. Indices stay on the device: one that is
// out of range is reported by the kernel and raised at the next synchronisation.

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.h"
#include "kernels/cpu/overlap.h"
#include "kernels/cpu/reduction.h"
#include "kernels/cuda/copy.h"
#include "kernels/cuda/operand.h"
#include "kernels/cuda/params/index.h"
#include "runtime/context.h"
#include "runtime/cuda/faults.h"
#include "runtime/cuda/launch.h"
#include "runtime/kernel.h"
#include "tensor/host_route.h"
#include "types/index_layout.h"
#include "types/scalar.h"

namespace dyad::kernels {

namespace {

static_assert(static_cast<int>(Reduction::kMin) == static_cast<int>(cuda::Meeting::kMin));

constexpr size_t kArrays = cuda::kMostIndices + 2;

/// One dimension of the chosen elements, and what a step along it is in each array.
struct Axis {
  int64_t size;
  std::array<int64_t, kArrays> stride{};
};

/// The chosen elements, in order, with the tensors that choose them.
class Choice {
 public:
  /// Of a tensor by index tensors, as `index_layout` says.
  Choice(const KernelCall& call, const ValueImpl& indexed, const ValueList& indices) {
    const IndexLayout layout = index_layout(call.op(), indexed.shape, indices);
    result_ = layout.result;
    only_checked_ = numel(result_) == 0 && numel(layout.index_shape) > 0;
    for (int64_t axis : layout.before) add_whole(indexed, static_cast<size_t>(axis));
    const size_t first = axes_.size();
    for (const Dim& size : layout.index_shape) axes_.push_back({size.value()});
    for (int64_t axis : layout.after) add_whole(indexed, static_cast<size_t>(axis));
    for (int64_t axis : layout.indexed) {
      const auto d = static_cast<size_t>(axis);
      const DeviceContiguous& numbers = add_index(*indices[d]);
      const Strides spread =
          broadcast_strides(indices[d]->shape, contiguous_strides(indices[d]->shape), layout.index_shape);
      for (size_t i = 0; i < spread.size(); ++i) axes_[first + i].stride[used_ + 2] = spread[i];
      use_index(numbers, indexed.shape[d].value(), indexed.strides[d]);
    }
  }

  /// Along one axis, by an index for each element.
  Choice(const ValueImpl& indexed, const ValueImpl& index, size_t axis) : result_(index.shape) {
    const DeviceContiguous& numbers = add_index(index);
    const Strides own = contiguous_strides(index.shape);
    for (size_t d = 0; d < index.shape.size(); ++d) {
      axes_.push_back({index.shape[d].value()});
      axes_.back().stride[1] = d == axis ? 0 : indexed.strides[d];
      axes_.back().stride[2] = own[d];
    }
    use_index(numbers, indexed.shape.empty() ? 1 : indexed.shape[axis].value(),
              indexed.shape.empty() ? 1 : indexed.strides[axis]);
  }

  const Shape& result() const { return result_; }
  int64_t count() const { return numel(result_); }
  bool is_one() const { return used_ == 1; }
  /// Whether there are indices to check but, for want of another dimension's elements, nothing to choose.
  bool only_checked() const { return only_checked_; }
  void set_chosen_strides(const Strides& strides) {
    for (size_t d = 0; d < strides.size(); ++d) axes_[d].stride[0] = strides[d];
    merge();
  }
  /// Whether one launch can number the elements.
  bool fits() const { return fits_ && axes_.size() <= cuda::kStridedRank && count() < (int64_t{1} << 31); }

  template <int indices>
  cuda::IndexParams<indices> params(const KernelCall& call, int device) const {
    cuda::IndexParams<indices> made{};
    made.count = static_cast<uint32_t>(count());
    made.indices_used = static_cast<uint32_t>(used_);
    for (size_t k = 0; k < used_; ++k) {
      made.index[k] = index_[k];
      made.size[k] = size_[k];
      made.step[k] = step_[k];
    }
    made.fault = cuda::fault_place(device, call.op(), made.ticket);
    made.walk.rank = static_cast<uint32_t>(axes_.size());
    for (uint32_t d = 0; d < made.walk.rank; ++d) {
      made.walk.size[d] = static_cast<uint32_t>(axes_[d].size);
      made.walk.divisor[d] = cuda::Divisor::of(made.walk.size[d]);
      for (size_t a = 0; a < indices + 2; ++a) made.walk.stride[a][d] = axes_[d].stride[a];
    }
    return made;
  }

 private:
  void add_whole(const ValueImpl& indexed, size_t d) {
    axes_.push_back({indexed.shape[d].value()});
    axes_.back().stride[1] = indexed.strides[d];
  }
  const DeviceContiguous& add_index(const ValueImpl& index) {
    fits_ = fits_ && used_ < static_cast<size_t>(cuda::kMostIndices);
    held_.push_back(std::make_unique<DeviceContiguous>(index, DType::kInt64));
    return *held_.back();
  }
  void use_index(const DeviceContiguous& numbers, int64_t size, int64_t step) {
    if (!fits_) return;
    index_[used_] = numbers.as<int64_t>();
    size_[used_] = size;
    step_[used_++] = step;
  }

  /// Dimensions that all arrays pass through without a jump become one.
  void merge() {
    std::vector<Axis> merged;
    for (const Axis& axis : axes_) {
      if (axis.size == 1) continue;
      bool joins = !merged.empty();
      for (size_t a = 0; joins && a < kArrays; ++a)
        joins = merged.back().stride[a] == axis.stride[a] * axis.size;
      if (joins) {
        merged.back().size *= axis.size;
        merged.back().stride = axis.stride;
      } else {
        merged.push_back(axis);
      }
    }
    if (merged.empty()) merged.push_back({1});
    axes_ = std::move(merged);
  }

  std::vector<Axis> axes_;
  Shape result_;
  std::vector<std::unique_ptr<DeviceContiguous>> held_;
  std::array<const int64_t*, cuda::kMostIndices> index_{};
  std::array<int64_t, cuda::kMostIndices> size_{};
  std::array<int64_t, cuda::kMostIndices> step_{};
  size_t used_ = 0;
  bool fits_ = true;
  bool only_checked_ = false;
};

/// What is written to the chosen elements: a number, or a tensor in their shape and in the dtype of the
/// target.
struct Written {
  std::optional<Scalar> number;
  std::unique_ptr<DeviceContiguous> converted;
  const void* data = nullptr;
  Strides strides;

  Written(const Arg& value, const ValueImpl& target, const Shape& shape) : strides(shape.size(), 0) {
    auto* tensor = value.get<Value>();
    if (!tensor) {
      number = *value.get<Scalar>();
      return;
    }
    const ValueImpl& given = **tensor;
    data = given.data;
    Strides own = given.strides;
    if (given.dtype != target.dtype || (given.size() > 0 && overlap(given, target))) {
      copied(given, target.dtype);
      own = contiguous_strides(given.shape);
    }
    strides = broadcast_strides(given.shape, own, shape);
  }

 private:
  void copied(const ValueImpl& given, DType dtype) {
    if (given.dtype != dtype || !given.contiguous()) {
      converted = std::make_unique<DeviceContiguous>(given, dtype);
      data = converted->as();
      return;
    }
    memory_.emplace(given.device.index, static_cast<size_t>(given.size() * itemsize(dtype)));
    Window apart(given, given.shape, contiguous_strides(given.shape));
    apart.data = memory_->as<void>();
    copy_on_device(given, apart);
    data = apart.data;
  }
  std::optional<cuda::DeviceWorkspace> memory_;
};

const char* gather_name(bool one, int64_t bytes) {
  static constexpr const char* kOne[] = {"index_gather_one_1", "index_gather_one_2", "index_gather_one_4",
                                         "index_gather_one_8", "index_gather_one_16"};
  static constexpr const char* kMany[] = {"index_gather_many_1", "index_gather_many_2", "index_gather_many_4",
                                          "index_gather_many_8", "index_gather_many_16"};
  const size_t at = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : 4;
  return one ? kOne[at] : kMany[at];
}

template <int indices>
void launch_gather(const KernelCall& call, const Choice& choice) {
  ValueImpl& out = call.out();
  auto params = choice.params<indices>(call, out.device.index);
  params.chosen = out.data;
  params.indexed = call.in(0).data;
  cuda::launch(out.device.index, gather_name(indices == 1, itemsize(out.dtype)), cuda::cover(params.count),
               params);
}

void gather(const KernelCall& call, Choice choice) {
  if (choice.only_checked()) return run_on_host(call);
  if (call.out().size() == 0) return;
  choice.set_chosen_strides(call.out().strides);
  if (!choice.fits()) return run_on_host(call);
  if (choice.is_one()) return launch_gather<1>(call, choice);
  launch_gather<cuda::kMostIndices>(call, choice);
}

void run_index_gather(const KernelCall& call) { gather(call, Choice(call, call.in(0), call.values(1))); }

size_t axis_of(const KernelCall& call, size_t at) {
  const int64_t rank = std::max<int64_t>(call.in(0).rank(), 1);
  return static_cast<size_t>(normalize_axis(call.op(), call.integer(at), rank));
}

/// (input, axis, index)
void run_gather_elements(const KernelCall& call) {
  gather(call, Choice(call.in(0), call.in(2), axis_of(call, 1)));
}

template <int indices>
void launch_write(const KernelCall& call, const Choice& choice, const Written& written, Reduction reduction,
                  ValueImpl& target) {
  auto params = choice.params<indices>(call, target.device.index);
  params.chosen = const_cast<void*>(written.data);
  params.indexed = target.data;
  params.meeting = static_cast<cuda::Meeting>(reduction);
  params.is_number = written.number.has_value();
  if (written.number) store(*written.number, target.dtype, params.number);
  cuda::launch(target.device.index,
               cat(indices == 1 ? "index_write_one_" : "index_write_many_", device_dtype_name(target.dtype)),
               cuda::cover(params.count), params);
}

/// False where the device cannot do it.
bool write_chosen(const KernelCall& call, Choice& choice, const Arg& value, Reduction reduction,
                  ValueImpl& target) {
  if (Context::process().deterministic()) return false;  // the CPU writes in order
  const bool whole = is_int(target.dtype) || is_bool(target.dtype);
  if (reduction == Reduction::kDiv && whole) return false;  // a zero is refused
  if (target.dtype == DType::kComplex128 && reduction != Reduction::kNone && reduction != Reduction::kAdd)
    return false;
  if (choice.count() == 0) return !choice.only_checked();
  const Written written(value, target, choice.result());
  choice.set_chosen_strides(written.strides);
  if (!choice.fits()) return false;
  if (choice.is_one()) {
    launch_write<1>(call, choice, written, reduction, target);
  } else {
    launch_write<cuda::kMostIndices>(call, choice, written, reduction, target);
  }
  return true;
}

void run_index_write(const KernelCall& call) {
  Choice choice(call, call.out(), call.values(1));
  if (!write_chosen(call, choice, call[2], reduction_of(call.text(3)), call.out())) run_on_host(call);
}

/// (input, axis, index, src, reduction): `src` may be larger than the index; its leading corner is what is
/// read.
void run_scatter_elements_into(const KernelCall& call) {
  const ValueImpl& index = call.in(2);
  Choice choice(call.out(), index, axis_of(call, 1));
  const Reduction reduction = reduction_of(call.text(4));
  const bool corner = call.is_value(3) && call.in(3).rank() == index.rank();
  const Arg value =
      corner ? Arg(Value(new cuda::DeviceWindow(call.in(3).device, call.in(3).data, call.in(3).dtype,
                                                index.shape, call.in(3).strides)))
             : call[3];
  if (!write_chosen(call, choice, value, reduction, call.out())) run_on_host(call);
}

void run_scatter_elements(const KernelCall& call) {
  copy_on_device(call.in(0), call.out());
  run_scatter_elements_into(call);
}

void run_index_update(const KernelCall& call) {
  copy_on_device(call.in(0), call.out());
  run_index_write(call);
}

/// Adds values up in a result that begins with zeros. Sums of float16 and bfloat16 are kept in float32 until
/// all values are in.
template <class Choose>
void add_up(const KernelCall& call, const Choose& choose) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const DType dtype = compute_dtype(out.dtype);
  const bool direct = dtype == out.dtype;
  std::optional<cuda::DeviceWorkspace> memory;
  Window sums(out, out.shape, contiguous_strides(out.shape));
  if (!direct) {
    memory.emplace(out.device.index, static_cast<size_t>(out.size() * itemsize(dtype)));
    sums.dtype = dtype;
    sums.data = memory->as<void>();
  }
  fill_on_device(sums, 0);
  Choice choice = choose(sums);
  if (!write_chosen(call, choice, call[0], Reduction::kAdd, sums)) return run_on_host(call);
  if (!direct) copy_on_device(sums, out);
}

void run_embed_index(const KernelCall& call) {
  add_up(call, [&](const ValueImpl& sums) { return Choice(call, sums, call.values(2)); });
}

/// (values, indices, axis, size): values are added up where the index of their line says.
void run_place_along(const KernelCall& call) {
  add_up(call, [&](const ValueImpl& sums) { return Choice(sums, call.in(1), axis_of(call, 2)); });
}

}  // namespace

DYAD_CUDA_KERNEL(index_gather, run_index_gather);
DYAD_CUDA_KERNEL(index_write, run_index_write);
DYAD_CUDA_KERNEL(index_update, run_index_update);
DYAD_CUDA_KERNEL(embed_index, run_embed_index);
DYAD_CUDA_KERNEL(place_along, run_place_along);
DYAD_CUDA_KERNEL(gather_elements, run_gather_elements);
DYAD_CUDA_KERNEL(scatter_elements, run_scatter_elements);
DYAD_CUDA_KERNEL(scatter_elements_into, run_scatter_elements_into);

}  // namespace dyad::kernels
