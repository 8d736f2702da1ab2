#include "interp/torch/dispatcher/operator_tags.h"

#include <algorithm>
#include <unordered_map>

#include "dispatch/static_operator.h"
#include "interp/torch/call/overloads.h"

namespace tsc::interp {

namespace {

class TagObject final : public Object {
 public:
  explicit TagObject(size_t which) : Object(kTagType), number(which) {}
  size_t number;
};

size_t number_of(const IValue& self) { return self.as_object<TagObject>()->number; }

// One object a tag.
IValue tag_of(size_t number) {
  static auto* const tags = [] {
    auto* made = new std::vector<IValue>;
    for (size_t i = 0; i < std::size(kTagNames); i++) {
      made->push_back(IValue::adopt(Tag::Object, new TagObject(i)));
    }
    return made;
  }();
  return (*tags)[number];
}

bool find_tag(std::string_view name, IValue& result) {
  const auto* const found = std::find(std::begin(kTagNames), std::end(kTagNames), name);
  if (found == std::end(kTagNames)) {
    return false;
  }
  result = tag_of(static_cast<size_t>(found - std::begin(kTagNames)));
  return true;
}

constexpr AttributeDef kOperatorTagsAttributes[] = {
    {"name", [](const IValue& self) { return IValue(kTagNames[number_of(self)]); }},
    {"value", [](const IValue& self) { return IValue(static_cast<int64_t>(number_of(self))); }},
};

constexpr Type make_tag_type() {
  Type type;
  type.name = "Tag";
  type.module = "torch";
  type.attributes = kOperatorTagsAttributes;
  type.find_constant = &find_tag;
  type.repr = [](const IValue& self, std::string& out) {
    out += fmt::format("<Tag.{}: {}>", kTagNames[number_of(self)], number_of(self));
  };
  type.str = [](const IValue& self, std::string& out) {
    out += fmt::format("Tag.{}", kTagNames[number_of(self)]);
  };
  type.hash = [](const IValue& self) { return static_cast<int64_t>(number_of(self)); };
  return type;
}

// By schema: an operator that is defined anew has a new one, and none is ever freed.
std::unordered_map<const FunctionSchema*, std::vector<IValue>>& defined_tags() {
  static auto* tags = new std::unordered_map<const FunctionSchema*, std::vector<IValue>>;
  return *tags;
}

}  // namespace

constinit const Type kTagType = make_tag_type();

IValue operator_tags(const OperatorHandle& op) {
  const StaticOperator* row = op.entry().row();
  if (row == nullptr) {
    const auto found = defined_tags().find(&op.schema());
    return make_list(found == defined_tags().end() ? std::vector<IValue>() : found->second);
  }
  std::vector<IValue> tags;
  for (size_t i = 0; i < std::size(kTagNames); i++) {
    if (row->has_tag(static_cast<OperatorTag>(i))) {
      tags.push_back(tag_of(i));
    }
  }
  return make_list(std::move(tags));
}

std::vector<IValue> tags_of_value(const IValue& value) {
  if (is_object_of(value, kTagType)) {
    return {value};
  }
  TSC_CHECK_TYPE(value.is_list() || value.is_tuple(),
                 "tags are torch.Tag, or a sequence of them, "
                 "not {}",
                 python_type_name(value));
  std::vector<IValue> tags = items_of(value);
  for (const IValue& tag : tags) {
    TSC_CHECK_TYPE(is_object_of(tag, kTagType), "a tag is a torch.Tag, not {}",
                   python_type_name(tag));
  }
  return tags;
}

void set_operator_tags(const FunctionSchema& schema, std::vector<IValue> tags) {
  if (!tags.empty()) {
    defined_tags()[&schema] = std::move(tags);
  }
}

IValue compliant_tag() { return tag_of(static_cast<size_t>(OperatorTag::pt2_compliant_tag)); }

}  // namespace tsc::interp
