#include "interp/torch/call/overloads.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "autograd/variable.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/convert.h"
#include "interp/torch/call/default_device.h"
#include "interp/torch/call/overload_match.h"
#include "interp/torch/call/return_types.h"
#include "interp/torch/tensor/named_tensor.h"

namespace tsc::interp {

namespace {

// Parameters whose Python name differs from the schema's.
bool is_named(std::string_view parameter, std::string_view keyword, bool method, bool raw_names) {
  if (parameter == keyword) {
    return raw_names || parameter != "self";
  }
  if (raw_names) {
    return false;
  }
  return (parameter == "self" && !method && keyword == "input") ||
         (parameter == "dim" && keyword == "axis") ||
         (parameter == "keepdim" && keyword == "keepdims") ||
         (parameter == "dims" && keyword == "axes") || (parameter == "other" && keyword == "x2") ||
         (parameter == "self" && !method && keyword == "x");
}

// dtype, layout, device, pin_memory
bool is_option(const Overload& factory, const Argument& argument) {
  return factory.is_factory && (argument.name == "dtype" || argument.name == "layout" ||
                                argument.name == "device" || argument.name == "pin_memory");
}

std::vector<const Argument*> inputs_of(const Overload& overload) {
  std::vector<const Argument*> inputs;
  for (const Argument& argument : overload.op.schema().arguments) {
    if (!argument.is_out && !is_option(overload, argument)) {
      inputs.push_back(&argument);
    }
  }
  return inputs;
}

// An option of a factory, where the out= form is called.
bool assign_option(std::string_view keyword, const IValue& value, size_t position, Match& match) {
  const auto source = value.is_none() ? Match::kNone : static_cast<int8_t>(position);
  if (keyword == "dtype" && (value.is_none() || dtype_of_value(value) != ScalarType::Undefined)) {
    match.dtype = source;
  } else if (keyword == "layout" && (value.is_none() || value.tag() == Tag::Layout)) {
    match.layout = source;
  } else if (keyword == "device" && (value.is_none() || value.tag() == Tag::Device ||
                                     value.is_string() || value.is_int())) {
    match.device = source;
  } else if (keyword != "pin_memory" || !(value.is_none() || value.is_bool())) {
    return false;
  }
  match.in_place = false;
  return true;
}

bool assign_keyword(const OverloadSet& set, const Overload& overload, const Arguments& arguments,
                    size_t k, bool raw_names, Match& match, Refusal& refusal) {
  const std::string_view keyword = arguments.names[k]->view();
  const size_t position = arguments.positional + k;
  const ArrayRef<Argument> parameters = overload.op.schema().arguments;
  for (size_t i = 0; i < parameters.size(); i++) {
    if (!is_named(parameters[i].name, keyword, set.method, raw_names)) {
      continue;
    }
    if (match.source[i] != Match::kDefault) {
      refusal = {Refusal::Why::Duplicate, k};
      return false;
    }
    match.source[i] = static_cast<int8_t>(position);
    return true;
  }
  if (keyword == "out" && overload.num_out > 1 && !raw_names) {
    // out=(values, indices): spread below.
    const IValue& value = arguments[position];
    const bool good = value.is_tuple() && value.as_tuple()->size() == overload.num_out;
    if (good) {
      for (size_t o = 0; o < overload.num_out; o++) {
        match.source[parameters.size() - overload.num_out + o] = static_cast<int8_t>(position);
      }
      match.in_place = false;
      return true;
    }
  }
  if (keyword == "out" && arguments[position].is_none() && overload.num_out == 0) {
    match.in_place = false;
    return true;
  }
  if (keyword == "requires_grad" && (overload.is_factory || overload.is_factory_out) &&
      arguments[position].is_bool()) {
    match.requires_grad = arguments[position].as_bool();
    match.in_place = false;
    return true;
  }
  if (overload.is_factory_out && assign_option(keyword, arguments[position], position, match)) {
    return true;
  }
  refusal = {Refusal::Why::UnknownKeyword, k};
  return false;
}

const IValue& spread_out(const Overload& overload, const IValue& value, size_t parameter) {
  const size_t count = overload.op.schema().arguments.size();
  return value.is_tuple() && overload.num_out > 1 && parameter + overload.num_out >= count
             ? (*value.as_tuple())[parameter + overload.num_out - count]
             : value;
}

}  // namespace

bool same_inputs(const Overload& functional, const Overload& out) {
  const std::vector<const Argument*> a = inputs_of(functional);
  const std::vector<const Argument*> b = inputs_of(out);
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Argument* left, const Argument* right) {
                      return left->name == right->name && left->type.kind == right->type.kind &&
                             left->type.is_list == right->type.is_list &&
                             left->has_default() == right->has_default();
                    });
}

