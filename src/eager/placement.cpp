#include "eager/placement.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "ir/graph.h"
#include "ir/printer.h"
#include "runtime/device.h"
#include "tensor/transfer.h"

namespace dyad::eager {

namespace {

thread_local std::optional<Device> default_device_here;

/// Calls `visit` for every tensor whose elements the operator reads or writes.
template <class Visit>
void for_each_tensor(const Op& op, std::span<const Arg> args, const Visit& visit) {
  for (size_t i = 0; i < args.size(); ++i) {
    if (!op.reads_data(i)) continue;
    if (auto* value = args[i].get<Value>()) visit(*value);
    if (auto* list = args[i].get<ValueList>()) {
      for (const Value& value : *list) {
        if (value) visit(value);
      }
    }
  }
}

bool may_join(const Value& value) {
  return value->device.kind == DeviceKind::kCpu && value->rank() == 0 && value->is_tensor();
}

std::string place_name(Device device) {
  if (device.kind == DeviceKind::kCpu) return "the CPU";
  return cat(device_name(device.kind), " ", static_cast<int>(device.index));
}

[[noreturn]] void refuse_mixture(const Op& op, Device a, Device b) {
  runtime_error(op.name, ": one operand lies on ", place_name(a), " and another on ", place_name(b),
                "; move one of them with Tensor.to");
}

[[maybe_unused]] const bool printer_reads_devices = [] {
  ir::set_host_reader([](const ValueImpl& constant) { return Value(on_host(constant)); });
  return true;
}();

Value joined(const Value& value, Device device) {
  return value && !(value->device == device) ? Value(on_device(*value, device)) : value;
}

}  // namespace

Device device_of(const Op& op, std::span<const Arg> args) {
  const ValueImpl* found = nullptr;
  bool any = false;
  for_each_tensor(op, args, [&](const Value& value) {
    any = true;
    if (may_join(value)) return;
    if (found && !(found->device == value->device)) refuse_mixture(op, found->device, value->device);
    found = value.get();
  });
  if (found) return found->device;
  return any ? Device{} : default_device_here.value_or(Context::process().device());
}

DefaultDeviceScope::DefaultDeviceScope(Device device)
    : before_(std::exchange(default_device_here, device)), set_(true) {}

void DefaultDeviceScope::find(std::span<const Arg> args) {
  for (const Arg& arg : args) {
    if (auto* value = arg.get<Value>(); value && found(*value)) return;
    auto* list = arg.get<ValueList>();
    if (list && std::ranges::any_of(*list, [&](const Value& value) { return found(value); })) return;
  }
}

void DefaultDeviceScope::find(std::span<const Value> values) {
  for (const Value& value : values) {
    if (found(value)) return;
  }
}

bool DefaultDeviceScope::found(const Value& value) {
  if (!value || !value->is_tensor() || as_tensor(value).symbolic) return false;
  if (!set_) before_ = default_device_here;
  set_ = true;
  default_device_here = value->device;
  return !may_join(value);  // another one may say more
}

void DefaultDeviceScope::restore() const { default_device_here = before_; }

std::atomic<bool> launch_blocking{false};

void wait_for(Device device) {
  if (device.kind != DeviceKind::kCpu) runtime_of(device).synchronize(device.index);
}

void note_uses(std::span<const Arg> args, std::span<ValueImpl* const> results) {
  for (const Arg& arg : args) {
    ir::for_each_value(arg, [](const Value& value) {
      if (value) note_use(*value);
    });
  }
  for (const ValueImpl* result : results) note_use(*result);
}

Value run_transfer(const Op& op, std::span<const Arg> args) {
  const Arguments arguments(op.name, args);
  return on_device(arguments.in(0), Context::process().named_device("to", arguments.text(1)));
}

Placed::Placed(const Op& op, std::span<const Arg> args, Device device) : given_(args) {
  bool joins = false;
  for_each_tensor(op, args, [&](const Value& value) {
    if (value->device == device) return;
    if (!may_join(value)) refuse_mixture(op, device, value->device);
    joins = true;
  });
  if (!joins) return;
  moved_.assign(args.begin(), args.end());
  for (Arg& arg : moved_) {
    if (auto* value = arg.get<Value>()) arg = joined(*value, device);
    if (auto* list = arg.get<ValueList>()) {
      ValueList values;
      for (const Value& value : *list) values.push_back(joined(value, device));
      arg = std::move(values);
    }
  }
}

}  // namespace dyad::eager
