#include "runtime/cuda/driver.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "base/error.h"

namespace dyad::cuda {

namespace {

std::atomic<bool> forked{false};

bool link(Driver& driver, void* library) {
#define DYAD_CUDA_LINK(symbol, name, parameters)                                  \
  driver.name = reinterpret_cast<decltype(driver.name)>(dlsym(library, #symbol)); \
  if (!driver.name) driver.missing = "NVIDIA's driver is too old: it has no " #symbol;
  DYAD_CUDA_DRIVER(DYAD_CUDA_LINK)
#undef DYAD_CUDA_LINK
  return driver.missing.empty();
}

Driver open_driver() {
  Driver driver;
  const char* chosen = std::getenv("DYAD_CUDA_DRIVER");
  const char* name = chosen ? chosen : "libcuda.so.1";
  void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    driver.missing = cat("NVIDIA's driver (", name, ") was not found");
    return driver;
  }
  if (!link(driver, library)) return driver;
  if (const Status status = driver.init(0); status != kSuccess) {
    const char* text = nullptr;
    driver.error_string(status, &text);
    driver.missing = cat("NVIDIA's driver does not start: ", text ? text : "unknown error");
    return driver;
  }
  if (driver.device_count(&driver.devices) != kSuccess || driver.devices == 0)
    driver.missing = "NVIDIA's driver finds no device";
  return driver;
}

std::mutex folders_lock;
std::vector<std::string>& folders() {
  static std::vector<std::string> list;
  return list;
}

}  // namespace

const Driver& driver() {
  static const Driver opened = open_driver();
  return opened;
}

void check(Status status, std::string_view action) {
  if (status == kSuccess) [[likely]]
    return;
  const char* text = nullptr;
  driver().error_string(status, &text);
  runtime_error("GPU: ", action, " failed: ", text ? text : "unknown error", " (CUDA error ", status, ")");
}

bool in_forked_child() { return forked.load(std::memory_order_relaxed); }

void use_device(int index) {
  thread_local int current = -1;
  if (in_forked_child()) [[unlikely]]
    runtime_error(
        "GPU: this process was forked from one that uses the device, where NVIDIA's driver does not work; "
        "start it "
        "with multiprocessing.get_context('spawn')");
  if (current == index) [[likely]]
    return;
  static std::mutex lock;
  static std::vector<ContextHandle> contexts;
  ContextHandle context = nullptr;
  {
    const std::lock_guard guard(lock);
    contexts.resize(static_cast<size_t>(driver().devices));
    ContextHandle& kept = contexts[static_cast<size_t>(index)];
    if (!kept) {
      check(driver().retain_context(&kept, index), "opening the device");
      static const int watched = pthread_atfork(nullptr, nullptr, [] { forked = true; });
      DYAD_ASSERT(watched == 0);
    }
    context = kept;
  }
  check(driver().set_context(context), "choosing the device");
  current = index;
}

void add_library_folder(std::string folder) {
  const std::lock_guard guard(folders_lock);
  folders().push_back(std::move(folder));
}

void* open_library(std::string_view name, std::string_view versions) {
  const std::lock_guard guard(folders_lock);
  while (!versions.empty()) {
    const size_t end = std::min(versions.find(' '), versions.size());
    const std::string file = cat(name, ".so.", versions.substr(0, end));
    if (void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    for (const std::string& folder : folders()) {
      if (void* library = dlopen(cat(folder, "/", file).c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    }
    versions.remove_prefix(std::min(end + 1, versions.size()));
  }
  return nullptr;
}

}  // namespace dyad::cuda
