#include "dispatch/plugin.h"

#include <dlfcn.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <list>
#include <mutex>
#include <utility>

#include "core/system/file.h"
#include "core/system/forked_run.h"
#include "core/version.h"
#include "dispatch/plugin_abi.h"
#include "dispatch/selected_operators.h"

namespace tsc {

namespace {

enum class State { Stopped, Starting, Loaded };

struct Plugin {
  std::string path;
  void* handle;  // the same for the same mapped file
  std::vector<detail::LibraryInit*> blocks;
  State state = State::Stopped;
};

struct Plugins {
  // Recursive, since a plug-in may load another one while it starts.
  std::recursive_mutex mutex;
  std::list<Plugin> all;  // every mapped plug-in, in the order of loading
};

Plugins& plugins() {
  static auto* known = new Plugins;
  return *known;
}

// Receives the registration blocks of the plug-in that this thread is mapping.
constinit thread_local std::vector<detail::LibraryInit*>* mapping = nullptr;

std::string absolute_path(const std::string& path) {
  char resolved[PATH_MAX];
  TSC_CHECK(realpath(path.c_str(), resolved) != nullptr, "cannot load the plug-in '{}': {}", path,
            std::strerror(errno));
  return resolved;
}

PluginAbi read_abi(const std::string& path) {
  const File file = open_file(path, "rb");
  std::string bytes(static_cast<size_t>(std::max<int64_t>(bytes_left(file.get()), 0)), '\0');
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file.get()));
  const std::string_view mark(detail::kPluginMark, sizeof(detail::kPluginMark));
  const size_t at = bytes.find(mark);
  TSC_CHECK(at != bytes.npos && at + sizeof(PluginAbi) <= bytes.size(),
            "'{}' is not a plug-in: it does not include <tensorscope/library.h>", path);
  PluginAbi abi;
  std::memcpy(&abi, bytes.data() + at, sizeof(abi));
  return abi;
}

void check_abi(const std::string& path) {
  const PluginAbi abi = read_abi(path);
  const PluginAbi ours = detail::make_plugin_abi(TSC_VERSION);
  TSC_CHECK(std::memcmp(abi.version, ours.version, sizeof(abi.version)) == 0,
            "the plug-in '{}' was built for tensorscope {}, and this is {}; build it again", path,
            std::string_view(abi.version, strnlen(abi.version, sizeof(abi.version))), version());
  TSC_CHECK(
      std::memcmp(&abi, &ours, sizeof(abi)) == 0,
      "the plug-in '{}' was built with another compiler, with other flags or with the headers "
      "of another build of tensorscope {}; build it again with what `tensorscope --cflags` "
      "prints",
      path, version());
}

void map(Plugin& plugin) {
  auto* const outer = std::exchange(mapping, &plugin.blocks);
  plugin.handle = dlopen(plugin.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  mapping = outer;
  TSC_CHECK(plugin.handle != nullptr, "cannot load the plug-in: {}", dlerror());
}

void stop(Plugin& plugin) {
  for (auto it = plugin.blocks.rbegin(); it != plugin.blocks.rend(); it++) {
    (*it)->stop();
  }
  plugin.state = State::Stopped;
}

// Stops the plug-in unless all of its blocks ran.
class Start {
 public:
  explicit Start(Plugin& plugin) : plugin_(plugin) { plugin_.state = State::Starting; }
  ~Start() {
    if (plugin_.state != State::Loaded) {
      stop(plugin_);
    }
  }
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;

  void run() {
    for (detail::LibraryInit* block : plugin_.blocks) {
      block->start();
    }
    plugin_.state = State::Loaded;
  }

 private:
  Plugin& plugin_;
};

}  // namespace

void load_plugin(const std::string& path) {
  TSC_CHECK(selected_operators().empty(),
            "cannot load the plug-in '{}': this build has the operators of {} and no plug-ins",
            path, selected_operators());
  // Its constructors may do anything.
  refuse_in_forked_run(fmt::format("loading the plug-in '{}'", path));
  Plugin plugin{absolute_path(path), nullptr, {}};
  check_abi(plugin.path);
  Plugins& known = plugins();
  const std::lock_guard lock(known.mutex);
  map(plugin);
  // The constructors of a file that is mapped already have run.
  const auto same = std::find_if(known.all.begin(), known.all.end(), [&](const Plugin& other) {
    return other.handle == plugin.handle;
  });
  if (same == known.all.end()) {
    known.all.push_back(std::move(plugin));
  } else {
    known.all.splice(known.all.end(), known.all, same);
  }
  if (known.all.back().state == State::Stopped) {
    Start(known.all.back()).run();
  }
}

void unload_plugin(const std::string& path) {
  std::error_code error;  // the file may have gone meanwhile
  const std::string absolute = std::filesystem::weakly_canonical(path, error).string();
  Plugins& known = plugins();
  const std::lock_guard lock(known.mutex);
  const auto found = std::find_if(known.all.begin(), known.all.end(), [&](const Plugin& plugin) {
    return plugin.path == absolute && plugin.state == State::Loaded;
  });
  TSC_CHECK(found != known.all.end(), "the plug-in '{}' is not loaded", path);
  stop(*found);
}

std::vector<std::string> loaded_plugins() {
  Plugins& known = plugins();
  const std::lock_guard lock(known.mutex);
  std::vector<std::string> paths;
  for (const Plugin& plugin : known.all) {
    if (plugin.state == State::Loaded) {
      paths.push_back(plugin.path);
    }
  }
  return paths;
}

namespace detail {

bool defer_block(LibraryInit& init) {
  if (mapping == nullptr) {
    return false;
  }
  mapping->push_back(&init);
  return true;
}

}  // namespace detail

}  // namespace tsc
