"""Secrets that are looked for, in every spelling that a program could give them."""

import base64


def spellings(data):
    """Raw, hexadecimal, base64 and base64url, wherever in a longer text the bytes may begin."""
    found = {data, data.hex().encode(), data.hex().upper().encode()}
    for shift in range(3):
        # Characters that stand for these bytes alone, whatever is before and behind.
        text = base64.b64encode(bytes(shift) + data)
        inner = text[(0, 2, 3)[shift] : len(text) - 4]
        found |= {inner, inner.translate(bytes.maketrans(b"+/", b"-_"))}
    return found


class Marker:
    """One secret. `rests` says why it may stand in the database; without it, it may not."""

    PIECE = 9  # bytes: even a truncated secret is found, and chance does not find one

    def __init__(self, name, data, rests=None):
        self.name, self.rests = name, rests
        starts = {0, (len(data) - self.PIECE) // 2, len(data) - self.PIECE}
        self.spellings = set()
        for start in starts:
            self.spellings |= spellings(data[start : start + self.PIECE])

    def is_in(self, content):
        return any(spelling in content for spelling in self.spellings)


def check_search():
    """The search finds what it should: each spelling, at each place."""
    secret = bytes(range(100, 132))
    marker = Marker("planted", secret)
    for shift in range(3):
        around = bytes(shift) + secret + b"behind"
        planted = [
            around,
            around.hex().encode(),
            around.hex().upper().encode(),
            base64.b64encode(around),
            base64.urlsafe_b64encode(around),
        ]
        for text in planted:
            if not marker.is_in(b"before" + text):
                raise SystemExit(f"the search does not find {text!r}")
    if marker.is_in(bytes(range(0, 100)) * 3):
        raise SystemExit("the search finds what is not there")
