"""Debian's chromium, driven by Playwright: one page at a time, with what every page of ours has to fulfil."""

import contextlib
import shutil
import sys
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from black_box.programs import PATIENCE

FIRST_LOAD_MAX = 60_000
NARROW = 360


def fail(sentence):
    sys.exit(f"browser: {sentence}")


@contextlib.contextmanager
def chromium(*words):
    """A browser of Playwright's. `words` are chromium's own."""
    path = shutil.which("chromium") or fail("there is no chromium: run scripts/prerequisites chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", *words])
        yield browser
        browser.close()


class Visit:
    """A page and what went wrong in it: errors, dialogs, requests off its own server, violations of its policy."""

    def __init__(self, browser, url, width=1280, height=900, **options):
        self.origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
        self.context = browser.new_context(viewport={"width": width, "height": height}, **options)
        self.context.set_default_timeout(PATIENCE * 1000)
        self.page = self.context.new_page()
        self.problems = []
        self.answers = []
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        self.page.on("dialog", self.dismiss)
        self.page.on("request", self.check_request)
        self.page.on("response", lambda answer: self.answers.append(answer))
        self.page.on("console", self.check_console)
        self.page.goto(url)

    def dismiss(self, dialog):
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def check_request(self, request):
        if not request.url.startswith((self.origin + "/", "data:")):
            self.problems.append(f"request off the server: {request.url}")

    def check_console(self, message):
        if "Content Security Policy" in message.text:
            self.problems.append(f"policy: {message.text}")

    def check_first_load(self):
        """Call before anything is done in the page."""
        sizes = {}
        for answer in self.answers:
            path = urlsplit(answer.url).path
            if answer.url.startswith(self.origin) and not path.endswith("/events"):
                sizes[path] = len(answer.body()) + sum(len(k) + len(v) + 4 for k, v in answer.all_headers().items())
        if sum(sizes.values()) >= FIRST_LOAD_MAX:
            fail(f"the first load has {sum(sizes.values())} bytes, more than {FIRST_LOAD_MAX}: {sizes}")
        return sum(sizes.values())

    def check_accessible(self, what):
        results = Axe().run(self.page)
        if results.violations_count:
            fail(f"{what}: axe finds\n{results.generate_report()}")

    def check_width(self, what):
        width = self.page.evaluate("document.scrollingElement.scrollWidth")
        if width > self.page.viewport_size["width"]:
            fail(f"{what}: the page is {width} px wide, the window {self.page.viewport_size['width']}")

    def close(self):
        self.context.close()
        if self.problems:
            fail("; ".join(self.problems))
