#include "interp/dispatch/explanation.h"

#include "core/cpu_generator.h"
#include "core/thread_local_state.h"
#include "interp/dispatch/report_data.h"
#include "interp/runtime/dict.h"
#include "interp/runtime/protocols.h"
#include "keys/autocast.h"
#include "keys/explain.h"
#include "keys/route_text.h"
#include "keys/switches.h"

namespace tsc::interp {

namespace {

// What code may change besides tensors, put back at the end of the scope.
class UnchangedSession {
 public:
  explicit UnchangedSession(Interpreter& interpreter)
      : interpreter_(interpreter),
        state_(tls()),
        generator_(default_cpu_generator()->get_state()),
        caches_casts_(keys::is_autocast_cache_enabled()) {
    keys::set_autocast_cache_enabled(false);
    for (const std::string& name : interpreter_.global_names()) {
      globals_.emplace_back(name, *interpreter_.find_global(name));
    }
  }
  ~UnchangedSession() {
    for (const std::string& name : interpreter_.global_names()) {
      interpreter_.remove_global(name);
    }
    for (auto& [name, value] : globals_) {
      interpreter_.set_global(name, std::move(value));
    }
    default_cpu_generator()->set_state(generator_);
    keys::set_autocast_cache_enabled(caches_casts_);
    // Whether somebody watches is what it is: listeners may have come or gone.
    state_.watched = tls().watched;
    tls() = state_;
  }
  UnchangedSession(const UnchangedSession&) = delete;
  UnchangedSession& operator=(const UnchangedSession&) = delete;

 private:
  Interpreter& interpreter_;
  ThreadLocalState state_;
  Tensor generator_;
  bool caches_casts_;
  std::vector<std::pair<std::string, IValue>> globals_;
};

// A switch for the scope.
class SwitchedKey {
 public:
  SwitchedKey(std::string_view key, bool on) : key_(key), was_on_(keys::is_on(key)) { set(on); }
  ~SwitchedKey() { set(was_on_); }
  SwitchedKey(const SwitchedKey&) = delete;
  SwitchedKey& operator=(const SwitchedKey&) = delete;

 private:
  void set(bool on) const { on ? keys::switch_on(key_) : keys::switch_off(key_); }

  std::string_view key_;
  bool was_on_;
};

Explanation explain_text(Interpreter& interpreter, std::string_view text, CompileMode mode) {
  const SourcePtr source = Interpreter::make_source(std::string(text), "<explain>");
  const CompileResult compiled = interpreter.compile(source, mode);
  if (compiled.code == nullptr) {
    throw_error(ErrorKind::SyntaxError, "{}", compiled.diagnostics.front().message);
  }
  return explain(interpreter, [&] { interpreter.run(*compiled.code); });
}

// The routes' lines, and the failure behind them.
std::vector<std::string> comparable_lines(const Explanation& explanation) {
  std::vector<std::string> lines = keys::route_lines(explanation.calls);
  if (explanation.failure.has_value()) {
    lines.push_back(explanation.failure->substr(0, explanation.failure->find('\n')));
  }
  return lines;
}

}  // namespace

Explanation explain(Interpreter& interpreter, const std::function<void()>& code) {
  const UnchangedSession unchanged(interpreter);
  Explanation explanation;
  keys::Explainer explainer;
  try {
    code();
  } catch (const Error& error) {
    explanation.failure = fmt::format("{}: {}", to_string(error.kind()), error.message());
  }
  explanation.calls = explainer.take_calls();
  return explanation;
}

Explanation explain_expression(Interpreter& interpreter, std::string_view expression) {
  return explain_text(interpreter, expression, CompileMode::Expression);
}

Explanation explain_statement(Interpreter& interpreter, std::string_view statement) {
  return explain_text(interpreter, statement, CompileMode::File);
}

Explanation explain_switched(std::string_view key, bool on,
                             const std::function<Explanation()>& explain_again) {
  const SwitchedKey switched(key, on);
  return explain_again();
}

std::string explanation_text(const Explanation& explanation) {
  std::string text = keys::explanation_text(explanation.calls);
  if (explanation.failure.has_value()) {
    text += fmt::format("{}it ends with {}\n", text.empty() ? "" : "\n", *explanation.failure);
  } else if (text.empty()) {
    text = "no operator is called\n";
  }
  return text;
}

IValue explanation_data(const Explanation& explanation) {
  IValue data = make_dict();
  as_dict(data)->set("calls", hops_data(explanation.calls));
  as_dict(data)->set("failure", explanation.failure);
  return data;
}

std::string difference_text(const Explanation& before, const Explanation& after, size_t width) {
  return keys::side_by_side(comparable_lines(before), comparable_lines(after), width);
}

IValue difference_data(const Explanation& before, const Explanation& after) {
  IValue data = make_dict();
  as_dict(data)->set("before", explanation_data(before));
  as_dict(data)->set("after", explanation_data(after));
  return data;
}

}  // namespace tsc::interp
