"""What depth, tags and instances cost beside colour: the reference street in 25 % of the pixels.

OpenCL is measured: one raster pass that writes three words a pixel in place of one. The card's stages are simulated and
modelled: three passes over the records of one geometry run.
"""

import pytest
from foveal.channel import Channel

ALL = Channel.COLOUR | Channel.DEPTH | Channel.SEMANTIC | Channel.INSTANCE


@pytest.mark.parametrize("backend", ["opencl", "cosim"])
def test_channels_beside_colour(benchmark, street, request, backend):
    from foveal.scene import reference

    device, regions = request.getfixturevalue(backend), reference.regions("25%")
    for channels in (ALL, Channel.COLOUR):  # each warms up
        device.render(street[1], regions, channels=channels)
    alone = min((device.render(street[1], regions) for _ in range(5)), key=lambda frame: frame.latency_ns)

    def draw():
        return device.render(street[1], regions, channels=ALL)

    frame = benchmark.pedantic(draw, rounds=5)
    passes = [stage for stage in frame.stages if stage.name.endswith("raster")]
    provenance = " + ".join(sorted({str(stage.provenance) for stage in frame.stages}))
    print(f"\n{device.info.name}: {provenance}")
    print(f"  colour alone {alone.latency_ns / 1e6:.3f} ms, all channels {frame.latency_ns / 1e6:.3f} ms")
    print(f"  {len(passes)} raster passes, {sum(stage.time_ns for stage in passes) / 1e6:.3f} ms of them rastering")
    benchmark.extra_info |= {
        "colour_ms": round(alone.latency_ns / 1e6, 4),
        "channels_ms": round(frame.latency_ns / 1e6, 4),
        "provenance": provenance,
    }
