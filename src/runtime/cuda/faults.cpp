#include "runtime/cuda/faults.h"

#include <array>
#include <bit>
#include <cstring>
#include <mutex>
#include <string>

#include "base/delayed_error.h"
#include "base/range_error.h"
#include "runtime/cuda/driver.h"
#include "runtime/listed_rate.h"

namespace dyad::cuda {

namespace {

constexpr unsigned kMappedForDevices = 3;  ///< portable, and seen by the device
constexpr size_t kRemembered = 4096;

/// A launch of late: its operator, and where the program asked for it.
struct Launch {
  std::string_view op;  ///< names of operators live as long as the process
  Ref<LaunchPlace> place;
};

/// The place of one device, and what was launched of late.
struct Place {
  std::once_flag made;
  Fault* host = nullptr;
  Fault* device = nullptr;
  std::mutex lock;  ///< of what follows, and of the fault where there is one
  uint32_t tickets = 0;
  std::array<Launch, kRemembered> launches;
};

LaunchPlaceSource place_source = nullptr;

Place& place_of(int device) {
  static auto* const places = new std::array<Place, 64>;  // what it holds belongs to the host language
  Place& place = (*places)[static_cast<size_t>(device)];
  std::call_once(place.made, [&] {
    use_device(device);
    void* block = nullptr;
    check(driver().allocate_host(&block, sizeof(Fault), kMappedForDevices), "allocating pinned memory");
    std::memset(block, 0, sizeof(Fault));
    DevicePointer seen = 0;
    check(driver().host_device_pointer(&seen, block, 0), "mapping pinned memory");
    place.host = static_cast<Fault*>(block);
    place.device = reinterpret_cast<Fault*>(seen);
  });
  return place;
}

struct Message {
  ErrorKind kind;
  std::string text;
};

Message message_of(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::kIndexRange:
      return {ErrorKind::kIndex,
              cat("index ", fault.value, " is out of range for an axis of size ", fault.limit)};
    case FaultKind::kClassRange:
      return {ErrorKind::kIndex,
              cat("target holds class ", fault.value, "; accepted are 0 to ", fault.limit - 1)};
    case FaultKind::kNotFinite:
      return {ErrorKind::kValue, "the input has elements that are not finite"};
    case FaultKind::kSingular:
      return {ErrorKind::kValue, "the matrix is singular"};
    case FaultKind::kStepRange:
      return {ErrorKind::kIndex, no_listed_rate(fault.value, fault.limit)};
    case FaultKind::kAlpha:
      return {ErrorKind::kValue,
              cat("alpha holds ", std::bit_cast<double>(fault.value), "; every alpha must be above 0")};
    case FaultKind::kRate:
      return {ErrorKind::kValue,
              cat("rate holds ", std::bit_cast<double>(fault.value), "; every rate must be 0 or more")};
    case FaultKind::kWeight:
      return {ErrorKind::kValue, cat("row ", fault.limit, " holds ", std::bit_cast<double>(fault.value),
                                     "; weights must be finite and 0 or more")};
    case FaultKind::kNoWeight:
      return {ErrorKind::kValue,
              cat("the weights of row ", fault.value, " sum to 0; they must sum to more than 0")};
    case FaultKind::kFewWeights:
      return {ErrorKind::kValue, cat("more samples without replacement are asked of row ", fault.value,
                                     " than its ", fault.limit, " positive weights")};
    case FaultKind::kNone:
      break;
  }
  return {ErrorKind::kInternal, "internal error: unknown fault"};
}

[[noreturn]] void raise_fault(const Fault& fault, const Launch& launch) {
  const Message found = message_of(fault);
  if (!launch.place) {
    if (found.kind == ErrorKind::kIndex) range_error(launch.op, ": ", found.text);
    raise(found.kind, cat(launch.op, ": ", found.text));
  }
  const LaunchPlace::Told told = launch.place->tell();
  // The launch of a learning rate bears the optimiser's name, not that of the Cell that holds the list.
  const bool named = told.called.empty() || fault.kind == FaultKind::kStepRange;
  const std::string_view called = named ? launch.op : std::string_view(told.called);
  throw DelayedError(found.kind, cat(called, ": ", found.text, told.lines.empty() ? "" : "\n", told.lines));
}

}  // namespace

void set_launch_place_source(LaunchPlaceSource source) { place_source = source; }

Fault* fault_place(int device, std::string_view op, uint32_t& ticket) {
  Place& place = place_of(device);
  Launch launch{op, place_source ? place_source() : nullptr};  // the old one is let go of without the lock
  const std::lock_guard guard(place.lock);
  ticket = place.tickets++;
  std::swap(place.launches[ticket % kRemembered], launch);
  return place.device;
}

void raise_faults(int device) {
  Place& place = place_of(device);
  if (place.host->kind == FaultKind::kNone) [[likely]]
    return;
  driver().synchronize_context();  // a kernel on another stream may still be writing the rest of it
  Fault fault{};
  Launch launch;
  {
    const std::lock_guard guard(place.lock);
    fault = *place.host;
    std::memset(place.host, 0, sizeof(Fault));
    if (fault.kind == FaultKind::kNone) return;  // another thread has raised it
    launch = place.launches[fault.ticket % kRemembered];
  }
  raise_fault(fault, launch);
}

}  // namespace dyad::cuda
