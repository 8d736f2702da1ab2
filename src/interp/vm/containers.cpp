// Displays, unpacking and f-strings.
#include "interp/runtime/containers/dict.h"
#include "interp/runtime/containers/iterators.h"
#include "interp/runtime/containers/set.h"
#include "interp/runtime/objects/gc.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/text/text.h"
#include "interp/vm/run_loop.h"

namespace tsc::interp {

void Vm::build(const Instruction* pc, IValue* base) {
  IValue* const first = base + pc->b;
  const size_t count = pc->c;
  IValue result;
  if (pc->op == Opcode::BuildList) {
    auto* list = new ListObject();
    result = IValue::adopt(Tag::List, list);
    list->items.assign(std::make_move_iterator(first), std::make_move_iterator(first + count));
  } else if (pc->op == Opcode::BuildTuple) {
    TupleObject* tuple = TupleObject::make(count);
    for (size_t i = 0; i < count; i++) (*tuple)[i] = std::move(first[i]);
    result = IValue::adopt(Tag::Tuple, tuple);
  } else if (pc->op == Opcode::BuildSlice) {
    result = make_slice(std::move(first[0]), std::move(first[1]), std::move(first[2]));
  } else if (pc->op == Opcode::BuildSet) {
    result = make_set();
    for (size_t i = 0; i < count; i++) as_set(result)->add(first[i]);
  } else {
    result = make_dict();
    DictObject& dict = *as_dict(result);
    for (size_t i = 0; i < count; i++) dict.set(first[2 * i], std::move(first[2 * i + 1]));
    for (size_t i = 0; i < count; i++) first[2 * i].reset();
  }
  base[pc->a] = std::move(result);
  collect_if_due();
}

void Vm::build_string(const Instruction* pc, IValue* base) {
  std::string text;
  for (IValue *part = base + pc->b, *const end = part + pc->c; part != end; part++) {
    if (part->is_string()) {
      text += part->as_string();
    } else {
      append_format(*part, {}, text);
    }
    part->reset();
  }
  base[pc->a] = make_string(text);
}

void Vm::format_value(const Instruction* pc, IValue* base) {
  const int conversion = pc->d >> 3;
  const IValue& value = base[pc->b];
  const std::string_view spec =
      base[pc->c].is_none() ? std::string_view() : base[pc->c].as_string();
  std::string text;
  if (conversion == 0) {
    append_format(value, spec, text);
  } else {
    text = conversion == 1 ? str(value) : conversion == 2 ? repr(value) : ascii(value);
    if (!spec.empty()) {
      const IValue converted = make_string(text);
      text.clear();
      append_format(converted, spec, text);
    }
  }
  base[pc->b].reset();
  base[pc->c].reset();
  base[pc->a] = make_string(text);
}

// Adds items to the container in register a, for displays with stars and for comprehensions.
void Vm::extend(const Instruction* pc, IValue* base) {
  IValue& target = base[pc->a];
  IValue& source = base[pc->b];
  if (pc->op == Opcode::SetAdd) {
    as_set(target)->add(source);
  } else if (pc->op == Opcode::DictSet) {
    DictObject& dict = *as_dict(target);
    if ((pc->d & kInPlace) != 0 && dict.find(source) != nullptr) {
      throw_repeated_keyword(base[pc->a - 2], source);
    }
    dict.set(source, (pc->d & kDropC) != 0 ? std::move(base[pc->c]) : base[pc->c]);
  } else if (pc->op == Opcode::ListExtend) {
    if (type_of(source).iterate == nullptr) {
      if ((pc->d & kInPlace) != 0) {
        throw_error(ErrorKind::TypeError, "{} argument after * must be an iterable, not {}",
                    callable_name(base[pc->a - 1]), type_name(source));
      }
      throw_error(ErrorKind::TypeError, "Value after * must be an iterable, not {}",
                  type_name(source));
    }
    append_items(source, target.as_list()->items);
  } else if (pc->op == Opcode::SetUpdate) {
    for_each_item(source, [&](const IValue& item) {
      as_set(target)->add(item);
      return true;
    });
  } else if (pc->op == Opcode::ListToTuple) {
    std::vector<IValue>& items = target.as_list()->items;
    TupleObject* tuple = TupleObject::make(items.size());
    for (size_t i = 0; i < items.size(); i++) (*tuple)[i] = std::move(items[i]);
    target = IValue::adopt(Tag::Tuple, tuple);
    return;
  } else {
    merge_dict(pc, base);
  }
  if ((pc->d & kDropB) != 0) source.reset();
}

void Vm::throw_repeated_keyword(const IValue& callee, const IValue& name) {
  throw_error(ErrorKind::TypeError, "{} got multiple values for keyword argument '{}'",
              callable_name(callee), name.as_string());
}

std::string Vm::callable_name(const IValue& callee) {
  IValue name;
  IValue module;
  if (!try_get_attribute(callee, "__qualname__", name) || !name.is_string()) {
    return fmt::format("{} object", type_name(callee));
  }
  if (try_get_attribute(callee, "__module__", module) && module.is_string() &&
      module.as_string() != "builtins") {
    return fmt::format("{}.{}()", module.as_string(), name.as_string());
  }
  return fmt::format("{}()", name.as_string());
}

// `{**other}` and `f(**other)`.
void Vm::merge_dict(const Instruction* pc, IValue* base) {
  DictObject& dict = *as_dict(base[pc->a]);
  const IValue& source = base[pc->b];
  const bool is_call = pc->op == Opcode::DictMerge;
  if (source.tag() != Tag::Dict) {
    if (is_call) {
      throw_error(ErrorKind::TypeError, "{} argument after ** must be a mapping, not {}",
                  callable_name(base[pc->c]), type_name(source));
    }
    throw_error(ErrorKind::TypeError, "'{}' object is not a mapping", type_name(source));
  }
  const IValue held = source;
  for (const DictObject::Entry& entry : as_dict(held)->entries()) {
    if (entry.is_removed()) continue;
    if (is_call && !entry.key.is_string())
      throw_error_text(ErrorKind::TypeError, "keywords must be strings");
    if (is_call && dict.find(entry.key, entry.hash) != nullptr)
      throw_repeated_keyword(base[pc->c], entry.key);
    dict.set(entry.key, entry.hash, entry.value);
  }
}

// --- Unpacking

void Vm::unpack(const Instruction* pc, IValue* base) {
  IValue* const first = base + pc->a;
  const size_t count = pc->d;
  const IValue source = std::move(base[pc->b]);
  const auto check_size = [&](size_t size) {
    if (size < count) {
      throw_error(ErrorKind::ValueError, "not enough values to unpack (expected {}, got {})", count,
                  size);
    }
    if (size > count) {
      throw_error(ErrorKind::ValueError, "too many values to unpack (expected {})", count);
    }
  };
  if (source.is_tuple()) {
    TupleObject& tuple = *source.as_tuple();
    check_size(tuple.size());
    const bool is_last = tuple.use_count() == 1;
    for (size_t i = 0; i < count; i++) first[i] = is_last ? std::move(tuple[i]) : tuple[i];
    return;
  }
  if (source.is_list()) {
    const std::vector<IValue>& items = source.as_list()->items;
    check_size(items.size());
    for (size_t i = 0; i < count; i++) first[i] = items[i];
    return;
  }
  if (type_of(source).iterate == nullptr) {
    throw_error(ErrorKind::TypeError, "cannot unpack non-iterable {} object", type_name(source));
  }
  const IValue iterator = tsc::interp::get_iterator(source);
  const auto next = type_of(iterator).next;
  for (size_t i = 0; i < count; i++) {
    if (!next(iterator, first[i])) check_size(i);
  }
  IValue extra;
  if (next(iterator, extra)) check_size(count + 1);
}

void Vm::unpack_star(const Instruction* pc, IValue* base) {
  IValue* const first = base + pc->a;
  const size_t before = pc->b;
  const size_t after = pc->d;
  const IValue source = std::move(base[pc->c]);
  if (type_of(source).iterate == nullptr) {
    throw_error(ErrorKind::TypeError, "cannot unpack non-iterable {} object", type_name(source));
  }
  std::vector<IValue> items;
  append_items(source, items);
  if (items.size() < before + after) {
    throw_error(ErrorKind::ValueError, "not enough values to unpack (expected at least {}, got {})",
                before + after, items.size());
  }
  const size_t middle = items.size() - before - after;
  for (size_t i = 0; i < before; i++) first[i] = std::move(items[i]);
  const auto begin = items.begin() + static_cast<std::ptrdiff_t>(before);
  const auto end = begin + static_cast<std::ptrdiff_t>(middle);
  first[before] =
      make_list(std::vector<IValue>(std::make_move_iterator(begin), std::make_move_iterator(end)));
  for (size_t i = 0; i < after; i++) first[before + 1 + i] = std::move(items[before + middle + i]);
}

}  // namespace tsc::interp
