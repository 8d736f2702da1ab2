// Lists of one type, as kernels take and return them: a script sees lists.
#include "interp/runtime/containers/iterators.h"
#include "interp/runtime/containers/sequence.h"
#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/type_object.h"

namespace tsc::interp {

namespace {

// The items of a DoubleList, BoolList or TensorList as values.
std::vector<IValue> typed_items(const IValue& list) {
  std::vector<IValue> items;
  const auto append_all = [&](const auto& values) { items.assign(values.begin(), values.end()); };
  if (list.tag() == Tag::DoubleList) append_all(list.as_double_list()->values);
  if (list.tag() == Tag::BoolList) append_all(list.as_bool_list()->values);
  if (list.tag() == Tag::TensorList) append_all(list.as_tensor_list()->values);
  return items;
}

bool is_typed_list(const IValue& value) { return &type_of(value) == &kTypedListType; }

IValue as_plain_list(const IValue& value) {
  return is_typed_list(value) ? make_list(typed_items(value)) : value;
}

void repr_typed_list(const IValue& self, std::string& out) {
  append_repr(as_plain_list(self), out);
}
int64_t typed_list_length(const IValue& self) {
  return static_cast<int64_t>(typed_items(self).size());
}
IValue iterate_typed_list(const IValue& self) { return get_iterator(as_plain_list(self)); }
IValue typed_list_get_item(const IValue& self, const IValue& key) {
  return get_item(as_plain_list(self), key);
}
bool typed_list_binary(BinaryOp op, const IValue& left, const IValue& right, IValue& result) {
  result = binary_op(op, as_plain_list(left), as_plain_list(right));
  return true;
}
bool compare_typed_list(CompareOp op, const IValue& left, const IValue& right, IValue& result) {
  if (!right.is_list() && !is_typed_list(right)) {
    return false;
  }
  result = compare_op(op, as_plain_list(left), as_plain_list(right));
  return true;
}

}  // namespace

constinit const Type kTypedListType = {
    .name = "list",
    .repr = repr_typed_list,
    .unhashable = true,
    .length = typed_list_length,
    .iterate = iterate_typed_list,
    .get_item = typed_list_get_item,
    .binary = typed_list_binary,
    .compare = compare_typed_list,
};

}  // namespace tsc::interp
