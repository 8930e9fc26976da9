#pragma once

#include <array>
#include <optional>

#include "capture/tracing/control_flow_tape.h"
#include "capture/tracing/scope.h"
#include "ops/op.h"

namespace dyad::tracing {

/// While it lives, operators that this thread writes down are what the program calls `name`: errors of the
/// running graph speak of them by that name.
class CalledAs {
 public:
  explicit CalledAs(std::string_view name) {
    if (Storage::captures.load(std::memory_order_relaxed) != 0) [[unlikely]]
      begin(name);
  }
  CalledAs(const CalledAs&) = delete;
  CalledAs& operator=(const CalledAs&) = delete;
  ~CalledAs() {
    if (begun_) [[unlikely]]
      end();
  }

 private:
  void begin(std::string_view name);
  void end();

  bool begun_ = false;
  std::string_view outer_;
};

/// What transforms make of a function that may call itself: the same function with everything that it uses as
/// a parameter, its gradient, its tangent.
enum class Derived : uint8_t { kCopy, kGradient, kTangent };

/// A program that is being written down as a graph. Operators on its symbolic tensors become nodes.
///
/// A graph has no memory: the tracer keeps, for each storage, the value that it holds at this place of the
/// program, per function. A write gives the storage a new value; a view is made again from its storage where
/// that was written since. A function that uses a storage of the functions around it gets a parameter for it,
/// and where it writes, one more result.
class GraphTracer final : public RefCounted {
 public:
  explicit GraphTracer(const std::string& name);
  ~GraphTracer() override;

  // The main function's inputs. Those of the caller come first, those bound by reference after them.
  Tensor add_input(DType dtype, const Shape& shape, const Strides& strides, std::string name);
  Number add_number_input(Scalar::Kind kind, std::string name);
  /// A tensor whose memory the graph reads and writes whenever it runs.
  Tensor bind(const Tensor& tensor, std::string name);
  /// From now on operators run for real and are written down as well; tensors have data.
  void trace() { tracing_ = true; }
  bool tracing() const { return tracing_; }
  /// In a trace: a gradient is computed by Python, which the graph knows nothing of.
  void note_own_gradient() { has_own_gradients_ = true; }
  bool has_own_gradients() const { return has_own_gradients_; }
  /// In a trace: the tensor, and every other one over its memory, is an input of this shape.
  void trace_input(const Tensor& tensor, const Shape& shape);
  size_t input_count() const { return inputs_; }
  const std::vector<Tensor>& bound() const { return bound_; }

  // Operators.
  bool takes(const Op& op, std::span<const Arg> args, const Value* target);
  void add(const Op& op, std::span<const Arg> args, ValueList& results);

  // Numbers.
  /// `add`, `lt`, `int`, …: the operators of ops/number_operator.h. The result may be known now.
  Item apply(std::string_view op, std::span<const Item> operands);
  Number number_of(const Tensor& tensor);
  Tensor tensor_of(const Item& number, DType dtype);
  Number size_number(Dim size) const { return {Scalar::Kind::kInt, {}, size}; }
  Item size_item(Dim size) const {
    return size.known() ? Item(Scalar(size.value())) : Item(size_number(size));
  }
  Dim size_of(const Number& number);

