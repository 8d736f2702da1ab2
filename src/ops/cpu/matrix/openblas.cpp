#include "ops/cpu/matrix/openblas.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "core/system/interrupt.h"
#include "ops/cpu/cpu_level.h"

namespace tsc::cpu {

namespace {

// Loops here run on OpenMP's threads. A build of OpenBLAS with threads of its own would compete
// with them for the processors, so the OpenMP build is searched first.
constexpr const char* kPaths[] = {
    "/usr/lib/x86_64-linux-gnu/openblas-openmp/libopenblas.so.0",
    "/usr/lib/aarch64-linux-gnu/openblas-openmp/libopenblas.so.0",
    "libopenblas_openmp.so.0",
    "libopenblas.so.0",
    "libopenblas.so",
};

template <class F>
bool find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

// An OpenBLAS that is older than the processor takes kernels for the oldest one that it knows: they are
// slow, and with them ssyevd fails after dgeev (0.3.21 on Emerald Rapids). It is loaded once more then,
// and told to take those for a known processor with the same instructions.
void* open_library(const char* path) {
  constexpr int kMode = RTLD_LAZY | RTLD_LOCAL;
  constexpr const char* kVariable = "OPENBLAS_CORETYPE";
  void* const library = dlopen(path, kMode);
  const char* (*core)() = nullptr;
  if (library == nullptr || cpu_level() == CpuLevel::baseline ||
      std::getenv(kVariable) != nullptr || !find(library, "openblas_get_corename", core) ||
      std::strcmp(core(), "Prescott") != 0) {
    return library;
  }
  dlclose(library);
  setenv(kVariable, cpu_level() == CpuLevel::avx512 ? "SkylakeX" : "Haswell", 0);
  void* const known = dlopen(path, kMode);
  unsetenv(kVariable);
  return known;
}

// Null where the file is not OpenBLAS.
const OpenBlas* load(const char* path) {
  void* const library = open_library(path);
  if (library == nullptr) return nullptr;
  auto* const blas = new OpenBlas();  // lives as long as the library, which is never closed
  if (!find(library, "cblas_sgemm", blas->sgemm) || !find(library, "cblas_dgemm", blas->dgemm) ||
      !find(library, "cblas_cgemm", blas->cgemm) || !find(library, "cblas_zgemm", blas->zgemm)) {
    delete blas;
    dlclose(library);
    return nullptr;
  }
  blas->path = path;
  blas->library = library;
  blas->threading = BlasThreading::none;
  int (*threading)() = nullptr;
  if (find(library, "openblas_get_parallel", threading)) {
    blas->threading = static_cast<BlasThreading>(threading());
  }
  void (*set_threads)(int) = nullptr;
  if (blas->threading == BlasThreading::pthreads &&
      find(library, "openblas_set_num_threads", set_threads)) {
    set_threads(1);
  }
  return blas;
}

const OpenBlas* load_first() {
  for (const char* path : kPaths) {
    if (const OpenBlas* const blas = load(path)) return blas;
  }
  return nullptr;
}

// Loads the same file once more. The loader identifies a library by its file, so it loads a copy of
// the file in memory, which stays open, so that no other copy gets its name.
const OpenBlas* load_again(const OpenBlas& blas) {
  link_map* map = nullptr;
  if (dlinfo(blas.library, RTLD_DI_LINKMAP, &map) != 0) return nullptr;
  const int from = open(map->l_name, O_RDONLY | O_CLOEXEC);
  const int to = memfd_create("openblas", MFD_CLOEXEC);
  struct stat status = {};
  bool is_copied = from >= 0 && to >= 0 && fstat(from, &status) == 0;
  for (off_t done = 0; is_copied && done < status.st_size;) {
    is_copied = sendfile(to, from, &done, static_cast<size_t>(status.st_size - done)) > 0;
  }
  if (from >= 0) close(from);
  const OpenBlas* const copy =
      is_copied ? load(("/proc/self/fd/" + std::to_string(to)).c_str()) : nullptr;
  if (copy == nullptr && to >= 0) close(to);
  return copy;
}

std::atomic<const OpenBlas*> opened{nullptr};
thread_local const OpenBlas* of_this_thread = nullptr;

const OpenBlas* find_free() {
  static std::mutex mutex;
  static std::vector<const OpenBlas*> copies;
  const std::lock_guard lock(mutex);
  if (copies.empty()) {
    copies.push_back(load_first());
  }
  for (const OpenBlas* const blas : copies) {
    if (blas == nullptr || !blas->is_left.load()) return blas;
  }
  if (const OpenBlas* const blas = load_again(*copies.front())) {
    copies.push_back(blas);
    return blas;
  }
  while (copies.front()->is_left.load()) {
    throw_if_interrupted();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return copies.front();
}

}  // namespace

const OpenBlas* open_blas() {
  if (of_this_thread != nullptr) return of_this_thread;
  const OpenBlas* blas = opened.load(std::memory_order_acquire);
  if (blas == nullptr || blas->is_left.load(std::memory_order_relaxed)) {
    blas = find_free();
    opened.store(blas, std::memory_order_release);
  }
  return blas;
}

const OpenBlas* opened_blas() { return opened.load(); }

void use_blas_on_this_thread(const OpenBlas* blas) { of_this_thread = blas; }

void leave_blas(const OpenBlas* blas) {
  if (blas != nullptr) blas->is_left.store(true);
}
void give_blas_back(const OpenBlas* blas) {
  if (blas != nullptr) blas->is_left.store(false);
}

}  // namespace tsc::cpu
