// HeapObject: a counted object of the language: strings, lists, tuples, dicts, functions, ...
//
// The count is plain, not atomic: an object stays on its interpreter's thread. (Tensors, storages
// and autograd nodes count atomically: core/intrusive_ptr.h.)
//
//   HeapObject                     count, kind
//    +- StringObject               text, hash
//    +- IntListObject, ...         typed lists, made by and for kernels
//    +- ContainerObject            may hold other objects; linked into the list that the cycle
//        |                         collector walks
//        +- ListObject, TupleObject, and the interpreter's dicts, functions, cells, ...
//
// Releasing is iterative, since a list nested a million deep must not overflow the C++ stack: a
// container that dies while others are dying (beyond a small depth) waits in a queue.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "core/intrusive_ptr.h"

namespace tsc {

class IValue;

class TSC_API HeapObject {
 public:
  HeapObject() = default;
  HeapObject(const HeapObject&) = delete;
  HeapObject& operator=(const HeapObject&) = delete;

  void retain() const noexcept { count_++; }
  void release() const noexcept {
    if (--count_ == 0) {
      const_cast<HeapObject*>(this)->dispose();
    }
  }
  uint32_t use_count() const noexcept { return count_; }

 protected:
  virtual ~HeapObject() = default;
  virtual void dispose() noexcept { delete this; }

 private:
  mutable uint32_t count_ = 1;
};

// Called by a container for every counted object that it holds: `visit(child, context)`, for the
// cycle collector.
using ChildVisitor = void (*)(HeapObject* child, void* context);

class TSC_API ContainerObject : public HeapObject {
 public:
  ContainerObject() noexcept;
  // Calls `visit` once for each reference to a HeapObject that this object owns.
  virtual void traverse(ChildVisitor visit, void* context) = 0;
  // Drops every reference; the object stays valid and empty. Called on garbage cycles only.
  virtual void clear() noexcept = 0;

  ContainerObject* next_container() const { return next_; }

 protected:
  ~ContainerObject() override;
  void dispose() noexcept final;
  // Frees the object; overridden by classes with an allocation of their own.
  virtual void destroy() noexcept { delete this; }

 private:
  friend struct ContainerList;
  ContainerObject* previous_;
  ContainerObject* next_;

 public:
  // Scratch of the collector: the count less the references from other containers.
  int64_t collector_count = 0;
};

// Every living container of this thread, newest first.
TSC_API ContainerObject* first_container();
TSC_API size_t container_count();

// Frees garbage cycles among this thread's containers; returns how many objects were freed.
// O(containers).
TSC_API size_t collect_cycles();

}  // namespace tsc
