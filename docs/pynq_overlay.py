# %% [markdown]
# # A card through PYNQ
#
# `tools/setup.sh pynq` makes `.venv-pynq`; there this runs as it is, on the co-simulated card, whose times are modelled
# or simulated. It opens in Jupyter (jupytext) or runs as a program:
#
#     .venv-pynq/bin/python docs/pynq_overlay.py
#     .venv-pynq/bin/python docs/pynq_overlay.py --device xrt:0000:d8:00.1 --xclbin foveal_u55c.xclbin
#
# The second one takes a real card, by its tag in the list that is printed, and the image that was linked for it.

# %%
import argparse
import sys
from dataclasses import asdict
from pathlib import Path

import foveal.pynq  # noqa: F401, puts the cards into PYNQ's list
import numpy as np
import pynq
from foveal import Region, RegionSet, open_device
from foveal.card import load_board
from foveal.card.pixels import from_packed, kept_pixels
from foveal.card.program import region_words
from foveal.geometry import MAX_BANDS, PARAMETERS, RECORD_BYTES, STATISTICS, pack_instances, pack_meshes
from foveal.residency import ZoneWindow, centimetres
from foveal.scene import reference
from foveal.xclbin import make_xclbin

parser = argparse.ArgumentParser(description="A frame through PYNQ, on a card or a co-simulated one.")
parser.add_argument("--device", default="cosim:u280", help="tag in pynq.Device.devices: cosim:u55c, xrt:0000:d8:00.1")
parser.add_argument("--xclbin", type=Path, help="the image; a co-simulated card needs none")
asked = parser.parse_args([] if "ipykernel" in sys.modules else None)  # a notebook's arguments are not ours

for device in pynq.Device.devices:
    print(device)
card = next((device for device in pynq.Device.devices if device.tag == asked.device), None)
if card is None:
    tags = ", ".join(device.tag for device in pynq.Device.devices)
    sys.exit(f"PYNQ has no device {asked.device}; it has {tags or 'none'} (foveal doctor says what a card lacks)")

# %% [markdown]
# ## An overlay
#
# A linked image comes from `make xclbin` in the card's folder of `boards`. For a co-simulated card `foveal xclbin make`
# writes one without a bitstream; here it is done in Python.

# %%
image = asked.xclbin
if image is None:
    if not card.source.simulated:
        sys.exit(f"{card.tag} is a card and needs its image: --xclbin foveal_{card.source.board}.xclbin")
    image = Path(f"foveal_{card.source.board}.xclbin")
    image.write_bytes(make_xclbin(load_board(card.source.board)))

overlay = pynq.Overlay(str(image), device=card)
print(f"ID {int(overlay.foveal_1.register_map.ID):#x}, {overlay.foveal_1.register_map.CONFIG!r}")
for name in ("OUT_BASE", "TRI_BASE"):
    print(name, "reaches", overlay.ip_dict["foveal_1"]["registers"][name]["MBG"])

# %% [markdown]
# ## Buffers
#
# A buffer lies in a bank that its argument reaches. Nothing moves by itself: `flush()` copies to the card,
# `invalidate()` from it. A slice copies its own bytes and no others.

# %%
buffer = pynq.allocate(1024, "u4", target=overlay.HBM4)
buffer[:] = np.arange(1024)
buffer.flush()
buffer[:] = 0
buffer[16:24].invalidate()
print(buffer[14:26])

# %% [markdown]
# ## A frame by hand
#
# The geometry kernel turns meshes and instances into triangle records, the raster kernel draws them inside the regions.

# %%
meshes, draw = reference.load(640, 360)
regions = RegionSet.of([Region(40, 60, 200, 240), Region(320, 100, 600, 300)], 640, 360)
packed = pack_meshes(meshes)
CAPACITY = 65536


def upload(array, memory):
    """A buffer with the bytes of `array`, on the card."""
    held = pynq.allocate((array.nbytes,), "u1", target=memory)
    held[:] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    held.flush()
    return held


corners = np.array(region_words(regions), "<u4")  # 16 regions, two words each; unused ones hold nothing
instances = pack_instances(draw)
frame = upload(np.concatenate([corners.reshape(-1).view(np.uint8), instances.view(np.uint8)]), overlay.HBM12)
parameters = np.zeros(1, PARAMETERS)
parameters["width"], parameters["height"] = draw.width, draw.height
parameters["ambient"], parameters["diffuse"] = draw.ambient, draw.diffuse
parameters["meshes"], parameters["instances"], parameters["regions"] = len(packed.mesh), len(instances), len(regions)
parameters["staging_capacity"] = parameters["record_capacity"] = CAPACITY
record = pynq.allocate(RECORD_BYTES * CAPACITY, "u1", target=overlay.HBM0)
band = pynq.allocate(8 * MAX_BANDS, "u1", target=overlay.HBM0)
statistics = pynq.allocate(STATISTICS.itemsize, "u1", target=overlay.HBM0)

run = overlay.geometry_1.call(
    position=upload(packed.position, overlay.HBM12),
    triangle=upload(packed.triangle, overlay.HBM16),
    mesh=upload(packed.mesh, overlay.HBM12),
    instance=frame[corners.nbytes :],
    region=frame,
    frame=upload(parameters, overlay.HBM12),
    staging=pynq.allocate(RECORD_BYTES * CAPACITY, "u1", target=overlay.HBM0),
    record=record,
    band=band,
    statistics=statistics,
)
statistics.invalidate()
print(f"{statistics.view(STATISTICS)['records_written'][0]} records in {run.time_ns / 1e3:.0f} us ({run.provenance})")

# %%
output = pynq.allocate(kept_pixels(regions), "u4", target=overlay.HBM4)
zone = ZoneWindow.of(draw.zone)
overlay.foveal_1.call(
    TRI_BASE=record,
    BAND_BASE=band,
    OUT_BASE=output,
    MAT_BASE=upload(meshes.material, overlay.HBM8),
    MAT_INVALIDATE=1,
    WIDTH=draw.width,
    HEIGHT=draw.height,
    BACKGROUND=int(np.array([*draw.background, 0], np.uint8).view("<u4")[0]),
    FLAGS=0,
    EGO_X=centimetres(draw.ego[0]),
    EGO_Y=centimetres(draw.ego[1]),
    **{f"ZONE_{name.upper()}": value for name, value in asdict(zone).items()},
    **{f"ROI_{n}_{half}": int(corners[n, k]) for n in range(16) for k, half in enumerate(("LO", "HI"))},
    ROI_COMMIT=1,
)
output.invalidate()
status = overlay.foveal_1.register_map.STATUS
print(f"{int(overlay.foveal_1.register_map.FRAME_CYCLES)} cycles, error {status.error}, {output.size} pixels")
by_hand = from_packed(np.array(output), regions)

# %% [markdown]
# ## The same frame by the driver
#
# `open_device("pynq")` does all this, checks it, and says where each figure comes from. It takes over the
# overlay's card.

# %%
driver = open_device("pynq", device=card.tag, xclbin=image)
driver.load(meshes)
picture = driver.render(draw, regions)
for stage in picture.stages:
    print(f"{stage.name:12} {stage.time_ns / 1e3:8.1f} us {stage.provenance}")
print("the same picture:", np.array_equal(picture.pixels, by_hand))
driver.close()
