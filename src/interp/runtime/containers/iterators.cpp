// The classes enumerate, zip, map, filter and reversed, and iter(callable, sentinel).
#include "interp/runtime/containers/iterators.h"

#include "interp/runtime/containers/dict_methods.h"
#include "interp/runtime/containers/list.h"
#include "interp/runtime/containers/sequence.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/builtin.h"
#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/recursion.h"

namespace tsc::interp {

IValue iterator_itself(const IValue& self) { return self; }

namespace {

// An iterator with the slot that steps it.
struct Source {
  explicit Source(const IValue& iterable)
      : iterator(get_iterator(iterable)), step(type_of(iterator).next) {}
  // An iterator may stand on an iterator on an iterator ...
  bool next(IValue& result) const {
    const RecursionGuard guard("while iterating");
    return step(iterator, result);
  }
  IValue iterator;
  bool (*step)(const IValue& self, IValue& result);
};

void traverse_sources(const std::vector<Source>& sources, ChildVisitor visit, void* context) {
  for (const Source& source : sources) {
    visit_child(source.iterator, visit, context);
  }
}

// --- enumerate ---

class EnumerateObject final : public Object {
 public:
  EnumerateObject(const IValue& iterable, int64_t start)
      : Object(kEnumerateType), source(iterable), index(start) {}
  void traverse(ChildVisitor visit, void* context) override {
    visit_child(source.iterator, visit, context);
  }
  Source source;
  int64_t index;
};

IValue construct_enumerate(Interpreter&, Arguments& arguments) {
  return IValue::adopt(
      Tag::Object,
      new EnumerateObject(arguments[0], given(arguments, 1) ? to_index(arguments[1]) : 0));
}

bool next_enumerated(const IValue& self, IValue& result) {
  auto& enumerate = *self.as_object<EnumerateObject>();
  IValue item;
  if (!enumerate.source.next(item)) {
    return false;
  }
  TupleObject* pair = TupleObject::make(2);
  (*pair)[0] = enumerate.index++;
  (*pair)[1] = std::move(item);
  result = IValue::adopt(Tag::Tuple, pair);
  return true;
}

// --- zip ---

class ZipObject final : public Object {
 public:
  explicit ZipObject(bool strict) : Object(kZipType), is_strict(strict) {}
  void traverse(ChildVisitor visit, void* context) override {
    traverse_sources(sources, visit, context);
  }
  std::vector<Source> sources;
  bool is_strict;
};

IValue construct_zip(Interpreter&, Arguments& arguments) {
  bool is_strict = false;
  for (size_t i = 0; i < arguments.keywords; i++) {
    if (arguments.names[i]->view() != "strict") {
      throw_invalid_keyword(arguments.names[i]->view(), "zip");
    }
    is_strict = is_true(arguments[arguments.positional + i]);
  }
  IValue zip = IValue::adopt(Tag::Object, new ZipObject(is_strict));
  for (size_t i = 0; i < arguments.positional; i++) {
    zip.as_object<ZipObject>()->sources.emplace_back(arguments[i]);
  }
  return zip;
}

[[noreturn]] TSC_COLD void throw_uneven(size_t index, std::string_view how) {
  const std::string others = index == 1 ? std::string(" 1") : fmt::format("s 1-{}", index);
  throw_error(ErrorKind::ValueError, "zip() argument {} is {} than argument{}", index + 1, how,
              others);
}

// Source `index` has ended. With strict=True, all must end at once.
void check_even(ZipObject& zip, size_t index) {
  if (index > 0) {
    throw_uneven(index, "shorter");
  }
  IValue item;
  for (size_t i = 1; i < zip.sources.size(); i++) {
    if (zip.sources[i].next(item)) {
      throw_uneven(i, "longer");
    }
  }
}

bool next_zipped(const IValue& self, IValue& result) {
  auto& zip = *self.as_object<ZipObject>();
  const size_t count = zip.sources.size();
  if (count == 0) {
    return false;
  }
  IValue row = IValue::adopt(Tag::Tuple, TupleObject::make(count));
  TupleObject& items = *row.as_tuple();
  for (size_t i = 0; i < count; i++) {
    if (!zip.sources[i].next(items[i])) {
      if (zip.is_strict) {
        check_even(zip, i);
      }
      return false;
    }
  }
  result = std::move(row);
  return true;
}

// --- map and filter ---

class MapObject final : public Object {
 public:
  MapObject(Interpreter& owner, IValue callee)
      : Object(kMapType), interpreter(owner), function(std::move(callee)) {}
  void traverse(ChildVisitor visit, void* context) override {
    visit_child(function, visit, context);
    traverse_sources(sources, visit, context);
  }
  Interpreter& interpreter;
  IValue function;
  std::vector<Source> sources;
};

IValue construct_map(Interpreter& interpreter, Arguments& arguments) {
  if (arguments.size() < 2) {
    throw_error(ErrorKind::TypeError, "map() must have at least two arguments.");
  }
  IValue map = IValue::adopt(Tag::Object, new MapObject(interpreter, arguments[0]));
  for (size_t i = 1; i < arguments.size(); i++) {
    map.as_object<MapObject>()->sources.emplace_back(arguments[i]);
  }
  return map;
}

bool next_mapped(const IValue& self, IValue& result) {
  auto& map = *self.as_object<MapObject>();
  if (map.sources.size() == 1) {
    IValue item;
    if (!map.sources[0].next(item)) {
      return false;
    }
    result = map.interpreter.call(map.function, std::span<const IValue>(&item, 1));
    return true;
  }
  std::vector<IValue> items(map.sources.size());
  for (size_t i = 0; i < items.size(); i++) {
    if (!map.sources[i].next(items[i])) {
      return false;
    }
  }
  result = map.interpreter.call(map.function, items);
  return true;
}

class FilterObject final : public Object {
 public:
  FilterObject(Interpreter& owner, IValue test, const IValue& iterable)
      : Object(kFilterType), interpreter(owner), function(std::move(test)), source(iterable) {}
  void traverse(ChildVisitor visit, void* context) override {
    visit_child(function, visit, context);
    visit_child(source.iterator, visit, context);
  }
  Interpreter& interpreter;
  IValue function;
  Source source;
};

IValue construct_filter(Interpreter& interpreter, Arguments& arguments) {
  return IValue::adopt(Tag::Object, new FilterObject(interpreter, arguments[0], arguments[1]));
}

bool next_filtered(const IValue& self, IValue& result) {
  auto& filter = *self.as_object<FilterObject>();
  IValue item;
  while (filter.source.next(item)) {
    const bool is_kept =
        filter.function.is_none()
            ? is_true(item)
            : is_true(filter.interpreter.call(filter.function, std::span<const IValue>(&item, 1)));
    if (is_kept) {
      result = std::move(item);
      return true;
    }
  }
  return false;
}

// --- reversed ---

IValue construct_reversed(Interpreter&, Arguments& arguments) {
  const IValue& value = arguments[0];
  const Type& type = type_of(value);
  if (value.is_list()) {
    return reverse_list(value);
  }
  if (&type == &kRangeType) {
    return reverse_range(value);
  }
  if (&type == &kDictType || &type == &kDictKeysType || &type == &kDictValuesType ||
      &type == &kDictItemsType) {
    return reverse_dict(value);
  }
  if (type.reverse != nullptr) {
    return type.reverse(value);
  }
  if (type.get_item == nullptr || type.length == nullptr) {
    throw_error(ErrorKind::TypeError, "'{}' object is not reversible", type.name);
  }
  // A text's characters are found by counting from its start, so it is taken apart first.
  auto* iterator = new SequenceItemIterator(kReversedType,
                                            value.is_string() ? make_list(items_of(value)) : value);
  IValue result = IValue::adopt(Tag::Object, iterator);
  iterator->index = static_cast<size_t>(type.length(value));
  return result;
}

bool next_reversed(const IValue& self, IValue& result) {
  auto& iterator = *self.as_object<SequenceItemIterator>();
  if (iterator.index == 0) {
    iterator.sequence = IValue();
    return false;
  }
  result = get_item(iterator.sequence, IValue(--iterator.index));
  return true;
}

// --- iter(callable, sentinel) ---

class CallIterator final : public Object {
 public:
  CallIterator(Interpreter& owner, IValue callee, IValue end)
      : Object(kCallIteratorType),
        interpreter(owner),
        function(std::move(callee)),
        sentinel(std::move(end)) {}
  void traverse(ChildVisitor visit, void* context) override {
    visit_child(function, visit, context);
    visit_child(sentinel, visit, context);
  }
  Interpreter& interpreter;
  IValue function;
  IValue sentinel;
  bool has_ended = false;
};

bool next_call(const IValue& self, IValue& result) {
  auto& iterator = *self.as_object<CallIterator>();
  if (iterator.has_ended) {
    return false;
  }
  result = iterator.interpreter.call(iterator.function, {});
  iterator.has_ended = values_equal(result, iterator.sentinel);
  return !iterator.has_ended;
}

// Items by index until the length is reached: for types with subscripts but no iterator.
bool next_item_by_number(const IValue& self, IValue& result) {
  auto& iterator = *self.as_object<SequenceItemIterator>();
  if (iterator.sequence.is_none() ||
      static_cast<int64_t>(iterator.index) >= length_of(iterator.sequence)) {
    iterator.sequence = IValue();
    return false;
  }
  result = get_item(iterator.sequence, IValue(iterator.index++));
  return true;
}

constexpr int8_t kAny = BuiltinDef::kAny;
constexpr BuiltinDef kEnumerate = {"enumerate", construct_enumerate, 1, 2, "iterable start"};
constexpr BuiltinDef kZip = {"zip", construct_zip, 0, kAny, {}, {}, true};
constexpr BuiltinDef kMap = {"map", construct_map, 0, kAny};
constexpr BuiltinDef kFilter = {"filter", construct_filter, 2, 2};
constexpr BuiltinDef kReversed = {"reversed", construct_reversed, 1, 1};

}  // namespace

IValue iterate_by_number(const IValue& self) {
  return IValue::adopt(Tag::Object, new SequenceItemIterator(kItemIteratorType, self));
}

IValue make_call_iterator(Interpreter& interpreter, const IValue& function,
                          const IValue& sentinel) {
  return IValue::adopt(Tag::Object, new CallIterator(interpreter, function, sentinel));
}

constinit const Type kEnumerateType = {.name = "enumerate",
                                       .constructor = &kEnumerate,
                                       .iterate = iterator_itself,
                                       .next = next_enumerated};
constinit const Type kZipType = {
    .name = "zip", .constructor = &kZip, .iterate = iterator_itself, .next = next_zipped};
constinit const Type kMapType = {
    .name = "map", .constructor = &kMap, .iterate = iterator_itself, .next = next_mapped};
constinit const Type kFilterType = {
    .name = "filter", .constructor = &kFilter, .iterate = iterator_itself, .next = next_filtered};
constinit const Type kReversedType = {.name = "reversed",
                                      .constructor = &kReversed,
                                      .iterate = iterator_itself,
                                      .next = next_reversed};
constinit const Type kCallIteratorType = {
    .name = "callable_iterator", .iterate = iterator_itself, .next = next_call};
constinit const Type kItemIteratorType = {
    .name = "iterator", .iterate = iterator_itself, .next = next_item_by_number};

}  // namespace tsc::interp
