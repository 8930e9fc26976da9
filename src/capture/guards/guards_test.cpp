#include <gtest/gtest.h>
#include <nanobind/eval.h>
#include <nanobind/nanobind.h>

#include <string>

#include "base/error.h"
#include "capture/guards/literal.h"
#include "capture/guards/lookup.h"
#include "capture/guards/tree.h"

namespace nb = nanobind;

namespace dyad::guards {
namespace {

/// A new object that an expression describes.
nb::object value(const char* expression) {
  nb::dict globals;
  globals["__builtins__"] = nb::module_::import_("builtins");
  return nb::eval(nb::str(expression), globals);
}

/// The name in a module made of these statements.
nb::object defined(const char* statements, const char* name) {
  nb::dict globals;
  globals["__builtins__"] = nb::module_::import_("builtins");
  nb::exec(nb::str(statements), globals);
  return globals[name];
}

bool same(const char* recorded, const char* given) {
  return Literal::of(value(recorded).ptr()).matches(value(given).ptr());
}

TEST(GuardLiteral, MatchesEqualValuesOfOneTypeOnly) {
  EXPECT_TRUE(same("1000", "1000"));
  EXPECT_TRUE(same("float('nan')", "float('nan')"));
  EXPECT_TRUE(same("[1, ('a', 2.5), {'k': b'x'}]", "[1, ('a', 2.5), {'k': b'x'}]"));
  EXPECT_FALSE(same("1", "True"));
  EXPECT_FALSE(same("1", "1.0"));
  EXPECT_FALSE(same("0.0", "-0.0"));
  EXPECT_FALSE(same("(1, 2)", "[1, 2]"));
  EXPECT_FALSE(same("[1, 2]", "[1, 2, 3]"));
  EXPECT_FALSE(same("{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}"));
  EXPECT_FALSE(same("slice(1, 2)", "slice(1, 3)"));
}

TEST(GuardLiteral, CopiesContainers) {
  const nb::object list = value("[1, [2]]");
  const Literal literal = Literal::of(list.ptr());
  EXPECT_TRUE(literal.matches(list.ptr()));
  nb::cast<nb::list>(list[1]).append(nb::int_(3));
  EXPECT_FALSE(literal.matches(list.ptr()));
}

TEST(GuardLiteral, RefusesWhatOnlyItsOwnMethodsCompare) {
  const nb::object made = defined(
      "class Compares:\n"
      "  def __eq__(self, other): raise SystemExit('ran')\n"
      "made = Compares()\n",
      "made");
  try {
    Literal::of(made.ptr());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kType);
  }
}

TEST(GuardLiteral, RefusesAListThatHoldsItself) {
  const nb::object list = value("[]");
  nb::cast<nb::list>(list).append(list);
  EXPECT_THROW(Literal::of(list.ptr()), nb::python_error);
  nb::cast<nb::list>(list).clear();
}

constexpr char kCatchesReads[] =
    "class Catches:\n"
    "  def __init__(self): self.own = 5\n"
    "  @property\n"
    "  def computed(self): raise SystemExit('ran')\n"
    "  def __getattr__(self, name): raise SystemExit('ran')\n"
    "made = Catches()\n";

TEST(GuardLookup, RunsNoCodeOfTheUsers) {
  const nb::object made = defined(kCatchesReads, "made");
  CachedAttribute cached;
  const nb::object own = nb::steal(find_attribute(made.ptr(), nb::str("own").ptr(), cached));
  ASSERT_TRUE(own.is_valid());
  EXPECT_EQ(nb::cast<int>(own), 5);
  CachedAttribute other;
  EXPECT_EQ(find_attribute(made.ptr(), nb::str("computed").ptr(), other), nullptr);
  EXPECT_EQ(find_attribute(made.ptr(), nb::str("missing").ptr(), other), nullptr);
  const nb::object property = nb::steal(find_class_attribute(made.ptr(), nb::str("computed").ptr()));
  ASSERT_TRUE(property.is_valid());
  EXPECT_TRUE(PyObject_TypeCheck(property.ptr(), &PyProperty_Type));
  EXPECT_EQ(find_class_attribute(made.ptr(), nb::str("missing").ptr()), nullptr);
  EXPECT_EQ(PyErr_Occurred(), nullptr);
}

TEST(GuardLookup, CachesSeeThatAnEntryChanges) {
  const nb::object made = defined(kCatchesReads, "made");
  const nb::str name("own");
  CachedAttribute cached;
  for (int round = 0; round < 3; ++round) {
    made.attr("own") = nb::int_(1000 + round);
    for (int again = 0; again < 2; ++again) {
      const nb::object found = nb::steal(find_attribute(made.ptr(), name.ptr(), cached));
      ASSERT_TRUE(found.is_valid());
      EXPECT_EQ(nb::cast<int>(found), 1000 + round);
    }
  }
  nb::delattr(made, "own");
  EXPECT_EQ(find_attribute(made.ptr(), name.ptr(), cached), nullptr);
}

bool matches(const Tree& tree, const nb::object& argument) {
  Found found(tree.size());
  PyObject* const arguments[] = {argument.ptr()};
  return tree.matches(arguments, found);
}

TEST(GuardTree, MatchesWhatItWasMadeFrom) {
  Tree tree;
  const Tree::Id list = tree.argument(0, "x");
  tree.check_type(list, &PyList_Type);
  tree.check(list, check_length(2));
  tree.check(tree.element(list, 1), check_equal(value("'b'").ptr()));
  EXPECT_TRUE(matches(tree, value("['a', 'b']")));
  EXPECT_TRUE(matches(tree, value("[None, 'b']")));
  EXPECT_FALSE(matches(tree, value("['a', 'c']")));
  EXPECT_FALSE(matches(tree, value("['a', 'b', 'c']")));
  EXPECT_FALSE(matches(tree, value("('a', 'b')")));
}

TEST(GuardTree, NamesWhatFails) {
  Tree tree;
  const Tree::Id list = tree.argument(0, "x");
  tree.check(tree.element(list, 0), check_equal(value("3").ptr()));
  const nb::object given = value("[4]");
  PyObject* const arguments[] = {given.ptr()};
  const auto failure = tree.failure(arguments);
  ASSERT_TRUE(failure.has_value());
  EXPECT_NE(tree.path(1).find("x[0]"), std::string::npos) << tree.path(1);
  const nb::object fitting = value("[3]");
  PyObject* const others[] = {fitting.ptr()};
  EXPECT_FALSE(tree.failure(others).has_value());
}

TEST(GuardTree, LooksTheSameThingUpOnce) {
  Tree tree;
  const Tree::Id argument = tree.argument(0, "x");
  EXPECT_EQ(tree.argument(0, "x"), argument);
  EXPECT_EQ(tree.element(argument, 2), tree.element(argument, 2));
  EXPECT_NE(tree.element(argument, 2), tree.element(argument, 3));
  EXPECT_EQ(tree.size(), 3u);
}

TEST(GuardTree, KeepsNoObjectThatItKnowsWeakly) {
  nb::object made = defined("class Plain: pass\nmade = Plain()\n", "made");
  Tree tree;
  tree.check_identity(tree.argument(0, "x"), made.ptr(), true);
  EXPECT_TRUE(tree.alive());
  EXPECT_TRUE(matches(tree, made));
  EXPECT_FALSE(matches(tree, value("object()")));
  made.reset();
  EXPECT_FALSE(tree.alive());
}

TEST(GuardTree, TellsOneObjectTwiceFromTwo) {
  Tree tree;
  const Tree::Id pair = tree.argument(0, "x");
  tree.check_distinct_objects({tree.element(pair, 0), tree.element(pair, 1)});
  EXPECT_TRUE(matches(tree, value("[[], []]")));
  EXPECT_FALSE(matches(tree, value("[[]] * 2")));
}

TEST(GuardTree, ReleasesWhatItFound) {
  constexpr Py_ssize_t kCount = 100;  // more than lie in `Found` itself
  Tree tree;
  const Tree::Id list = tree.argument(0, "x");
  for (Py_ssize_t i = 0; i < kCount; ++i) tree.element(list, i);
  const nb::object element = value("object()");
  nb::list given;
  for (Py_ssize_t i = 0; i < kCount; ++i) given.append(element);
  const Py_ssize_t before = Py_REFCNT(element.ptr());
  EXPECT_TRUE(matches(tree, given));
  EXPECT_EQ(Py_REFCNT(element.ptr()), before);
  given.append(element);
  nb::list few;
  few.append(element);
  EXPECT_FALSE(matches(tree, few));
  EXPECT_EQ(Py_REFCNT(element.ptr()), before + 2);
}

TEST(GuardTree, DoesNotChangeOnceItIsClosed) {
  Tree tree;
  const Tree::Id argument = tree.argument(0, "x");
  tree.close();
  EXPECT_EQ(tree.argument(0, "x"), argument);
  EXPECT_THROW(tree.argument(1, "y"), Error);
  EXPECT_THROW(tree.check(argument, check_length(1)), Error);
  EXPECT_THROW(tree.element(7, 0), Error);
}

}  // namespace
}  // namespace dyad::guards
