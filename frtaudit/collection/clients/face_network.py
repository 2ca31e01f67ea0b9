"""ONNX models of face embeddings and of detectors, each loaded from the bytes of one file."""

import os
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType
from typing import Any  # Any: values of onnxruntime, which has no types

import numpy as np

from frtaudit.collection.clients.model_input import CPU, ModelInput
from frtaudit.collection.clients.onnx_file import is_one_file
from frtaudit.core.arrays import Floats, Singles
from frtaudit.core.canonical import sha256
from frtaudit.core.collecting import CallError, Refusal
from frtaudit.core.machine.files import Links, read_regular
from frtaudit.errors import DataError, ProviderError

PACKAGE = "onnxruntime"
EXTRA = "pip install frtaudit[onnx]"
WHOLE = "a whole .onnx file"


def installed(where: str) -> str:
    """Package and version. Raises :class:`ProviderError` without it."""
    try:
        return f"{PACKAGE} {version(PACKAGE)}"
    except PackageNotFoundError:
        raise ProviderError(where, f"{PACKAGE} is not installed", EXTRA) from None


def read_model(path: str, where: str, accepted: str = "model=FILE.onnx") -> bytes:
    """The bytes of a model's file. Raises :class:`ProviderError` where there is none that can be read."""
    try:
        return read_regular(Path(path), where, Links.FOLLOW)
    except DataError as error:
        raise ProviderError(where, error.found, error.accepted) from None
    except OSError:
        raise ProviderError(where, f"no file {path!r}", accepted) from None


class FaceNetwork:
    """The model, open; tried on a grey picture, so that what cannot work is said before the first face.

    Raises :class:`ProviderError`: no ONNX, an input of another shape, an output that is no embedding.
    """

    def __init__(
        self, path: str, model_input: ModelInput, output: str | None, execution: str, where: str
    ) -> None:
        data = read_model(path, where)
        self.sha256, self._where = sha256(data), where
        self._run = session_of(data, Path(path).name, execution, where)
        self._input = self._taken(model_input)
        self._output = self._given(output)
        self.dimension = self._tried(model_input)

    def _taken(self, model_input: ModelInput) -> str:
        """The input's name. Raises :class:`ProviderError` where it takes something else than our pictures."""
        inputs = self._run.get_inputs()
        if len(inputs) != 1 or inputs[0].type != "tensor(float)":
            text = ", ".join(f"{node.name} {node.type}" for node in inputs)
            raise ProviderError(self._where, f"the model takes {text}", "one input, tensor(float)")
        ours, theirs = model_input.shape, inputs[0].shape
        fits = len(theirs) == 4 and all(
            not isinstance(there, int) or there == here for here, there in zip(ours, theirs, strict=True)
        )
        if not fits:
            text = f"the model takes shape {list(theirs)}, the preset's pictures have {list(ours)}"
            raise ProviderError(self._where, text, "size and layout of the model's input")
        return str(inputs[0].name)

    def _given(self, output: str | None) -> str:
        """The output's name."""
        names = [str(node.name) for node in self._run.get_outputs()]
        if output is None and len(names) == 1:
            return names[0]
        if output not in names:
            text = "several outputs" if output is None else f"no output {output!r}"
            raise ProviderError(self._where, text, f"output={' or '.join(names)}")
        return str(output)

    def _tried(self, model_input: ModelInput) -> int:
        """Numbers of an embedding."""
        grey = np.full((*model_input.size, 3), 127, dtype=np.uint8)
        try:
            output = self._run.run([self._output], {self._input: model_input.of(grey)})[0]
        except Exception as error:  # the errors of onnxruntime share no other base
            problem = "the model fails on a grey picture"
            raise ProviderError(self._where, problem, "size and layout of its input") from error
        shape, size = np.shape(output), int(np.size(output))
        if shape[:1] != (1,) or size < 2 or not np.issubdtype(output.dtype, np.floating):
            raise ProviderError(self._where, f"output of shape {list(shape)}", "an embedding, [1, D]")
        return size

    def outputs(self, faces: Sequence[Singles]) -> Floats:
        """As the model gives them, one face at a time, shape (faces, D); NaN where there is no embedding."""
        embeddings = np.zeros((len(faces), self.dimension))
        for row, values in zip(embeddings, faces, strict=True):
            with suppress(Exception):  # the errors of onnxruntime share no other base; its row stays zero
                row[:] = self._run.run([self._output], {self._input: values})[0].ravel()
        embeddings[~(np.isfinite(embeddings).all(axis=1) & embeddings.any(axis=1))] = np.nan
        return embeddings

    def embedding(self, values: Singles) -> Floats:
        """Of one face, shape (D,). Raises :class:`CallError` (failure to acquire, ``no_embedding``)."""
        embedding: Floats = self.outputs([values])[0]
        if np.isnan(embedding).any():
            raise CallError(Refusal.FAILURE_TO_ACQUIRE, "no_embedding")
        return embedding


class DetectorNetwork:
    """An ONNX model that finds faces; ``size``: height and width where it takes one only, ``outputs``: their names.

    Raises :class:`ProviderError` for what is no model of pictures.
    """

    def __init__(self, path: str, where: str) -> None:
        data = read_model(path, where, "detector.model=FILE.onnx")
        self.sha256, self._where = sha256(data), where
        self._run = session_of(data, Path(path).name, CPU, where)
        inputs = self._run.get_inputs()
        shape = inputs[0].shape
        if len(inputs) != 1 or inputs[0].type != "tensor(float)" or len(shape) != 4 or shape[1] != 3:
            text = f"the model takes {inputs[0].type} {list(shape)}"
            raise ProviderError(where, text, "one input, tensor(float) [1, 3, H, W]")
        self._input = str(inputs[0].name)
        fixed = isinstance(shape[2], int) and isinstance(shape[3], int)
        self.size: tuple[int, int] | None = (shape[2], shape[3]) if fixed else None
        self.outputs = tuple(str(node.name) for node in self._run.get_outputs())

    def run(self, values: Singles, outputs: Sequence[str]) -> list[Floats]:
        """The outputs of one picture. Raises :class:`CallError` (failure to acquire, ``detector_failed``)."""
        try:
            return list(self._run.run(list(outputs), {self._input: values}))
        except Exception as error:  # the errors of onnxruntime share no other base
            raise CallError(Refusal.FAILURE_TO_ACQUIRE, "detector_failed") from error


def load_onnxruntime() -> ModuleType:
    """The package; it reports its use to its makers unless it is told not to before it is loaded.

    Raises :class:`ImportError` where it is not installed.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    return import_module("onnxruntime")


def session_of(data: bytes, name: str, execution: str, where: str) -> Any:  # noqa: ANN401  onnxruntime has no types
    """A session of onnxruntime with one thread; ``name``: of the file.

    Raises :class:`ProviderError` for no model, and for one whose weights stand elsewhere: its digest says nothing of
    them, and onnxruntime would read them from the working folder.
    """
    installed(where)
    try:
        whole = is_one_file(data)
    except ValueError:
        raise ProviderError(where, f"{name} is not an ONNX model in one file", WHOLE) from None
    if not whole:
        raise ProviderError(where, f"{name} has weights in other files", WHOLE)
    runtime = load_onnxruntime()
    if execution not in runtime.get_available_providers():
        accepted = ", ".join(runtime.get_available_providers())
        raise ProviderError(where, f"no execution provider {execution!r} here", accepted)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        return runtime.InferenceSession(data, options, providers=[execution])
    except Exception as error:  # the errors of onnxruntime share no other base
        raise ProviderError(where, f"{name} is not an ONNX model in one file", WHOLE) from error
