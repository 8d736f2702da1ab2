#include "dispatch/schema_parser.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <vector>

#include "dispatch/schema_lexer.h"

namespace tsc {

// Deques do not move their elements, so views into them stay valid.
struct ParsedSchema::Arena {
  std::string text;
  std::deque<std::string> strings;
  std::deque<std::vector<Argument>> arguments;
  std::deque<std::vector<SchemaType>> types;
  std::deque<CompoundType> compounds;
  std::deque<std::vector<int64_t>> integers;
  std::deque<std::vector<double>> reals;
  std::deque<std::unique_ptr<bool[]>> bools;
};

ParsedSchema::ParsedSchema() : arena_(std::make_unique<Arena>()) {}
ParsedSchema::~ParsedSchema() = default;
ParsedSchema::ParsedSchema(ParsedSchema&&) noexcept = default;
ParsedSchema& ParsedSchema::operator=(ParsedSchema&&) noexcept = default;

namespace {

using TokenKind = SchemaToken::Kind;

// "ns::name" and the overload's name, which is empty where there is none. `joined` holds the name
// where the text has spaces in it.
struct OperatorName {
  std::string name;
  std::string_view overload;
};
OperatorName read_operator_name(SchemaLexer& lexer) {
  OperatorName result;
  result.name = lexer.expect(TokenKind::Identifier).text;
  if (lexer.next_if(":")) {
    lexer.expect(":");
    result.name = fmt::format("{}::{}", result.name, lexer.expect(TokenKind::Identifier).text);
  }
  if (lexer.next_if(".")) {
    result.overload = lexer.expect(TokenKind::Identifier).text;
  }
  TSC_CHECK(result.overload != "default" && !result.overload.starts_with("__"),
            "{} is not a legal overload name for aten operators", result.overload);
  return result;
}

// A type that has a name of its own. Words in lower case stand for any type.
std::optional<TypeKind> plain_type(std::string_view name) {
  struct Name {
    std::string_view text;
    TypeKind kind;
  };
  static constexpr Name kNames[] = {
#define TSC_NAME(kind, text) {#text, TypeKind::kind},
      TSC_FORALL_SCHEMA_TYPES(TSC_NAME)
#undef TSC_NAME
          {"None", TypeKind::None},
      {"ConstQuantizerPtr", TypeKind::Int},
  };
  for (const Name& row : kNames) {
    // Dimensions go by str, and what is made of other types is read elsewhere.
    if (row.text == name && row.kind != TypeKind::Dimname && row.kind < TypeKind::Dict) {
      return row.kind;
    }
  }
  return std::nullopt;
}

// The place of a type in a Union.
int rank_in_union(const SchemaType& type) {
  static constexpr TypeKind kOrder[] = {
      TypeKind::Any,        TypeKind::AnyEnum,   TypeKind::Tensor,       TypeKind::StorageObject,
      TypeKind::Tuple,      TypeKind::Nested,    TypeKind::Dict,         TypeKind::Scalar,
      TypeKind::Float,      TypeKind::Complex,   TypeKind::Future,       TypeKind::Await,
      TypeKind::RRef,       TypeKind::Int,       TypeKind::None,         TypeKind::String,
      TypeKind::Generator,  TypeKind::Quantizer, TypeKind::Bool,         TypeKind::Variable,
      TypeKind::Device,     TypeKind::Stream,    TypeKind::Capsule,      TypeKind::QScheme,
      TypeKind::ScalarType, TypeKind::Layout,    TypeKind::MemoryFormat, TypeKind::AnyList,
      TypeKind::SymInt,     TypeKind::SymBool};
  const TypeKind kind = type.is_list ? TypeKind::Nested : type.kind;
  return static_cast<int>(std::find(std::begin(kOrder), std::end(kOrder), kind) - kOrder);
}

// Where PyTorch's names for numbers stand as defaults.
std::optional<int64_t> named_number(std::string_view name) {
  struct Name {
    std::string_view text;
    int64_t value;
  };
  static constexpr Name kNames[] = {
      {"float", static_cast<int64_t>(ScalarType::Float)},
      {"complex", static_cast<int64_t>(ScalarType::ComplexFloat)},
      {"long", static_cast<int64_t>(ScalarType::Long)},
      {"strided", static_cast<int64_t>(Layout::Strided)},
      {"Mean", 1},
      {"contiguous_format", static_cast<int64_t>(MemoryFormat::Contiguous)},
  };
  for (const Name& row : kNames) {
    if (row.text == name) {
      return row.value;
    }
  }
  return std::nullopt;
}

}  // namespace

class SchemaParser {
 public:
  explicit SchemaParser(std::string_view text) : lexer_((parsed_.arena_->text = text)) {}

