#include "interp/torch/dispatcher/key_guards.h"

#include "core/keys/thread_local_state.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/overloads.h"
#include "interp/torch/dispatcher/key_set_object.h"

namespace tsc::interp {

namespace {

// Leaving removes only the keys that entering added: a script may switch others in between.
class GuardObject final : public Object {
 public:
  GuardObject(const Type& type, DispatchKeySet to_include, DispatchKeySet to_exclude)
      : Object(type), include(to_include), exclude(to_exclude) {}
  ~GuardObject() override {
    while (!entered.empty()) {
      leave();
    }
  }
  void enter();
  void leave();
  DispatchKeySet include;
  DispatchKeySet exclude;
  struct Added {
    DispatchKeySet included;
    DispatchKeySet excluded;
  };
  std::vector<Added> entered;
};

// Every bit of `a` that `b` does not have: set difference keeps the backends.
DispatchKeySet bits_without(DispatchKeySet a, DispatchKeySet b) {
  return {DispatchKeySet::kRaw, a.bits() & ~b.bits()};
}

void GuardObject::enter() {
  ThreadLocalState& state = tls();
  entered.push_back({bits_without(include, state.included), bits_without(exclude, state.excluded)});
  state.included = state.included | include;
  state.excluded = state.excluded | exclude;
}

void GuardObject::leave() {
  ThreadLocalState& state = tls();
  state.included = bits_without(state.included, entered.back().included);
  state.excluded = bits_without(state.excluded, entered.back().excluded);
  entered.pop_back();
}

void check_entered(bool was_entered) { TSC_CHECK(was_entered, "the guard was not entered"); }

IValue enter_guard(Interpreter&, Arguments& arguments) {
  arguments[0].as_object<GuardObject>()->enter();
  return IValue();
}

// Restores both sets as a whole on leaving, with any switches made in between; `set` changes them
// on entering.
class RestoringGuard final : public Object {
 public:
  using Set = void (*)(const RestoringGuard& guard, ThreadLocalState& state);
  RestoringGuard(const Type& type, Set action, DispatchKeySet a, DispatchKeySet b)
      : Object(type), set(action), first(a), second(b) {}
  ~RestoringGuard() override {
    while (!entered.empty()) {
      leave();
    }
  }
  void leave() {
    tls().included = entered.back().included;
    tls().excluded = entered.back().excluded;
    entered.pop_back();
  }
  Set set;
  DispatchKeySet first;
  DispatchKeySet second;
  struct Sets {
    DispatchKeySet included;
    DispatchKeySet excluded;
  };
  std::vector<Sets> entered;
};

IValue enter_restoring(Interpreter&, Arguments& arguments) {
  auto& guard = *arguments[0].as_object<RestoringGuard>();
  guard.entered.push_back({tls().included, tls().excluded});
  guard.set(guard, tls());
  return IValue();
}
IValue leave_restoring(Interpreter&, Arguments& arguments) {
  auto& guard = *arguments[0].as_object<RestoringGuard>();
  check_entered(!guard.entered.empty());
  guard.leave();
  return IValue();
}
// _AutoDispatchBelowAutograd() holds from when it is made.
IValue enter_made(Interpreter&, Arguments&) { return IValue(); }

IValue leave_guard(Interpreter&, Arguments& arguments) {
  auto& guard = *arguments[0].as_object<GuardObject>();
  check_entered(!guard.entered.empty());
  guard.leave();
  return IValue();
}

IValue make_guard(const Type& type, DispatchKeySet include, DispatchKeySet exclude) {
  return IValue::adopt(Tag::Object, new GuardObject(type, include, exclude));
}

IValue construct_exclude(Interpreter&, Arguments& arguments) {
  TSC_CHECK_TYPE(
      is_object_of(arguments[0], kDispatchKeySetType),
      "__init__(): incompatible constructor arguments: expected a DispatchKeySet, got {}",
      python_type_name(arguments[0]));
  return make_guard(kExcludeGuardType, {}, key_set_of_value(arguments[0]));
}
IValue construct_include(Interpreter&, Arguments& arguments) {
  TSC_CHECK_TYPE(!is_object_of(arguments[0], kDispatchKeySetType),
                 "__init__(): incompatible constructor arguments: expected a DispatchKey, got {}",
                 python_type_name(arguments[0]));
  return make_guard(kIncludeGuardType, DispatchKeySet(key_of_value(arguments[0])), {});
}
IValue construct_below_autograd(Interpreter&, Arguments&) {
  IValue guard = make_guard(kBelowAutogradType, {}, kAutogradKeys);
  guard.as_object<GuardObject>()->enter();
  return guard;
}
IValue construct_below_view(Interpreter&, Arguments&) {
  return make_guard(kBelowADInplaceOrViewType, {},
                    kAutogradKeys | DispatchKeySet(DispatchKey::ADInplaceOrView));
}

IValue make_restoring(const Type& type, RestoringGuard::Set set, DispatchKeySet a = {},
                      DispatchKeySet b = {}) {
  return IValue::adopt(Tag::Object, new RestoringGuard(type, set, a, b));
}

IValue construct_force(Interpreter&, Arguments& arguments) {
  for (size_t i = 0; i < 2; i++) {
    TSC_CHECK_TYPE(
        is_object_of(arguments[i], kDispatchKeySetType),
        "__init__(): incompatible constructor arguments: expected two DispatchKeySets, got {}",
        python_type_name(arguments[i]));
  }
  return make_restoring(
      kForceGuardType,
      [](const RestoringGuard& guard, ThreadLocalState& state) {
        state.included = guard.first;
        state.excluded = guard.second;
      },
      key_set_of_value(arguments[0]), key_set_of_value(arguments[1]));
}
IValue construct_preserve(Interpreter&, Arguments&) {
  return make_restoring(kPreserveGuardType, [](const RestoringGuard&, ThreadLocalState&) {});
}
// _SetExcludeDispatchKeyGuard(key, False).
extern const Type set_included_type;

IValue construct_set_exclude(Interpreter&, Arguments& arguments) {
  const DispatchKeySet keys(key_of_value(arguments[0]));
  if (is_true(arguments[1])) {
    return make_guard(kSetExcludeGuardType, {}, keys);
  }
  return make_restoring(
      set_included_type,
      [](const RestoringGuard& guard, ThreadLocalState& state) {
        state.excluded = state.excluded - guard.first;
      },
      keys);
}

constexpr BuiltinDef kForceConstructor{"_ForceDispatchKeyGuard", &construct_force, 2, 2};
constexpr BuiltinDef kPreserveConstructor{"_PreserveDispatchKeyGuard", &construct_preserve};
constexpr BuiltinDef kSetExcludeConstructor{"_SetExcludeDispatchKeyGuard", &construct_set_exclude,
                                            2, 2};

constexpr BuiltinDef kExcludeConstructor{"_ExcludeDispatchKeyGuard", &construct_exclude, 1, 1};
constexpr BuiltinDef kIncludeConstructor{"_IncludeDispatchKeyGuard", &construct_include, 1, 1};
constexpr BuiltinDef kBelowAutogradConstructor{"_AutoDispatchBelowAutograd",
                                               &construct_below_autograd};
constexpr BuiltinDef kBelowViewConstructor{"_AutoDispatchBelowADInplaceOrView",
                                           &construct_below_view};

constexpr BuiltinDef kKeyGuardsMethods[] = {
    {"__enter__", &enter_guard, 0, 0, {}, "guard"},
    {"__exit__", &leave_guard, 3, 3, {}, "guard"},
};

constexpr BuiltinDef kMadeMethods[] = {
    {"__enter__", &enter_made, 0, 0, {}, "guard"},
    {"__exit__", &leave_guard, 3, 3, {}, "guard"},
};

constexpr BuiltinDef kRestoringMethods[] = {
    {"__enter__", &enter_restoring, 0, 0, {}, "guard"},
    {"__exit__", &leave_restoring, 3, 3, {}, "guard"},
};

constexpr Type make_guard_type(const BuiltinDef& constructor,
                               std::span<const BuiltinDef> methods = kKeyGuardsMethods) {
  Type type;
  type.name = constructor.name;
  type.module = "torch._C";
  type.methods = methods;
  type.constructor = &constructor;
  return type;
}

constinit const Type set_included_type = make_guard_type(kSetExcludeConstructor, kRestoringMethods);

}  // namespace

constinit const Type kForceGuardType = make_guard_type(kForceConstructor, kRestoringMethods);
constinit const Type kPreserveGuardType = make_guard_type(kPreserveConstructor, kRestoringMethods);
constinit const Type kSetExcludeGuardType = make_guard_type(kSetExcludeConstructor);
constinit const Type kExcludeGuardType = make_guard_type(kExcludeConstructor);
constinit const Type kIncludeGuardType = make_guard_type(kIncludeConstructor);
constinit const Type kBelowAutogradType = make_guard_type(kBelowAutogradConstructor, kMadeMethods);
constinit const Type kBelowADInplaceOrViewType = make_guard_type(kBelowViewConstructor);

}  // namespace tsc::interp
