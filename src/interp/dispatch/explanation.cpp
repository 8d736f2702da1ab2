#include "interp/dispatch/explanation.h"

#include "core/system/forked_run.h"
#include "interp/dispatch/report_data.h"
#include "interp/runtime/containers/dict.h"
#include "interp/traceback.h"
#include "keys/switches.h"
#include "observe/route_bytes.h"
#include "observe/route_text.h"

namespace tsc::interp {

namespace {

// A message's first byte says what follows.
enum class Message : char {
  Call,        // observe::to_bytes
  Unprepared,  // the kind of the error, and its text
  Failed,      // the failure
  Finished,    // nothing
};

std::string message(Message kind, std::string_view content) {
  std::string bytes(1, static_cast<char>(kind));
  bytes += content;
  return bytes;
}

// The text of the error that the run ended with; nothing where there was none.
std::optional<std::string> run_to_end(const std::function<void()>& run) {
  try {
    run();
    return std::nullopt;
  } catch (const RaisedError& error) {
    return exception_summary(*as_exception(error.exception()));
  } catch (const Error& error) {
    return fmt::format("{}: {}", to_string(error.kind()), error.message());
  } catch (const std::bad_alloc&) {
    return "MemoryError";
  }
}

// Nothing where the preparation failed, which the parent is told.
std::function<void()> run_prepared(const ForkedRun& child, const Preparation& prepare) {
  try {
    return prepare();
  } catch (const Error& error) {
    const char kind = static_cast<char>(error.kind());
    child.send(message(Message::Unprepared, kind + error.message()));
    return {};
  }
}

// The child's side.
void run_recorded(ForkedRun& child, const Preparation& prepare) {
  const std::function<void()> run = run_prepared(child, prepare);
  if (!run) {
    return;
  }
  observe::RouteRecorder recorder([&](const observe::HopRecord& call) {
    child.send(message(Message::Call, observe::to_bytes(call)));
  });
  child.on_refusal = [&](const std::string& doing) {
    recorder.end_all();
    child.send(message(Message::Failed, fmt::format("Refused: {} cannot be taken back", doing)));
  };
  add_route_listener(&recorder);
  const std::optional<std::string> failure = run_to_end(run);
  remove_route_listener(&recorder);
  child.send(failure.has_value() ? message(Message::Failed, *failure)
                                 : message(Message::Finished, {}));
}

// The routes' lines, and the failure behind them.
std::vector<std::string> comparable_lines(const Explanation& explanation) {
  std::vector<std::string> lines = observe::route_lines(explanation.calls);
  if (explanation.failure.has_value()) {
    lines.push_back(explanation.failure->substr(0, explanation.failure->find('\n')));
  }
  return lines;
}

}  // namespace

Preparation prepare_code(Interpreter& interpreter, std::string code) {
  return [&interpreter, code = std::move(code)] {
    const SourcePtr source = Interpreter::make_source(code, "<explain>");
    const CompileResult compiled = interpreter.compile(source, CompileMode::File);
    if (compiled.code == nullptr) {
      const auto& diagnostic = compiled.diagnostics.front();
      throw_error_text(diagnostic.kind, diagnostic.message);
    }
    return [&interpreter, code = compiled.code] { interpreter.run(*code); };
  };
}

Preparation prepare_call(Interpreter& interpreter, IValue function) {
  return [&interpreter, function = std::move(function)] {
    return [&interpreter, function] { interpreter.call(function, {}); };
  };
}

Preparation with_switch(std::string key, bool on, Preparation prepare) {
  return [key = std::move(key), on, prepare = std::move(prepare)] {
    on ? keys::switch_on(key) : keys::switch_off(key);
    return prepare();
  };
}

Explanation explain(const Preparation& prepare) {
  Explanation explanation;
  bool is_finished = false;
  std::optional<std::string> unprepared;
  const std::string end =
      run_forked([&](ForkedRun& child) { run_recorded(child, prepare); },
                 [&](std::string_view bytes) {
                   const std::string_view content = bytes.substr(1);
                   switch (static_cast<Message>(bytes.front())) {
                     case Message::Call:
                       explanation.calls.push_back(observe::hop_of_bytes(content));
                       break;
                     case Message::Unprepared: unprepared = content; break;
                     case Message::Failed: explanation.failure = content; break;
                     case Message::Finished: is_finished = true; break;
                   }
                 });
  if (unprepared.has_value()) {
    throw_error_text(static_cast<ErrorKind>(unprepared->front()), unprepared->substr(1));
  }
  if (!is_finished && !explanation.failure.has_value()) {
    explanation.failure =
        fmt::format("the end of its process: {}", end.empty() ? "exit status 0" : end);
  }
  return explanation;
}

std::string explanation_text(const Explanation& explanation) {
  std::string text = observe::explanation_text(explanation.calls);
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
  return observe::side_by_side(comparable_lines(before), comparable_lines(after), width);
}

IValue difference_data(const Explanation& before, const Explanation& after) {
  IValue data = make_dict();
  as_dict(data)->set("before", explanation_data(before));
  as_dict(data)->set("after", explanation_data(after));
  return data;
}

}  // namespace tsc::interp