  ParsedSchema parse() {
    FunctionSchema& schema = parsed_.schema_;
    OperatorName name = read_operator_name(lexer_);
    schema.name = keep(std::move(name.name));
    schema.overload_name = name.overload;
    if (!lexer_.is("(")) {
      expect_end();
      throw_error(ErrorKind::RuntimeError,
                  "Tried to parse a function schema but only the operator name was given");
    }
    parse_arguments(schema);
    lexer_.expect("->");
    parse_returns(schema);
    check_defaults(schema);
    expect_end();
    return std::move(parsed_);
  }

 private:
  void expect_end() {
    while (lexer_.current().kind == TokenKind::Newline) {
      lexer_.next();
    }
    lexer_.expect(TokenKind::End);
  }
  std::string_view keep(std::string text) {
    return parsed_.arena_->strings.emplace_back(std::move(text));
  }
  const CompoundType* keep(CompoundType compound) {
    return &parsed_.arena_->compounds.emplace_back(compound);
  }

  // Calls `item` for each of those between brackets.
  template <class Item>
  void parse_list(std::string_view begin, std::string_view separator, std::string_view end,
                  Item item) {
    lexer_.expect(begin);
    if (!lexer_.is(end)) {
      do {
        item();
      } while (lexer_.next_if(separator));
    }
    lexer_.expect(end);
  }

  void parse_arguments(FunctionSchema& schema) {
    auto& arguments = parsed_.arena_->arguments.emplace_back();
    bool kwarg_only = false;
    parse_list("(", ",", ")", [&] {
      if (schema.is_vararg) {
        lexer_.fail("... must be the last element of the argument list");
      }
      if (lexer_.next_if("*")) {
        kwarg_only = true;
      } else if (lexer_.next_if("...")) {
        schema.is_vararg = true;
      } else {
        arguments.push_back(parse_argument(kwarg_only));
      }
    });
    schema.arguments = arguments;
    const bool has_default = std::any_of(arguments.begin(), arguments.end(),
                                         [](const Argument& a) { return a.has_default(); });
    if (schema.is_vararg && has_default) {
      lexer_.fail("schemas with vararg (...) can't have default value args");
    }
  }

  void parse_returns(FunctionSchema& schema) {
    auto& returns = parsed_.arena_->arguments.emplace_back();
    if (lexer_.next_if("...")) {
      schema.is_varret = true;
    } else if (lexer_.is("(")) {
      parse_list("(", ",", ")", [&] {
        if (schema.is_varret) {
          lexer_.fail("... must be the last element of the return list");
        }
        if (lexer_.next_if("...")) {
          schema.is_varret = true;
        } else {
          returns.push_back(parse_return());
        }
      });
    } else {
      returns.push_back(parse_return());
    }
    schema.returns = returns;
  }

  // A call could leave out an argument, and not the one behind it.
  void check_defaults(const FunctionSchema& schema) const {
    bool seen = false;
    for (const Argument& argument : schema.arguments) {
      TSC_CHECK(!seen || argument.has_default() || argument.kwarg_only,
                "Non-default positional argument follows default argument. Parameter {} in {}",
                argument.name, to_string(schema));
      seen = seen || argument.has_default();
    }
  }

  Argument parse_return() {
    Argument result = parse_typed();
    if (lexer_.current().kind == TokenKind::Identifier) {
      result.name = lexer_.next().text;
    }
    return result;
  }

  Argument parse_argument(bool kwarg_only) {
    Argument argument = parse_typed();
    argument.name = lexer_.expect(TokenKind::Identifier).text;
    argument.kwarg_only = kwarg_only;
    argument.is_out = kwarg_only && argument.alias.is_write;
    if (lexer_.next_if("=")) {
      argument.default_value = parse_default(argument.type);
    }
    return argument;
  }

  // A type as an argument or a result has it: a list may say its size.
  Argument parse_typed() {
    Argument argument;
    argument.type = parse_type(argument.alias);
    if (lexer_.next_if("[")) {
      argument.type = as_list(argument.type);
      argument.type.list_size =
          static_cast<int32_t>(whole_number(lexer_.expect(TokenKind::Number).text));
      lexer_.expect("]");
      parse_alias_of_list(argument.alias);
      if (lexer_.next_if("?")) {
        argument.type.is_optional = true;
      }
    }
    return argument;
  }

