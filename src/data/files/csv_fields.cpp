#include "data/files/csv_fields.h"

#include "base/text.h"

namespace dyad::data {

namespace {

/// Takes a quoted field from the front; false if it has no end.
bool take_quoted(std::string_view& rest, std::string& field) {
  rest.remove_prefix(1);
  while (true) {
    const size_t quote = rest.find('"');
    if (quote == std::string_view::npos) return false;
    field += rest.substr(0, quote);
    const bool doubled = quote + 1 < rest.size() && rest[quote + 1] == '"';
    rest.remove_prefix(quote + (doubled ? 2 : 1));
    if (!doubled) return true;
    field += '"';
  }
}

}  // namespace

size_t csv_record_end(std::string_view text, size_t at) {
  bool quoted = false;
  while (true) {
    at = text.find_first_of(quoted ? "\"" : "\"\n\r", at);
    if (at == std::string_view::npos) return text.size();
    if (text[at] != '"') return at;
    quoted = !quoted;
    ++at;
  }
}

std::string split_csv_record(std::string_view record, char delimiter, std::vector<std::string>& fields) {
  while (true) {
    std::string& field = fields.emplace_back();
    const auto number = fields.size();
    if (!record.empty() && record[0] == '"') {
      if (!take_quoted(record, field)) return cat("the quote that opens field ", number, " is not closed");
      if (!record.empty() && record[0] != delimiter)
        return cat("field ", number, " goes on after its closing quote; a quote in a field is written twice");
    } else {
      field = record.substr(0, record.find(delimiter));
      if (field.find('"') != std::string::npos)
        return cat("field ", number, " has a quote inside; such a field is written in quotes");
      record.remove_prefix(field.size());
    }
    if (record.empty()) return {};
    record.remove_prefix(1);
  }
}

}  // namespace dyad::data
