#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "ir/builder.h"
#include "ir/operator.h"
#include "ops/signature.h"
#include "types/arg.h"

namespace dyad {

/// Receives the dtypes and shapes of an operator's results.
class Results {
 public:
  void add(DType dtype, Shape shape) {
    if (count_ == 0) {
      first_ = {dtype, std::move(shape)};
    } else {
      add_further(dtype, std::move(shape));
    }
    ++count_;
  }
  size_t size() const { return count_; }
  ResultSpec& operator[](size_t i) { return i == 0 ? first_ : more_[i - 1]; }

 private:
  void add_further(DType dtype, Shape shape);

  size_t count_ = 0;
  ResultSpec first_;
  std::vector<ResultSpec> more_;
};

/// How a view lies over the memory of its first argument.
struct ViewSpec {
  Strides strides;
  int64_t offset = 0;  ///< in elements, from the first element of the argument
};

/// A body's arguments together with the builder that carries out the operators it calls.
class Call : public Arguments {
 public:
  Call(const Arguments& arguments, Builder& builder) : Arguments(arguments), builder_(&builder) {}
  Builder& builder() const { return *builder_; }

 private:
  Builder* builder_;
};

/// Which arguments a gradient is wanted for, a bit for each.
using ArgumentMask = uint32_t;
inline constexpr ArgumentMask kAllArguments = ~ArgumentMask{0};

/// A gradient rule at work: arguments and results of the forward call and the gradients of the results; the
/// rule sets the gradient of each argument that takes one. Gradients of unused results are empty values.
class GradCall : public Call {
 public:
  GradCall(const Call& call, std::span<const Value> results, std::span<const Value> gradients,
           std::span<Value> set, ArgumentMask needed = kAllArguments)
      : Call(call), results_(results), gradients_(gradients), set_(set), needed_(needed) {}
  const Value& out(size_t i = 0) const { return results_[i]; }
  const Value& grad(size_t i = 0) const { return gradients_[i]; }
  /// Whether the gradient of this argument is wanted. A rule may set it all the same; one that would cost
  /// much is not computed.
  bool needs(size_t argument) const { return (needed_ >> argument) & 1; }
  void set(size_t argument, Value gradient) { set_[argument] = std::move(gradient); }
  /// Gradients of a `Tensors` argument: one per member, kept apart from the single ones.
  void set(size_t argument, ValueList gradients) { lists_.emplace_back(argument, std::move(gradients)); }
  const std::vector<std::pair<size_t, ValueList>>& lists() const { return lists_; }

 private:
  std::span<const Value> results_;
  std::span<const Value> gradients_;
  std::span<Value> set_;
  ArgumentMask needed_;
  std::vector<std::pair<size_t, ValueList>> lists_;
};

/// A batching rule at work: the call of many slices at once. A mapped argument has one more axis, in front,
/// along which its slices lie; the others are the same for every slice. Of a list, all members are mapped or
/// none.
class BatchCall : public Call {
 public:
  BatchCall(const Call& call, ArgumentMask mapped, Dim count, bool draws_alike)
      : Call(call), mapped_(mapped), count_(count), draws_alike_(draws_alike) {}
  bool mapped(size_t argument) const { return (mapped_ >> argument) & 1; }
  /// How many slices there are.
  Dim count() const { return count_; }
  /// Whether every slice gets the same random numbers, or numbers of its own.
  bool draws_alike() const { return draws_alike_; }

