#pragma once

#include "base/intrusive.h"

namespace dyad::eager {

/// Knows where in a program its capture is.
class Places {
 public:
  virtual ~Places() = default;
  /// The place that this thread is at; empty where it captures nothing.
  virtual Ref<RefCounted> here() = 0;
  virtual void go(const RefCounted& place) = 0;
};
void set_places(Places* places);

/// The place of the program that this thread captures; empty where it captures nothing.
Ref<RefCounted> place();

/// While it lives, what this thread writes down comes from that place, if it is one.
class AtPlace {
 public:
  explicit AtPlace(const Ref<RefCounted>& place);
  AtPlace(const AtPlace&) = delete;
  AtPlace& operator=(const AtPlace&) = delete;
  ~AtPlace();

 private:
  Ref<RefCounted> before_;
};

}  // namespace dyad::eager
