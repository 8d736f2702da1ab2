#include <fmt/format.h>

#include "interp/compiler/code.h"

namespace tsc::interp {

std::string disassemble(const Code& code) {
  std::string text =
      fmt::format("{}: {} locals, {} registers\n", code.qualified, code.locals, code.frame_size);
  for (size_t i = 0; i < code.instructions.size(); i++) {
    const Instruction& instruction = code.instructions[i];
    const int line = code.source->position(code.spans[i].begin).line;
    text +=
        fmt::format("{:4}  {:4} {:24} d={} a={} b={} c={}\n", line, i, to_string(instruction.op),
                    instruction.d, instruction.a, instruction.b, instruction.c);
  }
  for (const HandlerRange& range : code.handlers) {
    text += fmt::format("  {}..{} -> {} register {}{}\n", range.begin, range.end, range.target,
                        range.reg, range.is_body ? " (body)" : "");
  }
  for (const auto& function : code.functions) text += disassemble(*function);
  return text;
}

}  // namespace tsc::interp
