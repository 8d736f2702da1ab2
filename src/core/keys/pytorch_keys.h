// Keys as PyTorch has them: names that are no keys here, and the bits of its key sets.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/keys/dispatch_key_set.h"

namespace tsc {

// Why there is no such key here, as a sentence, for a name that PyTorch's parser takes or has
// taken: "XLA is a key of PyTorch for a backend that tensorscope does not have". nullopt for other
// names.
TSC_API std::optional<std::string> absent_key_reason(std::string_view name);

// PyTorch's number of a key, which scripts print; keys that PyTorch does not have are behind all
// others.
TSC_API int64_t torch_number_of(DispatchKey key);

// DispatchKeySet.raw_repr() and from_raw_repr(): the bits of PyTorch's sets. RuntimeError for a
// key, or a bit, that only one of the two has.
TSC_API int64_t torch_bits_of(DispatchKeySet keys);
TSC_API DispatchKeySet keys_of_torch_bits(int64_t bits);

}  // namespace tsc
