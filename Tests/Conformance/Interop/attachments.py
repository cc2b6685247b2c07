"""Attachments, sealed by one program and opened by the other, whole and spoilt."""
import collections
import json

from lines import open_attachment_line, seal_attachment_line
from sealedpush_py import attachment_file
from sealedpush_py.encoding import base64url, from_base64url

SIZES = 0, 1, 2, 16_383, 16_384, 16_385, 32_768, 40_000, 49_152
CHUNK = attachment_file.CHUNK_SIZE + attachment_file.TAG_SIZE


def check(tally, generator, count, ask):
    """`ask` takes a verb and requests, and returns the peer's answers."""
    sizes = [*SIZES, *(generator.randrange(60_000) for _ in range(count))]
    requests = [_request(generator, size) for size in sizes]
    _seal(tally, requests, ask)
    _open(tally, generator, requests, ask)
    print(f"{len(sizes)} attachments each way")


def _request(generator, size):
    return {"key": base64url(generator.randbytes(32)), "id": base64url(generator.randbytes(16)),
            "file": base64url(generator.randbytes(size))}


def _seal(tally, requests, ask):
    for request, line in zip(requests, ask("seal-attachment-lines", requests), strict=True):
        stored, size = json.loads(line)["stored"], len(from_base64url(request["file"]))
        found = open_attachment_line({**request, "size": size, "stored": stored})
        good = found == {"expect": "opened", "file": request["file"]}
        tally.expect(good, f"an attachment of {size} bytes, sealed by the peer, opened by Python", request)


def _open(tally, generator, requests, ask):
    """Opens each as it is, and once spoilt: both programs must answer the same."""
    jobs, kinds = [], collections.Counter()
    for request in requests:
        whole = {**request, **seal_attachment_line(request), "size": len(from_base64url(request["file"]))}
        jobs += [whole, _spoilt(generator, whole)]
    for job in jobs:
        del job["file"]
    for i, (job, line) in enumerate(zip(jobs, ask("open-attachment-lines", jobs), strict=True)):
        theirs, ours = json.loads(line), open_attachment_line(job)
        kinds[ours["expect"]] += 1
        good = theirs == ours and (i % 2 == 1 or ours["expect"] == "opened")
        tally.expect(good, f"attachment {i}: both say the same", job, peer=theirs["expect"], python=ours["expect"])
    tally.expect(kinds["opened"] >= len(requests) and len(kinds) > 3, "attachments open and fail", kinds=dict(kinds))


def _spoilt(generator, job):
    raw, change = bytearray(from_base64url(job["stored"])), {}
    match generator.randrange(7):
        case 0: raw[generator.randrange(len(raw))] ^= 1 << generator.randrange(8)
        case 1: del raw[generator.randrange(len(raw)):]
        case 2: raw += generator.randbytes(generator.choice((1, 16, 20, CHUNK)))
        case 3: raw[56:56 + CHUNK], raw[56 + CHUNK:56 + 2 * CHUNK] = raw[56 + CHUNK:56 + 2 * CHUNK], raw[56:56 + CHUNK]
        case 4: change = {"key": base64url(generator.randbytes(32))}
        case 5: change = {"id": base64url(generator.randbytes(16))}
        case 6: change = {"size": max(0, job["size"] + generator.choice((-2_000, -1, 1, 2_000)))}
    return {**job, "stored": base64url(raw), **change}
