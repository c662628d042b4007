// As much of Vitis HLS's hls_stream.h as our top functions use.
#pragma once
#include <deque>

namespace hls {
template <class T>
class stream {
public:
    T read() {
        if (held_.empty()) throw "read from an empty stream";
        T value = held_.front();
        held_.pop_front();
        return value;
    }
    void write(const T& value) { held_.push_back(value); }
    bool empty() const { return held_.empty(); }

private:
    std::deque<T> held_;
};
}  // namespace hls
