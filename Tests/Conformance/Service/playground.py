"""The playground in a real browser: compose, fire, lock screen; what an attacker writes stays text; other sites and
other names of this machine are refused.

    Tests/Conformance/Service/playground [--pictures]

A failure is one sentence, and exit code 1.
"""

import http.client
import http.server
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from urllib.parse import urlsplit

sys.dont_write_bytecode = True

from black_box.browser import NARROW, Visit, chromium, fail  # noqa: E402
from black_box.programs import CHECKOUT, Child, program, run  # noqa: E402

FIRE_COUNT = 15
PICTURES = os.path.join(CHECKOUT, "docs/playground")
HOSTILE = "\"><img src=x onerror=\"window.pwned=1\"><script>window.pwned=1</script></text></svg>'&amp;"
WORD = "<svg/onload=window.pwned=1>"


def expect(is_true, sentence):
    if not is_true:
        fail(sentence)


class Simulator:
    def __init__(self, folder, *words):
        self.folder = os.path.join(folder, "simulator")
        self.recording = os.path.join(folder, "session.jsonl")
        self.child = Child(
            "simulate",
            [program("sealedpush"), "simulate", "--json", "--port", "0", "--device-port", "0", "--control-port", "0",
             "--playground", "--folder", self.folder, "--app", "com.example.chat", "--record", self.recording,
             "--record-payloads", *words],
        )
        self.ready = self.child.await_named("ready")
        self.url = self.child.await_named("playground")["url"]
        self.port = self.ready["control-port"]
        self.secret = self.ready["control-bearer"]

    def call(self, method, path, body=None, byte_count=None, **fields):
        """Status, headers and body of a request that no browser made. `byte_count`: of a body that is not sent."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        named = {"Host": f"127.0.0.1:{self.port}", "Authorization": f"Bearer {self.secret}"}
        named.update({name.replace("_", "-"): value for name, value in fields.items()})
        connection.putrequest(method, path, skip_host=True)
        for name, value in named.items():
            if value is not None:
                connection.putheader(name, value)
        bytes_ = json.dumps(body).encode() if body is not None else b""
        connection.putheader("Content-Length", str(byte_count or len(bytes_)))
        connection.endheaders(bytes_)
        answer = connection.getresponse()
        result = answer.status, dict(answer.getheaders()), answer.read()
        connection.close()
        return result


def await_text(page, selector, text):
    page.wait_for_function(
        "([selector, text]) => document.querySelector(selector)?.textContent.includes(text)", arg=[selector, text]
    )


def fire(page):
    """Fires, and waits until the page shows that push's end."""
    before = page.locator("#push").input_value()
    page.locator("#fire").click()
    page.wait_for_function("before => document.querySelector('#push').value !== before", arg=before)


def await_shown(page, text):
    """The picture's alternative text has all that a person sees."""
    page.wait_for_function("text => document.querySelector('#phone img')?.alt.includes(text)", arg=text)
    return page.locator("#phone img").get_attribute("alt")


def await_hidden(page, text):
    page.wait_for_function(
        "text => { const one = document.querySelector('#phone img'); return one && !one.alt.includes(text); }", arg=text
    )


def set_payload(page, payload):
    page.locator("#payload").fill(payload if isinstance(payload, str) else json.dumps(payload))


def set_condition(page, name, value):
    with page.expect_response(lambda answer: answer.url.endswith("/conditions")) as answer:
        page.locator(f"#condition-{name}").select_option(value)
    expect(answer.value.status == 200, f"the condition {name}={value} was refused")


def alert(body, **aps):
    return {"aps": {"alert": {"title": "Ada", "body": body}, **aps}}


def check_composer(page):
    await_text(page, "#remarks", "APNs would accept it")
    set_payload(page, '{"aps":\n {"alert" "x"}}')
    await_text(page, "#remarks", "line 2")
    page.locator("#topic").fill("com.example.other")
    await_text(page, "#remarks", "400")
    set_payload(page, alert("x" * 5000))
    await_text(page, "#size", "of 4096 bytes")
    page.locator("#topic").fill("com.example.chat")
    await_text(page, "#remarks", "413 PayloadTooLarge")


