"""An ONNX model that finds faces: a file that the user brings, its digest, the size that it takes."""

from collections.abc import Sequence
from pathlib import Path

from frtaudit.collection.clients.face_network import read_model, session_of
from frtaudit.collection.clients.model_input import CPU
from frtaudit.core.arrays import Floats, Singles
from frtaudit.core.canonical import sha256
from frtaudit.core.collecting import CallError, Refusal
from frtaudit.errors import ProviderError


class DetectorNetwork:
    """An open model; ``size``: height and width where it takes one only, ``outputs``: their names.

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