  // `t[]` of any t: what is a list already becomes a part of a type of its own.
  SchemaType as_list(SchemaType type) {
    if (type.is_list) {
      auto& parts = parsed_.arena_->types.emplace_back(1, type);
      type = SchemaType{.kind = TypeKind::Nested, .compound = keep(CompoundType{.parts = parts})};
    }
    type.element_is_optional = std::exchange(type.is_optional, false);
    type.is_list = true;
    return type;
  }

  SchemaType parse_type(AliasInfo& alias) {
    SchemaType type = parse_base_type(alias);
    for (;;) {
      if (lexer_.is("[") && lexer_.lookahead().text == "]") {
        lexer_.next();
        lexer_.next();
        type = as_list(type);
        parse_alias_of_list(alias);
      } else if (lexer_.next_if("?")) {
        TSC_CHECK(type.kind != TypeKind::None || type.is_list,
                  "After type unification was performed, the Union with the original types "
                  "{{NoneType NoneType, }} has the single type NoneType. Use the common supertype "
                  "instead of creating a Uniontype");
        type.is_optional = true;
      } else {
        return type;
      }
    }
  }
  static bool is_number_by_another_name(TypeKind kind) {
    return kind == TypeKind::SymInt || kind == TypeKind::ScalarType || kind == TypeKind::Layout ||
           kind == TypeKind::MemoryFormat;
  }
  // Of a part of another type, where aliases are read and mean nothing.
  SchemaType parse_part() {
    AliasInfo ignored;
    depth_++;
    const SchemaType type = parse_type(ignored);
    depth_--;
    return type;
  }

  SchemaType parse_base_type(AliasInfo& alias) {
    if (lexer_.is("(")) {
      return parse_compound(TypeKind::Tuple);
    }
    const SchemaToken token = lexer_.current();
    if (token.kind != TokenKind::Word || (token.text != "None" && token.text != "NoneType")) {
      if (token.kind != TokenKind::Identifier) {
        lexer_.expect(TokenKind::Identifier);
      }
      for (const TypeKind kind : {TypeKind::Future, TypeKind::Await, TypeKind::RRef}) {
        if (token.text == to_string(kind)) {
          lexer_.next();
          return parse_compound(kind);
        }
      }
      for (const TypeKind kind : {TypeKind::Dict, TypeKind::Union}) {
        if (token.text == to_string(kind)) {
          lexer_.next();
          const SchemaType type = parse_compound(kind);
          parse_alias(alias);
          return type;
        }
      }
    }
    lexer_.next();
    SchemaType type;
    if (const std::optional<TypeKind> kind = plain_type(token.text); kind.has_value()) {
      type.kind = depth_ > 0 && is_number_by_another_name(*kind) ? TypeKind::Int : *kind;
    } else if (token.text[0] >= 'a' && token.text[0] <= 'z') {
      std::string name(token.text);
      while (lexer_.next_if(".")) {
        name += fmt::format(".{}", lexer_.expect(TokenKind::Identifier).text);
      }
      type.kind = TypeKind::Variable;
      type.compound = keep(CompoundType{.name = keep(std::move(name))});
    } else {
      lexer_.fail(
          "unknown type specifier. Common valid schema types include Tensor, SymInt, int, float, "
          "bool, Scalar; for a full list, please see "
          "https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/README.md#func ",
          token);
    }
    parse_alias(alias);
    return type;
  }

  SchemaType parse_compound(TypeKind kind) {
    auto& parts = parsed_.arena_->types.emplace_back();
    std::vector<SchemaType> found;
    if (kind == TypeKind::Tuple) {
      parse_list("(", ",", ")", [&] { found.push_back(parse_part()); });
    } else {
      lexer_.expect("(");
      found.push_back(parse_part());
      if (kind == TypeKind::Dict) {
        check_key(found[0]);
        lexer_.expect(",");
        found.push_back(parse_part());
      }
      while (kind == TypeKind::Union && !lexer_.is(")")) {
        lexer_.expect(",");
        found.push_back(parse_part());
      }
      lexer_.expect(")");
    }
    if (kind == TypeKind::Union) {
      std::stable_sort(found.begin(), found.end(), [](const SchemaType& a, const SchemaType& b) {
        return rank_in_union(a) < rank_in_union(b);
      });
    }
    parts = std::move(found);
    return SchemaType{.kind = kind, .compound = keep(CompoundType{.parts = parts})};
  }

  static void check_key(const SchemaType& type) {
    const bool is_key = type.kind == TypeKind::Int || type.kind == TypeKind::Float ||
                        type.kind == TypeKind::Complex || type.kind == TypeKind::Tensor ||
                        type.kind == TypeKind::Device || type.kind == TypeKind::String ||
                        type.kind == TypeKind::Any;
    TSC_CHECK(is_key && !type.is_list && !type.is_optional,
              "Cannot create dict for key type '{}', only int, float, complex, Tensor, device and "
              "string keys are supported",
              to_string(type));
  }

