#include "keys/switches.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/keys/custom_key.h"
#include "core/keys/pytorch_keys.h"
#include "core/keys/thread_local_state.h"
#include "core/text/nearest_name.h"
#include "dispatch/dispatcher.h"
#include "observe/route_record.h"

namespace tsc::keys {

namespace {

// A name that a person types: a column, or several that their records give one name, or a flag of
// the thread, which has no keys.
struct Switch {
  std::string_view name;
  DispatchKeySet keys = {};
  KeyPresence presence = KeyPresence::Included;
  std::string_view purpose;
  bool (*is_flag_on)(const ThreadLocalState& state) = nullptr;
  void (*set_flag)(ThreadLocalState& state, bool on) = nullptr;
};

// The state that inference mode was switched on in, for the three switches that it turns.
thread_local std::optional<ThreadLocalState> before_inference_mode;

void switch_inference_mode(ThreadLocalState& state, bool on) {
  if (on == state.inference_mode) {
    return;
  }
  if (on) {
    before_inference_mode = state;
    set_inference_mode(state, true);
    return;
  }
  const ThreadLocalState before =
      std::exchange(before_inference_mode, std::nullopt).value_or(ThreadLocalState());
  const DispatchKeySet view_key(DispatchKey::ADInplaceOrView);
  const DispatchKeySet turned = kAutogradKeys | view_key;
  state.inference_mode = false;
  state.grad_mode = before.grad_mode;
  state.included = (state.included - view_key) | (before.included & view_key);
  state.excluded = (state.excluded - turned) | (before.excluded & turned);
}

constexpr Switch kFlags[] = {
    {.name = "no_grad",
     .purpose = "grad mode off: Autograd runs, and records nothing",
     .is_flag_on = [](const ThreadLocalState& state) { return !state.grad_mode; },
     .set_flag = [](ThreadLocalState& state, bool on) { state.grad_mode = !on; }},
    {.name = "inference_mode",
     .purpose = "new tensors have no part in autograd: neither Autograd nor ADInplaceOrView runs",
     .is_flag_on = [](const ThreadLocalState& state) { return state.inference_mode; },
     .set_flag = &switch_inference_mode},
};

// Highest priority first, with those of plug-ins where they belong; then the flags.
std::vector<Switch> switches() {
  std::vector<Switch> all;
  for (int i = kNumFunctionalities - 1; i >= 0; i--) {
    const DispatchKey key = runtime_key(static_cast<Functionality>(i), Backend::CPU);
    const KeyRecord& record = record_of(key);
    if (record.switched_as.empty()) {
      continue;
    }
    const DispatchKeySet keys = DispatchKeySet(functionality_of(key));
    const auto same = std::find_if(all.begin(), all.end(), [&](const Switch& earlier) {
      return earlier.name == record.switched_as;
    });
    if (same == all.end()) {
      all.push_back({record.switched_as, keys, record.presence, record.purpose});
    } else {
      same->keys = same->keys | keys;
    }
  }
  all.insert(all.end(), std::begin(kFlags), std::end(kFlags));
  return all;
}

std::optional<Switch> find_switch(std::string_view name) {
  const std::vector<Switch> all = switches();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Switch& row) { return row.name == name; });
  return found == all.end() ? std::nullopt : std::optional<Switch>(*found);
}

bool is_on_in(const ThreadLocalState& state, const Switch& row) {
  if (row.is_flag_on != nullptr) {
    return row.is_flag_on(state);
  }
  const bool is_included = state.included.has_any(row.keys);
  switch (row.presence) {
    case KeyPresence::Always: return is_included && !state.excluded.has_any(row.keys);
    case KeyPresence::Included: return is_included;
    case KeyPresence::OfTensors:
    case KeyPresence::Excluded:
    case KeyPresence::Unsaid: break;
  }
  return !state.excluded.has_any(row.keys);
}

// What a thread starts with; inference mode turns three switches by itself.
ThreadLocalState default_state() {
  ThreadLocalState state;
  if (tls().inference_mode) {
    set_inference_mode(state, true);
  }
  return state;
}

bool is_changed(const Switch& row) {
  ThreadLocalState start;
  const bool is_by_default = is_on_in(row.name == "inference_mode" ? start : default_state(), row);
  return is_on_in(tls(), row) != is_by_default;
}

