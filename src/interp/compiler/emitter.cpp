#include "interp/compiler/emitter.h"

#include <limits>

namespace tsc::interp {

namespace {

constexpr int64_t kMaxOperand = std::numeric_limits<uint16_t>::max();

// The field of a jump instruction that holds its offset.
enum class OffsetField { Wide, A, C };

OffsetField offset_field(Opcode op) {
  if (op == Opcode::Jump || op == Opcode::Loop || op == Opcode::JumpIfTrue ||
      op == Opcode::JumpIfFalse || op == Opcode::JumpIfNone) {
    return OffsetField::Wide;
  }
  const bool is_iteration =
      op == Opcode::ForIter || op == Opcode::ForRange || op == Opcode::YieldFrom;
  return is_iteration ? OffsetField::C : OffsetField::A;
}

bool fits_16_bits(int64_t value) { return value == static_cast<int16_t>(value); }

}  // namespace

uint16_t Emitter::operand(int64_t value) {
  if (value < 0 || value > kMaxOperand) too_large_ = true;
  return static_cast<uint16_t>(value);
}

void Emitter::emit(Opcode op, int a, int b, int c, int d) {
  Instruction instruction{op, static_cast<uint8_t>(d), operand(a), operand(b), operand(c)};
  code_.instructions.push_back(instruction);
  code_.spans.push_back(span_);
}

void Emitter::emit_wide(Opcode op, int a, int64_t bc, int d) {
  Instruction instruction{op, static_cast<uint8_t>(d), operand(a), 0, 0};
  const auto bits = static_cast<uint32_t>(bc);
  instruction.b = static_cast<uint16_t>(bits);
  instruction.c = static_cast<uint16_t>(bits >> 16);
  code_.instructions.push_back(instruction);
  code_.spans.push_back(span_);
}

void Emitter::jump(Opcode op, Label& label, int a, int d) {
  const uint32_t at = position();
  emit_wide(op, a, 0, d);
  if (label.position_ >= 0) {
    patch(at, label.position_);
  } else {
    label.jumps_.push_back(at);
  }
}

void Emitter::compare_jump(Opcode op, Label& label, int b, int c, int d) {
  if (long_jumps_) {
    // A jump out of range goes around a long jump.
    Label over;
    compare_jump_near(op, over, b, c, d ^ kNegate);
    jump(Opcode::Jump, label);
    bind(over);
    return;
  }
  compare_jump_near(op, label, b, c, d);
}

void Emitter::compare_jump_near(Opcode op, Label& label, int b, int c, int d) {
  const uint32_t at = position();
  emit(op, 0, b, c, d);
  if (label.position_ >= 0) {
    patch(at, label.position_);
  } else {
    label.jumps_.push_back(at);
  }
}

void Emitter::iterate_jump(Opcode op, Label& label, int a, int b) {
  const uint32_t at = position();
  emit(op, a, b, 0);
  if (long_jumps_) {
    // When taken, it skips the next jump and reaches the long jump to the label.
    code_.instructions[at].c = 1;
    Label end;
    jump(Opcode::Jump, end);
    jump(Opcode::Jump, label);
    bind(end);
    return;
  }
  if (label.position_ >= 0) {
    patch(at, label.position_);
  } else {
    label.jumps_.push_back(at);
  }
}

void Emitter::patch(uint32_t jump, int64_t target) {
  Instruction& instruction = code_.instructions[jump];
  const int64_t offset = target - static_cast<int64_t>(jump) - 1;
  const OffsetField field = offset_field(instruction.op);
  if (field == OffsetField::Wide) {
    const auto bits = static_cast<uint32_t>(static_cast<int32_t>(offset));
    instruction.b = static_cast<uint16_t>(bits);
    instruction.c = static_cast<uint16_t>(bits >> 16);
    return;
  }
  if (!fits_16_bits(offset)) jump_overflow_ = true;
  (field == OffsetField::A ? instruction.a : instruction.c) = static_cast<uint16_t>(offset);
}

void Emitter::bind(Label& label) {
  label.position_ = position();
  for (const uint32_t jump : label.jumps_) patch(jump, label.position_);
  label.jumps_.clear();
}

int Emitter::constant(const IValue& value) {
  if (value.is_string()) return string_constant(value.as_string_object());
  if (!value.is_counted()) {
    const auto key = std::pair(static_cast<int>(value.tag()), value.payload_bits());
    const auto [place, is_new] =
        scalar_constants_.try_emplace(key, static_cast<int>(code_.constants.size()));
    if (is_new) code_.constants.push_back(value);
    return place->second;
  }
  code_.constants.push_back(value);
  return static_cast<int>(code_.constants.size()) - 1;
}

int Emitter::string_constant(StringObject* text) {
  const auto [place, is_new] =
      string_constants_.try_emplace(text, static_cast<int>(code_.constants.size()));
  if (is_new) code_.constants.push_back(IValue::share(Tag::String, text));
  return place->second;
}

int Emitter::name(StringObject* text) {
  const auto [place, is_new] = names_.try_emplace(text, static_cast<int>(code_.names.size()));
  if (is_new) code_.names.push_back(text);
  return place->second;
}

int Emitter::attribute_site(StringObject* name) {
  code_.attribute_sites.emplace_back().name = name;
  return static_cast<int>(code_.attribute_sites.size()) - 1;
}

int Emitter::call_site(std::vector<StringObject*> keywords) {
  code_.call_sites.emplace_back().keywords = std::move(keywords);
  return static_cast<int>(code_.call_sites.size()) - 1;
}

int Emitter::temporary(int count) {
  const int first = next_register_;
  next_register_ += count;
  note_register();
  return first;
}

void Emitter::note_register() {
  if (next_register_ > kMaxOperand) {
    too_large_ = true;
    return;
  }
  code_.frame_size = std::max(code_.frame_size, static_cast<uint16_t>(next_register_));
}

void Emitter::add_handler(uint32_t begin, uint32_t end, uint32_t target, int reg, bool is_body) {
  if (begin != end) code_.handlers.push_back({begin, end, target, operand(reg), is_body});
}

}  // namespace tsc::interp
