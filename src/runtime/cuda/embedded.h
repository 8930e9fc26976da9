#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dyad::cuda {

/// The PTX of a kernel of device code that the build embedded; nothing where there is no kernel of that name.
std::optional<std::string> device_code(std::string_view kernel);
/// Whether there is such a kernel; its code stays packed.
bool has_device_code(std::string_view kernel);

}  // namespace dyad::cuda
