#include "base/error.h"
#include "data/files/bitmap.h"
#include "data/files/columns.h"

namespace dyad::data {

namespace {

constexpr int64_t kSide = 64;
constexpr int64_t kAcross = 16;
constexpr int64_t kPerFile = kAcross * kAcross;

/// Patches of 64 by 64 pixels, 16 by 16 of them in one bitmap, by number.
class Patches {
 public:
  Patches(std::string_view owner, const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      bitmaps_.push_back(std::make_unique<GreyBitmap>(owner, path));
      const GreyBitmap& bitmap = *bitmaps_.back();
      if (bitmap.height() != kSide * kAcross || bitmap.width() != kSide * kAcross)
        runtime_error(owner, ": the file ", path, " has ", bitmap.height(), " by ", bitmap.width(),
                      " pixels; need ", kSide * kAcross, " by ", kSide * kAcross);
    }
  }
  int64_t size() const { return std::ssize(bitmaps_) * kPerFile; }
  const std::string& path_of(int64_t patch) const {
    return bitmaps_[static_cast<size_t>(patch / kPerFile)]->path();
  }
  Tensor read(int64_t patch) const {
    const GreyBitmap& bitmap = *bitmaps_[static_cast<size_t>(patch / kPerFile)];
    const int64_t top = patch % kPerFile / kAcross * kSide;
    const int64_t left = patch % kAcross * kSide;
    Tensor image = empty(DType::kUInt8, {kSide, kSide, 1});
    for (int64_t y = 0; y < kSide; ++y) bitmap.copy(top + y, left, kSide, image->as<uint8_t>() + y * kSide);
    return image;
  }

 private:
  std::vector<std::unique_ptr<GreyBitmap>> bitmaps_;
};

/// A column of patches, by their numbers.
class PatchColumn final : public Column {
 public:
  PatchColumn(std::string_view owner, std::shared_ptr<const Patches> patches, std::vector<int64_t> numbers)
      : patches_(std::move(patches)), numbers_(std::move(numbers)) {
    for (const int64_t number : numbers_)
      if (number < 0 || number >= patches_->size())
        runtime_error(owner, ": patch ", number, " is named; the bitmaps have ", patches_->size(),
                      " patches");
  }
  int64_t size() const override { return std::ssize(numbers_); }
  Item read(int64_t index) const override { return patches_->read(numbers_[static_cast<size_t>(index)]); }
  std::string origin(int64_t index) const override {
    return patches_->path_of(numbers_[static_cast<size_t>(index)]);
  }

 private:
  std::shared_ptr<const Patches> patches_;
  std::vector<int64_t> numbers_;
};

/// Patches, or pairs of patches and whether they show the same point.
SourceRef open_photo_tour(const Attributes& attributes) {
  const std::string& owner = attributes.text("owner");
  const auto patches = std::make_shared<const Patches>(owner, attributes.texts("files"));
  std::vector<std::string> names;
  std::vector<ColumnRef> columns;
  for (const std::string& name : attributes.texts("columns")) {
    names.push_back(name);
    columns.push_back(std::make_shared<PatchColumn>(owner, patches, attributes.integers(name)));
  }
  if (attributes.has("matches")) {
    names.emplace_back("matches");
    columns.push_back(array_column(attributes.tensor("matches")));
  }
  return std::make_shared<ColumnsSource>(owner, std::move(names), std::move(columns));
}

DYAD_SOURCE(photo_tour, open_photo_tour);

}  // namespace

}  // namespace dyad::data
