#pragma once

#include <mutex>
#include <string>

#include "kernels/scalar/table.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

/// A scalar definition with the names of its kernels, which are put together at the first launch.
class DeviceDefinition {
 public:
  struct Names {
    std::string each[kDTypeCount];
    std::string strided[kDTypeCount];
  };

  explicit DeviceDefinition(const Definition& of) : definition(of) {}
  const Names& names() const;
  const Definition definition;

 private:
  mutable std::once_flag named_;
  mutable Names names_;
};

/// The kernel of every elementwise operator; its payload is a DeviceDefinition.
void run_elementwise_on_device(const KernelCall& call);

}  // namespace dyad::kernels
