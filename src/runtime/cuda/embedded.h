#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dyad::cuda {

/// The PTX of a kernel of device code that the build embedded; nothing where there is no kernel of that name.
std::optional<std::string> device_code(std::string_view kernel);
/// A function with the numbers of its registers, which tools/embed_ptx.py has made relative: byte 1 and a
/// kind of register is a new one, followed by a number the one that came up so many before the last.
std::string with_register_names(std::string_view function);
/// Whether there is such a kernel; its code stays packed.
bool has_device_code(std::string_view kernel);

}  // namespace dyad::cuda
