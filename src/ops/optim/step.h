#pragma once

#include "ops/op.h"

namespace dyad::optim {

inline constexpr std::string_view kNoGradient = "an optimizer's step is not differentiated";

/// Checks the lists of an optimizer's step: arguments 0 to `lists` - 1 hold parameters, gradients and states,
/// as many of each as there are parameters, of their shapes and of float dtypes. With `last_optional` the
/// last list may be empty.
void require_lists(const Arguments& args, size_t lists, bool last_optional = false);
/// Checks a list of settings: tensors of one element, one for all parameters or one for each. With `optional`
/// it may be empty.
void require_settings(const Arguments& args, size_t argument, std::string_view name, bool optional = false);
/// Checks a list of tensors of one element, one for each parameter.
void require_each(const Arguments& args, size_t argument, std::string_view name);
/// Checks a tensor that holds one number.
void require_number(const Arguments& args, const Value& value, std::string_view name);

/// Checks a list of numbers that needs a certain length: both betas, say.
void require_count(const Arguments& args, size_t argument, std::string_view name, size_t count);

}  // namespace dyad::optim
