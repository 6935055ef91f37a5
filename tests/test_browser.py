"""The report and the Data Docs of a hostile run, in a browser: no error, no request to the network, nothing that overflows."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from planted import LINKS, planted_run

HREFS = "return [...document.links].map(link => [link.protocol, link.getAttribute('href')])"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
WIDTHS = (390, 1440)


@pytest.fixture(scope="module")
def browser():
    """Headless Chromium that resolves no name, so that a request is an error, with its console and its requests on record."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed: pip install -e '.[dev]'")
    binary = next(filter(None, map(shutil.which, CHROMIUM)), None)
    driver = shutil.which("chromedriver")
    if not binary or not driver:
        pytest.skip("Chromium or its driver is missing: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND"):
        options.add_argument(argument)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    # With the path given, selenium looks for no driver on the network.
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield started
    started.quit()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return planted_run(tmp_path_factory.mktemp("planted")).folder


def requests(browser):
    """The URLs that pages asked for since the last look, by protocol message."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = {one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"}
    return sent | {one["params"]["url"] for one in messages if one["method"] == "Network.webSocketCreated"}


def set_width(browser, width):
    """A window is never narrower than 500 pixels: a device may be."""
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def overflow(browser):
    """The elements that reach past the window's right edge and are in nothing that scrolls by itself."""
    return browser.execute_script(
        """
        const scrolls = one => { for (let at = one; at && at !== document.body; at = at.parentElement) {
            if (["auto", "scroll", "hidden"].includes(getComputedStyle(at).overflowX)) return true; } return false; };
        const wide = document.documentElement.scrollWidth > window.innerWidth;
        return !wide ? [] : ["page " + document.documentElement.scrollWidth].concat([...document.body.querySelectorAll("*")]
            .filter(one => one.getBoundingClientRect().right > window.innerWidth + 1 && !scrolls(one)).slice(0, 5)
            .map(one => one.outerHTML.slice(0, 200)));
        """
    )


def pages(folder):
    return [folder / "report.html", *sorted((folder / "data_docs").glob("*.html"))]


def test_the_log_of_requests_sees_a_request(browser, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<title>x</title><img src=http://tracker.example/x.png><script>throw new Error('seen')</script>")
    browser.get(page.as_uri())
    assert requests(browser) == {page.as_uri(), "http://tracker.example/x.png"}
    assert any("seen" in entry["message"] for entry in browser.get_log("browser"))


def test_pages_open_without_an_error_or_a_request_and_nothing_planted_runs(browser, folder):
    requests(browser), browser.get_log("browser")
    opened = pages(folder)
    assert [path.name for path in opened[:1]] == ["report.html"]
    for path in opened:
        browser.get(path.as_uri())
        browser.execute_script("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert browser.execute_script("return document.readyState") == "complete"
        assert browser.execute_script("return document.scripts.length + document.images.length") == 0, path.name
        asked = {url for url in requests(browser) if not url.startswith("data:")}
        assert {url for url in asked if Path(url.removeprefix("file://")).suffix not in (".html", ".css")} == set(), path.name
        assert {url for url in asked if not url.startswith("file://")} == set(), path.name
        assert browser.get_log("browser") == [], path.name
    # A dialog left open by planted code would have made a command above fail.
    assert browser.execute_script("return window.alert.toString()").endswith("{ [native code] }")


def test_the_report_shows_planted_text_and_links_only_to_http(browser, folder):
    browser.get((folder / "report.html").as_uri())
    assert "<script>alert(1)</script>" in browser.execute_script("return document.body.textContent")
    assert {tuple(link) for link in browser.execute_script(HREFS)} == {("https:", LINKS[-1]), ("file:", "data_docs/index.html")}


def test_data_docs_are_opened_too(folder):
    if not (folder / "data_docs" / "index.html").exists():
        pytest.skip("this run has no Data Docs")
    assert len(pages(folder)) > 2


@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_scrolls_sideways_as_a_whole(browser, folder, width):
    set_width(browser, width)
    for path in pages(folder):
        browser.get(path.as_uri())
        browser.execute_script("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert browser.execute_script("return window.innerWidth") == width
        assert overflow(browser) == [], path.name
