// The part of the CUDA driver API and of NVRTC that is used here: types, constants and the lists of
// functions. NVIDIA documents both interfaces; they are stable, so that no toolkit has to be there to
// build, or to run where the driver is. The emulator defines functions of the same names.
#pragma once

#include <cstddef>

namespace tsc::cuda {

using Result = int;                             // CUresult
using DevicePointer = unsigned long long;       // CUdeviceptr
using DeviceHandle = int;                       // CUdevice
using ContextHandle = struct ContextObject*;    // CUcontext
using ModuleHandle = struct ModuleObject*;      // CUmodule
using FunctionHandle = struct FunctionObject*;  // CUfunction
using StreamHandle = struct StreamObject*;      // CUstream
using EventHandle = struct EventObject*;        // CUevent

inline constexpr Result kSuccess = 0;
inline constexpr Result kInvalidValue = 1;
inline constexpr Result kOutOfMemory = 2;
inline constexpr Result kNotInitialized = 3;
inline constexpr Result kNoDevice = 100;
inline constexpr Result kInvalidDevice = 101;
inline constexpr Result kInvalidImage = 200;
inline constexpr Result kInvalidContext = 201;
inline constexpr Result kNotFound = 500;
inline constexpr Result kNotReady = 600;
inline constexpr Result kIllegalAddress = 700;
inline constexpr Result kLaunchOutOfResources = 701;
inline constexpr Result kLaunchFailed = 719;

// CUdevice_attribute.
inline constexpr int kMaxThreadsPerBlock = 1;
inline constexpr int kWarpSize = 10;
inline constexpr int kClockRate = 13;
inline constexpr int kMultiprocessorCount = 16;
inline constexpr int kIsIntegrated = 18;
inline constexpr int kPciDomainId = 50;
inline constexpr int kPciBusId = 33;
inline constexpr int kPciDeviceId = 34;
inline constexpr int kL2CacheSize = 38;
inline constexpr int kMaxThreadsPerMultiprocessor = 39;
inline constexpr int kComputeCapabilityMajor = 75;
inline constexpr int kComputeCapabilityMinor = 76;
inline constexpr int kSharedMemoryPerMultiprocessor = 81;
inline constexpr int kSharedMemoryPerBlock = 8;
inline constexpr int kRegistersPerMultiprocessor = 82;
inline constexpr int kIsMultiGpuBoard = 84;
inline constexpr int kSharedMemoryPerBlockOptin = 97;

// CUfunction_attribute.
inline constexpr int kFunctionSharedBytes = 1;
inline constexpr int kFunctionLocalBytes = 3;
inline constexpr int kFunctionRegisters = 4;

// Flags of cuStreamCreate and cuEventCreate.
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDisableTiming = 2;

// Name in the library, name here, parameters; all return a Result.
// clang-format off
#define TSC_DRIVER_FUNCTIONS(_)                                                                       \
  _(cuInit, init, unsigned flags)                                                                     \
  _(cuDriverGetVersion, driver_version, int* version)                                                 \
  _(cuGetErrorName, error_name, Result result, const char** text)                                     \
  _(cuGetErrorString, error_string, Result result, const char** text)                                 \
  _(cuDeviceGetCount, device_count, int* count)                                                       \
  _(cuDeviceGet, device, DeviceHandle* device, int ordinal)                                           \
  _(cuDeviceGetName, device_name, char* name, int size, DeviceHandle device)                          \
  _(cuDeviceGetAttribute, device_attribute, int* value, int attribute, DeviceHandle device)           \
  _(cuDeviceTotalMem_v2, device_memory, size_t* bytes, DeviceHandle device)                           \
  _(cuDevicePrimaryCtxRetain, retain_primary_context, ContextHandle* context, DeviceHandle device)    \
  _(cuCtxSetCurrent, set_context, ContextHandle context)                                              \
  _(cuCtxGetCurrent, context, ContextHandle* context)                                                 \
  _(cuCtxSynchronize, synchronize_context)                                                            \
  _(cuMemGetInfo_v2, memory_info, size_t* free, size_t* total)                                        \
  _(cuMemAlloc_v2, allocate, DevicePointer* memory, size_t bytes)                                     \
  _(cuMemFree_v2, free, DevicePointer memory)                                                         \
  _(cuMemHostAlloc, allocate_host, void** memory, size_t bytes, unsigned flags)                       \
  _(cuMemFreeHost, free_host, void* memory)                                                           \
  _(cuMemcpyHtoDAsync_v2, copy_to_device, DevicePointer to, const void* from, size_t bytes, StreamHandle stream) \
  _(cuMemcpyDtoHAsync_v2, copy_to_host, void* to, DevicePointer from, size_t bytes, StreamHandle stream) \
  _(cuMemcpyDtoDAsync_v2, copy_on_device, DevicePointer to, DevicePointer from, size_t bytes, StreamHandle stream) \
  _(cuMemcpyPeerAsync, copy_between_devices, DevicePointer to, ContextHandle to_context, DevicePointer from, ContextHandle from_context, size_t bytes, StreamHandle stream) \
  _(cuMemsetD8Async, set_bytes, DevicePointer to, unsigned char value, size_t count, StreamHandle stream) \
  _(cuStreamCreateWithPriority, create_stream, StreamHandle* stream, unsigned flags, int priority)    \
  _(cuStreamDestroy_v2, destroy_stream, StreamHandle stream)                                          \
  _(cuStreamSynchronize, synchronize_stream, StreamHandle stream)                                     \
  _(cuStreamQuery, query_stream, StreamHandle stream)                                                 \
  _(cuStreamWaitEvent, wait_for_event, StreamHandle stream, EventHandle event, unsigned flags)        \
  _(cuEventCreate, create_event, EventHandle* event, unsigned flags)                                  \
  _(cuEventDestroy_v2, destroy_event, EventHandle event)                                              \
  _(cuEventRecord, record_event, EventHandle event, StreamHandle stream)                              \
  _(cuEventQuery, query_event, EventHandle event)                                                     \
  _(cuEventSynchronize, synchronize_event, EventHandle event)                                         \
  _(cuEventElapsedTime, elapsed_ms, float* ms, EventHandle start, EventHandle end)                    \
  _(cuModuleLoadData, load_module, ModuleHandle* module, const void* image)                           \
  _(cuModuleUnload, unload_module, ModuleHandle module)                                               \
  _(cuModuleGetFunction, function, FunctionHandle* function, ModuleHandle module, const char* name)   \
  _(cuFuncGetAttribute, function_attribute, int* value, int attribute, FunctionHandle function)       \
  _(cuOccupancyMaxActiveBlocksPerMultiprocessor, occupancy, int* blocks, FunctionHandle function, int block_size, size_t shared_bytes) \
  _(cuLaunchKernel, launch, FunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, StreamHandle stream, void** parameters, void** extra)

using CompileResult = int;                   // nvrtcResult
using ProgramHandle = struct ProgramObject*;  // nvrtcProgram
inline constexpr CompileResult kCompilationFailed = 6;

#define TSC_NVRTC_FUNCTIONS(_)                                                                        \
  _(nvrtcVersion, version, int* major, int* minor)                                                    \
  _(nvrtcCreateProgram, create, ProgramHandle* program, const char* source, const char* name, int headers, const char* const* texts, const char* const* names) \
  _(nvrtcDestroyProgram, destroy, ProgramHandle* program)                                             \
  _(nvrtcCompileProgram, compile, ProgramHandle program, int options, const char* const* option)      \
  _(nvrtcGetProgramLogSize, log_size, ProgramHandle program, size_t* bytes)                           \
  _(nvrtcGetProgramLog, log, ProgramHandle program, char* text)                                       \
  _(nvrtcGetCUBINSize, cubin_size, ProgramHandle program, size_t* bytes)                              \
  _(nvrtcGetCUBIN, cubin, ProgramHandle program, char* image)                                         \
  _(nvrtcGetPTXSize, ptx_size, ProgramHandle program, size_t* bytes)                                  \
  _(nvrtcGetPTX, ptx, ProgramHandle program, char* text)                                              \
  _(nvrtcGetNumSupportedArchs, architecture_count, int* count)                                        \
  _(nvrtcGetSupportedArchs, architectures, int* numbers)
// clang-format on

}  // namespace tsc::cuda
