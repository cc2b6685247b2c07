"""Section 21: attachments as they are stored. Chunked encryption is the library's; length, context and padding are here."""
from cryptography.cobblestone import Cobblestone256Decryptor, Cobblestone256Encryptor
from cryptography.exceptions import InvalidTag

from .attachment import padded, stored
from .encoding import Refused, lp, require

CONTEXT = b"SealedPush/1 attachment"
HEAD_SIZE, CHUNK_SIZE, TAG_SIZE = 24 + 32, 16_384, 16


def context(attachment_id):
    return lp(CONTEXT) + attachment_id


def seal(file, key, attachment_id):
    encryptor = Cobblestone256Encryptor(key, context(attachment_id))
    return encryptor.update(file + bytes(padded(len(file)) - len(file))) + encryptor.finalize()


def open_stored(raw, key, attachment_id, size):
    """The file. Bytes are judged in the order of arrival, and none beyond the length that `size` implies."""
    decryptor, plaintext, expected = Cobblestone256Decryptor(key, context(attachment_id)), b"", stored(size)
    _checked(decryptor.update, "wrong-key", raw[:HEAD_SIZE])
    for at in range(HEAD_SIZE, min(expected, len(raw)), CHUNK_SIZE + TAG_SIZE):
        plaintext += _checked(decryptor.update, "damaged", raw[at:min(expected, at + CHUNK_SIZE + TAG_SIZE)])
        require(not any(plaintext[size:]), "wrong-padding")
    require(len(raw) <= expected, "too-long")
    require(len(raw) == expected, "truncated")
    plaintext += _checked(decryptor.finalize, "damaged")
    require(not any(plaintext[size:]), "wrong-padding")
    return plaintext[:size]


def _checked(step, kind, *bytes_in):
    try:
        return step(*bytes_in)
    except InvalidTag:
        raise Refused(kind) from None
