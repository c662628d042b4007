"""One run at a time in a folder that can be written."""

import pytest
from foveal.errors import FovealError
from foveal_bench.folder import results_folder


def test_a_second_run_is_refused_and_the_next_one_is_not(tmp_path):
    folder = tmp_path / "a" / "ünï [x]"
    with results_folder(folder), pytest.raises(FovealError, match="another run is writing"), results_folder(folder):
        pass
    with results_folder(folder):
        assert list(folder.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FovealError, match=r"file/out.*--out"), results_folder(tmp_path / "file" / "out"):
        pass
