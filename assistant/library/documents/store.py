"""The user's own documents as kept in the data folder: a list of what was added, and a file of passages for each."""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from assistant.library import paths
from assistant.library.files import content_of, replacing
from assistant.vocabulary.errors import InputError, Place, did_you_mean
from assistant.vocabulary.own_documents import Cut, OwnDocument, State

from . import finding, reading
from .blocks import NotADocument, Unreadable, harmless

FORMAT = 1
MOST_PASSAGES = 10_000  # of all documents: their vectors are some 100 MB and every question is compared with each


@dataclass
class Added:
    """What one call added, read again, found as it was, left out with a note, and could not read."""

    new: list[OwnDocument] = field(default_factory=list)
    refreshed: list[OwnDocument] = field(default_factory=list)
    same: list[OwnDocument] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class DocumentStore:
    """Documents in ``folder``, by default ``documents`` in the user's data folder."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or paths.data_dir() / "documents"
        self._manifest = self.folder / "manifest.json"

    def documents(self) -> list[OwnDocument]:
        """Every document in order of name. Raises :class:`InputError` when the list is damaged."""
        try:
            os.lstat(self._manifest)  # a link that leads nowhere is none that is missing
            listed = json.loads(content_of(self._manifest))
            if listed["format"] != FORMAT:
                problem = f"expected format {FORMAT}, got {listed['format']}: it was written by another version of weft"
                raise InputError(problem, Place(str(self._manifest)))
            return [OwnDocument(**entry) for entry in listed["documents"]]
        except FileNotFoundError:
            return []
        except InputError:
            raise
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}", Place(str(self._manifest))) from None
        except (ValueError, TypeError, KeyError):
            problem = "the list of your documents is damaged; delete it and add your documents again"
            raise InputError(problem, Place(str(self._manifest))) from None

    def cuts(self, document: OwnDocument) -> list[Cut] | None:
        """The passages of a document, None when their file is missing or damaged."""
        try:
            entries = json.loads(content_of(self._passages(document.path, document.digest)))
            return [Cut(**{**entry, "headings": tuple(entry["headings"])}) for entry in entries]
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def state(self, document: OwnDocument, *, thorough: bool = False) -> State:
        """Whether the file is as it was read. ``thorough``: its content is compared also when size and time are the
        same."""
        path = Path(document.path)
        if not self._passages(document.path, document.digest).is_file():
            return "damaged"
        try:
            found = path.stat()
            if not stat.S_ISREG(found.st_mode):
                return "missing"
            if not thorough and (found.st_size, found.st_mtime_ns) == (document.size, document.modified_ns):
                return "current"
            if found.st_size != document.size:
                return "changed"
            return "current" if _digest(path.read_bytes()) == document.digest else "changed"
        except OSError:
            return "missing"

    def add(self, given: Iterable[Path], done: Callable[[str], None] = lambda name: None) -> Added:
        """Read files and folders; what did not change is not read again, what cannot be read is said and left out."""
        added, known = Added(), {document.path: document for document in self.documents()}
        for path in given:
            try:
                for found in finding.files(path, added.notes):
                    done(found.name)
                    self._add(found, known, added)
            except InputError as error:
                added.problems.append(str(error))
            added.notes += self._vanished(path, known)
        self._save([*added.new, *added.refreshed])
        return added

    def remove(self, given: str) -> list[OwnDocument]:
        """Forget a document by name or path, or those of a folder. Raises :class:`InputError` when there is none."""
        documents = self.documents()
        gone = [document for document in documents if given and _meant(document, given)]
        if not gone:
            names = (document.name for document in documents)
            hint = did_you_mean(given, names, "weft knowledge list names them", most=3, like=0.4)
            raise InputError(f'expected the name or path of one of your documents, got "{given}"{hint}')
        for document in gone:  # before they leave the list: where this is stopped, they can be named again
            self._passages(document.path, document.digest).unlink(missing_ok=True)
        self._write_list([document for document in documents if document not in gone])
        return gone

    def _add(self, found: finding.Found, known: dict[str, OwnDocument], added: Added) -> None:
        before = known.get(str(found.path))
        try:
            data, state = finding.content(found)
            digest = _digest(data)
            same = before if before is not None and before.digest == digest and self.cuts(before) is not None else None
            document = same or self._read(found, data, digest, known, added)
        except (Unreadable, NotADocument) as error:
            bad = found.named or isinstance(error, Unreadable)  # one that was asked for by name is not passed over
            kept = "; what was read before is kept" if before else ""
            told = f"{harmless(str(found.path))}: {'' if bad else 'left out, '}{error}{kept}"
            (added.problems if bad else added.notes).append(told)
            return
        document = replace(document, size=state.st_size, modified_ns=state.st_mtime_ns)
        (added.same if same else added.refreshed if before else added.new).append(document)
        if same and document != before:
            self._save([document])  # touched, not changed
        known[document.path] = document

    def _read(
        self, found: finding.Found, data: bytes, digest: str, known: dict[str, OwnDocument], added: Added
    ) -> OwnDocument:
        read = reading.read(found.path, data)
        path, before = str(found.path), known.get(str(found.path))
        held = sum(document.passages for document in known.values() if document is not before)
        if held + len(read.cuts) > MOST_PASSAGES:
            made = f"would make {held + len(read.cuts):,} passages of your documents"
            raise Unreadable(f"{made}; at most {MOST_PASSAGES:,} are searched")
        added.problems += [f"{harmless(path)}: {problem}" for problem in read.problems]
        name = before.name if before else _free(found.name, {document.name for document in known.values()})
        _write(self._passages(path, digest), [asdict(cut) for cut in read.cuts])
        return OwnDocument(name, read.title, path, 0, 0, digest, datetime.date.today().isoformat(), len(read.cuts))

    def _vanished(self, given: Path, known: dict[str, OwnDocument]) -> list[str]:
        """Documents of a folder that are no longer there: kept, because the user may still want to cite them."""
        folder = Path(os.path.realpath(given.expanduser()))
        return [
            f"{harmless(path)}: is gone; `weft knowledge remove {document.name}` forgets it"
            for path, document in known.items()
            if folder in Path(path).parents and not os.path.lexists(path)
        ]

    def _save(self, changed: list[OwnDocument]) -> None:
        """Lay entries over the list as it is now, which another process may have changed meanwhile."""
        if not changed:
            return
        listed = {document.path: document for document in self.documents()}
        for document in changed:
            before = listed.get(document.path)
            if before and before.digest != document.digest:
                self._passages(before.path, before.digest).unlink(missing_ok=True)
            listed[document.path] = document
        self._write_list(listed.values())

    def _write_list(self, documents: Iterable[OwnDocument]) -> None:
        entries = [asdict(document) for document in sorted(documents, key=lambda document: document.name)]
        _write(self._manifest, {"format": FORMAT, "documents": entries})

    def _passages(self, path: str, digest: str) -> Path:
        return self.folder / "passages" / f"{_digest(path.encode(errors='surrogateescape'))}-{digest}.json"


def _meant(document: OwnDocument, given: str) -> bool:
    path = os.path.realpath(os.path.expanduser(given))
    named = document.name == given or given.rstrip("/") in map(str, list(PurePosixPath(document.name).parents)[:-1])
    return named or document.path == path or Path(path) in Path(document.path).parents


def _free(name: str, taken: set[str]) -> str:
    """The name, or with a number when another document has it."""
    stem, dot, suffix = name.rpartition(".")
    numbered = (f"{stem}-{number}.{suffix}" if dot else f"{name}-{number}" for number in range(2, len(taken) + 3))
    return name if name not in taken else next(free for free in numbered if free not in taken)


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _write(path: Path, value: Any) -> None:
    """Write a list, readable by the user alone. Raises :class:`InputError`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with replacing(path) as file:
            file.write(json.dumps(value, indent=1).encode())  # ASCII: a path may hold bytes that are no UTF-8
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", Place(str(path))) from None
