#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "data/files/columns.h"

namespace dyad::data {

namespace {

namespace fs = std::filesystem;

/// The names in a folder that `wanted` accepts, sorted. A folder that cannot be listed is a RuntimeError.
template <class Wanted>
std::vector<std::string> names_in(std::string_view owner, const fs::path& folder, const Wanted& wanted) {
  std::vector<std::string> names;
  try {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
      if (wanted(entry)) names.push_back(entry.path().filename().string());
  } catch (const fs::filesystem_error& error) {
    runtime_error(owner, ": the folder ", folder.string(), " cannot be listed: ", error.code().message());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool is_folder(const fs::directory_entry& entry) {
  std::error_code ignored;
  return entry.is_directory(ignored);
}

/// Which files of a folder are images: all, or those with one of some extensions.
class Chosen {
 public:
  Chosen(std::string_view owner, std::vector<std::string> extensions)
      : owner_(owner), extensions_(std::move(extensions)) {}
  bool operator()(const fs::directory_entry& entry) const {
    if (!extensions_.empty() && std::find(extensions_.begin(), extensions_.end(),
                                          entry.path().extension().string()) == extensions_.end())
      return false;
    if (is_folder(entry))
      runtime_error(owner_, ": ", entry.path().string(),
                    " is a folder inside of a class; need files only, or `extensions` that choose them");
    return true;
  }

 private:
  std::string_view owner_;
  std::vector<std::string> extensions_;
};

/// The folders of classes with their numbers, sorted by name.
std::map<std::string, int64_t> classes_of(const Attributes& attributes) {
  const std::string& owner = attributes.text("owner");
  const fs::path folder = attributes.text("folder");
  const std::vector<std::string> names = names_in(owner, folder, is_folder);
  std::map<std::string, int64_t> numbers;
  for (size_t i = 0; i < names.size(); ++i) numbers[names[i]] = static_cast<int64_t>(i);
  if (!attributes.has("class_indexing")) return numbers;
  for (const auto& [name, number] : attributes.numbered_texts("class_indexing"))
    if (!numbers.contains(name))
      runtime_error(owner, ": class_indexing names the class ", name, "; there is no such folder in ",
                    folder.string());
  return attributes.numbered_texts("class_indexing");
}

/// Images in one folder per class.
SourceRef open_image_folder(const Attributes& attributes) {
  const std::string& owner = attributes.text("owner");
  const fs::path folder = attributes.text("folder");
  const Chosen chosen(owner, attributes.texts("extensions"));
  std::vector<std::string> paths;
  std::vector<int64_t> classes;
  for (const auto& [name, number] : classes_of(attributes)) {
    for (const std::string& file : names_in(owner, folder / name, chosen))
      paths.push_back((folder / name / file).string());
    classes.resize(paths.size(), number);
  }
  if (paths.empty())
    runtime_error(owner, ": no image was found in ", folder.string(),
                  "; need one folder per class with image files in it");
  Tensor labels = empty(DType::kInt32, {std::ssize(classes)});
  std::copy(classes.begin(), classes.end(), labels->as<int32_t>());
  std::vector<ColumnRef> columns = {file_column(std::move(paths), file_steps(attributes)),
                                    array_column(labels)};
  return std::make_shared<ColumnsSource>(owner, std::vector<std::string>{"image", "label"},
                                         std::move(columns), std::move(classes));
}

DYAD_SOURCE(image_folder, open_image_folder);

}  // namespace

}  // namespace dyad::data