 private:
  ArgumentMask mapped_;
  Dim count_;
  bool draws_alike_;
};

/// dtype and shape of the results from those of the arguments; must work on symbolic dimensions. Raises on
/// bad input.
using InferRule = void (*)(const Arguments& args, Results& results);
/// Strides and offset of a result that shares its first argument's memory; false if it cannot, then the
/// kernel copies.
using ViewRule = bool (*)(const Arguments& args, const ResultSpec& result, ViewSpec& view);
/// The operator in terms of others.
using BodyRule = void (*)(const Call& call, ValueList& results);
/// Runs a body in float32 where its arguments are float16 or bfloat16, and rounds the results once.
void run_wide(const Call& call, BodyRule body, ValueList& results);
using GradRule = void (*)(GradCall& call);
/// The operator on many slices at once; every result has the axis of the slices in front.
using BatchRule = void (*)(const BatchCall& call, ValueList& results);

/// Floating-point operations of a call on these arguments that gives these results.
using FlopRule = double (*)(const Arguments& args, std::span<const ValueImpl* const> results);
class LayoutCall;
/// Writes a call for tensors whose channels lie innermost (ops/layout.h); false where that cannot be or does
/// not pay.
using LayoutRule = bool (*)(LayoutCall& call);

/// What an operator does where it computes nothing: it moves elements, or shows them in another way. The
/// operand is the first argument.
enum class Movement : uint8_t {
  kNone,       ///< it computes
  kIdentity,   ///< shows the operand as it is
  kCopy,       ///< the operand in memory of its own
  kCast,       ///< the operand in another dtype
  kPermute,    ///< its axes in the order of the second argument
  kReshape,    ///< its elements in row-major order under another shape
  kBroadcast,  ///< its elements repeated along axes
  kSlice,      ///< a box of it, by the starts, ends and steps that follow
  kJoin,       ///< a list of operands, one behind the other along an axis
  kFill,       ///< no operand but a shape: every element is the second argument
  kWrite,      ///< the second argument goes into the memory of the first
  kOther,      ///< elements are taken from, or put to, other positions
};

/// With what an operator folds the elements along the axes in its second argument into one; its third says
/// whether the axes stay, with size 1.
enum class Reduction : uint8_t { kNone, kSum, kMean, kProd, kMax, kMin, kAll, kAny };
/// "sum", "mean" and so on.
std::string_view to_text(Reduction reduction);

/// What automatic mixed precision makes of an operator's operands of float16, bfloat16 and float32.
enum class Autocast : uint8_t {
  kNone,     ///< they stay as they are
  kLow,      ///< they become the lower dtype: a product, which is faster so and adds up in float32
  kFloat32,  ///< they become float32: what overflows or loses digits in the lower one
  kWidest,   ///< they become the widest among them
};

/// A call that must fail, the Python class it must raise and a part of the message.
struct Reject {
  std::string_view call;
  std::string_view error;
  std::string_view message;
};

/// What defines an element of the result, as text: "gelu(x) = x · Φ(x)".
struct Formula {
  std::string_view text;
  std::string_view condition;  ///< when it holds: "approximate='none'"; empty for always
};

/// An operator as a Primitive: what the constructor takes, and what a call of the object takes.
struct PrimitiveFace {
  std::string name;
  Face init;
  Face call;
};

/// One operator: all there is to know about it except its kernels (docs/design/0001).
class Op final : public Operator {
 public:
  int id = 0;
  Signature signature;
  std::string_view doc;  ///< its first sentence names the operator
  std::vector<Formula> formulas;
  std::vector<std::string_view> meanings;  ///< of each parameter; empty where nothing is said
  std::string_view returns;                ///< shape and dtype of the results, where they are not derived
  std::string_view see;                    ///< related functions and classes: "nn.GELU, ops.silu"
  std::string_view reference;              ///< where it was published: "arXiv:1606.08415"

