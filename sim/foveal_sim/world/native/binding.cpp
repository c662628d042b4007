// Python face of the wait between ticks in a row.
#include <nanobind/nanobind.h>

#include <sched.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <stdexcept>

#include "tick_call.hpp"

namespace nb = nanobind;
using namespace foveal;

namespace {

enum class Ready { kNothing, kSocket, kOther };

Ready ready(int epoll, int socket) {
    epoll_event events[2];
    const int count = epoll_wait(epoll, events, 2, 0);
    if (count == 0) return Ready::kNothing;
    // A signal, too, is for the interpreter.
    return count == 1 && events[0].data.fd == socket && events[0].events == EPOLLIN ? Ready::kSocket : Ready::kOther;
}

// Polls; each turn offers the core to others, for the client's threads may need it.
Ready wait(int epoll, int socket, double seconds) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                       std::chrono::duration<double>(seconds));
    for (;;) {
        const Ready found = ready(epoll, socket);
        if (found != Ready::kNothing || Clock::now() >= until) return found;
        sched_yield();
    }
}

struct Answer {
    std::array<unsigned char, 32> bytes;
    std::size_t size = 0, sent = 0;
};

// Answers the plain tick that lies in the socket. False, with nothing taken, for anything else and where sending fails.
bool reply(int socket, std::uint64_t frame, Answer& answer) {
    unsigned char data[TickCall::kLongest + 1];
    const ssize_t size = recv(socket, data, sizeof data, MSG_PEEK | MSG_DONTWAIT);
    if (size <= 0 || !TickCall::is(data, std::size_t(size))) return false;
    answer.size = TickCall::answer(data, std::size_t(size), frame, answer.bytes);
    const ssize_t sent = send(socket, answer.bytes.data(), answer.size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) return false;
    answer.sent = std::size_t(sent);
    recv(socket, data, std::size_t(size), MSG_DONTWAIT);
    return true;
}

nb::object answer_next(int epoll, int socket, double seconds, std::uint64_t frame) {
    if (!(seconds >= 0 && seconds <= 1)) throw std::invalid_argument("wait awake for 0 to 1 s");
    Answer answer;
    bool done;
    {
        nb::gil_scoped_release unlocked;
        done = wait(epoll, socket, seconds) == Ready::kSocket && frame && reply(socket, frame, answer);
    }
    if (!done) return nb::none();
    return nb::bytes(answer.bytes.data() + answer.sent, answer.size - answer.sent);
}

}  // namespace

NB_MODULE(_ticks, m) {
    m.doc() = "The wait between ticks in a row. Use foveal_sim.world.server.";
    m.def("answer_next", &answer_next, nb::arg("epoll"), nb::arg("socket"), nb::arg("seconds"), nb::arg("frame"),
          "Poll `epoll` for at most `seconds` (0 to 1) until something is ready. When that is a plain tick on `socket` and "
          "nothing else, take it, answer it with `frame` and return the bytes of the answer that the socket did not take: "
          "commonly none. In all other cases, and always when `frame` is 0, return None and leave what is there.");
}
