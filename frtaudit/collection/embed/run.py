"""``frtaudit embed``: from images and a model to the folder that an audit reads; it resumes after any stop."""

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np

from frtaudit.collection.clients.face_network import read_model
from frtaudit.collection.embed import checks, folder, processes
from frtaudit.collection.embed.block import SIZE, Block, Worker, read_block
from frtaudit.collection.embed.engine import WHERE
from frtaudit.collection.embed.graph import scaling_of
from frtaudit.collection.embed.images import ImageList, Shot, digest_of, images_of
from frtaudit.collection.embed.preset import Cut, EngineKind, Metric
from frtaudit.collection.embed.spec import EmbedSpec, settings_of
from frtaudit.core.arrays import Floats
from frtaudit.core.canonical import Json, digest, to_bytes
from frtaudit.core.collecting import CallError
from frtaudit.core.machine import signals
from frtaudit.core.machine.lock import lock
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.machine.progress import Progress, quiet
from frtaudit.core.registry import name_of
from frtaudit.core.text.formatting import counted
from frtaudit.errors import DataError, ProviderError

SETUP, LOCK = "setup.json", ".embed.lock"
EUCLIDEAN = "the model's authors compare its templates by Euclidean distance, this audit by cosine"

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedStatus:
    """``summary``: lines for the user; ``warnings``: what looks wrong."""

    summary: tuple[str, ...]
    warnings: tuple[str, ...]


def embed(spec: EmbedSpec, tell: Say = lambda _: None, progress: Progress = quiet) -> EmbedStatus:
    """Run, or resume a run, until its templates are written; what is complete is not computed again.

    Raises a :class:`~frtaudit.errors.FrtauditError` in one line: images or a model that cannot be used, a folder that
    holds another run, no image with a template.
    """
    cautions = scaling(spec)
    images = images_of(spec.images, spec.people, spec.root)
    if name_of("detector", type(spec.detector)) == "given":
        by_landmarks = spec.preset.cut is Cut.LANDMARKS
        if by_landmarks and not images.landmarks:
            accepted = "x1, y1, x2, y2 at least, or another detector"
            raise DataError("images", "no columns of landmarks", accepted)
        if not by_landmarks and not images.boxes:
            raise DataError("images", "no columns of boxes", "x, y, width, height, or another detector")
    into = Path(spec.into)
    metadata = folder.metadata_of(images, Path(spec.images), into)
    folder.check_metadata(into, metadata)
    missing = [path for path in (into, *into.parents) if not path.exists()]
    into.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = lock(into / LOCK, wait=False)
    except BlockingIOError:
        accepted = "the same folder when that process has ended, or another folder"
        raise DataError("into", "another process is writing into it", accepted) from None
    try:
        with signals.listening():
            return EmbedRun(spec, images, metadata, (*images.cautions, *cautions), tell, progress).run()
    finally:
        (into / LOCK).unlink(missing_ok=True)
        os.close(descriptor)
        with suppress(OSError):  # a run that wrote nothing leaves no folder either; rmdir refuses the others
            for path in missing:
                path.rmdir()


def scaling(spec: EmbedSpec) -> tuple[str, ...]:
    """A sentence if the preset says that the model scales pixels and its graph does not.

    Raises :class:`ProviderError` where the graph scales pixels and the preset does not say so.
    """
    if spec.preset.engine is EngineKind.DLIB or spec.model is None:
        return ()
    scales = scaling_of(read_model(spec.model, WHERE))
    if scales and not spec.preset.scaled_in_graph:
        text = f"its graph begins with {', '.join(scales)}: it seems to scale pixels, as the preset also does"
        accepted = "preset.scaled_in_graph=true preset.mean=[0,0,0] preset.deviation=[1,1,1]"
        both = "; or preset.scaled_in_graph=true alone to scale twice"
        raise ProviderError(WHERE, text, accepted + both)
    if spec.preset.scaled_in_graph and not scales:
        return ("the preset says that the model scales pixels, but its first operations do not",)
    return ()


