#include "data/files/file_rows.h"

#include <algorithm>

#include "data/files/columns.h"
#include "data/files/file_bytes.h"

namespace dyad::data {

std::string_view FileRows::open(const std::string& path) {
  auto mapped = std::make_shared<const MappedFile>(owner_, path);
  const std::string_view bytes = mapped->text();
  files_.push_back({path, bytes, std::move(mapped), begins_.size()});
  return bytes;
}

std::string_view FileRows::open(const std::string& path, std::string bytes) {
  auto memory = std::make_shared<const std::string>(std::move(bytes));
  const std::string_view view = *memory;
  files_.push_back({path, view, std::move(memory), begins_.size()});
  return view;
}

std::vector<int64_t> FileRows::rows_per_file() const {
  std::vector<int64_t> counts;
  for (size_t i = 0; i < files_.size(); ++i) {
    const size_t end = i + 1 < files_.size() ? files_[i + 1].first : begins_.size();
    counts.push_back(static_cast<int64_t>(end - files_[i].first));
  }
  return counts;
}

RowBytes FileRows::row(int64_t index) const {
  require_row(owner_, index, size());
  const auto row = static_cast<size_t>(index);
  const auto after = std::upper_bound(files_.begin(), files_.end(), row,
                                      [](size_t wanted, const File& file) { return wanted < file.first; });
  const File& file = *(after - 1);
  const size_t rows_end = after == files_.end() ? begins_.size() : after->first;
  const size_t end = row + 1 < rows_end ? begins_[row + 1] : file.bytes.size();
  return {&file.path, file.bytes, file.bytes.substr(begins_[row], end - begins_[row])};
}

int64_t line_number(std::string_view text, int64_t offset) {
  return 1 + std::count(text.begin(), text.begin() + offset, '\n');
}

}  // namespace dyad::data
