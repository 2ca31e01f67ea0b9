"""The synthetic service on the synthetic source: what both claim, and that a core install knows all services."""

import itertools
import subprocess
import sys

import numpy as np
import pytest
from made_up_services import Counting, crop

from frtaudit.collection.clients.made_up import picture_with
from frtaudit.collection.services.made_up import MadeUp
from frtaudit.core.collecting import CallError, Crop, DetectedFace, Picture
from frtaudit.errors import SpecError


def test_own_faces_score_above_strangers_without_a_call_that_is_not_counted() -> None:
    """The median of the mated comparisons lies above nine tenths of the others; every call passes the gate."""
    gate = Counting()
    session = MadeUp().open(gate)
    faces = {key: crop(session, *key) for key in itertools.product(range(3), range(3))}
    scores: dict[bool, list[float]] = {True: [], False: []}
    for one, other in itertools.combinations(faces, 2):
        scores[one[0] == other[0]].append(session.compare(faces[one], faces[other]).score)
    assert np.median(scores[True]) > np.quantile(scores[False], 0.9)
    assert dict(gate.passed) == {"detect": 9, "compare": 36}


def test_scores_are_the_same_again_and_in_both_orders() -> None:
    """A service without state; asymmetry is asked for, and another model has other noise."""
    faces = [crop(MadeUp().open(Counting()), 0, image) for image in (0, 1)]
    sessions = [
        MadeUp().open(Counting()),
        MadeUp(asymmetry=0.1).open(Counting()),
        MadeUp(model="two").open(Counting()),
    ]
    scores = [
        [session.compare(one, other).score for one, other in (faces, faces[::-1])] for session in sessions
    ]
    assert scores[0][0] == scores[0][1]
    assert scores[1][0] != scores[1][1]
    assert scores[2][0] != scores[0][0]
    assert sessions[2].compare(*faces).version == "two"


def test_a_face_is_found_again_without_a_handle() -> None:
    """By its box, or the largest of the picture: the score of an earlier run's face is the same."""
    session = MadeUp().open(Counting())
    one, other = crop(session, 0, 0), crop(session, 0, 1)
    bare = Crop(picture=one.picture, face=DetectedFace(box=one.face.box if one.face else None))
    expected = session.compare(one, other).score
    assert (
        session.compare(bare, other).score
        == session.compare(Crop(picture=one.picture), other).score
        == expected
    )


def test_nobody_is_a_failure_to_acquire() -> None:
    """No bright region to compare."""
    empty: Picture = picture_with([], 100, 100)
    session = MadeUp().open(Counting())
    assert session.detect(empty).faces == ()
    with pytest.raises(CallError, match="no_face"):
        session.compare(Crop(picture=empty), crop(session, 0, 0))
    with pytest.raises(CallError, match="no_face"):
        session.compare(Crop(picture=empty, face=DetectedFace(box=None)), crop(session, 0, 0))


@pytest.mark.parametrize("wrong", [{"noise": -1.0}, {"slope": 0.0}, {"middle": float("nan")}])
def test_numbers_that_give_no_score_are_refused(wrong: dict[str, float]) -> None:
    """One line."""
    with pytest.raises(SpecError, match="numbers|noise"):
        MadeUp(**wrong)  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.slow
def test_a_core_install_knows_every_service() -> None:
    """Without httpx and boto3 all modules are imported, listed and built; opening one names the extra."""
    program = """
import sys
for name in ("httpx", "boto3", "botocore"):
    sys.modules[name] = None
from frtaudit.config.plugins import load_plugins
from frtaudit.core.registry import lookup, names
import frtaudit.collection.fake.server
load_plugins()
print(*names("service"))
import os
from frtaudit.errors import ProviderError
os.environ.update(frtaudit.collection.fake.server.ENVIRONMENT)
for name in ("luxand", "rekognition"):
    try:
        lookup("service", name, "")().open(None)
    except ProviderError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    listed, *lines = done.stdout.splitlines()
    assert {"azure", "facepp", "luxand", "made_up", "rekognition", "tencent"} <= set(listed.split())
    assert ["frtaudit[collect]" in lines[0], "frtaudit[aws]" in lines[1]] == [True, True]
