"""The dashboard in a real browser, beside a real relay and the simulator: what it shows, under load and after a kill;
what an attacker writes stays text; other sites, other names of this machine and other tenants get nothing.

    Tests/Conformance/Service/dashboard-page [--measure | --pictures]

A failure is one sentence, and exit code 1.
"""

import contextlib
import http.client
import http.server
import json
import os
import secrets
import signal
import socket
import sqlite3
import ssl
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True

from black_box.browser import NARROW, Visit, chromium, fail  # noqa: E402
from black_box.programs import CHECKOUT, PATIENCE, await_true  # noqa: E402
from black_box.service import APP, Answer, Sender, Service, Simulator, base64url, new_capability  # noqa: E402
from black_box.service import receipt_hash  # noqa: E402

PICTURES = os.path.join(CHECKOUT, "docs/dashboard")
HOSTILE = "\"><img src=x onerror=\"window.pwned=1\"><script>window.pwned=1</script></text></svg>'&amp;"
HOST = "dash.example"
ROUND_COUNT, RECIPIENT_COUNT = 20, 50
IDLE_SECONDS = 30
HISTORY_DAYS = 29


def expect(is_true, sentence):
    if not is_true:
        fail(sentence)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


class Relay:
    """A relay with a dashboard, three devices, and what was sent."""

    def __init__(self, folder):
        self.simulator = Simulator(folder)
        self.sender = Sender(folder)
        self.service = Service(folder, self.simulator)
        self.port = free_port()
        self.service.configuration["dashboard"] = {"port": self.port, "hosts": [HOST]}
        acme = self.service.configuration["tenants"][0]
        for name, scopes in [("reader", ["read"]), ("metrics", ["metrics"])]:
            self.service.keys[name], hashed = self.service.make_api_key()
            acme["keys"].append({"name": name, "hash": hashed, "scopes": scopes, "expires": "2031-01-01T00:00:00Z"})
        self.url = f"http://127.0.0.1:{self.port}/"
        self.devices = {}
        self.service.start()
        self.service.child.stop()
        self.write_history()
        self.service.start()
        for device, region in [("d1", "CH"), ("d2", "DE"), ("d3", "FR")]:
            self.register(device, region)
        self.sealed = self.sender.seal("never on the page: tangerine")
        self.count = 0
        self.receipts = []

    def write_history(self):
        """Days before today, as docs/store-file.md has them."""
        today = int(time.time()) // 86_400
        with contextlib.closing(sqlite3.connect(self.service.database)) as database:
            for day in range(today - HISTORY_DAYS, today):
                swing = 1_000 + 90 * (day * 7 % 11)
                rows = [["acme", APP, region, *[swing // part * share // 100 for share in (100, 99, 98, 91, 1, 1)]]
                        for region, part in [("CH", 1), ("DE", 2), ("FR", 5)]]
                note = json.dumps({"day": day, "rows": rows}).encode()
                database.execute("INSERT INTO note (name, bytes) VALUES (?, ?)", (f"delivery-rates-{day % 31}".encode(), note))
            database.commit()

    def register(self, device, region):
        self.devices[device], token = self.simulator.enrol()
        body = {"token": token, "topic": APP, "environment": "sandbox", "bundle": self.sender.bundle, "region": region}
        self.service.expect(201, "PUT", f"/v1/devices/{device}", body)
        return device

    def post(self, *devices, opened=(), key="acme"):
        """Answer's rows. `receive` has the receipts of the devices in `opened`."""
        capabilities = [new_capability() for _ in devices]
        recipients = [
            {"device": device, "sealed": self.sealed, "trace": base64url(secrets.token_bytes(16)),
             "receipt-hash": receipt_hash(capability)}
            for device, capability in zip(devices, capabilities)
        ]
        body = {"topic": APP, "class": "normal", "recipients": recipients}
        rows = self.service.expect(202, "POST", "/v1/notifications", body, key=key).body["notifications"]
        self.count += len(rows)
        self.receipts += [{"capability": base64url(capability), "code": "opened"}
                          for device, capability in zip(devices, capabilities) if device in opened]
        return rows

    def receive(self):
        while self.receipts:
            body, self.receipts = {"receipts": self.receipts[:256]}, self.receipts[256:]
            self.service.expect(204, "POST", "/v1/receipts", body, key=None)

    def state(self, id_):
        return self.service.expect(200, "GET", f"/v1/notifications/{id_}").body["state"]

    def dead_letter(self, device):
        """One that Apple refused: the app was removed from the phone."""
        self.simulator.remove_app(self.devices[device])
        row = self.post(device)[0]
        await_true(lambda: self.state(row["id"]) == "dead", "a dead letter")
        return row

    def call(self, method, path, body=None, cookie=None, tls=False, **fields):
        """Request to the dashboard that no browser made."""
        named = {"Host": f"127.0.0.1:{self.port}", "Origin": f"http://127.0.0.1:{self.port}"}
        if body is not None:
            named["Content-Type"] = "application/json"
        if cookie:
            named["Cookie"] = cookie
        named.update(fields)
        if tls:
            trust = ssl.create_default_context(cafile=self.service.certificate)
            connection = http.client.HTTPSConnection(self.service.TLS_ADDRESS, self.port, context=trust, timeout=PATIENCE)
        else:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        content = json.dumps(body).encode() if body is not None else b""
        connection.putrequest(method, path, skip_host=True)
        for name, value in named.items():
            if value is not None:
                connection.putheader(name, value)
        connection.putheader("Content-Length", str(len(content)))
        connection.endheaders(content)
        answer = Answer(connection.getresponse())
        connection.close()
        return answer

    def sign_in(self, key, **options):
        """Cookie, as a browser sends it, and the whole field."""
        answer = self.call("POST", "/session", {"key": self.service.keys[key]}, **options)
        expect(answer.status == 204, f"signing in is answered {answer.status}: {answer.raw}")
        field = next(value for name, value in answer.fields if name.lower() == "set-cookie")
        return field.split(";")[0], field


def await_text(page, selector, text):
    page.wait_for_function(
        "([selector, text]) => document.querySelector(selector)?.textContent.includes(text)", arg=[selector, text]
    )


def await_count(page, step, count):
    """The number beside a step of the funnel."""
    page.wait_for_function(
        """([step, count]) => [...document.querySelectorAll('#funnel tr')]
            .some((row) => row.cells[0].textContent.startsWith(step) && row.cells[1].textContent === count)""",
        arg=[step, f"{count:,}"],
    )


def sign_in(page, key):
    page.locator("#key").fill(key)
    page.locator("#sign-in-form button").click()


def check_sign_in(visit, relay):
    page = visit.page
    page.wait_for_selector("#sign-in:not([hidden])")
    size = visit.check_first_load()
    visit.check_accessible("signing in")
    sign_in(page, "spk_" + "A" * 43)
    await_text(page, "#alert", "No such key is in use")
    sign_in(page, relay.service.keys["send-only"])
    await_text(page, "#alert", "scope 'read' or 'metrics'")
    sign_in(page, relay.service.keys["acme"])
    await_text(page, "#about", "Tenant acme")
    expect(page.evaluate("document.cookie") == "", "scripts can read the cookie")
    expect(page.locator("#key").input_value() == "", "the key stays in its field")
    return size


def check_today(page, relay):
    rows = relay.post("d1", "d2", opened=["d1"])
    dead = relay.dead_letter("d3")
    await_count(page, "Accepted", relay.count)
    await_count(page, "Taken by APNs", 2)
    relay.receive()
    await_count(page, "Opened", 1)
    await_text(page, "#regions", "CH Switzerland")
    await_text(page, "#regions", "100.0 %")
    await_text(page, "#days", "Accepted (outlined)")
    await_text(page, "#queues", "urgent")
    await_text(page, "#latency", "99 % within")
    await_text(page, "#credentials", "this server's certificate")
    await_text(page, "#credentials", "SIMULATED1")
    await_text(page, "#webhooks", "No webhook")
    expect(page.locator("#day option").count() == HISTORY_DAYS + 2, "days are missing")
    page.locator("#day").select_option(index=2)
    await_text(page, "#day-regions", "FR France")
    return rows, dead


def check_find(page, rows, dead):
    page.locator("#what").fill(dead["trace"])
    page.locator("[name=life]").click()
    await_text(page, "#found", "APNs answered 410 Unregistered")
    await_text(page, "#found", "dead letter, undeliverable")
    page.locator("#what").fill(rows[0]["id"])
    page.keyboard.press("Enter")
    await_text(page, "#found", "receipt: opened")
    page.locator("#what").fill("d1")
    page.locator("[name=device]").click()
    await_text(page, "#found", rows[0]["id"])
    page.locator("#what").fill("A" * 21 + "Q")
    page.locator("[name=life]").click()
    await_text(page, "#found", "No notification of this tenant has this trace")


def check_replay(page, dead):
    await_text(page, "#dead-count", "1 in all")
    page.locator("#dead-refresh").click()
    await_text(page, "#dead", dead["id"])
    page.locator("#dead button").first.click()
    await_text(page, "#dead", "replayed as")


def check_service(page, relay):
    page.locator("#view").select_option("service")
    await_text(page, "#queues", "other")
    await_text(page, "#regions", "acme")
    page.locator("#view").select_option("tenant")
    page.wait_for_function("() => !document.querySelector('#queues').textContent.includes('other')")


def check_load(page, relay):
    """While many notifications go out, the page follows, and the relay answers."""
    before = relay.count
    regions = ["CH", "CH", "DE", "DE", "FR"] * (RECIPIENT_COUNT // 5)
    devices = [relay.register(f"load-{index}", region) for index, region in enumerate(regions)]
    # Nothing is opened in France.
    opened = [device for device, region in zip(devices, regions) if region != "FR"]
    thread = threading.Thread(target=lambda: [relay.post(*devices, opened=opened) for _ in range(ROUND_COUNT)])
    thread.start()
    shown = set()
    while thread.is_alive():
        shown.add(page.locator("#funnel tr").nth(1).inner_text())
        start = time.monotonic()
        relay.service.expect(200, "GET", "/v1/health", key=None)
        expect(time.monotonic() - start < 2, "the relay took more than two seconds for a probe")
    thread.join()
    expect(relay.count == before + ROUND_COUNT * RECIPIENT_COUNT, "not all were accepted")
    # The replay of the dead letter counts too.
    await_count(page, "Accepted", relay.count + 1)
    await_count(page, "Taken by APNs", 2 + ROUND_COUNT * RECIPIENT_COUNT)
    relay.receive()
    await_count(page, "Opened", 1 + ROUND_COUNT * len(opened))
    dropped = page.locator("#regions tr", has_text="dropped").all_inner_texts()
    expect(len(dropped) == 1 and "FR France" in dropped[0], f"dropped are {dropped}")
    return len(shown)


def check_other_tenant(browser, relay, rows):
    cookie, _ = relay.sign_in("other")
    for path in [f"/v1/notifications/{rows[0]['id']}", f"/v1/traces/{rows[0]['trace']}", "/v1/devices/d1/notifications",
                 "/v1/devices/d1/deliveries"]:
        answer = relay.call("GET", path, cookie=cookie)
        expect(answer.status == 404, f"another tenant's {path} is answered {answer.status}")
    expect(relay.call("GET", "/v1/dead-letters", cookie=cookie).body["dead-letters"] == [], "another's dead letters")
    for path in ["/v1/statistics", "/v1/statistics/days"]:
        expect(b"acme" not in relay.call("GET", path, cookie=cookie).raw, f"{path} names another tenant")
    answer = relay.call("POST", "/v1/dead-letters/replay", {"ids": [rows[0]["id"]]}, cookie=cookie)
    expect(answer.body["replays"][0]["result"] == "unknown", "another tenant's letter was replayed")
    visit = Visit(browser, relay.url)
    sign_in(visit.page, relay.service.keys["other"])
    await_text(visit.page, "#about", "Tenant other")
    await_text(visit.page, "#regions", "None yet")
    expect("acme" not in visit.page.locator("main").inner_text(), "the page names another tenant")
    visit.close()


def check_scopes(browser, relay):
    """Keys that may read only, or have the metrics alone."""
    cookie, _ = relay.sign_in("reader")
    for method, path, body in [("GET", "/v1/dead-letters", None), ("GET", "/v1/service/statistics", None),
                               ("POST", "/v1/dead-letters/replay", {"ids": []})]:
        status = relay.call(method, path, body, cookie=cookie).status
        expect(status == 403, f"{path} is answered {status} to a key that may read")
    expect(relay.call("GET", "/events?of=service", cookie=cookie).status == 403, "events of the service need no scope")
    for key, sentence in [("reader", "needs a key with the scope ‘manage’"), ("metrics", "scope ‘manage’")]:
        visit = Visit(browser, relay.url)
        sign_in(visit.page, relay.service.keys[key])
        await_text(visit.page, "#about", "Tenant acme")
        await_text(visit.page, "#dead-count", sentence)
        await_text(visit.page, "#regions", "CH Switzerland")
        if key == "metrics":
            visit.page.locator("#what").fill("d1")
            visit.page.locator("[name=device]").click()
            await_text(visit.page, "#found", "scope ‘read’")
        visit.close()


def check_callers(relay, browser):
    own = f"http://127.0.0.1:{relay.port}"
    key = {"key": relay.service.keys["acme"]}
    for path in ["/", "/dashboard.js", "/session", "/v1/statistics", "/events"]:
        answer = relay.call("GET", path, Host="attacker.example", Origin=None)
        expect(answer.status == 403 and b"acme" not in answer.raw, f"{path} answers {answer.status} under another name")
    expect(relay.call("GET", "/", Host=f"{HOST}:{relay.port}", Origin=None).status == 200, "a configured host is refused")
    cookie, field = relay.sign_in("acme")
    for word in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"]:
        expect(word in field, f"the cookie lacks {word}: {field}")
    expect("Secure" not in field, "the cookie of plain HTTP is Secure")
    for origin in [None, "null", "http://attacker.example", own + ".attacker.example", "http://127.0.0.1:1"]:
        for method, path, body in [("POST", "/session", key), ("DELETE", "/session", None),
                                   ("POST", "/v1/dead-letters/replay", {"ids": []})]:
            status = relay.call(method, path, body, cookie=cookie, Origin=origin).status
            expect(status == 403, f"{method} {path} answers {status} to the origin {origin}")
    for path in ["/session", "/events", "/v1/statistics", "/v1/dead-letters"]:
        bearer = f"Bearer {relay.service.keys['acme']}"
        for fields in [{}, {"Authorization": bearer}, {"Cookie": cookie[:-1] + "-"}, {"Cookie": f"{cookie}; {cookie}"}]:
            status = relay.call("GET", path, **fields).status
            expect(status == 401, f"{path} answers {status} without a session")
    for method, path in [("POST", "/v1/notifications"), ("PUT", "/v1/devices/d1"), ("DELETE", "/v1/devices/d1"),
                         ("GET", "/v1/metrics"), ("GET", "/v1/nothing"), ("GET", "/nothing")]:
        status = relay.call(method, path, cookie=cookie).status
        expect(status == 404, f"{method} {path} is answered {status} by the dashboard's listener")
    expect(relay.call("PUT", "/session", cookie=cookie).status == 405, "the session takes PUT")
    for body in [{}, {"key": 1}, {"key": "x", "more": 1}, {"key": "x" * 300}]:
        status = relay.call("POST", "/session", body).status
        expect(status in (400, 413), f"{body} is answered {status}")
    for path in ["/", "/dashboard.js", "/page.js", "/page.css", "/dashboard.css", "/charts.js", "/strings.js"]:
        answer = relay.call("GET", path)
        fields = {name.lower(): value for name, value in answer.fields}
        policy = fields["content-security-policy"]
        expect("default-src 'none'" in policy and "unsafe" not in policy, f"{path} has the policy {policy}")
    # 17 sign-ins with one key: the oldest ends.
    first, _ = relay.sign_in("other")
    for _ in range(16):
        last, _ = relay.sign_in("other")
    expect(relay.call("GET", "/session", cookie=first).status == 401, "a key has more than 16 sessions")
    expect(relay.call("GET", "/session", cookie=last).status == 200, "the newest session has ended")
    expect(relay.call("DELETE", "/session", cookie=last).status == 204, "signing out")
    expect(relay.call("GET", "/session", cookie=last).status == 401, "signing out ends nothing")

    # A page of another site, and a name that is bound to this machine, in a browser that is signed in.
    handler = type("Handler", (http.server.SimpleHTTPRequestHandler,), {
        "do_GET": lambda self: (self.send_response(200), self.end_headers(), self.wfile.write(b"<p>other</p>")),
        "log_message": lambda *words: None,
    })
    other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=other.serve_forever, daemon=True).start()
    context = browser.new_context()
    page = context.new_page()
    page.goto(relay.url)
    sign_in(page, relay.service.keys["acme"])
    await_text(page, "#about", "Tenant acme")
    count = len(relay.service.child.events("audit"))
    page.goto(f"http://127.0.0.1:{other.server_port}/")
    outcome = page.evaluate(
        """async (own) => {
            const options = {method: 'POST', body: '{"ids":[]}', credentials: 'include'};
            const one = await fetch(own + '/v1/dead-letters/replay', {...options, mode: 'no-cors'}).catch(String);
            const json = {...options, headers: {'Content-Type': 'application/json'}};
            const two = await fetch(own + '/v1/dead-letters/replay', json).catch(String);
            const three = await fetch(own + '/v1/statistics', {credentials: 'include'}).catch(String);
            return [one.type || one, two.type || two, three.type || three];
        }""",
        own,
    )
    expect("TypeError" in outcome[1] and "TypeError" in outcome[2], f"another site's page got {outcome}")
    answer = page.goto(f"http://rebound.example:{relay.port}/")
    expect(answer.status == 403, f"a rebound name is answered {answer.status}")
    context.close()
    other.shutdown()
    replays = [event for event in relay.service.child.events("audit")[count:] if event["act"] == "dead-letter-replay"]
    expect(replays == [], "another site's page replayed dead letters")


def poison(value):
    """The same answer, with every text that is not a member's name hostile; days and cursors stay what they are."""
    if isinstance(value, dict):
        return {name: one if name in ("day", "next") else poison(one) for name, one in value.items()}
    if isinstance(value, list):
        return [poison(one) for one in value]
    return HOSTILE if isinstance(value, str) else value


def check_hostile(browser, relay, dead):
    """Each text of an answer, as if an attacker had written it: device, region, reason, trace, topic, failure."""
    cookie, _ = relay.sign_in("acme")
    context = browser.new_context()
    name, value = cookie.split("=")
    context.add_cookies([{"name": name, "value": value, "url": relay.url}])
    page = context.new_page()
    page.add_init_script("window.addEventListener('securitypolicyviolation', () => { window.violated = 1; })")

    def change(route):
        answer = route.fetch()
        body = poison(answer.json())
        if route.request.url.endswith("/session"):
            body["scopes"] = answer.json()["scopes"]
        for row in body.get("webhooks", []):
            row["last-failed"] = row["last-failure"] = HOSTILE
        route.fulfill(response=answer, json=body)

    def feed(route):
        body = poison(relay.call("GET", "/v1/statistics", cookie=cookie).body)
        body["webhooks"] = [{"tenant": HOSTILE, "waiting": 1, "dropped": 1, "answered": 1, "failed": 1,
                             "last-failed": HOSTILE, "last-failure": HOSTILE}]
        body["credentials"][0]["suspended"] = HOSTILE
        text = f"event: statistics\ndata: {json.dumps(body)}\n\n"
        route.fulfill(status=200, content_type="text/event-stream", body=text)

    page.route("**/v1/**", change)
    page.route("**/session", change)
    page.route("**/events*", feed)
    page.goto(relay.url)
    for place in ["#regions", "#credentials", "#webhooks", "#queues", "#dead", "#about"]:
        await_text(page, place, "onerror")
    page.locator("#day").select_option(index=1)
    await_text(page, "#day-regions", "onerror")
    for what, button in [(dead["trace"], "life"), (dead["id"], "life"), ("d1", "device"), (HOSTILE, "life"), (HOSTILE, "device")]:
        page.locator("#what").fill(what)
        page.locator(f"[name={button}]").click()
        page.wait_for_function("() => document.querySelector('#found').textContent !== ''")
        if what != HOSTILE:
            await_text(page, "#found", "onerror")
    expect(page.evaluate("window.pwned") is None, "a script of an answer ran")
    expect(page.evaluate("window.violated") is None, "an answer broke the policy, and so became HTML")
    count = page.locator("img, script:not([src]), iframe, object").count()
    expect(count == 0, f"an answer made {count} elements")
    context.close()


def check_session_end(page, relay):
    """A reload without the key ends its sessions, and the page says so."""
    acme = relay.service.configuration["tenants"][0]
    kept = acme["keys"]
    acme["keys"] = [key for key in kept if key["name"] != "reader"]
    reader = page.context.browser.new_context()
    other = reader.new_page()
    other.goto(relay.url)
    sign_in(other, relay.service.keys["reader"])
    await_text(other, "#regions", "CH Switzerland")
    relay.service.write_configuration()
    relay.service.child.signal(signal.SIGHUP)
    await_text(other, "#alert", "The session has ended")
    expect(other.locator("#sign-in").is_visible() and "Switzerland" not in other.locator("main").text_content(),
           "the page shows deliveries after the session's end")
    reader.close()
    acme["keys"] = kept
    relay.service.write_configuration()
    relay.service.child.signal(signal.SIGHUP)
    await_text(page, "#about", "Tenant acme")


def check_stop_and_kill(page, relay):
    """The page says that the relay has gone, and shows the same counts when it is back."""
    service = relay.service
    expect(service.child.stop() == 0, "the relay with an open page did not end well")
    await_text(page, "#alert", "relay")
    page.wait_for_function("() => /is stopping|does not answer/.test(document.querySelector('#alert').textContent)")
    service.start()
    await_text(page, "#alert", "The session has ended")
    sign_in(page, service.keys["acme"])
    await_count(page, "Accepted", relay.count + 1)
    service.child.signal(signal.SIGKILL)
    service.child.process.wait(PATIENCE)
    await_text(page, "#alert", "The relay does not answer")
    service.start()
    await_text(page, "#alert", "The session has ended")
    sign_in(page, service.keys["acme"])
    await_count(page, "Accepted", relay.count + 1)


def check_tls(browser, relay):
    """The same over TLS: a Secure cookie of this host alone."""
    service = relay.service
    service.child.stop()
    service.configuration["dashboard"] = {"port": relay.port, "address": service.TLS_ADDRESS}
    service.start()
    own = f"{service.TLS_ADDRESS}:{relay.port}"
    cookie, field = relay.sign_in("acme", tls=True, Host=own, Origin=f"https://{own}")
    expect(cookie.startswith("__Host-") and "Secure" in field, f"the cookie over TLS is {field}")
    answer = relay.call("POST", "/session", {"key": service.keys["acme"]}, tls=True, Host=own, Origin=f"http://{own}")
    expect(answer.status == 403, "the page without TLS may call the one with it")
    visit = Visit(browser, f"https://{own}/", ignore_https_errors=True)
    sign_in(visit.page, service.keys["acme"])
    await_count(visit.page, "Accepted", relay.count + 1)
    visit.close()
    service.child.stop()
    service.configuration["dashboard"] = {"port": relay.port, "hosts": [HOST]}


def multiply_dead_letters(relay, count):
    """So many more dead letters, all copies of one, written while the relay is stopped. Returns the number of all."""
    database = sqlite3.connect(relay.service.database)
    (id_, tenant, lane), *_ = database.execute("SELECT id, tenant, lane FROM entry WHERE state = 5 ORDER BY id DESC LIMIT 1")
    last = database.execute("SELECT max(id) FROM entry").fetchone()[0]
    columns = [row[1] for row in database.execute("PRAGMA table_info(entry)") if row[1] != "id"]
    names = ", ".join(columns)
    numbers = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})"
    database.execute(
        f"{numbers} INSERT INTO entry (id, {names}) SELECT ? + i * 256, {names} FROM n, entry WHERE entry.id = ?", (last, id_)
    )
    database.execute(f"{numbers} INSERT INTO dead (tenant, entry) SELECT ?, ? + i * 256 FROM n", (tenant, last))
    database.execute("UPDATE tally SET count = count + ? WHERE tenant = ? AND lane = ? AND state = 5", (count, tenant, lane))
    all_ = database.execute("SELECT sum(count) FROM tally WHERE tenant = ? AND state = 5", (tenant,)).fetchone()[0]
    database.commit()
    database.close()
    return all_


