// Structs shared with the host (layout.py) and the numeric rules of the kernel specification.
#pragma OPENCL FP_CONTRACT OFF

#ifdef USE_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define DEPTH_MAX 0xFFFFFF
#define NO_LABEL (SKY << 16)

// What a raster kernel also writes, a word a pixel, where the program is built with CHANNELS.
#ifdef CHANNELS
#define CHANNEL_ARGUMENTS , __global uint *depths, __global uint *labels
#else
#define CHANNEL_ARGUMENTS
#endif
#define GUARD 4.0f
#define MAX_POLYGON 8
#define CLIP_PLANES 5

typedef struct {
    int width, height;
    float sx, sy;            // half the width and height
    float ambient, diffuse;
    int regions, resident;   // regions in use; material table in use
    int capacity, chunks;    // record slots of a chunk; chunks of this frame
    int stride;              // pixels from one output row to the next
    uint background;         // output word
} Frame;

typedef struct {
    float4 row[4];           // mvp
    float sun[3];
    uint instance;           // 0: the triangles' own
} Instance;

typedef struct {
    uint instance, first, count, reserved;  // triangles [first, first + count) of the mesh set, at most CHUNK
} Chunk;

typedef struct {
    uint vertex[3];
    uint surface;            // albedo R, G, B, material
    float normal[3];
    uint label;              // instance, tag << 16
} Triangle;

typedef struct {
    long c[3];               // edge values at the first pixel of the bounds, 1/256 px^2
    long dzdx, dzdy, z0;     // 16 fractional bits
    int a[3], b[3];
    uint colour;             // output word: B, G, R, 255
    uint label;              // instance, tag << 16
} Record;
