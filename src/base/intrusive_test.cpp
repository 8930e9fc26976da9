#include "base/intrusive.h"

#include <gtest/gtest.h>

namespace dyad {
namespace {

struct Node : RefCounted {
  explicit Node(int* alive) : alive_(alive) { ++*alive_; }
  ~Node() override { --*alive_; }
  int* alive_;
};
struct Leaf final : Node {
  using Node::Node;
};

TEST(Ref, LastHandleEndsTheObject) {
  int alive = 0;
  {
    Ref<Node> a(new Node(&alive));
    Ref<Node> b = a;
    EXPECT_EQ(a->owners(), 2u);
    a = nullptr;
    EXPECT_EQ(alive, 1);
    EXPECT_EQ(b->owners(), 1u);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Ref, MoveDoesNotCount) {
  int alive = 0;
  Ref<Node> a(new Node(&alive));
  Ref<Node> b = std::move(a);
  EXPECT_FALSE(a);  // NOLINT: the moved-from state is what is tested
  EXPECT_EQ(b->owners(), 1u);
}

TEST(Ref, SelfAssignmentKeepsTheObject) {
  int alive = 0;
  Ref<Node> a(new Node(&alive));
  Ref<Node>& same = a;
  a = same;
  EXPECT_EQ(alive, 1);
  EXPECT_EQ(a->owners(), 1u);
}

TEST(Ref, ConvertsToItsBase) {
  int alive = 0;
  Ref<Leaf> leaf(new Leaf(&alive));
  Ref<Node> node = leaf;
  EXPECT_EQ(node->owners(), 2u);
  node = Ref<Node>(std::move(leaf));
  EXPECT_EQ(node->owners(), 1u);
}

TEST(Ref, DetachAndAdoptHandOverOneCount) {
  int alive = 0;
  Ref<Node> a(new Node(&alive));
  Node* raw = a.detach();
  EXPECT_FALSE(a);
  EXPECT_EQ(alive, 1);
  {
    Ref<Node> b = Ref<Node>::adopt(raw);
  }
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace dyad
