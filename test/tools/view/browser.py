"""Headless Chromium, driven over the pipe of its DevTools protocol: messages of JSON with a NUL behind each."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time


def program():
    """The path of Chromium, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Failed(Exception):
    pass


class Browser:
    def __init__(self, width=1280, height=800):
        self.folder = tempfile.mkdtemp(prefix="pir-view-")
        to_read, self.to = os.pipe()
        self.of, of_write = os.pipe()
        self.process = subprocess.Popen(
            [program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--hide-scrollbars",
             "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", f"--window-size={width},{height}",
             f"--user-data-dir={self.folder}", "about:blank"],
            preexec_fn=lambda: self.take_pipes(to_read, of_write), pass_fds=(3, 4, to_read, of_write),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(of_write)
        self.rest, self.number, self.session, self.events = b"", 0, None, []
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    @staticmethod
    def take_pipes(to_read, of_write):
        """Chromium reads descriptor 3 and writes 4."""
        a, b = os.dup(to_read), os.dup(of_write)
        os.dup2(a, 3)
        os.dup2(b, 4)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self):
        while b"\0" not in self.rest:
            piece = os.read(self.of, 1 << 20)
            if not piece:
                raise Failed("the browser ended")
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Failed(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, method, seconds=60):
        """The next event of a kind, of those that came already too."""
        end = time.time() + seconds
        while time.time() < end:
            for i, event in enumerate(self.events):
                if event.get("method") == method:
                    return self.events.pop(i)["params"]
            self.events.append(self.receive())
        raise Failed(f"no {method}")

    def open(self, path):
        """Loads a page, and waits until it has drawn. Returns the seconds that took."""
        self.events = []
        start = time.time()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait("Page.loadEventFired")
        self.value("""new Promise((done, fail) => { const end = performance.now() + 60000;
            const look = () => { if (typeof viewer === 'undefined' || performance.now() > end) fail(new Error('the page shows nothing'));
                                 else if (viewer.shownAt) done(1); else setTimeout(look, 5); }; look(); })""")
        return time.time() - start

    def value(self, expression):
        """The value of an expression in the page, which may be a promise."""
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise Failed(f"{expression}: {result['exceptionDetails'].get('exception', {}).get('description')}")
        return result["result"].get("value")

    def problems(self):
        """What the page threw or logged as errors, and what it asked of the network."""
        found = []
        for event in self.events:
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(event["params"]["exceptionDetails"]["exception"]["description"])
            if event.get("method") == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
                found.append(event["params"]["entry"]["text"])
            if event.get("method") == "Network.requestWillBeSent" and not event["params"]["request"]["url"].startswith("file:"):
                found.append("asks for " + event["params"]["request"]["url"])
        return found

    def click(self, x, y, count=1):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=count)

    def drag(self, x, y, dx, dy):
        self.call("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
        for step in (1, 2, 3):
            self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + dx * step / 3, y=y + dy * step / 3, button="left", buttons=1)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", x=x + dx, y=y + dy, button="left", clickCount=1)

    def wheel(self, x, y, delta):
        self.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=delta)

    def settle(self):
        """Waits for two frames, so that what was asked for is drawn."""
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def frames(self, expression):
        """Runs an expression under Chromium's trace. Returns the milliseconds between the frames that were shown meanwhile."""
        self.call("Tracing.start", transferMode="ReportEvents", traceConfig={"includedCategories": ["disabled-by-default-devtools.timeline.frame", "devtools.timeline.frame"]})
        self.value(expression)
        self.call("Tracing.end")
        self.wait("Tracing.tracingComplete")
        traced = [e for event in self.events if event.get("method") == "Tracing.dataCollected" for e in event["params"]["value"]]
        self.events = [event for event in self.events if event.get("method") != "Tracing.dataCollected"]
        shown = sorted(e["ts"] for e in traced if e["name"] == "DrawFrame")
        return [(b - a) / 1000 for a, b in zip(shown, shown[1:])]

    def picture(self, path):
        self.settle()
        shot = self.call("Page.captureScreenshot", format="png")
        with open(path, "wb") as out:
            out.write(base64.b64decode(shot["data"]))
