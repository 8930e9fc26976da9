#include "base/error.h"
#include "data/files/columns.h"
#include "data/files/file_bytes.h"
#include "data/files/utf8.h"
#include "data/rows/source.h"

namespace dyad::data {

namespace {

/// The whole text of a file each, with the number of its class. Files are read when they are asked for.
class TextFiles final : public Source {
 public:
  explicit TextFiles(const Attributes& attributes)
      : owner_(attributes.text("owner")),
        paths_(attributes.texts("files")),
        labels_(attributes.integers("labels")) {
    DYAD_ASSERT(paths_.size() == labels_.size());
  }

  int64_t size() const override { return static_cast<int64_t>(paths_.size()); }
  std::vector<std::string> columns() const override { return {"text", "label"}; }
  std::vector<int64_t> classes() const override { return labels_; }

  Row read(int64_t index) const override {
    require_row(owner_, index, size());
    const auto at = static_cast<size_t>(index);
    const MappedFile file(owner_, paths_[at]);
    const size_t valid = utf8_end(file.text());
    if (valid < file.text().size())
      runtime_error(owner_, ": the file ", paths_[at], " has a byte that is not UTF-8 at offset ", valid);
    return {one_text(std::string(file.text())), one_number(DType::kInt32, static_cast<int32_t>(labels_[at]))};
  }

 private:
  std::string owner_;
  std::vector<std::string> paths_;
  std::vector<int64_t> labels_;
};

SourceRef open_text_files(const Attributes& attributes) { return std::make_shared<TextFiles>(attributes); }

DYAD_SOURCE(text_files, open_text_files);

}  // namespace

}  // namespace dyad::data