  InferRule infer = nullptr;
  ViewRule view = nullptr;
  BodyRule body = nullptr;
  BodyRule decomposition =
      nullptr;  ///< what a compiler may write in place of the kernel, to fuse it with the rest
  GradRule grad = nullptr;
  BatchRule batch = nullptr;  ///< needed where neither `elementwise` nor the body says it
  std::string_view no_grad;   ///< why there is no gradient rule; empty if there is one or the body gives it
  bool grad_missing = false;  ///< there is a gradient, but no rule for it: differentiation is an error
  Reduction reduction = Reduction::kNone;
  bool elementwise = false;  ///< each element of the result depends on one element of each operand
  int writes = -1;  ///< index of the argument that the operator changes in place; its result is that argument
  std::vector<int> updates;  ///< arguments, tensors or lists of them, that it changes besides giving results
  bool state = false;        ///< what it writes is state: a later read sees a constant, no gradient passes
  ArgumentMask described = 0;  ///< arguments of which only dtype and shape are read
  ArgumentMask linear = 0;     ///< arguments whose tangents in their places give the tangent of the result
  bool linear_apart = false;   ///< each in its place by itself, the others as they are: a product
  bool random = false;         ///< draws from the generator
  bool data_shape = false;     ///< the kernel decides the result's shape
  bool checks_data = false;    ///< the kernel refuses some elements: a singular matrix, say
  bool transfers = false;      ///< its result lies on the device that its second argument names
  bool shares_memory = false;  ///< composed: a result may lie in the memory of an argument
  bool compiler_made = false;  ///< passes write it after differentiation; programs never call it

  FlopRule flops =
      nullptr;  ///< with the next two: what a call costs (ops/cost.h), where its kind does not tell
  double flops_per_element = -1;  ///< of the first tensor, or list of tensors, among the arguments
  double flops_per_result = -1;   ///< for each element of the first result
  Movement movement = Movement::kNone;
  Autocast autocast = Autocast::kNone;

  LayoutRule layout = nullptr;  ///< how it works with channels innermost; none where it cannot
  bool prefers_channels_last = false;
  int channels_last = -1;           ///< index of the attribute `channels_last`
  ArgumentMask layout_inputs = 0;   ///< tensors that the attribute says have their channels last
  ArgumentMask layout_results = 0;  ///< and results
  std::string_view included_in;     ///< an operator of the same parameters that gives its results and more

  size_t parameter_count() const override { return signature.params.size(); }
  std::string_view parameter_name(size_t i) const override { return signature.params[i].name; }
  std::vector<ResultSpec> infer_results(std::span<const Arg> args) const override;
  bool consumes(size_t argument) const override;
  bool reads_data(size_t argument) const { return !((described >> argument) & 1); }

  std::vector<Face> functions;
  std::vector<Face> methods;
  std::vector<Face> further_functions;  ///< tried when the arguments do not fit the function of that name
  std::vector<Face> further_methods;
  std::vector<PrimitiveFace> primitives;
  std::vector<std::string> inplace_methods;  ///< methods that write the result into `self`: "add_"
  std::vector<std::string> mint_functions;   ///< of its functions, those that `dyad.mint` has too
  std::vector<std::string> numpy_functions;  ///< names under which `dyad.numpy` has it
  std::vector<std::pair<std::string_view, std::string_view>>
      aliases;  ///< keyword spellings accepted in every face

  std::string_view numpy;  ///< the result as a NumPy expression over the parameter names
  std::vector<std::string_view> samples;
  std::vector<Reject> rejects;
};

/// Writes an operator's entry. Every call returns the entry, so that a definition reads as one sentence.
class OpEntry {
 public:
  explicit OpEntry(Op* op) : op_(op) {}

