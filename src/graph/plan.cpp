#include "graph/plan.h"

#include <algorithm>

#include "core/keys/compute_key_set.h"
#include "core/keys/custom_key.h"
#include "core/system/interrupt.h"
#include "dispatch/visit.h"
#include "graph/plan_builder.h"

namespace tsc::graph {

// --- Memory ---

namespace {

// Pieces of memory begin on lines of the cache.
constexpr size_t kMemoryLine = 64;

size_t whole_lines(size_t bytes) { return (bytes + kMemoryLine - 1) / kMemoryLine * kMemoryLine; }

}  // namespace

// Step by step: a buffer takes the smallest free piece that holds it, or the largest one, which
// grows.
void Plan::assign_memory() {
  std::vector<size_t> order;
  for (size_t b = 0; b < buffers_.size(); b++) {
    const PlanBuffer& buffer = buffers_[b];
    if (buffer.kind == BufferKind::Planned && !buffer.is_result &&
        buffer.first != PlanBuffer::kNever) {
      order.push_back(b);
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return buffers_[a].first < buffers_[b].first; });
  std::vector<size_t> busy_until;  // of a piece: the last step of its buffer
  for (const size_t b : order) {
    PlanBuffer& buffer = buffers_[b];
    const size_t bytes = whole_lines(buffer.bytes);
    size_t best = PlanBuffer::kNever;
    for (size_t m = 0; m < memories_.size(); m++) {
      if (busy_until[m] >= buffer.first) {
        continue;
      }
      const bool is_better =
          best == PlanBuffer::kNever ||
          (memories_[m] >= bytes ? memories_[best] < bytes || memories_[m] < memories_[best]
                                 : memories_[m] > memories_[best]);
      best = is_better ? m : best;
    }
    if (best == PlanBuffer::kNever) {
      best = memories_.size();
      memories_.push_back(0);
      busy_until.push_back(0);
    }
    memories_[best] = std::max(memories_[best], bytes);
    busy_until[best] = buffer.last;
    buffer.memory = best;
  }
  std::vector<Storage> storages;
  storages.reserve(memories_.size());
  for (const size_t bytes : memories_) {
    storages.push_back(make_intrusive<StorageImpl>(bytes, Device(DeviceType::CPU)));
  }
  for (PlanBuffer& buffer : buffers_) {
    if (buffer.memory != PlanBuffer::kNever) {
      for (const size_t value : buffer.values) {
        bind_value(values_[value], storages[buffer.memory], 0);
      }
    }
  }
}

// Puts the plan's own tensor on memory, `bytes` behind its begin.
void Plan::bind_value(PlanValue& value, const Storage& storage, int64_t bytes) {
  TensorImpl& tensor = *value.tensor.impl();
  tensor.set_storage(storage);
  tensor.set_storage_offset((bytes + value.offset) / static_cast<int64_t>(tensor.itemsize()));
}

void Plan::bind_inputs(const std::vector<Tensor>& inputs) {
  for (const PlanBuffer& buffer : buffers_) {
    if (buffer.kind != BufferKind::Input) {
      continue;
    }
    const Tensor& input = inputs[buffer.index];
    const auto begin = input.storage_offset() * static_cast<int64_t>(input.itemsize());
    for (const size_t value : buffer.values) {
      bind_value(values_[value], input.storage(), begin);
    }
  }
}

// --- Whether a run may take the plan ---

namespace {

void add_structure(const IValue& value, std::string& text) {
  if (value.is_tensor()) {
    text += value.as_tensor().defined() ? 'T' : '-';
  } else if (value.tag() == Tag::TensorList) {
    text += fmt::format("[{}]", value.as_tensor_list()->values.size());
  } else if (value.is_list() || value.is_tuple()) {
    text += '(';
    const std::optional<std::vector<IValue>> items = items_of_list(value);
    for (const IValue& item : *items) {
      add_structure(item, text);
    }
    text += ')';
  } else if (value.is_string()) {
    text += fmt::format("\"{}:{}", value.as_string().size(), value.as_string());
  } else {
    text += constant_text(value);
  }
}

}  // namespace

// How tensors lie in containers, with the keys of dicts: "" for tensors only.
std::string Plan::structure_of(const std::vector<IValue>& arguments) {
  std::string text;
  const bool tensors_only =
      std::all_of(arguments.begin(), arguments.end(), [](const IValue& argument) {
        return argument.is_tensor() && argument.as_tensor().defined();
      });
  if (!tensors_only) {
    for (const IValue& argument : arguments) {
      add_structure(argument, text);
    }
  }
  return text;
}

bool Plan::fits(const std::vector<IValue>& arguments) const {
  size_t tensors = 0;
  bool same = default_dtype() == default_dtype_ && structure_of(arguments) == structure_;
  for (const IValue& argument : arguments) {
    for_each_tensor(argument, [&](const Tensor& tensor) {
      same =
          same && tensors < inputs_.size() && inputs_[tensors].matches(tensor) && is_plain(tensor);
      tensors++;
    });
  }
  same = same && tensors == inputs_.size();
  for (size_t i = 0; same && i < constants_.size(); i++) {
    same = constants_[i].second.matches(constants_[i].first) &&
           constants_[i].first.data() == constant_places_[i];
  }
  return same && std::all_of(routes_.begin(), routes_.end(), [](const PlanRoute& route) {
           return (!route.is_call || route.entry->mask(route.merged) == route.masked) &&
                  &route.entry->lookup(route.masked) == route.kernel;
         });
}

void Plan::check_state(const std::vector<IValue>& arguments) const {
  const ThreadLocalState& state = tls();
  const DispatchKeySet acting =
      (state.included - kDefaultIncluded - looking_keys()) | (kDefaultExcluded - state.excluded);
  if (!acting.functionalities().empty()) {
    throw_error(ErrorKind::RuntimeError,
                "a plan runs below the dispatcher, where {} sees no calls: switch it off, or call "
                "the traced function",
                tsc::to_string(acting.highest_key()));
  }
  if (!state.grad_mode) {
    return;
  }
  const auto check = [](const Tensor& tensor) {
    TSC_CHECK(!tensor.requires_grad(),
              "a plan records no gradients, and a tensor requires one: run it in "
              "torch.no_grad(), or call the traced function");
  };
  for (const IValue& argument : arguments) {
    for_each_tensor(argument, check);
  }
  for (const auto& [constant, shape] : constants_) {
    check(constant);
  }
}

static void refuse_if(bool is_running) { TSC_CHECK(!is_running, "the plan is running already"); }

void Plan::check_idle() const { refuse_if(is_running_.load(std::memory_order_relaxed)); }

// --- Running ---

// A run's claim on the plan's tensors, which are off all memory but the plan's own afterwards.
class Plan::Run {
 public:
  explicit Run(Plan& plan) : plan_(plan) {
    refuse_if(plan.is_running_.exchange(true, std::memory_order_acquire));
  }
  ~Run() {
    plan_.release_all();
    plan_.is_running_.store(false, std::memory_order_release);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

 private:
  Plan& plan_;
  AutoDispatchBelowADInplaceOrView below_;
};

void Plan::release(size_t value) {
  TensorImpl& tensor = *values_[value].tensor.impl();
  tensor.set_storage(nothing_);
  tensor.set_storage_offset(0);
}

void Plan::release_all() {
  for (const PlanBuffer& buffer : buffers_) {
    if (buffer.kind != BufferKind::Constant && buffer.memory == PlanBuffer::kNever) {
      std::for_each(buffer.values.begin(), buffer.values.end(),
                    [this](size_t value) { release(value); });
    }
  }
}

void Plan::bind_fresh(PlanStep& step, const std::vector<IValue>& returned) {
  size_t part = 0;
  for (const IValue& item : returned) {
    for_each_tensor(item, [&](const Tensor& tensor) {
      TSC_CHECK(part < step.fresh.size(), "{} returned more than it did when it was planned",
                step.op.qualified_name());
      const size_t v = step.fresh[part++];
      if (v == PlanBuffer::kNever) {
        return;
      }
      const PlanValue& value = values_[v];
      TSC_CHECK(
          tensor.sizes() == value.tensor.sizes() && tensor.strides() == value.tensor.strides() &&
              tensor.dtype() == value.tensor.dtype() &&
              tensor.storage_offset() * static_cast<int64_t>(tensor.itemsize()) == value.offset,
          "{} returned another shape than it did when it was planned", step.op.qualified_name());
      for (const size_t same : buffers_[value.buffer].values) {
        bind_value(values_[same], tensor.storage(), 0);
      }
    });
  }
}

void Plan::run_step(PlanStep& step) {
  const size_t count = step.op.entry().num_returns();
  if (TSC_LIKELY(step.call != nullptr)) {
    if (TSC_LIKELY(step.fresh.empty())) {
      step.call(step.kernel->unboxed, step.arguments.data(), nullptr);
      return;
    }
    std::vector<IValue> returned(count);
    step.call(step.kernel->unboxed, step.arguments.data(), returned.data());
    bind_fresh(step, returned);
    return;
  }
  Stack& stack = Stack::current();
  const StackHeight height(stack);
  for (const IValue& argument : step.arguments) {
    stack.push(argument);
  }
  step.kernel->call_boxed(step.op, DispatchKeySet(DispatchKey::CPU), stack);
  if (!step.fresh.empty()) {
    bind_fresh(step, {stack.last(count), stack.top()});
  }
}

IValue Plan::result_of(const IValue& shape, const std::vector<Tensor>& inputs) {
  return map_tensors(shape, [&](const Tensor& own) {
    const auto value = std::find_if(values_.begin(), values_.end(), [&](const PlanValue& other) {
      return other.tensor.impl() == own.impl();
    });
    const PlanBuffer& buffer = buffers_[value->buffer];
    const bool is_whole = static_cast<size_t>(value - values_.begin()) == buffer.values[0];
    if (is_whole && buffer.kind == BufferKind::Input) {
      return inputs[buffer.index];
    }
    if (is_whole && buffer.kind == BufferKind::Constant) {
      return own;
    }
    auto impl = make_intrusive<TensorImpl>(
        own.storage(), compute_key_set(DeviceType::CPU, Layout::Strided, own.dtype()), own.dtype(),
        Device(DeviceType::CPU), Layout::Strided);
    impl->set_sizes_and_strides(own.sizes(), own.strides());
    impl->set_storage_offset(own.storage_offset());
    return Tensor(std::move(impl));
  });
}

IValue Plan::run(const std::vector<IValue>& arguments) {
  check_state(arguments);
  std::vector<Tensor> inputs;
  for (const IValue& argument : arguments) {
    for_each_tensor(argument, [&](const Tensor& tensor) { inputs.push_back(tensor); });
  }
  const Run running(*this);
  bind_inputs(inputs);
  for (const PlanBuffer& buffer : buffers_) {
    if (buffer.is_result && buffer.kind == BufferKind::Planned) {
      const auto storage = make_intrusive<StorageImpl>(buffer.bytes, Device(DeviceType::CPU));
      for (const size_t value : buffer.values) {
        bind_value(values_[value], storage, 0);
      }
    }
  }
  for (PlanStep& step : steps_) {
    throw_if_interrupted();
    run_step(step);
    for (const size_t value : step.releases) {
      release(value);
    }
  }
  for (const PlanBuffer& buffer : buffers_) {
    const bool is_made = buffer.kind == BufferKind::Planned || buffer.kind == BufferKind::Fresh;
    if (buffer.is_result && is_made) {
      StorageImpl& storage = *values_[buffer.values[0]].tensor.storage();
      while (storage.version() < buffer.version) {
        storage.bump_version();
      }
    }
  }
  return result_of(result_, inputs);
}

}  // namespace tsc::graph
