// See xrt_uuid.h.
#pragma once

namespace xrt::system {
unsigned int enumerate_devices();
}  // namespace xrt::system
