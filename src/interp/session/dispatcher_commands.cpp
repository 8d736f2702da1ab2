// The commands that inspect the dispatcher, and the watch.
#include <charconv>

#include "core/cuda_hooks.h"
#include "core/keys/pytorch_keys.h"
#include "core/text/nearest_name.h"
#include "interp/dispatch/explanation.h"
#include "interp/dispatch/report_data.h"
#include "interp/runtime/containers/dict.h"
#include "interp/runtime/text/json.h"
#include "interp/session/session.h"
#include "keys/key_help.h"
#include "keys/switches.h"
#include "observe/reports.h"

namespace tsc::interp {

namespace {

DispatchKey parse_key(std::string_view name) {
  const std::optional<DispatchKey> key = try_parse_dispatch_key(name);
  if (key.has_value()) {
    return *key;
  }
  const std::optional<std::string> reason = absent_key_reason(name);
  TSC_CHECK_VALUE(!reason.has_value(), "{}", *reason);
  throw_error(ErrorKind::ValueError, "there is no key '{}'{}", name,
              did_you_mean(name, keys::key_names(), "; `:keys all` lists them"));
}

// "op=mm", "key=CPU", "depth=1".
observe::RouteFilter parse_filter(const std::vector<std::string>& words) {
  observe::RouteFilter filter;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = equals == word.npos ? "" : word.substr(equals + 1);
    TSC_CHECK_VALUE(!value.empty() && (name == "op" || name == "key" || name == "depth"),
                    "a watch is filtered by op=NAME, key=KEY and depth=N, not '{}'", word);
    if (name == "op") {
      filter.op = value;
    } else if (name == "key") {
      filter.key = parse_key(value);
    } else {
      const char* end = value.data() + value.size();
      const auto [read, error] = std::from_chars(value.data(), end, filter.depth);
      TSC_CHECK_VALUE(error == std::errc() && read == end && filter.depth > 0,
                      "depth is a number from 1 on, not '{}'", value);
    }
  }
  return filter;
}

std::vector<DispatchKey> parse_keys(const std::vector<std::string>& words, size_t first) {
  std::vector<DispatchKey> keys;
  for (size_t i = first; i < words.size(); i++) {
    keys.push_back(parse_key(words[i]));
  }
  return keys;
}

// "mm", "aten::mm", "mm.out": the operator's name without its overload's.
std::string base_name(std::string_view name) {
  const size_t scope = name.find("::");
  const size_t behind = scope == name.npos ? 0 : scope + 2;
  return fmt::format("{}{}", scope == name.npos ? "aten::" : "",
                     name.substr(0, std::min(name.find('.', behind), name.size())));
}

std::vector<OperatorHandle> find_operators(const std::string& name) {
  const std::string base = base_name(name);
  if (Dispatcher::singleton().overloads(base).empty()) {
    std::vector<std::string> names;
    for (const std::string& known : Dispatcher::singleton().all_names()) {
      names.push_back(known.substr(0, known.find('.')));
    }
    throw_error(ErrorKind::ValueError, "there is no operator '{}'{}", base,
                did_you_mean(base, names));
  }
  return observe::find_operators(name);
}

void need(const CommandText& text, std::string_view usage) {
  TSC_CHECK_VALUE(!text.empty(), "usage: {}", usage);
}

}  // namespace

void Session::print_json(const IValue& value) { out_(json_text(value) + "\n"); }

void Session::set_watch(std::unique_ptr<RouteListener> watch) {
  if (watch_ != nullptr) {
    remove_route_listener(watch_.get());
  }
  watch_ = std::move(watch);
  if (watch_ != nullptr) {
    add_route_listener(watch_.get());
  }
}

void Session::set_counting(bool on) {
  if (counter_ != nullptr) {
    remove_route_listener(counter_.get());
    counter_.reset();
  }
  if (on) {
    counter_ = std::make_unique<observe::KeyCounter>();
    add_route_listener(counter_.get());
  }
}

void Session::command_watch(CommandText text) {
  std::vector<std::string> words = text.words();
  if (words.empty()) {
    out_(fmt::format("watch is {}\n", watch_ == nullptr ? "off" : "on"));
    return;
  }
  const std::string style = words.front();
  words.erase(words.begin());
  const observe::RouteFilter filter = parse_filter(words);
  const auto write = [this](const std::string& line) { error_(wrap_lines(line, width_)); };
  if (style == "off") {
    set_watch(nullptr);
  } else if (style == "json") {
    set_watch(std::make_unique<observe::RouteRecorder>(
        [this](const observe::HopRecord& call) { error_(json_text(hop_data(call)) + "\n"); },
        filter));
  } else if (style == "on") {
    set_watch(std::make_unique<observe::Watch>(write, observe::WatchStyle::Full, filter));
  } else if (style == "short") {
    set_watch(std::make_unique<observe::Watch>(write, observe::WatchStyle::Route, filter));
  } else if (style == "torch") {
    set_watch(std::make_unique<observe::Watch>(write, observe::WatchStyle::Torch, filter));
  } else {
    throw_error(ErrorKind::ValueError, "a watch is on, short, torch, json or off, not '{}'{}",
                style, did_you_mean(style, {"on", "short", "torch", "json", "off"}));
  }
  log_.add(fmt::format(":watch {}", text.rest()));
}

