#include "dispatch/heap_object.h"

#include <vector>

#include "core/system/interrupt.h"

namespace tsc {

struct ContainerList {
  ContainerObject* first = nullptr;
  size_t count = 0;
  int dispose_depth = 0;
  // Containers that wait to be destroyed, linked through next_.
  ContainerObject* waiting = nullptr;

  void link(ContainerObject* object) {
    object->previous_ = nullptr;
    object->next_ = first;
    if (first != nullptr) {
      first->previous_ = object;
    }
    first = object;
    count++;
  }
  void unlink(ContainerObject* object) {
    (object->previous_ != nullptr ? object->previous_->next_ : first) = object->next_;
    if (object->next_ != nullptr) {
      object->next_->previous_ = object->previous_;
    }
    count--;
  }
  void dispose(ContainerObject* object) {
    constexpr int kMaxDepth = 64;
    unlink(object);
    object->previous_ = object;
    if (dispose_depth >= kMaxDepth) {
      object->next_ = waiting;
      waiting = object;
      return;
    }
    dispose_depth++;
    object->destroy();
    if (--dispose_depth == 0) {
      drain();
    }
  }
  void drain() {
    while (waiting != nullptr) {
      ContainerObject* object = waiting;
      waiting = object->next_;
      dispose_depth++;
      object->destroy();
      dispose_depth--;
    }
  }
};

namespace {
constinit thread_local ContainerList containers;
}

ContainerObject::ContainerObject() noexcept { containers.link(this); }

// A container that is its own predecessor was taken out of the list by dispose(). One that is still
// linked is here because a derived class's constructor threw.
ContainerObject::~ContainerObject() {
  if (TSC_UNLIKELY(previous_ != this)) {
    containers.unlink(this);
  }
}

void ContainerObject::dispose() noexcept { containers.dispose(this); }

ContainerObject* first_container() { return containers.first; }

size_t container_count() { return containers.count; }

// Trial deletion: subtract from every container's count the references that come from other
// containers. A container whose count stays above zero is referenced from outside; all that it
// reaches lives, and the rest is garbage. After Ctrl-C the containers not yet visited wait for the
// next collection.
size_t collect_cycles() {
  for (ContainerObject* object = first_container(); object != nullptr;
       object = object->next_container()) {
    object->collector_count = object->use_count();
  }
  const auto subtract = [](HeapObject* child, void*) {
    if (auto* container = dynamic_cast<ContainerObject*>(child)) {
      container->collector_count--;
    }
  };
  for (ContainerObject* object = first_container(); object != nullptr;
       object = object->next_container()) {
    if (interrupt_requested()) {
      return 0;
    }
    object->traverse(subtract, nullptr);
  }
  constexpr int64_t kReachable = INT64_MAX;
  // Memory for all is taken before anything changes: if there is none, nothing has changed.
  std::vector<ContainerObject*> pending;
  pending.reserve(container_count());
  for (ContainerObject* object = first_container(); object != nullptr;
       object = object->next_container()) {
    if (object->collector_count > 0) {
      object->collector_count = kReachable;
      pending.push_back(object);
    }
  }
  const auto reach = [](HeapObject* child, void* context) {
    auto* container = dynamic_cast<ContainerObject*>(child);
    if (container != nullptr && container->collector_count != kReachable) {
      container->collector_count = kReachable;
      static_cast<std::vector<ContainerObject*>*>(context)->push_back(container);
    }
  };
  while (!pending.empty()) {
    ContainerObject* object = pending.back();
    pending.pop_back();
    if (interrupt_requested()) {
      return 0;
    }
    object->traverse(reach, &pending);
  }
  std::vector<ContainerObject*>& garbage = pending;
  for (ContainerObject* object = first_container(); object != nullptr;
       object = object->next_container()) {
    if (object->collector_count != kReachable) {
      object->retain();
      garbage.push_back(object);
    }
  }
  for (ContainerObject* object : garbage) {
    if (interrupt_requested()) {
      break;
    }
    object->clear();
  }
  for (ContainerObject* object : garbage) {
    object->release();
  }
  return garbage.size();
}

}  // namespace tsc
