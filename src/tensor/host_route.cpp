#include "tensor/host_route.h"

#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "runtime/device.h"
#include "tensor/transfer.h"

namespace dyad {

namespace {

HostRouteNotice notice = nullptr;

void tell_once(std::string_view op, Device device) {
  static std::mutex lock;
  static std::set<std::string, std::less<>> told;
  {
    const std::lock_guard guard(lock);
    if (!told.emplace(op).second) return;
  }
  if (notice) {
    notice(cat(op, " is computed on the CPU, with a copy there and back: the ", device_name(device.kind),
               " has no kernel for it, or not for such a call; docs/gpu.md tells which and when"));
  }
}

/// The tensors of a call as they are on the host, each once.
class HostCopies {
 public:
  Value of(const Value& value) {
    if (!value || value->device.kind == DeviceKind::kCpu) return value;
    Tensor& copy = copies_[value.get()];
    if (!copy) copy = value->is_tensor() ? on_host(*value) : Tensor();
    return copy;
  }
  Arg of(const Arg& arg) {
    if (auto* value = arg.get<Value>()) return of(*value);
    auto* list = arg.get<ValueList>();
    if (!list) return arg;
    ValueList copied;
    for (const Value& value : *list) copied.push_back(of(value));
    return copied;
  }
  /// The host's place for a result: the copy of the argument that it is, or memory of its own.
  TensorImpl* result(ValueImpl& value) {
    Tensor& place = copies_[&value];
    if (!place) {
      place = Tensor(new TensorImpl);
      place->dtype = value.dtype;
      if (value.data) allocate_into(*place, value.shape);
    }
    return place.get();
  }
  /// Brings the host's copy of a tensor back to it.
  void write_back(ValueImpl& value) {
    const Tensor& copy = copies_.at(&value);
    if (value.contiguous() && copy->contiguous()) return write_from_host(value, *copy);
    write_extent(value, *copy);
  }

 private:
  static void write_extent(ValueImpl& value, const TensorImpl& copy) {
    // The copy holds all bytes between the first and the last element, as `on_host` left them.
    const Ref<Storage>& bytes = copy.storage;
    const int64_t origin = static_cast<const char*>(copy.data) - static_cast<char*>(bytes->data());
    runtime_of(value.device)
        .copy_to_device(value.device.index, value.as<char>() - origin, bytes->data(), bytes->bytes());
  }

  std::unordered_map<const ValueImpl*, Tensor> copies_;
};

void write_updated(HostCopies& copies, const Arg& arg) {
  if (auto* value = arg.get<Value>()) copies.write_back(**value);
  if (auto* list = arg.get<ValueList>()) {
    for (const Value& value : *list) copies.write_back(*value);
  }
}

}  // namespace

void set_host_route_notice(HostRouteNotice chosen) { notice = chosen; }

void run_on_host(const KernelCall& call, std::span<const int> updates) {
  const Kernel kernel = KernelRegistry::instance().find(call.op(), DeviceKind::kCpu);
  DYAD_ASSERT(kernel.run);
  tell_once(call.op(), call.device());
  HostCopies copies;
  std::vector<Arg> args;
  for (size_t i = 0; i < call.size(); ++i) args.push_back(copies.of(call[i]));
  std::vector<ValueImpl*> results;
  for (size_t i = 0; i < call.out_count(); ++i) results.push_back(copies.result(call.out(i)));
  kernel.run(KernelCall(Arguments(call.op(), args), results, kernel.payload, allocate_into));
  for (size_t i = 0; i < call.out_count(); ++i) {
    if (!call.out(i).data) call.allocate(i, results[i]->shape);
    copies.write_back(call.out(i));
  }
  for (int i : updates) write_updated(copies, call[static_cast<size_t>(i)]);
}

}  // namespace dyad
