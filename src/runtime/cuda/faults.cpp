#include "runtime/cuda/faults.h"

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <string>

#include "base/error.h"
#include "runtime/cuda/driver.h"

namespace dyad::cuda {

namespace {

constexpr unsigned kMappedForDevices = 3;  ///< portable, and seen by the device
constexpr size_t kRemembered = 4096;

/// The place of one device, and which operators were launched of late.
struct Place {
  std::once_flag made;
  Fault* host = nullptr;
  Fault* device = nullptr;
  std::atomic<uint32_t> tickets{0};
  std::array<const char*, kRemembered> names{};
  std::array<size_t, kRemembered> lengths{};
};

Place& place_of(int device) {
  static std::array<Place, 64> places;
  Place& place = places[static_cast<size_t>(device)];
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

[[noreturn]] void raise_fault(const Fault& fault, std::string_view op) {
  switch (fault.kind) {
    case FaultKind::kIndexRange:
      index_error(op, ": index ", fault.value, " is out of range for an axis of size ", fault.limit);
    case FaultKind::kClassRange:
      value_error(op, ": class ", fault.value, " is out of range; there are ", fault.limit, " classes");
    case FaultKind::kNotFinite:
      value_error(op, ": the input has elements that are not finite");
    case FaultKind::kSingular:
      value_error(op, ": the matrix is singular");
    case FaultKind::kNone:
      break;
  }
  raise(ErrorKind::kInternal, cat("internal error: unknown fault in ", op));
}

}  // namespace

Fault* fault_place(int device, std::string_view op, uint32_t& ticket) {
  Place& place = place_of(device);
  ticket = place.tickets.fetch_add(1, std::memory_order_relaxed);
  place.names[ticket % kRemembered] = op.data();  // names of operators live as long as the process
  place.lengths[ticket % kRemembered] = op.size();
  return place.device;
}

void raise_faults(int device) {
  Place& place = place_of(device);
  if (place.host->kind == FaultKind::kNone) [[likely]]
    return;
  const Fault fault = *place.host;
  std::memset(place.host, 0, sizeof(Fault));
  const size_t at = fault.ticket % kRemembered;
  raise_fault(fault, {place.names[at], place.lengths[at]});
}

}  // namespace dyad::cuda
