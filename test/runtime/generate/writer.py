"""Has a character model write, with f32 weights and with weights of 8 bits, and prints the texts: writer.py BIN MODEL."""
import json
import subprocess
import sys

PROMPT = "With samples "
PLAIN = ["--max-tokens=200"]
DRAWN = [*PLAIN, "--temperature=0.7", "--top-p=0.9", "--seed=3"]


def write(*options):
    ids = ",".join(str(i) for i in PROMPT.encode())
    command = [f"{sys.argv[1]}/pir-run", f"{sys.argv[2]}/model.json", f"--generate={ids}", "--position=position", "--json", *options]
    said = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return said["tokens"], said


plain, said = write(*PLAIN)
print("text: " + PROMPT + bytes(plain).decode())
print("copied bytes:", said["copied_bytes"])
eight, small = write(*PLAIN, "--pipeline=weight_only{bits=8,least=1},compile")
print("8 bits: " + ("the same" if eight == plain else PROMPT + bytes(eight).decode()))
print("weights:", "smaller" if small["weight_bytes"] < 0.5 * said["weight_bytes"] else (small["weight_bytes"], said["weight_bytes"]))
print("kernels:", "the same" if write(*PLAIN, "--pipeline=kernels")[0] == plain else "others")
drawn = write(*DRAWN)[0]
print("drawn: " + PROMPT + bytes(drawn).decode())
print("two threads:", "the same" if write(*DRAWN, "--threads=2")[0] == drawn else "others")
