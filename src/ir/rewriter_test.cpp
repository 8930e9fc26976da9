#include "ir/rewriter.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "ir/match.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"

namespace dyad::ir {
namespace {

/// An operator on any arguments, with a result like the first value among them.
class Step final : public Operator {
 public:
  Step(std::string called, size_t parameters) : parameters_(parameters) { name = std::move(called); }
  size_t parameter_count() const override { return parameters_; }
  std::string_view parameter_name(size_t) const override { return "a"; }
  std::vector<ResultSpec> infer_results(std::span<const Arg> args) const override {
    auto* list = args[0].get<ValueList>();
    const ValueImpl& like = list ? *list->front() : **args[0].get<Value>();
    return {{like.dtype, like.shape}};
  }

 private:
  size_t parameters_;
};

const Step kOne("one", 1);
const Step kTwo("two", 2);
const Step kJoin("join", 1);

std::unique_ptr<Module> read(std::string_view text) {
  return parse(text, {[](std::string_view name) -> const Operator* {
                        for (const Step* step : {&kOne, &kTwo, &kJoin}) {
                          if (step->name == name) return step;
                        }
                        return nullptr;
                      },
                      {}});
}

std::string text_of(const Module& module) {
  verify(module);
  return "\n" + print(module);
}

Node& node_at(Function& function, size_t i) {
  return **std::next(function.nodes.begin(), static_cast<std::ptrdiff_t>(i));
}
const GraphValue& result_at(Function& function, size_t i) { return *node_at(function, i).results[0]; }

std::vector<std::string> users_of(const Rewriter& rewriter, const GraphValue& value) {
  std::vector<std::string> names;
  rewriter.for_each_user(value, [&](const Node& user) { names.push_back(user.results[0]->name); });
  return names;
}

constexpr std::string_view kProgram = R"(
func @main(%x: float32[2], state %w: float32[2]) -> (%d, state %w = %b) {
  %a: float32[2] = one(%x)
  %b: float32[2] = two(%a, %a)
  %c: float32[2] = join((%a, none, %b))
  %d: float32[2] = two(%c, a=1)
}
)";

TEST(Rewriter, CountsEveryUse) {
  const auto module = read(kProgram);
  Function& main = module->main();
  const Rewriter rewriter(main);
  EXPECT_EQ(rewriter.use_count(*main.params[0]), 1u);
  EXPECT_EQ(rewriter.use_count(*main.params[1]), 0u);
  EXPECT_EQ(users_of(rewriter, result_at(main, 0)), (std::vector<std::string>{"b", "b", "c"}));
  EXPECT_EQ(rewriter.use_count(result_at(main, 1)), 2u);  // by a node and by the update
  EXPECT_EQ(users_of(rewriter, result_at(main, 1)), std::vector<std::string>{"c"});
  EXPECT_TRUE(rewriter.is_returned(result_at(main, 1)));
  EXPECT_TRUE(rewriter.is_returned(result_at(main, 3)));
  EXPECT_FALSE(rewriter.is_returned(result_at(main, 2)));
  EXPECT_TRUE(rewriter.has_one_use(result_at(main, 2)));
  EXPECT_EQ(rewriter.only_producer(node_at(main, 3).args[0]), &node_at(main, 2));
  EXPECT_EQ(rewriter.only_producer(node_at(main, 1).args[0]), nullptr);
  EXPECT_EQ(rewriter.only_producer(node_at(main, 0).args[0]), nullptr);
}

TEST(Rewriter, ReplacesAllUses) {
  const auto module = read(kProgram);
  Function& main = module->main();
  Rewriter rewriter(main);
  const GraphValue& a = result_at(main, 0);
  const GraphValue& b = result_at(main, 1);
  rewriter.replace_all_uses(a, main.params[0]);
  EXPECT_EQ(rewriter.use_count(a), 0u);
  EXPECT_EQ(rewriter.use_count(*main.params[0]), 4u);
  rewriter.replace_all_uses(b, main.params[1]);
  EXPECT_EQ(text_of(*module), R"(
func @main(%x: float32[2], state %w: float32[2]) -> (%d, state %w = %w) {
  %a: float32[2] = one(%x)
  %b: float32[2] = two(%x, %x)
  %c: float32[2] = join((%x, none, %w))
  %d: float32[2] = two(%c, a=1)
}
)");
  rewriter.erase(node_at(main, 1));
  EXPECT_EQ(rewriter.use_count(*main.params[0]), 2u);
  rewriter.erase(node_at(main, 0));
  EXPECT_EQ(users_of(rewriter, *main.params[0]), std::vector<std::string>{"c"});
}

TEST(Rewriter, ReplacesUsesThatAreAccepted) {
  const auto module = read(kProgram);
  Function& main = module->main();
  Rewriter rewriter(main);
  rewriter.replace_uses_if(result_at(main, 0), main.params[0], [](const Node* user, size_t argument) {
    return user && user->results[0]->name == "b" && argument == 1;
  });
  rewriter.replace_uses_if(result_at(main, 1), main.params[1],
                           [](const Node* user, size_t) { return !user; });
  EXPECT_EQ(text_of(*module), R"(
func @main(%x: float32[2], state %w: float32[2]) -> (%d, state %w = %w) {
  %a: float32[2] = one(%x)
  %b: float32[2] = two(%a, %x)
  %c: float32[2] = join((%a, none, %b))
  %d: float32[2] = two(%c, a=1)
}
)");
  EXPECT_EQ(rewriter.use_count(result_at(main, 0)), 2u);
  EXPECT_EQ(rewriter.use_count(result_at(main, 1)), 1u);
}

TEST(Rewriter, InsertsWhereItIsTold) {
  const auto module = read(kProgram);
  Function& main = module->main();
  Rewriter rewriter(main);
  node_at(main, 2).location = {"net.py", 3, 1};
  Node& c = node_at(main, 2);
  rewriter.set_insertion_point(c);
  rewriter.insert(kOne, {Value(main.params[0])}).results[0]->name = "before";
  rewriter.set_insertion_point_after(c);
  Node& after = rewriter.insert(kOne, {Value(c.results[0])});
  after.results[0]->name = "after";
  rewriter.set_insertion_point_to_end();
  rewriter.insert(kOne, {Value(after.results[0])}).results[0]->name = "last";
  EXPECT_EQ(text_of(*module), R"(
func @main(%x: float32[2], state %w: float32[2]) -> (%d, state %w = %b) {
  %a: float32[2] = one(%x)
  %b: float32[2] = two(%a, %a)
  %before: float32[2] = one(%x) at "net.py":3:1
  %c: float32[2] = join((%a, none, %b)) at "net.py":3:1
  %after: float32[2] = one(%c) at "net.py":3:1
  %d: float32[2] = two(%c, a=1)
  %last: float32[2] = one(%after)
}
)");
  EXPECT_EQ(rewriter.use_count(*c.results[0]), 2u);
  for (auto at = main.nodes.begin(); std::next(at) != main.nodes.end(); ++at) {
    EXPECT_TRUE(rewriter.comes_before(**at, **std::next(at)));
    EXPECT_FALSE(rewriter.comes_before(**std::next(at), **at));
  }
}

TEST(Rewriter, OrderIsKeptHoweverManyAreInserted) {
  const auto module = read(kProgram);
  Function& main = module->main();
  Rewriter rewriter(main);
  Node& first = node_at(main, 0);
  Node* before = &node_at(main, 1);
  for (int i = 0; i < 200; ++i) {
    rewriter.set_insertion_point(*before);
    before = &rewriter.insert(kOne, {Value(main.params[0])});
    ASSERT_TRUE(rewriter.comes_before(first, *before));
    ASSERT_TRUE(rewriter.comes_before(*before, **std::next(main.nodes.begin(), 2)));
  }
}

TEST(Rewriter, WalksWhileItRewrites) {
  const auto module = read(kProgram);
  Function& main = module->main();
  Rewriter rewriter(main);
  std::vector<std::string> seen;
  rewriter.walk([&](Node& node) {
    seen.push_back(node.results[0]->name);
    if (!is_op(node, "two")) return;
    const Value doubled = rewriter.insert(kOne, {node.args[0]}).results[0];
    rewriter.replace_with(node, kOne, {doubled});
  });
  EXPECT_EQ(seen, (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(text_of(*module), R"(
func @main(%x: float32[2], state %w: float32[2]) -> (%d, state %w = %b) {
  %a: float32[2] = one(%x)
  %1: float32[2] = one(%a)
  %b: float32[2] = one(%1)
  %c: float32[2] = join((%a, none, %b))
  %2: float32[2] = one(%c)
  %d: float32[2] = one(%2)
}
)");
}

TEST(Rewriter, WalksBackwardOverWhatIsErased) {
  const auto module = read(R"(
func @main(%x: float32[2]) -> (%b) {
  %a: float32[2] = one(%x)
  %b: float32[2] = one(%a)
  %c: float32[2] = one(%b)
  %d: float32[2] = two(%c, %a)
})");
  Rewriter rewriter(module->main());
  std::vector<std::string> seen;
  rewriter.walk_backward([&](Node& node) {
    seen.push_back(node.results[0]->name);
    if (rewriter.use_count(*node.results[0]) == 0) rewriter.erase(node);
  });
  EXPECT_EQ(seen, (std::vector<std::string>{"d", "c", "b", "a"}));
  EXPECT_EQ(module->main().nodes.size(), 2u);
  EXPECT_EQ(rewriter.use_count(*module->main().params[0]), 1u);
}

TEST(Rewriter, ErasedValuesCanStillBeLookedAt) {
  const auto module = read(kProgram);
  Function& main = module->main();
  Rewriter rewriter(main);
  Node& a = node_at(main, 0);
  rewriter.replace(a, Value(main.params[0]));
  EXPECT_EQ(main.nodes.size(), 3u);
  EXPECT_EQ(a.results[0]->name, "a");
  EXPECT_EQ(rewriter.use_count(*a.results[0]), 0u);
}

TEST(Rewriter, WhatIsUsedIsNotErased) {
  const auto module = read(kProgram);
  Rewriter rewriter(module->main());
  EXPECT_THROW(rewriter.erase(node_at(module->main(), 0)), Error);
}

TEST(Rewriter, ArgumentsThatGrowAndShrink) {
  const auto module = read(kProgram);
  Function& main = module->main();
  Rewriter rewriter(main);
  Node& c = node_at(main, 2);
  const Value x = main.params[0];
  rewriter.set_argument(c, 0, ValueList{x, x, x, x});
  EXPECT_EQ(rewriter.use_count(*x), 5u);
  EXPECT_EQ(rewriter.use_count(result_at(main, 0)), 2u);
  rewriter.set_argument(c, 0, ValueList{x});
  EXPECT_EQ(rewriter.use_count(*x), 2u);
  rewriter.set_argument(c, 0, ValueList{x, Value(main.params[1])});
  EXPECT_EQ(rewriter.use_count(*x), 2u);
  EXPECT_EQ(rewriter.use_count(*main.params[1]), 1u);
}

TEST(Rewriter, CopiesWithOtherValues) {
  const auto module = read(kProgram);
  Function& main = module->main();
  Rewriter rewriter(main);
  rewriter.set_insertion_point_to_end();
  Node& copy = rewriter.insert_copy(node_at(main, 2), [&](const Value&) { return main.params[0]; });
  EXPECT_EQ(copy.op, &kJoin);
  EXPECT_EQ(rewriter.use_count(*main.params[0]), 3u);
  EXPECT_EQ(main.nodes.back().get(), &copy);
}

TEST(Match, FollowsExpressions) {
  const auto module = read(kProgram);
  Function& main = module->main();
  const Rewriter rewriter(main);
  const Node& b = node_at(main, 1);
  const Arg d = Value(node_at(main, 3).results[0]);
  Value x;
  EXPECT_TRUE(match(b.args[0], m_op("one", m_value(x))));
  EXPECT_EQ(x.get(), main.params[0].get());
  EXPECT_FALSE(match(b.args[0], m_op("two")));
  EXPECT_FALSE(match(b.args[0], m_op("one", m_any(), m_any())));  // it has one argument
  EXPECT_FALSE(match(Arg(Value(main.params[0])), m_op("one")));
  EXPECT_FALSE(match(b.args[0], m_one_use(rewriter, m_op("one"))));
  Scalar number;
  Node* joined = nullptr;
  const auto pattern = m_op("two", m_one_use(rewriter, m_node(joined, m_op("join"))), m_number(number));
  EXPECT_TRUE(match(d, pattern));
  EXPECT_EQ(joined, &node_at(main, 2));
  EXPECT_EQ(number.to_int(), 1);
  EXPECT_FALSE(match(d, m_op("two", m_any(), m_none())));
}

}  // namespace
}  // namespace dyad::ir
