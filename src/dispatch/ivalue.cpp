#include "dispatch/ivalue.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "core/allocator.h"
#include "core/system/memory_watch.h"
#include "dispatch/visit.h"

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
  return visit(*this, Overloaded{[](bool value) { return Scalar(value); },
                                 [](int64_t value) { return Scalar(value); },
                                 [](double value) { return Scalar(value); },
                                 [](std::complex<double> value) { return Scalar(value); },
                                 [this](const auto&) -> Scalar {
                                   throw_error(ErrorKind::TypeError,
                                               "Expected a number but found {}",
                                               type_name_for_messages(*this));
                                 }});
}

namespace {

// Short texts come from free lists, in blocks of two sizes; longer ones from malloc.
constexpr size_t kShortBlock = 64;
constexpr size_t kMiddleBlock = 128;
using ShortBlocks = FreeList<kShortBlock, alignof(StringObject)>;
using MiddleBlocks = FreeList<kMiddleBlock, alignof(StringObject)>;

void* allocate_text(size_t bytes) {
  if (bytes == kShortBlock) {
    return ShortBlocks::allocate();
  }
  if (bytes == kMiddleBlock) {
    return MiddleBlocks::allocate();
  }
  return allocate_memory(bytes);
}

void free_text(void* memory, size_t bytes) noexcept {
  if (bytes == kShortBlock) {
    ShortBlocks::deallocate(memory);
  } else if (bytes == kMiddleBlock) {
    MiddleBlocks::deallocate(memory);
  } else {
    std::free(memory);
  }
}

size_t block_size(size_t bytes) {
  return bytes <= kShortBlock ? kShortBlock : bytes <= kMiddleBlock ? kMiddleBlock : bytes;
}

constexpr uint64_t kNotAscii = 0x8080808080808080;

// The last bytes of a text, fewer than eight, padded with zeros: read without a loop.
uint64_t tail_word(const char* bytes, size_t count) {
  if (count >= 4) {
    uint32_t first;
    uint32_t last;
    std::memcpy(&first, bytes, 4);
    std::memcpy(&last, bytes + count - 4, 4);
    return first | uint64_t{last} << (8 * (count - 4));
  }
  if (count == 0) {
    return 0;
  }
  const auto byte = [bytes](size_t i) { return uint64_t{static_cast<unsigned char>(bytes[i])}; };
  return byte(0) | byte(count / 2) << (8 * (count / 2)) | byte(count - 1) << (8 * (count - 1));
}

size_t count_code_points(std::string_view text) {
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    if ((word & kNotAscii) != 0) {
      break;
    }
  }
  if (text.size() - i < 8 && (tail_word(text.data() + i, text.size() - i) & kNotAscii) == 0) {
    return text.size();
  }
  size_t continuation_bytes = 0;
  for (; i < text.size(); i++) {
    continuation_bytes += (static_cast<unsigned char>(text[i]) & 0xc0u) == 0x80u ? 1 : 0;
  }
  return text.size() - continuation_bytes;
}

}  // namespace

StringObject* StringObject::make_uninitialized(size_t size) {
  const size_t needed = sizeof(StringObject) + size + 1;
  const size_t bytes = block_size(needed);
  auto* object =
      new (allocate_text(bytes)) StringObject(size, static_cast<uint32_t>(bytes - needed));
  object->data()[size] = '\0';
  return object;
}

StringObject* StringObject::make(std::string_view text) {
  StringObject* object = make_uninitialized(text.size());
  if (!text.empty()) {
    std::memcpy(object->data(), text.data(), text.size());
  }
  object->finish();
  return object;
}

void StringObject::finish() { length_ = count_code_points(view()); }

