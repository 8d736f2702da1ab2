#include "keys/explain.h"

#include <algorithm>

#include "core/autograd_meta.h"
#include "core/compute_key_set.h"
#include "core/tensor_factory.h"
#include "core/thread_local_state.h"
#include "dispatch/dispatcher.h"
#include "keys/named.h"

namespace tsc::keys {

namespace {

// Tells the recorder of a hop's end, however it ends.
class RecordedHop {
 public:
  RecordedHop(RouteRecorder& recorder, const RouteHop& hop, int& depth)
      : recorder_(recorder), hop_(hop), depth_(depth) {
    recorder_.on_enter(hop_);
    depth_++;
  }
  void leave(const IValue* returns, size_t num_returns) {
    depth_--;
    is_open_ = false;
    recorder_.on_leave(hop_, returns, num_returns, 0);
  }
  ~RecordedHop() {
    if (is_open_) {
      leave(nullptr, 0);
    }
  }
  RecordedHop(const RecordedHop&) = delete;
  RecordedHop& operator=(const RecordedHop&) = delete;

 private:
  RouteRecorder& recorder_;
  const RouteHop& hop_;
  int& depth_;
  bool is_open_ = true;
};

// For a Meta kernel: nobody watches, and of the columns only the choice of a factory's backend is
// on.
class PlainCalls {
 public:
  PlainCalls() : saved_(tls()) {
    tls().included = DispatchKeySet(DispatchKey::BackendSelect);
    tls().excluded =
        kDefaultExcluded | kAutogradKeys | DispatchKeySet(DispatchKey::ADInplaceOrView);
    tls().watched = false;
  }
  ~PlainCalls() { tls() = saved_; }
  PlainCalls(const PlainCalls&) = delete;
  PlainCalls& operator=(const PlainCalls&) = delete;

 private:
  ThreadLocalState saved_;
};

template <class F>
void for_each_tensor(const IValue& value, F f) {
  if (value.is_tensor() && value.as_tensor().defined()) {
    f(value.as_tensor());
  } else if (value.tag() == Tag::TensorList) {
    for (const Tensor& tensor : value.as_tensor_list()->values) {
      if (tensor.defined()) {
        f(tensor);
      }
    }
  }
}

DispatchKeySet meta_keys(const Tensor& tensor) {
  return compute_key_set(Device(DeviceType::Meta), tensor.layout(), tensor.dtype());
}

// Stand-ins as what they are, tensors on Meta, until the end of the scope.
class AsMeta {
 public:
  void add(const Tensor& tensor) {
    saved_.emplace_back(tensor, tensor.key_set());
    tensor.impl()->set_key_set(meta_keys(tensor));
  }
  bool has(const Tensor& tensor) const {
    return std::any_of(saved_.begin(), saved_.end(),
                       [&](const auto& known) { return known.first.is_same(tensor); });
  }
  AsMeta() = default;
  ~AsMeta() {
    // Backwards: a tensor that is an argument twice had its own keys the first time.
    for (auto it = saved_.rbegin(); it != saved_.rend(); ++it) {
      it->first.impl()->set_key_set(it->second);
    }
  }
  AsMeta(const AsMeta&) = delete;
  AsMeta& operator=(const AsMeta&) = delete;

 private:
  std::vector<std::pair<Tensor, DispatchKeySet>> saved_;
};

template <class T>
class Restored {
 public:
  explicit Restored(T& value) : value_(value), saved_(value) {}
  ~Restored() { value_ = saved_; }
  Restored(const Restored&) = delete;
  Restored& operator=(const Restored&) = delete;

