// Boxes, and a record seen from a rectangle of a tile.

// Boxes lie as four planes x0, y0, x1, y1 of `pitch` 16-bit entries (coordinates are at most 4,096), so that sixteen
// are tested at once.
inline int box_pitch(int boxes) { return (boxes + 15) & ~15; }

inline void store_box(__global ushort* boxes, int pitch, int index, int4 box) {
    boxes[index] = (ushort)box.x;
    boxes[index + pitch] = (ushort)box.y;
    boxes[index + 2 * pitch] = (ushort)box.z;
    boxes[index + 3 * pitch] = (ushort)box.w;
}

inline int4 load_box(__global const ushort* boxes, int pitch, int index) {
    return (int4)(boxes[index], boxes[index + pitch], boxes[index + 2 * pitch], boxes[index + 3 * pitch]);
}

inline int overlap(int4 a, int4 b) { return a.x < b.z && b.x < a.z && a.y < b.w && b.y < a.w; }

typedef struct {
    int a[3], b[3], c[3];  // at the rectangle's first pixel
    long dzdx, dzdy, z;
} Local;

// Edges that do not cross the rectangle are replaced by "outside" or "inside", and the others fit 32 bits there:
// |E| <= 63 |a| + 31 |b| < 2^30 on a rectangle of at most 64 x 32 pixels.
// Rectangle: width x height pixels from (x, y). Returns 0 when an edge has it outside.
inline int localise(__global const Record* record, int x, int y, int width, int height, int4 box, Local* out) {
    int dx = x - box.x;
    int dy = y - box.y;
    for (int k = 0; k < 3; ++k) {
        int a = record->a[k];
        int b = record->b[k];
        long c = record->c[k] + (long)a * dx + (long)b * dy;
        long across = (long)a * (width - 1);
        long down = (long)b * (height - 1);
        if (c + max(across, 0L) + max(down, 0L) < 0) {
            return 0;
        }
        int crosses = c + min(across, 0L) + min(down, 0L) < 0;
        out->a[k] = crosses ? a : 0;
        out->b[k] = crosses ? b : 0;
        out->c[k] = crosses ? (int)c : 0;
    }
    out->dzdx = record->dzdx;
    out->dzdy = record->dzdy;
    out->z = record->z0 + record->dzdx * dx + record->dzdy * dy;
    return 1;
}