  // Functions inside the one being written. A handle stays valid as long as the tracer.
  std::vector<Item> begin(const std::string& name, std::span<const TypeSpec> specs);
  Scope* suspend();
  void resume(Scope& scope);
  std::vector<Item> add_if(const Item& condition, Scope& yes, std::span<const Item> yes_items, Scope& no,
                           std::span<const Item> no_items, std::optional<int> dead);
  std::vector<Item> add_while(Scope& condition, const Item& truth, Scope& body,
                              std::span<const Item> body_items, std::span<const Item> initial);
  /// A function that may be called before it is written, by itself too.
  Scope* declare(const std::string& name, std::vector<TypeSpec> params, std::vector<TypeSpec> results);
  std::vector<Item> open(Scope& function);
  void close(Scope& function, std::span<const Item> items);
  /// Leaves a function that was opened and will not be written to its end.
  void abandon(Scope& function);
  std::vector<Item> add_call(Scope& function, std::span<const Item> items);
  /// Runs `forward`, which is differentiated by `backward`: that takes what `forward` takes, what it gives
  /// and a gradient for each of these, and gives a gradient for each of the former. All of them are tensors.
  std::vector<Item> add_custom(Scope& forward, std::span<const Item> given, Scope& backward,
                               std::span<const Item> gradients, std::span<const Item> args);
  /// Whether the function being written made this tensor, and whether anything uses it there so far.
  bool made_here(const Tensor& tensor) const;
  bool is_used(const Tensor& tensor);
  /// `hooked` is what `add_custom` gave for this tensor alone, to see its gradient. If the tensor was made
  /// here, whatever uses it uses `hooked`, what was written before too, and the tensor stands for that. Hooks
  /// of a tensor see its gradient in the order in which they were added. False if a hook needs what was made
  /// later than the first use.
  bool add_hook(const Tensor& tensor, const Tensor& hooked);
  /// Takes the hook out again that `add_hook` has put in; false if another function has it.
  bool remove_hook(const Tensor& hooked);
  std::vector<Item> add_host(std::string what, int payload, std::span<const Item> args,
                             std::span<const TypeSpec> specs);
  /// Ends the graph with these results. `input_order` says which inputs of the caller come first, by their
  /// numbers in the order in which they were added; without it they stay in that order.
  void finish(std::span<const Item> items, std::span<const size_t> input_order = {});
  bool finished() const { return finished_; }

  // The graph itself, for transforms: they derive functions from functions, value by value.
  /// The function that is being written; an error once the graph is finished.
  Scope& scope() const;
  /// The value that a tensor or number has in the function at the place reached so far. What lies around the
  /// function becomes a captured variable of it.
  ir::GraphValueRef value_of(Scope& scope, const Item& item);
  ir::GraphValueRef value_of(Scope& scope, const TensorImpl& tensor) {
    return value_of(scope, tensor, nullptr);
  }
  /// The other way round: what stands for a value that was added to the function, in memory of its own.
  Item item_of(Scope& scope, ir::GraphValue& value);
  Item new_param(Scope& scope, const TypeSpec& spec);
  /// Adds a node with the results that the operator infers; nothing is read, written or recorded but the
  /// node.
  ir::Node& add_operator(Scope& scope, const Operator& op, std::vector<Arg> args);
  /// A value of this type for a path that never gives it.
  ir::GraphValueRef never_given(Scope& scope, const ir::GraphValue& like);
  /// An error unless the function was begun here, is suspended, and nothing runs it yet.
  void require_suspended(std::string_view what, const Scope& scope) const;
  /// The tensor itself if it is symbolic, else the stand-in for it if the graph has taken over its memory;
  /// empty for any other.
  Tensor graph_tensor(const Tensor& tensor);
  /// Whether the memory of a tensor with data has become part of the graph.
  bool is_adopted(const Storage& storage) const { return adopted_.contains(&storage); }
  /// A tensor that shows all of a storage of the graph.
  Tensor whole(const Storage& storage) const;
  ir::GraphValue::Kind kind_of(const Storage& storage) const { return memory(storage).kind; }
  /// Whether it is a Parameter's memory: writes to it are not differentiated.
  bool holds_state(const Storage& storage) const { return memory(storage).state; }
  /// Whether an operator in place, rather than an assignment, has written to it outside of `no_grad`.
  bool written_in_place(const Storage& storage) const { return memory(storage).in_place; }
  /// The tensor of the functions around that a captured variable stands for, with what a tape knows of it.
  Tensor captured_tensor(const CapturedVariable& what) const;
  /// What was derived from a function that may call itself, so that it is derived once; null before.
  Scope*& derived(Derived how, const ir::Function& function) {
    return derived_[static_cast<size_t>(how)][&function];
  }

