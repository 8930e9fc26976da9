#pragma once

#include <cstddef>
#include <cstdint>

namespace dyad::cuda::emulated {

/// A stack of its own for a thread of the device that waits while others run.
class Fiber {
 public:
  using Body = void (*)();
  /// One that runs `body`, which never returns.
  explicit Fiber(Body body);
  /// That of the calling thread of the host.
  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Begins anew with the same body.
  void restart();
  /// Goes on with `to`; returns when somebody goes on with this one.
  void switch_to(Fiber& to);

 private:
  Body body_ = nullptr;
  char* stack_ = nullptr;
  void* top_ = nullptr;
};

}  // namespace dyad::cuda::emulated
