#include "ir/parser.h"

#include <charconv>
#include <optional>
#include <unordered_map>

#include "base/error.h"
#include "ir/scanner.h"

namespace dyad::ir {

namespace {

std::optional<DType> dtype_named(std::string_view name) {
  for (int i = 0; i < kDTypeCount; ++i) {
    if (dtype_name(static_cast<DType>(i)) == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

struct Type {
  GraphValue::Kind kind = GraphValue::Kind::kTensor;
  DType dtype = DType::kFloat32;
  Shape shape;
};

class Parser {
 public:
  Parser(std::string_view text, const ParserTools& tools) : scan_(text), tools_(tools) {}

  std::unique_ptr<Module> module() {
    auto module = std::make_unique<Module>();
    module_ = module.get();
    announce_functions();
    if (scan_.at_end()) scan_.fail("expected 'func'");
    while (!scan_.at_end()) function();
    return module;
  }

 private:
  /// Functions may call those that follow: their names are known before any body is read.
  void announce_functions() {
    for (Scanner ahead = scan_; !ahead.at_end();) {
      ahead.take_word("fused");
      ahead.expect("func");
      ahead.expect("@");
      const std::string name = ahead.word("the name of a function");
      if (module_->find(name)) ahead.fail("the function @", name, " is defined twice");
      module_->add_function(name);
      skip_to_end(ahead);
    }
  }
  static void skip_to_end(Scanner& ahead) {
    for (int depth = 0;;) {
      if (ahead.at_end()) ahead.fail("expected '}'");
      if (ahead.sees("\"")) {
        ahead.quoted();
      } else if (ahead.take("{")) {
        ++depth;
      } else if (ahead.take("}")) {
        if (--depth == 0) return;
      } else {
        ahead.skip_one();
      }
    }
  }

  void function() {
    const bool fused = scan_.take_word("fused");
    scan_.expect("func");
    scan_.expect("@");
    function_ = module_->find(scan_.word("the name of a function"));
    function_->fused = fused;
    values_.clear();
    scan_.expect("(");
    while (!scan_.take(")")) {
      const bool state = scan_.take_word("state");
      const std::string name = value_name();
      scan_.expect(":");
      Type type = this->type();
      define(name, function_->add_param(type.kind, type.dtype, std::move(type.shape), shown(name), state));
      if (!scan_.sees(")")) scan_.expect(",");
    }
    // The results are named before the nodes that make them; they are read when those are known.
    scan_.expect("->");
    const Scanner results = scan_;
    scan_.expect("(");
    while (!scan_.take(")")) scan_.skip_one();
    scan_.expect("{");
    while (!scan_.take("}")) node();
    const Scanner after = scan_;
    scan_ = results;
    read_results();
    scan_ = after;
  }

  void read_results() {
    scan_.expect("(");
    while (!scan_.take(")")) {
      if (scan_.take_word("state")) {
        const GraphValueRef param = value();
        scan_.expect("=");
        if (param->producer) scan_.fail("a state that is updated must be a parameter");
        function_->updates.push_back({param->index, value()});
      } else {
        function_->results.push_back(value());
      }
      if (!scan_.sees(")")) scan_.expect(",");
    }
  }

  void node() {
    std::vector<std::pair<std::string, Type>> results;
    while (scan_.sees("%")) {
      const std::string name = value_name();
      scan_.expect(":");
      results.emplace_back(name, type());
      if (!scan_.take(",")) break;
    }
    if (!results.empty()) scan_.expect("=");
    Node& node = body(results);
    for (auto& [name, type] : results) {
      define(name, node.add_result(type.kind, type.dtype, std::move(type.shape), shown(name)));
    }
    if (scan_.take_word("at")) {
      node.location.file = scan_.quoted();
      scan_.expect(":");
      node.location.line = static_cast<int>(scan_.integer());
      scan_.expect(":");
      node.location.column = static_cast<int>(scan_.integer());
    }
    if (scan_.take_word("called")) node.location.called = scan_.quoted();
    node.constant = scan_.take_word("untracked");
  }

  Node& body(const std::vector<std::pair<std::string, Type>>& results) {
    if (scan_.take_word("constant")) {
      Node& node = function_->add_node(NodeKind::kConstant);
      if (results.size() != 1) scan_.fail("a constant has one result, not ", results.size());
      node.args.push_back(constant(results.front().second));
      return node;
    }
    if (scan_.take_word("call")) {
      Node& node = function_->add_node(NodeKind::kCall);
      node.functions.push_back(&callee());
      arguments(node);
      if (scan_.take_word("gradient")) node.functions.push_back(&callee());
      return node;
    }
    if (scan_.take_word("if")) {
      Node& node = function_->add_node(NodeKind::kIf);
      node.args.push_back(argument());
      if (!scan_.take_word("then")) scan_.fail("expected 'then'");
      node.functions.push_back(&callee());
      if (!scan_.take_word("else")) scan_.fail("expected 'else'");
      node.functions.push_back(&callee());
      arguments(node);
      return node;
    }
    if (scan_.take_word("while")) {
      Node& node = function_->add_node(NodeKind::kWhile);
      node.functions.push_back(&callee());
      if (!scan_.take_word("do")) scan_.fail("expected 'do'");
      node.functions.push_back(&callee());
      arguments(node);
      if (node.args.size() != results.size()) {
        scan_.fail("the loop has ", node.args.size(), " variables and ", results.size(), " results");
      }
      if (!scan_.take_word("with")) scan_.fail("expected 'with'");
      arguments(node);
      return node;
    }
    if (scan_.take_word("host")) {
      Node& node = function_->add_node(NodeKind::kHost);
      node.host = scan_.quoted();
      if (scan_.take("#")) node.payload = static_cast<int>(scan_.integer());
      arguments(node);
      return node;
    }
    const std::string name = scan_.word("an operator");
    const Operator* op = tools_.find_operator(name);
    if (!op) scan_.fail("there is no operator '", name, "'");
    Node& node = function_->add_node(NodeKind::kOperator);
    node.op = op;
    arguments(node);
    return node;
  }

  void arguments(Node& node) {
    scan_.expect("(");
    while (!scan_.take(")")) {
      if (node.op && node.args.size() < node.op->parameter_count()) {
        const std::string label = cat(node.op->parameter_name(node.args.size()), "=");
        scan_.take(label);
      }
      node.args.push_back(argument());
      if (!scan_.sees(")")) scan_.expect(",");
    }
  }

  Arg argument() {
    if (scan_.sees("%")) return Value(value());
    if (scan_.sees("\"")) return scan_.quoted();
    if (scan_.take("floats[")) return floats();
    if (scan_.take("[")) return dims("]");
    if (scan_.take("(")) return values();
    if (scan_.take_word("none")) return {};
    if (auto number = this->number()) return *number;
    const std::string name = scan_.word("an argument");
    if (auto dtype = dtype_named(name)) return *dtype;
    scan_.fail("'", name, "' is no argument");
  }

  ValueList values() {
    ValueList list;
    while (!scan_.take(")")) {
      list.push_back(scan_.take_word("none") ? Value() : Value(value()));
      if (!scan_.sees(")")) scan_.expect(",");
    }
    return list;
  }

  Floats floats() {
    Floats list;
    while (!scan_.take("]")) {
      list.push_back(number()->to_double());
      if (!scan_.sees("]")) scan_.expect(",");
    }
    return list;
  }

  std::optional<Scalar> number() {
    if (scan_.take_word("true")) return Scalar(true);
    if (scan_.take_word("false")) return Scalar(false);
    if (scan_.take("complex(")) {
      const double real = number()->to_double();
      scan_.expect(",");
      const double imaginary = number()->to_double();
      scan_.expect(")");
      return Scalar(std::complex<double>(real, imaginary));
    }
    if (!scan_.sees_number()) return std::nullopt;
    const std::string text = scan_.number();
    if (text.find_first_of(".einf") == std::string::npos) {
      int64_t integer = 0;
      std::from_chars(text.data(), text.data() + text.size(), integer);
      return Scalar(integer);
    }
    double real = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), real);
    if (end != text.data() + text.size()) scan_.fail("'", text, "' is no number");
    return Scalar(real);
  }

  Arg constant(const Type& type) {
    if (!scan_.take("{")) {
      auto found = number();
      if (!found) scan_.fail("expected a number or '{'");
      return *found;
    }
    std::vector<Scalar> elements;
    while (!scan_.take("}")) {
      auto found = number();
      if (!found) scan_.fail("expected a number");
      elements.push_back(*found);
      if (!scan_.sees("}")) scan_.expect(",");
    }
    if (static_cast<int64_t>(elements.size()) != numel(type.shape)) {
      scan_.fail("a constant of shape ", type.shape, " has ", numel(type.shape), " elements, not ",
                 elements.size());
    }
    return tools_.make_constant(type.dtype, type.shape, elements);
  }

  Type type() {
    if (scan_.take_word("token")) return {GraphValue::Kind::kToken, DType::kBool, {}};
    const bool number = scan_.take_word("number");
    const bool stack = !number && scan_.take_word("residual_stack");
    const std::string name = scan_.word("a dtype");
    const auto dtype = dtype_named(name);
    if (!dtype) scan_.fail("'", name, "' is no dtype");
    if (number) return {GraphValue::Kind::kNumber, *dtype, {}};
    scan_.expect("[");
    return {stack ? GraphValue::Kind::kResidualStack : GraphValue::Kind::kTensor, *dtype, dims("]")};
  }

  Dims dims(std::string_view close) {
    Dims list;
    while (!scan_.take(close)) {
      list.push_back(dim());
      if (!scan_.sees(close)) scan_.expect(",");
    }
    return list;
  }

  /// A size: an integer, a symbol, `(a + b)`, `(a * b)`, `(a // b)`, `max(a, b)`, `min(a, b)`.
  Dim dim() {
    if (scan_.sees_number()) return scan_.integer();
    if (scan_.take("(")) {
      const Dim left = dim();
      const int operation = scan_.take("+") ? 0 : scan_.take("*") ? 1 : scan_.take("//") ? 2 : 3;
      if (operation == 3) scan_.fail("expected '+', '*' or '//'");
      const Dim right = dim();
      scan_.expect(")");
      return operation == 0 ? left + right : operation == 1 ? left * right : floor_div(left, right);
    }
    const bool largest = scan_.take("max(");
    if (largest || scan_.take("min(")) {
      const Dim left = dim();
      scan_.expect(",");
      const Dim right = dim();
      scan_.expect(")");
      return largest ? max(left, right) : min(left, right);
    }
    return Dim::symbol(scan_.word("a size"));
  }

  Function& callee() {
    scan_.expect("@");
    const std::string name = scan_.word("the name of a function");
    Function* found = module_->find(name);
    if (!found) scan_.fail("there is no function @", name);
    return *found;
  }

  std::string value_name() {
    scan_.expect("%");
    return scan_.word("the name of a value");
  }
  /// Numbers are given anew when it is printed.
  static std::string shown(const std::string& name) {
    return name.find_first_not_of("0123456789") == std::string::npos ? "" : name;
  }
  void define(const std::string& name, GraphValue& value) {
    if (!values_.emplace(name, GraphValueRef(&value)).second) scan_.fail("%", name, " is defined twice");
  }
  GraphValueRef value() {
    const std::string name = value_name();
    auto found = values_.find(name);
    if (found == values_.end()) scan_.fail("%", name, " is not defined before it is used");
    return found->second;
  }

  Scanner scan_;
  const ParserTools& tools_;
  Module* module_ = nullptr;
  Function* function_ = nullptr;
  std::unordered_map<std::string, GraphValueRef> values_;
};

}  // namespace

std::unique_ptr<Module> parse(std::string_view text, const ParserTools& tools) {
  return Parser(text, tools).module();
}

}  // namespace dyad::ir
