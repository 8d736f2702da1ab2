#include "interp/runtime/interpreter.h"

#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "core/system/interrupt.h"
#include "interp/runtime/objects/file.h"
#include "interp/runtime/objects/module.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/syntax/parser.h"
#include "interp/torch/modules.h"
#include "interp/traceback.h"
#include "interp/vm/vm.h"

namespace tsc::interp {

namespace {

thread_local Interpreter* current_interpreter = nullptr;

bool is_block(const ast::Stmt& stmt) {
  return stmt.kind == ast::StmtKind::If || stmt.kind == ast::StmtKind::While ||
         stmt.kind == ast::StmtKind::For || stmt.kind == ast::StmtKind::With ||
         stmt.kind == ast::StmtKind::Try || stmt.kind == ast::StmtKind::Function;
}

bool ends_with_blank_line(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  const size_t line = text.rfind('\n');
  return line != std::string_view::npos &&
         text.find_first_not_of(" \t\f", line + 1) == std::string_view::npos;
}

std::optional<std::string> read_line_from_stdin(const std::string&) {
  std::string line;
  int c = 0;
  while ((c = std::getchar()) != EOF) {
    throw_if_interrupted();
    if (c == '\n') return line;
    line += static_cast<char>(c);
  }
  // Ctrl-C sets the stream's error flag, and after Ctrl-D a terminal has more input.
  std::clearerr(stdin);
  throw_if_interrupted();
  if (line.empty()) return std::nullopt;
  return line;
}

SourceLine source_line(const Code& code, const Instruction* instruction) {
  const int line = code.source->position(code.span_of(instruction).begin).line;
  const std::string_view text = code.source->line(line);
  const size_t begin = std::min(text.find_first_not_of(" \t\f"), text.size());
  return {code.source->name(), line, std::string(text.substr(begin))};
}

// --- Implementation of core/text/source_mark.h

void mark_here(SourceMark& mark) {
  if (current_interpreter != nullptr) {
    mark = current_interpreter->vm().here();
  }
}

std::string line_of_mark(const SourceMark& mark) {
  const SourceLine line = source_line(*static_cast<const Code*>(mark.code),
                                      static_cast<const Instruction*>(mark.instruction));
  return fmt::format("{}:{}: {}", line.file, line.line, line.text);
}

std::string variable_of(const Tensor& tensor) {
  if (current_interpreter == nullptr) return {};
  return current_interpreter->vm().find_variable([&](const IValue& value) {
    return value.is_tensor() && value.as_tensor().shares_storage_with(tensor) &&
           value.as_tensor().sizes() == tensor.sizes() &&
           value.as_tensor().storage_offset() == tensor.storage_offset();
  });
}

}  // namespace

Interpreter::Interpreter() : vm_(std::make_unique<Vm>(*this)) {
  write = write_standard_output;
  flush = flush_standard_output;
  show = [this](std::string_view text) { write(text); };
  read_line = read_line_from_stdin;
  display = [this](const IValue& value) {
    if (value.is_none()) return;
    set_global("_", value);
    write_in_pieces(*this, repr(value) + "\n");
  };
  current_interpreter = this;
  install_warning_handler();
  source_marks = {mark_here, line_of_mark, variable_of};
  set_global("__name__", IValue("__main__"));
}

Interpreter::~Interpreter() {
  vm_->clear_globals();
  vm_.reset();
  if (current_interpreter == this) current_interpreter = nullptr;
}

void write_in_pieces(const Interpreter& interpreter, std::string_view text) {
  constexpr size_t kPiece = 1 << 14;
  for (size_t at = 0; at < text.size(); at += kPiece) {
    throw_if_interrupted();
    interpreter.write(text.substr(at, kPiece));
  }
}

Interpreter& Interpreter::current() { return *current_interpreter; }

// --- Compiling and running

SourcePtr Interpreter::make_source(std::string text, std::string filename) {
  return std::make_shared<const Source>(std::move(text), std::move(filename));
}

CompileResult Interpreter::compile(SourcePtr source, CompileMode mode) {
  CompileResult result;
  ParseResult parsed = parse(std::move(source));
  result.diagnostics = std::move(parsed.diagnostics);
  if (parsed.tree != nullptr)
    result.code = compile_tree(*parsed.tree, mode, *vm_, result.diagnostics);
  return result;
}

IValue Interpreter::run(const Code& code) {
  current_interpreter = this;
  const std::string& file = code.source->name();
  if (!file.starts_with('<'))
    set_global("__file__", IValue(std::filesystem::absolute(file).string()));
  return vm_->run_module(code);
}

IValue Interpreter::call(const IValue& callee, std::span<const IValue> positional) {
  return vm_->call(callee, positional);
}

Completeness Interpreter::is_complete(std::string text) {
  const SourcePtr source = make_source(std::move(text), "");
  const ParseResult parsed = parse(source);
  if (!parsed.diagnostics.empty()) {
    return parsed.diagnostics.front().at_end ? Completeness::Incomplete : Completeness::Invalid;
  }
  const ast::StmtList body = parsed.tree->body;
  const bool may_go_on =
      !body.empty() && is_block(*body.back()) && !ends_with_blank_line(source->text());
  return may_go_on ? Completeness::OpenBlock : Completeness::Complete;
}

// --- Globals

const IValue* Interpreter::find_global(std::string_view name) const {
  const GlobalSlot* slot = vm_->find_slot(name);
  return slot == nullptr || slot->value.is_mark() ? nullptr : &slot->value;
}

void Interpreter::set_global(std::string_view name, IValue value) {
  vm_->global_index(name);
  vm_->find_slot(name)->value = std::move(value);
}

void Interpreter::remove_global(std::string_view name) {
  if (GlobalSlot* slot = vm_->find_slot(name)) slot->value = unbound();
}

std::vector<std::string> Interpreter::global_names() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < vm_->globals().size(); i++) {
    if (!vm_->globals()[i].value.is_mark()) names.emplace_back(vm_->global_name(i));
  }
  return names;
}