  // Memory.
  /// The tensor may be another one too, depending on the path that was taken: it cannot be written.
  void protect(const TensorImpl& tensor);
  /// Another tensor, with memory of its own, that holds what this one holds now.
  Tensor separate(const Tensor& tensor);
  /// The same; it must not be written.
  Tensor snapshot(const Tensor& tensor);
  /// The same, to stand for an argument of a transform: only as state may it be written, and both are then.
  Tensor stand_for(const Tensor& argument);
  /// The input is a Parameter's memory.
  void note_state(const TensorImpl& input) { memories_.at(input.storage.get()).state = true; }
  /// The input has symbolic dimensions and may lie in memory in any order.
  void note_any_layout(const TensorImpl& input) { memories_.at(input.storage.get()).any_layout = true; }
  bool has_any_layout(const TensorImpl& tensor) const {
    const auto found = memories_.find(tensor.storage.get());
    return found != memories_.end() && found->second.any_layout;
  }
  /// Whether the memory of this tensor was made by that function or one inside it.
  bool made_inside(const Scope& scope, const TensorImpl& tensor) const;
  /// Whether a write to this tensor is one of the graph, and not done now.
  bool defers_write(const TensorImpl& target) const;
  /// Takes over the memory of a tensor with data that the graph is about to write; gives its stand-in.
  Tensor adopt(const Tensor& tensor);
  /// Whether the program made this tensor with data itself, while it was captured.
  bool born_here(const TensorImpl& tensor) const;
  /// Whether the contents of this tensor are known only when the graph runs.
  bool holds(const TensorImpl& tensor) const;
  /// Inputs, by their place in the main function, whose memory the graph writes.
  std::vector<size_t> written_inputs() const;
  const std::shared_ptr<ir::Module>& module() const { return module_; }
  size_t node_count() const;
  /// How many operators were added so far, in all functions, that may raise when the graph runs.
  size_t checking_count() const { return checking_count_; }
  /// Drops the graph; tensors of it are of no use any more.
  void discard();

  /// Memory made by this thread from now on is made at this place of the program.
  void note_place() const;

  ir::Location location;

 private:
  /// A storage that the graph knows.
  struct Memory {
    Tensor whole;         ///< shows all of it
    Scope* home;          ///< the function that made it
    bool shared = false;  ///< may be the memory of another tensor too, which the graph does not know
    ir::GraphValue::Kind kind = ir::GraphValue::Kind::kTensor;
    bool state = false;       ///< a Parameter's: writes to it are not differentiated
    bool in_place = false;    ///< an operator in place wrote it where a gradient may be recorded
    Tensor original;          ///< of what stands for an argument of a transform: the argument
    bool any_layout = false;  ///< an input of symbolic dimensions that need not be in row-major order
    bool unsettled = false;   ///< the layout decides whether another tensor is a view of it or a copy
  };

  /// Memory that the graph reads by reference or has written to.
  struct Adopted {
    Tensor tensor;    ///< all of it
    Tensor stand_in;  ///< what it is in the graph
    /// Tensors that show it, kept alive, and their stand-ins.
    std::unordered_map<const TensorImpl*, std::pair<Tensor, Tensor>> views;
  };

  void arrange_inputs(std::span<const size_t> order);
  void forget();
  Scope& open_scope(const std::string& name, Scope* parent);
  /// Makes it the function that is being written.
  void enter(Scope& inner);
  const Memory& memory(const Storage& storage) const;

  // Values, storages and constants (values.cpp).
  Tensor new_tensor(Scope& scope, ir::GraphValueRef value, const Shape& shape, const Strides* strides);
  Tensor tensor_result(Scope& scope, ir::GraphValue& value);
  Held& held(Scope& scope, const Storage& storage, const TensorImpl* seen = nullptr);
  ir::GraphValueRef value_of(Scope& scope, const TensorImpl& tensor, const TensorImpl* seen);
  void note_seen(Scope& scope, const Storage& storage, const TensorImpl& seen);
  ir::GraphValueRef value_of(Scope& scope, const Number& number);
  ir::GraphValueRef view_of(Scope& scope, const Storage& storage, const Ref<Window>& window);
  /// Raises where a size among the arguments is one that a function defines which the scope is not inside of.
  void require_known_sizes(const Scope& scope, std::span<const Arg> args) const;
  ir::GraphValueRef constant(Scope& scope, const TensorImpl& tensor);
  ir::GraphValueRef constant(Scope& scope, const Scalar& number);
  ir::GraphValueRef token_of(Scope& scope);
  /// The stand-in for a tensor with data whose memory the graph has taken over, or empty.
  Tensor stand_in(const TensorImpl& tensor);
  Tensor window_on(const Adopted& adopted, const TensorImpl& tensor);
  ir::GraphValueRef described(Scope& scope, const ValueImpl& value);
  Arg graph_arg(Scope& scope, const Arg& arg);
  std::vector<Arg> graph_args(Scope& scope, std::span<const Arg> args);
  void replace_constant(Scope& scope, const Scope::Constant& constant);
  void replace_constants(const Storage& storage, const Storage& by);
  ir::GraphValue& capture_variable(Scope& scope, CapturedVariable what);
  void give_param(Scope& scope, CapturedVariable what);
  Arg outer_arg(Scope& scope, const CapturedVariable& what);

