// As much of Vitis HLS's ap_axi_sdata.h as our top functions use: TDATA, and TLAST where it is asked for.
#pragma once
#include "ap_int.h"

constexpr unsigned AXIS_ENABLE_LAST = 0b010000;

template <int Width, int User, int Id, int Dest, unsigned Side>
struct ap_axiu {
    static_assert(User == 0 && Id == 0 && Dest == 0 && Side == AXIS_ENABLE_LAST, "hw/SPEC.md, section 12: TDATA and TLAST");
    ap_uint<Width> data;
    bool last = false;
};
