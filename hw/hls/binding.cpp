// Python face of the geometry kernel: NumPy arrays in, NumPy arrays filled in place.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>
#include <string>

#include "geometry.hpp"

namespace nb = nanobind;

namespace {

// A C-contiguous (n, size) byte array, one row a struct.
using Rows = nb::ndarray<nb::ro, const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using MutableRows = nb::ndarray<std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Positions = nb::ndarray<nb::ro, const float, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

template <class T, class Array>
auto* rows(const Array& array, const char* name) {
    using Pointer = std::conditional_t<std::is_same_v<Array, Rows>, const T*, T*>;
    if (array.shape(1) != sizeof(T)) {
        throw std::invalid_argument(std::string(name) + " has rows of " + std::to_string(array.shape(1)) +
                                    " bytes, expected " + std::to_string(sizeof(T)));
    }
    if (reinterpret_cast<std::uintptr_t>(array.data()) % alignof(T) != 0) {
        throw std::invalid_argument(std::string(name) + " is not aligned to its elements");
    }
    return reinterpret_cast<Pointer>(array.data());
}

std::uint32_t length(std::size_t n) {
    if (n > UINT32_MAX) {
        throw std::invalid_argument("more rows than 32 bits count");
    }
    return static_cast<std::uint32_t>(n);
}

void check_ranges(const foveal::Mesh* mesh, std::size_t meshes, std::size_t vertices, std::size_t triangles) {
    for (std::size_t i = 0; i < meshes; ++i) {
        if (std::size_t(mesh[i].vertex_first) + mesh[i].vertex_count > vertices ||
            std::size_t(mesh[i].triangle_first) + mesh[i].triangle_count > triangles) {
            throw std::invalid_argument("mesh " + std::to_string(i) + " reaches beyond the vertices or triangles");
        }
    }
}

void run(Positions position, Rows triangle, Rows mesh, Rows instance, Rows region, std::uint32_t width,
         std::uint32_t height, float ambient, float diffuse, bool labels, MutableRows staging, MutableRows record,
         MutableRows band, MutableRows statistics) {
    foveal::FrameParameters frame = {};
    frame.width = width;
    frame.height = height;
    frame.ambient = ambient;
    frame.diffuse = diffuse;
    frame.mesh_count = length(mesh.shape(0));
    frame.instance_count = length(instance.shape(0));
    frame.region_count = length(region.shape(0));
    frame.staging_capacity = length(staging.shape(0));
    frame.record_capacity = length(record.shape(0)) / (labels ? 2 : 1);
    frame.labels = labels;
    if (band.shape(0) < std::size_t(foveal::config::kMaxBands) || statistics.shape(0) != 1) {
        throw std::invalid_argument("band needs " + std::to_string(foveal::config::kMaxBands) +
                                    " rows and statistics one");
    }
    const auto* meshes = rows<foveal::Mesh>(mesh, "mesh");
    check_ranges(meshes, mesh.shape(0), position.shape(0), triangle.shape(0));
    const auto* triangles = rows<foveal::MeshTriangle>(triangle, "triangle");
    const auto* instances = rows<foveal::Instance>(instance, "instance");
    const auto* regions = rows<foveal::Region>(region, "region");
    auto* stages = rows<foveal::Record>(staging, "staging");
    auto* records = rows<foveal::Record>(record, "record");
    auto* bands = rows<foveal::BandEntry>(band, "band");
    auto* counted = rows<foveal::GeometryStatistics>(statistics, "statistics");
    nb::gil_scoped_release unlocked;
    geometry(position.data(), triangles, meshes, instances, regions, &frame, stages, records, bands, counted);
}

}  // namespace

NB_MODULE(_geometry, m) {
    m.doc() = "The geometry kernel of hw/hls, compiled natively. Use foveal.geometry.";
    m.def("geometry", &run, nb::arg("position"), nb::arg("triangle"), nb::arg("mesh"), nb::arg("instance"),
          nb::arg("region"), nb::arg("width"), nb::arg("height"), nb::arg("ambient"), nb::arg("diffuse"),
          nb::arg("labels"), nb::arg("staging"), nb::arg("record"), nb::arg("band"), nb::arg("statistics"),
          "Run the kernel. Byte arrays hold one struct of geometry.hpp a row; the last four are written.");
}
