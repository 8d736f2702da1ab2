// Operators that give a tensor other memory.
#include "core/storage.h"
#include "gen/ops/copy.h"
#include "gen/ops/copy_native.h"
#include "ops/structured/resize.h"
#include "ops/structured/type_names.h"

namespace tsc::native {

namespace {

// Versions belong to memory. `self` gets a version of its own, so that neither its old nor its new
// memory counts the change as a write.
void show(const Tensor& self, const Storage& storage, int64_t storage_offset) {
  self.impl()->detach_version(self.version());
  self.impl()->set_storage(storage);
  self.impl()->set_storage_offset(storage_offset);
}

void check_same_kind(const Tensor& self, const Tensor& source) {
  TSC_CHECK(self.dtype() == source.dtype(),
            "Could not set tensor of type {} to a tensor of type {}", cpp_type_name(source.dtype()),
            cpp_type_name(self.dtype()));
  TSC_CHECK(self.device().type == source.device().type,
            "Attempted to set the storage of a tensor on device \"{}\" to a storage on different "
            "device \"{}\".  This is no longer allowed; the devices must match.",
            to_string(self.device()), to_string(source.device()));
}

}  // namespace

const Tensor& set__source_Tensor(const Tensor& self, const Tensor& source) {
  check_same_kind(self, source);
  if (!self.is_same(source)) {
    show(self, source.storage(), source.storage_offset());
    self.impl()->set_sizes_and_strides(source.sizes(), source.strides());
  }
  return self;
}

const Tensor& set__source_Tensor_storage_offset(const Tensor& self, const Tensor& source,
                                                int64_t storage_offset, IntArrayRef size,
                                                IntArrayRef stride) {
  check_same_kind(self, source);
  check_storage_offset(storage_offset);
  TSC_CHECK(stride.empty() || size.size() == stride.size(),
            "unequal size length ({}) and stride length ({})", size.size(), stride.size());
  show(self, source.storage(), storage_offset);
  self.impl()->set_sizes_contiguous({0});
  if (stride.empty()) {
    resize_in_place(self, size);
  } else {
    resize_in_place(self, size, stride);
  }
  return self;
}

const Tensor& set_(const Tensor& self) {
  show(self, make_intrusive<StorageImpl>(0, self.device()), 0);
  self.impl()->set_sizes_contiguous({0});
  return self;
}

}  // namespace tsc::native
