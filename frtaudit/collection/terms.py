"""What to read before images of people are sent to a service: its terms, who is admitted, laws of biometric data.

Excerpts in own words, with the address and how they were read; no legal advice.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

READ = "a stored copy, read 2026-11-24"
TOLD = "not read there: as reported by others, 2026-11-24"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """``text``: in own words; ``address``: where it stands; ``read``: how and when it was read."""

    text: str
    address: str
    read: str = READ


TERMS: Mapping[str, tuple[Note, ...]] = {
    "azure": (
        Note(
            text="Limited Access: verification needs a registration, an approved use and an account team at Microsoft; "
            "the free tier and police departments of the USA are excluded",
            address="https://learn.microsoft.com/legal/cognitive-services/computer-vision/limited-access-identity",
        ),
    ),
    "rekognition": (
        Note(
            text="images may be kept and used to improve the service unless the account opts out of it; the Acceptable "
            "Use Policy forbids uses against laws of privacy and against discrimination",
            address="https://aws.amazon.com/service-terms/",
        ),
        Note(
            text="comparing faces is closed to police departments in criminal investigations",
            address="https://pages.awscloud.com/rekognition-abuse.html",
        ),
    ),
    "facepp": (
        Note(
            text="the user answers for the right to each image and for the consent of who is shown; the operator may "
            "use what it is sent (terms of the former platform: those of the account hold)",
            address="http://old.faceplusplus.com/term-of-use/",
        ),
    ),
    "tencent": (
        Note(
            text="images and features of faces are processed under the contract and its data addendum",
            address="https://intl.cloud.tencent.com/document/product/301/69455",
        ),
    ),
    "luxand": (
        Note(
            text="no terms were found to read: those of the account hold",
            address="https://luxand.cloud",
            read="not read",
        ),
    ),
}

LAWS = (
    Note(
        text="European Union: biometric data that identify a person are a special category, processed on a ground of "
        "Article 9 only",
        address="https://eur-lex.europa.eu/eli/reg/2016/679/oj",
        read=TOLD,
    ),
    Note(
        text="Illinois: a private entity needs written consent to collect the geometry of a face (740 ILCS 14); "
        "Texas and Washington have laws of their own",
        address="https://www.ilga.gov/legislation/ilcs/ilcs3.asp?ActID=3004",
        read=TOLD,
    ),
)


def notes_of(types: Mapping[str, str]) -> tuple[str, ...]:
    """A line for each note on services, given by name and type, and on laws where images leave this machine.

    >>> notes_of({"here": "dlib"})
    ()
    """
    terms = {name: TERMS[kind] for name, kind in sorted(types.items()) if kind in TERMS}
    if not terms:
        return ()
    lines = [f"{name}: {line}" for name, notes in terms.items() for line in _lines(notes)]
    return ("terms and law, no legal advice:", *lines, *_lines(LAWS))


def _lines(notes: Iterable[Note]) -> list[str]:
    return [f"{note.text} ({note.address}; {note.read})" for note in notes]
