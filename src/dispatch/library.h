// Library: registers operators and kernels of out-of-tree code. Its registrations are removed when
// it is destroyed.
//
//   #include <tensorscope/library.h>
//
//   tsc::Tensor twice(const tsc::Tensor& self) { return tsc::add(self, self); }
//   const tsc::Tensor& my_add_out(const tsc::Tensor& self, const tsc::Tensor& other,
//                                 const tsc::Scalar& alpha, const tsc::Tensor& out) { ... }
//
//   TSC_LIBRARY(myops, m) {
//     m.def("twice(Tensor self) -> Tensor");
//     m.impl("twice", tsc::DispatchKey::CompositeImplicitAutograd, TSC_KERNEL(twice));
//   }
//   TSC_LIBRARY_IMPL(aten, PrivateUse1, m) { m.impl("add.out", TSC_KERNEL(my_add_out)); }
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/allocator.h"
#include "core/device_guard.h"
#include "core/dispatch_types.h"
#include "core/keys/custom_key.h"
#include "dispatch/dispatcher.h"

namespace tsc {

class TSC_API Library {
 public:
  enum class Kind : uint8_t { Def, Impl, Fragment };

  // `ns` "_" with Kind::Impl is for backend fallbacks. RuntimeError for a second Def of a
  // namespace.
  Library(Kind kind, std::string ns, DispatchKey key, const char* file, int line);
  Library(Library&&) noexcept = default;
  Library& operator=(Library&&) noexcept = default;

  Kind kind() const { return kind_; }
  const std::string& ns() const { return namespace_; }
  DispatchKey key() const { return key_; }

  // Returns the name as it was written, without the overload's. RuntimeError on an Impl library, or
  // for another namespace.
  std::string def(std::string_view schema);
  // At the library's key, else CompositeImplicitAutograd.
  void impl(std::string_view name, KernelFunction kernel, std::shared_ptr<void> owner = nullptr);
  void impl(std::string_view name, DispatchKey key, KernelFunction kernel,
            std::shared_ptr<void> owner = nullptr);
  void fallback(KernelFunction kernel, std::shared_ptr<void> owner = nullptr);
  void fallback(DispatchKey key, KernelFunction kernel, std::shared_ptr<void> owner = nullptr);

  // A column of one's own, by its record and its place in the order (core/keys/custom_key.h).
  DispatchKey new_key(const KeyRecord& record, KeyPlace place, DispatchKey anchor);
  // What a backend is beside its kernels: where its memory comes from, and how its current device
  // is set. RuntimeError where the type has one.
  void allocator(DeviceType type, Allocator& allocator);
  void device_guard(DeviceType type, DeviceGuardImpl& guard);

  // Operators that are defined from now on have a kernel at ADInplaceOrView where their schema says
  // that they write to an argument or return a view of one: it counts the versions, and keeps what
  // autograd knows of views. So have the operators of blocks.
  void keep_versions_and_views() { keeps_versions_and_views_ = true; }

  // Undoes everything, oldest first; keys last.
  void reset();

 private:
  std::string with_namespace(std::string_view name, std::string_view what) const;

  Kind kind_;
  std::string namespace_;
  DispatchKey key_;
  const char* file_;
  int line_;
  bool keeps_versions_and_views_ = false;
  std::vector<RegistrationHandle> registrations_;
  std::vector<RegistrationHandle> keys_;
};

namespace detail {

// Runs a registration block when the program, or the plug-in, is loaded.
class TSC_API LibraryInit {
 public:
  using Block = void (*)(Library&);
  LibraryInit(Library::Kind kind, const char* ns, DispatchKey key, Block block, const char* file,
              int line);
  LibraryInit(const LibraryInit&) = delete;
  LibraryInit& operator=(const LibraryInit&) = delete;
  ~LibraryInit();

  // Runs the block; stop() undoes its registrations.
  void start();
  void stop();

 private:
  Library::Kind kind_;
  const char* namespace_;
  DispatchKey key_;
  Block block_;
  const char* file_;
  int line_;
  std::optional<Library> library_;
};

}  // namespace detail

}  // namespace tsc

#define TSC_KERNEL(function) ::tsc::unboxed_kernel(&function, #function, __FILE__, __LINE__)
#define TSC_BOXED_KERNEL(function) ::tsc::boxed_kernel(&function, #function, __FILE__, __LINE__)

#define TSC_CONCATENATE_(a, b) a##b
#define TSC_CONCATENATE(a, b) TSC_CONCATENATE_(a, b)
#define TSC_LIBRARY_BLOCK_(kind, ns, key, m, id)                                                \
  static void TSC_CONCATENATE(tsc_library_block_, id)(::tsc::Library&);                         \
  static const ::tsc::detail::LibraryInit TSC_CONCATENATE(tsc_library_init_, id)(               \
      ::tsc::Library::Kind::kind, #ns, key, &TSC_CONCATENATE(tsc_library_block_, id), __FILE__, \
      __LINE__);                                                                                \
  static void TSC_CONCATENATE(tsc_library_block_, id)([[maybe_unused]] ::tsc::Library & m)
#define TSC_LIBRARY(ns, m) \
  TSC_LIBRARY_BLOCK_(Def, ns, ::tsc::DispatchKey::Undefined, m, __COUNTER__)
#define TSC_LIBRARY_FRAGMENT(ns, m) \
  TSC_LIBRARY_BLOCK_(Fragment, ns, ::tsc::DispatchKey::Undefined, m, __COUNTER__)
#define TSC_LIBRARY_IMPL(ns, key, m) \
  TSC_LIBRARY_BLOCK_(Impl, ns, ::tsc::DispatchKey::key, m, __COUNTER__)
