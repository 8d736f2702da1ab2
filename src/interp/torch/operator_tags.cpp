#include "interp/torch/operator_tags.h"

#include <algorithm>
#include <unordered_map>

#include "interp/torch/overloads.h"

namespace tsc::interp {

namespace {

// By PyTorch's numbers: in alphabetical order.
constexpr std::string_view kTags[] = {
    "core",
    "cudagraph_unsafe",
    "data_dependent_output",
    "dynamic_output_shape",
    "flexible_layout",
    "generated",
    "inplace",
    "inplace_view",
    "maybe_aliasing_or_mutating",
    "needs_contiguous_strides",
    "needs_exact_strides",
    "needs_fixed_stride_order",
    "nondeterministic_bitwise",
    "nondeterministic_seeded",
    "out",
    "out_variant",
    "pointwise",
    "pt2_compliant_tag",
    "reduction",
    "view_copy",
};

// The operators of aten:: that have a tag: "add.Tensor" for one, "add*" for every form of add.
struct Tagged {
  std::string_view tag;
  std::string_view operators;
};
constexpr Tagged kTagged[] = {
    {"core",
     "_cdist_forward* _fft_c2r _fft_r2c _local_scalar_dense* _log_softmax _softmax _to_copy* "
     "abs acos acosh add.Scalar add.Tensor addmm alias* amax amin any any.dim any.dims "
     "arange.start_step argmax argmin as_strided asin asinh atan atan2 atan2.out atanh "
     "bitwise_and.Scalar bitwise_and.Tensor bitwise_not bitwise_or.Scalar bitwise_or.Tensor "
     "bitwise_xor.Scalar bitwise_xor.Tensor bmm cat ceil clamp clamp.Tensor clone* "
     "constant_pad_nd copy cos cosh cumsum diagonal* div.Scalar div.Scalar_mode div.Tensor "
     "div.Tensor_mode elu embedding embedding_dense_backward* empty.memory_format "
     "empty_strided* eq.Scalar eq.Tensor erf exp expand* expm1 fill.Scalar flip* floor "
     "fmod.Scalar fmod.Tensor full full_like* gather ge.Scalar ge.Tensor gelu gt.Scalar "
     "gt.Tensor hardtanh index.Tensor index_put index_select isinf* isnan* le.Scalar "
     "le.Tensor leaky_relu log log10 log1p log2 logical_and logical_not logical_or "
     "logical_xor lt.Scalar lt.Tensor masked_scatter max.dim maximum mean mean.dim min.dim "
     "minimum mm mul.Scalar mul.Tensor native_dropout* native_group_norm* "
     "native_group_norm_backward* native_layer_norm* native_layer_norm_backward* ne.Scalar "
     "ne.Tensor neg nonzero permute* pow.Scalar pow.Tensor_Scalar pow.Tensor_Tensor prod "
     "prod.dim_int rand randn randperm reciprocal relu remainder.Scalar remainder.Tensor "
     "repeat* resize* round rsqrt scalar_tensor* scatter.src scatter.value scatter_add "
     "scatter_reduce.two select* select_scatter* sigmoid sign sin sinh slice* slice_scatter* "
     "sort split_with_sizes* sqrt squeeze.dim squeeze.dims sub.Scalar sub.Tensor "
     "sum.dim_IntList tan tanh topk trunc unsqueeze var.correction var.dim view where.self"},
    {"data_dependent_output", "_local_scalar_dense* allclose* equal* item*"},
    {"dynamic_output_shape",
     "_unique2* argwhere* bincount* index.Tensor linalg_lstsq* masked_select* nonzero* "
     "one_hot* repeat_interleave.Tensor unique_consecutive* unique_dim*"},
    {"generated",
     "bernoulli.Tensor cauchy constant_pad_nd.out embedding.out exponential geometric "
     "linalg_matrix_exp.out linalg_matrix_sqrth.out log_normal masked_scatter.out put.out "
     "random random.from random.to uniform zero"},
    {"inplace_view",
     "as_strided_ detach_ resize* squeeze_ squeeze_.dim squeeze_.dims t_ transpose_ "
     "unsqueeze_"},
    {"maybe_aliasing_or_mutating",
     "alpha_dropout atleast_1d* atleast_2d* atleast_3d* batch_norm* cartesian_prod* "
     "conj_physical dropout feature_alpha_dropout feature_dropout unsafe_chunk*"},
    {"nondeterministic_seeded",
     "alpha_dropout* bernoulli* cauchy* dropout* exponential* feature_alpha_dropout* "
     "feature_dropout* geometric* log_normal* multinomial* native_dropout* normal* "
     "normal_functional* rand* rand_like* randint* randint_like* randn* randn_like* random* "
     "randperm* scaled_dot_product_attention* uniform*"},
    {"pointwise",
     "__ilshift__* __ixor__* __lshift__* __rshift__* __xor__* _conj_physical* abs abs.out "
     "acos* acosh* add* addcdiv* addcmul* angle* asin* asinh* atan* atan2* atanh* "
     "bitwise_and* bitwise_left_shift* bitwise_not* bitwise_or* bitwise_right_shift* "
     "bitwise_xor* ceil* celu* clamp* clamp_max* clamp_min* clip clip.Tensor clip.out clip_ "
     "clone* conj_physical* copysign.Scalar copysign.Scalar_out copysign.Tensor copysign.out "
     "cos* cosh* deg2rad* digamma* div* elu elu_ eq.Scalar eq.Scalar_out eq.Tensor "
     "eq.Tensor_out equal* erf* erfc* erfinv* exp* exp2* expm1* float_power* floor* fmax* "
     "fmin* fmod* frac* gcd gcd.out ge.Scalar ge.Scalar_out ge.Tensor ge.Tensor_out gelu "
     "gelu_backward gt.Scalar gt.Scalar_out gt.Tensor gt.Tensor_out hardshrink hardsigmoid "
     "hardsigmoid_ hardtanh hardtanh_ heaviside heaviside.out hypot* i0* isfinite* isinf* "
     "isnan* lcm lcm.out le.Scalar le.Scalar_out le.Tensor le.Tensor_out leaky_relu "
     "leaky_relu_ lerp* lgamma* log* log10* log1p* log2* logaddexp* logaddexp2* logical_and* "
     "logical_not* logical_or* logical_xor* logit* lt.Scalar lt.Scalar_out lt.Tensor "
     "lt.Tensor_out masked_fill.Scalar max.other max.out maximum* min.other min.out minimum* "
     "mish mul* mvlgamma* nan_to_num* native_dropout_backward* ne.Scalar ne.Scalar_out "
     "ne.Tensor ne.Tensor_out neg* nextafter* polygamma* positive* pow* rad2deg* reciprocal* "
     "relu* relu6 remainder* round* rsqrt* rsub.Scalar selu* sgn* sigmoid* sigmoid_backward* "
     "sign* signbit* silu* silu_backward* sin* sinc* sinh* softplus softshrink special_entr* "
     "special_erfcx* special_i0e* special_i1* special_i1e* special_log_ndtr* special_ndtri* "
     "special_xlog1py* special_zeta* sqrt* square* sub* tan* tanh* tanh_backward* threshold "
     "threshold_backward true_divide.Tensor trunc* where.self xlogy.OutScalar_Other "
     "xlogy.OutScalar_Self xlogy.OutTensor xlogy.Scalar_Other xlogy.Scalar_Self xlogy.Tensor "
     "xlogy_.Tensor"},
    {"reduction",
     "all* amax* amin* aminmax* any* argmax* argmin* count_nonzero* linalg_vector_norm* "
     "logsumexp* max max.dim max.dim_max max.unary_out mean* min min.dim min.dim_min "
     "min.unary_out nansum* norm* prod* std* std_mean* sum* var* var_mean*"},
    {"view_copy",
     "_reshape_alias_copy* alias_copy* as_strided_copy* detach_copy* diagonal_copy* "
     "expand_copy* lift_fresh_copy* permute_copy* select_copy* slice_copy* slice_scatter* "
     "split_copy* split_with_sizes_copy* squeeze_copy* t_copy* transpose_copy* unbind_copy* "
     "unfold_copy* unsqueeze_copy* view_as_complex_copy* view_as_real_copy* view_copy*"},
};

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
    for (size_t i = 0; i < std::size(kTags); i++) {
      made->push_back(IValue::adopt(Tag::Object, new TagObject(i)));
    }
    return made;
  }();
  return (*tags)[number];
}

