// Integers of stated width: saturation, floor division by a power of two, little-endian packing.
#pragma once

#include <cstdint>

namespace foveal {

// Smallest and largest value of a signed integer of `Bits` bits.
template <int Bits>
struct Signed {
    static_assert(Bits > 1 && Bits < 64, "widths that an int64 holds with room to spare");
    static constexpr std::int64_t kMax = (std::int64_t{1} << (Bits - 1)) - 1;
    static constexpr std::int64_t kMin = -kMax - 1;
};

template <int Bits>
constexpr std::int64_t saturate(std::int64_t value) {
    return value > Signed<Bits>::kMax ? Signed<Bits>::kMax : value < Signed<Bits>::kMin ? Signed<Bits>::kMin : value;
}

// Saturates a float64 that holds an integer (`value` must not be a NaN).
template <int Bits>
constexpr std::int64_t saturate(double value) {
    static_assert(Bits <= 53, "both limits must be exact in a float64");
    return value >= static_cast<double>(Signed<Bits>::kMax)   ? Signed<Bits>::kMax
           : value <= static_cast<double>(Signed<Bits>::kMin) ? Signed<Bits>::kMin
                                                              : static_cast<std::int64_t>(value);
}

// floor(value / 2^Shift). An arithmetic shift in every compiler this code meets; C++20 says so, C++17 leaves it open.
template <int Shift>
constexpr std::int64_t floor_shift(std::int64_t value) {
    static_assert((std::int64_t{-1} >> 1) == -1, "right shift must be arithmetic");
    return value >> Shift;
}

constexpr std::int64_t floor_pixel(std::int64_t fixed) { return floor_shift<8>(fixed); }

constexpr std::int64_t ceil_pixel(std::int64_t fixed) { return floor_shift<8>(fixed + 255); }

// Writes the low `Bytes` bytes of `value`, least significant first.
template <int Bytes>
inline void pack(std::uint8_t* out, std::uint64_t value) {
PACK_BYTES:
    for (int i = 0; i < Bytes; ++i) {
#pragma HLS UNROLL  // wires, no logic
        out[i] = static_cast<std::uint8_t>(value >> (8 * i));
    }
}

// The integer whose `Bytes` bytes, least significant first, are at `in`.
template <int Bytes>
inline std::uint64_t unpack(const std::uint8_t* in) {
    static_assert(Bytes >= 1 && Bytes <= 8, "an integer of up to 64 bits");
    std::uint64_t value = 0;
UNPACK_BYTES:
    for (int i = 0; i < Bytes; ++i) {
#pragma HLS UNROLL  // wires, no logic
        value |= std::uint64_t(in[i]) << (8 * i);
    }
    return value;
}

}  // namespace foveal
