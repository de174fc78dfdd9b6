"""Opens each log of folders in Inspect AI's own viewer, in a browser without a window, and looks at what it shows.

view_log.py BROWSER FOLDER...
"""

import json
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

from inspect_ai.log import read_eval_log
from playwright.sync_api import expect, sync_playwright


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def served(folder):
    port = free_port()
    command = ["inspect", "view", "start", "--log-dir", folder, "--port", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}/"
    for _ in range(3000):
        try:
            urllib.request.urlopen(address, timeout=5).read()
            return server, address
        except OSError:
            time.sleep(0.1)
    server.kill()
    raise SystemExit("inspect view did not start")


def look(browser, path):
    log = read_eval_log(str(path))
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(path, folder)
        server, address = served(folder)
        faults = []
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.on("pageerror", lambda error: faults.append(str(error)))
        try:
            page.goto(address)
            body = page.locator("body")
            expect(body).to_contain_text(log.eval.task, timeout=600_000)
            for sample in log.samples:
                expect(body).to_contain_text(str(sample.id), timeout=600_000)
            if len(log.samples) == 1:
                look_at_sample(page, log.samples[0])
        finally:
            page.close()
            server.kill()
            server.wait()
    assert not faults, faults
    return len(log.samples)


def look_at_sample(page, sample):
    body = page.locator("body")
    said = next(message.text for message in sample.messages if message.role == "system")
    begin = said.split("\n")[0].split(":")[0].split("*")[0].strip()
    page.get_by_role("tab", name="Transcript", exact=False).first.click()
    expect(body).to_contain_text(begin, timeout=600_000)
    page.get_by_role("tab", name="Messages", exact=False).first.click()
    expect(body).to_contain_text(begin, timeout=600_000)
    page.get_by_role("tab", name="Scoring", exact=False).first.click()
    for name in sample.scores:
        expect(body).to_contain_text(name, timeout=600_000, ignore_case=True)


def main():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=sys.argv[1], args=["--no-sandbox"])
        told = {}
        for folder in map(pathlib.Path, sys.argv[2:]):
            for path in sorted(folder.glob("*.eval")):
                told[path.name] = look(browser, path)
        browser.close()
    assert told, "there is no log"
    print("inspect view:", json.dumps(list(told.values())), "samples of logs shown")


main()
