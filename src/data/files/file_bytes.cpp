#include "data/files/file_bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/error.h"

namespace dyad::data {

namespace {

[[noreturn]] void fail(std::string_view owner, const std::string& path, const char* what, int error) {
  runtime_error(owner, ": the file ", path, " ", what, ": ", std::generic_category().message(error));
}

/// An open file, closed at the end of the scope.
class OpenFile {
 public:
  OpenFile(std::string_view owner, const std::string& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) fail(owner, path, "cannot be opened", errno);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { ::close(descriptor_); }

  int descriptor() const { return descriptor_; }
  int64_t size(std::string_view owner, const std::string& path) const {
    struct stat status = {};
    if (::fstat(descriptor_, &status) != 0) fail(owner, path, "cannot be read", errno);
    if (!S_ISREG(status.st_mode)) runtime_error(owner, ": ", path, " is not a file");
    return status.st_size;
  }

 private:
  int descriptor_;
};

/// Reads `size` bytes; a file that became shorter since is an error.
void read_all(std::string_view owner, const std::string& path, int descriptor, uint8_t* to, int64_t size) {
  while (size > 0) {
    const ssize_t got = ::read(descriptor, to, static_cast<size_t>(size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(owner, path, "cannot be read", errno);
    if (got == 0) runtime_error(owner, ": the file ", path, " became shorter while it was read");
    to += got;
    size -= got;
  }
}

}  // namespace

MappedFile::MappedFile(std::string_view owner, std::string path) : path_(std::move(path)) {
  const OpenFile file(owner, path_);
  const int64_t size = file.size(owner, path_);
  if (size == 0) return;
  void* memory = ::mmap(nullptr, static_cast<size_t>(size), PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (memory == MAP_FAILED) fail(owner, path_, "cannot be mapped into memory", errno);
  data_ = static_cast<const uint8_t*>(memory);
  size_ = size;
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<uint8_t*>(data_), static_cast<size_t>(size_));
}

Tensor read_file(std::string_view owner, const std::string& path) {
  const OpenFile file(owner, path);
  const int64_t size = file.size(owner, path);
  if (size == 0) runtime_error(owner, ": the file ", path, " is empty");
  Tensor bytes = empty(DType::kUInt8, {size});
  read_all(owner, path, file.descriptor(), bytes->as<uint8_t>(), size);
  return bytes;
}

}  // namespace dyad::data