class EmbedRun:
    """One run: blocks of images that are not there yet, then the files for the audit."""

    def __init__(
        self,
        spec: EmbedSpec,
        images: ImageList,
        metadata: bytes,
        cautions: Sequence[str],
        tell: Say,
        progress: Progress,
    ) -> None:
        self.spec, self.images, self._metadata = spec, images, metadata
        self._tell, self._progress = tell, progress
        self.into = Path(spec.into)
        self.unfinished = self.into / f"unfinished-{spec.name}"
        self.cautions = list(cautions)
        self.worker = Worker(spec, images.root)
        versions = {f"version of {name}": version(name) for name in ("pillow", "numpy")}
        self.settings = {**settings_of(spec), **self.worker.engine.recorded_settings(), **versions}

    def run(self) -> EmbedStatus:
        """The whole of it."""
        listed = [
            [address, self.images.ids[row], self.images.subjects[row], _told(self.images.shot(row))]
            for row, address in enumerate(self.images.addresses)
        ]  # what is in the files is compared by block
        identity = digest({"settings": self.settings, "images": digest(listed)})
        if (done := self._earlier(identity)) is not None:
            return done
        for caution in self.cautions:
            self._tell(f"warning: {caution}")
        self._prepare(identity)
        self._embed(identity)
        status = self._write(identity)
        shutil.rmtree(self.unfinished)
        return status

    def _earlier(self, identity: str) -> EmbedStatus | None:
        """The status of an earlier run, if it is the same. Raises :class:`DataError` for another run of this name."""
        if self.unfinished.exists() or not os.path.lexists(self.into / folder.templates_name(self.spec.name)):
            return None
        try:
            read = json.loads((self.into / folder.record_name(self.spec.name)).read_bytes())
            if read["identity"] == identity:
                rows = self._progress(range(len(self.images.ids)), "comparing images")
                if read["images"]["sha256"] == digest(self._digests(rows)):
                    return EmbedStatus(
                        summary=("nothing to do: all files exist", *_summary(read)), warnings=()
                    )
        except (OSError, ValueError, KeyError, TypeError):
            pass
        text = f"{folder.templates_name(self.spec.name)} exists, for other images or settings"
        raise DataError("into", text, "name=NAME for another system, or another folder")

    def _prepare(self, identity: str) -> None:
        """A folder for blocks. Raises :class:`DataError` where it holds those of another run."""
        setup = to_bytes({"identity": identity, "size": SIZE})
        if self.unfinished.is_symlink():
            raise DataError("into", f"{self.unfinished.name} in it is a link", "the folder without it")
        self.unfinished.mkdir(exist_ok=True)
        path = self.unfinished / SETUP
        if path.exists() and path.read_bytes() != setup:
            text = f"{self.unfinished.name} in it has other images or settings"
            raise DataError("into", text, "the command that wrote it, or the folder without it")
        if not path.exists():
            OutputFolder(self.unfinished).replace(SETUP, setup)

    def _embed(self, identity: str) -> None:
        numbers = self._progress(range(self._n_blocks), "comparing images with finished blocks")
        there = set()
        for number in numbers:
            block = self._block(identity, number)
            if block is not None and block.sha256.tolist() == self._digests(self._rows(number)):
                there.add(number)
        if there:
            size = len(self.images.ids)
            self._tell(f"{min(len(there) * SIZE, size)} of {size} images are done")
        todo = {
            number: [self.images.shot(row) for row in self._rows(number)]
            for number in range(self._n_blocks)
            if number not in there
        }
        root, into = self.images.root, self.unfinished
        come = processes.write_blocks(self.spec, root, into, self.worker, todo, identity)
        for _ in self._progress(list(todo), f"embedding, blocks of {SIZE} images"):
            next(come)

    def _digests(self, rows: Iterable[int]) -> list[str]:
        return [digest_of(self.images.root, self.images.addresses[row]) for row in rows]

    @property
    def _n_blocks(self) -> int:
        return -(-len(self.images.ids) // SIZE)

    def _rows(self, number: int) -> range:
        return range(number * SIZE, min((number + 1) * SIZE, len(self.images.ids)))

    def _block(self, identity: str, number: int) -> Block | None:
        path = self.unfinished / processes.block_file(number)
        return read_block(path, processes.block_name(identity, number))

    def _blocks(self, identity: str) -> Iterator[Block]:
        for number in range(self._n_blocks):
            block = self._block(identity, number)
            if block is None:
                text = f"{self.unfinished.name} in it was changed during the run"
                raise DataError("into", text, "the same command again")
            yield block

    def _write(self, identity: str) -> EmbedStatus:
        # of all blocks, without their vectors
        parts = [(block.code, block.faces, block.sha256, block.length) for block in self._blocks(identity)]
        codes, faces, files, length = (np.concatenate(part) for part in zip(*parts, strict=True))
        digests: list[str] = files.tolist()
        rows = np.flatnonzero(codes == "").tolist()
        failed = {self.images.ids[row]: str(codes[row]) for row in np.flatnonzero(codes != "")}
        reasons = folder.counted(failed)
        if not rows:
            shutil.rmtree(self.unfinished)  # else it would be in the way of another detector
            why = ", ".join(f"{code} {count}" for code, count in reasons.items())
            raise DataError("images", f"no image has a template ({why})", "another detector or preset")
        lengths = checks.length_checks(length)
        copies = checks.copy_checks(digests, self.images.subjects)
        numbers, warnings = checks.merged([lengths, self._probed(rows), copies])
        compared = [] if self.spec.preset.metric is Metric.COSINE else [EUCLIDEAN]
        several = int(np.count_nonzero(faces[rows] > 1))
        counts = {"listed": codes.size, "embedded": len(rows), "several_faces": several}
        record: dict[str, Json] = {
            "identity": identity,
            "name": self.spec.name,
            "settings": {**self.settings},
            "source": self.spec.preset.source,
            "licence": self.spec.preset.licence,
            "images": {**counts, "sha256": digest(digests)},
            "failures": {**reasons},
            "checks": numbers,
            "notes": [*self.cautions, *warnings, *compared],
        }
        folder.write(
            self.into,
            self.spec.name,
            self._metadata,
            ids=[self.images.ids[row] for row in rows],
            dimension=self.worker.engine.dimension,
            vectors=(block.vectors for block in self._blocks(identity)),
            failed=failed,
            record=record,
        )
        return EmbedStatus(summary=tuple(_summary(record)), warnings=tuple(warnings))

    def _probed(self, rows: Sequence[int]) -> tuple[dict[str, Json], list[str]]:
        """A few mated pairs, mirrored and with other colours."""
        pairs = checks.mated_pairs(self.images.subjects, rows)
        wanted = [row for pair in pairs for row in pair] or list(rows[: checks.PAIRS])
        seen = [self._probe(row) for row in self._progress(wanted, "checking images")]
        whole = [outputs for outputs in seen if outputs is not None]
        lost = len(wanted) - len(whole)
        if lost:
            return {}, [f"no template if mirrored or recoloured: {counted(lost, 'image')} of the checks"]
        return checks.probe_checks(np.stack(whole, axis=1), str(self.spec.preset.colours), paired=bool(pairs))

    def _probe(self, row: int) -> Floats | None:
        try:
            outputs = self.worker.probe(self.images.shot(row))
        except CallError:
            return None
        return outputs if np.isfinite(outputs).all() else None


def _told(shot: Shot) -> Json:
    if shot.given is None:
        return None
    box, landmarks = shot.given.box, shot.given.landmarks
    return [
        None if box is None else [box.x, box.y, box.width, box.height],
        None if landmarks is None else landmarks.ravel().tolist(),
    ]


def _summary(record: dict[str, Json]) -> Iterator[str]:
    """Counts in words."""
    images, failures = record["images"], record["failures"]
    if not isinstance(images, dict) or not isinstance(failures, dict):
        return
    why = ", ".join(f"{code} {count}" for code, count in failures.items())
    lost = f"; failures to acquire: {why}" if why else ""
    yield f"{images['embedded']} of {images['listed']} images have a template{lost}"
    if images["several_faces"]:
        several = counted(int(str(images["several_faces"])), "image")
        yield f"{several} with several faces: the largest was taken (several=fail counts that as a failure)"
    notes = record["notes"]
    if isinstance(notes, list) and EUCLIDEAN in notes:
        yield EUCLIDEAN
