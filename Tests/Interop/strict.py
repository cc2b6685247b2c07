"""Strict base64url, JSON and key files: what Python's own decoders would let through is refused here."""
import base64
import json
import pathlib
import sys


def check(condition, sentence):
    if not condition:
        sys.exit(sentence)  # the sentence on standard error, exit code 1


def base64url(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def from_base64url(text, byte_count):
    raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    # The way back shows it all: only this alphabet, no padding, no spare bits.
    check(len(raw) == byte_count and base64url(raw) == text, f"malformed: not {byte_count} bytes in base64url")
    return raw


def json_object(raw, **options):
    def unique(members):
        check(len(dict(members)) == len(members), "malformed: a name twice in a JSON object")
        return dict(members)

    value = json.loads(raw.decode(), object_pairs_hook=unique, **options)
    check(isinstance(value, dict), "malformed: JSON that is not an object")
    json.dumps(value, ensure_ascii=False).encode()  # raises for half a surrogate pair, which UTF-8 cannot hold
    return value


def body_object(raw):
    def refuse(_):
        sys.exit("malformed: a number in JSON that is not an integer")

    value = json_object(raw, parse_float=refuse, parse_constant=refuse)
    check(depth(value) <= 8, "malformed: JSON that is too deep")
    return value


def depth(value):
    if not isinstance(value, (dict, list)):
        return 0
    return 1 + max(map(depth, value.values() if isinstance(value, dict) else value), default=0)


def public_key(argument, kind):
    """A text such as sealedpush-identity-1:…, or a file that holds one."""
    prefix = f"sealedpush-{kind}-1:"
    text = argument if argument.startswith(prefix) else pathlib.Path(argument).read_text().removesuffix("\n")
    check(text.startswith(prefix), f"not a {kind} key")
    return from_base64url(text.removeprefix(prefix), 32)


def topic(argument):
    """The app's bundle id as it is bound: its UTF-8, no suffix."""
    check(1 <= len(argument.encode()) <= 155, "a topic has 1 to 155 bytes")
    return argument.encode()


def private_keys(path, name):
    """The 32-byte keys of all lines of a key file that start with the name."""
    lines = pathlib.Path(path).read_text().splitlines()
    keys = [from_base64url(line.removeprefix(name + " "), 32) for line in lines if line.startswith(name + " ")]
    check(keys, f"no '{name}' in the key file")
    return keys
