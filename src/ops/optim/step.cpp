#include "ops/optim/step.h"

#include "base/error.h"
#include "types/agreement.h"

namespace dyad::optim {

namespace {

void require_member(const Arguments& args, const Value& value, const Value& parameter, size_t i,
                    std::string_view role) {
  if (!value) type_error(args.op(), ": ", role, " ", i, " is None; it must be a Tensor");
  if (!is_float(value->dtype)) {
    type_error(args.op(), ": ", role, " ", i, " has dtype ", value->dtype, "; need a float dtype");
  }
  if (!may_agree(value->shape, parameter->shape)) {
    value_error(args.op(), ": ", role, " ", i, " has shape ", value->shape, " and its parameter has shape ",
                parameter->shape, "; they must be equal");
  }
}

bool single(const Shape& shape) { return shape.empty() || (shape.size() == 1 && shape[0] == Dim(1)); }

}  // namespace

void require_lists(const Arguments& args, size_t lists, bool last_optional) {
  const ValueList& parameters = args.values(0);
  for (size_t list = 0; list < lists; ++list) {
    const ValueList& members = args.values(list);
    if (last_optional && list + 1 == lists && members.empty()) break;
    const std::string_view role = list == 0 ? "parameter" : list == 1 ? "gradient" : "state";
    if (members.size() != parameters.size()) {
      value_error(args.op(), ": there are ", members.size(), " ", role, "s and ", parameters.size(),
                  " parameters; need one for each");
    }
    for (size_t i = 0; i < members.size(); ++i) {
      const Value& parameter = parameters[i] ? parameters[i] : members[i];
      require_member(args, members[i], parameter, i, role);
    }
  }
}

void require_number(const Arguments& args, const Value& value, std::string_view name) {
  if (!value) type_error(args.op(), ": ", name, " is None; it must be a Tensor of one number");
  if (!single(value->shape)) {
    value_error(args.op(), ": ", name, " has shape ", value->shape, "; need a Tensor of one number");
  }
}

void require_settings(const Arguments& args, size_t argument, std::string_view name, bool optional) {
  const ValueList& members = args.values(argument);
  const size_t parameters = args.values(0).size();
  if (members.size() != 1 && members.size() != parameters && !(optional && members.empty())) {
    value_error(args.op(), ": there are ", members.size(), " entries in ", name, " and ", parameters,
                " parameters; need one for all or one for each");
  }
  for (const Value& member : members) require_number(args, member, name);
}

void require_each(const Arguments& args, size_t argument, std::string_view name) {
  const ValueList& members = args.values(argument);
  const size_t parameters = args.values(0).size();
  if (members.size() != parameters) {
    value_error(args.op(), ": there are ", members.size(), " entries in ", name, " and ", parameters,
                " parameters; need one for each");
  }
  for (const Value& member : members) require_number(args, member, name);
}

void require_count(const Arguments& args, size_t argument, std::string_view name, size_t count) {
  if (args.floats(argument).size() != count) {
    value_error(args.op(), ": ", name, " has ", args.floats(argument).size(), " entries; need ", count);
  }
}

}  // namespace dyad::optim
