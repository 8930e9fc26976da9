#include "base/error.h"
#include "data/files/columns.h"

namespace dyad::data {

namespace {

Spans spans_of(const Attributes& attributes, const std::string& name) {
  return {attributes.integers(name + ".ends"), attributes.integers(name + ".widths")};
}

/// How the files of a column are read: as those of the source, unless the column has a step of its own.
FileSteps steps_of(const Attributes& attributes, const std::string& name) {
  FileSteps steps = file_steps(attributes);
  if (attributes.has(name + ".decode")) steps.decode = attributes.transforms(name + ".decode").at(0);
  return steps;
}

/// The column of that name; `kind` says which attribute it is made from.
ColumnRef make_column(const Attributes& attributes, const std::string& name, std::string_view kind) {
  if (kind == "files") return file_column(attributes.texts(name), steps_of(attributes, name));
  if (kind == "file texts") return file_text_column(attributes.texts(name), attributes.text("owner"));
  if (kind == "array") return array_column(attributes.tensor(name));
  if (kind == "ragged array") return ragged_array_column(attributes.tensor(name), spans_of(attributes, name));
  if (kind == "texts") return text_column(attributes.texts(name));
  DYAD_ASSERT(kind == "ragged texts");
  return ragged_text_column(attributes.texts(name), spans_of(attributes, name));
}

/// Files with what an annotation says of them: the front has listed the files and read the annotations.
SourceRef open_annotated_files(const Attributes& attributes) {
  const std::vector<std::string> names = attributes.texts("columns");
  const std::vector<std::string> kinds = attributes.texts("kinds");
  DYAD_ASSERT(names.size() == kinds.size());
  std::vector<ColumnRef> columns;
  for (size_t i = 0; i < names.size(); ++i) columns.push_back(make_column(attributes, names[i], kinds[i]));
  std::vector<int64_t> classes;
  if (attributes.has("classes")) classes = attributes.integers("classes");
  auto source = std::make_shared<ColumnsSource>(attributes.text("owner"), names, std::move(columns),
                                                std::move(classes));
  if (attributes.has("rows_per_file")) source->set_rows_per_file(attributes.integers("rows_per_file"));
  return source;
}

DYAD_SOURCE(annotated_files, open_annotated_files);

}  // namespace

}  // namespace dyad::data
