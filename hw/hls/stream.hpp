// A stream between two processes: bounded, named, and never silent about being stuck.
//
// In place of hls::stream where a kernel runs natively, each process a thread: a read from an empty stream or a write to
// a full one waits for the other side, and throws StuckStream after `patience`: a deadlock on the card is an error with a
// name here.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <string>

namespace foveal {

class StuckStream : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

template <class T, int Depth>
class Stream {
    static_assert(Depth >= 1, "a stream holds at least one element");

public:
    using Patience = std::chrono::milliseconds;

    explicit Stream(std::string name, Patience patience = Patience(2000)) : name_(std::move(name)), patience_(patience) {}
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    // Throws StuckStream when nothing arrives.
    T read() {
        std::unique_lock<std::mutex> lock(mutex_);
        if (!moved_.wait_for(lock, patience_, [this] { return written_ != read_; })) stuck("nothing to read");
        T value = place_[read_++ % Depth];
        moved_.notify_all();
        return value;
    }

    // Throws StuckStream when no room is made.
    void write(const T& value) {
        std::unique_lock<std::mutex> lock(mutex_);
        if (!moved_.wait_for(lock, patience_, [this] { return written_ - read_ < Depth; })) stuck("no room to write");
        place_[written_++ % Depth] = value;
        moved_.notify_all();
    }

    bool empty() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return written_ == read_;
    }

private:
    [[noreturn]] void stuck(const char* what) const {
        throw StuckStream("stream '" + name_ + "' is stuck, " + what + " for " + std::to_string(patience_.count()) +
                          " ms (depth " + std::to_string(Depth) + ", " + std::to_string(written_) + " written, " +
                          std::to_string(read_) + " read)");
    }

    std::string name_;
    Patience patience_;
    std::mutex mutex_;
    std::condition_variable moved_;
    T place_[Depth] = {};
    std::uint64_t written_ = 0, read_ = 0;
};

}  // namespace foveal

