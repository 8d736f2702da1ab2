#include "interp/torch/tensor/ndarray.h"

#include "interp/runtime/objects/value_types.h"
#include "interp/torch/tensor/constructors.h"

namespace tsc::interp {

namespace {

class NdarrayObject final : public Object {
 public:
  explicit NdarrayObject(Tensor values) : Object(kNdarrayType), tensor(std::move(values)) {}
  Tensor tensor;
};

const Tensor& array_of(const IValue& self) { return self.as_object<NdarrayObject>()->tensor; }

IValue tolist(Interpreter&, Arguments& arguments) { return tensor_to_list(array_of(arguments[0])); }
constexpr BuiltinDef kNdarrayMethods[] = {
    {"tolist", &tolist, 0, 0, {}, "ndarray"},
};

IValue shape_of(const IValue& self) {
  std::vector<IValue> sizes;
  for (const int64_t size : array_of(self).sizes()) {
    sizes.emplace_back(size);
  }
  return make_tuple(std::move(sizes));
}
constexpr AttributeDef kNdarrayAttributes[] = {
    {"dtype", [](const IValue& self) { return IValue(python_name(array_of(self).dtype())); }},
    {"ndim", [](const IValue& self) { return IValue(array_of(self).dim()); }},
    {"shape", &shape_of},
    {"size", [](const IValue& self) { return IValue(array_of(self).numel()); }},
};

constexpr Type make_type() {
  Type type;
  type.name = "ndarray";
  type.module = "numpy";
  type.methods = kNdarrayMethods;
  type.attributes = kNdarrayAttributes;
  type.repr = [](const IValue& self, std::string& out) {
    const Tensor& array = array_of(self);
    out += fmt::format(
        "<numpy.ndarray of shape {} and dtype {}; torch.from_numpy makes a tensor of it>",
        array.sizes(), python_name(array.dtype()));
  };
  type.length = [](const IValue& self) {
    TSC_CHECK_TYPE(array_of(self).dim() > 0, "len() of unsized object");
    return array_of(self).sizes()[0];
  };
  return type;
}

}  // namespace

constinit const Type kNdarrayType = make_type();

IValue make_ndarray(Tensor tensor) {
  return IValue::adopt(Tag::Object, new NdarrayObject(std::move(tensor)));
}

Tensor tensor_of_ndarray(const IValue& value) {
  return is_object_of(value, kNdarrayType) ? array_of(value) : Tensor();
}

}  // namespace tsc::interp
