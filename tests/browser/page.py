"""A page in a headless Chromium, as a person would use it, and what the browser says of it."""

import base64
import json
import pathlib
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

# Chromium asks servers of its own for many things; none of this is of interest here.
QUIET = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-default-apps", "--disable-extensions", "--hide-scrollbars",
         "--disable-dev-shm-usage")


def start_browser(downloads):
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in QUIET:
        options.add_argument(argument)
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    driver.execute_cdp_cmd("Browser.setDownloadBehavior",
                           {"behavior": "allow", "downloadPath": str(downloads)})
    return driver


class Page:
    def __init__(self, driver, path, downloads):
        self.driver = driver
        self.path = pathlib.Path(path)
        self.downloads = pathlib.Path(downloads)

    # Opens the page anew, with a window of this size, for a user who prefers this theme; `media` may
    # be "print".
    def open(self, width=1200, height=900, theme="light", media=""):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "media": media, "features": [{"name": "prefers-color-scheme", "value": theme}]})
        self.driver.get("about:blank")
        for log in ("browser", "performance"):
            self.driver.get_log(log)
        self.driver.get(self.path.as_uri())
        self.wait("return document.documentElement.dataset.ready === 'true'")
        return self

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    # Waits until a script returns something that is true, and returns it.
    def wait(self, text, *arguments, seconds=20):
        end = time.monotonic() + seconds
        while True:
            value = self.script(text, *arguments)
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError(f"after {seconds} s, this is still not so: {text}")
            time.sleep(0.02)

    def all(self, selector, inside=None):
        return (inside or self.driver).find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector, inside=None):
        found = self.all(selector, inside)
        assert found, f"{selector} is not on the page"
        return found[0]

    # The data that the program wrote into the page.
    def data(self):
        return json.loads(self.script("return document.getElementById('data').textContent"))

    # Draws all figures, as scrolling through the page would, and returns their ids.
    def draw_all(self):
        self.script("window.dispatchEvent(new Event('beforeprint'))")
        self.wait("return [...document.querySelectorAll('figure')].every(f => f.dataset.drawn)")
        return self.script("return [...document.querySelectorAll('figure')].map(f => f.id)")

    # Scrolls to a figure and returns it when it is drawn.
    def figure(self, name):
        self.script("document.getElementById(arguments[0]).scrollIntoView()", name)
        self.wait("return document.getElementById(arguments[0]).dataset.drawn", name)
        return self.driver.find_element(By.ID, name)

    # The marks below a selector, each as its data- attributes.
    def marks(self, selector):
        return self.script(
            "return [...document.querySelectorAll(arguments[0])].map(e => ({...e.dataset}))",
            selector)

    # Moves the pointer to a place inside an element, given as shares of its size.
    def hover(self, element, x=0.5, y=0.5):
        self.script("arguments[0].scrollIntoView({block: 'center'})", element)
        box = self.script("const b = arguments[0].getBoundingClientRect();"
                          "return [b.left, b.top, b.width, b.height]", element)
        self.pointer(box[0] + x * box[2], box[1] + y * box[3])

    def click(self, element):
        self.script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def pointer(self, x, y, kind="mouseMoved", buttons=0):
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {
            "type": kind, "x": x, "y": y, "button": "left" if buttons else "none",
            "buttons": buttons, "clickCount": 1 if kind != "mouseMoved" else 0})

    def press(self, element, *keys):
        self.script("arguments[0].focus()", element)
        for key in keys:
            self.driver.switch_to.active_element.send_keys(getattr(Keys, key, key))

    def tooltip(self):
        return self.script("const t = document.getElementById('tooltip');"
                           "return t.hidden ? '' : t.innerText")

    # Clicks a download button of a figure, and returns the name and the text of the file. Chromium
    # stops after some 20 downloads, until the page is opened again.
    def download(self, figure, kind):
        for old in self.downloads.iterdir():
            old.unlink()
        button = self.one(f"[data-download={kind}]", figure)
        self.click(button)
        end = time.monotonic() + 20
        while time.monotonic() < end:
            files = [f for f in self.downloads.iterdir() if f.suffix != ".crdownload"
                     and not f.name.startswith(".")]
            if files and files[0].stat().st_size > 0:
                return files[0].name, files[0].read_text(encoding="utf-8")
            time.sleep(0.02)
        raise AssertionError(f"{figure.get_attribute('id')}: no {kind} file has come")

    # What went wrong, in the browser's words.
    def problems(self):
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] in ("SEVERE", "WARNING")]

    # All addresses that the page has asked for, but its own.
    def requests(self):
        urls = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                urls.append(message["params"]["request"]["url"])
        own = self.path.as_uri()
        return [url for url in urls if url.split("#")[0] != own
                and not url.startswith(("data:", "blob:", "about:"))]

    def scrolls_sideways(self):
        return self.script("return document.documentElement.scrollWidth > window.innerWidth")

    # Takes a picture of an element, or of its upper part.
    def screenshot(self, path, selector="body", height=None):
        left, top, width, whole = self.script(
            "const b = document.querySelector(arguments[0]).getBoundingClientRect();"
            "return [b.left + scrollX, b.top + scrollY, b.width, b.height]", selector)
        picture = self.driver.execute_cdp_cmd("Page.captureScreenshot", {
            "captureBeyondViewport": True,
            "clip": {"x": left, "y": top, "width": width, "height": min(height or whole, whole),
                     "scale": 1}})
        pathlib.Path(path).write_bytes(base64.b64decode(picture["data"]))
