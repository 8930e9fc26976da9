#pragma once

#include <atomic>
#include <span>

#include "ops/op.h"
#include "runtime/kernel.h"
#include "tensor/tensor.h"

namespace dyad::eager {

/// Makes the library ready: chooses the kernels for this machine and links them to the operators. Safe to
/// call often.
void initialise();
/// The builder that runs operators when they are called.
Builder& builder();

/// Runs an operator. `args` are all of its arguments, in the order of its signature.
Value call_one(const Op& op, std::span<const Arg> args);
void call(const Op& op, std::span<const Arg> args, ValueList& results);
/// Runs an operator and writes its only result into `target`, which keeps its dtype and shape: `x.add_(y)`.
void call_into(const Op& op, std::span<const Arg> args, const Value& target);
/// The same three without a tape.
Value run_one(const Op& op, std::span<const Arg> args);
void run(const Op& op, std::span<const Arg> args, ValueList& results);
void run_into(const Op& op, std::span<const Arg> args, const Value& target);
/// Runs the body of a composed operator. Results that lie in the memory of an argument become copies unless
/// the entry says that they may (`shares_memory`).
void run_body(const Op& op, std::span<const Arg> args, ValueList& results);
/// The arguments with a copy in place of `target`. A graph writes a result where the dynamic graph changes an
/// operand, and who differentiates the graph still needs the operand.
std::vector<Arg> with_target_copied(const Value& target, std::span<const Arg> args);

/// Carries out operators in dispatch's stead while they are recorded for differentiation.
class Tape {
 public:
  virtual ~Tape() = default;
  virtual Value call_one(const Op& op, std::span<const Arg> args) = 0;
  virtual void call(const Op& op, std::span<const Arg> args, ValueList& results) = 0;
  virtual void call_into(const Op& op, std::span<const Arg> args, const Value& target) = 0;
};
void set_tape(Tape* tape);
/// How many reasons there are to record, in any thread; while there is none, dispatch asks no tape.
extern std::atomic<int> reasons_to_record;

/// Writes operators down in dispatch's stead while a program is captured. It is asked below the tape, so
/// that what is captured can be differentiated as well.
class Tracer {
 public:
  virtual ~Tracer() = default;
  /// Whether the graph that this thread captures takes the operator; `target` is what `run_into` writes to.
  virtual bool takes(const Op& op, std::span<const Arg> args, const Value* target) = 0;
  virtual Value add_one(const Op& op, std::span<const Arg> args) = 0;
  virtual void add(const Op& op, std::span<const Arg> args, ValueList& results) = 0;
};
/// Dispatch asks it only while `Storage::captures` is not 0.
void set_tracer(Tracer* capture);
/// The tensor that an operator is about to change, if its memory may be written; else an error.
TensorImpl& require_writable(const Op& op, const Value& value);

/// Whether the operator can run on the current device: by a kernel, as a view or through its body.
bool runnable(const Op& op);
bool has_kernel(const Op& op);

/// The kernel that an operator runs with on a device; empty where it has none.
const Kernel& kernel_of(const Op& op, Device device = {});
/// Whether there is no kernel of it for the GPU, so that it is computed on the CPU.
bool takes_host_route(const Op& op);
/// Work on fewer bytes than this is over before another thread could use the host's lock.
inline constexpr int64_t kLongWork = 1 << 18;
/// Runs a kernel on arguments that fit and results that have memory, as a plan has made sure. Long work lets
/// the host's other threads run meanwhile.
void launch(const Op& op, const Kernel& kernel, std::span<const Arg> args,
            std::span<ValueImpl* const> results, bool long_work);

/// What a host language does around long work: Python releases its global lock so that other threads go on.
struct HostLock {
  void* (*release)() = nullptr;
  void (*acquire)(void*) = nullptr;
};
void set_host_lock(HostLock lock);
/// Lets the host's other threads run for a moment; for loops of many short steps.
void yield_host_lock();

}  // namespace dyad::eager