  OpEntry& doc(std::string_view text);
  /// A line that defines an element of the result; of an operator that moves elements, by their indices. A
  /// condition says when it holds. The names in it are those of the parameters, or x for the first one.
  OpEntry& formula(std::string_view text, std::string_view condition = {});
  /// What an argument means: its dtypes, shape and range. Kind and default come from the signature. Operands
  /// of an elementwise operator, and parameters that mean the same everywhere (`keepdims`), need no words.
  OpEntry& arg(std::string_view name, std::string_view meaning);
  OpEntry& returns(std::string_view text);
  OpEntry& see(std::string_view names);
  OpEntry& reference(std::string_view text);
  /// Another function in `ops` for this operator: `"max(input, axis=None)"`, or just a name. Without any,
  /// there is one of the operator's own name; `hidden()` leaves it out.
  OpEntry& function(std::string_view face);
  OpEntry& hidden();
  /// A Tensor method; `self` is the first parameter. Without text: the signature's own name and parameters.
  OpEntry& method(std::string_view face = {});
  /// A further form of a function or method that this or another operator has: it is tried when the arguments
  /// fit none of the forms before it, as `x.gather(dim, index)` beside `x.gather(input_indices, axis)`.
  OpEntry& further_function(std::string_view face);
  OpEntry& further_method(std::string_view face);
  /// A method that writes the result into `self` (`"add_"`, or a full face); for elementwise operators.
  OpEntry& inplace(std::string_view name);
  /// A Primitive class: `"ReduceSum(keep_dims:keepdims=False)(x:input, axis=())"`.
  OpEntry& primitive(std::string_view faces);
  OpEntry& alias(std::string_view spelling, std::string_view param);
  /// Which of the operator's functions `dyad.mint` has under the same name.
  template <class... Names>
  OpEntry& mint(Names... names) {
    return add_mint({std::string_view(names)...});
  }
  /// Names of the operator in `dyad.numpy`, which takes lists and numbers for tensors.
  template <class... Names>
  OpEntry& numpy_function(Names... names) {
    return add_numpy({std::string_view(names)...});
  }

  OpEntry& infer(InferRule rule);
  OpEntry& view(ViewRule rule);
  /// Marks a fusible elementwise operator whose arithmetic is the scalar definition of the same name.
  OpEntry& elementwise(InferRule rule);
  OpEntry& writes(int argument);
  /// Arguments (tensors, or lists of them) that the kernel changes in place while it gives other results or
  /// none: the moments of an optimizer. They are state.
  OpEntry& updates(std::initializer_list<int> arguments);
  /// The write is one of state, as to a Parameter: it is not differentiated.
  OpEntry& state();
  /// Of this argument only dtype and shape are read: its data need not be kept for this operator.
  OpEntry& describes(int argument);
  OpEntry& random();
  OpEntry& data_shape();
  /// Some elements of a floating-point argument are an error. Integer arguments may always be wrong indices.
  OpEntry& checks_data();
  /// The body gives shape, gradient and fallback.
  template <class Body>
  OpEntry& compose(Body);
  /// Results of the body may lie in the memory of an argument. Those of any other composed operator are
  /// copied where they do, so that a trivial shape or setting does not decide who sees a later write.
  OpEntry& shares_memory();
  /// As `compose`, for a body whose steps may overflow or lose digits where its results do not: float16 and
  /// bfloat16 are computed in float32 and the results rounded once.
  template <class Body>
  OpEntry& compose_wide(Body);
  /// The operator in terms of others, for a compiler that computes them together; by itself the kernel is
  /// better. Same results but for rounding.
  template <class Body>
  OpEntry& decomposes(Body);
  /// Folds elements along axes: `name(input, axis, keepdims, …)`.
  OpEntry& reduces(Reduction with);
  OpEntry& grad(GradRule rule);
  /// The result is linear in these arguments together: its tangent is the operator applied to theirs, with
  /// zeros for a constant among them. Elementwise operators need no such word, their gradient rule tells the
  /// tangent; that of any other operator is found by transposing its gradient rule.
  OpEntry& linear(std::initializer_list<int> arguments = {0});
  /// The result is linear in each of these arguments while the others stay, as a product is: its tangent is
  /// the sum of the operator with one argument at a time replaced by its tangent.
  OpEntry& multilinear(std::initializer_list<int> arguments);
  /// How the operator works on many slices at once; shared rules are in ops/batch.h.
  OpEntry& batch(BatchRule rule);
  /// The result is a constant for differentiation, because …
  OpEntry& no_grad(std::string_view why);
  /// The result varies with its inputs but cannot be differentiated here, because …; asking for it is an
  /// error.
  OpEntry& missing_grad(std::string_view why);