  // Nodes (operators.cpp).
  ir::Node& add_node(Scope& scope, ir::NodeKind kind);
  Value view_result(Scope& scope, const Op& op, std::span<const Arg> args, ir::GraphValue& value,
                    const TensorImpl* real);
  /// In a trace: lets the graph know the tensor with data by this one.
  void pair(const Value& real, const Value& symbolic);
  /// The tensors that the operator changes, as the graph knows them: what it writes, then what it updates.
  std::vector<Value> targets_of(const Op& op, std::span<const Arg> args);
  void require_rewritable(const Op& op, const TensorImpl& target) const;
  void require_rewritable(const std::vector<CapturedVariable>& changed) const;
  void write_original(Scope& scope, const TensorImpl& target, bool assigns);
  void store(Scope& scope, const TensorImpl& target, ir::GraphValueRef before, ir::GraphValueRef after,
             bool assigns);
  void preserve(Scope& scope, const TensorImpl& target);
  bool meets(const Value& value) const;

  // Functions (control.cpp, calls.cpp).
  void rename(Scope& scope, const TensorImpl& tensor, const ir::GraphValue& old, const ir::GraphValueRef& by);
  Item new_result(Scope& scope, ir::Node& node, const TypeSpec& spec);
  ir::GraphValueRef argument_value(Scope& scope, const Item& item);
  ir::GraphValueRef truth_of(Scope& scope, const Item& condition);
  void arrange_params(std::span<Scope* const> scopes, const std::vector<CapturedVariable>& order);
  std::vector<CapturedVariable> united(std::span<Scope* const> scopes) const;
  void take_changed(Scope& scope, std::span<Scope* const> functions,
                    const std::vector<CapturedVariable>& changed, ir::Node& node);
  bool is_kept(const Storage& storage) const;
  void require_certain_writes(std::span<Scope* const> paths,
                              const std::vector<CapturedVariable>& changed) const;
  ir::Node& add_function_node(Scope& scope, ir::NodeKind kind, std::span<Scope* const> functions,
                              std::vector<Arg> args, const std::vector<CapturedVariable>& captured);
  Item joined_result(Scope& scope, ir::Node& node, const ir::GraphValue& a, const ir::GraphValue& b,
                     std::optional<int> dead);
  void record(const ControlFlowStep& step);
  void require_unchanged(const Scope& condition) const;
  void require_variable(size_t i, const ir::GraphValue& variable, const ir::GraphValue& value,
                        std::string_view event) const;

  std::shared_ptr<ir::Module> module_;
  std::vector<std::unique_ptr<Scope>> scopes_;
  Scope* current_ = nullptr;
  std::unordered_map<const Storage*, Memory> memories_;
  std::unordered_map<const Storage*, Adopted> adopted_;  ///< by the memory of the data
  /// Nodes that `add_hook` knows, by the one result of each, and the tensors whose gradient they see.
  std::unordered_map<const ir::GraphValue*, std::pair<ir::GraphValueRef, Tensor>> hooks_;
  std::vector<Tensor> bound_;
  std::unordered_map<const Storage*, ir::GraphValueRef> input_values_;  ///< parameters of the main function
  std::array<std::unordered_map<const ir::Function*, Scope*>, 3> derived_;  ///< by `Derived`
  size_t inputs_ = 0;
  bool finished_ = false;
  bool tracing_ = false;
  bool has_own_gradients_ = false;
  size_t checking_count_ = 0;
};

/// The tracer that this thread adds to, or null.
GraphTracer* current();
/// Makes the tracer that of this thread until `pop`; they nest.
void push(Ref<GraphTracer> tracer);
void pop(const GraphTracer& tracer);

/// While one lives, operators of this thread are run and not written down.
class Aside {
 public:
  Aside();
  ~Aside();
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
};
/// Says which tensors with data are state of the program, Parameters: they are bound by reference wherever an
/// operator meets them.
void set_state_test(bool (*is_state)(const TensorImpl& tensor));
bool is_state(const TensorImpl& tensor);

}  // namespace dyad::tracing
