#include "execute/fused_code.h"

#include "eager/dispatch.h"
#include "eager/release_host_lock.h"
#include "tensor/tensor.h"

namespace dyad::execute {

namespace {

/// More ways to lie than this have hardly anything in common that would be worth another piece of code.
constexpr size_t kMostKernels = 16;

}  // namespace

FusedCode::FusedCode(const ir::Function& function) : function_(function) {
  for (const auto& result : function.results) {
    auto& sizes = sizes_.emplace_back();
    for (const Dim dim : result->shape) {
      Size& size = sizes.emplace_back();
      size.known = dim;
      for (size_t p = 0; p < function.params.size() && !dim.known(); ++p) {
        const Shape& shape = function.params[p]->shape;
        for (size_t axis = 0; axis < shape.size(); ++axis) {
          if (shape[axis] == dim) size = {dim, static_cast<int>(p), axis};
        }
      }
      sized_ = sized_ && (dim.known() || size.param >= 0);
    }
  }
}

void FusedCode::note(const FusedProfile& profile, const std::string& name, std::span<const Arg> args,
                     std::span<const Tensor> made) const {
  std::vector<const ValueImpl*> operands;
  std::vector<const ValueImpl*> results;
  for (const Arg& arg : args) operands.push_back(arg.get<Value>()->get());
  for (const Tensor& tensor : made) results.push_back(tensor.get());
  profile.done(name, function_, operands, results);
}

Ref<codegen::Kernel> FusedCode::kernel_for(const codegen::Request& request) const {
  const std::scoped_lock lock(mutex_);
  for (const auto& kernel : kernels_) {
    if (kernel->fits(request.params, request.results)) return kernel;
  }
  if (refused_ || kernels_.size() == kMostKernels) return {};
  Ref<codegen::Kernel> made = codegen::generate({&request, 1}).front();
  refused_ = !made;
  if (made) kernels_.push_back(made);
  return made;
}

bool FusedCode::run(std::span<const Arg> args, std::vector<Arg>& results) const {
  if (!sized_) return false;
  codegen::Request request;
  request.function = &function_;
  std::vector<const void*> operands;
  int64_t bytes = 0;
  for (const Arg& arg : args) {
    const ValueImpl& tensor = **arg.get<Value>();
    if (tensor.device.kind != DeviceKind::kCpu) return false;  // the code is the CPU's
    request.params.push_back({tensor.dtype, tensor.shape, tensor.strides});
    operands.push_back(tensor.data);
    bytes += tensor.size() * itemsize(tensor.dtype);
  }
  for (size_t r = 0; r < sizes_.size(); ++r) {
    Shape shape;
    for (const Size& size : sizes_[r]) {
      shape.push_back(size.param < 0 ? size.known
                                     : request.params[static_cast<size_t>(size.param)].shape[size.axis]);
    }
    const Strides strides = contiguous_strides(shape);
    request.results.push_back({function_.results[r]->dtype, std::move(shape), strides});
  }
  const Ref<codegen::Kernel> kernel = kernel_for(request);
  if (!kernel) return false;
  std::vector<void*> places;
  std::vector<Tensor> made;
  for (const codegen::Layout& result : request.results) {
    made.push_back(empty(result.dtype, result.shape));
    places.push_back(made.back()->data);
    bytes += made.back()->size() * itemsize(result.dtype);
  }
  const Ref<codegen::Launch> launch = kernel->launch(request.params, request.results);
  {
    const eager::ReleaseHostLock meanwhile(bytes >= eager::kLongWork);
    const FusedProfile profile;
    launch->run(operands.data(), places.data());
    if (profile.on()) [[unlikely]]
      note(profile, kernel->name(), args, made);
  }
  for (Tensor& tensor : made) results.emplace_back(Value(std::move(tensor)));
  return true;
}

}  // namespace dyad::execute