def check_many_dead_letters(browser, relay, count):
    all_ = multiply_dead_letters(relay, count)
    relay.service.start()
    visit = Visit(browser, relay.url)
    page = visit.page
    sign_in(page, relay.service.keys["acme"])
    await_text(page, "#dead-count", f"{all_:,} in all, newest first, 20 on a page.")
    page.wait_for_selector("#dead-next:not([hidden])")
    first = page.locator("#dead tbody tr").count()
    times = []
    for _ in range(10):
        start = time.monotonic()
        with page.expect_response(lambda answer: "/v1/dead-letters" in answer.url):
            page.locator("#dead-next").click()
        times.append(time.monotonic() - start)
        page.wait_for_selector("#dead-next:not([hidden])")
    expect(first == 20, f"a page has {first} dead letters")
    visit.check_accessible("with many dead letters")
    visit.close()
    return max(times) * 1000


def processor_seconds(relay):
    with open(f"/proc/{relay.service.child.process.pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure_idle(relay):
    """Shares of a core, in per cent, of 0, 1 and 10 idle pages: each a stream of events, as a page has it."""
    shares = {}
    for count in (0, 1, 10):
        streams = []
        for index in range(count):
            cookie, _ = relay.sign_in("acme")
            of = "service" if index % 2 else "tenant"
            stream = socket.create_connection(("127.0.0.1", relay.port))
            head = f"GET /events?of={of} HTTP/1.1\r\nHost: 127.0.0.1:{relay.port}\r\nCookie: {cookie}\r\n\r\n"
            stream.sendall(head.encode())
            expect(b" 200 " in stream.recv(1 << 16), f"stream {index} is refused")
            threading.Thread(target=lambda one=stream: all(iter(lambda: one.recv(1 << 16), b"")), daemon=True).start()
            streams.append(stream)
        time.sleep(3)
        before, start = processor_seconds(relay), time.monotonic()
        time.sleep(IDLE_SECONDS)
        shares[count] = 100 * (processor_seconds(relay) - before) / (time.monotonic() - start)
        for stream in streams:
            stream.shutdown(socket.SHUT_RDWR)
    return shares


def check_looks(browser, relay):
    for name, width, scheme in [("light", 1280, "light"), ("dark", 1280, "dark"), ("phone", NARROW, "light"),
                                ("phone in the dark", NARROW, "dark")]:
        visit = Visit(browser, relay.url, width=width, color_scheme=scheme)
        page = visit.page
        sign_in(page, relay.service.keys["acme"])
        await_text(page, "#regions", "CH Switzerland")
        await_text(page, "#latency", "99 % within")
        page.locator("#what").fill("d1")
        page.locator("[name=device]").click()
        await_text(page, "#found", "opened")
        page.locator("#days summary").click()
        visit.check_accessible(name)
        visit.check_width(name)
        visit.close()


def check_keyboard(browser, relay):
    visit = Visit(browser, relay.url)
    page = visit.page
    page.wait_for_selector("#sign-in:not([hidden])")
    page.keyboard.press("Tab")
    expect(page.evaluate("document.activeElement.className") == "skip", "the first stop is not the skip link")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.evaluate("document.activeElement.id") == "key", "the key is not the next stop")
    page.keyboard.type(relay.service.keys["acme"])
    page.keyboard.press("Enter")
    await_text(page, "#about", "Tenant acme")
    page.locator("#sign-out").focus()
    page.keyboard.press("Enter")
    await_text(page, "#alert", "Signed out")
    visit.close()