namespace {

bool has_names(const IValue& value) {
  if (value.is_tensor()) {
    return value.as_tensor().defined() && !value.as_tensor().names().empty();
  }
  const auto is_named = [](const IValue& item) { return item.is_tensor() && has_names(item); };
  return (value.is_list() || value.is_tuple()) && std::ranges::any_of(items_of(value), is_named);
}

// Only named tensors have dimensions with names; for others a name is not a dimension.
bool is_name_of_nothing(const Argument& parameter, const Match& match, const Arguments& arguments) {
  return parameter.type.kind == TypeKind::Dimname && parameter.name.starts_with("dim") &&
         match.source[0] >= 0 && !has_names(arguments[static_cast<size_t>(match.source[0])]);
}

// Whether the arguments are in the schema's order, each for one parameter.
void note_order(size_t parameters, size_t given, Match& match) {
  size_t next = 0;
  match.leading = 0;
  match.converts = false;
  for (size_t i = 0; i < parameters; i++) {
    if (match.source[i] < 0) {
      continue;
    }
    match.in_place = match.in_place && static_cast<size_t>(match.source[i]) == next;
    match.converts = match.converts || match.conversion[i] != Conversion::None;
    next++;
    match.leading = next == i + 1 ? static_cast<uint8_t>(next) : match.leading;
  }
  match.in_place = match.in_place && next == given;
}

}  // namespace

bool takes_names(const Overload& overload) {
  const ArrayRef<Argument> arguments = overload.op.schema().arguments;
  return std::any_of(arguments.begin(), arguments.end(), [](const Argument& argument) {
    return argument.type.kind == TypeKind::Dimname;
  });
}

bool match_overload(const OverloadSet& set, const Overload& overload, const Arguments& arguments,
                    bool raw_names, Match& match, Refusal& refusal) {
  const ArrayRef<Argument> parameters = overload.op.schema().arguments;
  std::fill_n(match.source, parameters.size(), Match::kDefault);
  match.in_place = true;
  match.requires_grad = false;
  match.dtype = match.layout = match.device = Match::kNone;
  size_t positional = arguments.positional;
  const size_t self = set.method ? 1 : 0;
  const auto is_int = [](const IValue& value) { return value.is_int() || value.is_tensor(); };
  const bool varargs =
      overload.takes_varargs && !raw_names && positional > self &&
      std::all_of(arguments.values + self, arguments.values + positional, is_int) &&
      (positional > self + 1 || arguments[self].is_int() || arguments[self].as_tensor().dim() == 0);
  if (varargs) {
    for (size_t i = self; i < positional; i++) {
      int64_t index = 0;
      if (!index_of_value(arguments[i], index)) {
        refusal = {Refusal::Why::WrongType, self};
        return false;
      }
    }
    if (self == 1) {
      match.source[0] = 0;
      match.conversion[0] = Conversion::None;
    }
    match.source[self] = Match::kVarargs;
    match.in_place = false;
  } else {
    if (positional > overload.num_positional) {
      refusal = {Refusal::Why::TooMany, overload.num_positional};
      return false;
    }
    for (size_t i = 0; i < positional; i++) {
      match.source[i] = static_cast<int8_t>(i);
    }
  }
  for (size_t k = 0; k < arguments.keywords; k++) {
    if (!assign_keyword(set, overload, arguments, k, raw_names, match, refusal)) {
      return false;
    }
  }
  for (size_t i = 0; i < parameters.size(); i++) {
    const int8_t source = match.source[i];
    if (source == Match::kVarargs) {
      continue;
    }
    if (source == Match::kDefault) {
      if (!parameters[i].has_default() && !(parameters[i].type.kind == TypeKind::Generator)) {
        refusal = {Refusal::Why::Missing, i};
        return false;
      }
      continue;
    }
    const IValue& value = spread_out(overload, arguments[static_cast<size_t>(source)], i);
    const bool wrap = set.numbers_as_tensors && !parameters[i].is_out && !(set.method && i == 0);
    match.conversion[i] = conversion_for(parameters[i].type, value, wrap);
    if (match.conversion[i] == Conversion::Refused ||
        (!raw_names && is_name_of_nothing(parameters[i], match, arguments))) {
      refusal = {Refusal::Why::WrongType, i};
      return false;
    }
  }
  note_order(parameters.size(), arguments.size(), match);
  return true;
}

