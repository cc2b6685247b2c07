"""Section 6, attachments: pointers to files, and the one grammar of URLs."""
import ipaddress
import re
import urllib.parse

from .encoding import from_base64url, require

COUNT_MAX, SIZE_MAX, NAME_MAX, TYPE_MAX, URL_MAX = 4, 2**40, 64, 64, 200
CHUNK_SIZE, CHUNK_TAG_SIZE, SALT_AND_COMMITMENT_SIZE = 16_384, 16, 56
_LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_NAME = rf"({_LABEL}\.)+(?=[a-z]){_LABEL}"
_HOST = rf"localhost|{_NAME}|[0-9.]{{7,15}}|\[[0-9a-f:]{{2,39}}\]"
_CHARACTER = "[A-Za-z0-9._~!$&()*+,;=:@-]|%[0-9A-Fa-f]{2}"
URL = re.compile(rf"https://(?P<host>{_HOST})(:(?P<port>[1-9][0-9]{{0,4}}))?"
                 rf"(?P<path>(/({_CHARACTER})*)+)(\?(?P<query>({_CHARACTER}|[/?])*))?")


def parse_url(text):
    """(host, port, path) of a URL that every reader reads alike; anything else is malformed."""
    found = URL.fullmatch(text)
    require(found and len(text) <= URL_MAX)
    host, port = found["host"], int(found["port"] or 443)
    require(port <= 65_535)
    _require_host(host)
    require("%00" not in text)
    require(not re.search("%2[Ff]|%5[Cc]", found["path"]))
    require(not {".", ".."} & set(urllib.parse.unquote(found["path"], "latin-1").split("/")))
    return host, port, found["path"]


def _require_host(host):
    if host.startswith("["):
        try:
            ipaddress.IPv6Address(host[1:-1])
        except ValueError:
            require(False)
    elif re.fullmatch("[0-9.]*", host):
        numbers = host.split(".")
        require(len(numbers) == 4 and all(re.fullmatch("0|[1-9][0-9]{0,2}", number) for number in numbers))
        require(all(int(number) <= 255 for number in numbers))


def padded(size):
    """Padmé: only the magnitude and a few bits of the length are left."""
    if size < 2:
        return size
    exponent = size.bit_length() - 1
    step = 2 ** (exponent - exponent.bit_length())  # bit_length is floor(log2) + 1
    return -(-size // step) * step


def stored(size):
    length = padded(size)
    return SALT_AND_COMMITMENT_SIZE + length + CHUNK_TAG_SIZE * (length // CHUNK_SIZE + 1)


def _text(pointer, name):
    text = pointer.get(name, "")
    require(isinstance(text, str))
    return text


def _number(pointer, name):
    require(type(pointer.get(name)) is int)
    return pointer[name]


def _pointer(value):
    """The members that count."""
    require(isinstance(value, dict))
    from_base64url(_text(value, "id"), 16)
    parse_url(_text(value, "url"))
    from_base64url(_text(value, "key"), 32)
    require(0 <= _number(value, "size") <= SIZE_MAX and _number(value, "stored") == stored(value["size"]))
    media_type, restricted = _text(value, "type"), "[a-z0-9][a-z0-9!#$&^_.+-]*"
    require(re.fullmatch(f"{restricted}/{restricted}", media_type) and len(media_type) <= TYPE_MAX)
    require(len(_text(value, "name").encode()) <= NAME_MAX)
    require(isinstance(value.get("thumbnail", False), bool))
    names = ("id", "url", "key", "size", "stored", "type", "name", "thumbnail")
    return {name: value[name] for name in names if value.get(name, "") not in ("", False) or name in ("size", "stored")}


def parse_all(value):
    """Pointers of `attachments`, in order."""
    require(isinstance(value, list) and len(value) <= COUNT_MAX)
    pointers = [_pointer(element) for element in value]
    for name in "id", "key":
        require(len({pointer[name] for pointer in pointers}) == len(pointers))
    thumbnails = ["thumbnail" in pointer for pointer in pointers]
    require(not any(one and other for one, other in zip(thumbnails, [*thumbnails[1:], True])))
    return pointers
