#include "data/files/idx.h"

#include "base/error.h"

namespace dyad::data {

namespace {

constexpr int kByte = 0x08;
constexpr int kInt32 = 0x0C;
constexpr int kMostDimensions = 8;

int64_t big_endian(const uint8_t* at) {
  return static_cast<int64_t>(at[0]) << 24 | static_cast<int64_t>(at[1]) << 16 |
         static_cast<int64_t>(at[2]) << 8 | static_cast<int64_t>(at[3]);
}

}  // namespace

IdxFile::IdxFile(std::string_view owner, std::string path) : file_(owner, std::move(path)) {
  read_header(owner);
  int64_t bytes = wide_ ? 4 : 1;
  for (size_t i = 0; i < shape_.size(); ++i) {
    if (shape_[i] == 0) runtime_error(owner, ": the file ", this->path(), " holds no elements");
    if (__builtin_mul_overflow(bytes, shape_[i], &bytes) || bytes > file_.size())
      runtime_error(owner, ": the file ", this->path(), " is truncated: it has ", file_.size(),
                    " bytes, fewer than the sizes in its header need");
    if (i > 0) row_size_ *= shape_[i];
  }
  const auto header = static_cast<int64_t>(4 + 4 * shape_.size());
  if (file_.size() != header + bytes)
    runtime_error(owner, ": the file ", this->path(), " has ", file_.size(), " bytes; its header says ",
                  header + bytes);
  data_ = file_.data() + header;
}

void IdxFile::read_header(std::string_view owner) {
  const uint8_t* at = file_.data();
  const bool known = file_.size() >= 4 && at[0] == 0 && at[1] == 0 && (at[2] == kByte || at[2] == kInt32) &&
                     at[3] >= 1 && at[3] <= kMostDimensions;
  if (!known)
    runtime_error(owner, ": the file ", path(),
                  " is no IDX file of bytes or integers: its first four bytes say something else");
  if (file_.size() < 4 + 4 * at[3])
    runtime_error(owner, ": the file ", path(), " is truncated: it has ", file_.size(),
                  " bytes, fewer than its header");
  wide_ = at[2] == kInt32;
  for (int i = 0; i < at[3]; ++i) shape_.push_back(big_endian(at + 4 + 4 * i));
}

int64_t IdxFile::number(int64_t index, int64_t column) const {
  return wide_ ? static_cast<int32_t>(big_endian(row(index) + 4 * column)) : row(index)[column];
}

}  // namespace dyad::data
