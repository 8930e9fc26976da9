"""Finding variables that live as long as the process."""

from check_state import ROOT, cpp_variables, listed, python_variables, variables

CPP = """
namespace dyad {
namespace {
std::atomic<int> counter{0};
constexpr int kLimit = 3;
const std::string name = "a; b";
Builder* current = nullptr;
bool (*state_test)(const Tensor&) = nullptr;
PyMethodDef methods[] = {{"f", f, 0, nullptr}};
int add(int a, int b);
}  // namespace

struct Table {
  static std::vector<int> shared;
  static int size();
  int own = 0;
};

int next() {
  static int count = 0;  // static int not_this
  thread_local std::map<int, int> known;
  static const int kOnce = 1;
  int local = 0;
  return ++count + local;
}
}  // namespace dyad
"""

PYTHON = """
import itertools, threading
LIMIT = 3
NAMES = ["a", "b"]
_cache = {}
_numbers = itertools.count()
_mine = threading.local()
_mode = None

def set_mode(mode):
    global _mode
    _mode = mode
    local = {}
"""


def test_variables_of_a_cpp_file():
    assert cpp_variables(CPP) == ["counter", "current", "state_test", "shared", "count", "known"]


def test_variables_of_a_module():
    assert python_variables(PYTHON) == ["_mode", "_cache", "_numbers", "_mine"]


def test_the_list():
    assert listed("- `src/a.cpp`: `x`, `y`\n- what else\n| `src/b.cpp` | `z` |") == {
        ("src/a.cpp", "x"),
        ("src/a.cpp", "y"),
    }


def test_every_variable_of_this_tree_is_listed():
    assert variables(ROOT) == listed((ROOT / "docs/design/0003-process-wide-state.md").read_text())
