// Drives the co-simulation's memory ports by hand; prints the name of each check that fails and returns their number.
#include <cstdio>
#include <string>
#include <vector>

#include "read_port.hpp"
#include "write_port.hpp"

using namespace foveal;

namespace {

constexpr std::uint64_t kBase = 0x400000000;
int failures = 0;

void check(bool good, const char* name) {
    if (!good) {
        std::printf("%s\n", name);
        ++failures;
    }
}

bool reported(const Violations& violations, const char* words) {
    for (const std::string& text : violations.texts())
        if (text.find(words) != std::string::npos) return true;
    return false;
}

struct ReadBench {
    Arena arena{kBase, 16384};
    Violations violations;
    std::uint8_t arvalid = 0, arid = 0, arlen = 0, arsize = 6, arburst = 1, rready = 1;
    std::uint64_t araddr = kBase;
    std::uint8_t arready = 0, rvalid = 0, rid = 0, rresp = 0, rlast = 0;
    std::uint32_t rdata[16] = {};
    ReadPort port{"gmem0", arena, violations, 64,
                  {&arvalid, &arid, &arlen, &arsize, &arburst, &rready, &araddr, &arready, &rvalid, &rid, &rresp, &rlast, rdata}};
    std::uint64_t cycle = 0;
    struct Beat {
        std::uint64_t cycle;
        std::uint32_t word;
        int response;
        bool last;
    };
    std::vector<Beat> beats;

    ReadBench() {
        for (unsigned i = 0; i < 16384; ++i) arena.data()[i] = static_cast<std::uint8_t>(i / 64);
    }
    void step(unsigned cycles = 1) {
        for (unsigned i = 0; i < cycles; ++i, ++cycle) {
            port.drive(cycle);
            const bool request = arvalid && arready;
            port.observe(cycle);
            if (rvalid && rready) beats.push_back({cycle, rdata[0] & 0xFF, rresp, rlast != 0});
            if (request) arvalid = 0;
        }
    }
    void ask(std::uint64_t address, unsigned length) { araddr = address, arlen = static_cast<std::uint8_t>(length - 1), arvalid = 1; }
};

struct WriteBench {
    Arena arena{kBase, 16384};
    Violations violations;
    std::uint8_t awvalid = 0, awid = 0, awlen = 0, awsize = 5, awburst = 1, wvalid = 0, wlast = 1, bready = 1;
    std::uint64_t awaddr = kBase;
    std::uint32_t wdata[8] = {}, wstrb = 0xFFFFFFFF;
    std::uint8_t awready = 0, wready = 0, bvalid = 0, bid = 0, bresp = 0;
    WritePort port{"gmem1", arena, violations, 32,
                   {&awvalid, &awid, &awlen, &awsize, &awburst, &wvalid, &wlast, &bready, &awaddr, wdata, &wstrb, &awready,
                    &wready, &bvalid, &bid, &bresp}};
    std::uint64_t cycle = 0;
    std::vector<std::pair<std::uint64_t, int>> answers;