StringObject* StringObject::append(StringObject* text, std::string_view tail) {
  if (tail.size() > text->spare_) {
    // Grows by half, so that the copies of a growing text sum to a multiple of its length.
    const size_t size = text->size_ + tail.size();
    const size_t spare = std::min<size_t>(size / 2, UINT32_MAX);
    const size_t bytes = block_size(sizeof(StringObject) + size + spare + 1);
    auto* larger = new (allocate_text(bytes)) StringObject(
        text->size_, static_cast<uint32_t>(bytes - sizeof(StringObject) - text->size_ - 1));
    std::memcpy(larger->data(), text->data(), text->size_);
    larger->length_ = text->length_;
    // `tail` may be part of `text`.
    std::memcpy(larger->data() + text->size_, tail.data(), tail.size());
    text->release();
    text = larger;
  } else {
    std::memmove(text->data() + text->size_, tail.data(), tail.size());
  }
  const std::string_view added(text->data() + text->size_, tail.size());
  text->length_ += count_code_points(added);
  text->size_ += added.size();
  text->spare_ -= static_cast<uint32_t>(added.size());
  text->data()[text->size_] = '\0';
  text->hash_ = 0;
  return text;
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
  hash = (hash ^ tail_word(bytes, left)) * kPrime;
  hash ^= hash >> 32;
  hash_ = hash == 0 ? 1 : hash;
}

void StringObject::dispose() noexcept {
  const size_t bytes = sizeof(StringObject) + size_ + spare_ + 1;
  this->~StringObject();
  free_text(this, bytes);
}

IntListObject::IntListObject(IntArrayRef list) : values(list) {}
IntListObject::~IntListObject() = default;
DoubleListObject::DoubleListObject(ArrayRef<double> list) : values(list) {}
DoubleListObject::~DoubleListObject() = default;
BoolListObject::BoolListObject(ArrayRef<bool> list) : values(list) {}
BoolListObject::~BoolListObject() = default;
TensorListObject::TensorListObject(std::vector<Tensor> list) : values(std::move(list)) {}
TensorListObject::~TensorListObject() = default;

ListObject::ListObject(std::vector<IValue> list) : items(std::move(list)) {}
ListObject::~ListObject() = default;

void ListObject::clear() noexcept { items.clear(); }

void ListObject::traverse(ChildVisitor visit, void* context) {
  for (const IValue& item : items) {
    if (item.is_container()) {
      visit(item.as_heap_object(), context);
    }
  }
}

static_assert(sizeof(TupleObject) % alignof(IValue) == 0);

namespace {

// Short tuples come from free lists.
template <size_t Size>
using TupleBlocks = FreeList<sizeof(TupleObject) + Size * sizeof(IValue), alignof(TupleObject)>;

void* allocate_tuple(size_t size) {
  switch (size) {
    case 1: return TupleBlocks<1>::allocate();
    case 2: return TupleBlocks<2>::allocate();
    case 3: return TupleBlocks<3>::allocate();
    case 4: return TupleBlocks<4>::allocate();
    default: return ::operator new(sizeof(TupleObject) + size * sizeof(IValue));
  }
}

void free_tuple(void* memory, size_t size) noexcept {
  switch (size) {
    case 1: TupleBlocks<1>::deallocate(memory); break;
    case 2: TupleBlocks<2>::deallocate(memory); break;
    case 3: TupleBlocks<3>::deallocate(memory); break;
    case 4: TupleBlocks<4>::deallocate(memory); break;
    default: ::operator delete(memory);
  }
}

}  // namespace

TupleObject* TupleObject::make(size_t size) {
  auto* tuple = new (allocate_tuple(size)) TupleObject(size);
  for (size_t i = 0; i < size; i++) {
    new (tuple->items() + i) IValue();
  }
  return tuple;
}

void TupleObject::traverse(ChildVisitor visit, void* context) {
  for (const IValue& item : *this) {
    if (item.is_container()) {
      visit(item.as_heap_object(), context);
    }
  }
}

void TupleObject::clear() noexcept {
  for (size_t i = 0; i < size_; i++) {
    items()[i] = IValue();
  }
}

void TupleObject::destroy() noexcept {
  const size_t size = size_;
  this->~TupleObject();
  free_tuple(this, size);
}

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

std::optional<std::vector<IValue>> items_of_list(const IValue& value) {
  using Items = std::optional<std::vector<IValue>>;
  return visit(value, Overloaded{[](const ListObject& list) { return Items(list.items); },
                                 [](const TupleObject& tuple) {
                                   return Items(std::in_place, tuple.begin(), tuple.end());
                                 },
                                 [](const auto& other) {
                                   if constexpr (requires { other.values; }) {
                                     return Items(std::in_place, other.values.begin(),
                                                  other.values.end());
                                   } else {
                                     return Items();
                                   }
                                 }});
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
