// The types that operators' signatures are made of: enough to declare a call, and to make one
// through its declaration.
#pragma once

#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/array_ref.h"
#include "core/keys/dispatch_key_set.h"
#include "core/random/generator.h"
#include "core/scalar.h"
#include "core/tensor.h"
#include "core/tensor_options.h"

namespace tsc {

template <class Signature>
class TypedOperatorHandle;

}  // namespace tsc
