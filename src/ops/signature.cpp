#include "ops/signature.h"

#include <cctype>
#include <charconv>
#include <limits>

#include "base/error.h"

namespace dyad {

namespace {

constexpr std::pair<std::string_view, ParamKind> kKinds[] = {
    {"Tensor", ParamKind::kTensor},   {"Operand", ParamKind::kOperand}, {"Number", ParamKind::kNumber},
    {"int", ParamKind::kInt},         {"float", ParamKind::kFloat},     {"bool", ParamKind::kBool},
    {"str", ParamKind::kStr},         {"dtype", ParamKind::kDType},     {"ints", ParamKind::kInts},
    {"sizes", ParamKind::kSizes},     {"floats", ParamKind::kFloats},   {"pairs", ParamKind::kPairs},
    {"Tensors", ParamKind::kTensors}, {"Order", ParamKind::kOrder},     {"size", ParamKind::kSize},
    {"Bound", ParamKind::kBound},
};

/// Reads signature text from left to right.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool take(std::string_view token) {
    skip();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) fail(token);
  }
  bool peek(char c) {
    skip();
    return at_ < text_.size() && text_[at_] == c;
  }
  std::string word() {
    skip();
    size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      ++at_;
    if (start == at_) fail("a name");
    return std::string(text_.substr(start, at_ - start));
  }
  /// Text of a default: up to the comma or bracket that ends it.
  std::string default_text() {
    skip();
    size_t start = at_;
    int depth = 0;
    bool quoted = false;
    for (; at_ < text_.size(); ++at_) {
      char c = text_[at_];
      if (c == '\'') quoted = !quoted;
      if (quoted) continue;
      if (depth == 0 && (c == ',' || c == ')')) break;
      if (c == '(') ++depth;
      if (c == ')') --depth;
    }
    return std::string(text_.substr(start, at_ - start));
  }
  [[noreturn]] void fail(std::string_view wanted) const {
    raise(ErrorKind::kInternal,
          cat("internal error: operator signature '", text_, "' needs ", wanted, " at column ", at_));
  }

 private:
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  std::string_view text_;
  size_t at_ = 0;
};

Arg number_from(std::string_view text) {
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  if (text.find_first_of(".e") == std::string_view::npos)
    return static_cast<int64_t>(std::stoll(std::string(text)));
  return std::stod(std::string(text));
}

DType dtype_from(std::string_view text) {
  for (int i = 0; i < kDTypeCount; ++i) {
    if (dtype_name(static_cast<DType>(i)) == text) return static_cast<DType>(i);
  }
  raise(ErrorKind::kInternal, cat("internal error: '", text, "' is no dtype in an operator signature"));
}

Arg value_from(const std::string& text, ParamKind kind) {
  if (text == "None") return {};
  if (text == "True") return true;
  if (text == "False") return false;
  if (text.front() == '\'') return text.substr(1, text.size() - 2);
  if (text.front() == '(') {
    Dims dims;
    Floats numbers;
    std::string inner = text.substr(1, text.size() - 2);
    for (size_t start = 0; start < inner.size();) {
      size_t comma = std::min(inner.find(',', start), inner.size());
      const std::string entry = inner.substr(start, comma - start);
      if (comma > start && kind == ParamKind::kFloats) numbers.push_back(std::stod(entry));
      if (comma > start && kind != ParamKind::kFloats) dims.push_back(std::stoll(entry));
      start = comma + 1;
    }
    return kind == ParamKind::kFloats ? Arg(numbers) : Arg(dims);
  }
  if (kind == ParamKind::kDType) return dtype_from(text);
  Arg number = number_from(text);
  if (kind == ParamKind::kInts || kind == ParamKind::kSizes) return Dims{number.get<Scalar>()->to_int()};
  if (kind == ParamKind::kFloats) return Floats{number.get<Scalar>()->to_double()};
  return number;
}