bool find_tag(std::string_view name, IValue& result) {
  const auto* const found = std::find(std::begin(kTags), std::end(kTags), name);
  if (found == std::end(kTags)) {
    return false;
  }
  result = tag_of(static_cast<size_t>(found - std::begin(kTags)));
  return true;
}

constexpr AttributeDef kAttributes[] = {
    {"name", [](const IValue& self) { return IValue(kTags[number_of(self)]); }},
    {"value", [](const IValue& self) { return IValue(static_cast<int64_t>(number_of(self))); }},
};

constexpr Type make_tag_type() {
  Type type;
  type.name = "Tag";
  type.module = "torch";
  type.attributes = kAttributes;
  type.find_constant = &find_tag;
  type.repr = [](const IValue& self, std::string& out) {
    out += fmt::format("<Tag.{}: {}>", kTags[number_of(self)], number_of(self));
  };
  type.str = [](const IValue& self, std::string& out) {
    out += fmt::format("Tag.{}", kTags[number_of(self)]);
  };
  type.hash = [](const IValue& self) { return static_cast<int64_t>(number_of(self)); };
  return type;
}

// "add" of add.Tensor, add_.Tensor and add.out.
std::string_view stem_of(std::string_view name) {
  const bool in_place = name.ends_with('_') && !name.ends_with("__");
  return name.substr(0, name.size() - (in_place ? 1 : 0));
}

