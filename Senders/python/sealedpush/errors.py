"""Errors of the package. None holds a key, a text of a message or a device token."""


class SealedPushError(Exception):
    """Base of every error that this package raises on purpose."""


class KeyFileError(SealedPushError):
    """A key file or key text that was refused. `reason` is one word of the table below.

    not-found, exists, not-a-file, empty, too-large, readable-by-others, example-key, public-key, private-key,
    malformed, wrong-prefix, not-a-key, zeros, system
    """

    def __init__(self, reason, path=""):
        super().__init__(f"{path}: {reason}" if path else reason)
        self.reason, self.path = reason, path


class TopicError(SealedPushError):
    """A text that is no bundle id of an app."""


class BundleRefused(SealedPushError):
    """A key bundle that was refused. `reason` is the word of docs/protocol.md, section 3.

    Besides: no-prekey, for a bundle without the wanted protection class.
    """

    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason


class PinError(SealedPushError):
    """Pins that could not be read or written; nothing may be sealed. `reason`: damaged, writable-by-others, system."""

    def __init__(self, reason, path):
        super().__init__(f"{path}: {reason}")
        self.reason, self.path = reason, path


class MessageError(SealedPushError):
    """A message that every device would refuse. `member` names the field at fault."""

    def __init__(self, member, text):
        super().__init__(f"{member}: {text}")
        self.member = member


class MessageTooLong(MessageError):
    """A message that does not fit its push class, by `excess` bytes of JSON."""

    def __init__(self, excess):
        super().__init__("body", f"too long by {excess} bytes")
        self.excess = excess


class SealingError(SealedPushError):
    """A message that was not sealed.

    `reason`: lifetime, call-lifetime, time, expired, prekey-expired, low-order-prekey.
    """

    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason


class AnnouncementError(SealedPushError):
    """An announcement that every device would refuse. `reason`: same-key, time."""

    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason


class AttachmentError(SealedPushError):
    """A file that was not sealed or uploaded. `reason`: file, not-a-file, exists, too-long, source-changed."""

    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason


class HTTPError(SealedPushError):
    """A request that failed. `attempts` counts the tries."""

    attempts = 0


class ConnectionFailed(HTTPError):
    """No answer came. `reason`: not-reached, connection-lost, not-trusted, malformed-answer."""

    def __init__(self, reason, attempts=1):
        super().__init__(f"{reason}, after {attempts} attempts")
        self.reason, self.attempts = reason, attempts


class Problem(HTTPError):
    """A refusal of the server: `status`, and what its problem (RFC 9457) says.

    `type` is `about:blank` for an answer without a problem. `errors` is a tuple of (JSON pointer, detail).
    `retry_after` is in seconds, or None.
    """

    def __init__(self, status, type="about:blank", title="", detail="", errors=(), retry_after=None, attempts=1):
        fields = "".join(f" ({pointer}: {text})" for pointer, text in errors)
        super().__init__(f"{status} {type}: {title}: {detail}{fields}")
        self.status, self.type, self.title, self.detail, self.errors = status, type, title, detail, tuple(errors)
        self.retry_after, self.attempts = retry_after, attempts