  /// Passes write this operator, after differentiation and with kernels in view: it has no function and no
  /// gradient.
  OpEntry& compiler_made();

  /// What a call costs in floating-point operations. An elementwise operator takes one for each element of
  /// its result, a reduction one for each of its operand, movement none and a composition what its body
  /// takes: they need no word. All others state it, by a rule or as a number for each element of the first
  /// tensor among the arguments. Bytes need no rule: those of all tensors that are read, and of the results.
  OpEntry& cost(FlopRule rule);
  OpEntry& cost(double per_element);
  OpEntry& cost_per_result(double per_element);
  /// The operator computes nothing.
  OpEntry& moves(Movement how);
  /// What automatic mixed precision makes of a call; without a word it leaves the call as it is.
  OpEntry& autocast(Autocast how);

  /// With the attribute `channels_last` these tensors and results are (images, sizes…, channels); `applies`
  /// says of a call whether it can be written so.
  OpEntry& channels_last(std::initializer_list<int> inputs, std::initializer_list<int> results,
                         LayoutRule applies);
  /// How a call is written, with this or other operators, for tensors whose channels lie innermost. Without
  /// either word the operator needs the default layout; elementwise operators and reductions follow their
  /// operands.
  OpEntry& channels_last(LayoutRule rule);
  /// It is faster with channels innermost, so that it is worth to bring tensors into that layout.
  OpEntry& prefers_channels_last();
  /// Its result lies on the device that its second argument, a text, names.
  OpEntry& transfers();
  /// The operator of this name takes the same arguments and gives the same results and more.
  OpEntry& included_in(std::string_view op);

  OpEntry& numpy(std::string_view expression);
  template <class... Texts>
  OpEntry& samples(Texts... texts) {
    return add_samples({std::string_view(texts)...});
  }
  OpEntry& rejects(std::string_view call, std::string_view error, std::string_view message);

 private:
  OpEntry& add_mint(std::initializer_list<std::string_view> names);
  OpEntry& add_numpy(std::initializer_list<std::string_view> names);
  OpEntry& add_samples(std::initializer_list<std::string_view> texts);
  static void give(ValueList& results, Value result);
  static void give(ValueList& results, ValueList given);
  template <class Body>
  static BodyRule as_rule(Body);
  Op* op_;
};

/// The table of all operators. Entries are added while the library loads and never change afterwards.
class OpTable {
 public:
  static OpTable& instance();
  OpEntry define(std::string_view signature);
  const Op* find(std::string_view name) const;
  /// The operator of that name; a missing one is an internal error.
  const Op& get(std::string_view name) const;
  const std::vector<Op*>& all() const { return ops_; }

 private:
  std::vector<Op*> ops_;
};

template <class Body>
BodyRule OpEntry::as_rule(Body) {
  static_assert(std::is_empty_v<Body>, "a body captures nothing");
  return [](const Call& call, ValueList& results) { give(results, Body{}(call)); };
}

template <class Body>
OpEntry& OpEntry::compose(Body body) {
  op_->body = as_rule(body);
  return *this;
}

template <class Body>
OpEntry& OpEntry::compose_wide(Body) {
  op_->body = [](const Call& call, ValueList& results) { run_wide(call, as_rule(Body{}), results); };
  return *this;
}

template <class Body>
OpEntry& OpEntry::decomposes(Body body) {
  op_->decomposition = as_rule(body);
  return *this;
}

}  // namespace dyad

#define DYAD_OP_JOIN_(a, b) a##b
#define DYAD_OP_NAME_(line) DYAD_OP_JOIN_(dyad_op_, line)
/// Opens an operator's definition at namespace scope: `DYAD_OP("exp(input: Tensor) -> Tensor").doc(…)…;`
#define DYAD_OP(signature)                                                   \
  [[maybe_unused]] static const ::dyad::OpEntry DYAD_OP_NAME_(__COUNTER__) = \
      ::dyad::OpTable::instance().define(signature)
