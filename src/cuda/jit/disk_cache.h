// Compiled kernels on disk, so that a second process does not compile them again.
//
// The folder is tensorscope/kernels in XDG_CACHE_HOME or ~/.cache (TENSORSCOPE_KERNEL_CACHE names
// another; empty: none), which must be the user's own and closed to others. An entry is a file, named by
// the hash of its key: a header with the hash of the key, the length and the hash of the image, then the
// image. It is written to a temporary name and renamed, so that processes do not see each other's
// unfinished files, and checked when it is read: what does not fit is removed, with one warning.
// Where all entries together exceed TENSORSCOPE_KERNEL_CACHE_MB (256), those go that were not used for
// longest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tsc::cuda {

struct CacheKey {
  uint64_t high;
  uint64_t low;

  // Of the text of all that the image depends on.
  static CacheKey of(std::string_view text);
  std::string hex() const;
  friend bool operator==(const CacheKey&, const CacheKey&) = default;
};

class DiskCache {
 public:
  // The user's.
  static DiskCache& instance();
  // Another folder, which is made where it is not there.
  explicit DiskCache(std::string folder);

  std::optional<std::string> load(const CacheKey& key);
  // Nothing is stored where that fails: on a full disk, or in a folder that is not one's own.
  void store(const CacheKey& key, std::string_view image);
  void clear();
  // Empty where there is no folder to use; `reason` then says why.
  const std::string& folder() const { return folder_; }
  const std::string& reason() const { return reason_; }
  uint64_t bytes() const;
  int entries() const;

 private:
  bool open();
  std::string path_of(const CacheKey& key) const;
  void evict(uint64_t room) const;
  void warn_once(const std::string& message);

  std::string folder_;
  std::string reason_;
  bool warned_ = false;
};

}  // namespace tsc::cuda
