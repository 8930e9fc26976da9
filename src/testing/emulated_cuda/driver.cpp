// The functions of NVIDIA's driver that Dyad calls, for the emulated device. They are as strict as the driver
// about what it documents: sizes of launches, shared memory, memory that is not page-locked.

#include "runtime/cuda/driver.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "testing/emulated_cuda/block.h"
#include "testing/emulated_cuda/streams.h"

using namespace dyad::cuda;
using namespace dyad::cuda::emulated;

namespace dyad::cuda {

struct CUstream_st {
  Stream* stream;
};
struct CUevent_st {
  std::shared_ptr<Mark> mark;
};
struct CUfunc_st {
  const Kernel* kernel;
  size_t most_shared = 48 << 10;
};
struct CUmod_st {
  std::vector<std::string> entries;
  std::vector<std::unique_ptr<CUfunc_st>> functions;
};

}  // namespace dyad::cuda

namespace {

enum : Status {
  kInvalidValue = 1,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kNotFound = 500,
  kLaunchFailed = 719,
};

constexpr size_t kMostShared = 227 << 10;
constexpr const char* kName = "Dyad emulated device";

Memory& memory() {
  static auto* all = new Memory;
  return *all;
}

int device_count() {
  const char* text = std::getenv("DYAD_EMULATED_DEVICES");
  const long count = text ? std::strtol(text, nullptr, 10) : 2;
  return static_cast<int>(std::clamp<long>(count, 0, Memory::kMostDevices));
}

thread_local int current_device = 0;
std::atomic<Status> failure{kSuccess};  ///< of a kernel; told by every later call, as the driver does

std::mutex& streams_lock = *new std::mutex;
std::vector<Stream*>& streams = *new std::vector<Stream*>;

Stream* open_stream() {
  auto* stream = new Stream(memory());
  const std::lock_guard guard(streams_lock);
  streams.push_back(stream);
  return stream;
}

Stream& of(StreamHandle handle) {
  static Stream* usual = open_stream();
  return handle ? *handle->stream : *usual;
}

Status synchronize_all() {
  std::vector<Stream*> all;
  {
    const std::lock_guard guard(streams_lock);
    all = streams;
  }
  for (Stream* stream : all) stream->wait_until_empty();
  return failure;
}

std::vector<std::string> entries_of(std::string_view ptx) {
  std::vector<std::string> found;
  constexpr std::string_view kMark = ".entry";
  for (size_t at = ptx.find(kMark); at != ptx.npos; at = ptx.find(kMark, at)) {
    at = ptx.find_first_not_of(" \t\n", at + kMark.size());
    const size_t end = ptx.find_first_of("( \t\n", at);
    found.emplace_back(ptx.substr(at, end - at));
    at = end;
  }
  return found;
}

/// Writes the kernel's name to the file that `DYAD_EMULATED_KERNELS` names: a test looks which are used.
void note_kernel(std::string_view name) {
  static std::FILE* file = [] {
    const char* path = std::getenv("DYAD_EMULATED_KERNELS");
    return path ? std::fopen(path, "a") : nullptr;
  }();
  if (!file) return;
  std::fprintf(file, "%.*s\n", static_cast<int>(name.size()), name.data());
  std::fflush(file);
}

template <class T>
T* address(DevicePointer pointer) {
  return reinterpret_cast<T*>(pointer);
}

}  // namespace

#define DYAD_DRIVER_FUNCTION extern "C" __attribute__((visibility("default"))) Status

