#pragma once

#include <string>
#include <vector>

#include "data/pipeline/padding.h"
#include "data/rows/item.h"

namespace dyad::data {

/// Puts the rows of a batch together, column by column. A row is copied into the batch's memory when it
/// comes, so that it need not wait for the others; columns that are padded and texts are kept until the end.
class Stack {
 public:
  /// `stage` and `names`, which may be empty, are for errors.
  Stack(std::string_view stage, size_t rows, const std::vector<Padding>* padding,
        const std::vector<std::string>& names)
      : stage_(stage), rows_(rows), padding_(padding), names_(names) {}
  Stack(std::string_view, size_t, const std::vector<Padding>*, std::vector<std::string>&&) = delete;

  void add(Row&& row);
  /// The batch's columns.
  Row finish();

 private:
  struct Column {
    Tensor whole;              ///< with the rows so far, where they are stacked at once
    char* next = nullptr;      ///< where the next row goes
    size_t bytes = 0;          ///< of a row
    std::vector<Item> values;  ///< of the rows so far, where they are kept
  };

  void start(const Row& row);
  void add_value(size_t position, Item&& item);
  Item finished(size_t position);
  Tensor stacked_numbers(size_t position, const std::vector<Item>& values) const;
  Texts stacked_texts(size_t position, const std::vector<Item>& values) const;
  const Padding* padding_of(size_t position) const;
  std::string name_of(size_t position) const;
  /// "column 1" or "column 'label'".
  std::string column_name(size_t position) const;
  [[noreturn]] void refuse(size_t position, const Item& item) const;
  [[noreturn]] void refuse_pair(size_t position, const std::string& first, const std::string& second) const;

  std::string_view stage_;
  size_t rows_;
  const std::vector<Padding>* padding_;
  const std::vector<std::string>& names_;
  std::vector<Column> columns_;
  size_t added_ = 0;
};

/// A tensor of rows of this shape.
Tensor empty_batch(size_t rows, DType dtype, const Shape& shape);

}  // namespace dyad::data
