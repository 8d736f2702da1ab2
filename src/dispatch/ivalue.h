// IValue: any value that a call can take or return, in 16 bytes.
//
//   byte 0                8             12           16
//        +----------------+-------------+------------+
//        |  payload       |  tag        |  unused    |
//        |  64 bits       |  Tag, 32    |  32 bits   |
//        +----------------+-------------+------------+
//
// The payload holds small values themselves, and a pointer with a reference count for the others.
// Tags are ordered so that one comparison tells whether there is anything to count:
//
//   None Bool Int Double Device           Tensor Generator    String ComplexDouble IntList ... Dict
//   ScalarType Layout MemoryFormat                            Function Object
//   `-- value in the payload ---------'   `-- atomic ---'     `-- plain count (HeapObject) -------'
//                                             count
//
// None has a payload of zero, which is also the undefined Tensor: the slot of an optional tensor
// can be read as `const Tensor&` whether or not it holds one.
#pragma once

#include <complex>
#include <cstring>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/random/generator.h"
#include "core/scalar.h"
#include "core/small_vector.h"
#include "core/tensor.h"
#include "dispatch/heap_object.h"

namespace tsc {

#define TSC_FORALL_TAGS(_) \
  _(None)                  \
  _(Bool)                  \
  _(Int)                   \
  _(Double)                \
  _(Device)                \
  _(ScalarType)            \
  _(Layout)                \
  _(MemoryFormat)          \
  _(Tensor)                \
  _(Generator)             \
  _(String)                \
  _(ComplexDouble)         \
  _(IntList)               \
  _(DoubleList)            \
  _(BoolList)              \
  _(TensorList)            \
  _(List)                  \
  _(Tuple)                 \
  _(Dict)                  \
  _(Function)              \
  _(Object)

enum class Tag : uint32_t {
#define TSC_DEFINE(name) name,
  TSC_FORALL_TAGS(TSC_DEFINE)
#undef TSC_DEFINE
};
TSC_API std::string_view to_string(Tag tag);

class StringObject;
class ComplexObject;
class IntListObject;
class DoubleListObject;
class BoolListObject;
class TensorListObject;
class ListObject;
class TupleObject;

class TSC_API IValue {
 public:
  IValue() noexcept : tag_(Tag::None) { payload_.bits = 0; }
  IValue(const IValue& other) noexcept : tag_(other.tag_) {
    payload_.bits = other.payload_.bits;
    retain();
  }
  IValue(IValue&& other) noexcept : tag_(other.tag_) {
    payload_.bits = other.payload_.bits;
    other.forget();
  }
  // In each of these the new value is in place before the old one goes: its end may run code that
  // looks here.
  IValue& operator=(const IValue& other) noexcept {
    const Tag old_tag = tag_;
    const uint64_t old_bits = payload_.bits;
    other.retain();
    payload_.bits = other.payload_.bits;
    tag_ = other.tag_;
    release(old_tag, old_bits);
    return *this;
  }
  IValue& operator=(IValue&& other) noexcept {
    const Tag new_tag = other.tag_;
    const uint64_t new_bits = other.payload_.bits;
    other.forget();
    const Tag old_tag = tag_;
    const uint64_t old_bits = payload_.bits;
    payload_.bits = new_bits;
    tag_ = new_tag;
    release(old_tag, old_bits);
    return *this;
  }
  ~IValue() { release(tag_, payload_.bits); }
  // To None.
  void reset() noexcept {
    const Tag old_tag = tag_;
    const uint64_t old_bits = payload_.bits;
    forget();
    release(old_tag, old_bits);
  }
  // Releases the value. The tag and the payload are unspecified afterwards, but hold no reference.
  void discard() noexcept {
    if (is_counted()) {
      const Tag old_tag = tag_;
      tag_ = Tag::None;
      release(old_tag, payload_.bits);
    }
  }
  void swap(IValue& other) noexcept {
    // Not std::swap: the union's members are one memory only where they are named through it.
    const uint64_t bits = payload_.bits;
    payload_.bits = other.payload_.bits;
    other.payload_.bits = bits;
    std::swap(tag_, other.tag_);
  }

