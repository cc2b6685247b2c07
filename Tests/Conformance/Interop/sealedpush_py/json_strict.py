"""Section 6, first paragraph: RFC 8259 and nothing that two readers could understand differently."""
import json

from .encoding import Refused, require

DEPTH_MAX = 8  # of containers


def parse(raw, integers_only=True, depth_max=DEPTH_MAX):
    """Any JSON value. `integers_only` is off where others define numbers: the push itself, and Web Push.

    Python's json is strict about escapes, control characters, white space and trailing bytes, and refuses a byte order
    mark. The hooks and the walk refuse what it lets through: repeated names, fractions, NaN, -0, big integers, lone
    surrogates and U+0000.
    """
    try:
        value = json.loads(raw.decode("utf-8", "strict"), object_pairs_hook=_unique, parse_constant=_refuse,
                           parse_int=_integer if integers_only else float,
                           parse_float=_refuse if integers_only else float)
    except (ValueError, RecursionError):  # ValueError: of UTF-8 and of JSON alike
        raise Refused("malformed") from None
    _walk(value, depth_max)
    return value


def parse_object(raw, **options):
    value = parse(raw, **options)
    require(isinstance(value, dict))
    return value


def compact(value):
    """The shortest text that this package writes, UTF-8."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _unique(members):
    # Names are compared as code points, after escapes: "e" and U+0301 is another name than U+00E9.
    unique = dict(members)
    require(len(unique) == len(members))
    return unique


def _integer(digits):
    require(digits != "-0" and len(digits) <= 20)
    value = int(digits)
    require(-(2**63) <= value < 2**63)
    return value


def _refuse(_):
    raise Refused("malformed")


def _is_scalar_values(text):
    """No lone surrogate: UTF-8 cannot hold one. (A pair of escapes has become one character by now.)"""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _walk(value, depth_left):
    if isinstance(value, str):
        require("\0" not in value and _is_scalar_values(value))
    elif isinstance(value, (dict, list)):
        require(depth_left > 0)
        if isinstance(value, dict):
            for name in value:
                _walk(name, depth_left)
            value = value.values()
        for member in value:
            _walk(member, depth_left - 1)