namespace {

// --- Calling ---

// Given together with out=, an option must agree with it.
void check_option(bool agrees, std::string_view option, std::string_view asked,
                  std::string_view has) {
  TSC_CHECK(agrees, "{} {} does not match {} of out parameter ({})", option, asked, option, has);
}

void check_options(const Match& match, const Arguments& arguments, const Tensor& out) {
  if (match.dtype != Match::kNone) {
    const ScalarType dtype = dtype_of_value(arguments[static_cast<size_t>(match.dtype)]);
    check_option(dtype == out.dtype(), "dtype", to_string(dtype), to_string(out.dtype()));
  }
  if (match.layout != Match::kNone) {
    const Layout layout = arguments[static_cast<size_t>(match.layout)].as_layout();
    check_option(layout == out.layout(), "layout", to_string(layout), to_string(out.layout()));
  }
  if (match.device != Match::kNone) {
    const IValue& value = arguments[static_cast<size_t>(match.device)];
    const DeviceType type = device_of_value(value).type;
    check_option(type == out.device().type, "device type", to_string(type),
                 to_string(out.device().type));
  }
}

// Moves arguments up to the places of their parameters, and fills those between and behind them with
// defaults.
TSC_ALWAYS_INLINE void fill_in_defaults(const Overload& overload, const Match& match,
                                        IValue* values, size_t given, Stack& stack) {
  const size_t count = overload.op.entry().num_arguments();
  stack.check_room(count - given);
  stack.set_top(values + count);
  // From the last one on, so that a place is written when its own argument has left it.
  for (size_t i = count; i-- > match.leading;) {
    const int8_t source = match.source[i];
    if (source == Match::kDefault) {
      new (values + i) IValue(overload.defaults[i]);
    } else {
      new (values + i) IValue(std::move(values[source]));
    }
  }
}

// Arguments that are not at the top of the stack, or not in the schema's order.
TSC_NOINLINE IValue call_rearranged(const Overload& overload, const Match& match,
                                    Arguments& arguments, size_t self) {
  Stack& stack = Stack::current();
  const OperatorHandle op = overload.op;
  const size_t count = op.entry().num_arguments();
  if (TSC_UNLIKELY(match.has_options())) {
    check_options(match, arguments,
                  arguments[static_cast<size_t>(match.source[count - 1])].as_tensor());
  }
  const size_t height = stack.size();
  const StackHeight restored(stack);
  const ArrayRef<Argument> parameters = op.schema().arguments;
  for (size_t i = 0; i < count; i++) {
    const int8_t source = match.source[i];
    if (source == Match::kDefault) {
      stack.push(overload.defaults[i]);
    } else if (source == Match::kVarargs) {
      DimVector ints;
      for (size_t a = self; a < arguments.positional; a++) {
        int64_t index = 0;
        index_of_value(arguments[a], index);
        note_traced_int(arguments[a], index, static_cast<int64_t>(ints.size()));
        ints.push_back(index);
      }
      stack.push(IntArrayRef(ints));
    } else {
      const IValue& value = spread_out(overload, arguments[static_cast<size_t>(source)], i);
      stack.push(convert(match.conversion[i], parameters[i].type, value));
    }
  }
  op.call_boxed(stack, RouteForm::Bound);
  IValue result = take_results(op.entry(), stack, height);
  if (match.requires_grad) {
    autograd::require_grad_of_new(result.as_tensor());
  }
  return result;
}

TSC_NOINLINE void convert_in_place(const Overload& overload, const Match& match,
                                   Arguments& arguments) {
  const ArrayRef<Argument> parameters = overload.op.schema().arguments;
  for (size_t i = 0; i < parameters.size(); i++) {
    if (match.source[i] >= 0 && match.conversion[i] != Conversion::None) {
      IValue& value = arguments[static_cast<size_t>(match.source[i])];
      value = convert(match.conversion[i], parameters[i].type, value);
    }
  }
}

TSC_ALWAYS_INLINE IValue call_matched(const Overload& overload, const Match& match,
                                      Arguments& arguments, size_t self) {
  Stack& stack = Stack::current();
  const size_t given = arguments.size();
  // In place if the arguments are at the top of the stack, as the run loop leaves them.
  if (TSC_UNLIKELY(!match.in_place || arguments.values + given != stack.top())) {
    return call_rearranged(overload, match, arguments, self);
  }
  if (TSC_UNLIKELY(match.converts)) {
    convert_in_place(overload, match, arguments);
  }
  const OperatorHandle op = overload.op;
  IValue* const values = arguments.values;
  fill_in_defaults(overload, match, values, given, stack);
  op.call_boxed(stack, RouteForm::Bound);
  if (TSC_LIKELY(stack.top() == values + 1 && values->is_tensor())) {
    return stack.pop();
  }
  return take_results(op.entry(), stack, static_cast<size_t>(values - stack.base()));
}

// --- The cache of a call site ---

// A match that holds for every call with the same tags.
struct CachedMatch {
  const Overload* overload;
  Match match;
};

bool is_same_match(const CachedMatch& cached, const Overload& overload, const Match& match) {
  const size_t count = overload.op.entry().num_arguments();
  return cached.overload == &overload && cached.match.in_place == match.in_place &&
         std::equal(match.source, match.source + count, cached.match.source) &&
         std::equal(match.conversion, match.conversion + count, cached.match.conversion);
}

// Call sites share cached matches, which are kept for the life of the process: there are as many as
// there are distinct ways to call an operator in the scripts run.
const CachedMatch* remember_match(const Overload& overload, const Match& match) {
  static auto* const matches = new std::unordered_multimap<const Overload*, CachedMatch>;
  const auto [first, last] = matches->equal_range(&overload);
  for (auto it = first; it != last; it++) {
    if (is_same_match(it->second, overload, match)) {
      return &it->second;
    }
  }
  return &matches->emplace(&overload, CachedMatch{&overload, match})->second;
}

constexpr size_t kMaxCachedArguments = 10;

// Six bits for each argument; 0 where the tags do not determine the match.
uint64_t tags_of(const Arguments& arguments) {
  const size_t count = arguments.size();
  if (count > kMaxCachedArguments) {
    return 0;
  }
  uint64_t tags = count + 1;
  for (size_t i = 0; i < count; i++) {
    const Tag tag = arguments[i].tag();
    // For a list, a string or an object, the contents matter, too.
    if (tag >= Tag::String && tag != Tag::ComplexDouble && tag != Tag::IntList) {
      return 0;
    }
    tags = (tags << 6) | static_cast<uint64_t>(tag);
  }
  return tags;
}

// The tags determine the match unless a tensor's value was read to choose or convert.
bool is_decided_by_tags(const Overload& overload, const Match& match) {
  const size_t count = overload.op.entry().num_arguments();
  for (size_t i = 0; i < count; i++) {
    if (match.source[i] >= 0 && (match.conversion[i] == Conversion::ReadScalar ||
                                 match.conversion[i] == Conversion::ParseDevice)) {
      return false;
    }
  }
  return !match.requires_grad && !match.has_options();
}

// Whether the arguments' tags determine that the overload was refused. Whether a tensor is accepted
// for a number, as a size, or with a name for a dimension, depends on the tensor.
bool is_refused_by_tags(const OverloadSet& set, const Overload& overload,
                        const Arguments& arguments, const Match& match, const Refusal& refusal) {
  if (overload.takes_varargs &&
      std::any_of(arguments.values + (set.method ? 1 : 0), arguments.values + arguments.positional,
                  [](const IValue& value) { return value.is_tensor(); })) {
    return false;
  }
  if (refusal.why != Refusal::Why::WrongType || match.source[refusal.index] < 0) {
    return true;
  }
  const TypeKind kind = overload.op.schema().arguments[refusal.index].type.kind;
  const IValue& value = arguments[static_cast<size_t>(match.source[refusal.index])];
  return kind == TypeKind::Tensor || (kind != TypeKind::Dimname && !value.is_tensor());
}

// --- Sets ---

// The order of overloads of var, std and the like: var(dim, unbiased) before var(dim, *,
// correction), and that before var(unbiased).
int statistical_form(const Overload& overload) {
  const ArrayRef<Argument> arguments = overload.op.schema().arguments;
  const auto has = [&](std::string_view name) {
    return std::any_of(arguments.begin(), arguments.end(),
                       [&](const Argument& argument) { return argument.name == name; });
  };
  return has("correction") ? 1 : has("unbiased") && !has("dim") ? 2 : 0;
}

int scalar_parameters(const OverloadSet& set, const Overload& overload) {
  // Whether an overload takes one value of that kind there.
  const auto any_takes = [&](TypeKind kind, size_t i) {
    return std::any_of(set.overloads.begin(), set.overloads.end(), [&](const Overload& other) {
      const ArrayRef<Argument> arguments = other.op.schema().arguments;
      return i < arguments.size() && !arguments[i].is_out && arguments[i].type.kind == kind &&
             !arguments[i].type.is_list;
    });
  };
  const ArrayRef<Argument> arguments = overload.op.schema().arguments;
  int count = 0;
  for (size_t i = 0; i < arguments.size(); i++) {
    const SchemaType& type = arguments[i].type;
    // pinv(a, rtol: Tensor) before pinv(a, rtol: float)
    count += type.kind == TypeKind::Float && any_takes(TypeKind::Tensor, i) ? 1 : 0;
    if (i >= overload.num_positional) {
      continue;
    }
    // max(input, other) before max(input, dim)
    const bool is_int_for_tensor = (type.kind == TypeKind::Int || type.kind == TypeKind::SymInt) &&
                                   !type.is_list && any_takes(TypeKind::Tensor, i);
    // hsplit(sections) before hsplit(*indices)
    const bool is_list_for_int = type.kind == TypeKind::Int && type.is_list &&
                                 i + 1 == overload.num_positional && any_takes(TypeKind::Int, i);
    count += is_int_for_tensor || is_list_for_int || type.kind == TypeKind::Scalar ? 1 : 0;
  }
  return count;
}

// What the rows of a set's overloads say of the Python function.
void add_row(OverloadSet& set, const StaticOperator& row) {
  const FunctionSchema& schema = *row.schema;
  set.overloads.push_back(make_overload(
      Dispatcher::singleton().find_or_throw(schema.name, schema.overload_name), set.method));
  set.numbers_as_tensors = set.numbers_as_tensors || row.numbers_as_tensors;
  set.deprecated_signature = set.deprecated_signature || row.deprecated_signature;
}

class SetTable {
 public:
  const OverloadSet* find(const std::string& key, const std::function<void(OverloadSet&)>& fill) {
    const std::lock_guard lock(mutex_);
    auto& set = sets_[key];
    if (set == nullptr) {
      set = std::make_unique<OverloadSet>();
      fill(*set);
    }
    return set->overloads.empty() ? nullptr : set.get();
  }
  void for_each(void (*apply)(OverloadSet&)) {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, set] : sets_) {
      apply(*set);
    }
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<OverloadSet>> sets_;
};