  IValue(std::nullopt_t) noexcept : IValue() {}  // NOLINT: arguments convert to values implicitly
  // Only a bool: a pointer would convert, too.
  template <class T>
  requires(std::is_same_v<T, bool>) IValue(T value)
  noexcept : tag_(Tag::Bool) { payload_.bits = value ? 1 : 0; }
  template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) IValue(T value)
  noexcept : tag_(Tag::Int) { payload_.integer = static_cast<int64_t>(value); }
  IValue(double value) noexcept : tag_(Tag::Double) { payload_.real = value; }
  IValue(Device value) noexcept : tag_(Tag::Device) {
    payload_.bits = 0;
    payload_.device = value;
  }
  IValue(ScalarType value) noexcept : tag_(Tag::ScalarType) {
    payload_.integer = static_cast<int64_t>(value);
  }
  IValue(Layout value) noexcept : tag_(Tag::Layout) {
    payload_.integer = static_cast<int64_t>(value);
  }
  IValue(MemoryFormat value) noexcept : tag_(Tag::MemoryFormat) {
    payload_.integer = static_cast<int64_t>(value);
  }
  IValue(Tensor value) noexcept : tag_(Tag::Tensor) { payload_.pointer = value.detach_impl(); }
  IValue(Generator value) noexcept : tag_(Tag::Generator) {
    payload_.pointer = value.detach_impl();
  }
  IValue(const Scalar& value);
  IValue(std::complex<double> value);
  IValue(std::string_view text);
  IValue(const std::string& text) : IValue(std::string_view(text)) {}
  IValue(const char* text) : IValue(std::string_view(text)) {}
  IValue(IntArrayRef values);
  IValue(ArrayRef<double> values);
  IValue(ArrayRef<bool> values);
  IValue(std::vector<Tensor> tensors);
  IValue(TensorList tensors);
  IValue(OptionalTensorRef tensor) : IValue() {
    if (tensor.has_value()) {
      *this = IValue(*tensor);
    }
  }
  template <class T>
  IValue(const std::optional<T>& value) : IValue() {
    if (value.has_value()) {
      *this = IValue(*value);
    }
  }
  // Takes over one reference of `object`. The tag must be that of the object's class.
  static IValue adopt(Tag tag, HeapObject* object) noexcept {
    IValue value;
    value.tag_ = tag;
    value.payload_.pointer = object;
    return value;
  }
  static IValue share(Tag tag, HeapObject* object) noexcept {
    object->retain();
    return adopt(tag, object);
  }

  // The run loop's own marks: a None with bits in its payload, which never leaves a frame's
  // registers (an unbound local, a method about to be called).
  static IValue mark(uint64_t bits) noexcept {
    IValue value;
    value.payload_.bits = bits;
    return value;
  }
  bool is_mark() const { return is_none() && payload_.bits != 0; }
  void set_mark_unchecked(uint64_t bits) {
    payload_.bits = bits;
    tag_ = Tag::None;
  }

  Tag tag() const { return tag_; }
  bool is_none() const { return tag_ == Tag::None; }
  bool is_bool() const { return tag_ == Tag::Bool; }
  bool is_int() const { return tag_ == Tag::Int; }
  bool is_double() const { return tag_ == Tag::Double; }
  bool is_tensor() const { return tag_ == Tag::Tensor; }
  bool is_string() const { return tag_ == Tag::String; }
  bool is_complex() const { return tag_ == Tag::ComplexDouble; }
  bool is_list() const { return tag_ == Tag::List; }
  bool is_tuple() const { return tag_ == Tag::Tuple; }
  // Bool, Int, Double or ComplexDouble.
  bool is_scalar() const { return is_bool() || is_int() || is_double() || is_complex(); }
  bool is_counted() const { return tag_ >= Tag::Tensor; }
  bool is_heap_object() const { return tag_ >= Tag::String; }
  // May refer to other objects, so the cycle collector visits it.
  bool is_container() const { return tag_ >= Tag::List; }

