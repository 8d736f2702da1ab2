#include "cuda/jit/elementwise_source.h"

#include <algorithm>

#include "cuda/jit/text.h"
#include "cuda/ops/names.h"

namespace tsc::cuda {

namespace {

char letter(int input) { return static_cast<char>('a' + input); }

bool is_scalar(const ElementwiseKey& key, int operand) { return (key.scalars >> operand & 1) != 0; }

std::string kernel_name(const ElementwiseFormula& formula, const ElementwiseKey& key) {
  const int operands = formula.outputs + formula.inputs;
  std::string name = formula.name;
  if (key.is_cast != 0) {
    name += fmt::format("_{}_cast", short_name(key.common));
  } else {
    const bool same = std::all_of(key.stored, key.stored + operands, [&](ScalarType type) {
      return type == key.common || type == ScalarType::Undefined;
    });
    for (int i = 0; i < (same ? 1 : operands); i++) {
      name += fmt::format("_{}", short_name(key.stored[i]));
    }
  }
  name += key.dims == 0 ? "_contiguous" : fmt::format("_strided{}", key.dims);
  name += fmt::format("_{}", key.width);
  if (key.scalars != 0) {
    name += "_number_";
    for (int i = 0; i < formula.inputs; i++) {
      if (is_scalar(key, formula.outputs + i)) name += letter(i);
    }
  }
  return name;
}

std::string explain(const ElementwiseFormula& formula, const ElementwiseKey& key) {
  std::string why = fmt::format("{} in {}", formula.name, to_string(key.common));
  why += key.dims == 0
             ? ", contiguous"
             : fmt::format(", strided in {} dimension{}", key.dims, key.dims == 1 ? "" : "s");
  why += key.is_cast != 0 ? ", dtypes as arguments" : "";
  for (int i = 0; i < formula.inputs; i++) {
    if (is_scalar(key, formula.outputs + i)) why += fmt::format(", {} is a number", letter(i));
  }
  return why + fmt::format(", {} element{} a thread", key.width, key.width == 1 ? "" : "s");
}

}  // namespace

std::string_view kernel_type(ScalarType type) {
  switch (type) {
    case ScalarType::Byte: return "uint8_t";
    case ScalarType::Char: return "int8_t";
    case ScalarType::Short: return "int16_t";
    case ScalarType::Int: return "int32_t";
    case ScalarType::Long: return "int64_t";
    case ScalarType::Half: return "half";
    case ScalarType::Float: return "float";
    case ScalarType::Double: return "double";
    case ScalarType::ComplexFloat: return "complex64";
    case ScalarType::ComplexDouble: return "complex128";
    case ScalarType::Bool: return "bool";
    case ScalarType::BFloat16: return "bfloat16";
    case ScalarType::QInt8:
    case ScalarType::QUInt8:
    case ScalarType::QInt32:
    case ScalarType::Undefined: break;
  }
  return "char";
}

std::string common_text() {
  std::string all;
  for (const std::string_view part :
       {text::prelude, text::complex_number, text::complex, text::math, text::ufunc_arithmetic,
        text::ufunc_ordering, text::ufunc_division, text::ufunc_special, text::ufunc_activation,
        text::formulas}) {
    all += part;
    all += '\n';
  }
  return all;
}

std::string special_text(std::string_view formula) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz_0123456789";
  const auto is_defined = [](std::string_view name) {
    const std::string function = fmt::format("TSC_FN T {}(", name);
    const std::string macro = fmt::format("({})", name);
    return text::ufunc_series.find(function) != std::string_view::npos ||
           text::special.find(function) != std::string_view::npos ||
           text::special.find(macro) != std::string_view::npos;
  };
  bool is_special = false;
  for (size_t end = formula.find('('); end != std::string_view::npos;
       end = formula.find('(', end + 1)) {
    const size_t begin = formula.substr(0, end).find_last_not_of(kLetters) + 1;
    is_special = is_special || (begin < end && is_defined(formula.substr(begin, end - begin)));
  }
  if (!is_special) return "";
  std::string all;
  for (const std::string_view part :
       {text::ufunc_series, text::lane, text::gamma_math, text::bessel_math,
        text::incomplete_gamma_math, text::special}) {
    all += part;
    all += '\n';
  }
  return all;
}