 private:
  T& value_;
  T saved_;
};

Device device_of(Backend backend) { return Device(static_cast<DeviceType>(backend)); }

bool is_backend_key(DispatchKey key) {
  return key != DispatchKey::Undefined && is_per_backend(functionality_of(key)) &&
         functionality_of(key) != Functionality::AutogradFunctionality;
}

// The device that a factory is asked for.
Backend requested_backend(const OperatorHandle& op, const IValue* arguments) {
  for (size_t i = 0; i < op.entry().num_arguments(); i++) {
    if (arguments[i].tag() == Tag::Device) {
      return backend_of(arguments[i].as_device().type);
    }
  }
  return Backend::CPU;
}

// Composites ask for it.
void set_requires_grad(const Tensor& tensor) {
  if (tensor.is_floating_point() || tensor.is_complex()) {
    materialize_autograd_meta(tensor).leaf_requires_grad = true;
  }
}

bool has_tensor(const RouteHop& hop) {
  return std::any_of(hop.arguments, hop.arguments + hop.num_arguments,
                     [](const IValue& argument) { return !keys_of_argument(argument).empty(); });
}

Device swapped(Device device, Backend backend) {
  const Device own = device_of(backend);
  return device.is_meta() ? own : device.type == own.type ? Device(DeviceType::Meta) : device;
}

// Whether the call would be on the tape.
bool records(const RouteHop& hop) {
  bool wanted = false;
  for (size_t i = 0; i < hop.num_arguments; i++) {
    for_each_tensor(hop.arguments[i],
                    [&](const Tensor& tensor) { wanted = wanted || tensor.requires_grad(); });
  }
  return wanted && tls().grad_mode && hop.merged.has_any(kAutogradKeys);
}

// How the hop's kernel goes on.
RouteForm form_below(const RouteHop& hop) {
  return hop.kernel->unboxed == nullptr ? RouteForm::Boxed : RouteForm::Typed;
}

// What the kernel of a column leaves to those below it.
DispatchKeySet keys_below(const OperatorHandle& op, const RouteHop& hop) {
  const DispatchKeySet below = hop.masked & full_after(hop.key);
  return hop.key == DispatchKey::BackendSelect
             ? below | DispatchKeySet(
                           runtime_key(Functionality::Dense, requested_backend(op, hop.arguments)))
             : below;
}

// What the kernel of a column excludes from the calls that kernels below it make. A script's and a
// fallback's are taken to exclude nothing.
DispatchKeySet excluded_below(const RouteHop& hop, CellSource source, DispatchKey next) {
  const DispatchKeySet views(DispatchKey::ADInplaceOrView);
  if (hop.key == DispatchKey::Tracer) {
    return DispatchKey::Tracer;
  }
  if (hop.key == DispatchKey::Python) {
    return kAllKeys.functionalities() - full_after(DispatchKey::Python);
  }
  if (source == CellSource::BackendFallback || hop.kernel->context != nullptr) {
    return {};
  }
  if (kAutogradKeys.has(functionality_of(hop.key))) {
    return next == DispatchKey::ADInplaceOrView ? kAutogradKeys : kAutogradKeys | views;
  }
  const bool is_below_autograd =
      hop.key == DispatchKey::ADInplaceOrView || hop.key == DispatchKey::BackendSelect;
  return is_below_autograd ? kAutogradKeys | views : DispatchKeySet();
}

}  // namespace

Explainer::Explainer()
    : recorder_([this](HopRecord call) { calls_.push_back(std::move(call)); }),
      interception_(this) {}

Explainer::~Explainer() {
  for (auto it = disguised_.rbegin(); it != disguised_.rend(); ++it) {
    it->first.impl()->set_key_set(it->second);
  }
}

// The tensor is on Meta, and goes as one of the backend's.
void Explainer::disguise(const Tensor& tensor, Backend backend) {
  disguised_.emplace_back(tensor, tensor.key_set());
  const DispatchKeySet keys = compute_key_set(device_of(backend), tensor.layout(), tensor.dtype());
  tensor.impl()->set_key_set(tensor.has_names() ? keys.add(DispatchKey::Named) : keys);
  if (backend == Backend::Meta) {
    on_meta_.insert(tensor.impl());
  }
}

Tensor Explainer::stand_in_of(const Tensor& tensor) {
  if (!tensor.defined()) {
    return tensor;
  }
  if (tensor.is_meta() && (!tensor.key_set().has_any(DispatchKeySet(Backend::Meta)) ||
                           on_meta_.contains(tensor.impl()))) {
    return tensor;
  }
  if (tensor.is_meta() && depth_ > 0) {
    disguise(tensor, composite_.backend);
    return tensor;
  }
  const auto [found, is_new] = stand_ins_.try_emplace(tensor.impl());
  if (is_new) {
    const Device meta(DeviceType::Meta);
    const Tensor stand_in =
        tensor.layout() == Layout::Strided
            ? empty_strided_tensor(tensor.sizes(), tensor.strides(), tensor.dtype(), meta)
            : empty_tensor(tensor.sizes(), tensor.dtype(), meta);
    disguise(stand_in, backend_of(tensor.device().type));
    stand_in.impl()->set_key_set(tensor.key_set());
    stand_in.impl()->set_names(DimnameVector(tensor.names().begin(), tensor.names().end()));
    stand_in.impl()->set_wrapped_number(tensor.is_wrapped_number());
    if (tensor.requires_grad()) {
      set_requires_grad(stand_in);
    }
    found->second = {tensor, stand_in};
  }
  return found->second.stand_in;
}

IValue Explainer::stand_in_of(const IValue& value) {
  if (value.is_tensor()) {
    return IValue(stand_in_of(value.as_tensor()));
  }
  std::vector<Tensor> tensors;
  const auto add = [&](const IValue& item) {
    tensors.push_back(item.is_tensor() ? stand_in_of(item.as_tensor()) : Tensor());
  };
  if (value.tag() == Tag::TensorList) {
    for (const Tensor& tensor : value.as_tensor_list()->values) {
      tensors.push_back(stand_in_of(tensor));
    }
  } else if (!keys_of_argument(value).empty() && value.is_list()) {
    std::for_each(value.as_list()->items.begin(), value.as_list()->items.end(), add);
  } else if (!keys_of_argument(value).empty() && value.is_tuple()) {
    std::for_each(value.as_tuple()->begin(), value.as_tuple()->end(), add);
  } else {
    return value;
  }
  return IValue(std::move(tensors));
}

void Explainer::run(const OperatorHandle& op, DispatchKeySet keys, RouteStep step, RouteForm form,
                    Stack& stack) {
  const OperatorEntry& entry = op.entry();
  const size_t count = entry.num_arguments();
  IValue* arguments = stack.last(count);
  const std::vector<IValue> originals(arguments, arguments + count);
  for (size_t i = 0; i < count; i++) {
    arguments[i] = arguments[i].tag() == Tag::Device && step == RouteStep::Call && depth_ > 0
                       ? IValue(meant_device(arguments[i].as_device()))
                       : stand_in_of(arguments[i]);
  }
  const std::vector<IValue> kept(arguments, arguments + count);
  const ThreadLocalState& state = tls();
  const bool is_call = step == RouteStep::Call;
  RouteHop hop;
  hop.op = &entry;
  hop.step = step;
  hop.form = form;
  hop.depth = depth_;
  hop.arguments = kept.data();
  hop.num_arguments = count;
  hop.included = state.included;
  hop.excluded = state.excluded;
  hop.merged =
      is_call ? (entry.keys_of_arguments(kept.data()) | state.included) - state.excluded : keys;
  hop.masked = is_call ? entry.mask(hop.merged) : keys;
  hop.key = hop.masked.highest_key();
  hop.kernel = &entry.lookup(hop.masked);

  RecordedHop record(recorder_, hop, depth_);
  run_kernel(op, hop, Dispatcher::singleton().cells(op)[static_cast<size_t>(hop.key)].source,
             stack);
  IValue* returns = stack.last(entry.num_returns());
  record.leave(returns, entry.num_returns());
  for (size_t i = 0; i < entry.num_returns(); i++) {
    // What an operator returns of its arguments is the caller's own.
    const auto argument = std::find_if(kept.begin(), kept.end(), [&](const IValue& known) {
      return known.is_tensor() && returns[i].is_same(known);
    });
    if (argument != kept.end()) {
      returns[i] = originals[static_cast<size_t>(argument - kept.begin())];
    } else if (is_call && records(hop)) {
      for_each_tensor(returns[i], [](const Tensor& tensor) { set_requires_grad(tensor); });
    }
  }
}

Device Explainer::meant_device(Device device) const {
  return device.is_meta() || composite_.swaps_devices ? swapped(device, composite_.backend)
                                                      : device;
}

void Explainer::run_composite(const OperatorHandle& op, const RouteHop& hop, Stack& stack) {
  const Restored<Composite> restored(composite_);
  const auto backend = hop.key == DispatchKey::Undefined ? std::nullopt : backend_of(hop.key);
  composite_ = {backend.value_or(composite_.backend), false};
  if (composite_.backend != Backend::Meta && has_tensor(hop)) {
    IValue* arguments = stack.last(op.entry().num_arguments());
    composite_.swaps_devices = std::any_of(arguments, stack.top(), [](const IValue& argument) {
      return argument.tag() == Tag::Device;
    });
    for (size_t i = 0; i < op.entry().num_arguments(); i++) {
      if (arguments[i].tag() == Tag::Device) {
        arguments[i] = swapped(arguments[i].as_device(), composite_.backend);
      }
    }
  }
  hop.kernel->call_boxed(op, hop.masked, stack);
  // A view of a stand-in is one, too.
  for (size_t i = 0; i < op.entry().num_returns(); i++) {
    for_each_tensor(stack.last(op.entry().num_returns())[i], [&](const Tensor& tensor) {
      if (tensor.is_meta()) {
        disguised_.emplace_back(tensor, meta_keys(tensor));
      }
    });
  }
}

void Explainer::run_kernel(const OperatorHandle& op, const RouteHop& hop, CellSource source,
                           Stack& stack) {
  if (hop.kernel == &kMissingKernel || hop.kernel->is_fallthrough) {
    // Raises an error that says what is wrong.
    hop.kernel->call_boxed(op, hop.masked, stack);
  } else if (source == CellSource::MathKernel || source == CellSource::DefaultBackendKernel ||
             kAutocastKeys.has(hop.key)) {
    run_composite(op, hop, stack);
  } else if (is_backend_key(hop.key)) {
    run_on_meta(op, hop.key, stack);
  } else if (hop.key == DispatchKey::Named && infers_names(op)) {
    run_named(op, hop, stack);
  } else {
    const DispatchKeySet below = keys_below(op, hop);
    const ExcludeDispatchKeyGuard excluded(excluded_below(hop, source, below.highest_key()));
    run(op, below, RouteStep::Redispatch, form_below(hop), stack);
  }
}

// What lies below has no names.
void Explainer::run_named(const OperatorHandle& op, const RouteHop& hop, Stack& stack) {
  const std::optional<DimnameVector> names = inferred_names(op, hop.arguments);
  {
    const ExcludeDispatchKeyGuard unnamed{DispatchKeySet(DispatchKey::Named)};
    run(op, keys_below(op, hop), RouteStep::Redispatch, form_below(hop), stack);
  }
  if (names.has_value()) {
    const size_t count = op.entry().num_returns();
    give_names(stack.last(count), count, *names);
  }
}

void Explainer::run_on_meta(const OperatorHandle& op, DispatchKey key, Stack& stack) {
  const OperatorEntry& entry = op.entry();
  const KernelFunction* meta = entry.kernel_at(DispatchKey::Meta);
  if (meta == nullptr || meta == Dispatcher::singleton().fallback(DispatchKey::Meta)) {
    throw_error(ErrorKind::NotImplementedError,
                "the explanation ends at {}: it has no kernel for Meta, so what its results look "
                "like is known after it has run only; torch.library.register_fake(\"{}\") "
                "registers one",
                entry.qualified_name(), entry.name());
  }
  Backend backend = *backend_of(key);
  AsMeta as_meta;
  IValue* arguments = stack.last(entry.num_arguments());
  for (size_t i = 0; i < entry.num_arguments(); i++) {
    for_each_tensor(arguments[i], [&](const Tensor& tensor) { as_meta.add(tensor); });
    if (entry.schema().arguments[i].type.kind == TypeKind::Device) {
      backend = arguments[i].is_none() ? backend : backend_of(arguments[i].as_device().type);
      arguments[i] = Device(DeviceType::Meta);
    } else if (arguments[i].tag() == Tag::Generator) {
      arguments[i] = IValue();
    }
  }
  {
    const PlainCalls plain;
    op.redispatch_boxed(DispatchKeySet(DispatchKey::Meta), stack);
  }
  for (size_t i = 0; i < entry.num_returns(); i++) {
    for_each_tensor(stack.last(entry.num_returns())[i], [&](const Tensor& tensor) {
      if (!as_meta.has(tensor)) {
        disguise(tensor, backend);
      }
    });
  }
}

}  // namespace tsc::keys
