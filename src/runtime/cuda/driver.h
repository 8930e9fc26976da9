#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dyad::cuda {

/// The driver's types, declared here so that no header of CUDA is needed to build.
using Status = int;
using DevicePointer = uint64_t;
using StreamHandle = struct CUstream_st*;
using EventHandle = struct CUevent_st*;
using ContextHandle = struct CUctx_st*;
using ModuleHandle = struct CUmod_st*;
using FunctionHandle = struct CUfunc_st*;

inline constexpr Status kSuccess = 0;
inline constexpr Status kOutOfMemory = 2;
inline constexpr Status kNotReady = 600;

/// The driver's functions that are called: name in the library, name here, parameters.
#define DYAD_CUDA_DRIVER(function)                                                                           \
  function(cuInit, init, (unsigned flags)) function(                                                         \
      cuDriverGetVersion, driver_version,                                                                    \
      (int* version)) function(cuDeviceGetCount, device_count,                                               \
                               (int* count)) function(cuDeviceGet, device_get, (int* device, int ordinal))   \
      function(cuDeviceGetName, device_name, (char* name, int length, int device)) function(                 \
          cuDeviceGetAttribute, device_attribute,                                                            \
          (int* value, int attribute, int device)) function(cuDevicePrimaryCtxRetain, retain_context,        \
                                                            (ContextHandle * context, int device))           \
          function(cuCtxSetCurrent, set_context, (ContextHandle context)) function(                          \
              cuCtxSynchronize, synchronize_context, ()) function(cuMemAlloc_v2, allocate,                   \
                                                                  (DevicePointer * block, size_t bytes))     \
              function(cuMemFree_v2, release, (DevicePointer block)) function(                               \
                  cuMemGetInfo_v2, memory_info,                                                              \
                  (size_t* free,                                                                             \
                   size_t* total)) function(cuMemHostAlloc, allocate_host,                                   \
                                            (void** block, size_t bytes, unsigned flags))                    \
                  function(cuMemFreeHost, release_host, (void* block)) function(                             \
                      cuMemHostGetDevicePointer_v2, host_device_pointer,                                     \
                      (DevicePointer * device, void* block, unsigned flags))                                 \
                      function(cuMemcpyHtoDAsync_v2, copy_to_device,                                         \
                               (DevicePointer to, const void* from, size_t bytes, StreamHandle stream))      \
                          function(cuMemcpyDtoHAsync_v2, copy_to_host,                                       \
                                   (void* to, DevicePointer from, size_t bytes, StreamHandle stream))        \
                              function(                                                                      \
                                  cuMemcpyDtoDAsync_v2, copy_on_device,                                      \
                                  (DevicePointer to, DevicePointer from, size_t bytes, StreamHandle stream)) \
                                  function(                                                                  \
                                      cuMemsetD8Async,                                                       \
                                      fill_bytes,                                                            \
                                      (                                                                      \
                                          DevicePointer                                                      \
                                              to,                                                            \
                                          unsigned char                                                      \
                                              value,                                                         \
                                          size_t bytes,                                                      \
                                          StreamHandle                                                       \
                                              stream)) function(cuStreamCreateWithPriority, create_stream,   \
                                                                (StreamHandle * stream, unsigned flags,      \
                                                                 int priority)) function(cuStreamDestroy_v2, \
                                                                                         destroy_stream,     \
                                                                                         (StreamHandle       \
                                                                                              stream))       \
                                      function(cuStreamSynchronize, synchronize_stream,                      \
                                               (StreamHandle stream))                                        \
                                          function(                                                          \
                                              cuStreamQuery, query_stream,                                   \
                                              (StreamHandle                                                  \
                                                   stream)) function(cuStreamWaitEvent, wait_event,          \
                                                                     (                                       \
                                                                         StreamHandle stream,                \
                                                                         EventHandle                         \
                                                                             event,                          \
                                                                         unsigned flags))                    \
                                              function(                                                      \
                                                  cuEventCreate, create_event,                               \
                                                  (EventHandle * event,                                      \
                                                   unsigned                                                  \
                                                       flags)) function(cuEventDestroy_v2, destroy_event,    \
                                                                        (EventHandle event))                 \
                                                  function(cuEventRecord, record_event,                      \
                                                           (EventHandle event, StreamHandle stream))         \
                                                      function(cuEventSynchronize, synchronize_event,        \
                                                               (EventHandle                                  \
                                                                    event)) function(cuEventQuery,           \
                                                                                     query_event,            \
                                                                                     (EventHandle event))    \
                                                          function(cuEventElapsedTime, elapsed_time,         \
                                                                   (float* milliseconds, EventHandle begin,  \
                                                                    EventHandle                              \
                                                                        end))                                \
                                                              function(                                      \
                                                                  cuModuleLoadData, load_module,             \
                                                                  (ModuleHandle * module,                    \
                                                                   const void*                               \
                                                                       image)) function(cuModuleUnload,      \
                                                                                        unload_module,       \
                                                                                        (ModuleHandle        \
                                                                                             module))        \
                                                                  function(cuModuleGetFunction,              \
                                                                           get_function,                     \
                                                                           (FunctionHandle * found,          \
                                                                            ModuleHandle module,             \
                                                                            const char*                      \
                                                                                name))                       \
                                                                      function(cuFuncSetAttribute,           \
                                                                               set_function_attribute,       \
                                                                               (FunctionHandle f,            \
                                                                                int attribute, int value))   \
                                                                          function(                          \
                                                                              cuLaunchKernel, launch,        \
                                                                              (FunctionHandle f,             \
                                                                               unsigned grid_x,              \
                                                                               unsigned grid_y,              \
                                                                               unsigned grid_z,              \
                                                                               unsigned block_x,             \
                                                                               unsigned block_y,             \
                                                                               unsigned block_z,             \
                                                                               unsigned shared_bytes,        \
                                                                               StreamHandle stream,          \
                                                                               void** parameters,            \
                                                                               void** extra))                \
                                                                              function(cuGetErrorString,     \
                                                                                       error_string,         \
                                                                                       (Status status,       \
                                                                                        const char** text))  \
                                                                                  function(                  \
                                                                                      cuPointerGetAttribute, \
                                                                                      pointer_attribute,     \
                                                                                      (void* value,          \
                                                                                       int attribute,        \
                                                                                       DevicePointer         \
                                                                                           pointer))

/// NVIDIA's driver, opened at run time. On a machine without one nothing is opened and nothing changes.
struct Driver {
#define DYAD_CUDA_POINTER(symbol, name, parameters) Status(*name) parameters = nullptr;
  DYAD_CUDA_DRIVER(DYAD_CUDA_POINTER)
#undef DYAD_CUDA_POINTER
  /// Why there is no driver that can be used; empty where there is one.
  std::string missing;
  int devices = 0;
};

/// Opened at the first call. `DYAD_CUDA_DRIVER` names another library in its place: the emulated device of
/// the tests is one.
const Driver& driver();

/// Raises a RuntimeError, in the name of what was asked of the driver, unless the status is success.
void check(Status status, std::string_view action);

/// Makes the device's context that of the calling thread. A RuntimeError where `in_forked_child`.
void use_device(int index);
/// Whether this process was forked from one that had opened a device: NVIDIA's driver does not work here.
bool in_forked_child();

/// Opens a library of NVIDIA's by the first of these names that is found: in the system, or in the folders in
/// which NVIDIA's wheels for Python put it (`add_library_folder`). Null where there is none.
void* open_library(std::string_view name, std::string_view versions);
/// A further folder that `open_library` looks into.
void add_library_folder(std::string folder);

}  // namespace dyad::cuda
