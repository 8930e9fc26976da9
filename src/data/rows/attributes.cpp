#include "data/rows/attributes.h"

#include "base/error.h"

namespace dyad::data {

bool Attributes::has(std::string_view name) const {
  const auto found = values_.find(name);
  return found != values_.end() && !std::holds_alternative<std::monostate>(found->second);
}

const Attribute& Attributes::at(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) raise(ErrorKind::kInternal, cat("attribute ", name, " is missing"));
  return found->second;
}

template <class T>
const T& Attributes::get(std::string_view name) const {
  const T* value = std::get_if<T>(&at(name));
  if (!value) raise(ErrorKind::kInternal, cat("attribute ", name, " is of another kind"));
  return *value;
}

/// An empty list has no kind of its own, so that it is any.
template <class T>
std::vector<T> Attributes::list(std::string_view name) const {
  const auto* empty = std::get_if<std::vector<int64_t>>(&at(name));
  if (empty && empty->empty()) return {};
  return get<std::vector<T>>(name);
}

bool Attributes::flag(std::string_view name) const { return get<bool>(name); }
int64_t Attributes::integer(std::string_view name) const { return get<int64_t>(name); }

double Attributes::number(std::string_view name) const {
  const auto* whole = std::get_if<int64_t>(&at(name));
  return whole ? static_cast<double>(*whole) : get<double>(name);
}

const std::string& Attributes::text(std::string_view name) const { return get<std::string>(name); }
std::vector<int64_t> Attributes::integers(std::string_view name) const {
  return get<std::vector<int64_t>>(name);
}

std::vector<double> Attributes::numbers(std::string_view name) const {
  const auto* whole = std::get_if<std::vector<int64_t>>(&at(name));
  return whole ? std::vector<double>(whole->begin(), whole->end()) : get<std::vector<double>>(name);
}

std::vector<std::string> Attributes::texts(std::string_view name) const { return list<std::string>(name); }
const Tensor& Attributes::tensor(std::string_view name) const { return get<Tensor>(name); }
DType Attributes::dtype(std::string_view name) const {
  for (int i = 0; i < kDTypeCount; ++i)
    if (dtype_name(static_cast<DType>(i)) == text(name)) return static_cast<DType>(i);
  raise(ErrorKind::kInternal, cat("there is no dtype ", text(name)));
}
std::vector<std::shared_ptr<const Transform>> Attributes::transforms(std::string_view name) const {
  return list<std::shared_ptr<const Transform>>(name);
}
const std::map<std::string, int64_t>& Attributes::numbered_texts(std::string_view name) const {
  return get<std::map<std::string, int64_t>>(name);
}

}  // namespace dyad::data
