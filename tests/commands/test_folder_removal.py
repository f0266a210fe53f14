"""A folder is taken away whatever was made of it, and nothing outside of it is touched."""

import os
from pathlib import Path

import pytest

from memtrial.commands.folder_removal import identify, remove_folder


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    folder = tmp_path / "precious"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "file").write_text("kept")
    return folder


def is_whole(precious: Path) -> bool:
    return (precious / "inner" / "file").read_text() == "kept" and len(list(precious.rglob("*"))) == 2


def test_links_and_second_names_lead_nowhere(tmp_path: Path, precious: Path) -> None:
    folder = tmp_path / "trial"
    (folder / "a").mkdir(parents=True)
    for place in (folder, folder / "a"):
        (place / "link").symlink_to(precious)
        (place / "up").symlink_to("../precious/inner")
        (place / "second").hardlink_to(precious / "inner" / "file")
        os.mkfifo(place / "pipe")
    (folder / "a\nb \udcff").mkdir()
    assert remove_folder(identify(folder)) == ""
    assert os.listdir(tmp_path) == ["precious"]
    assert is_whole(precious)


def test_depth_and_number_cost_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "trial"
    folder.mkdir()
    place = os.open(folder, os.O_RDONLY)
    for _ in range(1200):  # deeper than a path may be long, and than Python may call itself
        os.mkdir("deeper", dir_fd=place)
        os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=place))
        below = os.open("deeper", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = below
    os.close(place)
    for number in range(300):
        (folder / f"beside {number}").mkdir()
        (folder / f"file {number}").touch()
    assert remove_folder(identify(folder)) == ""
    assert os.listdir(tmp_path) == []


def test_folders_that_are_closed_are_opened(tmp_path: Path) -> None:
    folder = tmp_path / "trial"
    for name in ("none", "none/deep", "reading"):
        (folder / name).mkdir(parents=True)
        (folder / name / "file").touch()
    (folder / "none" / "deep").chmod(0o400)
    (folder / "none").chmod(0)
    (folder / "reading").chmod(0o500)
    identity = identify(folder)
    folder.chmod(0)
    assert remove_folder(identity) == ""
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("swapped", ["link", "folder", "file"])
def test_what_stands_in_its_place_is_left(tmp_path: Path, precious: Path, swapped: str) -> None:
    folder = tmp_path / "trial"
    folder.mkdir()
    (folder / "file").touch()
    identity = identify(folder)
    folder.rename(tmp_path / "moved")
    if swapped == "link":
        folder.symlink_to(precious)
    elif swapped == "folder":
        precious.rename(folder)
    else:
        folder.write_text("kept")
    assert "is something else now, which was left as it is" in remove_folder(identity)
    assert is_whole(folder if swapped == "folder" else precious)
    assert (tmp_path / "moved" / "file").exists()
    assert not identity.stands


def test_what_is_gone_is_gone(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "trial"
    folder.mkdir(parents=True)
    identity = identify(folder)
    folder.rmdir()
    assert remove_folder(identity) == ""
    folder.parent.rmdir()
    assert remove_folder(identity) == ""
