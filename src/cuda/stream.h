// Streams and events: work on a stream is done in order; the current stream of a device takes what the
// operators of this thread start.
#pragma once

#include <cstdint>

#include "cuda/driver.h"

namespace tsc::cuda {

// A stream of a device. The default stream's handle is null; others live as long as the process, as
// PyTorch's pools do.
struct Stream {
  int device = 0;
  int64_t id = 0;  // 0: the default stream
  StreamHandle handle = nullptr;

  friend bool operator==(const Stream& a, const Stream& b) {
    return a.device == b.device && a.id == b.id;
  }
};

// The current stream of a device on this thread; of the current device without an index.
const Stream& current_stream(int device = -1);
void set_current_stream(const Stream& stream);
Stream default_stream(int device);
// One of a pool of 32 a device and priority (0 or -1, the higher one), in turn.
Stream next_stream(int device, int priority);
void synchronize_stream(const Stream& stream);
// Whether everything on it is done.
bool query_stream(const Stream& stream);

}  // namespace tsc::cuda