def check_fire(page):
    set_payload(page, alert("Lunch at noon?"))
    fire(page)
    await_shown(page, "Lunch at noon?")
    await_text(page, "#answer", "Answered 200")
    await_text(page, "#apple dl", "com.example.chat")
    await_text(page, "#apple dl", "(withheld)")
    await_text(page, "#body", "Lunch at noon?")
    await_text(page, "#timeline", "on the screen")
    await_text(page, "#timeline", "the phone acknowledged it")


def check_refusal(page):
    page.locator("#token").fill("00" * 32)
    fire(page)
    await_text(page, "#apple", "400 BadDeviceToken")
    page.locator("#token").fill("")


def check_sealed(page):
    page.locator("#message summary").click()
    page.locator("#message-title").fill("Grace")
    page.locator("#message-body").fill("The secret is tangerine")
    page.locator("#seal").click()
    await_text(page, "#seal-note", "sealed")
    expect("tangerine" not in page.locator("#payload").input_value(), "the sealed payload has the text")
    fire(page)
    shown = await_shown(page, "The secret is tangerine")
    expect("answer" in shown, f"the extension did not answer: {shown}")
    expect("tangerine" not in page.locator("#apple").inner_text(), "Apple got the text of a sealed push")
    # The same push once more is a replay: its text is not shown again.
    fire(page)
    await_hidden(page, "The secret is tangerine")


def check_conditions(page):
    set_payload(page, alert("Quiet", **{"mutable-content": 1}))
    set_condition(page, "focus", "on")
    fire(page)
    await_text(page, "#explanation", "a Focus silences it")
    set_condition(page, "focus", "off")
    set_condition(page, "deliveries", "twice")
    fire(page)
    await_text(page, "#explanation", "reached the extension 2 times")
    set_condition(page, "deliveries", "once")
    set_condition(page, "alerts", "off")
    fire(page)
    await_text(page, "#timeline", "APNs discarded it")
    set_condition(page, "alerts", "on")
    page.locator("#seal").click()
    page.wait_for_function("() => document.querySelector('#payload').value.includes('sealed')")
    set_condition(page, "lock", "before-first-unlock")
    fire(page)
    await_hidden(page, "The secret is tangerine")
    set_condition(page, "lock", "unlocked")
    await_text(page, "#timeline", "the app opened it, after the phone was unlocked")
    set_payload(page, {"aps": {"content-available": 1}})
    page.locator("#push-type").select_option("background")
    page.locator("#priority").select_option("5")
    fire(page)
    await_text(page, "#phone", "iOS wakes the app")
    page.locator("#push-type").select_option("alert")
    page.locator("#priority").select_option("")


def check_copies(page, simulator):
    set_payload(page, alert("It's \"copied\" \\ with $HOME and `ticks`"))
    page.locator("#collapse-id").fill("it's")
    lines = {}
    for kind, mark in [("curl", "curl -i"), ("command", "sealedpush send"), ("swift", "@Test func")]:
        page.locator(f'[data-copy="{kind}"]').click()
        await_text(page, "#copied", mark)
        await_text(page, "#copy-note", "Copied")
        lines[kind] = page.evaluate("navigator.clipboard.readText()")
        expect(lines[kind] == page.locator("#copied").text_content(), f"{kind} was not copied")
    path = os.path.dirname(program("sealedpush")) + os.pathsep + os.environ["PATH"]
    for kind in ["curl", "command"]:
        before = page.locator("#push").input_value()
        output = run("sh", "-c", lines[kind], env={**os.environ, "PATH": path})
        expect("200" in output or "accepted" in output, f"{kind} was not accepted: {output}")
        page.wait_for_function("before => document.querySelector('#push').value !== before", arg=before)
        await_shown(page, "It's \"copied\" \\ with $HOME and `ticks`")
        await_text(page, "#apple dl", "it's")
    expect("device.deliver(" in lines["swift"] and "`ticks`" in lines["swift"], "the Swift test lacks the payload")
    page.locator("#collapse-id").fill("")


