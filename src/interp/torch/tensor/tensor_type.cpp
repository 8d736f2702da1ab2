// torch.Tensor: its slots and attributes. Methods that are operators are found by name; the others
// are in tensor_methods.cpp.
#include "autograd/variable.h"
#include "core/keys/thread_local_state.h"
#include "interp/runtime/containers/iterators.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/value_types.h"
#include "interp/runtime/text/format.h"
#include "interp/torch/autograd/graph_objects.h"
#include "interp/torch/call/convert.h"
#include "interp/torch/call/operator_ref.h"
#include "interp/torch/dispatcher/script_backend.h"
#include "interp/torch/tensor/indexing.h"
#include "interp/torch/tensor/named_tensor.h"
#include "interp/torch/tensor/print_options.h"
#include "interp/torch/tensor/tensor_methods.h"
#include "interp/torch/tensor/tensor_operators.h"
#include "keys/tracer.h"

namespace tsc::interp {

namespace {

constinit OperatorRef item_op("aten::item", "");
constinit OperatorRef eq_scalar_op("aten::eq", "Scalar");
constinit OperatorRef eq_tensor_op("aten::eq", "Tensor");
constinit OperatorRef any_op("aten::any", "");
constinit OperatorRef abs_op("aten::abs", "");
constinit OperatorRef unbind_op("aten::unbind", "int");
constinit OperatorRef numpy_t_op("aten::numpy_T", "");
constinit OperatorRef mt_op("aten::mT", "");
constinit OperatorRef mh_op("aten::mH", "");
constinit OperatorRef matrix_h_op("aten::matrix_H", "");
constinit OperatorRef real_op("aten::real", "");
constinit OperatorRef imag_op("aten::imag", "");

const Tensor& tensor_of(const IValue& value) { return value.as_tensor(); }

void repr_tensor(const IValue& self, std::string& out) { out += format_tensor(tensor_of(self)); }

void format_tensor_spec(const IValue& self, std::string_view spec, std::string& out) {
  if (tensor_of(self).dim() == 0 && !tensor_of(self).is_meta()) {
    append_format(item_op(self), spec, out);
    return;
  }
  TSC_CHECK_TYPE(spec.empty(), "unsupported format string passed to Tensor.__format__");
  repr_tensor(self, out);
}

// Reads the element as a Python value, which a traced function's graph cannot follow.
Scalar element_as(std::string_view what, const IValue& self) {
  if (TSC_LIKELY(!keys::is_tracing_function())) {
    return item_op(self).to_scalar();
  }
  keys::warn_of_python_value(what);
  const ExcludeDispatchKeyGuard untraced{DispatchKeySet(DispatchKey::Tracer)};
  return item_op(self).to_scalar();
}

bool tensor_truth(const IValue& self) {
  const int64_t numel = tensor_of(self).numel();
  TSC_CHECK(numel != 0, "Boolean value of Tensor with no values is ambiguous");
  TSC_CHECK(numel == 1, "Boolean value of Tensor with more than one value is ambiguous");
  return element_as("boolean", self).to_bool();
}

int64_t tensor_length(const IValue& self) {
  if (TSC_UNLIKELY(keys::is_tracing_function())) {
    warn_text(
        ErrorKind::TracerWarning,
        "Using len to get tensor shape might cause the trace to be incorrect. Recommended usage "
        "would be tensor.shape[0]. Passing a tensor of different shape might lead to errors or "
        "silently give incorrect results.");
  }
  TSC_CHECK_TYPE(tensor_of(self).dim() > 0, "len() of a 0-d tensor");
  return tensor_of(self).sizes()[0];
}

int64_t tensor_to_index(const IValue& self) {
  TSC_CHECK_TYPE(tensor_of(self).numel() == 1 && is_integral(tensor_of(self).dtype(), true),
                 "only integer tensors of a single element can be converted to an index");
  return element_as("index", self).to_int();
}

// For int(), float() and complex(), whose error message differs from item()'s.
Scalar python_number(std::string_view what, const IValue& self) {
  if (tensor_of(self).numel() != 1) {
    throw_not_one_element();
  }
  return element_as(what, self);
}

int64_t tensor_to_int(const IValue& self) {
  const Scalar scalar = python_number("integer", self);
  if (scalar.is_double()) {
    TSC_CHECK_VALUE(!std::isnan(scalar.to_double()), "cannot convert float NaN to integer");
    TSC_CHECK_KIND(OverflowError, !std::isinf(scalar.to_double()),
                   "cannot convert float infinity to integer");
  }
  if (scalar.is_complex() && scalar.to_complex().imag() != 0) {
    throw_scalar_overflow("int64_t");
  }
  return scalar.to_int();
}

double tensor_to_float(const IValue& self) {
  const Scalar scalar = python_number("float", self);
  TSC_CHECK(!scalar.is_complex() || scalar.to_complex().imag() == 0,
            "value cannot be converted to type double without overflow");
  return scalar.to_double();
}

IValue iterate_tensor(const IValue& self) {
  TSC_CHECK_TYPE(tensor_of(self).dim() > 0, "iteration over a 0-d tensor");
  if (TSC_UNLIKELY(keys::is_tracing_function())) {
    warn_text(
        ErrorKind::TracerWarning,
        "Iterating over a tensor might cause the trace to be incorrect. Passing a tensor of "
        "different shape won't change the number of iterations executed (and might lead to errors "
        "or silently give incorrect results).");
  }
  IValue rows = unbind_op(self, 0);
  std::vector<IValue> items;
  for (const Tensor& row : detail::unbox_tensor_list(rows)) {
    items.emplace_back(row);
  }
  return get_iterator(make_tuple(std::move(items)));
}

bool tensor_contains(const IValue& self, const IValue& item) {
  TSC_CHECK(item.is_tensor() || item.is_scalar(),
            "Tensor.__contains__ only supports Tensor or scalar, but you passed in a {}.",
            repr(type_value(type_of(item))));
  const IValue equal = item.is_tensor() ? eq_tensor_op(self, item) : eq_scalar_op(self, item);
  return item_op(any_op(equal)).to_scalar().to_bool();
}

// --- Attributes ---

IValue h_of(const IValue& self) {
  const int64_t dim = tensor_of(self).dim();
  TSC_CHECK(dim == 0 || dim == 2,
            "tensor.H is only supported on matrices (2-D tensors). Got {}-D tensor.{}", dim,
            dim > 2 ? " For batches of matrices, consider using tensor.mH" : "");
  return matrix_h_op(self);
}

IValue grad_fn_of(const IValue& self) {
  autograd::Node* node = autograd::grad_fn(tensor_of(self));
  return node == nullptr ? IValue() : make_node_object(intrusive_ptr<autograd::Node>::share(node));
}

IValue tensor_or_none(Tensor tensor) {
  return tensor.defined() ? IValue(std::move(tensor)) : IValue();
}

IValue base_of_view(const IValue& self) {
  const AutogradMeta* meta = tensor_of(self).impl()->autograd_meta();
  return meta == nullptr ? IValue() : tensor_or_none(meta->view_base);
}

IValue nbytes_of(const IValue& self) {
  TSC_CHECK(!tensor_of(self).is_sparse(),
            "nbytes is not defined for sparse tensors.  If you want the size of the constituent "
            "tensors, add the nbytes of the indices and values.  If you want the size of the  "
            "equivalent dense tensor, multiply numel() by element_size()");
  return tensor_of(self).nbytes();
}

bool retains_grad(const IValue& self) {
  const AutogradMeta* meta = tensor_of(self).impl()->autograd_meta();
  return meta != nullptr && meta->retains_grad;
}

constexpr AttributeDef kTensorAttributes[] = {
    {"H", &h_of},
    {"T", [](const IValue& self) { return numpy_t_op(self); }},
    {"_base", &base_of_view},
    {"_version", [](const IValue& self) { return IValue(autograd::version_of(tensor_of(self))); }},
    {"data", [](const IValue& self) { return IValue(autograd::variable_data(tensor_of(self))); }},
    {"device", [](const IValue& self) { return IValue(tensor_of(self).device()); }},
    {"dtype", [](const IValue& self) { return IValue(tensor_of(self).dtype()); }},
    {"grad", [](const IValue& self) { return tensor_or_none(autograd::grad(tensor_of(self))); }},
    {"grad_fn", &grad_fn_of},
    {"imag", [](const IValue& self) { return imag_op(self); }},
    {"is_cpu", [](const IValue& self) { return IValue(tensor_of(self).is_cpu()); }},
    {"is_cuda", [](const IValue& self) { return IValue(tensor_of(self).is_cuda()); }},
    {"is_leaf", [](const IValue& self) { return IValue(autograd::is_leaf(tensor_of(self))); }},
    {"is_meta", [](const IValue& self) { return IValue(tensor_of(self).is_meta()); }},
    {"is_quantized", [](const IValue& self) { return IValue(tensor_of(self).is_quantized()); }},
    {"is_sparse", [](const IValue& self) { return IValue(tensor_of(self).is_sparse()); }},
    {"is_sparse_csr",
     [](const IValue& self) { return IValue(tensor_of(self).layout() == Layout::SparseCsr); }},
    {"itemsize", [](const IValue& self) { return IValue(tensor_of(self).itemsize()); }},
    {"layout", [](const IValue& self) { return IValue(tensor_of(self).layout()); }},
    {"mH", [](const IValue& self) { return mh_op(self); }},
    {"mT", [](const IValue& self) { return mt_op(self); }},
    {"names", [](const IValue& self) { return names_attribute(tensor_of(self)); }},
    {"nbytes", &nbytes_of},
    {"ndim", [](const IValue& self) { return IValue(tensor_of(self).dim()); }},
    {"output_nr",
     [](const IValue& self) {
       const AutogradMeta* meta = tensor_of(self).impl()->autograd_meta();
       return IValue(meta == nullptr ? 0 : meta->output_nr);
     }},
    {"real", [](const IValue& self) { return real_op(self); }},
    {"requires_grad", [](const IValue& self) { return IValue(tensor_of(self).requires_grad()); }},
    {"retains_grad", [](const IValue& self) { return IValue(retains_grad(self)); }},
    {"shape", [](const IValue& self) { return sizes_of_tensor(tensor_of(self)); }},
};

bool set_tensor_attribute(const IValue& self, std::string_view name, const IValue* value) {
  const Tensor& tensor = tensor_of(self);
  if (name == "requires_grad") {
    TSC_CHECK(value != nullptr && value->is_bool(), "requires_grad must be a bool");
    autograd::assign_requires_grad(tensor, value->as_bool());
    return true;
  }
  if (name == "grad") {
    if (value == nullptr || value->is_none()) {
      autograd::set_grad(tensor, Tensor());
      return true;
    }
    TSC_CHECK_TYPE(value->is_tensor(),
                   "assigned grad expected to be a Tensor or None but got grad of type {}",
                   type_name(*value));
    autograd::set_grad(tensor, value->as_tensor());
    return true;
  }
  if (name == "data") {
    TSC_CHECK_TYPE(value != nullptr && value->is_tensor(),
                   "Variable data has to be a tensor, but got {}",
                   value == nullptr ? "nothing" : type_name(*value));
    assign_data(tensor, value->as_tensor());
    return true;
  }
  if (name == "names") {
    TSC_CHECK(value != nullptr, "can't delete names attribute");
    assign_names_attribute(tensor, *value);
    return true;
  }
  if (name == "real" || name == "imag") {
    TSC_CHECK(value != nullptr, "can't delete {} attribute", name);
    set_tensor_item(name == "real" ? real_op(self) : imag_op(self), ellipsis(), *value);
    return true;
  }
  return set_backend_attribute(self, name, value);
}

constexpr Type make_tensor_type() {
  Type type;
  type.name = "Tensor";
  type.module = "torch";
  type.methods = {kTensorMethodTable, kTensorMethodCount};
  type.attributes = kTensorAttributes;
  type.find_dynamic_method = [](std::string_view name) {
    const BuiltinDef* method = find_method_set(name);
    method = method != nullptr ? method : find_named_method(name);
    return method != nullptr ? method : find_backend_method(name);
  };
  type.list_dynamic_methods = &list_method_names;
  type.get_rare_attribute = &get_backend_attribute;
  type.repr = &repr_tensor;
  type.format = &format_tensor_spec;
  type.truth = &tensor_truth;
  type.length = &tensor_length;
  type.index = &tensor_to_index;
  type.to_int = &tensor_to_int;
  type.to_float = &tensor_to_float;
  type.to_complex = [](const IValue& self) { return python_number("complex", self).to_complex(); };
  type.absolute = [](const IValue& self) { return abs_op(self); };
  type.iterate = &iterate_tensor;
  type.get_item = &get_tensor_item;
  // NOLINTNEXTLINE(performance-unnecessary-value-param)
  type.set_item = [](const IValue& self, const IValue& key, IValue value) {
    set_tensor_item(self, key, value);
  };
  type.contains = &tensor_contains;
  type.binary = &tensor_binary;
  type.binary_of_last = &tensor_binary_of_last;
  type.inplace = &tensor_inplace;
  type.unary = &tensor_unary;
  type.compare = &tensor_compare;
  type.set_attribute = &set_tensor_attribute;
  return type;
}

}  // namespace

constinit const Type kTensorType = make_tensor_type();

}  // namespace tsc::interp