  // Unchecked: the caller has looked at the tag.
  bool as_bool() const { return payload_.bits != 0; }
  int64_t as_int() const { return payload_.integer; }
  double as_double() const { return payload_.real; }
  Device as_device() const { return payload_.device; }
  ScalarType as_scalar_type() const { return static_cast<ScalarType>(payload_.integer); }
  Layout as_layout() const { return static_cast<Layout>(payload_.integer); }
  MemoryFormat as_memory_format() const { return static_cast<MemoryFormat>(payload_.integer); }
  // Also of a None: the undefined tensor.
  const Tensor& as_tensor() const { return payload_.tensor; }
  Tensor& as_tensor() { return payload_.tensor; }
  const Generator& as_generator() const { return payload_.generator; }
  HeapObject* as_heap_object() const { return payload_.object; }
  inline StringObject* as_string_object() const;
  inline ListObject* as_list() const;
  inline TupleObject* as_tuple() const;
  inline IntListObject* as_int_list() const;
  inline DoubleListObject* as_double_list() const;
  inline BoolListObject* as_bool_list() const;
  inline TensorListObject* as_tensor_list() const;
  inline std::string_view as_string() const;
  inline std::complex<double> as_complex() const;
  template <class T>
  T* as_object() const {
    return static_cast<T*>(payload_.object);
  }

  // Takes the tensor out and leaves None.
  Tensor take_tensor() noexcept {
    Tensor tensor = std::move(payload_.tensor);
    forget();
    return tensor;
  }
  // A number as a Scalar; TypeError where it is none.
  Scalar to_scalar() const;
  // Payload and tag, for identity (`is`) and hashing.
  uint64_t payload_bits() const { return payload_.bits; }
  bool is_same(const IValue& other) const {
    return tag_ == other.tag_ && payload_.bits == other.payload_.bits;
  }

  // Plain stores for the run loop: the old value must be uncounted.
  void set_int_unchecked(int64_t value) {
    payload_.integer = value;
    tag_ = Tag::Int;
  }
  void set_double_unchecked(double value) {
    payload_.real = value;
    tag_ = Tag::Double;
  }
  void set_bool_unchecked(bool value) {
    payload_.bits = value ? 1 : 0;
    tag_ = Tag::Bool;
  }

 private:
  void forget() noexcept {
    tag_ = Tag::None;
    payload_.bits = 0;
  }
  void retain() const noexcept {
    if (is_heap_object()) {
      payload_.object->retain();
    } else if (is_counted() && payload_.bits != 0) {
      payload_.counted->retain();
    }
  }
  static void release(Tag tag, uint64_t bits) noexcept {
    if (tag >= Tag::String) {
      reinterpret_cast<HeapObject*>(bits)->release();
    } else if (tag >= Tag::Tensor && bits != 0) {
      reinterpret_cast<RefCounted*>(bits)->release();
    }
  }

  union Payload {
    uint64_t bits;
    int64_t integer;
    double real;
    tsc::Device device;
    void* pointer;
    HeapObject* object;   // tags from String on
    RefCounted* counted;  // Tensor, Generator: both derive from RefCounted first
    tsc::Tensor tensor;
    tsc::Generator generator;
    Payload() {}
    ~Payload() {}
  };
  Payload payload_;
  Tag tag_;
};
static_assert(sizeof(IValue) == 16);

// Text: immutable UTF-8 behind the object, ended by a zero byte; its hash is computed once.
class TSC_API StringObject final : public HeapObject {
 public:
  static StringObject* make(std::string_view text);
  // Room for `size` bytes, to be written through data() before the object is used; finish() then
  // sets the code point count.
  static StringObject* make_uninitialized(size_t size);
  void finish();
  void finish(size_t length) { length_ = length; }
  // The text with `tail` appended. Takes over the caller's reference, which must be the only one.
  // Spare capacity is kept, so that appending again and again takes time linear in the tails'
  // lengths.
  static StringObject* append(StringObject* text, std::string_view tail);

  std::string_view view() const { return {text(), size_}; }
  char* data() { return reinterpret_cast<char*>(this + 1); }
  size_t size() const { return size_; }
  // The number of code points, as in len(). Equal to size() for ASCII.
  size_t length() const { return length_; }
  bool is_ascii() const { return length_ == size_; }
  // Never 0 once computed.
  uint64_t hash() const {
    if (hash_ == 0) {
      compute_hash();
    }
    return hash_;
  }

