#include "ir/printer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <unordered_map>

#include "base/error.h"

namespace dyad::ir {

namespace {

/// The shortest digits that read back as the same number; always with a point or an exponent.
std::string float_text(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  std::string text(digits.data(), end);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string number_text(const Scalar& number) {
  switch (number.kind()) {
    case Scalar::Kind::kBool:
      return number.to_bool() ? "true" : "false";
    case Scalar::Kind::kInt:
      return cat(number.to_int());
    case Scalar::Kind::kFloat:
      return float_text(number.to_double());
    case Scalar::Kind::kComplex:
      return cat("complex(", float_text(number.to_complex().real()), ", ",
                 float_text(number.to_complex().imag()), ")");
  }
  return "none";
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + '"';
}

template <class List, class Text>
std::string listed(std::string_view open, const List& list, std::string_view close, const Text& text) {
  std::string out(open);
  for (size_t i = 0; i < list.size(); ++i) out += cat(i ? ", " : "", text(list[i]));
  return out + std::string(close);
}

HostReader host_reader = nullptr;

/// The elements of a constant in row-major order; a constant lies so.
std::string data_text(const ValueImpl& value) {
  DYAD_ASSERT(value.contiguous());
  if (value.device.kind != DeviceKind::kCpu) return data_text(*host_reader(value));
  std::string out = "{";
  const int64_t step = itemsize(value.dtype);
  for (int64_t i = 0; i < value.size(); ++i) {
    out += cat(i ? ", " : "", number_text(load(value.dtype, value.as<char>() + i * step)));
  }
  return out + "}";
}

class FunctionPrinter {
 public:
  explicit FunctionPrinter(const Function& function) : function_(function) {
    for (const GraphValueRef& param : function.params) give_name(*param);
    for (const auto& node : function.nodes) {
      for (const GraphValueRef& result : node->results) give_name(*result);
    }
  }

  std::string text() {
    std::string out = cat(function_.fused ? "fused " : "", "func @", function_.name, "(");
    for (size_t i = 0; i < function_.params.size(); ++i) {
      out += cat(i ? ", " : "", function_.state[i] ? "state " : "", typed(*function_.params[i]));
    }
    out += ") -> (";
    std::string_view separator;
    for (const GraphValueRef& result : function_.results) {
      out += cat(separator, name(*result));
      separator = ", ";
    }
    for (const Function::Update& update : function_.updates) {
      out += cat(separator, "state ", name(*function_.params[update.index]), " = ", name(*update.value));
      separator = ", ";
    }
    out += ") {\n";
    for (const auto& node : function_.nodes) out += cat("  ", line(*node), "\n");
    return out + "}\n";
  }

 private:
  void give_name(const GraphValue& value) {
    std::string chosen = value.name;
    if (chosen.empty()) chosen = cat(++count_);
    for (int number = 1; !taken_.insert(chosen).second; ++number) chosen = cat(value.name, "_", number);
    names_[&value] = std::move(chosen);
  }
  /// A value of another function has no name here; the verifier says so, the printer still prints.
  std::string name(const ValueImpl& value) const {
    auto found = names_.find(&value);
    return found == names_.end() ? "%?" : cat("%", found->second);
  }
  std::string typed(const GraphValue& value) const { return cat(name(value), ": ", type_text(value)); }

  std::string argument(const Arg& arg) const {
    if (auto* value = arg.get<Value>()) return name(**value);
    if (auto* number = arg.get<Scalar>()) return number_text(*number);
    if (auto* dims = arg.get<Dims>()) return listed("[", *dims, "]", [](Dim dim) { return to_text(dim); });
    if (auto* dtype = arg.get<DType>()) return std::string(dtype_name(*dtype));
    if (auto* text = arg.get<std::string>()) return quoted(*text);
    if (auto* numbers = arg.get<Floats>()) return listed("floats[", *numbers, "]", float_text);
    if (auto* list = arg.get<ValueList>()) {
      return listed("(", *list, ")", [&](const Value& v) { return v ? name(*v) : std::string("none"); });
    }
    return "none";
  }
  std::string arguments(const Node& node, size_t first = 0, size_t last = ~size_t{0}) const {
    std::string out = "(";
    for (size_t i = first; i < std::min(last, node.args.size()); ++i) {
      const bool value = node.args[i].get<Value>() || node.args[i].get<ValueList>();
      const bool named = node.op && !value;
      out += cat(i > first ? ", " : "", named ? cat(node.op->parameter_name(i), "=") : "",
                 argument(node.args[i]));
    }
    return out + ")";
  }

  std::string body(const Node& node) const {
    switch (node.kind) {
      case NodeKind::kOperator:
        return cat(node.op->name, arguments(node));
      case NodeKind::kConstant:
        if (auto* value = node.args[0].get<Value>()) return cat("constant ", data_text(**value));
        return cat("constant ", argument(node.args[0]));
      case NodeKind::kCall:
        return cat("call @", node.functions[0]->name, arguments(node),
                   node.functions.size() > 1 ? cat(" gradient @", node.functions[1]->name) : "");
      case NodeKind::kIf:
        return cat("if ", argument(node.args[0]), " then @", node.functions[0]->name, " else @",
                   node.functions[1]->name, arguments(node, 1));
      case NodeKind::kWhile:
        return cat("while @", node.functions[0]->name, " do @", node.functions[1]->name,
                   arguments(node, 0, node.variables()), " with ", arguments(node, node.variables()));
      case NodeKind::kHost:
        return cat("host ", quoted(node.host), node.payload < 0 ? "" : cat(" #", node.payload),
                   arguments(node));
    }
    return "?";
  }

  std::string line(const Node& node) const {
    std::string out = listed("", node.results, "", [&](const GraphValueRef& v) { return typed(*v); });
    out += cat(out.empty() ? "" : " = ", body(node));
    const Location& at = node.location;
    if (at.line > 0) out += cat(" at ", quoted(at.file), ":", at.line, ":", at.column);
    if (!at.called.empty()) out += cat(" called ", quoted(at.called));
    if (node.constant) out += " untracked";
    return out;
  }

  const Function& function_;
  std::unordered_map<const ValueImpl*, std::string> names_;
  std::set<std::string> taken_;
  int count_ = 0;
};

}  // namespace

void set_host_reader(HostReader reader) { host_reader = reader; }

std::string print(const Function& function) { return FunctionPrinter(function).text(); }

std::string print(const Module& module) {
  std::string out;
  for (const auto& function : module.functions) out += print(*function);
  return out;
}

}  // namespace dyad::ir
