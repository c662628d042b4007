"""Throughput of the co-simulated card with frames in flight together, beside one frame at a time, in one run.

Wall time is the simulator's, never the card's: the card's periods stand in `extra_info` and are printed.
"""

from foveal.timeline import FOLLOWERS, period_ns

FRAMES = 6


def test_stream(benchmark, street, cosim, share):
    request = (street[1], share)
    cosim.render(*request)
    alone = cosim.render(*request)
    frames = benchmark.pedantic(lambda: list(cosim.stream([request] * FRAMES)), rounds=1)
    period, inside = period_ns(frames), frames[FRAMES - FOLLOWERS - 1]
    accesses = [frame.counters["register_reads"] + frame.counters["register_writes"] for frame in (alone, inside)]
    benchmark.extra_info |= {
        "device": cosim.info.name,
        "region_share": round(share.share, 4),
        "one_at_a_time_ms": round(alone.latency_ns / 1e6, 4),
        "period_ms": round(period / 1e6, 4),
        "latency_ms": round(inside.latency_ns / 1e6, 4),
        "ratio": round(alone.latency_ns / period, 3),
        "register_accesses": accesses,
        "provenance": " + ".join(sorted({str(piece.provenance) for piece in inside.timeline})),
    }
    print(
        f"\n{100 * share.share:5.1f} % of the pixels: a frame each {period / 1e6:.2f} ms in flight together,"
        f" each {alone.latency_ns / 1e6:.2f} ms one at a time: {alone.latency_ns / period:.2f} x the throughput;"
        f" a frame takes {inside.latency_ns / 1e6:.2f} ms ({benchmark.extra_info['provenance']});"
        f" register accesses a frame: {accesses[1]} and {accesses[0]}"
    )
    assert alone.latency_ns > 1.6 * period