    void step(unsigned cycles = 1) {
        for (unsigned i = 0; i < cycles; ++i, ++cycle) {
            port.drive(cycle);
            const bool request = awvalid && awready, data = wvalid && wready;
            if (bvalid && bready) answers.push_back({cycle, bresp});
            port.observe(cycle);
            if (request) awvalid = 0;
            if (data) wvalid = 0;
        }
    }
    void send(std::uint64_t address) { awaddr = address, awvalid = wvalid = 1; }
};

void reads() {
    {
        ReadBench b;
        b.port.set_timing({7, 1.0, 4});
        b.ask(kBase + 128, 3);
        b.step(20);
        check(b.beats.size() == 3 && b.beats[0].cycle == 7 && b.beats[2].cycle == 9, "latency, then a beat a cycle");
        check(b.beats[0].word == 2 && b.beats[2].word == 4, "data of the right address");
        check(!b.beats[1].last && b.beats[2].last && b.port.idle(), "RLAST on the last beat");
        check(b.violations.count() == 0, "a sound burst is no violation");
    }
    {
        ReadBench b;
        b.port.set_timing({1, 0.25, 4});
        b.ask(kBase, 64);
        b.step(400);
        const auto span = b.beats.back().cycle - b.beats.front().cycle;
        check(b.beats.size() == 64 && span >= 4 * 63 - 4 && span <= 4 * 63 + 4, "bandwidth of a quarter");
    }
    {
        ReadBench b;
        b.port.set_timing({100, 1.0, 2});
        unsigned accepted = 0;
        for (unsigned i = 0; i < 50; ++i) {
            b.ask(kBase, 1);
            b.step();
            accepted += !b.arvalid;
        }
        check(accepted == 2 && b.port.statistics().peak_outstanding == 2, "no more requests than outstanding");
    }
    {
        ReadBench b;
        b.ask(kBase + 16384 - 64, 1);
        b.step(60);
        b.ask(kBase + 16384, 1);
        b.step(60);
        check(b.beats.size() == 2 && b.beats[0].response == 0 && b.beats[1].response == 3, "beyond the end is DECERR");
    }
    {
        ReadBench b;
        b.port.fail_range(kBase + 64, kBase + 65, 2);
        b.port.fail_beat(3, 3);
        b.ask(kBase, 5);
        b.step(80);
        const bool codes = b.beats.size() == 5 && b.beats[0].response == 0 && b.beats[1].response == 2 &&
                           b.beats[2].response == 0 && b.beats[3].response == 3 && b.beats[4].response == 0;
        check(codes, "injected errors hit their beats only");
    }
    for (const Dead dead : {Dead::kRefuse, Dead::kSilent}) {
        ReadBench b;
        b.port.set_dead(dead);
        b.ask(kBase, 1);
        b.step(500);
        check(b.beats.empty() && b.arvalid == (dead == Dead::kRefuse), "a dead port does not answer");
        b.port.clear_faults();
        b.step(100);
        check(b.beats.size() == 1, "a revived port answers");
    }
    {
        ReadBench b;
        b.ask(kBase + 4096 - 64, 2);
        b.step(2);
        check(reported(b.violations, "4 KiB"), "4 KiB crossing");
    }
    {
        ReadBench b;
        b.arsize = 5, b.arburst = 0;
        b.ask(kBase + 32, 1);
        b.step(2);
        check(reported(b.violations, "INCR") && reported(b.violations, "full width") && reported(b.violations, "aligned"),
              "burst type, size and alignment");
    }
    {
        ReadBench b;
        b.port.set_dead(Dead::kRefuse);
        b.ask(kBase, 1);
        b.step();
        b.araddr += 64;
        b.step();
        check(reported(b.violations, "payload changed"), "address must hold");
        b.arvalid = 0;
        b.step();
        check(reported(b.violations, "VALID fell"), "VALID must hold");
    }
}

void writes() {
    {
        WriteBench b;
        b.port.set_timing({9, 1.0, 4});
        b.wdata[0] = 0x44332211, b.wdata[1] = 0x88776655, b.wstrb = 0b100101;
        b.send(kBase + 64);
        b.step(30);
        const std::uint8_t* stored = b.arena.data() + 64;
        check(stored[0] == 0x11 && stored[1] == 0 && stored[2] == 0x33 && stored[5] == 0x66 && stored[4] == 0, "strobes");
        check(b.answers.size() == 1 && b.answers[0].first >= 10 && b.answers[0].second == 0, "answer after the latency");
        check(b.port.statistics().bytes == 3 && b.violations.count() == 0, "bytes are counted by strobe");
    }
    {
        WriteBench b;
        b.port.fail_range(kBase, kBase + 32, 2);
        b.wdata[0] = 1;
        b.send(kBase);
        b.step(100);
        check(b.answers.size() == 1 && b.answers[0].second == 2 && b.arena.data()[0] == 0, "a failed beat is not stored");
    }
    {
        WriteBench b;
        b.send(kBase - 32);
        b.step(100);
        check(b.answers.size() == 1 && b.answers[0].second == 3, "before the start is DECERR");
    }
    {
        WriteBench b;
        b.awlen = 1, b.wlast = 1;
        b.send(kBase);
        b.step(5);
        check(reported(b.violations, "WLAST"), "WLAST must match the length");
    }
    {
        WriteBench b;
        b.wvalid = 1;
        b.step();
        b.wdata[3] ^= 1;
        b.step();
        check(reported(b.violations, "payload changed"), "write data must hold");
        b.wvalid = 0;
        b.step();
        check(reported(b.violations, "WVALID fell"), "WVALID must hold");
    }
    for (const Dead dead : {Dead::kRefuse, Dead::kSilent}) {
        WriteBench b;
        b.port.set_dead(dead);
        b.send(kBase);
        b.step(500);
        check(b.answers.empty() && b.awvalid == (dead == Dead::kRefuse), "a dead write port does not answer");
    }
}

}  // namespace

int main() {
    reads();
    writes();
    return failures;
}
