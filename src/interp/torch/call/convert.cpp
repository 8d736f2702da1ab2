#include "interp/torch/call/convert.h"

#include "core/keys/thread_local_state.h"
#include "core/tensor_factory.h"
#include "interp/runtime/objects/type.h"
#include "interp/torch/call/operator_ref.h"
#include "keys/tracer.h"

namespace tsc::interp {

namespace {

constinit OperatorRef item_operator("aten::item", "");

bool is_plain_zero_dim(const IValue& value) {
  return value.is_tensor() && value.as_tensor().defined() && value.as_tensor().dim() == 0 &&
         !value.as_tensor().requires_grad();
}

bool is_integer_tensor(const IValue& value) {
  return value.is_tensor() && value.as_tensor().defined() && value.as_tensor().dim() == 0 &&
         is_integral(value.as_tensor().dtype(), false);
}

// Calls f(const IValue&) for each item of a list or tuple until it returns false. False also for
// any other value.
template <class F>
bool all_items(const IValue& value, F f) {
  if (value.is_list()) {
    const auto& items = value.as_list()->items;
    return std::all_of(items.begin(), items.end(), f);
  }
  return value.is_tuple() && std::all_of(value.as_tuple()->begin(), value.as_tuple()->end(), f);
}

Conversion int_list_conversion(const SchemaType& type, const IValue& value) {
  if (value.tag() == Tag::IntList) {
    return Conversion::None;
  }
  if (value.is_list() || value.is_tuple()) {
    bool has_tensors = false;
    const bool good = all_items(value, [&](const IValue& item) {
      has_tensors = has_tensors || item.is_tensor();
      return item.is_int() || is_integer_tensor(item);
    });
    return !good ? Conversion::Refused : has_tensors ? Conversion::ListToInts : Conversion::None;
  }
  if (type.list_size >= 0 && (value.is_int() || is_integer_tensor(value))) {
    return value.is_int() && type.list_size == 1 ? Conversion::None : Conversion::RepeatInt;
  }
  return Conversion::Refused;
}

Conversion list_conversion(const SchemaType& type, const IValue& value) {
  const auto refuse_unless = [](bool good) {
    return good ? Conversion::None : Conversion::Refused;
  };
  switch (type.kind) {
    case TypeKind::Int:
    case TypeKind::SymInt: return int_list_conversion(type, value);
    case TypeKind::Tensor:
      if (value.tag() == Tag::TensorList) {
        return Conversion::None;
      }
      return refuse_unless(all_items(value, [&](const IValue& item) {
        return item.is_tensor() || (type.element_is_optional && item.is_none());
      }));
    case TypeKind::Float:
      return refuse_unless(
          value.tag() == Tag::DoubleList ||
          all_items(value, [](const IValue& item) { return item.is_double() || item.is_int(); }));
    case TypeKind::Bool:
      return refuse_unless(value.tag() == Tag::BoolList ||
                           all_items(value, [](const IValue& item) { return item.is_bool(); }));
    case TypeKind::Scalar:
      return refuse_unless(value.tag() == Tag::IntList ||
                           all_items(value, [](const IValue& item) { return item.is_scalar(); }));
    case TypeKind::String:
    case TypeKind::Dimname:
    case TypeKind::Complex:
    case TypeKind::ScalarType:
    case TypeKind::Layout:
    case TypeKind::Device:
    case TypeKind::MemoryFormat:
    case TypeKind::Generator:
    case TypeKind::QScheme:
    case TypeKind::StorageObject:
    case TypeKind::Stream:
    case TypeKind::Any:
    case TypeKind::Quantizer:
    case TypeKind::Capsule:
    case TypeKind::SymBool:
    case TypeKind::AnyEnum:
    case TypeKind::AnyList:
    case TypeKind::Dict:
    case TypeKind::Tuple:
    case TypeKind::Future:
    case TypeKind::Await:
    case TypeKind::RRef:
    case TypeKind::Union:
    case TypeKind::Variable:
    case TypeKind::Nested:
    case TypeKind::None: break;
  }
  return refuse_unless(accepts(type, value));
}

}  // namespace

ScalarType dtype_of_value(const IValue& value) {
  if (value.tag() == Tag::ScalarType) {
    return value.as_scalar_type();
  }
  const Type* type = as_type(value);
  if (type == &kFloatType) {
    return ScalarType::Double;
  }
  if (type == &kIntType) {
    return ScalarType::Long;
  }
  if (type == &kBoolType) {
    return ScalarType::Bool;
  }
  return type == &kComplexType ? ScalarType::ComplexDouble : ScalarType::Undefined;
}

Device device_of_value(const IValue& value) {
  if (value.tag() == Tag::Device) {
    return value.as_device();
  }
  if (value.is_string()) {
    return parse_device(value.as_string());
  }
  TSC_CHECK_TYPE(value.is_int(), "device must be torch.device, str or int, not {}",
                 python_type_name(value));
  return Device(DeviceType::CUDA, static_cast<int>(value.as_int()));
}

// Reads the element of a tensor that is passed as a number; note_traced_int() records it in a
// traced function's graph.
static Scalar read_item(const IValue& value) {
  if (TSC_LIKELY(!keys::is_tracing_function())) {
    return item_operator(value).to_scalar();
  }
  const ExcludeDispatchKeyGuard untraced{DispatchKeySet(DispatchKey::Tracer)};
  return item_operator(value).to_scalar();
}

void note_traced_int(const IValue& value, int64_t number, int64_t position) {
  if (TSC_UNLIKELY(keys::is_tracing_function()) && value.is_tensor()) {
    keys::current_trace().note_int(value.as_tensor(), number, position);
  }
}

bool index_of_value(const IValue& value, int64_t& index) {
  if (value.is_int()) {
    index = value.as_int();
    return true;
  }
  if (is_integer_tensor(value)) {
    index = read_item(value).to_int();
    return true;
  }
  return false;
}

DimVector ints_of_value(const IValue& value, std::string_view function,
                        std::string_view parameter) {
  if (value.tag() == Tag::IntList) {
    return value.as_int_list()->values;
  }
  DimVector ints;
  const bool good = all_items(value, [&](const IValue& item) {
    int64_t index = 0;
    const bool is_index = index_of_value(item, index);
    note_traced_int(item, index, static_cast<int64_t>(ints.size()));
    ints.push_back(index);
    return is_index;
  });
  TSC_CHECK_TYPE(good, "{}(): argument '{}' must be tuple of ints, not {}", function, parameter,
                 python_type_name(value));
  return ints;
}

Scalar scalar_of_value(const IValue& value) {
  return value.is_tensor() ? item_operator(value).to_scalar() : value.to_scalar();
}

Conversion conversion_for(const SchemaType& type, const IValue& value, bool numbers_as_tensors) {
  if (value.is_none()) {
    const bool stands_for_none =
        type.kind == TypeKind::Generator || (type.kind == TypeKind::Dimname && !type.is_list);
    return type.is_optional || stands_for_none ? Conversion::None : Conversion::Refused;
  }
  if (type.is_list) {
    return list_conversion(type, value);
  }
  switch (type.kind) {
    case TypeKind::Tensor:
      return value.is_tensor()                         ? Conversion::None
             : numbers_as_tensors && value.is_scalar() ? Conversion::WrapNumber
                                                       : Conversion::Refused;
    case TypeKind::Scalar:
    case TypeKind::Complex:
      return value.is_scalar()          ? Conversion::None
             : is_plain_zero_dim(value) ? Conversion::ReadScalar
                                        : Conversion::Refused;
    case TypeKind::Int:
    case TypeKind::SymInt:
      return value.is_int()             ? Conversion::None
             : is_integer_tensor(value) ? Conversion::ReadScalar
                                        : Conversion::Refused;
    case TypeKind::Float:
      return value.is_double()                   ? Conversion::None
             : value.is_int() || value.is_bool() ? Conversion::IntToFloat
             : is_plain_zero_dim(value)          ? Conversion::ReadScalar
                                                 : Conversion::Refused;
    case TypeKind::ScalarType:
      return value.tag() == Tag::ScalarType                   ? Conversion::None
             : dtype_of_value(value) != ScalarType::Undefined ? Conversion::TypeToDtype
                                                              : Conversion::Refused;
    case TypeKind::Device:
      return value.tag() == Tag::Device            ? Conversion::None
             : value.is_string() || value.is_int() ? Conversion::ParseDevice
                                                   : Conversion::Refused;
    case TypeKind::Bool:
    case TypeKind::String:
    case TypeKind::Layout:
    case TypeKind::MemoryFormat:
    case TypeKind::Generator:
    case TypeKind::Dimname:
    case TypeKind::QScheme:
    case TypeKind::StorageObject:
    case TypeKind::Stream:
    case TypeKind::Any:
    case TypeKind::Quantizer:
    case TypeKind::Capsule:
    case TypeKind::SymBool:
    case TypeKind::AnyEnum:
    case TypeKind::AnyList:
    case TypeKind::Dict:
    case TypeKind::Tuple:
    case TypeKind::Future:
    case TypeKind::Await:
    case TypeKind::RRef:
    case TypeKind::Union:
    case TypeKind::Variable:
    case TypeKind::Nested:
    case TypeKind::None: break;
  }
  return accepts(type, value) ? Conversion::None : Conversion::Refused;
}

IValue convert(Conversion conversion, const SchemaType& type, const IValue& value) {
  switch (conversion) {
    case Conversion::None: return value;
    case Conversion::WrapNumber: return wrapped_number_tensor(value.to_scalar());
    case Conversion::ReadScalar: {
      const Scalar scalar = read_item(value);
      if (type.kind == TypeKind::Int || type.kind == TypeKind::SymInt) {
        note_traced_int(value, scalar.to_int(), -1);
      } else if (type.kind == TypeKind::Scalar && TSC_UNLIKELY(keys::is_tracing_function())) {
        keys::current_trace().note_scalar(value.as_tensor(), scalar);
      }
      if (type.kind == TypeKind::Float) {
        return scalar.to_double();
      }
      return type.kind == TypeKind::Int || type.kind == TypeKind::SymInt ? IValue(scalar.to_int())
                                                                         : IValue(scalar);
    }
    case Conversion::IntToFloat: return value.to_scalar().to_double();
    case Conversion::ParseDevice: return device_of_value(value);
    case Conversion::TypeToDtype: return dtype_of_value(value);
    case Conversion::RepeatInt: {
      int64_t index = 0;
      index_of_value(value, index);
      return IntArrayRef(DimVector(static_cast<size_t>(std::max(type.list_size, 1)), index));
    }
    case Conversion::ListToInts: return IntArrayRef(ints_of_value(value, "", ""));
    case Conversion::Refused: break;
  }
  throw_error(ErrorKind::TypeError, "cannot pass {} for {}", python_type_name(value),
              to_string(type));
}

void throw_not_one_element() {
  throw_error(ErrorKind::ValueError, "only one element tensors can be converted to Python scalars");
}

}  // namespace tsc::interp
