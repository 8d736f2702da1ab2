#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "cuda/emulator/state.h"

namespace tsc::cuda::emulator {

std::mutex mutex;
Memory memory;

namespace {

constexpr size_t kAlignment = 256;
constexpr size_t kDefaultTotal = size_t{4} << 30;

size_t page_size() {
  static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}
bool is_strict() {
  const char* const text = std::getenv("TENSORSCOPE_EMULATOR_STRICT");
  return text != nullptr && std::strcmp(text, "1") == 0;
}

}  // namespace

size_t Memory::total() const {
  const char* const text = std::getenv("TENSORSCOPE_EMULATOR_MEMORY");
  return text == nullptr ? kDefaultTotal : std::strtoull(text, nullptr, 10);
}
size_t Memory::in_use(int device) const {
  size_t bytes = 0;
  for (const auto& [at, allocation] : allocations_) {
    if (allocation.device == device) bytes += allocation.bytes;
  }
  return bytes;
}

// The allocation's end is the page's, as nearly as the alignment lets it be.
DevicePointer Memory::allocate(size_t bytes, int device) {
  strict_ = is_strict();
  const size_t page = page_size();
  const size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (in_use(device) + rounded > total()) return 0;
  const size_t data = (rounded + page - 1) / page * page;
  void* const mapping =
      mmap(nullptr, data + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return 0;
  if (mprotect(mapping, data, PROT_READ | PROT_WRITE) != 0) {
    munmap(mapping, data + page);
    return 0;
  }
  char* const start = static_cast<char*>(mapping) + (data - rounded);
  // What is read before it is written is seen.
  std::memset(start, 0xcd, bytes < 4096 ? bytes : 4096);
  if (strict_) mprotect(mapping, data, PROT_NONE);
  const auto at = reinterpret_cast<DevicePointer>(start);
  allocations_[at] = {bytes, data + page, static_cast<char*>(mapping), device};
  return at;
}

bool Memory::free(DevicePointer at) {
  const auto found = allocations_.find(at);
  if (found == allocations_.end()) return false;
  munmap(found->second.mapping, found->second.mapped);
  allocations_.erase(found);
  return true;
}

const Allocation* Memory::find(DevicePointer at, DevicePointer& begin) const {
  auto found = allocations_.upper_bound(at);
  if (found == allocations_.begin()) return nullptr;
  found--;
  begin = found->first;
  return &found->second;
}
bool Memory::holds(DevicePointer at, size_t bytes) const {
  DevicePointer begin = 0;
  const Allocation* const allocation = find(at, begin);
  return allocation != nullptr && at - begin + bytes <= allocation->bytes;
}

void Memory::open() {
  if (!strict_) return;
  for (const auto& [at, allocation] : allocations_) {
    mprotect(allocation.mapping, allocation.mapped - page_size(), PROT_READ | PROT_WRITE);
  }
}
void Memory::close() {
  if (!strict_) return;
  for (const auto& [at, allocation] : allocations_) {
    mprotect(allocation.mapping, allocation.mapped - page_size(), PROT_NONE);
  }
}

bool fails(const char* what) {
  struct Fault {
    std::string what;
    long left;
  };
  static std::vector<Fault> faults = [] {
    std::vector<Fault> read;
    const char* const text = std::getenv("TENSORSCOPE_EMULATOR_FAIL");
    std::string rest = text == nullptr ? "" : text;
    while (!rest.empty()) {
      const size_t comma = rest.find(',');
      const std::string item = rest.substr(0, comma);
      rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
      const size_t colon = item.find(':');
      if (colon != std::string::npos) {
        read.push_back({item.substr(0, colon), std::strtol(item.c_str() + colon + 1, nullptr, 10)});
      }
    }
    return read;
  }();
  for (Fault& fault : faults) {
    if (fault.what == what && fault.left > 0 && --fault.left == 0) return true;
  }
  return false;
}

}  // namespace tsc::cuda::emulator
