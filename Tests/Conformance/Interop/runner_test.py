"""Tests that the vector runner accepts right vectors and finds wrong ones. Its files are made here, by hand."""
import contextlib
import hashlib
import io
import pathlib
import random
import tempfile

import vectors
from forgery import Forgery
from messages import ALLOW, NOW, TOPIC, World, public_bytes
from sealedpush_py import attachment_file, envelope, safety_number
from sealedpush_py.encoding import DAY, MINUTE, base64url
from self_test import RFC_8291_KEY, RFC_8291_RECORD

SLOW = {"message-floor"}  # four thousand messages: run once


def file_of(kind, raw=b"", **values):
    """A vector file. A list is a value that comes several times."""
    lines = [f"title: made by hand, {kind}", f"kind: {kind}"]
    for name, several in values.items():
        several = several if isinstance(several, list) else [several]
        lines += [f"{name.replace('_', '-')}: {value}" for value in several]
    return "\n".join(lines).encode() + b"\n\n" + raw


def good_files():
    """(name, bytes), each of which must hold."""
    world = World(random.Random(1))
    device = world.open_request("")
    setting = {"topic": TOPIC, "identity": device["identity"], "prekey": device["prekeys"], "allow": ALLOW,
               "contact": device["contacts"], "build_date": str(device["build-date"])}
    yield from message_files(world, setting)
    yield from seal_files(world)
    yield from bundle_files(world, device["identity"])
    yield "bundle", file_of("bundle", f"{base64url(world.bundle())}\n{base64url(world.bundle(now=NOW - 1))}".encode(),
                            pinned=device["identity"], topic=TOPIC, now=[NOW, NOW], expect=["valid", "rolled-back"])
    yield from attachment_files(world.generator)
    yield "json", file_of("json", b'{"a":[1,"\\u00e9"]}', expect="valid")
    yield "json-newlines", file_of("json", b"\n\n[1]\n", expect="valid")
    yield "json-twice", file_of("json", b'{"a":1,"\\u0061":2}', expect="refused")
    yield "base64url", file_of("base64url", b"AAEC_w", expect="valid", bytes="000102ff")
    yield "base64url-empty", file_of("base64url", b"", expect="valid", bytes="-")
    yield "base64url-spare", file_of("base64url", b"AAEC_x", expect="refused")
    one, other = bytes(range(32)), bytes(range(1, 33))
    yield "safety-number", file_of("safety-number", one=base64url(one), other=base64url(other), expect="number",
                                   number=safety_number.number(one, other), qr=safety_number.code(other, one))
    broken = RFC_8291_RECORD[:-1] + "M"
    yield "web-push", file_of("web-push", f"{RFC_8291_RECORD}\n{broken}".encode(), key=RFC_8291_KEY,
                              expect=["unauthenticated", "malformed"],
                              shows=['{"body":"When I grow up, I want to be a watermelon"}', "-"])


def attachment_files(generator):
    key, attachment_id, file = generator.randbytes(32), generator.randbytes(16), generator.randbytes(20_000)
    stored = attachment_file.seal(file, key, attachment_id)
    head = {"key": base64url(key), "id": base64url(attachment_id), "size": len(file)}
    yield "attachment", file_of("attachment", stored.hex().encode(), **head, expect="opened",
                                file_sha256=base64url(hashlib.sha256(file).digest()))
    yield "attachment-run", file_of("attachment", f"{stored[:50].hex()} 00*22000".encode(), **head, expect="wrong-key")
    yield "attachment-empty", file_of("attachment", b"", **head, expect="truncated")


def bundle_files(world, identity):
    """The pin's refusals, and that a refused bundle does not become the pin."""
    one, two = base64url(world.bundle()), base64url(world.bundle(now=NOW - 1))
    head, digest = {"pinned": identity, "topic": TOPIC}, base64url(bytes(32))
    yield "bundle-rolled-back", file_of("bundle", one.encode(), **head, now=NOW, expect="rolled-back",
                                        pin=f"{NOW - DAY + 1} {digest} 1 1")
    yield "bundle-equivocation", file_of("bundle", one.encode(), **head, now=NOW, expect="equivocation",
                                         pin=f"{NOW - DAY} {digest} 1 1")
    yield "bundle-downgrade", file_of("bundle", one.encode(), **head, now=NOW, expect="suite-downgrade",
                                      pin=f"{NOW - DAY - 1} {digest} 2 2")
    yield "bundle-refused", file_of("bundle", f"{one}\n{two}\n{one}".encode(), **head, now=[NOW - 2 * DAY, NOW, NOW],
                                    expect=["not-yet-valid", "valid", "valid"], pin=f"{NOW - DAY - 2} {digest} 1 1")


