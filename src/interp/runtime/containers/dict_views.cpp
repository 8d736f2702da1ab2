// Views of dicts and their iterators.
#include "interp/runtime/containers/dict_methods.h"
#include "interp/runtime/containers/iterators.h"
#include "interp/runtime/containers/set.h"
#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/repr_guard.h"

namespace tsc::interp {

const DictObject::Entry* DictIterator::step() {
  if (dict.is_none()) {
    return nullptr;
  }
  const DictObject& table = *as_dict(dict);
  if (table.size() != size) {
    size = SIZE_MAX;  // and every later step says so again
    throw_error(ErrorKind::RuntimeError, "dictionary changed size during iteration");
  }
  const auto entries = table.entries();
  while (backwards ? position > 0 : position < entries.size()) {
    const size_t at = backwards ? --position : position++;
    if (at < entries.size() && !entries[at].is_removed()) {
      if (left-- == 0) {
        throw_error(ErrorKind::RuntimeError, "dictionary keys changed during iteration");
      }
      return &entries[at];
    }
  }
  dict = IValue();
  return nullptr;
}

namespace {

enum class Part { Key, Value, Item };

class DictView final : public Object {
 public:
  DictView(const Type& type, IValue of) : Object(type), dict(std::move(of)) {}
  TSC_USE_FREE_LIST(DictView)
  void traverse(ChildVisitor visit, void* context) override { visit_child(dict, visit, context); }
  void clear() noexcept override { dict = make_dict(); }
  IValue dict;
};

const IValue& dict_of(const IValue& view) { return view.as_object<DictView>()->dict; }

template <Part part>
bool next_entry(const IValue& self, IValue& result) {
  const DictObject::Entry* entry = self.as_object<DictIterator>()->step();
  if (entry == nullptr) {
    return false;
  }
  if constexpr (part == Part::Key) {
    result = entry->key;
  } else if constexpr (part == Part::Value) {
    result = entry->value;
  } else {
    TupleObject* pair = TupleObject::make(2);
    (*pair)[0] = entry->key;
    (*pair)[1] = entry->value;
    result = IValue::adopt(Tag::Tuple, pair);
  }
  return true;
}

template <const Type& type>
IValue iterate_view(const IValue& self) {
  return IValue::adopt(Tag::Object, new DictIterator(type, dict_of(self), false));
}

int64_t view_length(const IValue& self) {
  return static_cast<int64_t>(as_dict(dict_of(self))->size());
}

void repr_view(const IValue& self, std::string& out) {
  const ReprGuard guard(self);
  if (guard.is_inside()) {
    out += "...";
    return;
  }
  out.append(type_name(self)).append("(");
  append_repr(make_list(items_of(self)), out);
  out += ')';
}

bool keys_contain(const IValue& self, const IValue& key) {
  return as_dict(dict_of(self))->find(key) != nullptr;
}

bool items_contain(const IValue& self, const IValue& pair) {
  if (!pair.is_tuple() || pair.as_tuple()->size() != 2) {
    return false;
  }
  const IValue* found = as_dict(dict_of(self))->find((*pair.as_tuple())[0]);
  return found != nullptr && values_equal(*found, (*pair.as_tuple())[1]);
}

bool is_set_like(const IValue& value) {
  const Type& type = type_of(value);
  return is_set(value) || &type == &kDictKeysType || &type == &kDictItemsType;
}

// keys() and items() are sets: operators give sets, comparisons look at the members.
bool view_binary(BinaryOp op, const IValue& left, const IValue& right, IValue& result) {
  if (op != BinaryOp::And && op != BinaryOp::Or && op != BinaryOp::Xor &&
      op != BinaryOp::Subtract) {
    return false;
  }
  // Either side may be anything that has items.
  result = binary_op(op, make_set_from(left), make_set_from(right));
  return true;
}

bool compare_view(CompareOp op, const IValue& left, const IValue& right, IValue& result) {
  if (!is_set_like(right)) {
    return false;
  }
  result = compare_op(op, make_set_from(left), make_set_from(right));
  return true;
}

IValue view_isdisjoint(Interpreter&, Arguments& arguments) {
  bool is_disjoint = true;
  for_each_item(arguments[1], [&](const IValue& item) {
    is_disjoint = !contains(arguments[0], item);
    return is_disjoint;
  });
  return is_disjoint;
}

IValue view_mapping(const IValue& self) { return dict_of(self); }

constexpr AttributeDef kViewAttributes[] = {{"mapping", view_mapping}};
constexpr BuiltinDef kKeysMethods[] = {{"isdisjoint", view_isdisjoint, 1, 1, {}, "dict_keys"}};
constexpr BuiltinDef kItemsMethods[] = {{"isdisjoint", view_isdisjoint, 1, 1, {}, "dict_items"}};

}  // namespace

IValue make_dict_view(const Type& type, const IValue& dict) {
  return IValue::adopt(Tag::Object, new DictView(type, dict));
}

IValue reverse_dict(const IValue& value) {
  const Type& type = type_of(value);
  if (&type == &kDictType) {
    return IValue::adopt(Tag::Object, new DictIterator(kDictReverseKeyIteratorType, value, true));
  }
  const Type& iterator = &type == &kDictKeysType     ? kDictReverseKeyIteratorType
                         : &type == &kDictValuesType ? kDictReverseValueIteratorType
                                                     : kDictReverseItemIteratorType;
  return IValue::adopt(Tag::Object, new DictIterator(iterator, dict_of(value), true));
}

constinit const Type kDictKeysType = {
    .name = "dict_keys",
    .methods = kKeysMethods,
    .attributes = kViewAttributes,
    .repr = repr_view,
    .unhashable = true,
    .length = view_length,
    .iterate = iterate_view<kDictKeyIteratorType>,
    .contains = keys_contain,
    .binary = view_binary,
    .compare = compare_view,
};
constinit const Type kDictItemsType = {
    .name = "dict_items",
    .methods = kItemsMethods,
    .attributes = kViewAttributes,
    .repr = repr_view,
    .unhashable = true,
    .length = view_length,
    .iterate = iterate_view<kDictItemIteratorType>,
    .contains = items_contain,
    .binary = view_binary,
    .compare = compare_view,
};
constinit const Type kDictValuesType = {
    .name = "dict_values",
    .attributes = kViewAttributes,
    .repr = repr_view,
    .length = view_length,
    .iterate = iterate_view<kDictValueIteratorType>,
};

#define TSC_DICT_ITERATOR(type_name, python_name, part) \
  constinit const Type type_name = {                    \
      .name = python_name, .iterate = iterator_itself, .next = next_entry<Part::part>};
TSC_DICT_ITERATOR(kDictKeyIteratorType, "dict_keyiterator", Key)
TSC_DICT_ITERATOR(kDictValueIteratorType, "dict_valueiterator", Value)
TSC_DICT_ITERATOR(kDictItemIteratorType, "dict_itemiterator", Item)
TSC_DICT_ITERATOR(kDictReverseKeyIteratorType, "dict_reversekeyiterator", Key)
TSC_DICT_ITERATOR(kDictReverseValueIteratorType, "dict_reversevalueiterator", Value)
TSC_DICT_ITERATOR(kDictReverseItemIteratorType, "dict_reverseitemiterator", Item)
#undef TSC_DICT_ITERATOR

}  // namespace tsc::interp
