#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tensor/tensor.h"

namespace dyad::data {

/// A file mapped into memory, to be read by any number of threads. `owner` is the public class whose name
/// errors carry.
class MappedFile {
 public:
  /// A file that cannot be opened or mapped is a RuntimeError that names it. An empty file has no bytes.
  MappedFile(std::string_view owner, std::string path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  const std::string& path() const { return path_; }
  const uint8_t* data() const { return data_; }
  int64_t size() const { return size_; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), static_cast<size_t>(size_)}; }

 private:
  std::string path_;
  const uint8_t* data_ = nullptr;
  int64_t size_ = 0;
};

/// The whole of a file as an array of uint8. A file that is missing, empty or cannot be read is a
/// RuntimeError that names it.
Tensor read_file(std::string_view owner, const std::string& path);

}  // namespace dyad::data
