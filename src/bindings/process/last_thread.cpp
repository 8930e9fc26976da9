#include "bindings/process/last_thread.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace nb = nanobind;

namespace dyad::python {

namespace {

/// A thread that compiles is waited for no longer than this.
constexpr std::chrono::seconds kLongestWait(10);

std::atomic<bool> ending{false};
std::atomic<std::thread::id> last_thread;
/// Threads in calls of compiled functions, and those at work without the global lock.
std::atomic<int> calling{0};
std::atomic<int> working{0};
thread_local int calls_here = 0;

bool stays_behind() {
  return ending.load(std::memory_order_acquire) && last_thread.load() != std::this_thread::get_id();
}

/// For a thread without the global lock: it stays here until the process is gone.
[[noreturn]] void stay() {
  if (calls_here > 0) --calling;
  for (;;) pause();
}

void wait_for_others() {
  last_thread.store(std::this_thread::get_id());
  ending.store(true, std::memory_order_release);
  PyThreadState* state = PyEval_SaveThread();
  const auto start = std::chrono::steady_clock::now();
  while ((calling.load() > 0 || working.load() > 0) &&
         std::chrono::steady_clock::now() - start < kLongestWait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  PyEval_RestoreThread(state);
}

/// A child of fork() has none of the other threads.
void forget_others() {
  calling = calls_here > 0 ? 1 : 0;
  working = 0;
}

}  // namespace

void* release_lock() {
  ++working;
  return PyEval_SaveThread();
}

void acquire_lock(void* state) {
  if (stays_behind()) {
    --working;
    stay();
  }
  // Counted until it has the lock, so that the interpreter does not end while this thread asks for it.
  PyEval_RestoreThread(static_cast<PyThreadState*>(state));
  --working;
}

bool may_ask_for_lock() { return !stays_behind(); }

CallInFlight::CallInFlight() {
  if (calls_here == 0 && stays_behind()) {
    PyEval_SaveThread();
    stay();
  }
  if (calls_here++ == 0) ++calling;
}

CallInFlight::~CallInFlight() {
  if (--calls_here == 0) --calling;
}

void watch_end() {
  pthread_atfork(nullptr, nullptr, forget_others);
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(wait_for_others));
}

}  // namespace dyad::python
