#include "interp/compiler/opcode.h"

namespace tsc::interp {

std::string_view to_string(Opcode op) {
  static constexpr std::string_view kNames[] = {
#define TSC_NAME_BINARY(name, effect) #name, #name "Constant",
      TSC_FORALL_BINARY_OPCODES(TSC_NAME_BINARY)
#undef TSC_NAME_BINARY
#define TSC_NAME_NUMBER(name) #name "Number",
          TSC_FORALL_BINARY_NUMBER_OPCODES(TSC_NAME_NUMBER)
#undef TSC_NAME_NUMBER
#define TSC_NAME_COMPARE(name, op)                                                    \
#name, #name "Constant", #name "Number", "JumpIf" #name, "JumpIf" #name "Constant", \
      "JumpIf" #name "Number",
              TSC_FORALL_COMPARE_OPCODES(TSC_NAME_COMPARE)
#undef TSC_NAME_COMPARE
#define TSC_NAME_OTHER(name, effect) #name,
                  TSC_FORALL_OTHER_OPCODES(TSC_NAME_OTHER)
#undef TSC_NAME_OTHER
  };
  return kNames[static_cast<size_t>(op)];
}

}  // namespace tsc::interp
