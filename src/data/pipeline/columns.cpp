#include "data/pipeline/columns.h"

#include "base/error.h"

namespace dyad::data {

namespace {

void require_column(std::string_view reader, int64_t at, size_t columns) {
  if (at < 0 || at >= static_cast<int64_t>(columns))
    runtime_error(reader, ": column ", at, " was asked for; the row has ", columns, " columns");
}

}  // namespace

Row taken_columns(std::string_view reader, Row& row, const std::vector<int64_t>& take) {
  if (take.size() == 1 && take[0] == 0 && row.size() == 1) return std::exchange(row, {});
  Row made = shared_columns(reader, row, take);
  std::vector<bool> gone(row.size());
  for (const int64_t at : take) gone[static_cast<size_t>(at)] = true;
  Row others;
  for (size_t i = 0; i < row.size(); ++i) {
    if (!gone[i]) others.push_back(std::move(row[i]));
  }
  row = std::move(others);
  return made;
}

Row shared_columns(std::string_view reader, const Row& row, const std::vector<int64_t>& take) {
  Row columns;
  for (const int64_t at : take) {
    require_column(reader, at, row.size());
    columns.push_back(row[static_cast<size_t>(at)]);
  }
  return columns;
}

Row arranged(std::string_view reader, Row&& made, Row&& others, const Columns& columns) {
  const size_t made_count = made.size();
  for (Item& item : others) made.push_back(std::move(item));
  others.clear();
  if (!columns.arrange) return std::move(made);
  const std::vector<int64_t>& order = *columns.arrange;
  if (order.size() != made.size()) {
    const auto expected = static_cast<int64_t>(order.size() + made_count) - static_cast<int64_t>(made.size());
    runtime_error(reader, ": the operations gave ", made_count, " columns; ", expected,
                  " were expected, as many as output_columns names (or input_columns, without it)");
  }
  Row row;
  for (const int64_t at : order) {
    require_column(reader, at, made.size());
    row.push_back(made[static_cast<size_t>(at)]);
  }
  return row;
}

}  // namespace dyad::data
