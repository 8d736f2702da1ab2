// The module `numpy`: the functions that load and save data.
#include "core/npy.h"
#include "core/text/text_table.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/convert.h"
#include "interp/torch/modules.h"
#include "interp/torch/tensor/constructors.h"
#include "interp/torch/tensor/ndarray.h"

namespace tsc::interp {

namespace {

std::string path_argument(const Arguments& arguments, std::string_view function) {
  TSC_CHECK_TYPE(arguments[0].is_string(), "{}(): expected a path as str, not {}", function,
                 python_type_name(arguments[0]));
  return std::string(arguments[0].as_string());
}

Tensor array_argument(const IValue& value) {
  const Tensor array = tensor_of_ndarray(value);
  if (array.defined()) {
    return array;
  }
  if (value.is_tensor()) {
    TSC_CHECK(
        !value.as_tensor().requires_grad(),
        "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.");
    return value.as_tensor();
  }
  // NumPy's own default for numbers: int64 and float64.
  const IValue tensor = make_tensor(value, ScalarType::Undefined, Device(), true);
  const ScalarType dtype = tensor.as_tensor().dtype();
  return dtype == default_dtype()
             ? make_tensor(value, ScalarType::Double, Device(), false).as_tensor()
             : tensor.as_tensor();
}

std::optional<std::string> text_argument(const Arguments& arguments, size_t i) {
  if (!has_value(arguments, i)) {
    return std::nullopt;
  }
  TSC_CHECK_TYPE(arguments[i].is_string(), "expected str, not {}", python_type_name(arguments[i]));
  return std::string(arguments[i].as_string());
}

IValue load(Interpreter&, Arguments& arguments) {
  return make_ndarray(load_npy(path_argument(arguments, "load")));
}

IValue save(Interpreter&, Arguments& arguments) {
  save_npy(path_argument(arguments, "save"), array_argument(arguments[1]));
  return IValue();
}

// loadtxt(fname, dtype=float, comments="#", delimiter=None, skiprows=0, usecols=None,
//         unpack=False, ndmin=0, max_rows=None)
IValue loadtxt(Interpreter&, Arguments& arguments) {
  LoadTextOptions options;
  if (has_value(arguments, 1)) {
    options.dtype = dtype_of_value(arguments[1]);
    TSC_CHECK_TYPE(options.dtype != ScalarType::Undefined,
                   "loadtxt(): dtype must be torch.dtype, float, int or bool");
  }
  if (given(arguments, 2)) {
    options.comments.clear();
    if (const auto comments = text_argument(arguments, 2)) {
      options.comments.push_back(*comments);
    }
  }
  if (const auto delimiter = text_argument(arguments, 3)) {
    TSC_CHECK_TYPE(delimiter->size() == 1,
                   "Text reading control character must be a single unicode character or None; "
                   "but got: {}",
                   *delimiter);
    options.delimiter = (*delimiter)[0];
  }
  if (has_value(arguments, 4)) {
    options.skiprows = to_index(arguments[4]);
  }
  if (has_value(arguments, 5)) {
    const DimVector columns = arguments[5].is_int()
                                  ? DimVector{arguments[5].as_int()}
                                  : ints_of_value(arguments[5], "loadtxt", "usecols");
    options.usecols.assign(columns.begin(), columns.end());
  }
  options.unpack = has_value(arguments, 6) && is_true(arguments[6]);
  if (has_value(arguments, 7)) {
    options.ndmin = to_index(arguments[7]);
  }
  if (has_value(arguments, 8)) {
    options.max_rows = to_index(arguments[8]);
  }
  return make_ndarray(load_text_table(path_argument(arguments, "loadtxt"), options));
}

// savetxt(fname, X, fmt="%.18e", delimiter=" ", newline="\n", header="", footer="", comments="# ")
IValue savetxt(Interpreter&, Arguments& arguments) {
  SaveTextOptions options;
  if (has_value(arguments, 2)) {
    options.formats.clear();
    std::vector<IValue> formats;
    if (arguments[2].is_string()) {
      formats.push_back(arguments[2]);
    } else {
      append_items(arguments[2], formats);
    }
    for (const IValue& format : formats) {
      TSC_CHECK_TYPE(format.is_string(), "savetxt(): fmt must be str or a sequence of str");
      options.formats.emplace_back(format.as_string());
    }
  }
  options.delimiter = text_argument(arguments, 3).value_or(options.delimiter);
  options.newline = text_argument(arguments, 4).value_or(options.newline);
  options.header = text_argument(arguments, 5).value_or(options.header);
  options.footer = text_argument(arguments, 6).value_or(options.footer);
  options.comments = text_argument(arguments, 7).value_or(options.comments);
  save_text_table(path_argument(arguments, "savetxt"), array_argument(arguments[1]), options);
  return IValue();
}

constexpr BuiltinDef kNumpyFunctions[] = {
    {"load", &load, 1, 1, "file"},
    {"loadtxt", &loadtxt, 1, 9,
     "fname dtype comments delimiter skiprows usecols unpack ndmin max_rows"},
    {"save", &save, 2, 2, "file arr"},
    {"savetxt", &savetxt, 2, 8, "fname X fmt delimiter newline header footer comments"},
};

template <ScalarType kDtype>
IValue numpy_dtype_constant() {
  return kDtype;
}
constexpr ModuleConstant kNumpyConstants[] = {
    {"float32", &numpy_dtype_constant<ScalarType::Float>},
    {"float64", &numpy_dtype_constant<ScalarType::Double>},
    {"int32", &numpy_dtype_constant<ScalarType::Int>},
    {"int64", &numpy_dtype_constant<ScalarType::Long>},
    {"ndarray", [] { return type_value(kNdarrayType); }},
    {"uint8", &numpy_dtype_constant<ScalarType::Byte>},
};

}  // namespace

const ModuleInfo kNumpyModule{
    .name = "numpy", .functions = kNumpyFunctions, .constants = kNumpyConstants};

}  // namespace tsc::interp
