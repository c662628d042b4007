// What the read and the write side of the memory model share: timing, injected faults, protocol record, statistics.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "arena.hpp"

namespace foveal {

enum Response : std::uint8_t { kOkay = 0, kSlverr = 2, kDecerr = 3 };

// kRefuse: no request is ever accepted. kSilent: requests and data are accepted and never answered.
enum class Dead { kAlive, kRefuse, kSilent };

struct Timing {
    std::uint32_t latency = 42;      // cycles from the request (read) or the last beat (write) to the response
    double bandwidth = 1.0;          // beats a cycle, above 0 up to 1
    std::uint32_t outstanding = 16;  // requests accepted and not yet answered
};

struct Statistics {
    std::uint64_t bursts = 0, beats = 0, bytes = 0, peak_outstanding = 0;
};

// Protocol violations of the kernel, with the cycle of each; the first kLimit are kept.
class Violations {
public:
    static constexpr std::size_t kLimit = 64;

    void add(std::uint64_t cycle, const std::string& port, const std::string& text) {
        ++count_;
        if (texts_.size() < kLimit) texts_.push_back("cycle " + std::to_string(cycle) + ", " + port + ": " + text);
    }
    const std::vector<std::string>& texts() const { return texts_; }
    std::uint64_t count() const { return count_; }
    void clear() { texts_.clear(), count_ = 0; }

private:
    std::vector<std::string> texts_;
    std::uint64_t count_ = 0;
};

class MemoryPort {
public:
    MemoryPort(std::string name, Arena& arena, Violations& violations, unsigned beat_bytes)
        : name_(std::move(name)), arena_(arena), violations_(violations), beat_bytes_(beat_bytes) {}

    void set_timing(const Timing& timing) {
        if (timing.latency < 1 || timing.outstanding < 1 || !(timing.bandwidth > 0 && timing.bandwidth <= 1))
            throw std::invalid_argument(name_ + ": latency >= 1, outstanding >= 1 and 0 < bandwidth <= 1 are needed");
        timing_ = timing;
        unchanged_ = false;
    }
    void set_dead(Dead dead) { dead_ = dead, unchanged_ = false; }
    // Beats that touch [first, last) answer `response`.
    void fail_range(std::uint64_t first, std::uint64_t last, std::uint8_t response) {
        ranges_.push_back({first, last, check(response)});
    }
    // The n-th beat from now on (0: the next one) answers `response`.
    void fail_beat(std::uint64_t n, std::uint8_t response) {
        beats_.push_back({statistics_.beats + n, statistics_.beats + n + 1, check(response)});
    }
    void clear_faults() { ranges_.clear(), beats_.clear(), set_dead(Dead::kAlive); }
    const Statistics& statistics() const { return statistics_; }
    unsigned beat_bytes() const { return beat_bytes_; }
    const std::string& name() const { return name_; }

protected:
    struct Request {
        std::uint64_t address;
        std::uint32_t beats;
        std::uint8_t id;
        bool operator==(const Request& o) const { return address == o.address && beats == o.beats && id == o.id; }
    };
    struct Fault {
        std::uint64_t first, last;
        std::uint8_t response;
    };

    static std::uint8_t check(std::uint8_t response) {
        if (response != kSlverr && response != kDecerr) throw std::invalid_argument("a response is 2 (SLVERR) or 3 (DECERR)");
        return response;
    }

    void violation(std::uint64_t cycle, const char* text) { violations_.add(cycle, name_, text); }

    // Whether an address that the kernel showed was not taken yet.
    bool address_waits() const { return waiting_; }

    // VALID and payload of an address channel must hold until READY; each request obeys the AXI4 burst rules.
    void observe_request(std::uint64_t cycle, bool valid, bool ready, const Request& request, std::uint8_t size,
                         std::uint8_t burst) {
        if (waiting_ && !valid) violation(cycle, "address VALID fell before READY");
        if (waiting_ && valid && !(request == waiting_request_)) violation(cycle, "address payload changed before READY");
        waiting_ = valid && !ready;
        waiting_request_ = request;
        if (!valid || !ready) return;
        ++statistics_.bursts;
        const std::uint64_t last = request.address + std::uint64_t(request.beats) * beat_bytes_ - 1;
        if (burst != 1) violation(cycle, "burst is not INCR");
        if ((1u << size) != beat_bytes_) violation(cycle, "beats are not full width");
        if (request.address % beat_bytes_) violation(cycle, "burst is not aligned to a beat");
        if (request.address / Arena::kPage != last / Arena::kPage) violation(cycle, "burst crosses a 4 KiB boundary");
    }

    // Response of one beat at `address`; a beat outside the arena is a DECERR.
    std::uint8_t response(std::uint64_t address) const {
        if (!arena_.holds(address, beat_bytes_)) return kDecerr;
        for (const Fault& f : ranges_)
            if (address < f.last && address + beat_bytes_ > f.first) return f.response;
        for (const Fault& f : beats_)
            if (statistics_.beats == f.first) return f.response;
        return kOkay;
    }

    // Token bucket: one token a beat. The cap of 2 lets a fractional rate reach its mean and no burst run ahead of it.
    void earn() { tokens_ = std::min(tokens_ + timing_.bandwidth, kFull); }
    bool full() const { return tokens_ == kFull; }
    bool affordable() const { return tokens_ >= 1.0; }
    void pay() { tokens_ -= 1.0; }

    // Drive a pin; returns whether it changed.
    static bool put(std::uint8_t* pin, std::uint8_t value) {
        const bool changed = *pin != value;
        *pin = value;
        return changed;
    }

    void forget() { waiting_ = false, tokens_ = 0, unchanged_ = false; }

    std::string name_;
    Arena& arena_;
    Violations& violations_;
    unsigned beat_bytes_;
    Timing timing_;
    Dead dead_ = Dead::kAlive;
    Statistics statistics_;
    bool unchanged_ = false;  // nothing is in flight and drive() would leave the port as it is

private:
    static constexpr double kFull = 2.0;

    std::vector<Fault> ranges_, beats_;
    double tokens_ = 0;
    bool waiting_ = false;
    Request waiting_request_{};
};

}  // namespace foveal