bool lists(std::string_view operators, const FunctionSchema& schema) {
  const std::string_view base = schema.base_name();
  const std::string one = schema.overload_name.empty()
                              ? std::string(base)
                              : fmt::format("{}.{}", base, schema.overload_name);
  const std::string every = fmt::format("{}*", stem_of(base));
  while (!operators.empty()) {
    const size_t end = std::min(operators.find(' '), operators.size());
    const std::string_view name = operators.substr(0, end);
    if (name == one || name == every) {
      return true;
    }
    operators.remove_prefix(std::min(end + 1, operators.size()));
  }
  return false;
}

bool is_in_place(const FunctionSchema& schema) {
  const std::string_view base = schema.base_name();
  return stem_of(base) != base || (base.starts_with("__i") && base.ends_with("__"));
}

bool has_tag(const FunctionSchema& schema, std::string_view tag) {
  if (tag == "pt2_compliant_tag") {
    return true;
  }
  if (tag == "inplace") {
    return is_in_place(schema);
  }
  if (tag == "out") {
    return std::any_of(schema.arguments.begin(), schema.arguments.end(),
                       [](const Argument& argument) { return argument.is_out; });
  }
  return std::any_of(std::begin(kTagged), std::end(kTagged), [&](const Tagged& row) {
    return row.tag == tag && lists(row.operators, schema);
  });
}

// By schema: an operator that is defined anew has a new one, and none is ever freed.
std::unordered_map<const FunctionSchema*, std::vector<IValue>>& defined_tags() {
  static auto* tags = new std::unordered_map<const FunctionSchema*, std::vector<IValue>>;
  return *tags;
}

}  // namespace

constinit const Type kTagType = make_tag_type();

IValue operator_tags(const FunctionSchema& schema) {
  if (schema.namespace_name() != "aten") {
    const auto found = defined_tags().find(&schema);
    return make_list(found == defined_tags().end() ? std::vector<IValue>() : found->second);
  }
  std::vector<IValue> tags;
  for (size_t i = 0; i < std::size(kTags); i++) {
    if (has_tag(schema, kTags[i])) {
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

IValue compliant_tag() {
  IValue tag;
  find_tag("pt2_compliant_tag", tag);
  return tag;
}

}  // namespace tsc::interp
