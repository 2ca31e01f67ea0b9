"""What ``frtaudit embed`` reads: images, a model, its input, a detector."""

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any  # Any: a detector is a plug-in

from frtaudit.collection.clients.model_input import CPU
from frtaudit.collection.embed.face_detector import FaceDetector, Gives
from frtaudit.collection.embed.preset import Cut, EngineKind, Preset
from frtaudit.core.identity import plugin
from frtaudit.core.plain.structure import Built, build, hints_of, plain, refuse_unknown, required
from frtaudit.core.registry import names
from frtaudit.core.spec_values import MACHINE, PATH
from frtaudit.core.text.file_names import RESERVED
from frtaudit.core.text.names import ASCII
from frtaudit.core.text.quoting import quoted
from frtaudit.errors import SpecError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_NEEDS = {Cut.LANDMARKS: Gives.LANDMARKS, Cut.BOX: Gives.BOX, Cut.DLIB: Gives.BOX}


class Several(StrEnum):
    """Of a picture with several faces: the largest is taken, or it is a failure to acquire."""

    LARGEST = "largest"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedSpec:
    """A whole run of ``frtaudit embed``.

    ``images``: a folder of folders, one for each person, or a CSV; ``root``: the folder that a CSV's paths start
    from, by default its own; ``people``: a CSV of subject_id and columns about people, beside a folder; ``into``: the
    folder that an audit reads; ``model``: an ONNX file, none for dlib; ``name``: of the system, by default the
    model's file name; ``output``: of the model, where it has several; ``execution``: who computes; ``workers``:
    processes, 0 for as many as there are cores.
    """

    images: str = field(metadata=PATH)
    into: str = field(metadata=PATH)
    preset: Preset
    detector: FaceDetector
    model: str | None = field(default=None, metadata=PATH)
    root: str | None = field(default=None, metadata=PATH)
    people: str | None = field(default=None, metadata=PATH)
    name: str = ""
    several: Several = Several.LARGEST
    output: str | None = None
    execution: str = CPU
    workers: int = field(default=0, metadata=MACHINE)

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` where the parts do not go together."""
        if self.preset.engine is EngineKind.ONNX and self.model is None:
            raise SpecError("model", "no value", "model=FILE.onnx, or preset=dlib")
        if self.preset.engine is EngineKind.DLIB and self.model is not None:
            raise SpecError("model", "a file, but preset=dlib has its own model", "preset=dlib without model")
        if not self.name:
            object.__setattr__(self, "name", "dlib" if self.model is None else Path(self.model).stem)
        if not _NAME.fullmatch(self.name) or self.name.lower().partition(".")[0] in RESERVED:
            accepted = f"name=NAME: 1 to 100 {ASCII}; not the name of a device"
            raise SpecError("name", f"{self.name!r}", accepted)
        if not 0 <= self.workers <= 256:
            raise SpecError("workers", f"{self.workers}", "0 for as many as there are cores, to 256")
        needed, gives = _NEEDS[self.preset.cut], self.detector.gives
        whole = Gives.WHOLE in gives and self.preset.cut is not Cut.DLIB
        if needed not in gives and not whole:
            text = f"the detector gives no {needed} of a face, which the preset needs"
            accepted = ", ".join(name for name in names("detector") if name != "aligned")
            raise SpecError("detector", text, f"detector=NAME with one of: {accepted}")


def overrides_of(words: Sequence[str]) -> list[str]:
    """Words of the command line, in which a path stands for the images.

    >>> overrides_of(["my photos", "preset=dlib"])
    ["images='my photos'", 'preset=dlib']
    """
    paths = [word for word in words if "=" not in word]
    if len(paths) > 1:
        raise SpecError("command line", f"{len(paths)} paths of images", "one folder or CSV, and key=value")
    return [*(f"images={quoted(path)}" for path in paths), *(word for word in words if "=" in word)]


def from_plain(data: Mapping[str, object]) -> EmbedSpec:
    """The spec that plain data describes, typed strictly. Raises :class:`SpecError` naming the place.

    >>> from_plain({"imges": "photos"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    frtaudit.errors.SpecError: spec: unknown key 'imges' (did you mean 'images'?); accepted: images, into, preset, ...
    """
    fields = {declared.name: declared for declared in dataclasses.fields(EmbedSpec)}
    refuse_unknown("", data, fields)
    given = {key: value for key, value in data.items() if value is not None}
    engine = given["preset"].get("engine") if isinstance(given.get("preset"), Mapping) else None  # type: ignore[attr-defined]  # as the line asks
    if engine == EngineKind.DLIB:
        given.setdefault("detector", {"type": "dlib"})
    for name, setting in fields.items():
        if required(setting) and given.get(name) in (None, "???"):
            raise SpecError(name, "no value", _wanted(name))
    hints = hints_of(EmbedSpec)
    values: dict[str, Built] = {
        key: plugin(key, value, key) if key == "detector" else build(hints[key], value, key)
        for key, value in given.items()
    }
    return EmbedSpec(**values)


def _wanted(name: str) -> str:
    if name == "images":
        return "a folder of folders of images, one for each person, or a CSV: frtaudit embed IMAGES ..."
    if name == "into":
        return "a folder: into=FOLDER"
    if name == "preset":
        return "preset=NAME: frtaudit list preset shows the input of each family of models"
    return f"detector=NAME with one of: {', '.join(names('detector'))}"


def settings_of(spec: EmbedSpec) -> dict[str, str]:
    """The settings that determine the templates, as text: of the preset and of the detector; no path."""
    chosen = {
        field.name: getattr(spec.preset, field.name)
        for field in dataclasses.fields(Preset)
        if field.name not in _TOLD and (spec.preset.engine is EngineKind.ONNX or field.name not in _OF_INPUT)
    }
    return {
        **({"preset": spec.preset.name} if spec.preset.name else {}),
        **{name.replace("_", " "): _text(plain(value)) for name, value in chosen.items()},
        **dict(spec.detector.recorded_settings()),
        "several faces": str(spec.several),
        **({} if spec.output is None else {"output": spec.output}),
        **({} if spec.execution == CPU else {"execution": spec.execution}),
    }


_TOLD = ("name", "source", "licence", "metric")
_OF_INPUT = ("landmarks", "size", "layout", "colours", "mean", "deviation", "margin", "scaled_in_graph")


def _text(value: Any) -> str:  # noqa: ANN401  plain data
    if isinstance(value, list):
        return " ".join(_text(entry) for entry in value)
    return str(value).lower() if isinstance(value, bool) else str(value)
