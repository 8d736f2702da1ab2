#include "dispatch/ivalue.h"

#include <new>

namespace tsc {

std::string_view to_string(Tag tag) {
  static constexpr std::string_view kNames[] = {
#define TSC_NAME(name) #name,
      TSC_FORALL_TAGS(TSC_NAME)
#undef TSC_NAME
  };
  return kNames[static_cast<size_t>(tag)];
}

IValue::IValue(const Scalar& value) : IValue() {
  if (value.is_bool()) {
    *this = IValue(value.to_bool());
  } else if (value.is_int()) {
    *this = IValue(value.to_int());
  } else if (value.is_double()) {
    *this = IValue(value.to_double());
  } else {
    *this = IValue(value.to_complex());
  }
}

IValue::IValue(std::complex<double> value) : tag_(Tag::ComplexDouble) {
  payload_.object = new ComplexObject(value);
}

IValue::IValue(std::string_view text) : tag_(Tag::String) {
  payload_.object = StringObject::make(text);
}

IValue::IValue(IntArrayRef values) : tag_(Tag::IntList) {
  payload_.object = new IntListObject(values);
}

IValue::IValue(ArrayRef<double> values) : tag_(Tag::DoubleList) {
  payload_.object = new DoubleListObject(values);
}

IValue::IValue(ArrayRef<bool> values) : tag_(Tag::BoolList) {
  payload_.object = new BoolListObject(values);
}

IValue::IValue(std::vector<Tensor> tensors) : tag_(Tag::TensorList) {
  payload_.object = new TensorListObject(std::move(tensors));
}

IValue::IValue(TensorList tensors) : IValue(tensors.vec()) {}

Scalar IValue::to_scalar() const {
  switch (tag_) {
    case Tag::Bool: return Scalar(as_bool());
    case Tag::Int: return Scalar(as_int());
    case Tag::Double: return Scalar(as_double());
    case Tag::ComplexDouble: return Scalar(as_complex());
    case Tag::None:
    case Tag::Device:
    case Tag::ScalarType:
    case Tag::Layout:
    case Tag::MemoryFormat:
    case Tag::Tensor:
    case Tag::Generator:
    case Tag::String:
    case Tag::IntList:
    case Tag::DoubleList:
    case Tag::BoolList:
    case Tag::TensorList:
    case Tag::List:
    case Tag::Tuple:
    case Tag::Dict:
    case Tag::Function:
    case Tag::Object: break;
  }
  throw_error(ErrorKind::TypeError, "Expected a number but found {}",
              type_name_for_messages(*this));
}

StringObject* StringObject::make_uninitialized(size_t size) {
  void* memory = ::operator new(sizeof(StringObject) + size + 1);
  auto* object = new (memory) StringObject(size);
  object->data()[size] = '\0';
  return object;
}

StringObject* StringObject::make(std::string_view text) {
  StringObject* object = make_uninitialized(text.size());
  std::memcpy(object->data(), text.data(), text.size());
  object->finish();
  return object;
}

void StringObject::finish() {
  size_t continuation_bytes = 0;
  for (size_t i = 0; i < size_; i++) {
    continuation_bytes += (static_cast<unsigned char>(text()[i]) & 0xc0u) == 0x80u ? 1 : 0;
  }
  length_ = size_ - continuation_bytes;
}

// FNV-1a, eight bytes a step.
void StringObject::compute_hash() const {
  constexpr uint64_t kPrime = 0x100000001b3;
  uint64_t hash = 0xcbf29ce484222325 ^ size_;
  const char* bytes = text();
  size_t left = size_;
  for (; left >= 8; left -= 8, bytes += 8) {
    uint64_t word;
    std::memcpy(&word, bytes, 8);
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 29;
  }
  uint64_t tail = 0;
  std::memcpy(&tail, bytes, left);
  hash = (hash ^ tail) * kPrime;
  hash ^= hash >> 32;
  hash_ = hash == 0 ? 1 : hash;
}

void StringObject::operator delete(void* pointer) noexcept { ::operator delete(pointer); }

void ListObject::traverse(ChildVisitor visit, void* context) {
  for (const IValue& item : items) {
    if (item.is_heap_object()) {
      visit(item.as_heap_object(), context);
    }
  }
}

static_assert(sizeof(TupleObject) % alignof(IValue) == 0);

TupleObject* TupleObject::make(size_t size) {
  void* memory = ::operator new(sizeof(TupleObject) + size * sizeof(IValue));
  auto* tuple = new (memory) TupleObject(size);
  for (size_t i = 0; i < size; i++) {
    new (tuple->items() + i) IValue();
  }
  return tuple;
}

void TupleObject::traverse(ChildVisitor visit, void* context) {
  for (const IValue& item : *this) {
    if (item.is_heap_object()) {
      visit(item.as_heap_object(), context);
    }
  }
}

void TupleObject::clear() noexcept {
  for (size_t i = 0; i < size_; i++) {
    items()[i] = IValue();
  }
}

void TupleObject::operator delete(void* pointer) noexcept { ::operator delete(pointer); }

IValue make_list(std::vector<IValue> items) {
  return IValue::adopt(Tag::List, new ListObject(std::move(items)));
}

IValue make_tuple(std::vector<IValue> items) {
  TupleObject* tuple = TupleObject::make(items.size());
  for (size_t i = 0; i < items.size(); i++) {
    (*tuple)[i] = std::move(items[i]);
  }
  return IValue::adopt(Tag::Tuple, tuple);
}

std::string type_name_for_messages(const IValue& value) {
  switch (value.tag()) {
    case Tag::None: return "NoneType";
    case Tag::Bool: return "bool";
    case Tag::Int: return "int";
    case Tag::Double: return "float";
    case Tag::ComplexDouble: return "complex";
    case Tag::Device: return "Device";
    case Tag::ScalarType:
    case Tag::Layout:
    case Tag::MemoryFormat: return "int";
    case Tag::String: return "str";
    case Tag::IntList: return "List[int]";
    case Tag::DoubleList: return "List[float]";
    case Tag::BoolList: return "List[bool]";
    case Tag::TensorList: return "List[Tensor]";
    case Tag::List: return "list";
    case Tag::Tuple: return "tuple";
    case Tag::Dict: return "dict";
    case Tag::Function: return "function";
    case Tag::Tensor:
    case Tag::Generator:
    case Tag::Object: break;
  }
  return std::string(to_string(value.tag()));
}

}  // namespace tsc
