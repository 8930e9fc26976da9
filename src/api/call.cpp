#include "dyad/call.h"

#include "api/held.h"
#include "base/error.h"
#include "eager/dispatch.h"
#include "ops/call.h"

namespace dyad::api {

namespace {

const Op& op_named(std::string_view name) {
  eager::initialise();
  const Op* op = OpTable::instance().find(name);
  if (!op) value_error("call: there is no operator '", name, "'; the op table lists those there are");
  return *op;
}

/// Turns a public argument into the kind that a parameter takes.
class Conversion {
 public:
  Conversion(const Op& op, const Param& param) : op_(op), param_(param) {}

  Arg operator()(std::monostate) const {
    if (!param_.optional) refuse("None");
    return {};
  }
  Arg operator()(const Tensor& tensor) const {
    need({ParamKind::kTensor, ParamKind::kOperand}, "a Tensor");
    return unwrap(op_.name, tensor);
  }
  Arg operator()(bool flag) const {
    need({ParamKind::kBool, ParamKind::kNumber, ParamKind::kOperand}, "a bool");
    return flag;
  }
  Arg operator()(int64_t number) const {
    if (param_.kind == ParamKind::kInts || param_.kind == ParamKind::kSizes) return Dims{number};
    if (param_.kind == ParamKind::kFloats) return Floats{static_cast<double>(number)};
    need({ParamKind::kInt, ParamKind::kFloat, ParamKind::kNumber, ParamKind::kOperand, ParamKind::kOrder,
          ParamKind::kSize, ParamKind::kBound},
         "an int");
    return number;
  }
  Arg operator()(double number) const {
    if (param_.kind == ParamKind::kFloats) return Floats{number};
    need({ParamKind::kFloat, ParamKind::kNumber, ParamKind::kOperand, ParamKind::kOrder}, "a float");
    return number;
  }
  Arg operator()(const std::string& text) const {
    if (param_.kind == ParamKind::kDType) return dtype_named(op_.name, text);
    need({ParamKind::kStr, ParamKind::kOrder}, "text");
    return text;
  }
  Arg operator()(const std::vector<int64_t>& numbers) const {
    if (param_.kind == ParamKind::kFloats) return Floats(numbers.begin(), numbers.end());
    need({ParamKind::kInts, ParamKind::kSizes}, "a list of ints");
    return Dims(numbers.begin(), numbers.end());
  }
  Arg operator()(const std::vector<double>& numbers) const {
    need({ParamKind::kFloats}, "a list of floats");
    return numbers;
  }
  Arg operator()(const std::vector<Tensor>& tensors) const {
    need({ParamKind::kTensors}, "a list of Tensors");
    ValueList values;
    for (const Tensor& tensor : tensors) values.push_back(tensor ? unwrap(op_.name, tensor) : Value());
    return values;
  }

 private:
  void need(std::initializer_list<ParamKind> kinds, std::string_view given) const {
    for (const ParamKind kind : kinds) {
      if (kind == param_.kind) return;
    }
    refuse(given);
  }
  [[noreturn]] void refuse(std::string_view given) const {
    type_error(op_.name, ": ", param_.name, " is ", given, "; need ", kind_text(param_.kind));
  }

  const Op& op_;
  const Param& param_;
};

std::vector<Arg> convert(const Op& op, std::initializer_list<Argument> arguments) {
  const std::vector<Param>& params = op.signature.params;
  if (arguments.size() > params.size()) {
    type_error(op.name, ": got ", arguments.size(), " arguments; takes at most ", params.size());
  }
  std::vector<Arg> args;
  for (const Argument& argument : arguments) {
    args.push_back(std::visit(Conversion(op, params[args.size()]), argument.held()));
  }
  for (size_t i = args.size(); i < params.size(); ++i) {
    if (!params[i].has_default && !params[i].optional)
      type_error(op.name, ": ", params[i].name, " is missing");
  }
  return args;
}

}  // namespace

Tensor call(std::string_view name, std::initializer_list<Argument> arguments) {
  const Op& op = op_named(name);
  if (op.signature.results != 1 || op.signature.results_listed) {
    type_error(op.name, ": has several results; use call_all");
  }
  return wrap(apply_one(eager::builder(), op, convert(op, arguments)));
}

std::vector<Tensor> call_all(std::string_view name, std::initializer_list<Argument> arguments) {
  const Op& op = op_named(name);
  std::vector<Tensor> results;
  for (Value& value : apply(eager::builder(), op, convert(op, arguments)))
    results.push_back(wrap(std::move(value)));
  return results;
}

Tensor operator+(const Tensor& a, const Argument& b) { return call("add", {a, b}); }
Tensor operator-(const Tensor& a, const Argument& b) { return call("sub", {a, b}); }
Tensor operator*(const Tensor& a, const Argument& b) { return call("mul", {a, b}); }
Tensor operator/(const Tensor& a, const Argument& b) { return call("div", {a, b}); }

}  // namespace dyad::api
