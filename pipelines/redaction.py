"""Read what to redact: a YAML file says what, the environment or a key file gives the key."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import fsspec
import yaml

from pipelines.options import UsageError
from transforms.redaction import Redaction

KEY_VARIABLE = "NEARMISS_REDACT_KEY"
_KNOWN = ("fields", "patterns", "phone_region", "key_file")
NO_KEY = (
    f"no key: set {KEY_VARIABLE} or name a key_file (openssl rand -hex 32 makes one). Without a key a hash of an e-mail address or "
    "a telephone number is no pseudonym: whoever has the report hashes a list of addresses until one fits"
)


def read_redaction(path: str, slices: Sequence[tuple[str, ...]] = ()) -> Redaction:
    """Read a redaction file; raises UsageError with every fault of it.

    `fields` is a list of names; `patterns` a list of names, and of NAME: REGEX for one's own; `phone_region` a country; `key_file`
    a path beside the file. `slices` are what the run measures by: a slice by a redacted field would tell it.
    """
    try:
        with fsspec.open(path, "r", encoding="utf-8") as stream:
            text = stream.read()
        content, twins = yaml.safe_load(text), list(_twins(yaml.compose(text, Loader=yaml.SafeLoader)))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UsageError(f"cannot read {path} as YAML: {error}") from error
    if not isinstance(content, dict):
        raise UsageError(f"{path} holds no mapping; write fields: [...] and patterns: [...]")
    faults = [*twins, *_shape_faults(content), *_slice_faults(_names(content.get("fields")), slices)]
    own = _own(content.get("patterns"), faults)
    key = _key(content.get("key_file"), Path(path).parent, faults)
    try:
        found = Redaction(key, _names(content.get("fields")), _names(content.get("patterns")), own, content.get("phone_region"))
    except ValueError as error:
        faults.append(str(error))
    if faults:
        raise UsageError(f"{path}: {'; '.join(faults)}")
    return found


def _twins(root: yaml.Node | None) -> Iterator[str]:
    """What the file, or an entry of its lists, names twice: of the two YAML keeps the last, and says nothing."""
    nodes = [root]
    if isinstance(root, yaml.MappingNode):
        nodes += [one for _, value in root.value if isinstance(value, yaml.SequenceNode) for one in value.value]
    for node in nodes:
        names = [str(key.value) for key, _ in node.value] if isinstance(node, yaml.MappingNode) else []
        yield from (
            f"{name!r} stands there twice; write it once" for name in sorted({one for one in names if names.count(one) > 1})
        )


def _own(patterns: Any, faults: list[str]) -> dict[str, Any]:
    """One's own patterns by name; a fault where a second one has the name of a first."""
    own: dict[str, Any] = {}
    for one in patterns if isinstance(patterns, list) else []:
        for name, regex in one.items() if isinstance(one, dict) else ():
            if name in own:
                faults.append(f"two patterns are named {name!r}; give each its own name, or join them: {own[name]}|{regex}")
            own[name] = regex
    return own


def _names(given: Any) -> tuple[str, ...]:
    return tuple(one for one in given if isinstance(one, str)) if isinstance(given, list) else ()


def _shape_faults(content: dict[str, Any]) -> Iterator[str]:
    for name in content:
        if name not in _KNOWN:
            yield f"unknown entry {name!r}; choose from {', '.join(_KNOWN)}"
    for name, kinds in (("fields", str), ("patterns", str | dict)):
        given = content.get(name) or []
        if not isinstance(given, list) or not all(isinstance(one, kinds) for one in given):
            yield f"{name} must be a list of names: {given!r}"


def _slice_faults(fields: Sequence[str], slices: Sequence[tuple[str, ...]]) -> Iterator[str]:
    for name in sorted({name for names in slices for name in names}):
        field = name if name == "build" else f"attributes.{name}"
        if field in fields or (field != name and "attributes" in fields):
            yield f"{field} is redacted, and a slice by {name} would tell it; leave one of them out"


def _key(key_file: Any, folder: Path, faults: list[str]) -> bytes:
    """The key, from the environment first; nothing, and a fault, where there is none."""
    given = os.environ.get(KEY_VARIABLE, "").strip()
    if given:
        return given.encode()
    if not key_file:
        faults.append(NO_KEY)
        return b""
    try:
        key = (folder / str(key_file)).read_bytes().strip()
    except OSError as error:
        faults.append(f"cannot read the key file: {error}")
        return b""
    if not key:
        faults.append(f"the key file is empty: {folder / str(key_file)}")
    return key