  bool parse_alias(AliasInfo& alias) {
    if (lexer_.next_if("!")) {
      // A set of its own, by a number.
      alias.before = keep(fmt::format("${}", next_alias_++));
      alias.after = "";
      alias.is_write = true;
      alias.is_present = true;
      return true;
    }
    if (!lexer_.next_if("(")) {
      return false;
    }
    alias.is_present = true;
    alias.before = alias_set();
    alias.is_write = lexer_.next_if("!");
    alias.after = lexer_.next_if("->") ? alias_set() : alias.before;
    lexer_.expect(")");
    return true;
  }
  void parse_alias_of_list(AliasInfo& alias) {
    AliasInfo of_list;
    if (!parse_alias(of_list)) {
      return;
    }
    if (!alias.is_present) {
      alias = of_list;
      alias.is_behind_list = true;
      return;
    }
    alias.of_list = keep(
        fmt::format("({}{}{})", of_list.before, of_list.is_write ? "!" : "",
                    of_list.after == of_list.before ? "" : fmt::format(" -> {}", of_list.after)));
  }
  // As they are printed: the last one first.
  std::string_view alias_set() {
    std::vector<std::string_view> found;
    bool is_wildcard = false;
    do {
      if (lexer_.next_if("*")) {
        found.emplace_back("*");
        is_wildcard = true;
      } else if (!is_wildcard) {
        const std::string_view name = lexer_.expect(TokenKind::Identifier).text;
        if (std::find(found.begin(), found.end(), name) == found.end()) {
          found.push_back(name);
        }
      }
    } while (lexer_.next_if("|"));
    std::string text(found.back());
    for (size_t i = found.size() - 1; i-- > 0;) {
      text += fmt::format("|{}", found[i]);
    }
    return keep(std::move(text));
  }

  // As C reads it: digits up to what is none.
  static int64_t whole_number(std::string_view text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    TSC_CHECK(error != std::errc::result_out_of_range, "stoll");
    return value;
  }
  static double real_number(std::string_view text) {
    double value = 0;
    const bool negative = text.starts_with('-');
    const auto [end, error] =
        std::from_chars(text.data() + (negative ? 1 : 0), text.data() + text.size(), value);
    TSC_CHECK(error == std::errc(), "stod");
    return negative ? -value : value;
  }

  DefaultValue parse_default(const SchemaType& type) {
    if (type.is_optional) {
      return parse_constant(TypeKind::None);
    }
    if (type.is_list) {
      return parse_default_list(type);
    }
    const auto is_one_of = [&](std::initializer_list<TypeKind> kinds) {
      return std::find(kinds.begin(), kinds.end(), type.kind) != kinds.end();
    };
    if (is_one_of({TypeKind::Tensor, TypeKind::Generator, TypeKind::Quantizer})) {
      if (!lexer_.next_if("None")) {
        lexer_.fail_expecting("None");
      }
      return {.kind = DefaultValue::Kind::None};
    }
    if (is_one_of({TypeKind::String, TypeKind::Scalar, TypeKind::Int, TypeKind::SymInt,
                   TypeKind::ScalarType, TypeKind::Layout, TypeKind::MemoryFormat, TypeKind::Bool,
                   TypeKind::Float, TypeKind::Complex})) {
      return parse_constant(type.kind);
    }
    if (type.kind == TypeKind::Device) {
      const std::string_view text = unquoted(lexer_.expect(TokenKind::String).text);
      return {.kind = DefaultValue::Kind::Device, .text = keep(tsc::to_string(parse_device(text)))};
    }
    lexer_.fail("unexpected type, file a bug report");
  }

  // Whatever the type of the argument, except that a Float's number is one, and a Complex's is
  // imaginary.
  DefaultValue parse_constant(TypeKind kind) {
    if (lexer_.next_if("True")) {
      return {.kind = DefaultValue::Kind::Bool, .integer = 1};
    }
    if (lexer_.next_if("False")) {
      return {.kind = DefaultValue::Kind::Bool};
    }
    if (lexer_.next_if("None")) {
      return {.kind = DefaultValue::Kind::None};
    }
    if (lexer_.current().kind == TokenKind::String) {
      return {.kind = DefaultValue::Kind::String, .text = unquoted(lexer_.next().text)};
    }
    if (lexer_.current().kind == TokenKind::Identifier) {
      const std::string_view name = lexer_.next().text;
      if (const std::optional<int64_t> number = named_number(name); number.has_value()) {
        return {.kind = DefaultValue::Kind::Int, .integer = *number};
      }
      lexer_.fail("invalid numeric default value");
    }
    std::string text(lexer_.next_if("-") ? "-" : "");
    text += lexer_.expect(TokenKind::Number).text;
    if (kind == TypeKind::Complex || text.find('j') != text.npos) {
      return {.kind = DefaultValue::Kind::Complex,
              .real = real_number(std::string_view(text).substr(0, text.size() - 1))};
    }
    if (kind == TypeKind::Float || text.find_first_of(".e") != text.npos) {
      return {.kind = DefaultValue::Kind::Double, .real = real_number(text)};
    }
    return {.kind = DefaultValue::Kind::Int, .integer = whole_number(text)};
  }

