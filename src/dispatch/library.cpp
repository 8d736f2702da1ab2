#include "dispatch/library.h"

#include "dispatch/inplace_or_view.h"
#include "dispatch/plugin.h"

namespace tsc {

namespace {

std::string_view to_string(Library::Kind kind) {
  static constexpr std::string_view kNames[] = {"TORCH_LIBRARY", "TORCH_LIBRARY_IMPL",
                                                "TORCH_LIBRARY_FRAGMENT"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace

Library::Library(Kind kind, std::string ns, DispatchKey key, const char* file, int line)
    : kind_(kind), namespace_(std::move(ns)), key_(key), file_(file), line_(line) {
  if (kind_ == Kind::Def) {
    registrations_.push_back(Dispatcher::singleton().register_library(namespace_, file, line));
  }
}

std::string Library::with_namespace(std::string_view name, std::string_view what) const {
  const size_t scope = name.find("::");
  // Only a scope before the argument list belongs to the name.
  if (scope == name.npos || scope > name.find('(')) {
    return fmt::format("{}::{}", namespace_, name);
  }
  const bool is_schema = what == "schema string";
  TSC_CHECK(name.substr(0, scope) == namespace_,
            "{}Explicitly provided namespace ({}) in {} does not match namespace of enclosing {} "
            "block ({}).  Move this definition to the {} block corresponding to this namespace "
            "(and consider deleting the namespace from your schema string.)  (Error occurred while "
            "processing {} block at {}:{})",
            is_schema ? "" : fmt::format("impl(\"{}\", ...): ", name), name.substr(0, scope), what,
            to_string(kind_), namespace_, is_schema ? "(unique) TORCH_LIBRARY" : to_string(kind_),
            to_string(kind_), file_, line_);
  return std::string(name);
}

std::string Library::def(std::string_view schema) {
  TSC_CHECK(kind_ != Kind::Impl,
            "def(\"{}\"): Cannot define an operator inside of a {} block.  All def()s should be "
            "placed in the (unique) TORCH_LIBRARY block for their namespace.  (Error occurred "
            "while processing {} block at {}:{})",
            schema.substr(0, schema.find('(')), to_string(kind_), to_string(kind_), file_, line_);
  ParsedSchema parsed = parse_schema(with_namespace(schema, "schema string"));
  const bool has_cell = keeps_versions_and_views_ && writes_or_views(*parsed);
  const std::string name(parsed->name);
  const std::string overload(parsed->overload_name);
  registrations_.push_back(Dispatcher::singleton().register_def(std::move(parsed), file_, line_));
  if (has_cell) {
    const KernelFunction kernel =
        boxed_kernel(&inplace_or_view_kernel, "inplace_or_view_kernel", file_, line_);
    registrations_.push_back(Dispatcher::singleton().register_impl(
        name, overload, DispatchKey::ADInplaceOrView, KernelRecord{kernel, nullptr}));
  }
  return std::string(schema.substr(0, schema.find_first_of(".(")));
}

void Library::impl(std::string_view name, KernelFunction kernel, std::shared_ptr<void> owner) {
  impl(name, DispatchKey::Undefined, kernel, std::move(owner));
}

void Library::impl(std::string_view name, DispatchKey key, KernelFunction kernel,
                   std::shared_ptr<void> owner) {
  if (key == DispatchKey::Undefined) {
    key = key_ == DispatchKey::Undefined ? DispatchKey::CompositeImplicitAutograd : key_;
  }
  TSC_CHECK(key_ == DispatchKey::Undefined || key == key_,
            "impl(\"{}\", ...): Explicitly provided dispatch key ({}) is inconsistent with the "
            "dispatch key of the enclosing {} block ({}).  Please declare a separate {} block for "
            "this dispatch key and move your impl() there.  (Error occurred while processing {} "
            "block at {}:{})",
            name, key, to_string(kind_), key_, to_string(kind_), to_string(kind_), file_, line_);
  const auto [op, overload] = parse_operator_name(with_namespace(name, "operator name"));
  registrations_.push_back(Dispatcher::singleton().register_impl(
      op, overload, key, KernelRecord{kernel, std::move(owner)}));
}

void Library::fallback(KernelFunction kernel, std::shared_ptr<void> owner) {
  fallback(key_, kernel, std::move(owner));
}

void Library::fallback(DispatchKey key, KernelFunction kernel, std::shared_ptr<void> owner) {
  TSC_CHECK(namespace_ == "_",
            "fallback(...): Fallback functions which apply to only a single namespace (you "
            "specified {}) are not "
            "supported.  If you intended to apply this fallback function globally, please define a "
            "separate block:\n\n"
            "    TORCH_LIBRARY_IMPL(_, {}, m) {{ m.fallback(...); }}\n\n  (Error occurred while "
            "processing {} block at "
            "{}:{})",
            namespace_, key, to_string(kind_), file_, line_);
  registrations_.push_back(Dispatcher::singleton().register_fallback(
      key == DispatchKey::Undefined ? key_ : key, KernelRecord{kernel, std::move(owner)}));
}

DispatchKey Library::new_key(const KeyRecord& record, KeyPlace place, DispatchKey anchor) {
  const DispatchKey key = claim_custom_key(record, place, anchor);
  keys_.emplace_back([key] { release_custom_key(key); });
  return key;
}

void Library::allocator(DeviceType type, Allocator& allocator) {
  TSC_CHECK(find_allocator(type) == nullptr, "the device type {} has an allocator already",
            tsc::to_string(type));
  register_allocator(type, &allocator);
  registrations_.emplace_back([type] { register_allocator(type, nullptr); });
}

void Library::device_guard(DeviceType type, DeviceGuardImpl& guard) {
  TSC_CHECK(device_guard_impl(type) == nullptr, "the device type {} has a device guard already",
            tsc::to_string(type));
  register_device_guard(type, &guard);
  registrations_.emplace_back([type] { register_device_guard(type, nullptr); });
}

void Library::reset() {
  for (std::vector<RegistrationHandle>* handles : {&registrations_, &keys_}) {
    for (RegistrationHandle& handle : *handles) {
      const RegistrationHandle gone = std::move(handle);
    }
    handles->clear();
  }
}

namespace detail {

LibraryInit::LibraryInit(Library::Kind kind, const char* ns, DispatchKey key, Block block,
                         const char* file, int line)
    : kind_(kind), namespace_(ns), key_(key), block_(block), file_(file), line_(line) {
  if (!defer_block(*this)) {
    start();
  }
}

LibraryInit::~LibraryInit() = default;

void LibraryInit::start() {
  library_.emplace(kind_, namespace_, key_, file_, line_);
  library_->keep_versions_and_views();
  block_(*library_);
}

void LibraryInit::stop() {
  if (library_.has_value()) {
    library_->reset();
    library_.reset();
  }
}

}  // namespace detail

}  // namespace tsc
