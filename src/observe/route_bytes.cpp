#include "observe/route_bytes.h"

#include <cstring>
#include <type_traits>

#include "core/error.h"
#include "core/system/stack_space.h"

namespace tsc::observe {

namespace {

template <class T>
concept Plain = std::is_trivially_copyable_v<T>;
template <class T, class Record>
concept Is = std::is_same_v<std::remove_const_t<T>, Record>;

// One description of each record serves both directions: a Writer takes each field in, a Reader
// fills it.
template <class Archive, Is<ArgumentRecord> R>
void pass(Archive& archive, R& argument) {
  archive(argument.name);
  archive(argument.value);
  archive(argument.is_tensor);
  archive(argument.is_keyword_only);
  archive(argument.keys);
}

template <class Archive, Is<HopKernel> R>
void pass(Archive& archive, R& kernel) {
  archive(kernel.name);
  archive(kernel.source);
  archive(kernel.is_boxed);
  archive(kernel.is_missing);
  archive(kernel.place);
}

template <class Archive, Is<LaunchRecord> R>
void pass(Archive& archive, R& launch) {
  archive(launch.kernel);
  archive(launch.origin);
  archive(launch.entry);
  archive(launch.blocks);
  archive(launch.threads);
}

template <class Archive, Is<HopRecord> R>
void pass(Archive& archive, R& hop) {
  check_stack_space("in a route");
  archive(hop.op);
  archive(hop.step);
  archive(hop.form);
  archive(hop.depth);
  archive(hop.arguments);
  archive(hop.included);
  archive(hop.excluded);
  archive(hop.merged);
  archive(hop.key);
  archive(hop.passed);
  archive(hop.kernel);
  archive(hop.results);
  archive(hop.nanoseconds);
  archive(hop.launches);
  archive(hop.inner);
}

class Writer {
 public:
  template <class T>
  void operator()(const T& value) {
    if constexpr (Plain<T>) {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
    } else {
      pass(*this, value);
    }
  }
  void operator()(const std::string& text) {
    (*this)(text.size());
    bytes_ += text;
  }
  template <class T>
  void operator()(const std::vector<T>& items) {
    (*this)(items.size());
    for (const T& item : items) {
      (*this)(item);
    }
  }
  template <class T>
  void operator()(const std::optional<T>& value) {
    (*this)(value.has_value());
    if (value.has_value()) {
      (*this)(*value);
    }
  }

  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  void operator()(T& value) {
    if constexpr (Plain<T>) {
      std::memcpy(&value, next(sizeof(value)).data(), sizeof(value));
    } else {
      pass(*this, value);
    }
  }
  void operator()(std::string& text) { text = next(size()); }
  template <class T>
  void operator()(std::vector<T>& items) {
    items.resize(size());
    for (T& item : items) {
      (*this)(item);
    }
  }
  template <class T>
  void operator()(std::optional<T>& value) {
    bool has_value = false;
    (*this)(has_value);
    if (has_value) {
      (*this)(value.emplace());
    }
  }

 private:
  size_t size() {
    size_t count = 0;
    (*this)(count);
    return count;
  }
  std::string_view next(size_t count) {
    TSC_ASSERT(count <= bytes_.size());
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }

  std::string_view bytes_;
};

}  // namespace

std::string to_bytes(const HopRecord& hop) {
  Writer writer;
  writer(hop);
  return writer.take();
}

HopRecord hop_of_bytes(std::string_view bytes) {
  HopRecord hop;
  Reader reader(bytes);
  reader(hop);
  return hop;
}

}  // namespace tsc::observe
