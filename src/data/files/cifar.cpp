#include "base/error.h"
#include "data/files/columns.h"
#include "data/files/file_bytes.h"

namespace dyad::data {

namespace {

constexpr int64_t kSide = 32;
constexpr int64_t kPlane = kSide * kSide;
constexpr int64_t kImage = 3 * kPlane;

/// The records of CIFAR's binary files: one or two bytes of labels, then a plane each of red, green and blue.
class CifarSource final : public Source {
 public:
  explicit CifarSource(const Attributes& attributes)
      : owner_(attributes.text("owner")), labels_(attributes.texts("columns")) {
    DYAD_ASSERT(labels_.size() >= 2);
    labels_.erase(labels_.begin());  // the image
    record_ = std::ssize(labels_) + kImage;
    for (const std::string& path : attributes.texts("files")) add_file(path);
  }

  int64_t size() const override { return total_; }
  std::vector<std::string> columns() const override {
    std::vector<std::string> names = {"image"};
    names.insert(names.end(), labels_.begin(), labels_.end());
    return names;
  }

  Row read(int64_t index) const override {
    require_row(owner_, index, total_);
    const uint8_t* record = record_of(index);
    Row row = {image(record + labels_.size())};
    for (size_t i = 0; i < labels_.size(); ++i)
      row.emplace_back(one_number(DType::kUInt32, static_cast<uint32_t>(record[i])));
    return row;
  }

  /// The finest label.
  std::vector<int64_t> classes() const override {
    std::vector<int64_t> numbers;
    for (int64_t i = 0; i < total_; ++i) numbers.push_back(record_of(i)[labels_.size() - 1]);
    return numbers;
  }

  std::string origin(int64_t index) const override {
    require_row(owner_, index, total_);
    return files_[file_of(index)]->path();
  }

 private:
  void add_file(const std::string& path) {
    files_.push_back(std::make_unique<MappedFile>(owner_, path));
    const int64_t bytes = files_.back()->size();
    if (bytes == 0 || bytes % record_ != 0)
      runtime_error(owner_, ": the file ", path, " has ", bytes, " bytes; need a multiple of the ", record_,
                    " bytes of a record of the binary version");
    begins_.push_back(total_);
    total_ += bytes / record_;
  }

  size_t file_of(int64_t index) const {
    size_t at = begins_.size() - 1;
    while (begins_[at] > index) --at;
    return at;
  }

  const uint8_t* record_of(int64_t index) const {
    const size_t file = file_of(index);
    return files_[file]->data() + (index - begins_[file]) * record_;
  }

  static Tensor image(const uint8_t* planes) {
    Tensor image = empty(DType::kUInt8, {kSide, kSide, 3});
    uint8_t* to = image->as<uint8_t>();
    for (int64_t i = 0; i < kPlane; ++i) {
      to[3 * i] = planes[i];
      to[3 * i + 1] = planes[kPlane + i];
      to[3 * i + 2] = planes[2 * kPlane + i];
    }
    return image;
  }

  std::string owner_;
  std::vector<std::string> labels_;
  int64_t record_ = 0;
  std::vector<std::unique_ptr<MappedFile>> files_;
  std::vector<int64_t> begins_;  ///< number of the first record of each file
  int64_t total_ = 0;
};

SourceRef open_cifar(const Attributes& attributes) { return std::make_shared<CifarSource>(attributes); }

DYAD_SOURCE(cifar, open_cifar);

}  // namespace

}  // namespace dyad::data