std::optional<IValue> Interpreter::look_up(std::string_view name) {
  vm_->global_index(name);
  GlobalSlot& slot = *vm_->find_slot(name);
  if (!slot.value.is_mark()) return slot.value;
  if (vm_->find_builtin_of(slot, name)) return slot.builtin;
  return std::nullopt;
}

IValue Interpreter::find_module(std::string_view name) {
  IValue module = find_standard_module(name);
  return module.is_none() ? find_torch_module(name) : module;
}

IValue Interpreter::import_module(std::string_view name) {
  IValue module = find_module(name);
  if (module.is_none()) {
    throw_import_error(ErrorKind::ModuleNotFoundError, fmt::format("No module named '{}'", name),
                       name);
  }
  return module;
}

// --- For native functions

IValue Interpreter::raise(ErrorKind kind, std::string_view message) {
  return vm_->set_pending(message.empty() ? make_exception(kind, std::vector<IValue>{})
                                          : make_exception(kind, message));
}

IValue Interpreter::raise(IValue exception) { return vm_->set_pending(std::move(exception)); }

StringObject* Interpreter::intern(std::string_view text) { return vm_->intern(text); }

void Interpreter::set_recursion_limit(int limit) {
  recursion_limit_ = limit;
  vm_->set_recursion_limit(limit);
}

// --- Errors as text

std::string Interpreter::format_traceback(const IValue& exception) const {
  try {
    return format_exception(exception);
  } catch (const std::bad_alloc&) {
    return "MemoryError\n";  // short enough to need none
  } catch (const Error& error) {
    return fmt::format("{}: {}\n", to_string(error.kind()), error.message());
  }
}

std::string Interpreter::format_diagnostics(const Source& source,
                                            const SyntaxDiagnostics& diagnostics) {
  std::string text;
  for (const SyntaxDiagnostic& diagnostic : diagnostics)
    text += format_diagnostic(source, diagnostic);
  return text;
}

SourceLine Interpreter::running_line(size_t level) const {
  const std::vector<TracebackEntry> frames = vm_->running_frames();
  if (level >= frames.size()) {
    return {"sys", 0, ""};
  }
  return source_line(*frames[level].code, frames[level].instruction);
}

}  // namespace tsc::interp