  DefaultValue parse_default_list(const SchemaType& type) {
    const SchemaToken begin = lexer_.current();
    if (begin.kind == TokenKind::Identifier) {
      lexer_.fail_expecting("None");
    }
    const TypeKind kind = type.element_is_optional ? TypeKind::None : type.kind;
    std::vector<DefaultValue> items;
    if (type.list_size >= 0 && !lexer_.is("[")) {
      const DefaultValue one = parse_constant(kind);
      items.assign(static_cast<size_t>(type.list_size), one);
    } else {
      parse_list("[", ",", "]", [&] { items.push_back(parse_constant(kind)); });
    }
    if (!type.element_is_optional) {
      if (type.kind == TypeKind::Bool) {
        return bool_list(items);
      }
      if (type.kind == TypeKind::Int || is_number_by_another_name(type.kind)) {
        return int_list(items);
      }
      if (type.kind == TypeKind::Float) {
        return real_list(items, DefaultValue::Kind::Double, DefaultValue::Kind::DoubleList);
      }
      if (type.kind == TypeKind::Complex) {
        return real_list(items, DefaultValue::Kind::Complex, DefaultValue::Kind::ComplexList);
      }
    }
    lexer_.fail("lists are only supported for float, int and complex types", begin);
  }

  static void check_item(const DefaultValue& item, DefaultValue::Kind kind, const char* name) {
    TSC_CHECK(item.kind == kind, "expected {}", name);
  }
  DefaultValue bool_list(const std::vector<DefaultValue>& items) {
    auto& list = parsed_.arena_->bools.emplace_back(std::make_unique<bool[]>(items.size() + 1));
    for (size_t i = 0; i < items.size(); i++) {
      check_item(items[i], DefaultValue::Kind::Bool, "bool");
      list[i] = items[i].integer != 0;
    }
    return {.kind = DefaultValue::Kind::BoolList,
            .bools = ArrayRef<bool>(list.get(), items.size())};
  }
  DefaultValue int_list(const std::vector<DefaultValue>& items) {
    auto& list = parsed_.arena_->integers.emplace_back();
    for (const DefaultValue& item : items) {
      check_item(item, DefaultValue::Kind::Int, "int");
      list.push_back(item.integer);
    }
    return {.kind = DefaultValue::Kind::IntList, .integers = list};
  }
  DefaultValue real_list(const std::vector<DefaultValue>& items, DefaultValue::Kind of_items,
                         DefaultValue::Kind kind) {
    auto& list = parsed_.arena_->reals.emplace_back();
    for (const DefaultValue& item : items) {
      check_item(item, of_items, "double");
      list.push_back(item.real);
    }
    return {.kind = kind, .reals = list};
  }

  std::string_view unquoted(std::string_view literal) {
    const size_t width =
        literal.size() >= 6 && literal[1] == literal[0] && literal[2] == literal[0] ? 3 : 1;
    const std::string_view inner = literal.substr(width, literal.size() - 2 * width);
    std::string text;
    for (size_t i = 0; i < inner.size(); i++) {
      if (inner[i] != '\\' || i + 1 == inner.size()) {
        text += inner[i];
        continue;
      }
      const char c = inner[++i];
      switch (c) {
        case 'n': text += '\n'; break;
        case 't': text += '\t'; break;
        case 'r': text += '\r'; break;
        default: text += c;
      }
    }
    return keep(std::move(text));
  }

  ParsedSchema parsed_;
  SchemaLexer lexer_;
  int next_alias_ = 0;
  int depth_ = 0;  // of types within types
};

ParsedSchema parse_schema(std::string_view text) { return SchemaParser(text).parse(); }

std::pair<std::string, std::string> parse_operator_name(std::string_view text) {
  SchemaLexer lexer(text);
  OperatorName name = read_operator_name(lexer);
  lexer.expect(TokenKind::End);
  return {std::move(name.name), std::string(name.overload)};
}

}  // namespace tsc
