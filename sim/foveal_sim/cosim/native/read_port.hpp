// AXI4 read slave over the arena: in-order, configurable latency and bandwidth.
#pragma once

#include <cstring>
#include <deque>

#include "memory_port.hpp"

namespace foveal {

// Pins of one read port. In a cycle the model drives first, the kernel settles, then the model observes.
struct ReadPins {
    const std::uint8_t *arvalid, *arid, *arlen, *arsize, *arburst, *rready;
    const std::uint64_t* araddr;
    std::uint8_t *arready, *rvalid, *rid, *rresp, *rlast;
    std::uint32_t* rdata;
};

class ReadPort : public MemoryPort {
public:
    ReadPort(std::string name, Arena& arena, Violations& violations, unsigned beat_bytes, const ReadPins& pins)
        : MemoryPort(std::move(name), arena, violations, beat_bytes), pins_(pins) {}

    bool idle() const { return queue_.empty(); }

    // Returns whether a pin changed.
    bool drive(std::uint64_t cycle) {
        if (unchanged_) return false;
        bool changed = put(pins_.arready, dead_ != Dead::kRefuse && queue_.size() < timing_.outstanding);
        earn();
        if (presenting_) return changed;
        const bool beat = dead_ == Dead::kAlive && !queue_.empty() && queue_.front().due <= cycle && affordable();
        changed |= put(pins_.rvalid, beat);
        unchanged_ = queue_.empty() && full();
        if (!beat) return changed;
        pay();
        presenting_ = true;
        const Burst& burst = queue_.front();
        const std::uint64_t address = burst.request.address + std::uint64_t(burst.done) * beat_bytes_;
        const std::uint8_t code = response(address);
        *pins_.rid = burst.request.id;
        *pins_.rresp = code;
        *pins_.rlast = burst.done + 1 == burst.request.beats;
        if (code == kOkay)
            std::memcpy(pins_.rdata, arena_.at(address), beat_bytes_);
        else
            std::memset(pins_.rdata, 0, beat_bytes_);
        return true;
    }

    void observe(std::uint64_t cycle) {
        if (*pins_.arvalid || address_waits()) observe_address(cycle);
        if (presenting_ && *pins_.rready) {
            presenting_ = false;
            ++statistics_.beats;
            statistics_.bytes += beat_bytes_;
            if (++queue_.front().done == queue_.front().request.beats) queue_.pop_front();
        }
    }

    void flush() {
        queue_.clear();
        presenting_ = false;
        *pins_.arready = *pins_.rvalid = 0;
        forget();
    }

private:
    void observe_address(std::uint64_t cycle) {
        const Request request{*pins_.araddr, *pins_.arlen + 1u, *pins_.arid};
        observe_request(cycle, *pins_.arvalid, *pins_.arready, request, *pins_.arsize, *pins_.arburst);
        if (*pins_.arvalid && *pins_.arready) {
            queue_.push_back({request, cycle + timing_.latency, 0});
            statistics_.peak_outstanding = std::max<std::uint64_t>(statistics_.peak_outstanding, queue_.size());
            unchanged_ = false;
        }
    }

    struct Burst {
        Request request;
        std::uint64_t due;
        std::uint32_t done;
    };
    ReadPins pins_;
    std::deque<Burst> queue_;
    bool presenting_ = false;
};

}  // namespace foveal
