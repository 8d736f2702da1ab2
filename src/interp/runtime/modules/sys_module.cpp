// The module sys.
#include <bit>
#include <cfloat>

#include "core/version.h"
#include "interp/runtime/containers/sequence.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/builtin.h"
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/file.h"
#include "interp/runtime/objects/module.h"
#include "interp/runtime/objects/protocols.h"

namespace tsc::interp {

namespace {

// The Python whose language this is.
constexpr int64_t kVersion[] = {3, 11, 0};

IValue sys_exit(Interpreter&, Arguments& arguments) {
  std::vector<IValue> args;
  if (arguments.size() > 0) {
    args.push_back(arguments[0]);
  }
  throw_exception(make_exception(ErrorKind::SystemExit, std::move(args)));
}

IValue sys_getrecursionlimit(Interpreter& interpreter, Arguments&) {
  return interpreter.recursion_limit();
}

IValue sys_setrecursionlimit(Interpreter& interpreter, Arguments& arguments) {
  const int64_t limit = to_index(arguments[0]);
  if (limit < 1) {
    throw_error(ErrorKind::ValueError, "recursion limit must be greater or equal than 1");
  }
  interpreter.set_recursion_limit(static_cast<int>(std::min<int64_t>(limit, INT32_MAX)));
  return {};
}

IValue sys_intern(Interpreter& interpreter, Arguments& arguments) {
  return IValue::share(Tag::String, interpreter.intern(to_text(arguments[0], "intern", 1)));
}

// --- Named tuples ---

struct Field {
  std::string_view name;
  IValue (*get)();
};

constexpr Field kVersionFields[] = {
    {"major", [] { return IValue(kVersion[0]); }}, {"minor", [] { return IValue(kVersion[1]); }},
    {"micro", [] { return IValue(kVersion[2]); }}, {"releaselevel", [] { return IValue("final"); }},
    {"serial", [] { return IValue(0); }},
};

constexpr Field kFloatFields[] = {
    {"max", [] { return IValue(DBL_MAX); }},
    {"max_exp", [] { return IValue(DBL_MAX_EXP); }},
    {"max_10_exp", [] { return IValue(DBL_MAX_10_EXP); }},
    {"min", [] { return IValue(DBL_MIN); }},
    {"min_exp", [] { return IValue(DBL_MIN_EXP); }},
    {"min_10_exp", [] { return IValue(DBL_MIN_10_EXP); }},
    {"dig", [] { return IValue(DBL_DIG); }},
    {"mant_dig", [] { return IValue(DBL_MANT_DIG); }},
    {"epsilon", [] { return IValue(DBL_EPSILON); }},
    {"radix", [] { return IValue(FLT_RADIX); }},
    {"rounds", [] { return IValue(1); }},
};

template <const auto& fields>
bool get_field(const IValue&, std::string_view name, IValue& result) {
  for (const Field& field : fields) {
    if (field.name == name) {
      result = field.get();
      return true;
    }
  }
  return false;
}

template <const auto& fields>
void list_fields(const IValue&, std::vector<std::string>& names) {
  for (const Field& field : fields) {
    names.emplace_back(field.name);
  }
}

template <const auto& fields>
void repr_fields(const IValue& self, std::string& out) {
  out.append(qualified_name(type_of(self))).append("(");
  std::string_view separator;
  for (const Field& field : fields) {
    out.append(separator).append(field.name).append("=");
    append_repr(field.get(), out);
    separator = ", ";
  }
  out += ')';
}

constinit const Type kVersionInfoType = {
    .name = "version_info",
    .module = "sys",
    .base = &kTupleType,
    .repr = repr_fields<kVersionFields>,
    TSC_TUPLE_SLOTS,
    .get_attribute = get_field<kVersionFields>,
    .list_attributes = list_fields<kVersionFields>,
};
constinit const Type kFloatInfoType = {
    .name = "float_info",
    .module = "sys",
    .base = &kTupleType,
    .repr = repr_fields<kFloatFields>,
    TSC_TUPLE_SLOTS,
    .get_attribute = get_field<kFloatFields>,
    .list_attributes = list_fields<kFloatFields>,
};

template <const auto& fields>
IValue make_named_tuple(const Type& type) {
  std::vector<IValue> items;
  for (const Field& field : fields) {
    items.push_back(field.get());
  }
  return IValue::adopt(Tag::Object, new TupleLikeObject(type, make_tuple(std::move(items))));
}

IValue sys_argv() {
  const std::vector<std::string>& arguments = Interpreter::current().arguments();
  return make_list({arguments.begin(), arguments.end()});
}

IValue sys_version() {
  return fmt::format("{}.{}.{} (tensorscope {})", kVersion[0], kVersion[1], kVersion[2], version());
}

constexpr BuiltinDef kSysFunctions[] = {
    {"exit", sys_exit, 0, 1},
    {"getrecursionlimit", sys_getrecursionlimit, 0, 0, {}, {}, false, "sys"},
    {"intern", sys_intern, 1, 1, {}, {}, false, "sys"},
    {"setrecursionlimit", sys_setrecursionlimit, 1, 1, {}, {}, false, "sys"},
};

constexpr ModuleConstant kSysConstants[] = {
    {"argv", sys_argv},
    {"byteorder",
     [] { return IValue(std::endian::native == std::endian::little ? "little" : "big"); }},
    {"float_info", [] { return make_named_tuple<kFloatFields>(kFloatInfoType); }},
    {"maxsize", [] { return IValue(std::numeric_limits<int64_t>::max()); }},
    {"maxunicode", [] { return IValue(0x10ffff); }},
    {"platform", [] { return IValue("linux"); }},
    {"stderr", standard_error_file},
    {"stdin", standard_input_file},
    {"stdout", standard_output_file},
    {"version", sys_version},
    {"version_info", [] { return make_named_tuple<kVersionFields>(kVersionInfoType); }},
};

}  // namespace

constinit const ModuleInfo kSysModule = {
    .name = "sys", .functions = kSysFunctions, .constants = kSysConstants};

}  // namespace tsc::interp
