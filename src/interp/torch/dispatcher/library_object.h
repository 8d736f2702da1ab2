// torch.library.Library as a value.
#pragma once

#include <map>

#include "dispatch/library.h"
#include "interp/torch/dispatcher/script_kernel.h"

namespace tsc::interp {

extern const Type kLibraryType;

class LibraryObject final : public Object {
 public:
  // `kind` is "DEF", "IMPL" or "FRAGMENT"; `key` a dispatch key's name, or "".
  LibraryObject(std::string ns, std::string kind, std::string key);
  ~LibraryObject() override { unregister(); }
  void traverse(ChildVisitor visit, void* context) override;
  void clear() noexcept override { unregister(); }

  const std::string& ns() const { return ns_; }
  const std::string& kind() const { return kind_; }
  const std::string& key() const { return key_; }

  // Returns the name as it was written. `tags` are torch.Tag.
  std::string define(std::string_view schema, std::vector<IValue> tags = {});
  // `name` may have the namespace. An empty key is the library's, else CompositeImplicitAutograd.
  void impl(std::string_view name, const IValue& function, std::string_view key, bool with_keyset,
            bool allow_override);
  // Replaces the function that this library registered there; false where it registered none.
  bool replace(std::string_view name, const IValue& function, std::string_view key);
  // Registers an existing kernel for another operator: mostly a C++ function, whose signature is
  // checked against the schema.
  void impl_kernel(std::string_view name, const KernelFunction& kernel, std::string_view key);
  void fallback(const IValue& function, std::string_view key, bool with_keyset);
  // Removes all registrations from the table.
  void unregister() noexcept;

 private:
  Library& library();
  std::string entry_name(std::string_view name, std::string_view key) const;
  // The registration's kernel; a fallthrough for torch.library.fallthrough_kernel.
  KernelFunction make_kernel(const IValue& function, bool with_keyset, ScriptKernel::Form form,
                             std::shared_ptr<void>& owner);

  std::string ns_;
  std::string kind_;
  std::string key_;
  const char* file_ = "";
  int line_ = 0;
  std::unique_ptr<Library> library_;
  std::vector<std::shared_ptr<ScriptKernel>> kernels_;
  std::vector<std::string> implemented_;            // "ns/name/key"
  std::map<std::string, ScriptKernel*> kernel_at_;  // by those, the newest
};

IValue make_library(std::string ns, std::string kind, std::string key);
LibraryObject& library_of(const IValue& value);

// Stands for no kernel: a call goes on to the next key.
IValue fallthrough_kernel_function();

}  // namespace tsc::interp
