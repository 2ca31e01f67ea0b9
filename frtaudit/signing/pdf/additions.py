"""What a PDF may gain after its first signature: signatures, document timestamps, and a DSS that belongs to them.

Every object of every later revision must be one of those that frtaudit appends, and is compared letter by letter with
what stood there before. Whatever else was changed or added, by whomever and under whose signature, is an alteration.
"""

import re
from collections import ChainMap
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha1, sha256

from frtaudit.signing.pdf.revisions import (
    AlterationError,
    Revision,
    inflated,
    last_trailer,
    revisions,
    stream_of,
)

REFERENCES = rb"\[((?: \d+ 0 R)+) \]"
FORM_OF = re.compile(rb"\n/AcroForm (\d+) 0 R\n")
DSS_OF = re.compile(rb"\n/DSS (\d+) 0 R\n>>\Z")
METADATA_OF = re.compile(rb"\n/Metadata (\d+) 0 R\n")
FIELDS = re.compile(rb"(?<=\n/Fields )" + REFERENCES)
ANNOTATIONS = re.compile(rb"(?<=\n/Annots )" + REFERENCES)
FIELD = re.compile(
    rb"<<\n/FT /Sig\n/T \((?:Signature(\d+)|(Timestamp(?:\\055[0-9a-f]{4,12}){5}))\)\n/Type /Annot\n/Subtype /Widget\n"
    rb"/F 132\n/Rect \[ 0 0 0 0 \]\n/P (\d+) 0 R\n((?:/TU \(Timestamp\)\n)?)/V (\d+) 0 R\n>>"
)
NAME = re.compile(rb"\n/T \(([^\n]*)\)\n")
DATE = rb"\(D\\072\d{14}(?:Z|\\05[35]\d\d\\047\d\d)\)"
VALUE = re.compile(
    rb"<<\n/Contents <([0-9A-Fa-f]+)>\n/ByteRange \[0 ([1-9]\d*) ([1-9]\d*) ([1-9]\d*)\] *\n(?:"
    rb"/Type /(Sig)\n/Filter /Adobe\.PPKLite\n/SubFilter /ETSI\.CAdES\.detached\n"
    rb"/M " + DATE + rb"\n/Name \((?:[A-Za-z0-9 ]|\\\d{3})*\)\n|"
    rb"/Type /DocTimeStamp\n/Filter /Adobe\.PPKLite\n/SubFilter /ETSI\.RFC3161\n)>>"
)
VRI = re.compile(
    rb"<<\n/Type /VRI\n(?:/OCSP "
    + REFERENCES
    + rb"\n)?(?:/CRL "
    + REFERENCES
    + rb"\n)?/Cert "
    + REFERENCES
    + rb"\n>>"
)
VRI_BLOCK = re.compile(rb"/VRI <<\n((?:/[0-9A-F]{40} \d+ 0 R\n)+)>>\n")
DSS = re.compile(rb"<<\n/Certs " + REFERENCES + rb"\n((?:/(?:OCSPs|CRLs) " + REFERENCES + rb"\n){0,2})>>")
EVIDENCE = re.compile(rb"/(OCSPs|CRLs) " + REFERENCES)
DATA = re.compile(rb"<<\n/Length \d+\n>>\nstream\n", re.DOTALL)
CHANGED = re.compile(rb"(?<=\n/ModDate )" + DATE)
MODIFIED = re.compile(rb'(?<=xmp:ModifyDate=")[0-9T:+-]{25}(?=")')
XMP = re.compile(rb"<<\n/Type /Metadata\n/Subtype /XML\n/Filter /FlateDecode\n/Length \d+\n>>\nstream\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """What a DSS holds (ISO 32000-2, 12.8.4.3), DER, by number of the object."""

    certificates: Mapping[int, bytes] = field(default_factory=dict)
    ocsps: Mapping[int, bytes] = field(default_factory=dict)
    crls: Mapping[int, bytes] = field(default_factory=dict)
    vri: Mapping[bytes, int] = field(default_factory=dict)

    @property
    def numbers(self) -> frozenset[int]:
        """Numbers of its objects."""
        return frozenset((*self.certificates, *self.ocsps, *self.crls))


class Texts(dict[int, bytes]):
    """Objects by number, as text; those that no revision was seen to write are asked of ``read``."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, number: int) -> bytes:
        self[number] = self._read(number)
        return self[number]


def additions(pdf: bytes, ends: Sequence[int], read: Callable[[int], bytes], first: bytes) -> Store:
    """Check all that was appended after the first signature; returns the DSS as it stands at the end.

    ``ends``: where each signature ends; ``read``: the text of an object as it stood at the first end, by number;
    ``first``: the contents of the first signature. Raises :class:`AlterationError` for what frtaudit does not append.
    """
    texts, keys, signed, store = Texts(read), {_key(first)}, [ends[0]], Store()
    for revision in revisions(pdf, ends[0]):
        step = _Step(pdf, revision, texts)
        step.check_catalog()
        contents = step.check_signature()
        if contents is not None:
            keys.add(_key(bytes.fromhex(contents.decode())))
            signed.append(revision.end)
        gained = step.check_store(keys)
        step.check_dates()
        if step.left:
            raise AlterationError(f"object {min(step.left)} was changed or added")
        if contents is None and gained is None:
            raise AlterationError("a revision was added that holds no signature and no revocation data")
        texts.update(revision.objects)
        store = gained or store
    if signed != list(ends):
        raise AlterationError("signatures were added that do not end their revisions")
    return store


class _Step:
    """One revision under check: ``left`` holds its objects that nothing accounts for yet."""

    def __init__(self, pdf: bytes, revision: Revision, texts: Mapping[int, bytes]) -> None:
        self.pdf, self.revision, self.before = pdf, revision, texts
        self.left = dict(revision.objects)
        self.size = int(last_trailer(pdf, revision.start)[b"/Size"])
        self.root = _number(revision.trailer[b"/Root"])
        self.catalog = revision.objects.get(self.root, texts[self.root])

    def check_catalog(self) -> None:
        """The catalog is as it was, or got a DSS as its last entry; it is written again beside a DSS, and in 0.1."""
        before, now = self.before[self.root], self.left.pop(self.root, None)
        if now is None:
            return
        match = DSS_OF.search(now)
        beside = (match, METADATA_OF.search(now))
        if now == before and any(reference and int(reference[1]) in self.left for reference in beside):
            return
        if match is None or DSS_OF.search(before) or now[: match.start()] + b"\n>>" != before:
            raise AlterationError("the catalog was changed")

    def check_signature(self) -> bytes | None:
        """One more field in the form, on the page that it names, with its signature; returns its contents in hex."""
        place = FORM_OF.search(self.before[self.root])
        if place is None:
            raise AlterationError("there is no form")
        form = int(place[1])
        if form not in self.left:
            return None
        added = self._appended(FIELDS, form, "the form")
        field = FIELD.fullmatch(self._new(added))
        if field is None or not self._is_named(field, form):
            raise AlterationError("a field was added that is not a signature")
        if self._appended(ANNOTATIONS, int(field[3]), "a page") != added:
            raise AlterationError("a page was changed")
        number = int(field[5])
        value = VALUE.fullmatch(self._new(number))
        if value is None or bool(value[5]) != bool(field[1]):
            raise AlterationError("a signature was added in another form")
        opens = self.revision.places[number] + value.start(1) - 1
        closes, end = opens + len(value[1]) + 2, self.revision.end
        if (int(value[2]), int(value[3]), int(value[4])) != (opens, closes, end - closes):
            raise AlterationError("a signature was added that does not cover its revision")
        return value[1]

    def check_store(self, keys: Container[bytes]) -> Store | None:
        """A DSS that keeps what it held, and gained something for the signatures (``keys``); None for none."""
        match = DSS_OF.search(self.catalog)
        number = int(match[1]) if match else 0
        if number not in self.left:
            return None
        earlier = DSS_OF.search(self.before[self.root])
        earlier_store = _store(self.before[number], self.before) if earlier else Store()
        text = self.left.pop(number) if earlier else self._new(number)
        now = _store(text, ChainMap(dict(self.revision.objects), self.before))  # type: ignore[arg-type]  # read only
        for new_number in now.numbers - earlier_store.numbers:
            self._new(new_number)
        self._check_vri(now, earlier_store, keys)
        if not earlier_store.numbers <= now.numbers or (earlier_store.numbers, earlier_store.vri) == (
            now.numbers,
            now.vri,
        ):
            raise AlterationError("the revocation data were removed, or nothing was added")
        return now

    def check_dates(self) -> None:
        """Version 0.1 wrote the time of the change into information and metadata; nothing else of them may change."""
        info = _number(self.revision.trailer.get(b"/Info", b"0 0 R"))
        match = METADATA_OF.search(self.catalog)
        metadata = int(match[1]) if match else 0
        if metadata not in self.left:
            changing = b"<%s> ]" % next_id(self.pdf[: self.revision.start]).hex().encode()
            if not self.revision.trailer[b"/ID"].endswith(changing):
                raise AlterationError("the file's id does not follow from the earlier one")
            return
        if info in self.left and CHANGED.sub(b"", self.left.pop(info)) != CHANGED.sub(b"", self.before[info]):
            raise AlterationError("the information dictionary was changed")
        texts = (self.left.pop(metadata), self.before[metadata])
        if not all(XMP.match(text) for text in texts):
            raise AlterationError("the metadata were changed")
        now, before = (MODIFIED.sub(b"", inflated(stream_of(text) or b"")) for text in texts)
        if now != before:
            raise AlterationError("the metadata were changed")

    def _is_named(self, field: re.Match[bytes], form: int) -> bool:
        """A signature has the number of its field, a time a name and a title of its own: readers go by the name."""
        earlier = FIELDS.search(self.before[form])
        fields = _numbers(earlier[1]) if earlier else []
        if field[1]:
            return int(field[1]) == len(fields) + 1 and not field[4]
        names = [NAME.search(self.before[number]) for number in fields]
        return bool(field[4]) and field[2] not in [name[1] for name in names if name]

    def _check_vri(self, now: Store, earlier_store: Store, keys: Container[bytes]) -> None:
        for key, number in now.vri.items():
            if earlier_store.vri.get(key) == number:
                continue
            match = VRI.fullmatch(self._new(number))
            kinds = (now.ocsps, now.crls, now.certificates)
            if key not in keys or match is None:
                raise AlterationError("revocation data were added for a signature that is not there")
            if any(not set(_numbers(match[n])) <= set(kind) for n, kind in enumerate(kinds, 1)):
                raise AlterationError("revocation data were added that the DSS does not list")
        if not set(earlier_store.vri) <= set(now.vri):
            raise AlterationError("the revocation data were removed, or nothing was added")

    def _new(self, number: int) -> bytes:
        """The text of an object that this revision added."""
        if number not in self.left or number < self.size:
            raise AlterationError(f"object {number} is not one that was added")
        return self.left.pop(number)

    def _appended(self, pattern: re.Pattern[bytes], number: int, name: str) -> int:
        """The one reference that a list in an object gained at its end; all else of the object is as it was."""
        before, now = self.before[number], self.left.pop(number, b"")
        old, new = pattern.search(before), pattern.search(now)
        if (
            old
            and new
            and now[: new.start()] + now[new.end() :] == before[: old.start()] + before[old.end() :]
        ):
            *references, added = _numbers(new[1])
            if references == _numbers(old[1]) and added not in references:
                return added
        raise AlterationError(f"{name} was changed")


def next_id(before: bytes) -> bytes:
    """The changing half of a file's id (ISO 32000-2, 14.4): it follows from all that stood before."""
    return sha256(before).digest()[:16]


def _store(text: bytes, texts: Mapping[int, bytes]) -> Store:
    blocks = VRI_BLOCK.findall(text)
    match = DSS.fullmatch(VRI_BLOCK.sub(b"", text))
    lists = EVIDENCE.findall(match[2]) if match else []
    if match is None or len(dict(lists)) != len(lists) or len(blocks) > 1:
        raise AlterationError("the DSS is not in the form that frtaudit writes")
    kinds = {b"Certs": match[1], **dict(lists)}
    contents = {
        kind: {number: _data(texts[number]) for number in _numbers(raw)} for kind, raw in kinds.items()
    }
    everything = [content for kind in contents.values() for content in kind.values()]
    pairs = [line.split(b" ")[:2] for block in blocks for line in block.splitlines()]
    if len(set(everything)) != sum(len(_numbers(raw)) for raw in kinds.values()) or len(pairs) != len(
        dict(pairs)
    ):
        raise AlterationError("the DSS contains something twice")
    return Store(
        certificates=contents[b"Certs"],
        ocsps=contents.get(b"OCSPs", {}),
        crls=contents.get(b"CRLs", {}),
        vri={key[1:]: int(number) for key, number in pairs},
    )


def _data(text: bytes) -> bytes:
    data = stream_of(text)
    if DATA.match(text) is None or data is None:
        raise AlterationError("the DSS is not in the form that frtaudit writes")
    return data


def _key(contents: bytes) -> bytes:
    """How a VRI names a signature (ISO 32000-2, 12.8.4.4)."""
    return sha1(contents, usedforsecurity=False).hexdigest().upper().encode()


def _number(reference: bytes) -> int:
    return int(reference.split(b" ")[0])


def _numbers(references: bytes | None) -> list[int]:
    return [int(word) for word in (references or b"").replace(b" 0 R", b"").split()]
