#pragma once

#include <nanobind/nanobind.h>

namespace dyad::python {

// What becomes of the program's other threads when the interpreter ends. A daemon thread may then be anywhere
// in a compiled function, and an interpreter that is gone ends a thread that asks for its global lock by
// unwinding its stack, which C++ does not survive. So before the interpreter ends, the thread that ends it
// lets the others reach a place where they wait for the lock, and there they stay.

/// Gives up the global lock for long work, and takes it back.
void* release_lock();
void acquire_lock(void* state);
/// Whether a thread that has no global lock may ask for it.
bool may_ask_for_lock();

/// A call of a compiled function, which begins and ends with the global lock.
class CallInFlight {
 public:
  CallInFlight();
  ~CallInFlight();
  CallInFlight(const CallInFlight&) = delete;
  CallInFlight& operator=(const CallInFlight&) = delete;
};

/// Has the interpreter wait for other threads when it ends.
void watch_end();

}  // namespace dyad::python