def check_replay(page, simulator):
    page.locator("#recording").set_input_files(simulator.recording)
    page.locator("#replay").click()
    await_text(page, "#replay-note", "answered differently")
    note = page.locator("#replay-note").text_content()
    expect(", 0 answered differently" in note, f"the replay differs: {note}: {page.locator('#replayed').inner_text()}")
    expect(page.locator("#replayed tbody tr").count() > 5, "the replay has too few lines")
    page.locator("#recording").set_input_files({"name": "x", "mimeType": "text/plain", "buffer": HOSTILE.encode()})
    page.locator("#replay").click()
    await_text(page, "#replay-note", "line 1 is not of")


def check_hostile(page, simulator):
    """Each field that an attacker writes, from the page and from elsewhere: it stays text."""
    set_payload(page, {HOSTILE: HOSTILE, **alert(HOSTILE, **{"thread-id": HOSTILE, "category": HOSTILE})})
    page.locator("#collapse-id").fill(WORD)
    fire(page)
    await_shown(page, HOSTILE)
    await_text(page, "#apple dl", WORD)
    await_text(page, "#body", "onerror")
    page.locator("#message-title").fill(HOSTILE)
    page.locator("#message-body").fill(HOSTILE)
    page.locator("#seal").click()
    page.wait_for_function("() => document.querySelector('#payload').value.includes('sealed')")
    fire(page)
    await_shown(page, "onerror")
    for field in ["topic", "token", "expiration"]:
        known = page.locator(f"#{field}").input_value()
        page.locator(f"#{field}").fill(WORD)
        await_text(page, "#remarks", "APNs would answer 40")
        fire(page)
        await_text(page, "#apple", "Answered 40")
        page.locator(f"#{field}").fill(known)
    page.locator("#topic").fill("a b")
    await_text(page, "#remarks", "printable ASCII")
    page.locator("#topic").fill("com.example.chat")
    page.locator("#collapse-id").fill("")
    expect(page.evaluate("window.pwned") is None, "a script of a push ran")
    expect(page.locator("img[src=x], script:not([src])").count() == 0, "a push made an element")


def check_callers(simulator, browser):
    own = f"http://127.0.0.1:{simulator.port}"
    push = {"payload": "{}", "apns-topic": "com.example.chat"}
    for path in ["/", "/playground.js", "/v1/playground", "/v1/state"]:
        status = simulator.call("GET", path, Host="attacker.example")[0]
        expect(status == 403, f"{path} answers {status} under another name")
    for origin in ["null", "http://attacker.example", own + ".attacker.example", "http://127.0.0.1:1"]:
        for path in ["/v1/playground/pushes", "/v1/stop"]:
            status = simulator.call("POST", path, push, Origin=origin)[0]
            expect(status == 403, f"{path} answers {status} to the origin {origin}")
    expect(simulator.call("GET", "/v1/state", Origin=own)[0] == 200, "the own page may not call")
    for path in ["/v1/playground", "/v1/playground/events", "/v1/playground/pushes"]:
        expect(simulator.call("GET", path, Authorization=None)[0] == 401, f"{path} needs no secret")
    for path in ["/", "/playground.js", "/playground.css", "/strings.js"]:
        status, fields, body = simulator.call("GET", path, Authorization=None)
        fields = {name.lower(): value for name, value in fields.items()}
        expect(status == 200 and simulator.secret.encode() not in body, f"{path}: {status}")
        policy = fields["content-security-policy"]
        expect("default-src 'none'" in policy and "unsafe" not in policy, f"{path} has the policy {policy}")
    expect(simulator.call("PUT", "/")[0] == 405, "the page takes PUT")
    for path, status in [("/v1/playground/nothing", 404), ("/v1/playgroundx", 404)]:
        expect(simulator.call("POST", path, {})[0] == status, f"{path} is no {status}")
    large = simulator.call("POST", "/v1/playground/checks", byte_count=100_000)[0]
    expect(large == 413, f"a body of 100,000 bytes is answered {large}")

    # A page of another site, and a name that is bound to this machine, in the browser itself.
    handler = type("Handler", (http.server.SimpleHTTPRequestHandler,), {
        "do_GET": lambda self: (self.send_response(200), self.end_headers(), self.wfile.write(b"<p>other</p>")),
        "log_message": lambda *words: None,
    })
    other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=other.serve_forever, daemon=True).start()
    count = len(simulator.child.events("accepted"))
    page = browser.new_page()
    page.goto(f"http://127.0.0.1:{other.server_port}/")
    outcome = page.evaluate(
        """async ([url, body]) => {
            const one = await fetch(url, {method: 'POST', body, mode: 'no-cors'}).catch(String);
            const two = await fetch(url, {method: 'POST', body, headers: {Authorization: 'Bearer x'}}).catch(String);
            return [one.type || one, two.type || two];
        }""",
        [own + "/v1/playground/pushes", json.dumps(push)],
    )
    expect("opaque" in outcome[0] and "TypeError" in outcome[1], f"another site's page got {outcome}")
    answer = page.goto(f"http://rebound.example:{simulator.port}/")
    expect(answer.status == 403, f"a rebound name is answered {answer.status}")
    page.close()
    other.shutdown()
    expect(len(simulator.child.events("accepted")) == count, "another site's page fired a push")