KernelSource elementwise_source(const ElementwiseFormula& formula, const ElementwiseKey& key) {
  const int outputs = formula.outputs;
  const int operands = outputs + formula.inputs;
  const bool is_contiguous = key.dims == 0;
  KernelSource source;
  source.name = kernel_name(formula, key);
  source.why = explain(formula, key);
  std::string& text = source.text;
  text = common_text();
  text += fmt::format(
      "constexpr int kBlock = {};\nconstexpr int kOperands = {};\nconstexpr int kNumbers = {};\n"
      "constexpr int kWidth = {};\nconstexpr int kDims = {};\nconstexpr unsigned kScalars = {};\n"
      "constexpr bool kIsContiguous = {};\nconstexpr bool kIsCast = {};\n"
      "using Compute = {};\nusing Common = {};\nusing Rounded = {};\n",
      kBlockSize, operands, std::max(formula.numbers, 1), key.width, is_contiguous ? 1 : key.dims,
      key.scalars, is_contiguous, key.is_cast != 0, kernel_type(formula.compute),
      kernel_type(key.common), kernel_type(formula.result));
  text += text::elementwise;
  if (!formula.code.empty()) {
    if (formula.is_users) {
      source.formula = formula.code;
      source.formula_line = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
    }
    text += formula.code + "\n";
  }

  // The operands of one element, and of a vector: what is declared, loaded and passed on.
  std::string parameters;
  std::string loads;
  std::string vectors;
  std::string elements;
  for (int i = 0; i < formula.inputs; i++) {
    const int k = outputs + i;
    const std::string_view in =
        formula.has_condition && i == 0 ? "bool" : kernel_type(formula.compute);
    const std::string load =
        fmt::format("load<{}, {}, {}>(arguments, place), ", k, kernel_type(key.stored[k]), in);
    parameters += fmt::format("{} {}, ", in, letter(i));
    loads += load;
    if (is_scalar(key, k)) {
      elements += load;
    } else {
      vectors += fmt::format(
          "  const auto {0} = *reinterpret_cast<const Vector<{1}, kWidth>*>(arguments.data[{2}] + "
          "place.offset[{2}]);\n",
          letter(i), kernel_type(key.stored[k]), k);
      elements += fmt::format("convert<{}>({}.element[j]), ", in, letter(i));
    }
  }
  std::string results;
  std::string references;
  std::string passed;
  std::string stores;
  std::string vector_results;
  std::string element_stores;
  std::string vector_stores;
  for (int k = 0; k < outputs; k++) {
    const std::string_view stored = kernel_type(key.stored[k]);
    results += fmt::format("Compute r{}; ", k);
    references += fmt::format(", Compute& r{}", k);
    passed += fmt::format(", r{}", k);
    stores += fmt::format("  store<{0}, {1}>(arguments, place, r{0});\n", k, stored);
    vector_results += fmt::format("  Vector<{}, kWidth> v{};\n", stored, k);
    element_stores +=
        fmt::format("    v{0}.element[j] = convert<{1}>(convert<Rounded>(r{0}));\n", k, stored);
    vector_stores += fmt::format(
        "  *reinterpret_cast<Vector<{1}, kWidth>*>(arguments.data[{0}] + place.offset[{0}]) = v{0};\n",
        k, stored);
  }
  const std::string_view numbers =
      "  const auto* const p = reinterpret_cast<const Compute*>(arguments.numbers);\n";
  if (outputs == 1) {
    text += fmt::format(
        "TSC_FN auto compute({}const Compute* p) {{\n  using T = Compute;\n  return {};\n}}\n",
        parameters, formula.text);
  } else {
    text += fmt::format(
        "TSC_FN void compute({}const Compute* p{}) {{\n  using T = Compute;\n  {};\n}}\n",
        parameters, references, formula.text);
  }
  const auto call = [&](const std::string& arguments) {
    return outputs == 1 ? fmt::format("const auto r0 = compute({}p);\n", arguments)
                        : fmt::format("{}compute({}p{});\n", results, arguments, passed);
  };
  text += fmt::format(
      "TSC_FN void run_one(const Arguments& arguments, uint32_t i) {{\n  const Place place(arguments, i);\n"
      "{}  {}{}}}\n",
      numbers, call(loads), stores);
  if (is_contiguous && key.is_cast == 0) {
    text += fmt::format(
        "TSC_FN void run_vector(const Arguments& arguments, uint32_t i) {{\n"
        "  const Place place(arguments, i);\n{}{}{}#pragma unroll\n"
        "  for (int j = 0; j < kWidth; j++) {{\n    {}{}  }}\n{}}}\n",
        numbers, vectors, vector_results, call(elements), element_stores, vector_stores);
  }
  text += is_contiguous && key.is_cast == 0 ? text::elementwise_vectors : text::elementwise_single;
  rename_entry(source, "elementwise_kernel");
  return source;
}

}  // namespace tsc::cuda