// Explains the call that raised the last error, in the session's present state.
void Session::explain_failure(bool json) {
  if (!failure_.has_value()) {
    error_("no call has raised an error; :explain CODE explains code\n");
    return;
  }
  const Explanation explanation = explain(prepare_code(interpreter_, failure_->code));
  if (json) {
    IValue data = explanation_data(explanation);
    as_dict(data)->set("code", failure_->code);
    as_dict(data)->set("error", failure_->error);
    print_json(data);
    return;
  }
  show(fmt::format("{}\nraised {}\n\n{}", failure_->code, failure_->error,
                   explanation_text(explanation)));
}

void Session::command_explain(CommandText text) {
  const bool json = text.take_flag("--json");
  if (text.empty()) {
    explain_failure(json);
    return;
  }
  const Explanation explanation = explain(prepare_code(interpreter_, std::string(text.rest())));
  json ? print_json(explanation_data(explanation)) : show(explanation_text(explanation));
}

void Session::command_diff(CommandText text) {
  constexpr std::string_view kUsage = ":diff CODE --on KEY|--off KEY [--json]";
  const bool json = text.take_flag("--json");
  std::string key;
  const bool on = text.take_option("--on", key);
  need(on || text.take_option("--off", key) ? text : CommandText(""), kUsage);
  const Preparation code = prepare_code(interpreter_, std::string(text.rest()));
  const Explanation before = explain(code);
  const Explanation after = explain(with_switch(key, on, code));
  json ? print_json(difference_data(before, after)) : show(difference_text(before, after, width_));
}

void Session::command_table(CommandText text) {
  const bool json = text.take_flag("--json");
  need(text, ":table OP [KEY...] [--json]");
  const std::vector<std::string> words = text.words();
  const std::vector<DispatchKey> keys = parse_keys(words, 1);
  std::vector<observe::RowReport> rows;
  for (const OperatorHandle& op : find_operators(words.front())) {
    rows.push_back(observe::report_row(op, keys));
  }
  if (json) {
    print_json(rows_data(rows));
    return;
  }
  std::string report;
  for (const observe::RowReport& row : rows) {
    report += observe::row_text(row, !keys.empty());
  }
  show(report);
}

void Session::command_key(CommandText text) {
  const bool json = text.take_flag("--json");
  const bool is_long = text.take_flag("--all");
  need(text, ":key KEY [OP...] [--all] [--json]");
  std::vector<std::string> words = text.words();
  const DispatchKey key = parse_key(words.front());
  words.erase(words.begin());
  const observe::ColumnReport column = observe::report_column(key, words);
  TSC_CHECK_VALUE(json || !column.entries.empty(), "no operator is called '{}'", words.front());
  json ? print_json(column_data(column)) : show(observe::column_text(column, is_long));
}

void Session::command_who(CommandText text) {
  const bool json = text.take_flag("--json");
  const bool is_long = text.take_flag("--all");
  need(text, ":who FUNCTION [--all] [--json]");
  const std::vector<observe::KernelReport> kernels = observe::report_kernels(text.rest());
  if (json) {
    print_json(kernels_data(kernels));
  } else if (kernels.empty()) {
    error_(fmt::format("no cell holds a kernel called '{}'\n", text.rest()));
  } else {
    show(observe::kernels_text(kernels, is_long));
  }
}

void Session::command_jit(CommandText text) {
  CudaHooks* const hooks = cuda_hooks();
  TSC_CHECK(hooks != nullptr, "this build has no CUDA");
  const std::string_view rest = text.rest();
  constexpr std::string_view kSource = "source ";
  if (rest == "clear") {
    hooks->clear_kernels();
  } else if (rest.starts_with(kSource)) {
    show(hooks->kernel_source(rest.substr(kSource.size())));
  } else {
    TSC_CHECK_VALUE(text.empty(), "usage: :jit [source NAME|clear]");
    show(hooks->kernels());
  }
}

void Session::command_keys(CommandText text) {
  const bool json = text.take_flag("--json");
  if (text.rest() == "count" || text.rest() == "count off") {
    set_counting(text.rest() == "count");
    return;
  }
  if (text.rest() == "all") {
    const std::vector<keys::ColumnRow> rows = keys::column_rows();
    json ? print_json(columns_data(rows)) : show(keys::columns_text(rows));
    return;
  }
  TSC_CHECK_VALUE(text.empty(), "usage: :keys [all|count|count off] [--json]");
  const std::vector<keys::KeyRow> rows = keys::key_rows();
  json ? print_json(switches_data(rows, counter_.get()))
       : show(keys::switches_text(rows, counter_.get()));
}

}  // namespace tsc::interp
