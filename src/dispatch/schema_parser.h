// Parses aten's schema text to a FunctionSchema.
#pragma once

#include <memory>
#include <string_view>

#include "dispatch/function_schema.h"

namespace tsc {

// The schema together with the memory that its names and lists lie in.
class TSC_API ParsedSchema {
 public:
  ParsedSchema();
  ~ParsedSchema();
  ParsedSchema(ParsedSchema&&) noexcept;
  ParsedSchema& operator=(ParsedSchema&&) noexcept;
  const FunctionSchema& operator*() const { return schema_; }
  const FunctionSchema* operator->() const { return &schema_; }

 private:
  friend class SchemaParser;
  struct Arena;
  std::unique_ptr<Arena> arena_;
  FunctionSchema schema_;
};

// Grammar (aten's):
//   schema   = [ns "::"] name ["." overload] "(" [arguments] ")" "->" returns
//   argument = type ["[" size "]" [alias] ["?"]] name ["=" default] | "*" | "..."
//   type     = base { "?" | "[]" [alias] }
//   base     = word [alias] | "(" types ")" | "Dict(" type "," type ")" [alias]
//            | "Future(" type ")" | "Await(" type ")" | "RRef(" type ")" | "Union(" types ")"
//   alias    = "(" set ["!"] ["->" set] ")" | "!"
// A word in lower case that names no type stands for any. A default is what its type takes: None
// for a Tensor, numbers in brackets for a list, a single one for a list that says its size.
// RuntimeError that names the place for any other text.
TSC_API ParsedSchema parse_schema(std::string_view text);
// Parses only "ns::name.overload", as in a registration of a kernel, to {name, overload}.
TSC_API std::pair<std::string, std::string> parse_operator_name(std::string_view text);

}  // namespace tsc
