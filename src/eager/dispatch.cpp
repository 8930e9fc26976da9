#include "eager/dispatch.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

#include "base/error.h"
#include "eager/placement.h"
#include "eager/profile.h"
#include "eager/release_host_lock.h"
#include "runtime/device.h"
#include "runtime/kernel.h"
#include "tensor/host_route.h"
#include "tensor/writes.h"

namespace dyad::eager {

namespace {

HostLock host_lock;
Tape* tape = nullptr;
Tracer* capture = nullptr;

bool captured(const Op& op, std::span<const Arg> args, const Value* target = nullptr) {
  if (Storage::captures.load(std::memory_order_relaxed) == 0) [[likely]]
    return false;
  return capture->takes(op, args, target);
}

/// Kernels of a kind of device in the order of operator ids: dispatch is an array access.
std::vector<Kernel>& linked(DeviceKind kind = DeviceKind::kCpu) {
  static std::array<std::vector<Kernel>, kDeviceKindCount> kernels;
  return kernels[static_cast<size_t>(kind)];
}

/// In place of a kernel that a device does not have; it was registered with its operator.
void take_host_route(const KernelCall& call) {
  run_on_host(call, static_cast<const Op*>(call.payload())->updates);
}

void link_kernels(DeviceKind kind) {
  for (const Op* op : OpTable::instance().all()) {
    Kernel kernel = KernelRegistry::instance().find(op->name, kind);
    const bool host = kind != DeviceKind::kCpu && !kernel.run && !op->body && !op->decomposition;
    if (host && linked()[static_cast<size_t>(op->id)].run) kernel = {take_host_route, op};
    linked(kind).push_back(kernel);
  }
}

/// What stands for the operator where a device has no kernel for it.
BodyRule body_on(const Op& op, Device device) {
  return op.body || device.kind == DeviceKind::kCpu ? op.body : op.decomposition;
}

int64_t bytes_of(const ValueImpl& value) { return value.size() * itemsize(value.dtype); }

int64_t bytes_touched(std::span<const Arg> args, std::span<ValueImpl* const> results) {
  int64_t bytes = 0;
  for (const Arg& arg : args) {
    if (auto* value = arg.get<Value>()) bytes += bytes_of(**value);
    if (auto* list = arg.get<ValueList>()) {
      for (const Value& value : *list) bytes += value ? bytes_of(*value) : 0;
    }
  }
  for (const ValueImpl* result : results) {
    if (result->data) bytes += bytes_of(*result);
  }
  return bytes;
}

void launch(const Op& op, const Kernel& kernel, std::span<const Arg> args,
            std::span<ValueImpl* const> results) {
  const bool here = results.empty() || results.front()->device.kind == DeviceKind::kCpu;
  eager::launch(op, kernel, args, results, here && bytes_touched(args, results) >= kLongWork);
}

Value run_in_place(const Op& op, const Kernel& kernel, std::span<const Arg> args) {
  const Arguments arguments(op.name, args);
  const Value& target = arguments.value(static_cast<size_t>(op.writes));
  TensorImpl& tensor = require_writable(op, target);
  if (op.infer) {
    Results checked;  // in-place rules check; the result is the argument itself
    op.infer(arguments, checked);
  }
  if (op.state) tensor.storage->preserve();
  ValueImpl* result = &tensor;
  launch(op, kernel, args, {&result, 1});
  Writes::add(*tensor.storage);
  return target;
}

template <class Visit>
void for_each_updated(const Op& op, std::span<const Arg> args, const Visit& visit) {
  for (int i : op.updates) {
    const Arg& arg = args[static_cast<size_t>(i)];
    if (auto* value = arg.get<Value>()) visit(*value);
    if (auto* list = arg.get<ValueList>()) {
      for (const Value& value : *list) visit(value);
    }
  }
}

/// Runs an operator that changes some of its arguments besides giving results.
void launch_updating(const Op& op, const Kernel& kernel, std::span<const Arg> args,
                     std::span<ValueImpl* const> results) {
  for_each_updated(op, args, [&](const Value& value) { require_writable(op, value).storage->preserve(); });
  launch(op, kernel, args, results);
  for_each_updated(op, args, [](const Value& value) { Writes::add(*as_tensor(value).storage); });
}

Value result_of(const Op& op, const Arguments& arguments, ResultSpec& spec) {
  if (op.view) {
    ViewSpec view;
    if (op.view(arguments, spec, view)) {
      return make_view(as_tensor(arguments.value(0)), spec.dtype, spec.shape, view.strides, view.offset);
    }
  }
  return {};
}

/// A result of an operator, without memory where its shape depends on data.
Tensor allocate_result(const Op& op, const ResultSpec& spec, Device device) {
  if (!op.data_shape) return empty(spec.dtype, spec.shape, device);
  Tensor tensor(new TensorImpl);
  tensor->dtype = spec.dtype;
  tensor->device = device;
  return tensor;
}

/// What is written in place keeps the dtype and shape of its target.
void require_fit(const Op& op, DType dtype, const Shape& shape, const TensorImpl& target) {
  if (dtype != target.dtype) {
    type_error(op.name, "_: the result has dtype ", dtype, " but is written into ",
               with_article(target.dtype), " tensor; cast the operand first");
  }
  if (!(shape == target.shape)) {
    value_error(op.name, "_: the result has shape ", shape, " but is written into a tensor of shape ",
                target.shape, "; the operand must broadcast to it");
  }
}

[[noreturn]] void refuse_kernel(const Op& op, Device device) {
  unsupported(op.name, ": there is no kernel for ", device_name(device.kind));
}

class EagerBuilder final : public Builder {
 public:
  void apply(const Op& op, std::span<const Arg> args, ValueList& results) override {
    call(op, args, results);
  }
  Value apply_one(const Op& op, std::span<const Arg> args) override { return call_one(op, args); }
};

}  // namespace

TensorImpl& require_writable(const Op& op, const Value& value) {
  TensorImpl& tensor = as_tensor(value);
  if (!tensor.storage->writable()) {
    value_error(op.name, ": the tensor shares the memory of a read-only array; write to a copy instead");
  }
  if (elements_coincide(tensor)) {
    value_error(op.name, ": several elements share one place in memory; write to a copy() instead");
  }
  return tensor;
}

Builder& builder() {
  static EagerBuilder builder;
  return builder;
}

void initialise() {
  static std::once_flag once;
  std::call_once(once, [] {
    TensorImpl::set_builder(&builder());
    link_kernels(DeviceKind::kCpu);
    link_kernels(DeviceKind::kCuda);
  });
}

const Kernel& kernel_of(const Op& op, Device device) {
  return linked(device.kind)[static_cast<size_t>(op.id)];
}

bool takes_host_route(const Op& op) { return kernel_of(op, {DeviceKind::kCuda}).run == take_host_route; }

void launch(const Op& op, const Kernel& kernel, std::span<const Arg> args,
            std::span<ValueImpl* const> results, bool long_work) {
  const ProfiledKernel seen(op, args, results);
  const KernelCall call(Arguments(op.name, args), results, kernel.payload, allocate_into);
  const ReleaseHostLock meanwhile(long_work);
  if (streams_in_use()) [[unlikely]]
    note_uses(args, results);
  kernel.run(call);
  if (launches_block()) [[unlikely]]
    wait_for(call.device());
}

ReleaseHostLock::ReleaseHostLock(bool long_work) : released_(long_work && host_lock.release) {
  if (released_) state_ = host_lock.release();
}

ReleaseHostLock::~ReleaseHostLock() {
  if (released_) host_lock.acquire(state_);
}

bool has_kernel(const Op& op) { return linked()[static_cast<size_t>(op.id)].run != nullptr; }

bool runnable(const Op& op) { return has_kernel(op) || op.body || op.view; }

namespace {

const Op& copy_operator() {
  static const Op& copy = OpTable::instance().get("copy");
  return copy;
}

/// Whether the graph knows what the tensor holds, so that a copy of it is one of the graph. A constant that
/// capture has not seen written is replaced by name once it is: a copy of it made now would go stale.
bool held_by_graph(const Value& target) {
  const Arg given[] = {target};
  return captured(copy_operator(), given);
}

bool lies_in(const Storage* memory, const Value& value) {
  return value && value->is_tensor() && as_tensor(value).storage.get() == memory;
}

bool lies_in(const Storage* memory, std::span<const Arg> args) {
  return std::ranges::any_of(args, [&](const Arg& arg) {
    if (auto* value = arg.get<Value>()) return lies_in(memory, *value);
    auto* list = arg.get<ValueList>();
    return list && std::ranges::any_of(*list, [&](const Value& value) { return lies_in(memory, value); });
  });
}

/// Copies results that lie in the memory of an argument.
void separate(std::span<const Arg> args, std::span<Value> results) {
  for (Value& result : results) {
    if (!result || !result->is_tensor() || !lies_in(as_tensor(result).storage.get(), args)) continue;
    const Arg shared[] = {result};
    result = call_one(copy_operator(), shared);
  }
}

Value run_one_on(Device device, const Op& op, std::span<const Arg> args) {
  const Kernel& kernel = kernel_of(op, device);
  if (op.writes >= 0 && kernel.run) return run_in_place(op, kernel, args);
  const Arguments arguments(op.name, args);
  Results specs;
  op.infer(arguments, specs);
  if (Value view = result_of(op, arguments, specs[0])) return view;
  if (!kernel.run) {
    if (BodyRule body = body_on(op, device)) {
      const DefaultDeviceScope scope(device);
      ValueList results;
      body(Call(arguments, builder()), results);
      return std::move(results.front());
    }
    refuse_kernel(op, device);
  }
  Tensor result = allocate_result(op, specs[0], device);
  ValueImpl* raw = result.get();
  launch_updating(op, kernel, args, {&raw, 1});
  return result;
}

void run_on(Device device, const Op& op, std::span<const Arg> args, ValueList& results) {
  const Kernel& kernel = kernel_of(op, device);
  const Arguments arguments(op.name, args);
  if (!kernel.run) {
    if (BodyRule body = body_on(op, device)) {
      const DefaultDeviceScope scope(device);
      return body(Call(arguments, builder()), results);
    }
    refuse_kernel(op, device);
  }
  Results specs;
  op.infer(arguments, specs);
  std::vector<ValueImpl*> raw;
  for (size_t i = 0; i < specs.size(); ++i) {
    Tensor result = allocate_result(op, specs[i], device);
    raw.push_back(result.get());
    results.push_back(std::move(result));
  }
  launch_updating(op, kernel, args, raw);
}

}  // namespace

void run_body(const Op& op, std::span<const Arg> args, ValueList& results) {
  const DefaultDeviceScope scope(args);
  const size_t before = results.size();
  op.body(Call(Arguments(op.name, args), builder()), results);
  if (op.shares_memory || op.writes >= 0 || !op.updates.empty()) return;
  separate(args, std::span(results.begin(), results.end()).subspan(before));
}

Value run_one(const Op& op, std::span<const Arg> args) {
  if (op.body && !has_kernel(op)) {
    ValueList results;
    run_body(op, args, results);
    return std::move(results.front());
  }
  if (captured(op, args)) [[unlikely]]
    return capture->add_one(op, args);
  if (op.transfers) [[unlikely]]
    return run_transfer(op, args);
  if (devices_in_use()) [[unlikely]] {
    const Device device = device_of(op, args);
    if (device.kind != DeviceKind::kCpu) return run_one_on(device, op, Placed(op, args, device).args());
  }
  return run_one_on({}, op, args);
}

void run(const Op& op, std::span<const Arg> args, ValueList& results) {
  if (op.body && !has_kernel(op)) return run_body(op, args, results);
  if (op.signature.results == 1) {
    results.push_back(run_one(op, args));
    return;
  }
  if (captured(op, args)) [[unlikely]]
    return capture->add(op, args, results);
  if (devices_in_use()) [[unlikely]] {
    const Device device = device_of(op, args);
    if (device.kind != DeviceKind::kCpu) return run_on(device, op, Placed(op, args, device).args(), results);
  }
  run_on({}, op, args, results);
}

std::vector<Arg> with_target_copied(const Value& target, std::span<const Arg> args) {
  std::vector<Arg> replaced(args.begin(), args.end());
  Value copied;
  for (Arg& arg : replaced) {
    auto* value = arg.get<Value>();
    if (!value || *value != target) continue;
    const Arg given[] = {target};
    if (!copied) copied = call_one(copy_operator(), given);
    arg = copied;
  }
  return replaced;
}

void run_into(const Op& op, std::span<const Arg> args, const Value& target) {
  TensorImpl& tensor = require_writable(op, target);
  const Arguments arguments(op.name, args);
  const Kernel& kernel = kernel_of(op, tensor.device);
  bool direct = op.elementwise && kernel.run && !captured(op, args, &target);
  if (op.infer) {
    Results specs;
    op.infer(arguments, specs);
    require_fit(op, specs[0].dtype, specs[0].shape, tensor);
  }
  for (const Arg& arg : args) {
    // Another window on the same memory would be overwritten while it is read.
    auto* value = arg.get<Value>();
    if (!value || *value == target) continue;
    if (may_overlap(as_tensor(*value), tensor)) direct = false;
  }
  if (direct) {
    ValueImpl* raw = &tensor;
    launch(op, kernel, devices_in_use() ? Placed(op, args, tensor.device).args() : args, {&raw, 1});
    Writes::add(*tensor.storage);
    return;
  }
  static const Op& copy_into = OpTable::instance().get("copy_into");
  const Value result =
      held_by_graph(target) ? run_one(op, with_target_copied(target, args)) : run_one(op, args);
  require_fit(op, result->dtype, result->shape, tensor);
  const Arg copied[] = {target, result};
  // No write of state, which would keep what was there for others, and which is never differentiated.
  run_one(copy_into, copied);
}

std::atomic<int> reasons_to_record{0};

namespace {
bool recorded() { return reasons_to_record.load(std::memory_order_relaxed) != 0; }
}  // namespace

Value call_one(const Op& op, std::span<const Arg> args) {
  return recorded() ? tape->call_one(op, args) : run_one(op, args);
}

void call(const Op& op, std::span<const Arg> args, ValueList& results) {
  return recorded() ? tape->call(op, args, results) : run(op, args, results);
}

void call_into(const Op& op, std::span<const Arg> args, const Value& target) {
  return recorded() ? tape->call_into(op, args, target) : run_into(op, args, target);
}

void set_tape(Tape* chosen) { tape = chosen; }

void set_tracer(Tracer* chosen) { capture = chosen; }

void set_host_lock(HostLock lock) { host_lock = lock; }

void yield_host_lock() {
  if (host_lock.release) host_lock.acquire(host_lock.release());
}

}  // namespace dyad::eager
