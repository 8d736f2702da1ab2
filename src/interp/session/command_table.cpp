#include "interp/session/command_table.h"

#include "core/text/nearest_name.h"

namespace tsc::interp {

std::span<const Session::Command> Session::commands() {
  using Completes = Command::Completes;
  static constexpr Command kCommands[] = {
      {"diff", "CODE --on|--off KEY", "CODE's route without and with a switch, side by side",
       &Session::command_diff, Completes::Python,
       "Both run as for `:explain`. `<` marks a line that only the route without the switch has, "
       "`>` one that only the route with it has.",
       ":diff x @ w --off Autograd"},
      {"explain", "[CODE]",
       "the route of each call that CODE makes, without its effects; alone: of the last error",
       &Session::command_explain, Completes::Python,
       "CODE is an expression or statements. They run in a copy of the session, which ends with "
       "them: nothing changes here. Files are not written, and input is not read: the explanation "
       "ends there. A call that fails is shown with its error.",
       ":explain (x @ w).sum()"},
      {"help", "[NAME]", "this list, or what NAME is; NAME? is the same", &Session::command_help,
       Completes::Names,
       "NAME is a variable, a function, a method (x.sum, Tensor.sum), an operator (aten::mm), a "
       "key or a command.",
       ":help F.relu"},
      {"jit", "[source NAME|clear]", "the CUDA kernels that were compiled, and why",
       &Session::command_jit, Completes::Nothing,
       "A kernel is compiled when it is first launched, and kept on disk: `from` says where this process "
       "has it from. ms is the compiler's time; regs and shared are what a thread and a block take, occ "
       "is the part of a multiprocessor's threads that can be in flight. `:jit source NAME` prints the "
       "source, `:jit clear` empties the folder on disk.",
       ":jit"},
      {"key", "KEY [OP...] [--all]",
       "a column: which operators have a kernel there, and from where", &Session::command_key,
       Completes::Keys,
       "OP is an operator's name, or a pattern with `*`. The first few names of each kind are "
       "shown, with --all every one.",
       ":key Meta max* sum"},
      {"keys", "[all|count [off]]",
       "the keys that can be switched, or all; count how often each is hit", &Session::command_keys,
       Completes::Nothing,
       "`:keys all` shows every column in its order, with its record, and the aliases. From `:keys "
       "count` on, `:keys` shows how often each key ran and how often it was passed.",
       ":keys count"},
      {"last", "", "all that the last entry has shown, in a pager on a terminal",
       &Session::command_last, Completes::Nothing,
       "The pager is $PAGER, or `less -R`. Elsewhere the text is written as it is.", ":last"},
      {"load", "FILE", "run a saved session, or a script, under the session's switches",
       &Session::command_load, Completes::Nothing,
       "It stops at the first error. `tensorscope FILE` runs such a file, too.",
       ":load session.tsc"},
      {"off", "KEY", "switch a key off: Autograd, Profiler, Tracer, no_grad, ...",
       &Session::command_off, Completes::Switches,
       "For every later entry; the prompt shows what is not as it was at the start.",
       ":off Autograd"},
      {"on", "KEY", "switch a key on", &Session::command_on, Completes::Switches,
       "For every later entry; the prompt shows what is not as it was at the start. `:keys` lists "
       "the keys.",
       ":on Profiler"},
      {"profile", "[COLUMN|clear]", "what the Profiler has measured", &Session::command_profile,
       Completes::Nothing,
       "COLUMN is what rows are sorted by: count, self_cpu_time_total, cpu_time_total, cpu_time, "
       "self_cpu_memory_usage, cpu_memory_usage.",
       ":profile count"},
      {"quit", "", "leave (Ctrl-D does, too)", &Session::command_quit, Completes::Nothing, "",
       ":quit"},
      {"save", "FILE", "write the entries that succeeded, and the switches", &Session::command_save,
       Completes::Nothing, "`:load FILE` and `tensorscope FILE` run them again.",
       ":save session.tsc"},
      {"table", "OP [KEY...]", "a row: which kernel serves which keys, and why",
       &Session::command_table, Completes::Operators,
       "Keys without a kernel are left out, unless "
       "they are asked for.",
       ":table mm CPU Meta Autograd"},
      {"trace", "[clear]", "the graph that the Tracer has recorded", &Session::command_trace,
       Completes::Nothing, "Calls are recorded while the Tracer is on.", ":trace"},
      {"vars", "", "the names that the session has bound", &Session::command_vars,
       Completes::Nothing, "", ":vars"},
      {"watch", "STYLE [FILTER...]",
       "print calls as they run: on, short, torch, json, off; op=, key=, depth=",
       &Session::command_watch, Completes::Nothing,
       "`on` shows the keys of each argument, each key on the way and the times, `short` a line "
       "for each key, `torch` PyTorch's own trace, `json` an object for each call. Filters select "
       "by the operator's name (with `*`), by key and by depth; depth=1 is what the entry itself "
       "calls.",
       ":watch short op=mm"},
      {"who", "FUNCTION [--all]", "which cells a kernel's function fills", &Session::command_who,
       Completes::Nothing, "", ":who cpu::mm"},
  };
  constexpr auto is_in_order = [](const auto& commands) {
    for (size_t i = 0; i < std::size(commands); i++) {
      if (commands[i].help.empty() || (i > 0 && commands[i - 1].name >= commands[i].name)) {
        return false;
      }
    }
    return true;
  };
  static_assert(is_in_order(kCommands), "in alphabetical order, each once, with a line of help");
  return kCommands;
}

std::vector<const Session::Command*> Session::commands_called(std::string_view word) {
  std::vector<const Command*> found;
  for (const Command& command : commands()) {
    if (command.name == word) {
      return {&command};
    }
    if (command.name.starts_with(word)) {
      found.push_back(&command);
    }
  }
  return found;
}

const Session::Command& Session::find_command(std::string_view word) {
  const std::vector<const Command*> found = commands_called(word);
  if (found.size() == 1) {
    return *found.front();
  }
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    names.push_back(fmt::format(":{}", command.name));
  }
  TSC_CHECK_VALUE(!found.empty() && !word.empty(), "there is no command ':{}'{}", word,
                  did_you_mean(fmt::format(":{}", word), names, "; `:help` lists them"));
  std::string choice;
  for (size_t i = 0; i < found.size(); i++) {
    choice += i == 0 ? "" : i + 1 == found.size() ? " or " : ", ";
    choice += fmt::format(":{}", found[i]->name);
  }
  throw_error(ErrorKind::ValueError, "':{}' may be {}", word, choice);
}

}  // namespace tsc::interp
