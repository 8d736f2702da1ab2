// Objects that the run loop makes: functions, the cells that closures share, generators.
#pragma once

#include <memory>
#include <vector>

#include "core/allocator.h"
#include "interp/compiler/code.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

extern const Type kFunctionType;
extern const Type kCellType;
extern const Type kGeneratorObjectType;
extern const Type kTracebackType;

// Marks a local or global without a value.
inline IValue unbound() { return IValue::mark(1); }

// A variable that functions share.
class CellObject final : public Object {
 public:
  CellObject() : Object(kCellType), value(unbound()) {}
  TSC_USE_FREE_LIST(CellObject)
  void traverse(ChildVisitor visit, void* context) override;
  void clear() noexcept override { value = unbound(); }
  IValue value;
};

inline CellObject* as_cell(const IValue& value) { return value.as_object<CellObject>(); }

// `def` and `lambda`. The tag is Function.
class FunctionObject final : public Object {
 public:
  explicit FunctionObject(std::shared_ptr<const Code> body);
  TSC_USE_FREE_LIST(FunctionObject)
  void traverse(ChildVisitor visit, void* context) override;
  void clear() noexcept override;

  const Code& code() const { return *code_pointer_; }

  std::vector<IValue> cells;     // by the index of the code's captured variables
  std::vector<IValue> defaults;  // of the last positional parameters
  std::vector<IValue>
      keyword_defaults;  // one for each keyword-only parameter, unbound where there is none
  IValue annotations;    // a dict, or None
  IValue attributes;     // a dict of attributes that the script has set, or None

 private:
  std::shared_ptr<const Code> shared_code_;
  const Code* code_pointer_;
};

inline FunctionObject* as_function(const IValue& value) {
  return value.as_object<FunctionObject>();
}

// A suspended call of a function with `yield`, and its registers.
class GeneratorObject final : public Object {
 public:
  enum class State : uint8_t { Created, Suspended, Running, Finished };

  GeneratorObject() : Object(kGeneratorObjectType) {}
  TSC_USE_FREE_LIST(GeneratorObject)
  void traverse(ChildVisitor visit, void* context) override;
  void clear() noexcept override;

  IValue function;                  // null for none
  const Instruction* pc = nullptr;  // the next instruction
  IValue handled;                   // the exception that it is handling
  IValue outer_handled;             // while it runs: the exception its caller is handling
  State state = State::Created;

  // The registers move to and from the stack as they are, without counting.
  void save(IValue* from, size_t count);
  void restore(IValue* to);
  void drop_registers() noexcept;
  IValue* registers() { return reinterpret_cast<IValue*>(registers_.get()); }

 private:
  ~GeneratorObject() override { drop_registers(); }
  void destroy() noexcept override;

  struct alignas(IValue) Slot {
    std::byte bytes[sizeof(IValue)];
  };
  std::unique_ptr<Slot[]> registers_;
  size_t capacity_ = 0;
  size_t count_ = 0;  // of registers that are here
};

inline GeneratorObject* as_generator(const IValue& value) {
  return value.as_object<GeneratorObject>();
}

// A frame that an exception has passed.
struct TracebackEntry {
  std::shared_ptr<const Code> code;
  const Instruction* instruction;
};

class TracebackObject final : public Object {
 public:
  TracebackObject();
  TSC_USE_FREE_LIST(TracebackObject)
  std::vector<TracebackEntry> entries;
};

inline TracebackObject* as_traceback(const IValue& value) {
  return value.as_object<TracebackObject>();
}

}  // namespace tsc::interp
