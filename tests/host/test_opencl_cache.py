"""Compiled kernels have a cache folder that can be written."""

import os
import tempfile

import pytest
from foveal.opencl.cache import ensure_cache


@pytest.fixture
def environment(monkeypatch, tmp_path):
    for name in ("POCL_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, "")  # so that what is changed here is taken back
        monkeypatch.delenv(name)
    (tmp_path / "file").write_text("")
    return monkeypatch


@pytest.mark.parametrize(
    ("name", "changed"), [("POCL_CACHE_DIR",) * 2, ("XDG_CACHE_HOME",) * 2, ("HOME", "XDG_CACHE_HOME")]
)
def test_a_folder_that_cannot_be_written_is_replaced(environment, tmp_path, name, changed):
    refused = str(tmp_path / "file" / "x")
    environment.setenv(name, refused)
    ensure_cache()
    assert os.environ[changed].startswith(os.path.join(tempfile.gettempdir(), "foveal-cache-"))


def test_without_a_home_there_is_one(environment):
    ensure_cache()
    assert os.environ["XDG_CACHE_HOME"].startswith(tempfile.gettempdir())


def test_a_good_home_is_left_alone(environment, tmp_path):
    environment.setenv("HOME", str(tmp_path))
    ensure_cache()
    assert "XDG_CACHE_HOME" not in os.environ
    assert "POCL_CACHE_DIR" not in os.environ