SetTable& set_table() {
  static auto* table = new SetTable;
  return *table;
}

// The default of a factory's `device` (fill_in_options).
Device factory_device;

void apply_default_device(OverloadSet& set) {
  for (Overload& overload : set.overloads) {
    if (overload.device_parameter >= 0) {
      overload.defaults[static_cast<size_t>(overload.device_parameter)] = IValue(factory_device);
    }
  }
}

void finish_set(OverloadSet& set, std::string_view python_name) {
  std::vector<std::pair<std::tuple<bool, int, int>, Overload>> ordered;
  ordered.reserve(set.overloads.size());
  for (const Overload& overload : set.overloads) {
    ordered.emplace_back(std::tuple(takes_names(overload), scalar_parameters(set, overload),
                                    statistical_form(overload)),
                         overload);
  }
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < ordered.size(); i++) {
    set.overloads[i] = std::move(ordered[i].second);
  }
  for (Overload& out : set.overloads) {
    out.is_factory_out =
        out.num_out == 1 &&
        std::any_of(set.overloads.begin(), set.overloads.end(), [&](const Overload& other) {
          return other.is_factory && same_inputs(other, out);
        });
  }
  set.python_name = std::string(python_name);
  set.name = set.python_name;
  set.function = &call_overload_set;
  set.raw = true;
  if (set.method) {
    set.owner = "Tensor";
  }
}