def check_other_extension(browser, folder):
    """Any program with ExtensionHost.run: this one traps."""
    os.mkdir(folder)
    simulator = Simulator(folder, "--extension", program("BrokenExtensions"))
    visit = Visit(browser, simulator.url)
    await_text(visit.page, "#about", "BrokenExtensions")
    set_payload(visit.page, alert("Shown as it came", **{"mutable-content": 1}))
    fire(visit.page)
    await_text(visit.page, "#explanation", "The process crashed with signal")
    await_shown(visit.page, "Shown as it came")
    visit.close()
    simulator.child.stop()
    # One that answers only when its time is over.
    late = os.path.join(folder, "late")
    with open(late, "w") as file:
        file.write(f"#!/bin/sh\nexec '{program('BrokenExtensions')}' handlerTooLate\n")
    os.chmod(late, 0o755)
    os.mkdir(os.path.join(folder, "second"))
    simulator = Simulator(os.path.join(folder, "second"), "--extension", late)
    visit = Visit(browser, simulator.url)
    await_text(visit.page, "#about", "late")
    set_condition(visit.page, "expiry", "early")
    set_payload(visit.page, alert("Late", **{"mutable-content": 1}))
    fire(visit.page)
    await_text(visit.page, "#timeline", "serviceExtensionTimeWillExpire")
    visit.close()
    simulator.child.stop()


def check_keyboard(page):
    page.reload()
    await_text(page, "#remarks", "APNs would accept it")
    page.keyboard.press("Tab")
    expect(page.evaluate("document.activeElement.className") == "skip", "the first stop is not the skip link")
    page.keyboard.press("Enter")
    page.locator("#payload").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type(json.dumps(alert("By keyboard")))
    before = page.locator("#push").input_value()
    page.keyboard.press("Control+Enter")
    page.wait_for_function("before => document.querySelector('#push').value !== before", arg=before)
    await_shown(page, "By keyboard")


def measure(page):
    """Milliseconds from the key to the picture, without what passed between the phone and its screen."""
    page.locator("#message summary").click()
    page.locator("#message-title").fill("Ada")
    times = []
    for number in range(FIRE_COUNT):
        text = f"Measured {number}"
        page.locator("#message-body").fill(text)
        before = page.locator("#payload").input_value()
        page.locator("#seal").click()
        page.wait_for_function("before => document.querySelector('#payload').value !== before", arg=before)
        whole = page.evaluate(
            """text => new Promise(resolve => {
                const start = performance.now();
                const phone = document.querySelector('#phone');
                const observer = new MutationObserver(() => {
                    if (!phone.querySelector('img')?.alt.includes(text)) return;
                    observer.disconnect();
                    resolve(performance.now() - start);
                });
                observer.observe(phone, {childList: true, subtree: true});
                document.querySelector('#form').requestSubmit();
            })""",
            text,
        )
        await_text(page, "#timeline", "on the screen")
        steps = {row.split("\t")[1]: int(row.split()[0]) for row in page.locator("#timeline tbody").inner_text().split("\n")
                 if "\t" in row}
        extension = steps["on the screen"] - steps["at the phone"]
        times.append((whole - extension, extension))
    return statistics.median(one for one, _ in times), statistics.median(other for _, other in times)


