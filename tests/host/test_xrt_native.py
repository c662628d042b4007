"""The optional binding of XRT, built here against XRT's declarations and a stand-in for its library."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path
from types import ModuleType

import nanobind
import numpy as np
import pytest
from foveal.xrt import library
from foveal.xrt.states import STATES
from xrt_double import StrictXrt

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "host" / "foveal" / "xrt" / "native" / "binding.cpp"
HEADERS = Path(__file__).parent / "xrt_headers"
BINDER = Path(nanobind.include_dir()).parent


def compiled(*arguments: object) -> subprocess.CompletedProcess[str]:
    compiler = shutil.which("c++")
    assert compiler is not None, "the wheel needs a C++ compiler, too"
    folders = (HEADERS, BINDER / "include", BINDER / "ext/robin_map/include", Path(sysconfig.get_path("include")))
    command = [compiler, "-std=c++17", "-fPIC", *(f"-I{folder}" for folder in folders), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)


@pytest.fixture(scope="module")
def binding(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    folder = tmp_path_factory.mktemp("binding")
    for name, source, flags in (
        ("binding.o", SOURCE, ("-Wall", "-Wextra", "-Werror")),
        ("stand_in.o", HEADERS / "stand_in.cpp", ()),
        ("nanobind.o", BINDER / "src/nb_combined.cpp", ()),
    ):
        done = compiled("-c", source, "-o", folder / name, *flags)
        assert done.returncode == 0, done.stderr
    module = folder / f"_xrt{sysconfig.get_config_var('EXT_SUFFIX')}"
    done = compiled("-shared", *sorted(folder.glob("*.o")), "-o", module)
    assert done.returncode == 0, done.stderr
    spec = importlib.util.spec_from_file_location("_xrt", module)
    assert spec is not None
    assert spec.loader is not None
    built = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(built)
    return built


def test_card_and_image(binding: ModuleType) -> None:
    assert binding.enumerate_devices() == 1
    device, image = binding.device(0), binding.xclbin("foveal_u280.xclbin")
    assert device.load_xclbin(image).to_string() == device.get_xclbin_uuid().to_string() == image.get_uuid().to_string()
    assert [(m.get_index(), m.get_tag(), m.get_size_kb()) for m in image.get_mems()] == [(3, "HBM[3]", 262144)] * 2
    keys = binding.xrt_info_device
    assert (device.get_info(keys.bdf), device.get_info(keys.name)) == ("0000:d8:00.1", "xilinx_u280")
    assert device.get_info(keys.max_clock_frequency_mhz) == "300"


def test_buffers(binding: ModuleType) -> None:
    whole = binding.bo(binding.device(0), 8192, binding.bo.flags.normal, 65536 | 3)
    part = binding.bo(whole, 8064, 128)
    assert (whole.size(), part.address() >> 32) == (8192, 4)
    whole.write(np.arange(8, dtype=np.uint8), 2)
    whole.sync(binding.xclBOSyncDirection.XCL_BO_SYNC_BO_TO_DEVICE, 8, 2)
    found = whole.read(10, 0)
    assert found.dtype == np.uint8
    assert found.tolist() == [0, 0, 0, 1, 2, 3, 4, 5, 6, 7]
    with pytest.raises(TypeError):
        whole.write(np.zeros((4, 6), np.uint8)[:, 1:4], 0)


def test_runs_and_registers(binding: ModuleType) -> None:
    device = binding.device(0)
    kernel = binding.kernel(
        device, device.get_xclbin_uuid(), "foveal_kernel:{foveal_1}", binding.kernel.cu_access_mode.exclusive
    )
    run = binding.run(kernel)
    run.set_arg(0, binding.bo(device, 4096, binding.bo.flags.normal, kernel.group_id(3)))
    run.set_arg(4, -100)
    assert kernel.read_register(0x98) == 2**32 - 100  # unsigned, whatever was set
    kernel.write_register(0x98, 0x80000001)
    assert kernel.read_register(0x98) == 0x80000001
    with pytest.raises(TypeError):
        run.set_arg(4, 1 << 31)
    run.start()
    assert STATES[run.wait(100)][0] == "TIMEOUT"
    assert STATES[run.state()][0] == "RUNNING"
    with pytest.raises(RuntimeError, match="never end"):
        run.wait(0)


def test_what_xrt_throws(binding: ModuleType) -> None:
    device = binding.device(0)
    kernel = binding.kernel(device, device.get_xclbin_uuid(), "geometry", binding.kernel.cu_access_mode.shared)
    with pytest.raises(RuntimeError, match="Could not open device"):
        binding.device(1)
    with pytest.raises(MemoryError):
        binding.bo(device, 1 << 20, binding.bo.flags.normal, 1)
    with pytest.raises(IndexError, match="no such argument"):
        kernel.group_id(5)


def test_the_binding_has_what_the_backend_calls(binding: ModuleType) -> None:
    double = StrictXrt(registers=True)
    for name in ("device", "bo", "kernel", "run", "xclbin"):
        bases = getattr(double, name).__mro__[:3]
        calls = {call for base in bases for call in vars(base) if not call.startswith("_")} - {"world", "word"}
        assert not [call for call in calls if not hasattr(getattr(binding, name), call)], name


def test_a_call_that_xrt_does_not_have_is_seen(tmp_path: Path) -> None:
    spoiled = tmp_path / "binding.cpp"
    spoiled.write_text(re.sub(r"kernel\.read_register\(offset\)", "kernel.peek(offset)", SOURCE.read_text()))
    assert "peek" in compiled("-fsyntax-only", spoiled).stderr


def test_the_binding_comes_before_pyxrt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("own_binding", "other_binding"):
        (tmp_path / f"{name}.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(library, "MODULES", ("missing_binding", "own_binding", "other_binding"))
    assert library.load_library().__name__ == "own_binding"
