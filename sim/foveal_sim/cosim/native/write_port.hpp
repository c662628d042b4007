// AXI4 write slave over the arena: data is taken after its address, answers come in order.
#pragma once

#include <array>
#include <cstring>
#include <deque>

#include "memory_port.hpp"

namespace foveal {

struct WritePins {
    const std::uint8_t *awvalid, *awid, *awlen, *awsize, *awburst, *wvalid, *wlast, *bready;
    const std::uint64_t* awaddr;
    const std::uint32_t *wdata, *wstrb;
    std::uint8_t *awready, *wready, *bvalid, *bid, *bresp;
};

class WritePort : public MemoryPort {
public:
    static constexpr unsigned kMaxBytes = 32;  // one strobe bit a byte fits one 32-bit word

    WritePort(std::string name, Arena& arena, Violations& violations, unsigned beat_bytes, const WritePins& pins)
        : MemoryPort(std::move(name), arena, violations, beat_bytes), pins_(pins) {
        if (beat_bytes > kMaxBytes) throw std::invalid_argument("the write port model is made for up to 256 bits");
    }

    bool idle() const { return pending_.empty() && answers_.empty(); }

    // Returns whether a pin changed.
    bool drive(std::uint64_t cycle) {
        if (unchanged_) return false;
        bool changed =
            put(pins_.awready, dead_ != Dead::kRefuse && pending_.size() + answers_.size() < timing_.outstanding);
        earn();
        changed |= put(pins_.wready, !pending_.empty() && affordable());
        unchanged_ = idle() && full();
        const bool answer = dead_ == Dead::kAlive && !answers_.empty() && answers_.front().due <= cycle;
        changed |= put(pins_.bvalid, answer);
        if (answer) changed |= put(pins_.bid, answers_.front().id) | put(pins_.bresp, answers_.front().response);
        return changed;
    }

    void observe(std::uint64_t cycle) {
        if (*pins_.bvalid && *pins_.bready) answers_.pop_front();
        if (*pins_.wvalid || data_waiting_) observe_data(cycle);
        if (*pins_.awvalid || address_waits()) observe_address(cycle);
    }

    void flush() {
        pending_.clear();
        answers_.clear();
        data_waiting_ = false;
        *pins_.awready = *pins_.wready = *pins_.bvalid = 0;
        forget();
    }

private:
    struct Burst {
        Request request;
        std::uint32_t done;
        std::uint8_t response;
    };
    struct Answer {
        std::uint64_t due;
        std::uint8_t id, response;
    };

    void observe_address(std::uint64_t cycle) {
        const Request request{*pins_.awaddr, *pins_.awlen + 1u, *pins_.awid};
        observe_request(cycle, *pins_.awvalid, *pins_.awready, request, *pins_.awsize, *pins_.awburst);
        if (*pins_.awvalid && *pins_.awready) {
            pending_.push_back({request, 0, kOkay});
            const std::uint64_t outstanding = pending_.size() + answers_.size();
            statistics_.peak_outstanding = std::max(statistics_.peak_outstanding, outstanding);
            unchanged_ = false;
        }
    }

    void observe_data(std::uint64_t cycle) {
        const bool valid = *pins_.wvalid, ready = *pins_.wready;
        if (data_waiting_) {
            if (!valid)
                violation(cycle, "WVALID fell before WREADY");
            else if (std::memcmp(held_.data(), pins_.wdata, beat_bytes_) || held_strobe_ != *pins_.wstrb ||
                     held_last_ != *pins_.wlast)
                violation(cycle, "write payload changed before WREADY");
        }
        data_waiting_ = valid && !ready;
        if (data_waiting_) {
            std::memcpy(held_.data(), pins_.wdata, beat_bytes_);
            held_strobe_ = *pins_.wstrb;
            held_last_ = *pins_.wlast;
        }
        if (valid && ready) take_beat(cycle);
    }

    void take_beat(std::uint64_t cycle) {
        pay();
        Burst& burst = pending_.front();
        const std::uint64_t address = burst.request.address + std::uint64_t(burst.done) * beat_bytes_;
        const std::uint8_t code = response(address);
        if (code == kOkay)
            store(arena_.at(address));
        else if (burst.response == kOkay)
            burst.response = code;
        ++statistics_.beats;
        statistics_.bytes += static_cast<std::uint64_t>(__builtin_popcount(*pins_.wstrb));
        const bool last = ++burst.done == burst.request.beats;
        if (last != static_cast<bool>(*pins_.wlast)) violation(cycle, "WLAST does not match the burst length");
        if (!last) return;
        answers_.push_back({cycle + timing_.latency, burst.request.id, burst.response});
        pending_.pop_front();
    }

    void store(std::uint8_t* target) const {
        const auto* data = reinterpret_cast<const std::uint8_t*>(pins_.wdata);
        const std::uint32_t strobe = *pins_.wstrb;
        const std::uint32_t all = beat_bytes_ == 32 ? 0xFFFFFFFFu : (1u << beat_bytes_) - 1u;
        if (strobe == all) {
            std::memcpy(target, data, beat_bytes_);
            return;
        }
        for (unsigned i = 0; i < beat_bytes_; ++i)
            if (strobe >> i & 1) target[i] = data[i];
    }

    WritePins pins_;
    std::deque<Burst> pending_;
    std::deque<Answer> answers_;
    std::array<std::uint8_t, kMaxBytes> held_{};
    std::uint32_t held_strobe_ = 0;
    bool held_last_ = false;
    bool data_waiting_ = false;
};

}  // namespace foveal
