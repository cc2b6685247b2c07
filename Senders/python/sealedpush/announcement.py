"""Announcements of a sender's new key: docs/protocol.md, section 22."""

from dataclasses import dataclass

from .encoding import TIME_END, base64url, context, lp, topic_bytes, u64
from .encoding import now as clock
from .errors import AnnouncementError

_VERSION, _SUCCESSOR, _REVOCATION = 1, 1, 2


@dataclass(frozen=True)
class Announcement:
    """A sender's signed statement that another key takes its place, or that its key is over.

    It is public. The app hands all of a sender's announcements to its device at each launch, older ones first
    (`AppDevice.accept`). Each app needs its own.
    """

    data: bytes

    @classmethod
    def succession(cls, sender, successor, topic, announced_at=None):
        """Announces that another SenderKey takes the place of `sender`. Both sign: no foreign key can be claimed.

        Save the successor's file first. Seal under the new key once the apps have run: before, its messages are those
        of an unverified sender. Never announce a second successor: devices refuse it.

        Raises AnnouncementError, TopicError.
        """
        if sender.public_key == successor.public_key:
            raise AnnouncementError("same-key")
        content = _head(_SUCCESSOR, sender, topic, announced_at) + successor.public_key.raw
        return cls(_signed(_signed(content, successor), sender))

    @classmethod
    def revocation(cls, sender, topic, announced_at=None):
        """Announces that `sender` is over: devices show nothing under it from now on. This cannot be taken back.

        Raises AnnouncementError, TopicError.
        """
        return cls(_signed(_head(_REVOCATION, sender, topic, announced_at), sender))

    @property
    def text(self):
        """The bytes in base64url."""
        return base64url(self.data)


def _head(kind, sender, topic, announced_at):
    announced_at = clock() if announced_at is None else announced_at
    if type(announced_at) is not int or not 0 <= announced_at < TIME_END:
        raise AnnouncementError("time")
    return bytes([_VERSION, kind]) + sender.public_key.raw + u64(announced_at) + lp(topic_bytes(topic))


def _signed(content, key):
    return content + key.sign(context("sender") + content)
