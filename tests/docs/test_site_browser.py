"""Every page in Debian's chromium: nothing leaves the machine, nothing fails, nothing scrolls sideways."""
import re
import shutil

import pytest

pytestmark = pytest.mark.slow
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-component-update",
         "--disable-background-networking", "--disable-sync"]
WIDTHS = [1280, 400]


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="no Playwright: make .venv/.browser")
    if not shutil.which("chromium"):
        pytest.skip("no chromium on this machine: apt-get install chromium")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module", params=WIDTHS)
def look(request, browser):
    """A page of one width, and what went wrong on it: requests to outside, failures, errors."""
    page, wrong = browser.new_page(viewport={"width": request.param, "height": 800}), []
    page.on("request", lambda request: re.match("file|data|blob", request.url) or wrong.append(request.url))
    page.on("requestfailed", lambda request: wrong.append(f"failed: {request.url}"))
    page.on("console", lambda message: message.type == "error" and wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    yield page, wrong, request.param
    page.close()


def brightness(page, what):
    colour = page.evaluate(f"getComputedStyle(document.body).{what}")
    return sum(map(float, re.findall(r"[\d.]+", colour)[:3]))


def test_every_page(look, site, pages):
    page, wrong, width = look
    for name in pages:
        page.goto((site / name).as_uri(), wait_until="load")
        page.wait_for_function("!document.querySelector('.math') || document.querySelector('mjx-container')",
                               timeout=20_000)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.wait_for_function(f"document.documentElement.dataset.theme == '{scheme}'", timeout=20_000)
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{name} is {wide} wide at {width}, {scheme}"
            dark_text = brightness(page, "color") < brightness(page, "backgroundColor")
            assert dark_text == (scheme == "light"), f"{name}: text and ground, {scheme}"
        assert not wrong, name


def test_search_works_without_a_server(look, site):
    page, wrong, _ = look
    page.goto((site / "search.html").as_uri() + "?q=padding")
    page.wait_for_selector("#search-results li a", timeout=20_000)
    assert not wrong


def test_mathematics_is_drawn(look, site):
    page, wrong, _ = look
    page.goto((site / "lessons" / "optimizers.html").as_uri())
    page.wait_for_selector("mjx-container svg", timeout=20_000)
    assert not wrong


def test_a_reader_may_choose_light_or_dark(browser, site):
    page = browser.new_page(color_scheme="light")
    for mode in ("dark", "light"):
        page.goto((site / "index.html").as_uri())
        page.locator(".theme-switch-button:visible").click()
        page.locator(f".theme-change-button[data-mode={mode}]:visible").click()
        page.goto((site / "design.html").as_uri())  # the next page remembers
        assert page.evaluate("document.documentElement.dataset.theme") == mode
    page.close()


def test_the_drawing_is_readable_on_a_phone(browser, site):
    page = browser.new_page(viewport={"width": 400, "height": 800})
    page.goto((site / "index.html").as_uri())
    heights = page.evaluate("[...document.querySelectorAll('svg.way text')]"
                            ".map(text => text.getBoundingClientRect().height)")
    page.close()
    assert len(heights) > 20 and min(heights) >= 12

