#!/usr/bin/python3
"""Takes a picture of a page, or of the upper part of one of its sections."""

import argparse
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True

from page import Page, start_browser


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("picture", type=pathlib.Path)
    parser.add_argument("--width", type=int, default=1000)
    parser.add_argument("--height", type=int, help="of the picture at most")
    parser.add_argument("--section", default="body", help="a CSS selector, such as #inside")
    parser.add_argument("--theme", choices=["light", "dark"], default="light")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as downloads:
        browser = start_browser(downloads)
        try:
            page = Page(browser, arguments.page.resolve(), downloads)
            page.open(arguments.width, 900, arguments.theme)
            page.draw_all()
            page.screenshot(arguments.picture, arguments.section, arguments.height)
        finally:
            browser.quit()


if __name__ == "__main__":
    main()