std::string_view module_prefix(PythonModule module) {
  switch (module) {
    case PythonModule::Linalg: return "linalg_";
    case PythonModule::Fft: return "fft_";
    case PythonModule::Special: return "special_";
    case PythonModule::Torch:
    case PythonModule::Functional:
    case PythonModule::None: break;
  }
  return "";
}

// A factory that is called from Python says its device and memory even where the script does not. Gives the
// place of the device; -1 for a factory that takes its device from a tensor.
int8_t fill_in_options(ArrayRef<Argument> arguments, std::vector<IValue>& defaults) {
  int8_t device_parameter = -1;
  const bool has_tensor =
      std::any_of(arguments.begin(), arguments.end(), [](const Argument& argument) {
        return argument.type.kind == TypeKind::Tensor && !argument.is_out;
      });
  for (size_t i = 0; i < arguments.size(); i++) {
    if (arguments[i].name == "pin_memory") {
      defaults[i] = IValue(false);
    } else if (arguments[i].name == "device" && !has_tensor) {
      defaults[i] = IValue(Device());
      device_parameter = static_cast<int8_t>(i);
    }
  }
  return device_parameter;
}

template <class F>
void for_each_static(std::string_view name, F f) {
  const auto rows = static_operators();
  const auto* row = std::lower_bound(
      rows.begin(), rows.end(), name,
      [](const StaticOperator& a, std::string_view b) { return a.schema->name < b; });
  for (; row != rows.end() && row->schema->name == name; row++) {
    f(*row);
  }
}

}  // namespace