// Why a name has no switch.
std::string why_not_switched(std::string_view name) {
  const std::optional<DispatchKey> key = try_parse_dispatch_key(name);
  if (!key.has_value() || is_unclaimed(*key)) {
    return absent_key_reason(name).value_or(
        fmt::format("there is no key '{}' to switch{}", name,
                    did_you_mean(name, switch_names(), "; `:keys` lists them")));
  }
  if (*key == DispatchKey::Undefined) {
    return "Undefined is not switched: it is where a call without tensors goes";
  }
  if (is_alias_key(*key)) {
    return fmt::format(
        "{} is not switched: an alias stands for other keys at registration, and is in no call's "
        "set",
        name);
  }
  const KeyRecord& record = record_of(*key);
  return record.switched_as.empty()
             ? fmt::format("{} is not switched: {}", name, record.not_switched)
             : fmt::format(
                   "{} is not switched by itself: its column is switched as {}, on every "
                   "backend",
                   name, record.switched_as);
}

Switch switch_named(std::string_view name) {
  const std::optional<Switch> row = find_switch(name);
  if (!row.has_value()) {
    throw_error(ErrorKind::ValueError, "{}", why_not_switched(name));
  }
  return *row;
}

// Included by hand, a column without a fallback makes an error of every call that it has no kernel
// for.
void check_fallback(const Switch& row) {
  row.keys.for_each([&](DispatchKey key) {
    TSC_CHECK_VALUE(Dispatcher::singleton().fallback(key) != nullptr,
                    "{} has no fallback, and every call would fail; register one: "
                    "torch.library.Library('_', 'IMPL').fallback(function, '{}')",
                    row.name, row.name);
  });
}

void set_switch(std::string_view name, bool on) {
  const Switch row = switch_named(name);
  ThreadLocalState& state = tls();
  if (row.set_flag != nullptr) {
    row.set_flag(state, on);
    return;
  }
  if (row.presence == KeyPresence::Included) {
    if (on) {
      check_fallback(row);
    }
    state.included = on ? state.included | row.keys : state.included - row.keys;
    return;
  }
  state.excluded = on ? state.excluded - row.keys : state.excluded | row.keys;
  if (on && row.presence == KeyPresence::Always) {
    state.included = state.included | row.keys;
  }
}

}  // namespace

void switch_on(std::string_view name) { set_switch(name, true); }

void switch_off(std::string_view name) { set_switch(name, false); }

bool is_on(std::string_view name) { return is_on_in(tls(), switch_named(name)); }

std::vector<std::string> differences() {
  std::vector<std::string> names;
  for (const Switch& row : switches()) {
    if (is_changed(row)) {
      names.push_back(is_on_in(tls(), row) ? std::string(row.name) : fmt::format("-{}", row.name));
    }
  }
  return names;
}

std::vector<KeyRow> key_rows() {
  std::vector<KeyRow> rows;
  for (const Switch& row : switches()) {
    rows.push_back(
        {std::string(row.name), row.keys, is_on_in(tls(), row), is_changed(row), row.purpose});
  }
  return rows;
}

std::string switches_text(const std::vector<KeyRow>& rows, const observe::KeyCounter* counter) {
  size_t width = 0;
  for (const KeyRow& row : rows) {
    width = std::max(width, row.name.size());
  }
  std::string text;
  for (const KeyRow& row : rows) {
    std::string counts;
    if (counter != nullptr) {
      counts = row.keys.empty() ? fmt::format("{:>8} {:>8}  ", "", "")
                                : fmt::format("{:>8} {:>8}  ", counter->runs(row.keys),
                                              counter->passes(row.keys));
    }
    text += fmt::format("{} {:<{}} {:<5}{}{}\n", row.changed ? '*' : ' ', row.name, width,
                        row.on ? "on" : "off", counts, row.purpose);
  }
  if (counter != nullptr) {
    text = fmt::format("  {:<{}}{:>8} {:>8}\n", "", width + 6, "ran", "passed") + text;
  }
  return text + "* differs from the default\n";
}

std::vector<std::string> switch_names() {
  std::vector<std::string> names;
  for (const Switch& row : switches()) {
    names.emplace_back(row.name);
  }
  return names;
}

}  // namespace tsc::keys
