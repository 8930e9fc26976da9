#pragma once

#include <string>
#include <string_view>

namespace dyad::data {

/// The bytes of a file that was compressed with gzip (`gzip`) or as a zlib stream. A file that is broken or
/// of another format is a RuntimeError in the name of `owner`.
std::string inflate_file(std::string_view owner, const std::string& path, bool gzip);

}  // namespace dyad::data
