#include "ops/cpu/openblas.h"

#include <dlfcn.h>

#include <atomic>

namespace tsc::cpu {

namespace {

// Loops here run on OpenMP's threads. A build of OpenBLAS with threads of its own would fight with
// them for the processors, so the OpenMP build is looked for first.
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

const OpenBlas* load() {
  for (const char* path : kPaths) {
    void* const library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) continue;
    auto* const blas = new OpenBlas();  // lives as long as the library, which is never closed
    if (!find(library, "cblas_sgemm", blas->sgemm) || !find(library, "cblas_dgemm", blas->dgemm) ||
        !find(library, "cblas_cgemm", blas->cgemm) || !find(library, "cblas_zgemm", blas->zgemm)) {
      delete blas;
      dlclose(library);
      continue;
    }
    blas->path = path;
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
  return nullptr;
}

std::atomic<const OpenBlas*> opened{nullptr};

}  // namespace

const OpenBlas* open_blas() {
  static const OpenBlas* const blas = [] {
    const OpenBlas* loaded = load();
    opened.store(loaded);
    return loaded;
  }();
  return blas;
}

const OpenBlas* opened_blas() { return opened.load(); }

}  // namespace tsc::cpu
