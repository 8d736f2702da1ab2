// Matching of arguments to the parameters of an overload, for calls and for their error messages.
#pragma once

#include "interp/torch/call/convert.h"
#include "interp/torch/call/overloads.h"

namespace tsc::interp {

inline constexpr size_t kMaxArguments = 64;
// Marks sets of torch.ops, whose parameters have the schema's own names.
inline constexpr std::string_view kOpsOwner = "torch.ops";

// The source of each schema argument's value.
struct Match {
  static constexpr int8_t kDefault = -1;
  static constexpr int8_t kNone = -2;
  static constexpr int8_t kVarargs = -3;
  int8_t source[kMaxArguments] = {};
  Conversion conversion[kMaxArguments] = {};
  // The arguments are in the schema's order: defaults have to be put behind and between them.
  bool in_place = false;
  uint8_t leading = 0;    // parameters that have their arguments in place, before the first default
  bool converts = false;  // an argument has to be converted
  bool requires_grad = false;
  // The positions of options that have to agree with out, or kNone.
  int8_t dtype = kNone;
  int8_t layout = kNone;
  int8_t device = kNone;

  bool has_options() const { return dtype != kNone || layout != kNone || device != kNone; }
};

// The reason why an overload does not take the arguments.
struct Refusal {
  enum class Why : uint8_t {
    None,
    TooMany,
    Missing,
    UnknownKeyword,
    Duplicate,
    WrongType
  } why = Why::None;
  size_t index = 0;  // of the argument (UnknownKeyword: of the keyword)
};

// With `raw_names`, parameters have the schema's own names.
bool match_overload(const OverloadSet& set, const Overload& overload, const Arguments& arguments,
                    bool raw_names, Match& match, Refusal& refusal);

// Whether `out` is the form of `functional` that writes to a tensor. A factory's has no options.
bool same_inputs(const Overload& functional, const Overload& out);

// Whether dimensions go by name: such overloads come last, and messages do not show them.
bool takes_names(const Overload& overload);

// The TypeError of PyTorch's parser, for arguments that no overload takes.
[[noreturn]] void throw_no_match(const OverloadSet& set, const Arguments& arguments,
                                 bool raw_names);

}  // namespace tsc::interp
