"""Strict JSON: docs/protocol.md, section 6. Python's parser does the work; what it allows too much is refused here."""

import json
import re

from .errors import SealedPushError

DEPTH_MAX = 8
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


class JSONRefused(SealedPushError):
    """Bytes that are not the protocol's JSON."""


def _refuse(*_):
    raise JSONRefused("not strict JSON")


def _integer(text):
    # The length first: a long number takes quadratic time.
    if len(text) > 20 or text == "-0" or not -(1 << 63) <= int(text) < 1 << 63:
        _refuse()
    return int(text)


def _object(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        _refuse()
    return members


def _strings_are_sound(value):
    if isinstance(value, str):
        return "\0" not in value and not any("\ud800" <= character <= "\udfff" for character in value)
    if isinstance(value, dict):
        return all(_strings_are_sound(name) and _strings_are_sound(member) for name, member in value.items())
    return not isinstance(value, list) or all(map(_strings_are_sound, value))


def _depth(text):
    depth = deepest = 0
    for character in _STRING.sub("", text):
        depth += (character in "[{") - (character in "]}")
        deepest = max(deepest, depth)
    return deepest


def parse(data, byte_count_max):
    """The value of one JSON document.

    Raises JSONRefused, and nothing else, for whatever bytes.
    """
    if len(data) > byte_count_max or data.startswith(b"\xef\xbb\xbf"):
        _refuse()
    try:
        text = bytes(data).decode("utf-8")
        # The depth first: Python's parser calls itself for each level.
        if _depth(text) <= DEPTH_MAX:
            value = _DECODER.decode(text.strip(" \t\r\n"))
            if _strings_are_sound(value):
                return value
    except ValueError:
        pass
    _refuse()


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_refuse, parse_int=_integer, parse_constant=_refuse, strict=True
)
