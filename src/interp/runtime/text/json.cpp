#include "interp/runtime/text/json.h"

#include <nlohmann/json.hpp>

#include "interp/runtime/containers/dict.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

namespace {

nlohmann::ordered_json to_json(const IValue& value) {
  if (value.is_none()) {
    return nullptr;
  }
  if (value.is_bool()) {
    return value.as_bool();
  }
  if (value.is_int()) {
    return value.as_int();
  }
  if (value.is_double()) {
    return value.as_double();
  }
  if (value.is_string()) {
    return value.as_string();
  }
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  if (value.is_list()) {
    for (const IValue& item : value.as_list()->items) {
      json.push_back(to_json(item));
    }
  } else if (value.is_tuple()) {
    for (const IValue& item : *value.as_tuple()) {
      json.push_back(to_json(item));
    }
  } else if (value.tag() == Tag::Dict) {
    json = nlohmann::ordered_json::object();
    for (const DictObject::Entry& entry : as_dict(value)->entries()) {
      if (!entry.is_removed()) {
        json[std::string(to_text(entry.key))] = to_json(entry.value);
      }
    }
  } else {
    throw_error(ErrorKind::TypeError, "Object of type {} is not JSON serializable",
                type_name(value));
  }
  return json;
}

}  // namespace

std::string json_text(const IValue& value) {
  // Text that is not UTF-8 (a script's file name) is replaced, so that the rest can be written.
  return to_json(value).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace tsc::interp
