"""One file of test vectors: a head of `name: value` lines, an empty line, the input. See Tests/Conformance/Vectors."""
import json

from sealedpush_py.encoding import from_base64url
from setting import understand

OF_ALL_KINDS = {"title", "kind", "rule", "case", "expect"}


class VectorFile:
    """Values by name. An unknown name is an error, so that nothing goes unread."""

    def __init__(self, raw):
        head, empty_line, self.input = raw.partition(b"\n\n")
        understand(empty_line, "no empty line behind the head")
        self.values = {}
        for line in head.decode("utf-8").split("\n"):
            name, colon, value = line.partition(":")
            understand(colon and name, "a line of the head without a name")
            understand(value == "" or value.startswith(" "), "no space behind a colon")
            self.values.setdefault(name, []).append(value[1:])
        understand(len(self.all("title")) == 1 and len(self.all("kind")) == 1, "title and kind come once")

    def require_names(self, *names):
        unknown = self.values.keys() - OF_ALL_KINDS - set(names)
        understand(not unknown, f"names {sorted(unknown)} in kind {self.one('kind')}")

    def all(self, name):
        return self.values.get(name, [])

    def one(self, name):
        understand(len(self.all(name)) == 1, f"{len(self.all(name))} of {name}, not one")
        return self.values[name][0]

    def optional(self, name, default):
        return self.one(name) if name in self.values else default

    def number(self, name):
        return int(self.one(name))

    def bytes(self, name, byte_count=None):
        return from_base64url(self.one(name), byte_count)

    def inputs(self):
        """Lines of the input, one for each `expect`."""
        lines = self.input.split(b"\n")
        expected = len(self.all("expect"))
        understand(len(lines) == expected, f"{len(lines)} inputs, {expected} expectations")
        return lines

    def per_input(self, name, default=None):
        """As many values as inputs; or, with a default, none at all."""
        values, count = self.all(name), len(self.all("expect"))
        if not values and default is not None:
            return [default] * count
        understand(len(values) == count, f"{len(values)} of {name} for {count} inputs")
        return values

    def shows(self):
        """One for each input, `-` for none; or only for those that open."""
        shown, values = [kind in ("opened", "unauthenticated") for kind in self.all("expect")], self.all("shows")
        if len(values) == sum(shown):
            rest = iter(values)
            values = [next(rest) if is_shown else "-" for is_shown in shown]
        understand(len(values) == len(shown), f"{len(values)} of shows for {len(shown)} inputs")
        return [None if text == "-" else json.loads(text) for text in values]

    def require_no_input(self):
        understand(self.input == b"" and len(self.all("expect")) == 1, "an input in a kind that has none")
