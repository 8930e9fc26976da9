#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "data/files/columns.h"
#include "data/files/idx.h"

namespace dyad::data {

namespace {

/// The images of one IDX file and the labels of another.
struct Pair {
  Pair(std::string_view owner, const std::string& images, const std::string& labels, int64_t begin)
      : images(owner, images), labels(owner, labels), begin(begin) {}
  IdxFile images;
  IdxFile labels;
  int64_t begin;  ///< number of the first row in the whole source
};

void check_pair(std::string_view owner, const Pair& pair) {
  const IdxFile& images = pair.images;
  const IdxFile& labels = pair.labels;
  if (images.shape().size() != 3 || images.wide())
    runtime_error(owner, ": the file ", images.path(), " holds no images: it has ", images.shape().size(),
                  " dimensions; need 3, of bytes");
  if (labels.shape().size() > 2)
    runtime_error(owner, ": the file ", labels.path(), " holds no labels: it has ", labels.shape().size(),
                  " dimensions; need 1 or 2");
  if (images.rows() != labels.rows())
    runtime_error(owner, ": ", images.path(), " has ", images.rows(), " images, ", labels.path(), " has ",
                  labels.rows(), " labels; need as many");
}

/// Images and labels in pairs of IDX files: MNIST and its relatives.
class MnistSource final : public Source {
 public:
  explicit MnistSource(const Attributes& attributes)
      : owner_(attributes.text("owner")), whole_labels_(attributes.flag("whole_labels")) {
    const std::vector<std::string> images = attributes.texts("images");
    const std::vector<std::string> labels = attributes.texts("labels");
    DYAD_ASSERT(!images.empty() && images.size() == labels.size());
    for (size_t i = 0; i < images.size(); ++i) add_pair(images[i], labels[i]);
    first_ = attributes.integer("first");
    if (total_ <= first_)
      runtime_error(owner_, ": ", images.front(), " has ", total_, " images; need more than ", first_);
    size_ = std::min(total_ - first_, attributes.integer("most"));
  }

  int64_t size() const override { return size_; }
  std::vector<std::string> columns() const override { return {"image", "label"}; }

  Row read(int64_t index) const override {
    require_row(owner_, index, size_);
    const Pair& pair = pair_of(first_ + index);
    const int64_t row = first_ + index - pair.begin;
    return {image(pair.images, row), label(pair.labels, row)};
  }

  std::vector<int64_t> classes() const override {
    std::vector<int64_t> numbers;
    for (int64_t i = first_; i < first_ + size_; ++i) {
      const Pair& pair = pair_of(i);
      numbers.push_back(pair.labels.number(i - pair.begin, 0));
    }
    return numbers;
  }

  std::string origin(int64_t index) const override {
    require_row(owner_, index, size_);
    return pair_of(first_ + index).images.path();
  }

 private:
  void add_pair(const std::string& images, const std::string& labels) {
    pairs_.push_back(std::make_unique<Pair>(owner_, images, labels, total_));
    const Pair& pair = *pairs_.back();
    check_pair(owner_, pair);
    const std::vector<int64_t>& first = pairs_.front()->images.shape();
    if (!std::equal(first.begin() + 1, first.end(), pair.images.shape().begin() + 1))
      runtime_error(owner_, ": the images in ", pairs_.front()->images.path(), " and ", images,
                    " differ in size");
    total_ += pair.images.rows();
  }

  const Pair& pair_of(int64_t row) const {
    size_t at = pairs_.size() - 1;
    while (pairs_[at]->begin > row) --at;
    return *pairs_[at];
  }

  static Tensor image(const IdxFile& file, int64_t row) {
    Tensor image = empty(DType::kUInt8, {file.shape()[1], file.shape()[2], 1});
    std::memcpy(image->data, file.row(row), static_cast<size_t>(file.row_size()));
    return image;
  }

  Tensor label(const IdxFile& file, int64_t row) const {
    if (!whole_labels_) return one_number(DType::kUInt32, static_cast<uint32_t>(file.number(row, 0)));
    Tensor label = empty(DType::kUInt32, {file.row_size()});
    for (int64_t i = 0; i < file.row_size(); ++i)
      label->as<uint32_t>()[i] = static_cast<uint32_t>(file.number(row, i));
    return label;
  }

  std::string owner_;
  bool whole_labels_;
  std::vector<std::unique_ptr<Pair>> pairs_;
  int64_t total_ = 0;
  int64_t first_ = 0;
  int64_t size_ = 0;
};

SourceRef open_mnist(const Attributes& attributes) { return std::make_shared<MnistSource>(attributes); }

DYAD_SOURCE(mnist, open_mnist);

}  // namespace

}  // namespace dyad::data
