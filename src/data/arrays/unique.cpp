#include <unordered_map>

#include "base/error.h"
#include "data/rows/transform.h"
#include "types/visit.h"

namespace dyad::data {

namespace {

/// The distinct elements in the order in which they come first, which of them each element is, and how many
/// there are of each.
struct Distinct {
  std::vector<int64_t> first;  ///< where each comes first
  std::vector<int32_t> which;
  std::vector<int32_t> counts;
};

template <class T>
Distinct distinct_of(const T* elements, int64_t size) {
  using Key = std::conditional_t<std::is_integral_v<T>, T, double>;
  std::unordered_map<Key, int32_t> numbers;
  Distinct distinct;
  for (int64_t i = 0; i < size; ++i) {
    const auto next = static_cast<int32_t>(distinct.first.size());
    Key key;
    if constexpr (std::is_arithmetic_v<T>) {
      key = elements[i];
    } else {
      key = static_cast<float>(elements[i]);
    }
    const auto [at, added] = numbers.emplace(key, next);
    if (added) {
      distinct.first.push_back(i);
      distinct.counts.push_back(0);
    }
    distinct.which.push_back(at->second);
    ++distinct.counts[static_cast<size_t>(at->second)];
  }
  return distinct;
}

Tensor list_of(const std::vector<int32_t>& numbers) {
  Tensor tensor = empty(DType::kInt32, {static_cast<int64_t>(numbers.size())});
  std::copy(numbers.begin(), numbers.end(), tensor->as<int32_t>());
  return tensor;
}

Row unique(const Tensor& given) {
  const Tensor source = contiguous(given);
  return visit_dtype(source->dtype, [&](auto typed) -> Row {
    using T = typename decltype(typed)::type;
    if constexpr (is_complex_type<T>) {
      runtime_error("Unique: the column is ", dtype_name(source->dtype), "; need real numbers");
    } else {
      const Distinct distinct = distinct_of(source->as<const T>(), source->size());
      Tensor values = empty(source->dtype, {static_cast<int64_t>(distinct.first.size())});
      for (size_t i = 0; i < distinct.first.size(); ++i)
        values->as<T>()[i] = source->as<const T>()[distinct.first[i]];
      return {values, list_of(distinct.which), list_of(distinct.counts)};
    }
  });
}

TransformRef make_unique(const Attributes&) {
  return of_row([](Row& columns, Random&) {
    if (columns.size() != 1)
      runtime_error("Unique: ", columns.size(), " columns were given; it takes one column");
    columns = unique(columns[0].tensor("Unique"));
  });
}

DYAD_TRANSFORM(unique, make_unique);

}  // namespace

}  // namespace dyad::data
