// Device memory of the co-simulated card: one block of bytes at a non-zero device address.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>

namespace foveal {

class Arena {
public:
    static constexpr std::uint64_t kPage = 4096;

    Arena(std::uint64_t base, std::uint64_t size) : base_(base), size_(size) {
        if (size == 0 || size % kPage || base % kPage || base + size < base)
            throw std::invalid_argument("device memory needs a base and a size in whole 4 KiB pages");
        // calloc: pages that nobody touches cost no host memory.
        bytes_.reset(static_cast<std::uint8_t*>(std::calloc(size, 1)));
        if (!bytes_) throw std::bad_alloc();
    }

    std::uint64_t base() const { return base_; }
    std::uint64_t size() const { return size_; }
    std::uint8_t* data() { return bytes_.get(); }

    bool holds(std::uint64_t address, std::uint64_t length) const {
        return address >= base_ && length <= size_ && address - base_ <= size_ - length;
    }

    std::uint8_t* at(std::uint64_t address) { return bytes_.get() + (address - base_); }

private:
    struct Free {
        void operator()(std::uint8_t* bytes) const { std::free(bytes); }
    };
    std::uint64_t base_, size_;
    std::unique_ptr<std::uint8_t[], Free> bytes_;
};

}  // namespace foveal
