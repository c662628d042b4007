// Declarations of XRT's, as far as foveal._xrt uses them, so that its source is compiled where XRT is not installed.
#pragma once
#include <string>

namespace xrt {
class uuid {
public:
    std::string to_string() const;
};
}  // namespace xrt
