#include "interp/torch/tensor/named_tensor.h"

#include <algorithm>

#include "interp/runtime/objects/builtin.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/type.h"
#include "interp/runtime/text/format.h"
#include "interp/torch/call/convert.h"
#include "interp/torch/call/operator_ref.h"
#include "ops/names/names.h"

namespace tsc::interp {

namespace {

constinit OperatorRef rename_op("aten::rename", "");
constinit OperatorRef rename_in_place_op("aten::rename_", "");
constinit OperatorRef refine_names_op("aten::refine_names", "");
constinit OperatorRef align_to_op("aten::align_to", "");
constinit OperatorRef align_to_ellipsis_op("aten::align_to", "ellipsis_idx");
constinit OperatorRef unflatten_op("aten::unflatten", "Dimname");

bool is_name(const IValue& value) { return value.is_none() || value.is_string(); }
bool is_glob(const IValue& value) {
  return value.is_same(ellipsis()) || (value.is_string() && value.as_string() == "...");
}

std::vector<IValue> python_names(const Tensor& tensor) {
  std::vector<IValue> names;
  for (const Dimname& name : names_of(tensor)) {
    names.push_back(name.is_wildcard() ? IValue() : IValue(name.text()));
  }
  return names;
}

bool is_sequence(const IValue& value) { return value.is_list() || value.is_tuple(); }

// As in PyTorch's parser, the first item decides whether the argument is a list of names.
IValue list_of_names(std::vector<IValue> names, std::string_view function) {
  TSC_CHECK_TYPE(names.empty() || is_name(names[0]),
                 "{}(): argument 'names' (position 1) must be tuple of names, not tuple", function);
  return make_list(std::move(names));
}

// The position of the only "..."; nullopt where there is none.
std::optional<size_t> find_glob(const std::vector<IValue>& names, std::string_view function) {
  const auto count = std::count_if(names.begin(), names.end(), is_glob);
  TSC_CHECK(count <= 1,
            "{}: More than one Ellipsis ('...') found in names ({}). This function supports up to "
            "one Ellipsis.",
            function, repr(make_tuple(std::vector<IValue>(names))));
  return count == 0 ? std::nullopt
                    : std::optional<size_t>(static_cast<size_t>(
                          std::find_if(names.begin(), names.end(), is_glob) - names.begin()));
}

// Replaces "..." by the tensor's names at these positions.
std::vector<IValue> expanded(std::vector<IValue> names, const Tensor& tensor,
                             std::string_view function) {
  const std::optional<size_t> glob = find_glob(names, function);
  if (!glob.has_value()) {
    return names;
  }
  const std::vector<IValue> own = python_names(tensor);
  const size_t behind = names.size() - *glob - 1;
  const auto place = names.erase(names.begin() + static_cast<std::ptrdiff_t>(*glob));
  if (own.size() > names.size()) {
    names.insert(place, own.begin() + static_cast<std::ptrdiff_t>(*glob),
                 own.end() - static_cast<std::ptrdiff_t>(behind));
  }
  return names;
}

std::vector<IValue> positional_of(const Arguments& arguments) {
  return {arguments.values + 1, arguments.values + arguments.positional};
}

// rename(N="batch"): each keyword must be the name of a dimension.
std::vector<IValue> renamed_by_keywords(const Arguments& arguments, std::string_view function) {
  std::vector<IValue> names = python_names(arguments[0].as_tensor());
  const std::vector<IValue> old = names;
  for (size_t k = 0; k < arguments.keywords; k++) {
    const std::string_view name = arguments.names[k]->view();
    const IValue& renamed = arguments[arguments.positional + k];
    const auto found = std::find_if(old.begin(), old.end(), [&](const IValue& value) {
      return value.is_string() && value.as_string() == name;
    });
    TSC_CHECK(found != old.end(),
              "{}: Tried to rename dim '{}' to dim {} in Tensor[{}] but dim '{}' does not exist",
              function, name, str(renamed), repr(make_tuple(std::vector<IValue>(old))), name);
    names[static_cast<size_t>(found - old.begin())] = renamed;
  }
  return names;
}

// rename(None), rename("N", ...), rename(N="batch")
IValue rename_by(OperatorRef& op, const Arguments& arguments, std::string_view function) {
  TSC_CHECK(arguments.positional == 1 || arguments.keywords == 0,
            "{}: This function takes either positional args or keyword args, but not both. Use "
            "tensor.{}(*names) to name dims and tensor.{}(**rename_map) to rename dims.",
            function, function, function);
  if (arguments.positional == 2 && arguments[1].is_none()) {
    return op(arguments[0], IValue());
  }
  std::vector<IValue> names =
      arguments.keywords != 0
          ? renamed_by_keywords(arguments, function)
          : expanded(positional_of(arguments), arguments[0].as_tensor(), function);
  return op(arguments[0], list_of_names(std::move(names), function));
}

IValue rename_method(Interpreter&, Arguments& arguments) {
  return rename_by(rename_op, arguments, "rename");
}
IValue rename_in_place_method(Interpreter&, Arguments& arguments) {
  return rename_by(rename_in_place_op, arguments, "rename_");
}

IValue refine_names_method(Interpreter&, Arguments& arguments) {
  std::vector<IValue> names =
      expanded(positional_of(arguments), arguments[0].as_tensor(), "refine_names");
  return refine_names_op(arguments[0], list_of_names(std::move(names), "refine_names"));
}

IValue align_to_method(Interpreter&, Arguments& arguments) {
  std::vector<IValue> names = positional_of(arguments);
  const std::optional<size_t> glob = find_glob(names, "align_to");
  if (!glob.has_value()) {
    return align_to_op(arguments[0], list_of_names(std::move(names), "align_to"));
  }
  names.erase(names.begin() + static_cast<std::ptrdiff_t>(*glob));
  return align_to_ellipsis_op(arguments[0], list_of_names(std::move(names), "align_to"), *glob);
}

IValue has_names_method(Interpreter&, Arguments& arguments) {
  return !arguments[0].as_tensor().names().empty();
}

constexpr BuiltinDef kNamedMethods[] = {
    {"align_to", &align_to_method, 0, BuiltinDef::kAny, {}, "Tensor"},
    {"has_names", &has_names_method, 0, 0, {}, "Tensor"},
    {"refine_names", &refine_names_method, 0, BuiltinDef::kAny, {}, "Tensor"},
    {"rename", &rename_method, 0, BuiltinDef::kAny, {}, "Tensor", true},
    {"rename_", &rename_in_place_method, 0, BuiltinDef::kAny, {}, "Tensor", true},
};

bool is_pair(const IValue& value) { return is_sequence(value) && items_of(value).size() == 2; }

}  // namespace

const BuiltinDef* find_named_method(std::string_view name) {
  const auto* found = std::find_if(std::begin(kNamedMethods), std::end(kNamedMethods),
                                   [&](const BuiltinDef& method) { return method.name == name; });
  return found == std::end(kNamedMethods) ? nullptr : found;
}

IValue names_attribute(const Tensor& tensor) { return make_tuple(python_names(tensor)); }

void rename_new(const Tensor& tensor, const IValue& names) { rename_in_place_op(tensor, names); }

void assign_names_attribute(const Tensor& tensor, const IValue& names) {
  const bool is_list_of_names =
      is_sequence(names) && (items_of(names).empty() || is_name(items_of(names)[0]));
  TSC_CHECK(names.is_none() || is_list_of_names,
            "names must either be None or a tuple of dim names");
  rename_new(tensor, names);
}

int64_t dim_argument(const Tensor& tensor, const IValue& dim) {
  return TSC_UNLIKELY(dim.is_string() && tensor.has_names())
             ? position_of_name(tensor, Dimname(dim.as_string()))
             : to_index(dim);
}

bool call_with_named_shape(const OverloadSet& set, const Arguments& arguments, IValue& result) {
  if (!set.method || set.python_name != "unflatten" || arguments.size() != 3 ||
      !is_sequence(arguments[2])) {
    return false;
  }
  const std::vector<IValue> pairs = items_of(arguments[2]);
  if (!std::all_of(pairs.begin(), pairs.end(), is_pair)) {
    return false;
  }
  if (!is_name(arguments[1])) {
    throw_wrong_type("unflatten", "dim", 1, SchemaType{TypeKind::Dimname}, arguments[1]);
  }
  std::vector<IValue> names;
  std::vector<IValue> sizes;
  for (const IValue& pair : pairs) {
    names.push_back(items_of(pair)[0]);
    sizes.push_back(items_of(pair)[1]);
  }
  result = unflatten_op(arguments[0], arguments[1], make_list(std::move(sizes)),
                        make_list(std::move(names)));
  return true;
}

}  // namespace tsc::interp
