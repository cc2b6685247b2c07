"""Upload of sealed attachments by HTTPS PUT, to a pre-signed URL: docs/attachments.md, docs/blobs.md."""

import os

from .errors import AttachmentError
from .https import Address, Exchange, Retry, problem_of


def upload_attachment(sealed_path, url, *, ca_file=None, timeout=60, retry=Retry()):
    """Uploads a sealed file with one PUT. It is read while it is sent; it must not change meanwhile.

    `url` is signed by the storage's owner, and is a secret. Raises AddressError, AttachmentError, ConnectionFailed,
    Problem.
    """
    address, target = Address.of(url)
    exchange = Exchange(address, ca_file, timeout)

    def once():
        with open(sealed_path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            return exchange.run("PUT", target, {"Content-Length": str(size)}, file)

    try:
        answer = retry.run(once, problem_of)
    except OSError as error:
        raise AttachmentError("file") from error
    if answer.status not in (200, 201, 204):
        raise problem_of(answer)
