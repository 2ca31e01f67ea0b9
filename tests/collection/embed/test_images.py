"""Folders and tables of images: what they say, and what is refused with its line."""

from pathlib import Path

import pytest

from frtaudit.collection.embed.images import images_of, read_image
from frtaudit.core.collecting import CallError
from frtaudit.errors import DataError

FIVE = "x1,y1,x2,y2,x3,y3,x4,y4,x5,y5"


def laid_out(root: Path) -> Path:
    """Two people with two images, and files beside."""
    for name in ("ann/1.jpg", "ann/2.PNG", "bob/1.jpeg", "bob/2.jpg"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode())
    (root / "readme.txt").write_text("no image")
    (root / "ann" / "deep").mkdir()
    (root / "ann" / "deep" / "3.jpg").write_text("too deep")
    return root


def table(root: Path, text: str) -> Path:
    """A CSV beside the folders of ``laid_out``."""
    path = laid_out(root) / "photos.csv"
    path.write_text(text)
    return path


def test_a_folder_for_each_person_is_people_and_images(tmp_path: Path) -> None:
    """Subjects are folders, ids are paths, a CSV of people gives columns; what is left aside is counted."""
    root = laid_out(tmp_path / "photos")
    people = tmp_path / "people.csv"
    people.write_text("subject_id,gender\nbob,male\nann,female\neve,female\n")
    images = images_of(str(root), str(people))
    assert images.ids == ("ann/1.jpg", "ann/2.PNG", "bob/1.jpeg", "bob/2.jpg")
    assert images.subjects == ("ann", "ann", "bob", "bob")
    assert images.columns == {"gender": ["female", "female", "male", "male"]}
    (caution,) = images.cautions
    assert caution.startswith("2 files of the folder are not used")
    assert read_image(images.root, images.addresses[2]) == b"bob/1.jpeg"


def test_a_table_gives_ids_columns_boxes_and_landmarks(tmp_path: Path) -> None:
    """Paths start from the table's folder; an empty box or landmark is no face; eyes alone are enough."""
    path = table(
        tmp_path,
        f"path,person,image_id,age,x,y,width,height,{FIVE}\n"
        "ann/1.jpg,a,i1,30,1,2,3,4,1,2,3,4,5,6,7,8,9,10\n"
        "bob/1.jpeg,b,i2,40,,,,,,,,,,,,,,\n"
        "bob/2.jpg,b,i3,40,,,,,1,2,3,4,,,,,,\n",
    )
    images = images_of(str(path))
    assert (images.ids, images.subjects, dict(images.columns)) == (
        ("i1", "i2", "i3"),
        ("a", "b", "b"),
        {"age": ["30", "40", "40"]},
    )
    first, second, third = images.given
    assert (first.box.x, first.box.height, first.landmarks.tolist()[4]) == (1.0, 4.0, [9.0, 10.0])
    assert second is None
    assert third.box is None
    assert third.landmarks[:2].tolist() == [[1.0, 2.0], [3.0, 4.0]]


BAD = [
    ("image\nann/1.jpg\n", "photos.csv: no column subject_id or subject or person"),
    ("name,subject\nann/1.jpg,a\n", "photos.csv: no column image or image_path"),
    ("image,subject\nann/1.jpg,\n", "photos.csv line 2: an empty image, subject or id"),
    ("image,subject\nann/1.jpg,a\nann/1.jpg,a\n", "photos.csv line 3: the image of line 2 again"),
    (
        "image,subject\n../outside.jpg,a\n",
        "photos.csv line 2: the file lies outside the folder of the images",
    ),
    ("image,subject\n/etc/hostname,a\n", "photos.csv line 2: the file lies outside the folder of the images"),
    ("image,subject\nann/none.jpg,a\n", "photos.csv line 2: no such file below the folder of the images"),
    ("image,subject\nann\\1.jpg,a\n", "accepted: a path below it, with / in place of \\"),
    ("image,subject\nann,a\n", "photos.csv line 2: is a folder"),
    ("image,subject\nlink.jpg,a\n", "photos.csv line 2: is a symbolic link"),
    ("image,subject,x\nann/1.jpg,a,1\n", "column x without y; accepted: x, y, width, height"),
    ("image,subject,x1,y1\nann/1.jpg,a,1,1\n", "column x1 without x2"),
    ("image,subject,x,y,width,height\nann/1.jpg,a,1,1,5,\n", "photos.csv line 2: an incomplete box"),
    (
        "image,subject,x,y,width,height\nann/1.jpg,a,1,1,0,5\n",
        "photos.csv line 2: an incomplete box, or one without area",
    ),
    ("image,subject,x,y,width,height\nann/1.jpg,a,1,1,nan,5\n", "width is not a number of pixels"),
    ("image,subject,x1,y1,x2,y2\nann/1.jpg,a,1,1,inf,1\n", "x2 is not a number of pixels"),
    ("image,subject,x1,y1,x2,y2\nann/1.jpg,a,1,1,,\n", "landmarks without two different eyes"),
    ("image,subject,x1,y1,x2,y2\nann/1.jpg,a,1,1,1,1\n", "landmarks without two different eyes"),
]


@pytest.mark.parametrize(("text", "line"), BAD)
def test_a_bad_table_is_refused_with_its_line(tmp_path: Path, text: str, line: str) -> None:
    """Missing columns, ids that appear twice, paths that lead out, links, halves of boxes: one line each."""
    (tmp_path / "outside.jpg").write_text("not below")
    path = table(tmp_path / "inside", text)
    (path.parent / "link.jpg").symlink_to(path.parent / "ann" / "1.jpg")
    with pytest.raises(DataError) as caught:
        images_of(str(path))
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


