// dispatch.table, column, who, switches, explain and diff. Each returns text to print, or with
// form="data" dicts and lists, or with form="json" these as JSON.
#include "interp/dispatch/dispatch_object.h"
#include "interp/dispatch/explanation.h"
#include "interp/dispatch/report_data.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/text/json.h"
#include "interp/torch/dispatcher/key_set_object.h"
#include "keys/switches.h"
#include "observe/reports.h"

namespace tsc::interp {

namespace {

// The result in the form that argument `i` names: text, data or json.
template <class Text, class Data>
IValue in_form(const Arguments& arguments, size_t i, Text text, Data data) {
  const std::string_view form = has_value(arguments, i) ? name_argument(arguments, i) : "text";
  if (form == "text") {
    return IValue(text());
  }
  if (form == "data") {
    return data();
  }
  TSC_CHECK_VALUE(form == "json", "form is 'text', 'data' or 'json', not '{}'", form);
  return IValue(json_text(data()));
}

// Calls f with a value, or with each item of a list.
template <class F>
void for_each_of(const Arguments& arguments, size_t i, F f) {
  if (!has_value(arguments, i)) {
    return;
  }
  if (arguments[i].is_list() || arguments[i].is_tuple()) {
    for_each_item(arguments[i], [&](const IValue& item) {
      f(item);
      return true;
    });
  } else {
    f(arguments[i]);
  }
}

// Code to explain: text, or a function that is called without arguments.
Preparation code_argument(Interpreter& interpreter, const Arguments& arguments) {
  const IValue& code = arguments[0];
  return code.is_string() ? prepare_code(interpreter, std::string(code.as_string()))
                          : prepare_call(interpreter, code);
}

}  // namespace

// table(op, keys=None, *, form="text")
IValue table_function(Interpreter&, Arguments& arguments) {
  std::vector<DispatchKey> keys;
  for_each_of(arguments, 1, [&](const IValue& key) { keys.push_back(key_of_value(key)); });
  std::vector<observe::RowReport> rows;
  for (const OperatorHandle& op : observe::find_operators(name_argument(arguments, 0))) {
    rows.push_back(observe::report_row(op, keys));
  }
  return in_form(
      arguments, 2,
      [&] {
        std::string text;
        for (const observe::RowReport& row : rows) {
          text += observe::row_text(row, !keys.empty());
        }
        return text;
      },
      [&] { return rows_data(rows); });
}

// column(key, ops=None, *, form="text")
IValue column_function(Interpreter&, Arguments& arguments) {
  std::vector<std::string> patterns;
  for_each_of(arguments, 1,
              [&](const IValue& pattern) { patterns.emplace_back(to_text(pattern)); });
  const observe::ColumnReport column = observe::report_column(key_of_value(arguments[0]), patterns);
  return in_form(
      arguments, 2, [&] { return observe::column_text(column, !patterns.empty()); },
      [&] { return column_data(column); });
}

// columns(*, form="text")
IValue columns_function(Interpreter&, Arguments& arguments) {
  return in_form(
      arguments, 0, [] { return keys::columns_text(keys::column_rows()); },
      [] { return columns_data(keys::column_rows()); });
}

// who(function, *, form="text")
IValue who_function(Interpreter&, Arguments& arguments) {
  const std::vector<observe::KernelReport> kernels =
      observe::report_kernels(name_argument(arguments, 0));
  return in_form(
      arguments, 1, [&] { return observe::kernels_text(kernels, false); },
      [&] { return kernels_data(kernels); });
}

// switches(*, form="text")
IValue switches_function(Interpreter&, Arguments& arguments) {
  return in_form(
      arguments, 0, [] { return keys::switches_text(keys::key_rows(), nullptr); },
      [] { return switches_data(keys::key_rows(), nullptr); });
}

// explain(code, *, form="text")
IValue explain_function(Interpreter& interpreter, Arguments& arguments) {
  const Explanation explanation = explain(code_argument(interpreter, arguments));
  return in_form(
      arguments, 1, [&] { return explanation_text(explanation); },
      [&] { return explanation_data(explanation); });
}

// diff(code, *, on=None, off=None, form="text")
IValue diff_function(Interpreter& interpreter, Arguments& arguments) {
  const bool on = has_value(arguments, 1);
  TSC_CHECK_TYPE(on != has_value(arguments, 2),
                 "diff() takes a key to switch as either on= or off=");
  const Preparation code = code_argument(interpreter, arguments);
  const std::string key(name_argument(arguments, on ? 1 : 2));
  const Explanation before = explain(code);
  const Explanation after = explain(with_switch(key, on, code));
  return in_form(
      arguments, 3, [&] { return difference_text(before, after); },
      [&] { return difference_data(before, after); });
}

}  // namespace tsc::interp
