// The call that every client makes most, told and answered as MessagePack-RPC has it: one step of a synchronous world.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace foveal {

// A request is an array of 4: 0, its number, the name, and arguments, which are metadata alone: an answer is awaited.
class TickCall {
public:
    static constexpr std::size_t kLongest = 2 + 5 + 12;

    // Is `data` one plain tick and nothing else?
    static bool is(const unsigned char* data, std::size_t size) {
        if (size < sizeof kHead + 1 + sizeof kTail || size > kLongest) return false;
        const std::size_t number = size - sizeof kHead - sizeof kTail;
        return std::memcmp(data, kHead, sizeof kHead) == 0 &&
               std::memcmp(data + sizeof kHead + number, kTail, sizeof kTail) == 0 &&
               number == number_size(data[sizeof kHead]);
    }

    // Writes the response to it with the value `frame`; returns its size.
    static std::size_t answer(const unsigned char* data, std::size_t size, std::uint64_t frame,
                              std::array<unsigned char, 32>& out) {
        static constexpr unsigned char head[] = {0x94, 0x01}, tail[] = {0xC0, 0x91, 0x92, 0x01};
        const std::size_t number = size - sizeof kHead - sizeof kTail;
        unsigned char* at = out.data();
        at = put(at, head, sizeof head);
        at = put(at, data + sizeof kHead, number);
        at = put(at, tail, sizeof tail);
        at = put_number(at, frame);
        return std::size_t(at - out.data());
    }

private:
    static constexpr unsigned char kHead[] = {0x94, 0x00};
    static constexpr unsigned char kTail[] = {0xA8, 't', 'i', 'c', 'k', '_', 'c', 'u', 'e', 0x91, 0x91, 0xC2};

    // Bytes of a packed number that begins with `first`; 0 for what is none up to 32 bits.
    static std::size_t number_size(unsigned char first) {
        if (first < 0x80) return 1;
        return first == 0xCC ? 2 : first == 0xCD ? 3 : first == 0xCE ? 5 : 0;
    }

    static unsigned char* put(unsigned char* at, const unsigned char* bytes, std::size_t size) {
        std::memcpy(at, bytes, size);
        return at + size;
    }

    static unsigned char* put_number(unsigned char* at, std::uint64_t value) {
        if (value < 0x80) {
            *at++ = static_cast<unsigned char>(value);
            return at;
        }
        const int power = value < 1u << 8 ? 0 : value < 1u << 16 ? 1 : value < std::uint64_t(1) << 32 ? 2 : 3;
        *at++ = static_cast<unsigned char>(0xCC + power);
        for (int byte = (1 << power) - 1; byte >= 0; --byte) *at++ = static_cast<unsigned char>(value >> 8 * byte);
        return at;
    }
};

}  // namespace foveal