def make_pictures(browser, relay):
    os.makedirs(PICTURES, exist_ok=True)
    for name, width, height, scheme in [("light", 1280, 800, "light"), ("dark", 1280, 800, "dark"),
                                        ("phone", NARROW, 900, "light")]:
        visit = Visit(browser, relay.url, width=width, height=height, color_scheme=scheme, reduced_motion="reduce")
        page = visit.page
        sign_in(page, relay.service.keys["acme"])
        await_text(page, "#regions", "CH Switzerland")
        await_text(page, "#latency", "99 % within")
        page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
        page.screenshot(path=os.path.join(PICTURES, f"{name}.png"), animations="disabled")
        visit.close()


def main():
    mode = sys.argv[1:]
    expect(mode in ([], ["--measure"], ["--pictures"]), "usage: Tests/Conformance/Service/dashboard-page [--measure | --pictures]")
    found = {}
    with tempfile.TemporaryDirectory() as folder, chromium("--host-resolver-rules=MAP rebound.example 127.0.0.1") as browser:
        relay = Relay(folder)
        visit = Visit(browser, relay.url)
        page = visit.page
        steps = [
            ("sign in", lambda: check_sign_in(visit, relay)),
            ("today", lambda: check_today(page, relay)),
            ("find", lambda: check_find(page, *found["today"])),
            ("replay", lambda: check_replay(page, found["today"][1])),
            ("service", lambda: check_service(page, relay)),
            ("load", lambda: check_load(page, relay)),
            ("other tenant", lambda: check_other_tenant(browser, relay, found["today"][0])),
            ("scopes", lambda: check_scopes(browser, relay)),
            ("hostile", lambda: check_hostile(browser, relay, found["today"][1])),
            ("callers", lambda: check_callers(relay, browser)),
            ("keyboard", lambda: check_keyboard(browser, relay)),
            ("session end", lambda: check_session_end(page, relay)),
            ("looks", lambda: check_looks(browser, relay)),
            ("stop and kill", lambda: check_stop_and_kill(page, relay)),
        ]
        if mode == ["--pictures"]:
            steps.insert(-1, ("pictures", lambda: make_pictures(browser, relay)))
        if mode == ["--measure"]:
            steps.append(("idle", lambda: measure_idle(relay)))
        steps += [
            ("tls", lambda: check_tls(browser, relay)),
            ("many dead letters",
             lambda: check_many_dead_letters(browser, relay, 1_000_000 if mode == ["--measure"] else 20_000)),
        ]
        for name, step in steps:
            start = time.monotonic()
            found[name] = step()
            print(f"dashboard: {name}: {time.monotonic() - start:.1f} s", flush=True)
        print(f"dashboard: first load {found['sign in']} bytes; {found['load']} states seen under load; "
              f"the slowest page of dead letters {found['many dead letters']:.0f} ms")
        if "idle" in found:
            print("dashboard: idle pages, per cent of a core: "
                  + ", ".join(f"{count}: {share:.2f}" for count, share in found["idle"].items()))
        expect(relay.service.child.stop() == 0, "the relay did not end well")
        expect(b"tangerine" not in relay.service.child.output(), "the log has a message's text")
        relay.simulator.child.stop()
        visit.close()


if __name__ == "__main__":
    main()
