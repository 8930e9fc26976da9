#pragma once

#include "base/intrusive.h"

namespace dyad::eager {

/// Knows where in a program its capture is.
class LocationSource {
 public:
  virtual ~LocationSource() = default;
  /// The location that this thread is at; empty where it captures nothing.
  virtual Ref<RefCounted> here() = 0;
  virtual void go(const RefCounted& location) = 0;
};
void set_location_source(LocationSource* source);

/// The location of the program that this thread captures; empty where it captures nothing.
Ref<RefCounted> current_location();

/// While it lives, what this thread writes down comes from that location, if it is one.
class LocationScope {
 public:
  explicit LocationScope(const Ref<RefCounted>& location);
  LocationScope(const LocationScope&) = delete;
  LocationScope& operator=(const LocationScope&) = delete;
  ~LocationScope();

 private:
  Ref<RefCounted> before_;
};

}  // namespace dyad::eager