Overload make_overload(OperatorHandle op, bool method) {
  Overload overload;
  overload.op = op;
  const ArrayRef<Argument> arguments = op.schema().arguments;
  bool has_pin_memory = false;
  for (const Argument& argument : arguments) {
    overload.defaults.push_back(default_ivalue(argument));
    overload.num_positional += argument.kwarg_only ? 0 : 1;
    overload.num_out += argument.is_out ? 1 : 0;
    has_pin_memory = has_pin_memory || argument.name == "pin_memory";
  }
  overload.is_factory = has_pin_memory;
  if (has_pin_memory) {
    overload.device_parameter = fill_in_options(arguments, overload.defaults);
  }
  const size_t self = method ? 1 : 0;
  // Only where the list is the one positional parameter: zeros(2, 3), x.view(2, 3), x.permute(1,
  // 0), x.expand(2, 3).
  const bool list_first =
      overload.num_positional > self && arguments[self].type.is_list &&
      (arguments[self].type.kind == TypeKind::SymInt || arguments[self].type.kind == TypeKind::Int);
  overload.takes_varargs = list_first && overload.num_positional == self + 1 &&
                           arguments[self].type.list_size < 0 && !arguments[self].type.is_optional;
  return overload;
}

namespace {

// A second name, whose operator is another module's.
const PythonAlias* find_alias(PythonModule module, std::string_view name) {
  const ArrayRef<PythonAlias> aliases = python_aliases();
  const auto* found = std::find_if(aliases.begin(), aliases.end(), [&](const PythonAlias& alias) {
    return alias.module == module && alias.name == name;
  });
  return found == aliases.end() ? nullptr : found;
}

}  // namespace

const OverloadSet* find_function_set(PythonModule module, std::string_view name) {
  const OverloadSet* own =
      set_table().find(fmt::format("{}:{}", static_cast<int>(module), name), [&](OverloadSet& set) {
        const std::string operator_name = fmt::format("aten::{}{}", module_prefix(module), name);
        for_each_static(operator_name, [&](const StaticOperator& row) {
          if ((row.variants & kFunctionVariant) != 0 && row.module == module) {
            add_row(set, row);
          }
        });
        finish_set(set, module == PythonModule::Torch || module == PythonModule::Functional
                            ? std::string(name)
                            : fmt::format("{}{}", module_prefix(module), name));
        apply_default_device(set);
      });
  if (own != nullptr) {
    return own;
  }
  const PythonAlias* alias = find_alias(module, name);
  return alias == nullptr ? nullptr : find_function_set(alias->of_module, alias->of);
}

Device default_device() { return factory_device; }
void set_default_device(Device device) {
  factory_device = device;
  set_table().for_each(&apply_default_device);
}

const OverloadSet* find_method_set(std::string_view name) {
  return set_table().find(fmt::format("m:{}", name), [&](OverloadSet& set) {
    const std::string operator_name = fmt::format("aten::{}", name);
    set.method = true;
    for_each_static(operator_name, [&](const StaticOperator& row) {
      if ((row.variants & kMethodVariant) != 0) {
        add_row(set, row);
      }
    });
    finish_set(set, name);
  });
}

