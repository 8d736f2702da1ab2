// The class dict.
#include "interp/runtime/containers/dict_methods.h"
#include "core/macros.h"
#include "interp/runtime/containers/iterators.h"
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/gc.h"
#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/repr_guard.h"

namespace tsc::interp {

namespace {

DictObject& self_of(const Arguments& arguments) { return *as_dict(arguments[0]); }

// A pair of an iterable of pairs.
void insert_pair(DictObject& dict, const IValue& pair, size_t index) {
  if (type_of(pair).iterate == nullptr) {
    throw_error(ErrorKind::TypeError,
                "cannot convert dictionary update sequence element #{} to a sequence", index);
  }
  const std::vector<IValue> items = items_of(pair);
  if (items.size() != 2) {
    throw_error(ErrorKind::ValueError,
                "dictionary update sequence element #{} has length {}; 2 is required", index,
                items.size());
  }
  dict.set(items[0], items[1]);
}

void insert_keywords(DictObject& dict, const Arguments& arguments) {
  for (size_t i = 0; i < arguments.keywords; i++) {
    dict.set(IValue::share(Tag::String, arguments.names[i]), arguments[arguments.positional + i]);
  }
}

// dict(...) and dict.update(...): `first` is the place of their only positional argument.
void update_from_arguments(DictObject& dict, const Arguments& arguments, size_t first,
                           std::string_view name) {
  if (arguments.positional > first + 1) {
    throw_error(ErrorKind::TypeError, "{} expected at most 1 argument, got {}", name,
                arguments.positional - first);
  }
  if (arguments.positional > first) {
    update_dict(dict, arguments[first]);
  }
  insert_keywords(dict, arguments);
}

IValue construct_dict(Interpreter&, Arguments& arguments) {
  collect_if_due();
  IValue dict = make_dict();
  update_from_arguments(*as_dict(dict), arguments, 0, "dict");
  return dict;
}

IValue dict_update(Interpreter&, Arguments& arguments) {
  update_from_arguments(self_of(arguments), arguments, 1, "update");
  return {};
}

IValue dict_clear(Interpreter&, Arguments& arguments) {
  self_of(arguments).remove_all();
  return {};
}

IValue dict_copy(Interpreter&, Arguments& arguments) { return copy_dict(self_of(arguments)); }

IValue dict_fromkeys(Interpreter&, Arguments& arguments) {
  const IValue value = arguments.size() > 1 ? arguments[1] : IValue();
  IValue dict = make_dict();
  for_each_item(arguments[0], [&](const IValue& key) {
    as_dict(dict)->set(key, value);
    return true;
  });
  return dict;
}

IValue dict_get(Interpreter&, Arguments& arguments) {
  const IValue* found = self_of(arguments).find(arguments[1]);
  return found != nullptr ? *found : arguments.size() > 2 ? arguments[2] : IValue();
}

IValue dict_setdefault(Interpreter&, Arguments& arguments) {
  return self_of(arguments).find_or_insert(arguments[1],
                                           arguments.size() > 2 ? arguments[2] : IValue());
}

IValue dict_pop(Interpreter&, Arguments& arguments) {
  IValue value;
  if (self_of(arguments).remove(arguments[1], &value)) {
    return value;
  }
  if (arguments.size() > 2) {
    return arguments[2];
  }
  throw_key_error(arguments[1]);
}

IValue dict_popitem(Interpreter&, Arguments& arguments) {
  IValue pair = make_tuple({IValue(), IValue()});
  TupleObject& items = *pair.as_tuple();
  if (!self_of(arguments).remove_last(items[0], items[1])) {
    throw_key_error(IValue("popitem(): dictionary is empty"));
  }
  return pair;
}

IValue dict_items(Interpreter&, Arguments& arguments) {
  return make_dict_view(kDictItemsType, arguments[0]);
}
IValue dict_keys(Interpreter&, Arguments& arguments) {
  return make_dict_view(kDictKeysType, arguments[0]);
}
IValue dict_values(Interpreter&, Arguments& arguments) {
  return make_dict_view(kDictValuesType, arguments[0]);
}

void repr_dict(const IValue& self, std::string& out) {
  const ReprGuard guard(self);
  if (guard.is_inside()) {
    out += "{...}";
    return;
  }
  out += '{';
  std::string_view separator;
  const DictObject& dict = *as_dict(self);
  for (size_t i = 0; i < dict.entries().size(); i++) {
    if (dict.entries()[i].is_removed()) {
      continue;
    }
    out += separator;
    separator = ", ";
    append_repr(dict.entries()[i].key, out);
    out += ": ";
    append_repr(dict.entries()[i].value, out);
  }
  out += '}';
}

int64_t dict_length(const IValue& self) { return static_cast<int64_t>(as_dict(self)->size()); }

IValue iterate_dict(const IValue& self) {
  return IValue::adopt(Tag::Object, new DictIterator(kDictKeyIteratorType, self, false));
}

IValue dict_get_item(const IValue& self, const IValue& key) {
  const IValue* found = as_dict(self)->find(key);
  if (TSC_UNLIKELY(found == nullptr)) {
    throw_key_error(key);
  }
  return *found;
}

void dict_set_item(const IValue& self, const IValue& key, IValue value) {
  as_dict(self)->set(key, std::move(value));
}

void dict_delete_item(const IValue& self, const IValue& key) {
  if (!as_dict(self)->remove(key)) {
    throw_key_error(key);
  }
}

bool dict_contains(const IValue& self, const IValue& key) {
  return as_dict(self)->find(key) != nullptr;
}

bool dicts_equal(DictObject& a, DictObject& b) {
  if (a.size() != b.size()) {
    return false;
  }
  for (size_t i = 0; i < a.entries().size(); i++) {
    const DictObject::Entry& entry = a.entries()[i];
    if (entry.is_removed()) {
      continue;
    }
    const IValue* other = b.find(entry.key, entry.hash);
    if (other == nullptr || !values_equal(entry.value, *other)) {
      return false;
    }
  }
  return true;
}

bool compare_dict(CompareOp op, const IValue& left, const IValue& right, IValue& result) {
  if ((op != CompareOp::Equal && op != CompareOp::NotEqual) || right.tag() != Tag::Dict) {
    return false;
  }
  result = dicts_equal(*as_dict(left), *as_dict(right)) == (op == CompareOp::Equal);
  return true;
}

bool dict_binary(BinaryOp op, const IValue& left, const IValue& right, IValue& result) {
  if (op != BinaryOp::Or || left.tag() != Tag::Dict || right.tag() != Tag::Dict) {
    return false;
  }
  result = copy_dict(*as_dict(left));
  update_dict(*as_dict(result), right);
  return true;
}

bool dict_inplace(BinaryOp op, IValue& target, const IValue& value) {
  if (op != BinaryOp::Or) {
    return false;
  }
  update_dict(*as_dict(target), value);
  return true;
}

constexpr BuiltinDef kConstructor = {"dict", construct_dict, 0, 1, {}, {}, true};

constexpr BuiltinDef kMethods[] = {
    {"clear", dict_clear, 0, 0, {}, "dict"},
    {"copy", dict_copy, 0, 0, {}, "dict"},
    {"get", dict_get, 1, 2, {}, "dict"},
    {"items", dict_items, 0, 0, {}, "dict"},
    {"keys", dict_keys, 0, 0, {}, "dict"},
    {"pop", dict_pop, 1, 2, {}, "dict"},
    {"popitem", dict_popitem, 0, 0, {}, "dict"},
    {"setdefault", dict_setdefault, 1, 2, {}, "dict"},
    {"update", dict_update, 0, 1, {}, "dict", true},
    {"values", dict_values, 0, 0, {}, "dict"},
};

constexpr BuiltinDef kStatics[] = {{"fromkeys", dict_fromkeys, 1, 2}};

}  // namespace

IValue copy_dict(const DictObject& dict) {
  IValue copy = make_dict();
  as_dict(copy)->reserve(dict.size());
  for (const DictObject::Entry& entry : dict.entries()) {
    if (!entry.is_removed()) {
      as_dict(copy)->set(entry.key, entry.hash, entry.value);
    }
  }
  return copy;
}

void update_dict(DictObject& dict, const IValue& source) {
  if (source.tag() == Tag::Dict) {
    const IValue keep = source;  // NOLINT(performance-unnecessary-copy-initialization)
    const DictObject& other = *as_dict(keep);
    if (&other == &dict) {
      return;
    }
    for (size_t i = 0; i < other.entries().size(); i++) {
      const DictObject::Entry entry = other.entries()[i];
      if (!entry.is_removed()) {
        dict.set(entry.key, entry.hash, entry.value);
      }
    }
    return;
  }
  size_t index = 0;
  for_each_item(source, [&](const IValue& pair) {
    insert_pair(dict, pair, index++);
    return true;
  });
}

constinit const Type kDictType = {
    .name = "dict",
    .methods = kMethods,
    .statics = kStatics,
    .constructor = &kConstructor,
    .repr = repr_dict,
    .unhashable = true,
    .length = dict_length,
    .iterate = iterate_dict,
    .get_item = dict_get_item,
    .set_item = dict_set_item,
    .delete_item = dict_delete_item,
    .contains = dict_contains,
    .binary = dict_binary,
    .inplace = dict_inplace,
    .compare = compare_dict,
};

}  // namespace tsc::interp