DYAD_DRIVER_FUNCTION cuInit(unsigned) {
  memory();
  return kSuccess;
}
DYAD_DRIVER_FUNCTION cuDriverGetVersion(int* version) {
  *version = 13000;
  return kSuccess;
}
DYAD_DRIVER_FUNCTION cuDeviceGetCount(int* count) {
  *count = device_count();
  return kSuccess;
}
DYAD_DRIVER_FUNCTION cuDeviceGet(int* device, int ordinal) {
  if (ordinal < 0 || ordinal >= device_count()) return kInvalidDevice;
  *device = ordinal;
  return kSuccess;
}
DYAD_DRIVER_FUNCTION cuDeviceGetName(char* name, int length, int) {
  std::snprintf(name, static_cast<size_t>(length), "%s", kName);
  return kSuccess;
}
DYAD_DRIVER_FUNCTION cuDeviceGetAttribute(int* value, int attribute, int) {
  switch (attribute) {
    case 1:  // threads of a block
    case 2:
    case 3:
      *value = 1024;
      break;
    case 5:  // blocks along x
      *value = 0x7fffffff;
      break;
    case 6:
    case 7:
      *value = 65535;
      break;
    case 8:  // shared memory of a block
      *value = 48 << 10;
      break;
    case 10:
      *value = 32;  // a warp
      break;
    case 12:  // registers of a block
      *value = 65536;
      break;
    case 16:  // multiprocessors: few, so that kernels stride
      *value = 2;
      break;
    case 39:  // threads of a multiprocessor
      *value = 2048;
      break;
    case 38:  // level two cache
      *value = 1 << 20;
      break;
    case 75:
      *value = 9;
      break;
    case 76:
      *value = 0;
      break;
    case 81:  // shared memory of a multiprocessor
    case 97:  // and of a block that asks for it
      *value = static_cast<int>(kMostShared);
      break;
    default:
      *value = 1;
  }
  return kSuccess;
}
DYAD_DRIVER_FUNCTION cuDevicePrimaryCtxRetain(ContextHandle* context, int device) {
  if (device < 0 || device >= device_count()) return kInvalidDevice;
  *context = reinterpret_cast<ContextHandle>(static_cast<uintptr_t>(device) + 1);
  return kSuccess;
}
DYAD_DRIVER_FUNCTION cuCtxSetCurrent(ContextHandle context) {
  current_device = static_cast<int>(reinterpret_cast<uintptr_t>(context)) - 1;
  return kSuccess;
}
DYAD_DRIVER_FUNCTION cuCtxSynchronize() { return synchronize_all(); }

DYAD_DRIVER_FUNCTION cuMemAlloc_v2(DevicePointer* block, size_t bytes) {
  if (bytes == 0) return kInvalidValue;
  void* found = memory().allocate(current_device, bytes);
  *block = reinterpret_cast<DevicePointer>(found);
  return found ? kSuccess : kOutOfMemory;
}
DYAD_DRIVER_FUNCTION cuMemFree_v2(DevicePointer block) {
  if (!block) return kSuccess;
  synchronize_all();
  return memory().release(address<void>(block)) ? kSuccess : kInvalidValue;
}
DYAD_DRIVER_FUNCTION cuMemGetInfo_v2(size_t* free, size_t* total) {
  *total = memory().limit();
  *free = *total - memory().used(current_device);
  return kSuccess;
}
DYAD_DRIVER_FUNCTION cuMemHostAlloc(void** block, size_t bytes, unsigned) {
  *block = memory().allocate_host(bytes);
  return *block ? kSuccess : kOutOfMemory;
}
DYAD_DRIVER_FUNCTION cuMemFreeHost(void* block) {
  synchronize_all();
  return memory().release_host(block) ? kSuccess : kInvalidValue;
}
DYAD_DRIVER_FUNCTION cuMemHostGetDevicePointer_v2(DevicePointer* device, void* block, unsigned) {
  *device = reinterpret_cast<DevicePointer>(block);
  return kSuccess;
}