def message_files(world, setting):
    push = Forgery(world).payload().encode()
    text = '{"title":"t","body":"b"}'
    greeting = '{"body":"Grüße\u2028🕘"}'
    yield "message-utf8", file_of("message", Forgery(world, body=greeting.encode()).payload().encode(), **setting,
                                  now=NOW, expect="opened", shows=greeting)
    yield "message-opened", file_of("message", push, **setting, now=NOW, expect="opened", shows=text)
    yield "message-died", file_of("message", b"\n".join([push] * 4), **setting,
                                  expect=["opened", "replay", "opened", "replay"],
                                  now=[NOW] * 4, uptime=["1 0", "1 35999", "1 36000", "1 60000"],
                                  elapsed=["died", "-", "-", "-"], shows=[text, "-", text, "-"])
    yield "message-store", file_of("message", push, **setting, now=NOW, expect="store-unavailable", store="unavailable")
    call = Forgery(world, body=b'{"op":"call","call":"c"}', expires_at=NOW + MINUTE).payload().encode()
    yield "message-call", file_of("message", call + b"\n" + call, **setting, now=[NOW] * 2, uptime=["1 0", "1 40000"],
                                  elapsed=["died", "-"], expect=["opened", "replay"], shows='{"op":"call","call":"c"}')
    # Confirmed time lifts the lower bound; a clock that goes back behind it is not believed after a restart either.
    late = Forgery(world, sent_at=NOW + DAY, expires_at=NOW + 2 * DAY).payload().encode()
    other = Forgery(world).payload().encode()
    yield "message-clock", file_of("message", b"\n".join([late, push, other]), **setting, now=[NOW + DAY, NOW, NOW],
                                   uptime=["1 0", "2 0", "2 0"], confirmed=[NOW + DAY, "-", "-"],
                                   expect=["opened", "expired", "expired"], shows=text)
    floors = [f"{base64url(public_bytes(world.service))} {NOW + DAY - near}" for near in (0, 1)]
    yield "message-too-old", file_of("message", push, **setting, now=NOW, expect="too-old", floor=floors)
    yield "message-floor-below", file_of("message", push, **setting, now=NOW, expect="opened", shows=text,
                                         floor=floors[1])
    # 4,097 live ids of one sender: the first to expire makes room, and anything that expires no later is too old from
    # then on.
    many = [Forgery(world, body=b'{"op":"test"}', expires_at=NOW + DAY + i) for i in range(4_097)]
    too_old = Forgery(world, body=b'{"op":"test"}', expires_at=NOW + DAY)
    young = Forgery(world, body=b'{"op":"test"}', expires_at=NOW + DAY + 1)
    pushes = [forgery.payload().encode() for forgery in [*many, many[0], too_old, many[1], young]]
    expect = ["opened"] * 4_097 + ["too-old", "too-old", "replay", "opened"]
    yield "message-floor", file_of("message", b"\n".join(pushes), **setting, now=[NOW] * 4_101, expect=expect,
                                   shows=['{"op":"test"}'] * 4_098)


def seal_files(world):
    """Built by hand with a known ephemeral key; the runner goes by the bundle."""
    forgery, ephemeral, trace = Forgery(world, flags=1), world.x25519(), base64url(bytes(16))
    head, info = forgery.info()
    sealed = envelope.hpke_seal(public_bytes(forgery.key), info, head, forgery.frame(info), ephemeral)
    alert = '{"loc-key":"SP_NEW"}'
    payload = f'{{"aps":{{"alert":{alert},"mutable-content":1}},"sealed":"{base64url(sealed)}","trace":"{trace}"}}'
    yield "seal", file_of(
        "seal", topic=TOPIC, sender_secret=base64url(world.service.private_bytes_raw()),
        bundle=base64url(world.bundle()), pinned=base64url(forgery.identity), now=NOW,
        message_id=base64url(forgery.message_id), sent_at=forgery.sent_at, expires_at=forgery.expires_at,
        ephemeral=base64url(ephemeral.private_bytes_raw()), body=forgery.body.decode(),
        flags=1, class_of_prekey=1, trace=trace, alert_loc_key="SP_NEW", expect="sealed", payload=payload)


def check(tally):
    """Each good file holds; with a wrong expectation or head, none does."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for title, raw in good_files():
            path = folder / title
            path.write_bytes(raw)
            kind, sentences = vectors.differences(path)
            tally.expect(not sentences, f"the runner takes the file {title}", found=sentences)
            for what, changed in () if title in SLOW else spoiled(raw):
                path.write_bytes(changed)
                _, sentences = vectors.differences(path)
                tally.expect(sentences, f"the runner finds what is wrong with {title}: {what}")
            path.unlink() if title in SLOW else path.write_bytes(raw)
        with contextlib.redirect_stdout(io.StringIO()):
            takes_all = vectors.run(folder)
            (folder / "zz").write_bytes(file_of("fortune", expect="good"))
            takes_unknown = vectors.run(folder)
        tally.expect(takes_all, "the runner takes a folder")
        tally.expect(not takes_unknown, "the runner refuses a kind that it does not know")


def spoiled(raw):
    head, _, rest = raw.partition(b"\n\n")
    lines = head.split(b"\n")
    at = max(i for i, line in enumerate(lines) if line.startswith(b"expect: "))
    wrong = b"expect: refused" if lines[at] == b"expect: valid" else b"expect: valid"
    yield "another outcome", b"\n".join([*lines[:at], wrong, *lines[at + 1:]]) + b"\n\n" + rest
    yield "an unknown name", head + b"\nfortune: good\n\n" + rest
    yield "one expectation too many", head + b"\n" + lines[at] + b"\n\n" + rest
    yield "no empty line", head
