#include "ops/op.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "base/error.h"

namespace dyad {

namespace {

std::unordered_map<std::string_view, Op*>& by_name() {
  static std::unordered_map<std::string_view, Op*> index;
  return index;
}

bool is_bare_name(std::string_view face) { return face.find('(') == std::string_view::npos; }

/// The meaning of a parameter that is the same for every operator; empty for others.
std::string_view usual_meaning(const Param& param) {
  struct Meaning {
    std::string_view name;
    ParamKind kind;
    std::string_view text;
  };
  static constexpr Meaning meanings[] = {
      {"keepdims", ParamKind::kBool, "whether reduced axes stay, with size 1."},
      {"use_locking", ParamKind::kBool, "accepted for MindSpore; has no effect."},
      {"seed", ParamKind::kInt, "selects the stream of random numbers; 0 or None: that of the process."},
      {"seed2", ParamKind::kInt, "accepted for MindSpore; has no effect."},
      {"reduction", ParamKind::kStr, "'none', 'mean' or 'sum' of the losses of all elements."},
  };
  for (const Meaning& meaning : meanings) {
    if (meaning.name == param.name && meaning.kind == param.kind) return meaning.text;
  }
  return {};
}

Face without_self(Face face) {
  face.params.erase(face.params.begin());
  return face;
}

}  // namespace

void Results::add_further(DType dtype, Shape shape) { more_.push_back({dtype, std::move(shape)}); }

std::string_view to_text(Reduction reduction) {
  constexpr std::string_view names[] = {"none", "sum", "mean", "prod", "max", "min", "all", "any"};
  return names[static_cast<size_t>(reduction)];
}

OpTable& OpTable::instance() {
  static OpTable& table = *new OpTable;  // never torn down: what it holds may be used until the process ends
  return table;
}

OpEntry OpTable::define(std::string_view text) {
  Op* op = new Op;  // lives as long as the table
  op->signature = parse_signature(text);
  op->name = op->signature.name;
  op->id = static_cast<int>(ops_.size());
  for (const Param& param : op->signature.params) op->meanings.push_back(usual_meaning(param));
  op->functions.push_back(plain_face(op->signature));
  if (!by_name().emplace(op->name, op).second) {
    raise(ErrorKind::kInternal, cat("internal error: operator '", op->name, "' is defined twice"));
  }
  ops_.push_back(op);
  return OpEntry(op);
}

bool Op::consumes(size_t argument) const {
  const int index = static_cast<int>(argument);
  return writes == index || std::find(updates.begin(), updates.end(), index) != updates.end();
}

const Op* OpTable::find(std::string_view name) const {
  auto at = by_name().find(name);
  return at == by_name().end() ? nullptr : at->second;
}

const Op& OpTable::get(std::string_view name) const {
  const Op* op = find(name);
  if (!op) raise(ErrorKind::kInternal, cat("internal error: there is no operator '", name, "'"));
  return *op;
}

OpEntry& OpEntry::doc(std::string_view text) {
  op_->doc = text;
  return *this;
}

OpEntry& OpEntry::formula(std::string_view text, std::string_view condition) {
  op_->formulas.push_back({text, condition});
  return *this;
}

OpEntry& OpEntry::arg(std::string_view name, std::string_view meaning) {
  const int index = op_->signature.find(name);
  if (index < 0) {
    raise(ErrorKind::kInternal,
          cat("internal error: operator '", op_->name, "' has no parameter '", name, "'"));
  }
  op_->meanings[static_cast<size_t>(index)] = meaning;
  return *this;
}

OpEntry& OpEntry::returns(std::string_view text) {
  op_->returns = text;
  return *this;
}

OpEntry& OpEntry::see(std::string_view names) {
  op_->see = names;
  return *this;
}

OpEntry& OpEntry::reference(std::string_view text) {
  op_->reference = text;
  return *this;
}

OpEntry& OpEntry::function(std::string_view text) {
  Face face = is_bare_name(text) ? plain_face(op_->signature) : parse_face(text, op_->signature);
  if (is_bare_name(text)) face.name = text;
  // A face of the operator's own name replaces the one made from the signature.
  for (Face& existing : op_->functions) {
    if (existing.name == face.name) {
      existing = std::move(face);
      return *this;
    }
  }
  op_->functions.push_back(std::move(face));
  return *this;
}

OpEntry& OpEntry::hidden() {
  std::erase_if(op_->functions, [&](const Face& face) { return face.name == op_->name; });
  return *this;
}

OpEntry& OpEntry::method(std::string_view text) {
  Face face =
      is_bare_name(text) ? without_self(plain_face(op_->signature)) : parse_face(text, op_->signature);
  if (is_bare_name(text)) face.name = text.empty() ? op_->name : std::string(text);
  op_->methods.push_back(std::move(face));
  return *this;
}

OpEntry& OpEntry::further_function(std::string_view text) {
  op_->further_functions.push_back(parse_face(text, op_->signature));
  return *this;
}

OpEntry& OpEntry::further_method(std::string_view text) {
  op_->further_methods.push_back(parse_face(text, op_->signature));
  return *this;
}

OpEntry& OpEntry::inplace(std::string_view name) {
  op_->inplace_methods.emplace_back(name);
  return *this;
}

OpEntry& OpEntry::primitive(std::string_view text) {
  PrimitiveFace face;
  const size_t split = text.find(")(");
  if (split == std::string_view::npos) {  // only a name: no attributes, called with all parameters
    face.name = text;
    face.call = plain_face(op_->signature);
  } else {
    face.init = parse_face(text.substr(0, split + 1), op_->signature);
    face.call = parse_face(text.substr(split + 1), op_->signature);
    face.name = face.init.name;
  }
  op_->primitives.push_back(std::move(face));
  return *this;
}

OpEntry& OpEntry::alias(std::string_view spelling, std::string_view param) {
  op_->aliases.emplace_back(spelling, param);
  return *this;
}

OpEntry& OpEntry::infer(InferRule rule) {
  op_->infer = rule;
  return *this;
}

OpEntry& OpEntry::view(ViewRule rule) {
  op_->view = rule;
  return *this;
}

OpEntry& OpEntry::elementwise(InferRule rule) {
  op_->elementwise = true;
  op_->infer = rule;
  return *this;
}

OpEntry& OpEntry::writes(int argument) {
  op_->writes = argument;
  return *this;
}
OpEntry& OpEntry::updates(std::initializer_list<int> arguments) {
  op_->updates = arguments;
  op_->state = true;
  return *this;
}
OpEntry& OpEntry::describes(int argument) {
  op_->described |= ArgumentMask{1} << argument;
  return *this;
}
OpEntry& OpEntry::state() {
  op_->state = true;
  return *this;
}

OpEntry& OpEntry::random() {
  op_->random = true;
  return *this;
}

OpEntry& OpEntry::data_shape() {
  op_->data_shape = true;
  return *this;
}

OpEntry& OpEntry::checks_data() {
  op_->checks_data = true;
  return *this;
}

OpEntry& OpEntry::grad(GradRule rule) {
  op_->grad = rule;
  return *this;
}

OpEntry& OpEntry::linear(std::initializer_list<int> arguments) {
  for (int argument : arguments) op_->linear |= ArgumentMask{1} << argument;
  return *this;
}
OpEntry& OpEntry::multilinear(std::initializer_list<int> arguments) {
  op_->linear_apart = true;
  return linear(arguments);
}
OpEntry& OpEntry::batch(BatchRule rule) {
  op_->batch = rule;
  return *this;
}

OpEntry& OpEntry::no_grad(std::string_view why) {
  op_->no_grad = why;
  return *this;
}
OpEntry& OpEntry::missing_grad(std::string_view why) {
  op_->grad_missing = true;
  return no_grad(why);
}

OpEntry& OpEntry::compiler_made() {
  op_->compiler_made = true;
  return hidden().missing_grad("made by the compiler after differentiation");
}

OpEntry& OpEntry::cost(FlopRule rule) {
  op_->flops = rule;
  return *this;
}
OpEntry& OpEntry::cost(double per_element) {
  op_->flops_per_element = per_element;
  return *this;
}
OpEntry& OpEntry::cost_per_result(double per_element) {
  op_->flops_per_result = per_element;
  return *this;
}
OpEntry& OpEntry::moves(Movement how) {
  op_->movement = how;
  return *this;
}

OpEntry& OpEntry::autocast(Autocast how) {
  op_->autocast = how;
  return *this;
}

OpEntry& OpEntry::channels_last(std::initializer_list<int> inputs, std::initializer_list<int> results,
                                LayoutRule applies) {
  for (int input : inputs) op_->layout_inputs |= ArgumentMask{1} << input;
  for (int result : results) op_->layout_results |= ArgumentMask{1} << result;
  return channels_last(applies);
}
OpEntry& OpEntry::channels_last(LayoutRule rule) {
  op_->layout = rule;
  op_->channels_last = op_->signature.find("channels_last");
  return *this;
}
OpEntry& OpEntry::prefers_channels_last() {
  op_->prefers_channels_last = true;
  return *this;
}
OpEntry& OpEntry::transfers() {
  op_->transfers = true;
  return *this;
}
OpEntry& OpEntry::shares_memory() {
  op_->shares_memory = true;
  return *this;
}

OpEntry& OpEntry::included_in(std::string_view op) {
  op_->included_in = op;
  return *this;
}

OpEntry& OpEntry::numpy(std::string_view expression) {
  op_->numpy = expression;
  return *this;
}

OpEntry& OpEntry::rejects(std::string_view call, std::string_view error, std::string_view message) {
  op_->rejects.push_back({call, error, message});
  return *this;
}

OpEntry& OpEntry::add_mint(std::initializer_list<std::string_view> names) {
  op_->mint_functions.insert(op_->mint_functions.end(), names.begin(), names.end());
  return *this;
}
OpEntry& OpEntry::add_numpy(std::initializer_list<std::string_view> names) {
  op_->numpy_functions.insert(op_->numpy_functions.end(), names.begin(), names.end());
  return *this;
}
OpEntry& OpEntry::add_samples(std::initializer_list<std::string_view> texts) {
  op_->samples.insert(op_->samples.end(), texts.begin(), texts.end());
  return *this;
}
void OpEntry::give(ValueList& results, Value result) { results.push_back(std::move(result)); }
void OpEntry::give(ValueList& results, ValueList given) { results = std::move(given); }
OpEntry& OpEntry::reduces(Reduction with) {
  op_->reduction = with;
  return *this;
}

}  // namespace dyad