// Of memory that is not page-locked the driver takes a copy before it returns, and it returns after it has
// written such memory.
DYAD_DRIVER_FUNCTION cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, size_t bytes,
                                          StreamHandle stream) {
  if (memory().is_host(from, bytes)) {
    of(stream).add([=] { std::memcpy(address<void>(to), from, bytes); });
  } else {
    const auto* begin = static_cast<const char*>(from);
    auto taken = std::make_shared<std::vector<char>>(begin, begin + bytes);
    of(stream).add([=] { std::memcpy(address<void>(to), taken->data(), bytes); });
  }
  return failure;
}
DYAD_DRIVER_FUNCTION cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, size_t bytes, StreamHandle stream) {
  of(stream).add([=] { std::memcpy(to, address<void>(from), bytes); });
  if (!memory().is_host(to, bytes)) of(stream).wait_until_empty();
  return failure;
}
DYAD_DRIVER_FUNCTION cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, size_t bytes,
                                          StreamHandle stream) {
  of(stream).add([=] { std::memmove(address<void>(to), address<void>(from), bytes); });
  return failure;
}
DYAD_DRIVER_FUNCTION cuMemsetD8Async(DevicePointer to, unsigned char value, size_t bytes,
                                     StreamHandle stream) {
  of(stream).add([=] { std::memset(address<void>(to), value, bytes); });
  return failure;
}

DYAD_DRIVER_FUNCTION cuStreamCreateWithPriority(StreamHandle* stream, unsigned, int) {
  *stream = new CUstream_st{open_stream()};
  return kSuccess;
}
DYAD_DRIVER_FUNCTION cuStreamDestroy_v2(StreamHandle stream) {
  {
    const std::lock_guard guard(streams_lock);
    std::erase(streams, stream->stream);
  }
  stream->stream->close();
  delete stream;
  return kSuccess;
}
DYAD_DRIVER_FUNCTION cuStreamSynchronize(StreamHandle stream) {
  of(stream).wait_until_empty();
  return failure;
}
DYAD_DRIVER_FUNCTION cuStreamQuery(StreamHandle stream) {
  if (failure != kSuccess) return failure;
  return of(stream).is_empty() ? kSuccess : kNotReady;
}
DYAD_DRIVER_FUNCTION cuStreamWaitEvent(StreamHandle stream, EventHandle event, unsigned) {
  if (event->mark) of(stream).wait_for(event->mark);
  return kSuccess;
}

DYAD_DRIVER_FUNCTION cuEventCreate(EventHandle* event, unsigned) {
  *event = new CUevent_st{};
  return kSuccess;
}
DYAD_DRIVER_FUNCTION cuEventDestroy_v2(EventHandle event) {
  delete event;
  return kSuccess;
}
DYAD_DRIVER_FUNCTION cuEventRecord(EventHandle event, StreamHandle stream) {
  event->mark = of(stream).record();
  return kSuccess;
}
DYAD_DRIVER_FUNCTION cuEventSynchronize(EventHandle event) {
  if (event->mark) Stream::wait_until_reached(*event->mark);
  return failure;
}
DYAD_DRIVER_FUNCTION cuEventQuery(EventHandle event) {
  return !event->mark || Stream::is_reached(*event->mark) ? kSuccess : kNotReady;
}
DYAD_DRIVER_FUNCTION cuEventElapsedTime(float* milliseconds, EventHandle begin, EventHandle end) {
  if (!begin->mark || !end->mark) return kInvalidValue;
  if (!Stream::is_reached(*begin->mark) || !Stream::is_reached(*end->mark)) return kNotReady;
  *milliseconds = std::chrono::duration<float, std::milli>(end->mark->reached - begin->mark->reached).count();
  return kSuccess;
}

