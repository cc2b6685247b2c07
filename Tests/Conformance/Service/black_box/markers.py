"""Secrets to search for, in every spelling that a program could give them, whole and in part."""

import base64

WINDOW = 14  # characters of any spelling: 7 bytes or more, which chance does not bring


def spellings(data):
    """Raw, hexadecimal, base64 and base64url, at every offset in a longer text."""
    found = [data, data.hex().encode(), data.hex().upper().encode()]
    for shift in range(3):
        # Characters that stand for these bytes alone, whatever surrounds them.
        text = base64.b64encode(bytes(shift) + data)
        inner = text[(0, 2, 3)[shift] : len(text) - 4]
        found += [inner, inner.translate(bytes.maketrans(b"+/", b"-_"))]
    return found


class Marker:
    """One secret. `rests` says why it may stand in the database; without it, it may not."""

    def __init__(self, name, data, rests=None):
        if len(data) < WINDOW:
            raise ValueError(f"{name} is too short to be looked for")
        self.name, self.data, self.rests = name, data, rests


class Search:
    """All markers at once: any part of any spelling, a window long."""

    def __init__(self, markers):
        self.markers = {}
        for marker in markers:
            for text in spellings(marker.data):
                for start in range(len(text) - WINDOW + 1):
                    self.markers[text[start : start + WINDOW]] = marker

    def find(self, content):
        """Markers of which a part is in the content."""
        windows = {content[start : start + WINDOW] for start in range(len(content) - WINDOW + 1)}
        return {self.markers[window] for window in windows if window in self.markers}


def check_search():
    """Checks that the search finds each spelling, at each offset, and a part."""
    secret = bytes(range(100, 132))
    search = Search([Marker("planted", secret)])
    for shift in range(3):
        around = bytes(shift) + secret[9:] + b"behind"
        planted = [
            around,
            around.hex().encode(),
            around.hex().upper().encode(),
            base64.b64encode(around),
            base64.urlsafe_b64encode(around),
        ]
        for text in planted:
            if not search.find(b"before" + text):
                raise SystemExit(f"the search does not find {text!r}")
    if search.find(bytes(range(0, 100)) * 3):
        raise SystemExit("the search finds what is not there")