OverloadSet make_operator_set(std::string_view qualified_name) {
  OverloadSet set;
  const auto [name, overload] = parse_operator_name(qualified_name);
  for (const OperatorHandle& op : Dispatcher::singleton().overloads(name)) {
    if (qualified_name.find('.') == qualified_name.npos || op.entry().overload_name() == overload) {
      set.overloads.push_back(make_overload(op, false));
    }
  }
  set.python_name = std::string(qualified_name);
  set.owner = kOpsOwner;
  return set;
}

void list_function_names(PythonModule module, std::vector<std::string>& names) {
  const std::string_view prefix = module_prefix(module);
  for (const StaticOperator& row : static_operators()) {
    const std::string_view name = row.schema->base_name();
    if ((row.variants & kFunctionVariant) != 0 && row.module == module &&
        name.starts_with(prefix) && !name.starts_with('_') &&
        (names.empty() || names.back() != name.substr(prefix.size()))) {
      names.emplace_back(name.substr(prefix.size()));
    }
  }
  for (const PythonAlias& alias : python_aliases()) {
    if (alias.module == module) {
      names.emplace_back(alias.name);
    }
  }
}

void list_method_names(std::vector<std::string>& names) {
  for (const StaticOperator& row : static_operators()) {
    const std::string_view name = row.schema->base_name();
    if ((row.variants & kMethodVariant) != 0 && !name.starts_with('_') &&
        (names.empty() || names.back() != name)) {
      names.emplace_back(name);
    }
  }
}

namespace {

TSC_NOINLINE IValue match_and_call(const OverloadSet& set, Arguments& arguments, uint64_t tags) {
  const bool raw_names = set.owner == kOpsOwner;
  const size_t self = set.method ? 1 : 0;
  Match match;
  Refusal refusal;
  bool decided = tags != 0;
  for (const Overload& overload : set.overloads) {
    if (!match_overload(set, overload, arguments, raw_names, match, refusal)) {
      decided = decided && is_refused_by_tags(set, overload, arguments, match, refusal);
      continue;
    }
    if (decided && is_decided_by_tags(overload, match)) {
      arguments.cache->owner = &set;
      arguments.cache->words[0] = tags;
      arguments.cache->words[1] = reinterpret_cast<uint64_t>(remember_match(overload, match));
    }
    return call_matched(overload, match, arguments, self);
  }
  if (IValue result; call_with_named_shape(set, arguments, result)) {
    return result;
  }
  throw_no_match(set, arguments, raw_names);
}

}  // namespace

IValue call_overloads(const OverloadSet& set, Arguments& arguments) {
  const uint64_t tags = arguments.cache != nullptr ? tags_of(arguments) : 0;
  if (TSC_UNLIKELY(tags == 0 || arguments.cache->owner != &set ||
                   arguments.cache->words[0] != tags)) {
    return match_and_call(set, arguments, tags);
  }
  const auto* cached = reinterpret_cast<const CachedMatch*>(arguments.cache->words[1]);
  return call_matched(*cached->overload, cached->match, arguments, set.method ? 1 : 0);
}

IValue call_overload_set(Interpreter&, Arguments& arguments) {
  return call_overloads(*static_cast<const OverloadSet*>(arguments.callee), arguments);
}

IValue call_set(const OverloadSet& set, std::vector<IValue> positional) {
  Stack& stack = Stack::current();
  const StackHeight restored(stack);
  for (IValue& value : positional) {
    stack.push(std::move(value));
  }
  Arguments arguments;
  arguments.positional = static_cast<uint32_t>(positional.size());
  arguments.values = stack.last(arguments.size());
  return call_overloads(set, arguments);
}

IValue take_results(const OperatorEntry& entry, Stack& stack, size_t height) {
  const size_t count = stack.size() - height;
  if (TSC_LIKELY(count == 1)) {
    IValue result = stack.pop();
    if (TSC_UNLIKELY(result.tag() == Tag::TensorList)) {
      std::vector<IValue> items;
      for (const Tensor& tensor : result.as_tensor_list()->values) {
        items.emplace_back(tensor);
      }
      return make_tuple(std::move(items));
    }
    return result;
  }
  if (count == 0) {
    return IValue();
  }
  std::vector<IValue> items(count);
  for (size_t i = count; i-- > 0;) {
    items[i] = stack.pop();
  }
  return make_return_value(entry.schema(), std::move(items));
}

}  // namespace tsc::interp