DYAD_DRIVER_FUNCTION cuModuleLoadData(ModuleHandle* module, const void* image) {
  auto entries = entries_of(static_cast<const char*>(image));
  if (entries.empty()) return kInvalidImage;
  *module = new CUmod_st{std::move(entries), {}};
  return kSuccess;
}
DYAD_DRIVER_FUNCTION cuModuleUnload(ModuleHandle module) {
  synchronize_all();
  delete module;
  return kSuccess;
}
DYAD_DRIVER_FUNCTION cuModuleGetFunction(FunctionHandle* found, ModuleHandle module, const char* name) {
  const std::string_view wanted = name;
  if (std::find(module->entries.begin(), module->entries.end(), wanted) == module->entries.end())
    return kNotFound;
  const Kernel* kernel = find_kernel(name, wanted.size());
  if (!kernel) return kNotFound;
  note_kernel(wanted);
  module->functions.push_back(std::make_unique<CUfunc_st>(CUfunc_st{kernel}));
  *found = module->functions.back().get();
  return kSuccess;
}
DYAD_DRIVER_FUNCTION cuFuncSetAttribute(FunctionHandle f, int attribute, int value) {
  constexpr int kMostDynamicShared = 8;
  if (attribute != kMostDynamicShared) return kSuccess;
  if (value < 0 || static_cast<size_t>(value) > kMostShared) return kInvalidValue;
  f->most_shared = static_cast<size_t>(value);
  return kSuccess;
}
DYAD_DRIVER_FUNCTION cuLaunchKernel(FunctionHandle f, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                    unsigned block_x, unsigned block_y, unsigned block_z,
                                    unsigned shared_bytes, StreamHandle stream, void** parameters, void**) {
  if (failure != kSuccess) return failure;
  const Extent blocks{grid_x, grid_y, grid_z};
  const Extent threads{block_x, block_y, block_z};
  if (blocks.count() == 0 || grid_x > 0x7fffffffu || grid_y > 65535 || grid_z > 65535) return kInvalidValue;
  if (threads.count() == 0 || threads.count() > 1024 || block_z > 64) return kInvalidValue;
  if (shared_bytes > f->most_shared) return kInvalidValue;
  const auto* first = static_cast<const char*>(parameters[0]);
  const Kernel& kernel = *f->kernel;
  // Parameters may ask for an alignment of 16 bytes, as what `new` gives has.
  auto params = std::make_shared<std::vector<char>>(first, first + kernel.params_bytes);
  of(stream).add([=, &kernel] {
    if (!run_blocks(kernel, blocks, threads, shared_bytes, params->data())) failure = kLaunchFailed;
  });
  return kSuccess;
}

/// Runs a function in the order of the stream, with the memory of the device open to it: the emulated
/// libraries compute by it.
DYAD_DRIVER_FUNCTION cuLaunchHostFunc(StreamHandle stream, void (*run)(void*), void* data) {
  if (failure != kSuccess) return failure;
  of(stream).add([=] { run(data); });
  return kSuccess;
}

DYAD_DRIVER_FUNCTION cuGetErrorString(Status status, const char** text) {
  switch (status) {
    case kSuccess:
      *text = "no error";
      break;
    case kInvalidValue:
      *text = "invalid argument";
      break;
    case kOutOfMemory:
      *text = "out of memory";
      break;
    case kInvalidDevice:
      *text = "invalid device ordinal";
      break;
    case kInvalidImage:
      *text = "device kernel image is invalid";
      break;
    case kNotFound:
      *text = "named symbol not found";
      break;
    case kNotReady:
      *text = "device not ready";
      break;
    case kLaunchFailed:
      *text = "unspecified launch failure";
      break;
    default:
      *text = "unrecognized error code";
  }
  return kSuccess;
}
DYAD_DRIVER_FUNCTION cuPointerGetAttribute(void* value, int attribute, DevicePointer pointer) {
  enum { kMemoryType = 2, kDevicePointer = 3, kHostPointer = 4, kOrdinal = 9 };
  const int device = memory().device_of(address<void>(pointer));
  if (device < 0 && !memory().is_host(address<void>(pointer), 1)) return kInvalidValue;
  switch (attribute) {
    case kMemoryType:
      *static_cast<unsigned*>(value) = device < 0 ? 1 : 2;
      return kSuccess;
    case kDevicePointer:
    case kHostPointer:
      *static_cast<DevicePointer*>(value) = pointer;
      return kSuccess;
    case kOrdinal:
      *static_cast<int*>(value) = std::max(device, 0);
      return kSuccess;
    default:
      return kInvalidValue;
  }
}

#define DYAD_CHECK_FUNCTION(symbol, name, parameters) \
  static_assert(std::is_same_v<decltype(&symbol), decltype(Driver::name)>);
DYAD_CUDA_DRIVER(DYAD_CHECK_FUNCTION)
