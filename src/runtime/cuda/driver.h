// SPDX-License-Identifier: Apache-2.0
// The CUDA driver API, found at run time. The declarations are our own and name only what is used;
// no CUDA header is needed to build.
#pragma once

#include "base/dynamic_library.h"

#include <parhelion/diagnostic.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace parhelion::runtime::cuda {

using Status = int;  // 0: success
using DeviceHandle = int;
using Address = unsigned long long;  // of device memory
using Context = struct ContextTag*;
using Module = struct ModuleTag*;
using Function = struct FunctionTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;
using Graph = struct GraphTag*;
using GraphRun = struct GraphRunTag*;

struct LaunchConfig {
  unsigned grid_x = 1, grid_y = 1, grid_z = 1;
  unsigned block_x = 1, block_y = 1, block_z = 1;
  unsigned shared_bytes = 0;
  Stream stream = nullptr;
  void* attributes = nullptr;
  unsigned attribute_count = 0;
};

enum class Attribute : int {
  ClockKhz = 13,
  Multiprocessors = 16,
  MemoryClockKhz = 36,
  MemoryBusBits = 37,
  L2Bytes = 38,
  ThreadsPerMultiprocessor = 39,
  Major = 75,
  Minor = 76,
  SharedPerMultiprocessor = 81,
  RegistersPerMultiprocessor = 82,
  SharedPerBlock = 97,
  BlocksPerMultiprocessor = 106,
};
inline constexpr int function_dynamic_shared_bytes = 8;  // CUfunction_attribute
inline constexpr unsigned stream_non_blocking = 1;
inline constexpr int capture_thread_local = 1;

// PH_DRIVER(member, symbol of libcuda, parameters): every one returns a Status.
#define PH_DRIVER_FUNCTIONS(PH_DRIVER)                                                            \
  PH_DRIVER(init, "cuInit", (unsigned flags))                                                     \
  PH_DRIVER(version, "cuDriverGetVersion", (int* version))                                        \
  PH_DRIVER(device_count, "cuDeviceGetCount", (int* count))                                       \
  PH_DRIVER(device_get, "cuDeviceGet", (DeviceHandle * device, int index))                        \
  PH_DRIVER(device_name, "cuDeviceGetName", (char* name, int length, DeviceHandle device))        \
  PH_DRIVER(device_attribute, "cuDeviceGetAttribute",                                             \
            (int* value, int attribute, DeviceHandle device))                                     \
  PH_DRIVER(context_retain, "cuDevicePrimaryCtxRetain", (Context * context, DeviceHandle device)) \
  PH_DRIVER(context_release, "cuDevicePrimaryCtxRelease_v2", (DeviceHandle device))               \
  PH_DRIVER(context_set, "cuCtxSetCurrent", (Context context))                                    \
  PH_DRIVER(module_load, "cuModuleLoadData", (Module * module, const void* image))                \
  PH_DRIVER(module_unload, "cuModuleUnload", (Module module))                                     \
  PH_DRIVER(module_function, "cuModuleGetFunction",                                               \
            (Function * function, Module module, const char* name))                               \
  PH_DRIVER(function_set, "cuFuncSetAttribute", (Function function, int attribute, int value))    \
  PH_DRIVER(memory_allocate, "cuMemAlloc_v2", (Address * memory, std::size_t bytes))              \
  PH_DRIVER(memory_free, "cuMemFree_v2", (Address memory))                                        \
  PH_DRIVER(copy_in, "cuMemcpyHtoD_v2",                                                           \
            (Address destination, const void* source, std::size_t bytes))                         \
  PH_DRIVER(copy_out, "cuMemcpyDtoH_v2", (void* destination, Address source, std::size_t bytes))  \
  PH_DRIVER(set_bytes, "cuMemsetD8Async",                                                         \
            (Address memory, unsigned char value, std::size_t bytes, Stream stream))              \
  PH_DRIVER(stream_create, "cuStreamCreate", (Stream * stream, unsigned flags))                   \
  PH_DRIVER(stream_destroy, "cuStreamDestroy_v2", (Stream stream))                                \
  PH_DRIVER(stream_synchronize, "cuStreamSynchronize", (Stream stream))                           \
  PH_DRIVER(event_create, "cuEventCreate", (Event * event, unsigned flags))                       \
  PH_DRIVER(event_destroy, "cuEventDestroy_v2", (Event event))                                    \
  PH_DRIVER(event_record, "cuEventRecord", (Event event, Stream stream))                          \
  PH_DRIVER(event_synchronize, "cuEventSynchronize", (Event event))                               \
  PH_DRIVER(event_elapsed, "cuEventElapsedTime", (float* milliseconds, Event start, Event end))   \
  PH_DRIVER(launch, "cuLaunchKernelEx",                                                           \
            (const LaunchConfig* config, Function function, void** parameters, void** extra))     \
  PH_DRIVER(capture_begin, "cuStreamBeginCapture_v2", (Stream stream, int mode))                  \
  PH_DRIVER(capture_end, "cuStreamEndCapture", (Stream stream, Graph * graph))                    \
  PH_DRIVER(graph_instantiate, "cuGraphInstantiateWithFlags",                                     \
            (GraphRun * run, Graph graph, unsigned long long flags))                              \
  PH_DRIVER(graph_launch, "cuGraphLaunch", (GraphRun run, Stream stream))                         \
  PH_DRIVER(graph_run_destroy, "cuGraphExecDestroy", (GraphRun run))                              \
  PH_DRIVER(graph_destroy, "cuGraphDestroy", (Graph graph))                                       \
  PH_DRIVER(error_name, "cuGetErrorName", (Status status, const char** name))                     \
  PH_DRIVER(error_text, "cuGetErrorString", (Status status, const char** text))

struct Driver {
#define PH_DRIVER(member, symbol, parameters) Status(*member) parameters = nullptr;
  PH_DRIVER_FUNCTIONS(PH_DRIVER)
#undef PH_DRIVER
  DynamicLibrary library;

  /// PH8601 when there is no driver, or one that is older than what we call.
  [[nodiscard]] static Result<std::shared_ptr<const Driver>> load();
  /// PH8602 with the driver's own words, unless `status` is success.
  [[nodiscard]] Result<void> check(Status status, std::string_view doing) const;
};

}  // namespace parhelion::runtime::cuda
