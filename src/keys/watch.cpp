#include "keys/watch.h"

#include "dispatch/operator_handle.h"
#include "keys/notation.h"

namespace tsc::keys {

namespace {

std::string arguments_text(const RouteHop& hop) {
  std::string text;
  for (size_t i = 0; i < hop.num_arguments; i++) {
    const Argument& argument = hop.op->schema().arguments[i];
    text += text.empty() ? "" : ", ";
    if (argument.kwarg_only) {
      text += fmt::format("{}=", argument.name);
    }
    text += value_notation(hop.arguments[i]);
  }
  return text;
}

// The keys of the merged set that did not run although they stand above the one that did.
std::string passed_text(const RouteHop& hop) {
  std::string text;
  (hop.merged - hop.masked).for_each([&](DispatchKey key) {
    if (key > hop.key) {
      text += text.empty() ? "" : ", ";
      text += to_string(key);
    }
  });
  return text.empty() ? text : fmt::format("  past {} (fallthrough)", text);
}

}  // namespace

void Watch::on_enter(const RouteHop& hop) {
  const std::string indent(static_cast<size_t>(hop.depth) * (style_ == WatchStyle::Torch ? 1 : 2),
                           ' ');
  if (style_ == WatchStyle::Torch) {
    write_(fmt::format("{} [{}] op=[{}], key=[{}]\n", indent,
                       hop.step == RouteStep::Call ? "call" : "redispatch",
                       hop.op->qualified_name(), to_string(hop.key)));
    return;
  }
  if (hop.step == RouteStep::Call) {
    write_(fmt::format("{}{}({})\n", indent, hop.op->qualified_name(), arguments_text(hop)));
  }
  write_(fmt::format("{}  {} -> {}{}\n", indent, to_string(hop.key), hop.kernel->name,
                     passed_text(hop)));
}

void Watch::on_leave(const RouteHop& hop, const IValue* returns, size_t num_returns, int64_t) {
  if (style_ == WatchStyle::Torch || hop.step != RouteStep::Call) {
    return;
  }
  const std::string indent(static_cast<size_t>(hop.depth) * 2, ' ');
  if (returns == nullptr) {
    write_(fmt::format("{}  raised an error\n", indent));
    return;
  }
  std::string text;
  for (size_t i = 0; i < num_returns; i++) {
    text += text.empty() ? "" : ", ";
    text += value_notation(returns[i]);
  }
  write_(fmt::format("{}  = {}\n", indent, text));
}

}  // namespace tsc::keys
