#include "capture/tracing/graph_tracer.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "eager/dispatch.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "ops/call.h"

namespace dyad::tracing {
namespace {

DYAD_USE(add, assign, copy, mul, select_view);

class RecordingTest : public testing::Test {
 protected:
  RecordingTest() : tracer(new GraphTracer("main")) {
    eager::initialise();
    push(tracer);
  }
  ~RecordingTest() override { pop(*tracer); }

  Value input(const Shape& shape, std::string name) {
    return tracer->add_input(DType::kFloat32, shape, contiguous_strides(shape), std::move(name));
  }
  static Tensor item(const Value& value) { return Tensor(&as_tensor(value)); }
  static Tensor ones(int64_t count) {
    Tensor tensor = empty(DType::kFloat32, {count});
    std::fill_n(tensor->as<float>(), count, 1.0f);
    return tensor;
  }
  /// The text of the finished graph, which is a sound one.
  std::string finished(const std::vector<Item>& items) {
    tracer->finish(items);
    ir::verify(*tracer->module());
    return ir::print(*tracer->module());
  }
  Scope* function(const std::string& name, const std::function<void()>& body) {
    tracer->begin(name, {});
    body();
    return tracer->suspend();
  }

  Ref<GraphTracer> tracer;
};

TEST_F(RecordingTest, OperatorsOnSymbolicTensorsBecomeNodes) {
  const Value x = input({2, 3}, "x");
  const Value y = add(mul(x, 2), x);
  EXPECT_TRUE(y->symbolic);
  EXPECT_EQ(y->strides, (Strides{3, 1}));
  EXPECT_EQ(finished({item(y)}), R"(func @main(%x: float32[2, 3]) -> (%2) {
  %1: float32[2, 3] = mul(%x, other=2)
  %2: float32[2, 3] = add(%1, %x)
}
)");
}

TEST_F(RecordingTest, OperatorsOnDataRunAtOnce) {
  const Value sum = add(Value(ones(2)), 1);
  EXPECT_EQ(sum->as<float>()[1], 2.0f);
  EXPECT_EQ(tracer->node_count(), 0u);
}

TEST_F(RecordingTest, AWriteGivesTheStorageANewValue) {
  const Value x = input({2}, "x");
  const Value row = select_view(x, 0, 1);
  assign(x, mul(x, 3));
  const Value read = add(row, 1);
  EXPECT_EQ(finished({item(read)}), R"(func @main(state %x: float32[2]) -> (%5, state %x = %3) {
  %1: float32[] = select_view(%x, axis=0, position=1)
  %2: float32[2] = mul(%x, other=3)
  %3: float32[2] = assign(%x, %2)
  %4: float32[] = select_view(%3, axis=0, position=1)
  %5: float32[] = add(%4, other=1)
}
)");
}

TEST_F(RecordingTest, AWriteThroughAViewReachesTheStorage) {
  const Value x = input({2}, "x");
  const Value row = select_view(x, 0, 1);
  assign(row, 5.0);
  EXPECT_EQ(finished({item(row), item(x)}), R"(func @main(state %x: float32[2]) -> (%2, %3, state %x = %3) {
  %1: float32[] = select_view(%x, axis=0, position=1)
  %2: float32[] = assign(%1, value=5.0)
  %3: float32[2] = write_view(%x, %2, %1)
}
)");
}

TEST_F(RecordingTest, ArmsTakeWhatTheyUseAndGiveWhatTheyWrite) {
  const Value x = input({2}, "x");
  const Value y = copy(x);
  const Number truth = tracer->add_number_input(Scalar::Kind::kBool, "truth");
  Value sum;
  Scope* yes = function("yes", [&] {
    assign(y, x);
    sum = add(y, 1);
  });
  Scope* no = function("no", [] {});
  const std::vector<Item> results = tracer->add_if(truth, *yes, std::vector<Item>{item(sum)}, *no,
                                                   std::vector<Item>{item(x)}, std::nullopt);
  EXPECT_EQ(finished({results[0], item(y)}),
            R"(func @main(%x: float32[2], %truth: number bool_) -> (%2, %3) {
  %1: float32[2] = copy(%x)
  %2: float32[2], %3: float32[2] = if %truth then @yes else @no(%1, %x)
}
func @yes(%1: float32[2], %2: float32[2]) -> (%4, %3) {
  %3: float32[2] = assign(%1, %2)
  %4: float32[2] = add(%3, other=1)
}
func @no(%1: float32[2], %2: float32[2]) -> (%2, %1) {
}
)");
}

TEST_F(RecordingTest, ALoopCarriesWhatItsBodyWrites) {
  const Value x = input({2}, "x");
  const Number count = tracer->add_number_input(Scalar::Kind::kInt, "n");
  TypeSpec integer;
  integer.number = true;
  const std::vector<Item> seen = tracer->begin("condition", std::vector{integer});
  const Item truth = tracer->apply("lt", std::vector<Item>{seen[0], count});
  Scope* condition = tracer->suspend();
  const std::vector<Item> variables = tracer->begin("body", std::vector{integer});
  assign(x, mul(x, 2));
  const Item next = tracer->apply("add", std::vector<Item>{variables[0], Scalar(1)});
  Scope* body = tracer->suspend();
  tracer->add_while(*condition, truth, *body, std::vector{next}, std::vector<Item>{Scalar(0)});
  EXPECT_EQ(tracer->finished(), false);
  const std::string text = finished({});
  EXPECT_NE(text.find("while @condition do @body(%1, %x) with (%n)"), std::string::npos) << text;
  EXPECT_EQ(tracer->written_inputs(), std::vector<size_t>{0});
}

TEST_F(RecordingTest, MemoryOfTheProgramIsCopiedBeforeItIsWritten) {
  const Value x = input({2}, "x");
  const Tensor local = ones(2);
  const Value before = add(x, Value(local));
  assign(Value(local), x);
  EXPECT_TRUE(tracer->holds(*local));
  EXPECT_EQ(finished({item(before), local}), R"(func @main(%x: float32[2]) -> (%3, %4) {
  %1: float32[2] = constant {1.0, 1.0}
  %2: float32[2] = copy(%1)
  %3: float32[2] = add(%x, %1)
  %4: float32[2] = assign(%2, %x)
}
)");
  EXPECT_EQ(local->as<float>()[0], 1.0f);
}

TEST_F(RecordingTest, SymbolicTensorsAreOfNoUseOutside) {
  const Value x = input({2}, "x");
  tracer->finish(std::vector<Item>{item(x)});
  EXPECT_THROW(add(x, 1), Error);
}

TEST_F(RecordingTest, SizesStaySizes) {
  const Shape shape{Dim::symbol("n"), 3};
  const Tensor x = tracer->add_input(DType::kFloat32, shape, {}, "x");
  const Item twice = tracer->apply("mul", std::vector<Item>{tracer->size_number(x->shape[0]), Scalar(2)});
  EXPECT_EQ(tracer->size_of(std::get<Number>(twice)), Dim::symbol("n") * Dim(2));
  EXPECT_EQ(tracer->node_count(), 0u);
}

}  // namespace
}  // namespace dyad::tracing
