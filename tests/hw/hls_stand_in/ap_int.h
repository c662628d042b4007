// As much of Vitis HLS's ap_int.h as our top functions use: bytes of a wide unsigned integer.
#pragma once
#include <cstdint>

template <int Width>
class ap_uint {
    static_assert(Width % 8 == 0, "whole bytes here");

public:
    class Range {
    public:
        explicit Range(std::uint8_t& byte) : byte_(byte) {}
        Range& operator=(unsigned value) { return byte_ = static_cast<std::uint8_t>(value), *this; }
        unsigned to_uint() const { return byte_; }

    private:
        std::uint8_t& byte_;
    };

    Range range(int high, int low) { return Range(at(high, low)); }
    Range range(int high, int low) const { return const_cast<ap_uint*>(this)->range(high, low); }

private:
    std::uint8_t& at(int high, int low) {
        if (low % 8 || high != low + 7 || high >= Width) throw "a range that is no byte";
        return byte_[low / 8];
    }
    std::uint8_t byte_[Width / 8] = {};
};
