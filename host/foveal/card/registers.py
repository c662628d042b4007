"""Registers of the kernel: byte offsets, field masks, and tables.

Written by hw/regmap.py from hw/rtl/foveal.rdl; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Field:
    """Bits of a register. `access` is rw, r, w (write 1 to act), rc (cleared by reading), rs, rt (1 sets, toggles)."""

    name: str
    lsb: int
    width: int
    access: str
    signed: bool
    text: str


@dataclass(frozen=True)
class Register:
    """A 32-bit register at byte `offset`; `access` is what software may do: rw, r or w."""

    name: str
    offset: int
    access: str
    reset: int
    fields: tuple[Field, ...]
    text: str


def roi_lo(n: int) -> int:
    """Byte offset of the register that holds x0 and y0 of region `n`, 0..15."""
    if not 0 <= n < ROI_COUNT:
        raise ValueError(f"region {n} is outside 0..{ROI_COUNT - 1}")
    return ROI_0_LO + 8 * n


def roi_hi(n: int) -> int:
    """Byte offset of the register that holds x1 and y1 of region `n`, 0..15."""
    return roi_lo(n) + 4


ROI_COUNT = 16

# byte offsets
CTRL = 0x000
GIE = 0x004
IER = 0x008
ISR = 0x00C
TRI_BASE_LO = 0x010
TRI_BASE_HI = 0x014
BAND_BASE_LO = 0x01C
BAND_BASE_HI = 0x020
OUT_BASE_LO = 0x028
OUT_BASE_HI = 0x02C
MAT_BASE_LO = 0x034
MAT_BASE_HI = 0x038
WIDTH = 0x040
HEIGHT = 0x048
STRIDE = 0x050
BACKGROUND = 0x058
FLAGS = 0x060
TIMEOUT = 0x068
ZONE_X0 = 0x070
ZONE_Y0 = 0x078
ZONE_X1 = 0x080
ZONE_Y1 = 0x088
ZONE_MARGIN = 0x090
EGO_X = 0x098
EGO_Y = 0x0A0
TEX_BASE_LO = 0x0A8
TEX_BASE_HI = 0x0AC
TEX_PAGES = 0x0B4
ROI_0_LO = 0x100
ROI_0_HI = 0x104
ROI_1_LO = 0x108
ROI_1_HI = 0x10C
ROI_2_LO = 0x110
ROI_2_HI = 0x114
ROI_3_LO = 0x118
ROI_3_HI = 0x11C
ROI_4_LO = 0x120
ROI_4_HI = 0x124
ROI_5_LO = 0x128
ROI_5_HI = 0x12C
ROI_6_LO = 0x130
ROI_6_HI = 0x134
ROI_7_LO = 0x138
ROI_7_HI = 0x13C
ROI_8_LO = 0x140
ROI_8_HI = 0x144
ROI_9_LO = 0x148
ROI_9_HI = 0x14C
ROI_10_LO = 0x150
ROI_10_HI = 0x154
ROI_11_LO = 0x158
ROI_11_HI = 0x15C
ROI_12_LO = 0x160
ROI_12_HI = 0x164
ROI_13_LO = 0x168
ROI_13_HI = 0x16C
ROI_14_LO = 0x170
ROI_14_HI = 0x174
ROI_15_LO = 0x178
ROI_15_HI = 0x17C
ROI_COMMIT = 0x180
CTRL_RESET = 0x184
MAT_INVALIDATE = 0x188
TEX_INVALIDATE = 0x18C
ID = 0x200
VERSION = 0x204
CONFIG = 0x208
STATUS = 0x20C
FRAME_CYCLES = 0x210
FETCH_WAIT_CYCLES = 0x214
RASTER_CYCLES = 0x218
RASTER_STALL_CYCLES = 0x21C
SCAN_CYCLES = 0x220
SCAN_STALL_CYCLES = 0x224
DRAIN_CYCLES = 0x228
DMA_WAIT_CYCLES = 0x22C
TRI_FETCHED = 0x230
TRI_CULLED = 0x234
TILES_WALKED = 0x238
TILES_OUTSIDE = 0x23C
TILES_EMPTY = 0x240
TILES_HIDDEN = 0x244
BLOCKS_COVERED = 0x248
BANDS_SKIPPED = 0x24C
PIXELS_KEPT = 0x250
OUT_BYTES = 0x254
RD_BURSTS = 0x258
RD_BYTES = 0x25C
WR_BURSTS = 0x260
WR_BYTES = 0x264
SCAN_ALONE_CYCLES = 0x268
DMA_ALONE_CYCLES = 0x26C
SCAN_IDLE_CYCLES = 0x270
FETCH_BEATS = 0x274
FETCH_STALL_CYCLES = 0x278
FETCH_LATENCY_CYCLES = 0x27C
FETCH_IDLE_CYCLES = 0x280
WRITE_BEATS = 0x284
WRITE_STALL_CYCLES = 0x288
WRITE_LATENCY_CYCLES = 0x28C
WRITE_IDLE_CYCLES = 0x290
DMA_LOADS = 0x294
DMA_SKIPPED = 0x298
DMA_BYTES = 0x29C
ROI_SETS = 0x2A0
ROI_INJECT_CYCLES = 0x2A4
ROI_WAIT_CYCLES = 0x2A8
ROI_INJECT_MAX = 0x2AC
ROI_INJECT_MIN = 0x2B0
ROI_INJECT_SUM = 0x2B4
ROI_INJECT_COUNT = 0x2B8
ROI_INJECT_TO_8 = 0x2BC
ROI_INJECT_TO_16 = 0x2C0
ROI_INJECT_TO_24 = 0x2C4
ROI_INJECT_OVER_24 = 0x2C8
FRAMES = 0x2CC
TEX_LOADED = 0x2D0
TEX_SKIPPED = 0x2D4
TEX_MISSED = 0x2D8

# field masks and shifts
CTRL_AP_START_MASK = 0x00000001
CTRL_AP_START_SHIFT = 0
CTRL_AP_DONE_MASK = 0x00000002
CTRL_AP_DONE_SHIFT = 1
CTRL_AP_IDLE_MASK = 0x00000004
CTRL_AP_IDLE_SHIFT = 2
CTRL_AP_READY_MASK = 0x00000008
CTRL_AP_READY_SHIFT = 3
GIE_ENABLE_MASK = 0x00000001
GIE_ENABLE_SHIFT = 0
IER_AP_DONE_MASK = 0x00000001
IER_AP_DONE_SHIFT = 0
IER_AP_READY_MASK = 0x00000002
IER_AP_READY_SHIFT = 1
ISR_AP_DONE_MASK = 0x00000001
ISR_AP_DONE_SHIFT = 0
ISR_AP_READY_MASK = 0x00000002
ISR_AP_READY_SHIFT = 1
BACKGROUND_RED_MASK = 0x000000FF
BACKGROUND_RED_SHIFT = 0
BACKGROUND_GREEN_MASK = 0x0000FF00
BACKGROUND_GREEN_SHIFT = 8
BACKGROUND_BLUE_MASK = 0x00FF0000
BACKGROUND_BLUE_SHIFT = 16
FLAGS_STRIDED_MASK = 0x00000001
FLAGS_STRIDED_SHIFT = 0
FLAGS_DEPTH_OUT_MASK = 0x00000002
FLAGS_DEPTH_OUT_SHIFT = 1
FLAGS_IMMEDIATE_MASK = 0x00000004
FLAGS_IMMEDIATE_SHIFT = 2
VERSION_MINOR_MASK = 0x0000FFFF
VERSION_MINOR_SHIFT = 0
VERSION_MAJOR_MASK = 0xFFFF0000
VERSION_MAJOR_SHIFT = 16
CONFIG_PPC_MASK = 0x000000FF
CONFIG_PPC_SHIFT = 0
CONFIG_REGIONS_MASK = 0x0000FF00
CONFIG_REGIONS_SHIFT = 8
CONFIG_BAND_ROWS_MASK = 0x00FF0000
CONFIG_BAND_ROWS_SHIFT = 16
CONFIG_TEX_SLOTS_MASK = 0xFF000000
CONFIG_TEX_SLOTS_SHIFT = 24
STATUS_ERROR_MASK = 0x00000001
STATUS_ERROR_SHIFT = 0
STATUS_TIMEOUT_MASK = 0x00000002
STATUS_TIMEOUT_SHIFT = 1
STATUS_DMA_ERROR_MASK = 0x00000004
STATUS_DMA_ERROR_SHIFT = 2
STATUS_BAD_CONFIG_MASK = 0x00000008
STATUS_BAD_CONFIG_SHIFT = 3
STATUS_RESPONSE_MASK = 0x00000030
STATUS_RESPONSE_SHIFT = 4
STATUS_PORT_MASK = 0x000000C0
STATUS_PORT_SHIFT = 6
STATUS_DMA_STATE_MASK = 0x00000300
STATUS_DMA_STATE_SHIFT = 8
STATUS_UNDRAINED_MASK = 0x00001C00
STATUS_UNDRAINED_SHIFT = 10

# values after reset, of registers whose value is not 0
DEFAULT_CTRL = 0x00000004
DEFAULT_TIMEOUT = 0x00010000
DEFAULT_ID = 0x4C564F46
DEFAULT_VERSION = 0x00010001
DEFAULT_CONFIG = 0x10201008

# counters of the last frame, by ascending offset
FRAME_COUNTERS: tuple[str, ...] = (
    "FRAME_CYCLES",
    "FETCH_WAIT_CYCLES",
    "RASTER_CYCLES",
    "RASTER_STALL_CYCLES",
    "SCAN_CYCLES",
    "SCAN_STALL_CYCLES",
    "DRAIN_CYCLES",
    "DMA_WAIT_CYCLES",
    "TRI_FETCHED",
    "TRI_CULLED",
    "TILES_WALKED",
    "TILES_OUTSIDE",
    "TILES_EMPTY",
    "TILES_HIDDEN",
    "BLOCKS_COVERED",
    "BANDS_SKIPPED",
    "PIXELS_KEPT",
    "OUT_BYTES",
    "RD_BURSTS",
    "RD_BYTES",
    "WR_BURSTS",
    "WR_BYTES",
    "SCAN_ALONE_CYCLES",
    "DMA_ALONE_CYCLES",
    "SCAN_IDLE_CYCLES",
    "FETCH_BEATS",
    "FETCH_STALL_CYCLES",
    "FETCH_LATENCY_CYCLES",
    "FETCH_IDLE_CYCLES",
    "WRITE_BEATS",
    "WRITE_STALL_CYCLES",
    "WRITE_LATENCY_CYCLES",
    "WRITE_IDLE_CYCLES",
)

# counters since reset, by ascending offset
TOTAL_COUNTERS: tuple[str, ...] = (
    "DMA_LOADS",
    "DMA_SKIPPED",
    "DMA_BYTES",
    "ROI_SETS",
    "ROI_INJECT_CYCLES",
    "ROI_WAIT_CYCLES",
    "ROI_INJECT_MAX",
    "ROI_INJECT_MIN",
    "ROI_INJECT_SUM",
    "ROI_INJECT_COUNT",
    "ROI_INJECT_TO_8",
    "ROI_INJECT_TO_16",
    "ROI_INJECT_TO_24",
    "ROI_INJECT_OVER_24",
    "FRAMES",
    "TEX_LOADED",
    "TEX_SKIPPED",
    "TEX_MISSED",
)
COUNTERS: tuple[str, ...] = FRAME_COUNTERS + TOTAL_COUNTERS

# fmt: off
REGISTERS: tuple[Register, ...] = (
    Register("CTRL", 0x000, "rw", 0x00000004, (
        Field("ap_start", 0, 1, "rs", False,
              "Write 1: start a frame. Reads 1 until the frame has ended."),
        Field("ap_done", 1, 1, "rc", False,
              "A frame has ended since the last read."),
        Field("ap_idle", 2, 1, "r", False,
              "No frame is running."),
        Field("ap_ready", 3, 1, "rc", False,
              "The kernel has taken its arguments; set and cleared together with ap_done."),
    ), "Control and state of the frame (ap_ctrl_hs)."),
    Register("GIE", 0x004, "rw", 0x00000000, (
        Field("enable", 0, 1, "rw", False,
              "The interrupt line may rise."),
    ), "Global interrupt enable."),
    Register("IER", 0x008, "rw", 0x00000000, (
        Field("ap_done", 0, 1, "rw", False,
              "Latch ap_done in ISR."),
        Field("ap_ready", 1, 1, "rw", False,
              "Latch ap_ready in ISR."),
    ), "Interrupt enable."),
    Register("ISR", 0x00C, "rw", 0x00000000, (
        Field("ap_done", 0, 1, "rt", False,
              "ap_done happened while enabled."),
        Field("ap_ready", 1, 1, "rt", False,
              "ap_ready happened while enabled."),
    ), "Interrupt status. Writing 1 toggles a bit, as Vitis kernels do."),
    Register("TRI_BASE_LO", 0x010, "rw", 0x00000000, (
        Field("value", 0, 32, "rw", False,
              "Bits 31 to 0 of the device address."),
    ), "Triangle records, aligned to 64 bytes."),
    Register("TRI_BASE_HI", 0x014, "rw", 0x00000000, (
        Field("value", 0, 32, "rw", False,
              "Bits 63 to 32 of the device address."),
    ), "Triangle records, high half."),
    Register("BAND_BASE_LO", 0x01C, "rw", 0x00000000, (
        Field("value", 0, 32, "rw", False,
              "Bits 31 to 0 of the device address."),
    ), "Band table, aligned to 64 bytes."),
    Register("BAND_BASE_HI", 0x020, "rw", 0x00000000, (
        Field("value", 0, 32, "rw", False,
              "Bits 63 to 32 of the device address."),
    ), "Band table, high half."),
    Register("OUT_BASE_LO", 0x028, "rw", 0x00000000, (
        Field("value", 0, 32, "rw", False,
              "Bits 31 to 0 of the device address."),
    ), "Output pixels, aligned to 4096 bytes."),
    Register("OUT_BASE_HI", 0x02C, "rw", 0x00000000, (
        Field("value", 0, 32, "rw", False,
              "Bits 63 to 32 of the device address."),
    ), "Output pixels, high half."),
    Register("MAT_BASE_LO", 0x034, "rw", 0x00000000, (
        Field("value", 0, 32, "rw", False,
              "Bits 31 to 0 of the device address."),
    ), "Material table, at any byte."),
    Register("MAT_BASE_HI", 0x038, "rw", 0x00000000, (
        Field("value", 0, 32, "rw", False,
              "Bits 63 to 32 of the device address."),
    ), "Material table, high half."),
    Register("WIDTH", 0x040, "rw", 0x00000000, (
        Field("value", 0, 32, "rw", False,
              "The value."),
    ), "Columns of the frame, 1 to 4096."),
    Register("HEIGHT", 0x048, "rw", 0x00000000, (
        Field("value", 0, 32, "rw", False,
              "The value."),
    ), "Rows of the frame, 1 to 4096."),
    Register("STRIDE", 0x050, "rw", 0x00000000, (
        Field("value", 0, 32, "rw", False,
              "The value."),
    ), "Bytes from a row to the next in the strided layout; a multiple of the output bus, 4 PPC bytes."),
    Register("BACKGROUND", 0x058, "rw", 0x00000000, (
        Field("red", 0, 8, "rw", False,
              "Red."),
        Field("green", 8, 8, "rw", False,
              "Green."),
        Field("blue", 16, 8, "rw", False,
              "Blue."),
    ), "Colour of a pixel in which nothing was drawn."),
    Register("FLAGS", 0x060, "rw", 0x00000000, (
        Field("strided", 0, 1, "rw", False,
              "Write pixel (i, j) at OUT_BASE + j STRIDE + 4 i; otherwise kept pixels are packed."),
        Field("depth_out", 1, 1, "rw", False,
              "Write depth and material in place of a colour."),
        Field("immediate", 2, 1, "rw", False,
              "A committed region set clips the running frame at once."),
    ), "Modes of the frame."),
    Register("TIMEOUT", 0x068, "rw", 0x00010000, (
        Field("value", 0, 32, "rw", False,
              "Cycles."),
    ), "Cycles without progress after which a memory port or the shading kernel is given up."),
    Register("ZONE_X0", 0x070, "rw", 0x00000000, (
        Field("value", 0, 32, "rw", True,
              "World coordinate in centimetres."),
    ), "Zone, first x."),
    Register("ZONE_Y0", 0x078, "rw", 0x00000000, (
        Field("value", 0, 32, "rw", True,
              "World coordinate in centimetres."),
    ), "Zone, first y."),
    Register("ZONE_X1", 0x080, "rw", 0x00000000, (
        Field("value", 0, 32, "rw", True,
              "World coordinate in centimetres."),
    ), "Zone, x after the last one."),
    Register("ZONE_Y1", 0x088, "rw", 0x00000000, (
        Field("value", 0, 32, "rw", True,
              "World coordinate in centimetres."),
    ), "Zone, y after the last one."),
    Register("ZONE_MARGIN", 0x090, "rw", 0x00000000, (
        Field("value", 0, 32, "rw", False,
              "The value."),
    ), "Centimetres by which the zone is widened for leaving it."),
    Register("EGO_X", 0x098, "rw", 0x00000000, (
        Field("value", 0, 32, "rw", True,
              "World coordinate in centimetres."),
    ), "The ego's x."),
    Register("EGO_Y", 0x0A0, "rw", 0x00000000, (
        Field("value", 0, 32, "rw", True,
              "World coordinate in centimetres."),
    ), "The ego's y."),
    Register("TEX_BASE_LO", 0x0A8, "rw", 0x00000000, (
        Field("value", 0, 32, "rw", False,
              "Bits 31 to 0 of the device address."),
    ), "Texture pages, 4096 bytes each, from any byte on."),
    Register("TEX_BASE_HI", 0x0AC, "rw", 0x00000000, (
        Field("value", 0, 32, "rw", False,
              "Bits 63 to 32 of the device address."),
    ), "Texture pages, high half."),
    Register("TEX_PAGES", 0x0B4, "rw", 0x00000000, (
        Field("value", 0, 32, "rw", False,
              "The value."),
    ), "Texture pages to hold while the ego is in the zone, 0 to CONFIG.tex_slots."),
    Register("ROI_0_LO", 0x100, "rw", 0x00000000, (
        Field("x0", 0, 16, "rw", False,
              "First column, in pixels; above 8191 acts as 8191."),
        Field("y0", 16, 16, "rw", False,
              "First row, in pixels; above 8191 acts as 8191."),
    ), "First column and row of the region."),
    Register("ROI_0_HI", 0x104, "rw", 0x00000000, (
        Field("x1", 0, 16, "rw", False,
              "Column after the last one, in pixels; above 8191 acts as 8191."),
        Field("y1", 16, 16, "rw", False,
              "Row after the last one, in pixels; above 8191 acts as 8191."),
    ), "Column and row after the last ones of the region."),
    Register("ROI_1_LO", 0x108, "rw", 0x00000000, (
        Field("x0", 0, 16, "rw", False,
              "First column, in pixels; above 8191 acts as 8191."),
        Field("y0", 16, 16, "rw", False,
              "First row, in pixels; above 8191 acts as 8191."),
    ), "First column and row of the region."),
    Register("ROI_1_HI", 0x10C, "rw", 0x00000000, (
        Field("x1", 0, 16, "rw", False,
              "Column after the last one, in pixels; above 8191 acts as 8191."),
        Field("y1", 16, 16, "rw", False,
              "Row after the last one, in pixels; above 8191 acts as 8191."),
    ), "Column and row after the last ones of the region."),
    Register("ROI_2_LO", 0x110, "rw", 0x00000000, (
        Field("x0", 0, 16, "rw", False,
              "First column, in pixels; above 8191 acts as 8191."),
        Field("y0", 16, 16, "rw", False,
              "First row, in pixels; above 8191 acts as 8191."),
    ), "First column and row of the region."),
    Register("ROI_2_HI", 0x114, "rw", 0x00000000, (
        Field("x1", 0, 16, "rw", False,
              "Column after the last one, in pixels; above 8191 acts as 8191."),
        Field("y1", 16, 16, "rw", False,
              "Row after the last one, in pixels; above 8191 acts as 8191."),
    ), "Column and row after the last ones of the region."),
    Register("ROI_3_LO", 0x118, "rw", 0x00000000, (
        Field("x0", 0, 16, "rw", False,
              "First column, in pixels; above 8191 acts as 8191."),
        Field("y0", 16, 16, "rw", False,
              "First row, in pixels; above 8191 acts as 8191."),
    ), "First column and row of the region."),
    Register("ROI_3_HI", 0x11C, "rw", 0x00000000, (
        Field("x1", 0, 16, "rw", False,
              "Column after the last one, in pixels; above 8191 acts as 8191."),
        Field("y1", 16, 16, "rw", False,
              "Row after the last one, in pixels; above 8191 acts as 8191."),
    ), "Column and row after the last ones of the region."),
    Register("ROI_4_LO", 0x120, "rw", 0x00000000, (
        Field("x0", 0, 16, "rw", False,
              "First column, in pixels; above 8191 acts as 8191."),
        Field("y0", 16, 16, "rw", False,
              "First row, in pixels; above 8191 acts as 8191."),
    ), "First column and row of the region."),
    Register("ROI_4_HI", 0x124, "rw", 0x00000000, (
        Field("x1", 0, 16, "rw", False,
              "Column after the last one, in pixels; above 8191 acts as 8191."),
        Field("y1", 16, 16, "rw", False,
              "Row after the last one, in pixels; above 8191 acts as 8191."),
    ), "Column and row after the last ones of the region."),
    Register("ROI_5_LO", 0x128, "rw", 0x00000000, (
        Field("x0", 0, 16, "rw", False,
              "First column, in pixels; above 8191 acts as 8191."),
        Field("y0", 16, 16, "rw", False,
              "First row, in pixels; above 8191 acts as 8191."),
    ), "First column and row of the region."),
    Register("ROI_5_HI", 0x12C, "rw", 0x00000000, (
        Field("x1", 0, 16, "rw", False,
              "Column after the last one, in pixels; above 8191 acts as 8191."),
        Field("y1", 16, 16, "rw", False,
              "Row after the last one, in pixels; above 8191 acts as 8191."),
    ), "Column and row after the last ones of the region."),
    Register("ROI_6_LO", 0x130, "rw", 0x00000000, (
        Field("x0", 0, 16, "rw", False,
              "First column, in pixels; above 8191 acts as 8191."),
        Field("y0", 16, 16, "rw", False,
              "First row, in pixels; above 8191 acts as 8191."),
    ), "First column and row of the region."),
    Register("ROI_6_HI", 0x134, "rw", 0x00000000, (
        Field("x1", 0, 16, "rw", False,
              "Column after the last one, in pixels; above 8191 acts as 8191."),
        Field("y1", 16, 16, "rw", False,
              "Row after the last one, in pixels; above 8191 acts as 8191."),
    ), "Column and row after the last ones of the region."),
    Register("ROI_7_LO", 0x138, "rw", 0x00000000, (
        Field("x0", 0, 16, "rw", False,
              "First column, in pixels; above 8191 acts as 8191."),
        Field("y0", 16, 16, "rw", False,
              "First row, in pixels; above 8191 acts as 8191."),
    ), "First column and row of the region."),
    Register("ROI_7_HI", 0x13C, "rw", 0x00000000, (
        Field("x1", 0, 16, "rw", False,
              "Column after the last one, in pixels; above 8191 acts as 8191."),
        Field("y1", 16, 16, "rw", False,
              "Row after the last one, in pixels; above 8191 acts as 8191."),
    ), "Column and row after the last ones of the region."),
    Register("ROI_8_LO", 0x140, "rw", 0x00000000, (
        Field("x0", 0, 16, "rw", False,
              "First column, in pixels; above 8191 acts as 8191."),
        Field("y0", 16, 16, "rw", False,
              "First row, in pixels; above 8191 acts as 8191."),
    ), "First column and row of the region."),
    Register("ROI_8_HI", 0x144, "rw", 0x00000000, (
        Field("x1", 0, 16, "rw", False,
              "Column after the last one, in pixels; above 8191 acts as 8191."),
        Field("y1", 16, 16, "rw", False,
              "Row after the last one, in pixels; above 8191 acts as 8191."),
    ), "Column and row after the last ones of the region."),
    Register("ROI_9_LO", 0x148, "rw", 0x00000000, (
        Field("x0", 0, 16, "rw", False,
              "First column, in pixels; above 8191 acts as 8191."),
        Field("y0", 16, 16, "rw", False,
              "First row, in pixels; above 8191 acts as 8191."),
    ), "First column and row of the region."),
    Register("ROI_9_HI", 0x14C, "rw", 0x00000000, (
        Field("x1", 0, 16, "rw", False,
              "Column after the last one, in pixels; above 8191 acts as 8191."),
        Field("y1", 16, 16, "rw", False,
              "Row after the last one, in pixels; above 8191 acts as 8191."),
    ), "Column and row after the last ones of the region."),
    Register("ROI_10_LO", 0x150, "rw", 0x00000000, (
        Field("x0", 0, 16, "rw", False,
              "First column, in pixels; above 8191 acts as 8191."),
        Field("y0", 16, 16, "rw", False,
              "First row, in pixels; above 8191 acts as 8191."),
    ), "First column and row of the region."),
    Register("ROI_10_HI", 0x154, "rw", 0x00000000, (
        Field("x1", 0, 16, "rw", False,
              "Column after the last one, in pixels; above 8191 acts as 8191."),
        Field("y1", 16, 16, "rw", False,
              "Row after the last one, in pixels; above 8191 acts as 8191."),
    ), "Column and row after the last ones of the region."),
    Register("ROI_11_LO", 0x158, "rw", 0x00000000, (
        Field("x0", 0, 16, "rw", False,
              "First column, in pixels; above 8191 acts as 8191."),
        Field("y0", 16, 16, "rw", False,
              "First row, in pixels; above 8191 acts as 8191."),
    ), "First column and row of the region."),
    Register("ROI_11_HI", 0x15C, "rw", 0x00000000, (
        Field("x1", 0, 16, "rw", False,
              "Column after the last one, in pixels; above 8191 acts as 8191."),
        Field("y1", 16, 16, "rw", False,
              "Row after the last one, in pixels; above 8191 acts as 8191."),
    ), "Column and row after the last ones of the region."),
    Register("ROI_12_LO", 0x160, "rw", 0x00000000, (
        Field("x0", 0, 16, "rw", False,
              "First column, in pixels; above 8191 acts as 8191."),
        Field("y0", 16, 16, "rw", False,
              "First row, in pixels; above 8191 acts as 8191."),
    ), "First column and row of the region."),
    Register("ROI_12_HI", 0x164, "rw", 0x00000000, (
        Field("x1", 0, 16, "rw", False,
              "Column after the last one, in pixels; above 8191 acts as 8191."),
        Field("y1", 16, 16, "rw", False,
              "Row after the last one, in pixels; above 8191 acts as 8191."),
    ), "Column and row after the last ones of the region."),
    Register("ROI_13_LO", 0x168, "rw", 0x00000000, (
        Field("x0", 0, 16, "rw", False,
              "First column, in pixels; above 8191 acts as 8191."),
        Field("y0", 16, 16, "rw", False,
              "First row, in pixels; above 8191 acts as 8191."),
    ), "First column and row of the region."),
    Register("ROI_13_HI", 0x16C, "rw", 0x00000000, (
        Field("x1", 0, 16, "rw", False,
              "Column after the last one, in pixels; above 8191 acts as 8191."),
        Field("y1", 16, 16, "rw", False,
              "Row after the last one, in pixels; above 8191 acts as 8191."),
    ), "Column and row after the last ones of the region."),
    Register("ROI_14_LO", 0x170, "rw", 0x00000000, (
        Field("x0", 0, 16, "rw", False,
              "First column, in pixels; above 8191 acts as 8191."),
        Field("y0", 16, 16, "rw", False,
              "First row, in pixels; above 8191 acts as 8191."),
    ), "First column and row of the region."),
    Register("ROI_14_HI", 0x174, "rw", 0x00000000, (
        Field("x1", 0, 16, "rw", False,
              "Column after the last one, in pixels; above 8191 acts as 8191."),
        Field("y1", 16, 16, "rw", False,
              "Row after the last one, in pixels; above 8191 acts as 8191."),
    ), "Column and row after the last ones of the region."),
    Register("ROI_15_LO", 0x178, "rw", 0x00000000, (
        Field("x0", 0, 16, "rw", False,
              "First column, in pixels; above 8191 acts as 8191."),
        Field("y0", 16, 16, "rw", False,
              "First row, in pixels; above 8191 acts as 8191."),
    ), "First column and row of the region."),
    Register("ROI_15_HI", 0x17C, "rw", 0x00000000, (
        Field("x1", 0, 16, "rw", False,
              "Column after the last one, in pixels; above 8191 acts as 8191."),
        Field("y1", 16, 16, "rw", False,
              "Row after the last one, in pixels; above 8191 acts as 8191."),
    ), "Column and row after the last ones of the region."),
    Register("ROI_COMMIT", 0x180, "w", 0x00000000, (
        Field("value", 0, 1, "w", False,
              "Write 1: the set becomes active at the next frame start, or at once with FLAGS.immediate."),
    ), "Marks the region set as a whole."),
    Register("CTRL_RESET", 0x184, "w", 0x00000000, (
        Field("value", 0, 1, "w", False,
              "Write 1: reset everything but the configuration registers. The memory ports must be idle."),
    ), "Internal reset; the configuration stays."),
    Register("MAT_INVALIDATE", 0x188, "w", 0x00000000, (
        Field("value", 0, 1, "w", False,
              "Write 1: load the table again at the next frame inside the zone."),
    ), "Forgets the material table."),
    Register("TEX_INVALIDATE", 0x18C, "w", 0x00000000, (
        Field("value", 0, 1, "w", False,
              "Write 1: load the pages again at the next frame inside the zone."),
    ), "Forgets the texture pages."),
    Register("ID", 0x200, "r", 0x4C564F46, (
        Field("value", 0, 32, "r", False,
              "Constant."),
    ), "The letters FOVL."),
    Register("VERSION", 0x204, "r", 0x00010001, (
        Field("minor", 0, 16, "r", False,
              "Changes compatibly."),
        Field("major", 16, 16, "r", False,
              "Changes incompatibly."),
    ), "Version of this register map. A driver refuses another major number."),
    Register("CONFIG", 0x208, "r", 0x10201008, (
        Field("ppc", 0, 8, "r", False,
              "Pixels a clock."),
        Field("regions", 8, 8, "r", False,
              "Regions in a set."),
        Field("band_rows", 16, 8, "r", False,
              "Rows of a band."),
        Field("tex_slots", 24, 8, "r", False,
              "Pages of the texture store, 0 without one."),
    ), "How the kernel was built."),
    Register("STATUS", 0x20C, "r", 0x00000000, (
        Field("error", 0, 1, "r", False,
              "The frame is not trustworthy: an error of a memory or of the shading stream, a timeout, or bad_config."),
        Field("timeout", 1, 1, "r", False,
              "A memory port or the shading kernel did not answer within TIMEOUT; CTRL_RESET is needed."),
        Field("dma_error", 2, 1, "r", False,
              "The material table (then the frame has lit colours) or a texture page could not be loaded."),
        Field("bad_config", 3, 1, "r", False,
              "The configuration was refused, memory was not touched."),
        Field("response", 4, 2, "r", False,
              "AXI response of the first memory error (2 SLVERR, 3 DECERR; 0 after a timeout)."),
        Field("port", 6, 2, "r", False,
              "Port of the first error or timeout: 0 gmem0, 1 gmem1, 2 gmem2, 3 shading stream."),
        Field("dma_state", 8, 2, "r", False,
              "Material table and texture pages: 0 outside, 1 armed, 2 loading, 3 resident."),
        Field("undrained", 10, 3, "r", False,
              "Memory ports (bit 0: gmem0) that, now, owe answers to what was given up."),
    ), "How the last frame went; cleared at a frame start."),
    Register("FRAME_CYCLES", 0x210, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Cycles from frame start to frame end."),
    Register("FETCH_WAIT_CYCLES", 0x214, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Cycles in which the raster was idle and waited for records."),
    Register("RASTER_CYCLES", 0x218, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Cycles in which the raster held work."),
    Register("RASTER_STALL_CYCLES", 0x21C, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Of RASTER_CYCLES: cycles of waiting for a band bank."),
    Register("SCAN_CYCLES", 0x220, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Cycles in which a band was scanned out."),
    Register("SCAN_STALL_CYCLES", 0x224, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Cycles in which the scan had data and its output was not ready."),
    Register("DRAIN_CYCLES", 0x228, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Cycles after the last scan in which writes were outstanding."),
    Register("DMA_WAIT_CYCLES", 0x22C, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Cycles in which the scan waited for the material table and texture pages."),
    Register("TRI_FETCHED", 0x230, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Triangle records read."),
    Register("TRI_CULLED", 0x234, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Triangle records that touch no region in their band."),
    Register("TILES_WALKED", 0x238, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Tiles that the raster visited."),
    Register("TILES_OUTSIDE", 0x23C, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Tiles left out because no row of them is in a region."),
    Register("TILES_EMPTY", 0x240, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Tiles rejected by an edge."),
    Register("TILES_HIDDEN", 0x244, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Covered tiles dropped because they lie behind what was drawn before."),
    Register("BLOCKS_COVERED", 0x248, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Blocks of PPC pixels, at least one of them covered, that went to the depth test."),
    Register("BANDS_SKIPPED", 0x24C, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Bands whose rows meet no region."),
    Register("PIXELS_KEPT", 0x250, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Pixels inside the regions."),
    Register("OUT_BYTES", 0x254, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Bytes of output pixels."),
    Register("RD_BURSTS", 0x258, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Read bursts on all ports."),
    Register("RD_BYTES", 0x25C, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Bytes read on all ports, in whole beats."),
    Register("WR_BURSTS", 0x260, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Write bursts."),
    Register("WR_BYTES", 0x264, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Bytes written."),
    Register("SCAN_ALONE_CYCLES", 0x268, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Cycles in which the raster had nothing to do but wait for the scan: all bands rastered, or no bank free."),
    Register("DMA_ALONE_CYCLES", 0x26C, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "The same, where the scan itself waited for the material table."),
    Register("SCAN_IDLE_CYCLES", 0x270, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Cycles in which no band was there to be scanned."),
    Register("FETCH_BEATS", 0x274, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Beats read on gmem0."),
    Register("FETCH_STALL_CYCLES", 0x278, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Cycles in which gmem0 offered a beat that was not taken."),
    Register("FETCH_LATENCY_CYCLES", 0x27C, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Cycles in which the fetch was busy and gmem0 offered no beat."),
    Register("FETCH_IDLE_CYCLES", 0x280, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Cycles in which there was nothing to fetch."),
    Register("WRITE_BEATS", 0x284, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Beats written on gmem1."),
    Register("WRITE_STALL_CYCLES", 0x288, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Cycles in which gmem1 did not take the beat it was offered."),
    Register("WRITE_LATENCY_CYCLES", 0x28C, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Cycles in which beats were gathered or answers outstanding and none was offered."),
    Register("WRITE_IDLE_CYCLES", 0x290, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Cycles in which nothing was to be written."),
    Register("DMA_LOADS", 0x294, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Material tables loaded."),
    Register("DMA_SKIPPED", 0x298, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Frames that needed no load of the material table."),
    Register("DMA_BYTES", 0x29C, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Bytes moved on gmem2 for tables and pages: 64 for each beat that a load took, failed loads included."),
    Register("ROI_SETS", 0x2A0, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Region sets that became active."),
    Register("ROI_INJECT_CYCLES", 0x2A4, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Last set: cycles from the COMMIT handshake to the first beat clipped by it, without ROI_WAIT_CYCLES."),
    Register("ROI_WAIT_CYCLES", 0x2A8, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Last set: of that interval, cycles of waiting for a frame start, for input of the clip, or for its output."),
    Register("ROI_INJECT_MAX", 0x2AC, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Largest ROI_INJECT_CYCLES of any set."),
    Register("ROI_INJECT_MIN", 0x2B0, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Smallest ROI_INJECT_CYCLES of any set; 0 before the first."),
    Register("ROI_INJECT_SUM", 0x2B4, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Sum of ROI_INJECT_CYCLES of all sets that arrived."),
    Register("ROI_INJECT_COUNT", 0x2B8, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Sets that arrived at the clip's output; a set that was replaced before it got there is not among them."),
    Register("ROI_INJECT_TO_8", 0x2BC, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Of them, sets that took 1 to 8 cycles."),
    Register("ROI_INJECT_TO_16", 0x2C0, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Sets that took 9 to 16 cycles."),
    Register("ROI_INJECT_TO_24", 0x2C4, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Sets that took 17 to 24 cycles."),
    Register("ROI_INJECT_OVER_24", 0x2C8, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Sets that took more."),
    Register("FRAMES", 0x2CC, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Frames that ended."),
    Register("TEX_LOADED", 0x2D0, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Texture pages loaded."),
    Register("TEX_SKIPPED", 0x2D4, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Pages of the list that a frame did not load: resident already, or the ego outside."),
    Register("TEX_MISSED", 0x2D8, "r", 0x00000000, (
        Field("value", 0, 32, "r", False,
              "The count."),
    ), "Texture samples that touched a page which was not resident."),
)
# fmt: on

OFFSETS: dict[str, int] = {register.name: register.offset for register in REGISTERS}
