// The module warnings.
#include <regex.h>
#include <cstdio>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "interp/runtime/containers/list.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/modules/warnings.h"
#include "interp/runtime/objects/builtin.h"
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/module.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/text/text.h"

namespace tsc::interp {

extern const Type kCatchWarningsType;
extern const Type kWarningMessageType;

namespace {

// A POSIX extended regular expression, matched from the start without regard to case.
class Pattern {
 public:
  explicit Pattern(const std::string& text) {
    const int code = regcomp(&compiled_, fmt::format("^({})", text).c_str(),
                             REG_EXTENDED | REG_ICASE | REG_NOSUB);
    if (code != 0) {
      char reason[128];
      regerror(code, &compiled_, reason, sizeof reason);
      throw_error(ErrorKind::ValueError, "filterwarnings(): '{}' is no regular expression: {}",
                  text, reason);
    }
  }
  ~Pattern() { regfree(&compiled_); }
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  bool matches(const std::string& text) const {
    return regexec(&compiled_, text.c_str(), 0, nullptr, 0) == 0;
  }

 private:
  regex_t compiled_;
};

struct Filter {
  std::string action;
  std::shared_ptr<const Pattern> message;
  ErrorKind category = ErrorKind::Warning;
  int64_t line = 0;  // 0: any
};

struct Warning {
  ErrorKind category;
  IValue message;  // an exception of the category
  std::string text;
  SourceLine place;
};

// The state that a `with warnings.catch_warnings():` restores.
struct Settings {
  std::vector<Filter> filters;  // the first that fits counts
  IValue recorded;              // a list, or None: warnings are written
};

struct State : Settings {
  std::set<std::string> shown;
};

State& state() {
  static thread_local State state;
  return state;
}

// For a change of the filters: warnings shown before may be shown again.
State& changed_state() {
  state().shown.clear();
  return state();
}

class WarningMessage final : public Object {
 public:
  explicit WarningMessage(Warning warning)
      : Object(kWarningMessageType), warning_(std::move(warning)) {}
  const Warning& warning() const { return warning_; }

