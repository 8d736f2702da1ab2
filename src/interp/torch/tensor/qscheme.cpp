#include "interp/torch/tensor/qscheme.h"

namespace tsc::interp {

namespace {

class QSchemeObject final : public Object {
 public:
  QSchemeObject() : Object(kQSchemeType) {}
};

constexpr Type make_qscheme_type() {
  Type type;
  type.name = "qscheme";
  type.module = "torch";
  type.repr = [](const IValue&, std::string& out) { out += "torch.per_tensor_affine"; };
  return type;
}

}  // namespace

constinit const Type kQSchemeType = make_qscheme_type();

IValue per_tensor_affine() {
  static auto* const scheme = new IValue(IValue::adopt(Tag::Object, new QSchemeObject));
  return *scheme;
}

}  // namespace tsc::interp