FORMS = [("Zoe\u0308", "Zo\u00eb"), ("Zo\u00eb", "Zoe\u0308"), ("zoe ", '"zoe "'), (" zoe", "zoe")]


@pytest.mark.parametrize(("folder", "cell"), FORMS)
def test_a_name_in_another_form_of_unicode_or_with_spaces_has_its_line(
    tmp_path: Path, folder: str, cell: str
) -> None:
    """The folder is in NFD and the table in NFC, or the reverse; outer spaces do not count."""
    root, people = laid_out(tmp_path / "photos"), tmp_path / "people.csv"
    (root / "bob").rename(root / folder)
    people.write_text(f"subject_id,gender\nann,female\n{cell},male\n", encoding="utf-8")
    images = images_of(str(root), str(people))
    assert dict(zip(images.subjects, images.columns["gender"], strict=True)) == {
        "ann": "female",
        folder: "male",
    }


def test_a_line_that_could_be_of_two_folders_is_of_the_one_it_spells(tmp_path: Path) -> None:
    """Folders in NFC and in NFD, one line: the other folder has none."""
    root, people = laid_out(tmp_path / "photos"), tmp_path / "people.csv"
    (root / "ann").rename(root / "Zo\u00eb")
    (root / "bob").rename(root / "Zoe\u0308")
    people.write_text("subject_id,gender\nZo\u00eb,female\n", encoding="utf-8")
    with pytest.raises(
        DataError, match="people.csv: no line for 1 of the folders; the first is folder 1, by"
    ):
        images_of(str(root), str(people))


def test_a_bad_folder_or_list_of_people_is_refused(tmp_path: Path) -> None:
    """No image in any folder, no such path, a person without a line or with two, people beside a table."""
    root, people = laid_out(tmp_path / "photos"), tmp_path / "people.csv"
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="images: no image below the folder; accepted: files ending in"):
        images_of(str(tmp_path / "empty"))
    for name in ("none.csv", "nothere"):
        with pytest.raises(
            DataError, match=f"images: no file or folder '.*{name}'; accepted: a folder with a folder for"
        ):
            images_of(str(tmp_path / name))
    (tmp_path / "photos.zip").touch()
    with pytest.raises(
        DataError, match="photos.zip is neither a folder nor a table; accepted: a folder with a folder for"
    ):
        images_of(str(tmp_path / "photos.zip"))
    people.write_text("subject_id,gender\nann,female\n")
    with pytest.raises(
        DataError, match="people.csv: no line for 1 of the folders; the first is folder 2, by name"
    ):
        images_of(str(root), str(people))
    people.write_text("subject_id,gender\nann,female\nbob,male\nann,male\n")
    with pytest.raises(
        DataError, match="^people.csv line 4: the person of line 2 again; accepted: one line for"
    ):
        images_of(str(root), str(people))
    with pytest.raises(DataError, match="people: not used with a CSV of images"):
        images_of(str(table(tmp_path / "other", "image,subject\nann/1.jpg,a\n")), str(people))


def test_links_and_odd_names_in_a_folder_are_said_with_their_place(tmp_path: Path) -> None:
    """Which of the people, in the order of their names, and which image; names stay out of it."""
    root = laid_out(tmp_path)
    (root / "ann" / "3.jpg").symlink_to(root / "ann" / "1.jpg")
    with pytest.raises(DataError, match=r"^images folder 1 image 3: is a symbolic link"):
        images_of(str(root))
    (root / "ann" / "3.jpg").unlink()
    (root / "ann" / "3\udce9.jpg").write_bytes(b"")
    with pytest.raises(
        DataError, match=r"^images folder 1 image 3: has a name that is not UTF-8; accepted: a n"
    ):
        images_of(str(root))
    (root / "ann" / "3\udce9.jpg").unlink()
    (root / "zoe").symlink_to(root / "ann")
    with pytest.raises(
        DataError, match=r"^images folder \d: is a symbolic link; accepted: no link, but the images in"
    ):
        images_of(str(root))


def test_a_file_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    """What is read is looked at again: a link in the place of an image is a failure to acquire."""
    root = laid_out(tmp_path)
    (root / "ann" / "1.jpg").unlink()
    (root / "ann" / "1.jpg").symlink_to(root / "readme.txt")
    with pytest.raises(CallError, match="unreadable_image"):
        read_image(str(root), "ann/1.jpg")


@pytest.mark.parametrize("name", ["a\rb", "a\nb", "x" * 1001])
def test_a_name_that_metadata_cannot_hold_is_refused(tmp_path: Path, name: str) -> None:
    """A carriage return ends a line for readers of CSV, and no writer quotes it; a long id is long in every row."""
    (tmp_path / "set" / "ann").mkdir(parents=True)
    (tmp_path / "set" / "ann" / f"{name[:200]}.jpg").write_bytes(b"")
    (tmp_path / "set" / "plain.jpg").write_bytes(b"")
    (tmp_path / "set" / "images.csv").write_bytes(f'path,subject,image_id\nplain.jpg,ann,"{name}"\n'.encode())
    listed = [] if len(name) > 200 else [tmp_path / "set"]
    for images in (*listed, tmp_path / "set" / "images.csv"):
        with pytest.raises(DataError, match="the name of image 1 or of its person has a line break"):
            images_of(str(images))
