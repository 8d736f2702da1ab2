// `:help`, and `NAME?`.
#include "interp/runtime/help.h"
#include "interp/session/command_table.h"

namespace tsc::interp {

void Session::command_help(CommandText text) {
  if (!text.empty()) {
    help_on(text.rest());
    return;
  }
  std::string list =
      "Python, over PyTorch's names: x = randn(2, 3); (x @ x.T).sum()\n"
      "NAME? says what a name is, a semicolon at the end shows nothing\n\n";
  for (const Command& command : commands()) {
    list += fmt::format("  {:<30}{}\n", fmt::format(":{} {}", command.name, command.arguments),
                        command.help);
  }
  show(list +
       "\n:help :COMMAND says more of one, with an example. diff, explain, key, keys, table "
       "and who take --json. A name may be shortened: :ex\n");
}

std::string Session::help_on_command(const Command& command) {
  std::string text =
      fmt::format(":{}{}{}\n  {}\n", command.name, command.arguments.empty() ? "" : " ",
                  command.arguments, command.help);
  if (!command.details.empty()) {
    text += fmt::format("  {}\n", command.details);
  }
  if (!command.example.empty()) {
    text += fmt::format("  example:  {}\n", command.example);
  }
  return text;
}

// A name may be that of a command and of something else: trace, diff, save.
void Session::help_on(std::string_view name) {
  if (name.starts_with(':')) {
    show(help_on_command(find_command(name.substr(1))));
    return;
  }
  const std::vector<const Command*> called = commands_called(name);
  const bool is_command = called.size() == 1 && called.front()->name == name;
  const auto text = describe_name(interpreter_, name);
  if (text.has_value()) {
    show(is_command ? fmt::format("{}`:help :{}` is about the command\n", *text, name) : *text);
    return;
  }
  if (is_command) {
    show(help_on_command(*called.front()));
    return;
  }
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    names.emplace_back(command.name);
  }
  error_(unknown_name_text(interpreter_, name, std::move(names)) + "\n");
}

}  // namespace tsc::interp
