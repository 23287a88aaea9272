#!/usr/bin/env python3
"""Runs each of Alamofire's test functions in a process of its own, and counts what comes of it: run-tests.py BINARY FOLDER [FILTER]

BINARY is the bundle of tests that Swift Package Manager made in FOLDER, FILTER a regular expression for the names of the functions to run.
A function that fails is run once more. FOLDER/failures.log has what the failed ones said. ALAMOFIRE_JOBS processes run at once: 1 by
default, since many of the functions measure times.

Ends with status 1 if a function crashed or did not end, or if one failed that differences.txt does not list.
"""
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = 90
COLORS = re.compile(r"\x1b\[[0-9;]*m")
REASON = re.compile(r"([\w+]+\.swift:\d+): error: [\w.]+ : (.*)$|recorded an issue.*? at ([\w+]+\.swift:\d+):\d+: (.*)$", re.M)


def environment(home):
    """Files, cookies and temporary files of one process never meet those of another."""
    return os.environ | {"HOME": home, "TMPDIR": home, "XDG_DATA_HOME": home, "XDG_CACHE_HOME": home, "SWIFT_BACKTRACE": "enable=no"}


def listed(binary, *library):
    result = subprocess.run([binary, *library, "--list-tests"], capture_output=True, text=True, timeout=SECONDS, check=True)
    return [name for name in result.stdout.split("\n") if name.startswith("AlamofireTests.")]


def command(binary, name):
    if name.endswith(")"):
        return [binary, "--testing-library", "swift-testing", "--filter", f"^{re.escape(name)}/"]
    return [binary, name]


def attempt(binary, name):
    """What became of one function, and what it said."""
    with tempfile.TemporaryDirectory() as home:
        process = subprocess.Popen(
            command(binary, name), env=environment(home), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            output = process.communicate(timeout=SECONDS)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return "hung", COLORS.sub("", process.communicate()[0].decode(errors="replace"))
    output = COLORS.sub("", output.decode(errors="replace"))
    if process.returncode < 0:
        return "crashed", f"{output}\n{signal.Signals(-process.returncode).name}\n"
    if process.returncode != 0:
        return "failed", output
    ran = re.search(r"Executed 1 test,|Test run with 1 test .*passed", output)
    return ("passed" if ran else "failed"), output


def run(binary, name):
    """The result at the first attempt, the final one, and what was said at the last attempt."""
    first, output = attempt(binary, name)
    if first != "failed":
        return name, first, first, output
    second, again = attempt(binary, name)
    return name, first, second, output if second == "passed" else again


def reason(output):
    match = REASON.search(output)
    if match:
        return " ".join(part.strip() for part in match.groups() if part)[:200]
    words = [line for line in output.split("\n") if "Fatal error" in line or line.startswith("SIG")]
    return " ".join(words)[:200]


def differences():
    with open(os.path.join(HERE, "differences.txt"), encoding="utf-8") as lines:
        return {line.split(":")[0].strip() for line in lines if line.strip() and not line.startswith("#")}


def short(name):
    return name.removeprefix("AlamofireTests.").removesuffix("()")


def show(title, lines):
    if lines:
        print(f"\n{title}:")
        for line in sorted(lines):
            print(f"  {line}")


def main():
    binary, folder = sys.argv[1:3]
    names = listed(binary) + listed(binary, "--testing-library", "swift-testing")
    chosen = [name for name in names if re.search(sys.argv[3] if len(sys.argv) > 3 else "", name)]
    jobs = int(os.environ.get("ALAMOFIRE_JOBS", "1"))
    results = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for done, result in enumerate(pool.map(lambda name: run(binary, name), chosen), 1):
            results.append(result)
            if result[2] != "passed" or done % 50 == 0:
                print(f"{done} of {len(chosen)}: {short(result[0])} {result[2]}", file=sys.stderr, flush=True)

    with open(os.path.join(folder, "counts.json"), encoding="utf-8") as file:
        counts = json.load(file)
    with open(os.path.join(folder, "failures.log"), "w", encoding="utf-8") as log:
        for name, first, final, output in results:
            if first != "passed":
                log.write(f"=== {short(name)}: {first}, then {final}\n{output}\n")

    by = {kind: [] for kind in ("passed", "failed", "crashed", "hung")}
    for name, _, final, output in results:
        by[final].append((short(name), reason(output)))
    again = [f"{short(name)}: {reason(output)}" for name, first, final, output in results if first != final]
    expected = differences()
    known = [name for name, _ in by["failed"] if name in expected]
    unknown = [f"{name}: {why}" for name, why in by["failed"] if name not in expected]
    show("Crashed", [f"{name}: {why}" for name, why in by["crashed"]])
    show("Did not end", [name for name, _ in by["hung"]])
    show("Failed", unknown)
    show("Failed as differences.txt says", known)
    show("In differences.txt, but passed", [name for name, _ in by["passed"] if name in expected])
    show("Otherwise at the second attempt", again)
    hidden = counts["total"] - counts["excluded"] - len(names)
    print(f"\n{counts['total']} functions in all: {counts['excluded']} left out, {hidden} not for this system, {len(names)} attempted")
    if len(chosen) < len(names):
        print(f"{len(chosen)} of them chosen")
    print(", ".join(f"{len(found)} {kind}" for kind, found in by.items()))
    sys.exit(1 if by["crashed"] or by["hung"] or unknown or not chosen else 0)


if __name__ == "__main__":
    main()