def check_looks(browser, url):
    for name, width, scheme in [("light", 1280, "light"), ("dark", 1280, "dark"), ("phone", NARROW, "light"),
                                ("phone in the dark", NARROW, "dark")]:
        visit = Visit(browser, url, width=width, color_scheme=scheme)
        await_text(visit.page, "#remarks", "APNs would accept it")
        visit.page.wait_for_selector("#phone img, #phone p")
        visit.page.locator("#message summary").click()
        visit.check_accessible(name)
        visit.check_width(name)
        visit.close()


def make_pictures(browser, url):
    os.makedirs(PICTURES, exist_ok=True)
    for name, width, height, scheme in [("light", 1280, 660, "light"), ("dark", 1280, 660, "dark"),
                                        ("phone", NARROW, 900, "light")]:
        visit = Visit(browser, url, width=width, height=height, color_scheme=scheme, reduced_motion="reduce")
        page = visit.page
        await_text(page, "#remarks", "APNs would accept it")
        page.locator("#message summary").click()
        page.locator("#message-title").fill("Ada")
        page.locator("#message-body").fill("Lunch at noon?")
        page.locator("#seal").click()
        page.wait_for_function("() => document.querySelector('#payload').value.includes('sealed')")
        await_text(page, "#remarks", "APNs would accept it")
        fire(page)
        await_shown(page, "Lunch at noon?")
        await_text(page, "#timeline", "acknowledged")
        page.evaluate("window.scrollTo(0, 0)")
        page.screenshot(path=os.path.join(PICTURES, f"{name}.png"), animations="disabled")
        visit.close()


def main():
    makes_pictures = sys.argv[1:] == ["--pictures"]
    expect(makes_pictures or not sys.argv[1:], "usage: Tests/Conformance/Service/playground [--pictures]")
    with tempfile.TemporaryDirectory() as folder, chromium(
        "--host-resolver-rules=MAP rebound.example 127.0.0.1"
    ) as browser:
        simulator = Simulator(folder)
        visit = Visit(browser, simulator.url, permissions=["clipboard-read", "clipboard-write"])
        page = visit.page
        steps = [
            ("composer", lambda: check_composer(page)),
            ("fire", lambda: check_fire(page)),
            ("refusal", lambda: check_refusal(page)),
            ("sealed", lambda: check_sealed(page)),
            ("conditions", lambda: check_conditions(page)),
            ("copies", lambda: check_copies(page, simulator)),
            ("replay", lambda: check_replay(page, simulator)),
            ("hostile", lambda: check_hostile(page, simulator)),
            ("extension", lambda: check_other_extension(browser, os.path.join(folder, "other"))),
            ("callers", lambda: check_callers(simulator, browser)),
            ("keyboard", lambda: check_keyboard(page)),
            ("accessible", lambda: (visit.check_accessible("after all of it"), visit.check_width("after all of it"))),
            ("looks", lambda: check_looks(browser, simulator.url)),
        ]
        await_text(page, "#remarks", "APNs would accept it")
        size = visit.check_first_load()
        expect(urlsplit(page.url).fragment == "", "the address keeps the secret")
        for name, step in steps:
            start = time.monotonic()
            step()
            print(f"playground: {name}: {time.monotonic() - start:.1f} s", flush=True)
        whole, extension = measure(page)
        print(f"playground: first load {size} bytes; fired to shown {whole:.0f} ms beside the extension's "
              f"{extension:.0f} ms (median of {FIRE_COUNT})")
        if makes_pictures:
            make_pictures(browser, simulator.url)
        simulator.child.stop()
        await_text(page, "#alert", "The simulator does not answer")
        visit.close()


if __name__ == "__main__":
    main()