 private:
  Warning warning_;
};

const Warning& warning_of(const IValue& self) {
  return self.as_object<WarningMessage>()->warning();
}

constexpr std::string_view kActions[] = {"default", "always", "ignore", "module", "once", "error"};

bool fits(const Filter& filter, const Warning& warning) {
  return is_subtype(exception_type(warning.category), exception_type(filter.category)) &&
         (filter.line == 0 || filter.line == warning.place.line) &&
         (filter.message == nullptr || filter.message->matches(warning.text));
}

std::string_view action_for(const Warning& warning) {
  for (const Filter& filter : state().filters) {
    if (fits(filter, warning)) {
      return filter.action;
    }
  }
  return "default";
}

// False where the action shows such a warning once, and it was.
bool is_news(std::string_view action, const Warning& warning) {
  if (action == "always") {
    return true;
  }
  std::string key = fmt::format("{}\n{}\n", exception_type(warning.category).name, warning.text);
  if (action != "once") {
    key += warning.place.file;
  }
  if (action == "default") {
    key += fmt::format("\n{}", warning.place.line);
  }
  return state().shown.insert(std::move(key)).second;
}

void write_warning(const Warning& warning) {
  Interpreter::current().flush();
  const std::string_view category = exception_type(warning.category).name;
  const SourceLine& place = warning.place;
  if (place.line == 0) {
    fmt::print(stderr, "{}: {}\n", category, warning.text);
    return;
  }
  fmt::print(stderr, "{}:{}: {}: {}\n", place.file, place.line, category, warning.text);
  if (!place.text.empty()) {
    fmt::print(stderr, "  {}\n", place.text);
  }
}

void give(Warning warning) {
  const std::string_view action = action_for(warning);
  if (action == "ignore") {
    return;
  }
  if (action == "error") {
    throw_exception(warning.message);
  }
  if (!is_news(action, warning)) {
    return;
  }
  if (state().recorded.is_none()) {
    write_warning(warning);
  } else {
    state().recorded.as_list()->items.push_back(
        IValue::adopt(Tag::Object, new WarningMessage(std::move(warning))));
  }
}

ErrorKind category_of(const Arguments& arguments, size_t i, ErrorKind fallback) {
  if (!has_value(arguments, i)) {
    return fallback;
  }
  ErrorKind kind = fallback;
  const bool is_warning = is_exception_type(arguments[i], &kind) &&
                          is_subtype(exception_type(kind), exception_type(ErrorKind::Warning));
  if (!is_warning) {
    throw_error(ErrorKind::TypeError, "category must be a Warning subclass, not '{}'",
                type_name(arguments[i]));
  }
  return kind;
}

IValue warnings_warn(Interpreter& interpreter, Arguments& arguments) {
  Warning warning;
  if (is_exception(arguments[0])) {
    warning.message = arguments[0];
    warning.category = as_exception(arguments[0])->kind();
    warning.text = exception_text(*as_exception(arguments[0]));
  } else {
    warning.category = category_of(arguments, 1, ErrorKind::UserWarning);
    warning.text = str(arguments[0]);
    warning.message = make_exception(warning.category, warning.text);
  }
  const int64_t level = given(arguments, 2) ? to_index(arguments[2]) : 1;
  warning.place = interpreter.running_line(static_cast<size_t>(std::max<int64_t>(level, 1) - 1));
  give(std::move(warning));
  return {};
}

std::string action_of(const IValue& value) {
  const std::string action(to_text(value, "simplefilter", 1));
  if (std::find(std::begin(kActions), std::end(kActions), action) == std::end(kActions)) {
    throw_error(ErrorKind::AssertionError, "invalid action: {}", repr(value));
  }
  return action;
}

void add_filter(Filter filter, bool append) {
  std::vector<Filter>& filters = changed_state().filters;
  filters.insert(append ? filters.end() : filters.begin(), std::move(filter));
}

IValue warnings_simplefilter(Interpreter&, Arguments& arguments) {
  Filter filter;
  filter.action = action_of(arguments[0]);
  filter.category = category_of(arguments, 1, ErrorKind::Warning);
  filter.line = given(arguments, 2) ? to_index(arguments[2]) : 0;
  add_filter(std::move(filter), given(arguments, 3) && is_true(arguments[3]));
  return {};
}

// The module of a filter is read and not used: a script is one module.
IValue warnings_filterwarnings(Interpreter&, Arguments& arguments) {
  Filter filter;
  filter.action = action_of(arguments[0]);
  const std::string pattern(given(arguments, 1) ? to_text(arguments[1], "filterwarnings", 2) : "");
  if (!pattern.empty()) {
    filter.message = std::make_shared<const Pattern>(pattern);
  }
  filter.category = category_of(arguments, 2, ErrorKind::Warning);
  filter.line = given(arguments, 4) ? to_index(arguments[4]) : 0;
  add_filter(std::move(filter), given(arguments, 5) && is_true(arguments[5]));
  return {};
}

IValue warnings_resetwarnings(Interpreter&, Arguments&) {
  changed_state().filters.clear();
  return {};
}

// --- with catch_warnings(record=False, *, action=None, category=Warning)

class CatchWarnings final : public Object {
 public:
  CatchWarnings() : Object(kCatchWarningsType) {}
  bool record = false;
  std::optional<Filter> filter;
  std::vector<Settings> saved;
};

IValue make_catch_warnings(Interpreter&, Arguments& arguments) {
  auto* const scope = new CatchWarnings();
  IValue result = IValue::adopt(Tag::Object, scope);
  scope->record = given(arguments, 0) && is_true(arguments[0]);
  if (has_value(arguments, 2)) {
    scope->filter.emplace();
    scope->filter->action = action_of(arguments[2]);
    scope->filter->category = category_of(arguments, 3, ErrorKind::Warning);
  }
  return result;
}

IValue enter_catch_warnings(Interpreter&, Arguments& arguments) {
  auto& scope = *arguments[0].as_object<CatchWarnings>();
  scope.saved.push_back(changed_state());
  if (scope.filter) {
    add_filter(*scope.filter, false);
  }
  if (scope.record) {
    state().recorded = make_list({});
    return state().recorded;
  }
  return {};
}

IValue leave_catch_warnings(Interpreter&, Arguments& arguments) {
  auto& scope = *arguments[0].as_object<CatchWarnings>();
  if (scope.saved.empty()) {
    throw_error(ErrorKind::RuntimeError, "Cannot exit <catch_warnings> without entering first");
  }
  static_cast<Settings&>(changed_state()) = std::move(scope.saved.back());
  scope.saved.pop_back();
  return {};
}

constexpr BuiltinDef kCatchWarningsMethods[] = {
    {"__enter__", &enter_catch_warnings, 0, 0, {}, "catch_warnings"},
    {"__exit__", &leave_catch_warnings, 3, 3, {}, "catch_warnings"},
};

constexpr Type make_catch_warnings_type() {
  Type type;
  type.name = "catch_warnings";
  type.module = "warnings";
  type.methods = kCatchWarningsMethods;
  return type;
}

constexpr AttributeDef kMessageAttributes[] = {
    {"category",
     [](const IValue& self) { return type_value(exception_type(warning_of(self).category)); }},
    {"filename", [](const IValue& self) { return IValue(warning_of(self).place.file); }},
    {"line", [](const IValue& self) { return IValue(warning_of(self).place.text); }},
    {"lineno", [](const IValue& self) { return IValue(int64_t{warning_of(self).place.line}); }},
    {"message", [](const IValue& self) { return warning_of(self).message; }},
};

constexpr Type make_warning_message_type() {
  Type type;
  type.name = "WarningMessage";
  type.module = "warnings";
  type.attributes = kMessageAttributes;
  return type;
}

constexpr BuiltinDef kWarningsFunctions[] = {
    {.name = "catch_warnings",
     .function = make_catch_warnings,
     .max = 1,
     .names = "record module action category"},
    {.name = "filterwarnings",
     .function = warnings_filterwarnings,
     .min = 1,
     .max = 6,
     .names = "action message category module lineno append"},
    {.name = "resetwarnings", .function = warnings_resetwarnings},
    {.name = "simplefilter",
     .function = warnings_simplefilter,
     .min = 1,
     .max = 4,
     .names = "action category lineno append"},
    {.name = "warn",
     .function = warnings_warn,
     .min = 1,
     .max = 4,
     .names = "message category stacklevel source"},
};

}  // namespace

constinit const Type kCatchWarningsType = make_catch_warnings_type();
constinit const Type kWarningMessageType = make_warning_message_type();
constinit const ModuleInfo kWarningsModule = {.name = "warnings", .functions = kWarningsFunctions};

void install_warning_handler() {
  set_warning_handler([](ErrorKind category, const std::string& message) {
    give({category, make_exception(category, message), message,
          Interpreter::current().running_line(0)});
  });
}

}  // namespace tsc::interp
