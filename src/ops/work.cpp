#include "ops/work.h"

#include <algorithm>
#include <string_view>

namespace dyad {

namespace {

using Values = std::span<const ValueImpl* const>;

double size_of(const ValueImpl& value) { return static_cast<double>(value.size()); }

double last_axis(const ValueImpl& value) {
  return value.rank() > 0 ? static_cast<double>(value.shape[value.rank() - 1].value()) : 1.0;
}

double first_axis(const ValueImpl& value) {
  return value.rank() > 0 ? std::max(1.0, static_cast<double>(value.shape[0].value())) : 1.0;
}

/// The rows of the first argument times a matrix.
double product(const Arguments& args, Values results) {
  return 2 * size_of(*results[0]) * last_axis(args.in(0));
}

double convolution(const Arguments& args, Values results) {
  return 2 * size_of(*results[0]) * size_of(args.in(1)) / first_axis(args.in(1));
}

/// The gradient of the result comes first: as many products as the convolution itself took.
double convolution_input_gradient(const Arguments& args, Values) {
  return 2 * size_of(args.in(0)) * size_of(args.in(1)) / first_axis(args.in(1));
}

double convolution_weight_gradient(const Arguments& args, Values results) {
  return 2 * size_of(args.in(0)) * size_of(*results[0]) / first_axis(*results[0]);
}

/// Multiply-adds for one element of the result, from the shape of the filters, which may be packed.
double per_element(const Dims& filters) {
  double size = 1;
  for (size_t i = 1; i < filters.size(); ++i) size *= static_cast<double>(filters[i].value());
  return size;
}

double convolution_last(const Arguments& args, Values results) {
  return 2 * size_of(*results[0]) * per_element(args.dims(3));
}

double convolution_input_gradient_last(const Arguments& args, Values) {
  return 2 * size_of(args.in(0)) * per_element(args.dims(2));
}

/// Two products over all pairs of a query and a key.
double attention_of(const ValueImpl& query, const ValueImpl& key) {
  return 4 * size_of(query) * static_cast<double>(key.shape[key.rank() - 2].value());
}

double attention(const Arguments& args, Values) { return attention_of(args.in(0), args.in(1)); }

/// The scores once more, and four products for the gradients.
double attention_gradient(const Arguments& args, Values) {
  return 2.5 * attention_of(args.in(1), args.in(2));
}

struct Rule {
  std::string_view op;
  double (*flop)(const Arguments& args, Values results);
};

constexpr Rule kRules[] = {
    {"matmul", product},
    {"dense", product},
    {"product", product},
    {"panel_product", product},
    {"convolution", convolution},
    {"convolution_input_gradient", convolution_input_gradient},
    {"convolution_weight_gradient", convolution_weight_gradient},
    {"convolution_last", convolution_last},
    {"convolution_input_gradient_last", convolution_input_gradient_last},
    {"convolution_weight_gradient_last", convolution_weight_gradient},
    {"attention", attention},
    {"attention_gradient", attention_gradient},
};

struct Cost {
  std::string_view op;
  double per_element;  ///< of the first tensor among the arguments
};

constexpr Cost kCosts[] = {
    {"batch_norm_train_last", 9},
    {"batch_norm_train_grad_last", 12},
    {"batch_norm_train_grad_passing_last", 12},
    {"softmax", 5},
    {"log_softmax", 5},
    {"softmax_grad", 4},
    {"log_softmax_grad", 4},
    {"normalize_rows", 8},
    {"normalize_rows_grad", 12},
    {"normalize_rms", 5},
    {"batch_norm_train", 8},
    {"batch_norm_train_grad", 11},
    {"batch_norm_apply", 4},
    {"class_loss", 5},
    {"class_loss_grad", 3},
    {"sum_to", 1},
    {"cumsum", 1},
    {"momentum_step", 4},
    {"sgd_step", 4},
    {"adam_step", 12},
    {"adamw_step", 14},
    {"adam_weight_decay_step", 14},
    {"square_sum_of_all", 2},
    {"scale_all", 1},
};

double elements(const Arg& arg) {
  if (auto* value = arg.get<Value>()) return size_of(**value);
  double all = 0;
  if (auto* list = arg.get<ValueList>()) {
    for (const Value& value : *list) all += value ? size_of(*value) : 0;
  }
  return all;
}

double first_elements(std::span<const Arg> args) {
  for (const Arg& arg : args) {
    if (arg.get<Value>() || arg.get<ValueList>()) return elements(arg);
  }
  return 0;
}

}  // namespace

double flop_of(const Op& op, std::span<const Arg> args, Values results) {
  if (op.elementwise) return results.empty() ? 0 : size_of(*results[0]);
  if (op.reduction != Reduction::kNone) return first_elements(args);
  const auto* rule = std::ranges::find(kRules, std::string_view(op.name), &Rule::op);
  if (rule != std::end(kRules)) return rule->flop(Arguments(op.name, args), results);
  const auto* cost = std::ranges::find(kCosts, std::string_view(op.name), &Cost::op);
  return cost == std::end(kCosts) ? 0 : cost->per_element * first_elements(args);
}

}  // namespace dyad
