// try, with, and leaving them.
//
// A `finally` block is compiled twice or more: once for the ordinary way, once for errors, and once
// for each `return`, `break` or `continue` that leaves through it. Each is outside of the range
// that it belongs to, so that an error in it is not handled by itself; a range therefore consists
// of pieces.
#include "interp/compiler/compiler.h"

namespace tsc::interp {

using namespace ast;

void FunctionCompiler::open_range(int reg) {
  Block block{Block::Kind::Range};
  block.handler_reg = reg;
  block.begin = out_.position();
  blocks_.push_back(std::move(block));
}

// Ends the innermost range; its handler must be bound by bind_range() next.
FunctionCompiler::Block FunctionCompiler::close_range() {
  Block block = std::move(blocks_.back());
  blocks_.pop_back();
  block.pieces.emplace_back(block.begin, out_.position());
  return block;
}

// Binds the handler of `block` here.
void FunctionCompiler::bind_range(const Block& block) {
  for (const auto& [begin, end] : block.pieces)
    out_.add_handler(begin, end, out_.position(), block.handler_reg);
}

void FunctionCompiler::open_handler(int reg, const ExceptHandler* handler) {
  Block block{Block::Kind::Handler};
  block.reg = reg;
  block.handler = handler;
  block.begin = out_.position();
  blocks_.push_back(std::move(block));
}

void FunctionCompiler::close_handler() {
  Block block = std::move(blocks_.back());
  blocks_.pop_back();
  block.pieces.emplace_back(block.begin, out_.position());
  for (const auto& [begin, end] : block.pieces) out_.add_handler(begin, end, 0, block.reg, true);
}

bool FunctionCompiler::has_cleanup() const {
  for (const Block& block : blocks_) {
    if (block.kind != Block::Kind::Loop && block.kind != Block::Kind::Range) return true;
  }
  return false;
}

// Leaves the blocks above `depth`, innermost first: the exit code of each block is compiled as if
// it stood outside of it.
void FunctionCompiler::leave_blocks(size_t depth) {
  std::vector<Block> left;
  const Assigned before = assigned_;
  while (blocks_.size() > depth) {
    Block block = std::move(blocks_.back());
    blocks_.pop_back();
    switch (block.kind) {
      case Block::Kind::Loop:
        if (block.reg >= 0) out_.emit(Opcode::Clear, block.reg);
        break;
      case Block::Kind::Range: block.pieces.emplace_back(block.begin, out_.position()); break;
      case Block::Kind::Finally: statements(block.finally); break;
      case Block::Kind::Handler:
        block.pieces.emplace_back(block.begin, out_.position());
        if (block.handler != nullptr && !block.handler->name.empty()) {
          delete_name(block.handler->name, block.handler->span, false);
        }
        out_.emit(Opcode::LeaveHandler, block.reg);
        break;
      case Block::Kind::With: out_.emit(Opcode::WithExit, block.reg); break;
    }
    left.push_back(std::move(block));
  }
  resume_.push_back(std::move(left));
  assigned_ = before;
}

// After the jump that leave_blocks() prepared: opens the blocks again for the code that follows.
void FunctionCompiler::reenter_blocks() {
  std::vector<Block> left = std::move(resume_.back());
  resume_.pop_back();
  for (size_t i = left.size(); i-- > 0;) {
    left[i].begin = out_.position();
    blocks_.push_back(std::move(left[i]));
  }
}

void FunctionCompiler::break_or_continue(const Stmt& stmt) {
  const bool is_break = stmt.kind == StmtKind::Break;
  size_t loop = blocks_.size();
  while (loop > 0 && blocks_[loop - 1].kind != Block::Kind::Loop) loop--;
  if (loop == 0) {
    error_text(stmt.span, is_break ? "'break' outside loop" : "'continue' not properly in loop");
    return;
  }
  // `break` also leaves the loop's own blocks; `continue` does not.
  Label& target = is_break ? *blocks_[loop - 1].on_break : *blocks_[loop - 1].on_continue;
  leave_blocks(is_break ? loop - 1 : loop);
  out_.set_span(stmt.span);
  out_.jump(Opcode::Jump, target);
  reenter_blocks();
  assigned_.set_unreachable();
}

void FunctionCompiler::return_from_blocks(SourceSpan span, Opcode op, int reg) {
  leave_blocks(0);
  out_.set_span(span);
  out_.emit(op, reg);
  reenter_blocks();
  assigned_.set_unreachable();
}

// --- try

void FunctionCompiler::try_statement(const TryStmt& stmt) {
  if (stmt.finally.empty()) {
    try_except(stmt);
    return;
  }
  const Assigned before = assigned_;
  const int reg = out_.temporary(2);
  Label end;
  Block block{Block::Kind::Finally};
  block.finally = stmt.finally;
  blocks_.push_back(std::move(block));
  open_range(reg);
  if (stmt.handlers.empty()) {
    statements(stmt.body);
  } else {
    try_except(stmt);
  }
  const Block range = close_range();
  blocks_.pop_back();
  const bool falls_through = assigned_.reachable();
  Assigned after = assigned_;
  if (falls_through) {
    statements(stmt.finally);
    after = assigned_;
    if (assigned_.reachable()) out_.jump(Opcode::Jump, end);
  }
  assigned_ = before;
  bind_range(range);
  open_handler(reg, nullptr);
  statements(stmt.finally);
  out_.set_span(stmt.span);
  if (assigned_.reachable()) out_.emit(Opcode::Rethrow, reg);
  close_handler();
  assigned_ = after;
  out_.bind(end);
}

void FunctionCompiler::try_except(const TryStmt& stmt) {
  const Temporaries temporaries(out_);
  const Assigned before = assigned_;
  const int reg = out_.temporary(2);
  Label end;
  open_range(reg);
  statements(stmt.body);
  const Block range = close_range();
  statements(stmt.otherwise);
  Assigned after = assigned_;
  if (assigned_.reachable()) out_.jump(Opcode::Jump, end);
  assigned_ = before;
  bind_range(range);
  except_handlers(stmt, reg, end, before, after);
  assigned_ = after;
  out_.bind(end);
}

void FunctionCompiler::except_handlers(const TryStmt& stmt, int reg, Label& end,
                                       const Assigned& before, Assigned& after) {
  bool catches_all = false;
  for (const ExceptHandler& handler : stmt.handlers) {
    if (catches_all) {
      error(stmt.handlers[0].span, "default 'except:' must be last");
      return;
    }
    Label next;
    assigned_ = before;
    out_.set_span(handler.span);
    // Until the handler's body begins, leaving it only lets the exception propagate.
    open_handler(reg, nullptr);
    if (handler.type == nullptr) {
      catches_all = true;
    } else {
      const Temporaries temporaries(out_);
      const int type = out_.temporary();
      into(*handler.type, type);
      out_.set_span(handler.type->span);
      out_.emit(Opcode::MatchException, type, reg, type, kDropC);
      out_.jump(Opcode::JumpIfFalse, next, type);
    }
    if (!handler.name.empty()) store_name(handler.name, {reg, false}, handler.span);
    if (handler.name.empty()) {
      statements(handler.body);
      leave_handler(reg, nullptr, end, after);
    } else {
      // The handler's name is deleted at its end, even where an error leaves it.
      const Temporaries temporaries(out_);
      const int inner = out_.temporary(2);
      blocks_.back().handler = &handler;
      open_range(inner);
      statements(handler.body);
      const Block range = close_range();
      leave_handler(reg, &handler, end, after);
      bind_range(range);
      blocks_.back().handler = nullptr;
      open_handler(inner, nullptr);
      delete_name(handler.name, handler.span, false);
      out_.emit(Opcode::Rethrow, inner);
      close_handler();
    }
    close_handler();
    out_.bind(next);
  }
  if (!catches_all) {
    open_handler(reg, nullptr);
    out_.set_span(stmt.span);
    out_.emit(Opcode::Rethrow, reg);
    close_handler();
  }
}

// The end of a handler's body.
void FunctionCompiler::leave_handler(int reg, const ExceptHandler* handler, Label& end,
                                     Assigned& after) {
  if (!assigned_.reachable()) return;
  if (handler != nullptr) delete_name(handler->name, handler->span, false);
  out_.emit(Opcode::LeaveHandler, reg);
  after.merge(assigned_);
  out_.jump(Opcode::Jump, end);
}

// --- with

void FunctionCompiler::with_statement(const WithStmt& stmt, size_t index) {
  if (index == stmt.items.size()) {
    statements(stmt.body);
    return;
  }
  const WithItem& item = stmt.items[index];
  const Temporaries temporaries(out_);
  const int exit = out_.temporary();
  const int reg = out_.temporary(2);
  const int entered = out_.temporary();
  Label suppressed;
  Label end;
  into(*item.context, exit);
  out_.set_span(item.context->span);
  out_.emit(Opcode::WithEnter, entered, exit);
  Block with{Block::Kind::With};
  with.reg = exit;
  blocks_.push_back(std::move(with));
  open_range(reg);
  if (item.target != nullptr) {
    assign_to(*item.target, {entered, true});
  } else {
    out_.emit(Opcode::Clear, entered);
  }
  const Assigned before = assigned_;
  with_statement(stmt, index + 1);
  const Block range = close_range();
  blocks_.pop_back();
  if (assigned_.reachable()) {
    out_.set_span(item.context->span);
    out_.emit(Opcode::WithExit, exit);
    out_.jump(Opcode::Jump, end);
  }
  // If the exit suppresses an error, only locals assigned before the block are certain to be
  // assigned.
  assigned_ = before;
  bind_range(range);
  out_.set_span(item.context->span);
  open_handler(reg, nullptr);
  out_.emit(Opcode::WithExitError, entered, exit, reg);
  out_.jump(Opcode::JumpIfTrue, suppressed, entered, kDropA);
  out_.emit(Opcode::Rethrow, reg);
  close_handler();
  out_.bind(suppressed);
  out_.emit(Opcode::LeaveHandler, reg);
  out_.bind(end);
}

}  // namespace tsc::interp
