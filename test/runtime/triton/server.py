"""A real Triton server over a model repository, for tests and measurements.

  Server(build, venv, repository, *options, **environment)   in a `with`: runs until its end; .http and .grpc are host:port

`venv` is an environment that has nvidia-pytriton, whose wheel holds the server (serve.sh makes one)."""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def add_model(repository, name, files, config='backend: "pir"\n', version=1):
    """Copies files into a version of a model; a pair is a file and its name there. Large ones are linked."""
    folder = pathlib.Path(repository) / name / str(version)
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        source, target = file if isinstance(file, tuple) else (file, pathlib.Path(file).name)
        if pathlib.Path(source).stat().st_size > 1 << 24:
            (folder / target).symlink_to(pathlib.Path(source).resolve())
        else:
            shutil.copy(source, folder / target)
    (folder.parent / "config.pbtxt").write_text(config)


class Server:
    def __init__(self, build, venv, repository, *options, **environment):
        (home,) = pathlib.Path(venv).glob("lib/python3*/site-packages/pytriton/tritonserver")
        http, grpc = free_ports(2)
        self.http, self.grpc = f"127.0.0.1:{http}", f"127.0.0.1:{grpc}"
        self.log = pathlib.Path(repository).with_suffix(".log")
        command = [home / "bin/tritonserver", f"--model-repository={repository}", f"--backend-directory={pathlib.Path(build).resolve()}/lib/triton",
                   "--http-address=127.0.0.1", f"--http-port={http}", "--grpc-address=127.0.0.1", f"--grpc-port={grpc}", "--allow-metrics=false",
                   "--exit-on-error=false", "--exit-timeout-secs=5", *options]
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **environment})

    def __enter__(self):
        end = time.monotonic() + 240
        while self.ask("GET", "/v2/health/live")[0] != 200:
            if self.process.poll() is not None or time.monotonic() > end:
                self.process.kill()
                raise RuntimeError(f"the server did not start:\n{self.log.read_text()[-3000:]}")
            time.sleep(0.05)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.exit_code = self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.exit_code = self.process.wait()

    def ask(self, method, path, body=None):
        """The status and the answer, as JSON where it is JSON; status 0: nobody answers."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://{self.http}{path}", data, method=method)
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:
                status, text = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        except OSError:
            return 0, {}
        try:
            return status, json.loads(text or b"{}")
        except ValueError:
            return status, {"text": text.decode(errors="replace")}

    def states(self):
        """Of each model and version: its state and the reason."""
        return {(m["name"], m.get("version", "")): (m.get("state", ""), m.get("reason", "")) for m in self.ask("POST", "/v2/repository/index")[1]}

    def config(self, model):
        return self.ask("GET", f"/v2/models/{model}/config")[1]

    def stats(self, model):
        """The statistics of a model's first version; empty where the server has none."""
        return (self.ask("GET", f"/v2/models/{model}/stats")[1].get("model_stats") or [{}])[0]

    def memory(self):
        """Bytes that the process has in memory."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) * 1024

    def threads(self):
        return len(list(pathlib.Path(f"/proc/{self.process.pid}/task").iterdir()))

    def files(self):
        return len(list(pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir()))