 private:
  void dispose() noexcept override;
  StringObject(size_t size, uint32_t spare) : spare_(spare), size_(size) {}
  const char* text() const { return reinterpret_cast<const char*>(this + 1); }
  void compute_hash() const;

  uint32_t spare_;  // bytes behind the text and its zero byte
  size_t size_;
  size_t length_ = 0;
  mutable uint64_t hash_ = 0;
};

class TSC_API ComplexObject final : public HeapObject {
 public:
  explicit ComplexObject(std::complex<double> number) : value(number) {}
  TSC_USE_FREE_LIST(ComplexObject)
  std::complex<double> value;
};

// Lists of one type, as kernels take and return them.
class TSC_API IntListObject final : public HeapObject {
 public:
  explicit IntListObject(IntArrayRef list);
  ~IntListObject() override;
  TSC_USE_FREE_LIST(IntListObject)
  DimVector values;
};
class TSC_API DoubleListObject final : public HeapObject {
 public:
  explicit DoubleListObject(ArrayRef<double> list);
  ~DoubleListObject() override;
  SmallVector<double, 4> values;
};
class TSC_API BoolListObject final : public HeapObject {
 public:
  explicit BoolListObject(ArrayRef<bool> list);
  ~BoolListObject() override;
  SmallVector<bool, 8> values;
};
class TSC_API TensorListObject final : public HeapObject {
 public:
  explicit TensorListObject(std::vector<Tensor> list);
  ~TensorListObject() override;
  std::vector<Tensor> values;
};

class TSC_API ListObject final : public ContainerObject {
 public:
  ListObject() = default;
  explicit ListObject(std::vector<IValue> list);
  ~ListObject() override;
  TSC_USE_FREE_LIST(ListObject)
  void traverse(ChildVisitor visit, void* context) override;
  void clear() noexcept override;
  std::vector<IValue> items;
};

// A fixed number of values behind the object.
class TSC_API TupleObject final : public ContainerObject {
 public:
  // Every item is None.
  static TupleObject* make(size_t size);
  size_t size() const { return size_; }
  IValue* items() { return reinterpret_cast<IValue*>(this + 1); }
  const IValue* items() const { return reinterpret_cast<const IValue*>(this + 1); }
  IValue& operator[](size_t i) { return items()[i]; }
  const IValue& operator[](size_t i) const { return items()[i]; }
  const IValue* begin() const { return items(); }
  const IValue* end() const { return items() + size_; }
  void traverse(ChildVisitor visit, void* context) override;
  void clear() noexcept override;

 private:
  void destroy() noexcept override;
  explicit TupleObject(size_t size) : size_(size) {}
  ~TupleObject() override { clear(); }
  size_t size_;
};

inline StringObject* IValue::as_string_object() const {
  return static_cast<StringObject*>(payload_.object);
}
inline ListObject* IValue::as_list() const { return static_cast<ListObject*>(payload_.object); }
inline TupleObject* IValue::as_tuple() const { return static_cast<TupleObject*>(payload_.object); }
inline IntListObject* IValue::as_int_list() const {
  return static_cast<IntListObject*>(payload_.object);
}
inline DoubleListObject* IValue::as_double_list() const {
  return static_cast<DoubleListObject*>(payload_.object);
}
inline BoolListObject* IValue::as_bool_list() const {
  return static_cast<BoolListObject*>(payload_.object);
}
inline TensorListObject* IValue::as_tensor_list() const {
  return static_cast<TensorListObject*>(payload_.object);
}
inline std::string_view IValue::as_string() const { return as_string_object()->view(); }
inline std::complex<double> IValue::as_complex() const {
  return static_cast<ComplexObject*>(payload_.object)->value;
}

TSC_API IValue make_list(std::vector<IValue> items);
TSC_API IValue make_tuple(std::vector<IValue> items);

// "Tensor", "int", "List[int]": the value's type in a message about a wrong argument.
TSC_API std::string type_name_for_messages(const IValue& value);

}  // namespace tsc