Param parse_param(Reader& read) {
  Param param;
  param.name = read.word();
  read.expect(":");
  const std::string kind = read.word();
  bool known = false;
  for (auto [text, value] : kKinds) {
    if (text == kind) {
      param.kind = value;
      known = true;
    }
  }
  if (!known) read.fail("a known kind");
  param.optional = read.take("?");
  if (read.take("=")) {
    param.has_default = true;
    param.default_text = read.default_text();
    param.default_value = value_from(param.default_text, param.kind);
  }
  return param;
}

void parse_results(Reader& read, Signature& signature) {
  if (!read.take("->")) return;
  if (read.take("Tensors")) {
    signature.results = -1;
  } else if (read.take("(")) {
    signature.results = 0;
    while (!read.take(")")) {
      read.expect("Tensor");
      ++signature.results;
      read.take(",");
    }
    signature.results_listed = true;
  } else if (read.take("None")) {
    signature.results = 0;
  } else {
    read.expect("Tensor");
    if (read.take("or")) {
      read.expect("Tensors");
      signature.results = -1;
      signature.lone_result = true;
    }
  }
}

}  // namespace

std::string_view kind_text(ParamKind kind) {
  switch (kind) {
    case ParamKind::kTensor:
      return "a Tensor";
    case ParamKind::kOperand:
      return "a Tensor or a number";
    case ParamKind::kNumber:
    case ParamKind::kBound:
      return "a number";
    case ParamKind::kInt:
    case ParamKind::kSize:
      return "an int";
    case ParamKind::kFloat:
      return "a float";
    case ParamKind::kBool:
      return "a bool";
    case ParamKind::kStr:
      return "a str";
    case ParamKind::kDType:
      return "a dtype";
    case ParamKind::kInts:
      return "an int or a tuple of ints";
    case ParamKind::kSizes:
      return "an int, None or a tuple of them";
    case ParamKind::kFloats:
      return "a number or a tuple of numbers";
    case ParamKind::kPairs:
      return "a tuple of pairs of ints";
    case ParamKind::kTensors:
      return "a tuple or list of Tensors";
    case ParamKind::kOrder:
      return "a number or a str";
  }
  return "?";
}

int Signature::find(std::string_view param) const {
  for (size_t i = 0; i < params.size(); ++i) {
    if (params[i].name == param) return static_cast<int>(i);
  }
  return -1;
}

Signature parse_signature(std::string_view text) {
  Reader read(text);
  Signature signature;
  signature.name = read.word();
  read.expect("(");
  while (!read.take(")")) {
    signature.params.push_back(parse_param(read));
    read.take(",");
  }
  parse_results(read, signature);
  return signature;
}

Face parse_face(std::string_view text, const Signature& signature) {
  Reader read(text);
  Face face;
  if (!read.peek('(')) face.name = read.word();
  read.expect("(");
  bool keyword_only = false;
  while (!read.take(")")) {
    FaceParam param;
    if (read.take("*")) {
      if (read.take(",")) {
        keyword_only = true;
        continue;
      }
      param.gathers = true;
    }
    param.name = read.word();
    const std::string target = read.take(":") ? read.word() : param.name;
    param.target = signature.find(target);
    if (param.target < 0) read.fail(cat("a parameter of ", signature.name, ", not '", target, "',"));
    param.keyword_only = keyword_only;
    if (param.gathers) keyword_only = true;  // it takes all positional arguments that are left
    if (read.take("=")) {
      param.has_default = true;
      param.default_text = read.default_text();
      param.default_value =
          value_from(param.default_text, signature.params[static_cast<size_t>(param.target)].kind);
    }
    face.params.push_back(std::move(param));
    read.take(",");
  }
  return face;
}

Face plain_face(const Signature& signature) {
  Face face{signature.name, {}};
  for (size_t i = 0; i < signature.params.size(); ++i) {
    const Param& param = signature.params[i];
    face.params.push_back({param.name, static_cast<int>(i), false, false, param.has_default,
                           param.default_value, param.default_text});
  }
  return face;
}

}  // namespace dyad
