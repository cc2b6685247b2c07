"""The command line's files: public keys, private keys, bundles and messages, one line each."""
import pathlib

from sealedpush_py.encoding import from_base64url
from sealedpush_py.json_strict import parse_object


def public_key(argument, kind):
    """32 bytes, of a text such as sealedpush-identity-1:… or of a file that holds one."""
    prefix = f"sealedpush-{kind}-1:"
    text = argument if argument.startswith(prefix) else pathlib.Path(argument).read_text().removesuffix("\n")
    if not text.startswith(prefix):
        raise ValueError(f"not a {kind} key")
    return from_base64url(text.removeprefix(prefix), 32)


def private_keys(path, name):
    """The 32-byte keys of all lines of a key file that start with the name."""
    lines = pathlib.Path(path).read_text().splitlines()
    keys = [from_base64url(line.removeprefix(name + " "), 32) for line in lines if line.startswith(name + " ")]
    if not keys:
        raise ValueError(f"no '{name}' in the key file")
    return keys


def bundle(path):
    return from_base64url(pathlib.Path(path).read_text().removesuffix("\n"))


def message(path):
    return parse_object(pathlib.Path(path).read_bytes())


