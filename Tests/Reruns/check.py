#!/usr/bin/env python3
"""Checks .ci/run-tests on tests that fail, crash and hang as they are told: check.py FOLDER

Builds the package beside this file in FOLDER, and needs nothing else.
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "../../.ci/run-tests")
BUILD = os.path.abspath(sys.argv[1])
FLAKY_ONE = ["SampleTests.First/one()"]

# What is checked; what the tests are told; the exit code; the flaky tests, all of which the output names; a part of the output.
CASES = [
    ("nothing fails", {}, 0, [], "Test run with 13 tests"),
    ("fails once", {"one": "fail 1"}, 0, FLAKY_ONE, "one fails in run 1"),
    ("fails every other time", {"one": "fail 1 3 5"}, 1, [], "red: SampleTests.First/one() failed by itself, at repetition 2"),
    ("fails in the last repetition", {"one": "fail 1 4"}, 1, [], "at repetition 3"),
    ("always fails", {"one": "fail"}, 1, [], "red: SampleTests.First/one() failed by itself, at repetition 1"),
    ("one argument fails once", {"cases": "fail 1"}, 0, ["SampleTests.First/cases(number:)"], "with 2"),
    ("names with spaces and free functions", {"spaces": "fail 1", "free": "fail 1"}, 0,
     ["SampleTests.Second/`a name with spaces`()", "SampleTests.free()"], "spaces fails in run 1"),
    ("one of two fails again", {"one": "fail 1", "two": "fail 1 2"}, 1, FLAKY_ONE, "red: SampleTests.First/two()"),
    ("five fail once", {name: "fail 1" for name in ("one", "two", "three", "four", "five")}, 0,
     ["SampleTests.First/one()", "SampleTests.First/two()", "SampleTests.First/three()", "SampleTests.Second/four()", "SampleTests.Second/five()"],
     "one fails in run 1"),
    ("six fail once", {name: "fail 1" for name in ("one", "two", "three", "four", "five", "six")}, 1, [], "red: 6 failures, more than 5"),
    # All tests of a process without a width have begun, so that those that had not ended are flaky together.
    ("crashes once", {"two": "crash 1"}, 0, None, "flaky: SampleTests.First/two()"),
    ("crashes in the second whole run", {"two": "crash 1 2"}, 1, [], "red: the test process broke off twice"),
    ("crashes by itself", {"two": "crash 1 4"}, 1, None, "red: SampleTests.First/two() crashed by itself, at repetition 2"),
    ("crashes once, and another one fails again after it", {"two": "crash 1", "three": "fail"}, 1, None,
     "red: SampleTests.First/three() failed by itself"),
    ("hangs once", {"three": "hang 1"}, 0, None, "flaky: SampleTests.First/three()"),
    ("hangs in the second whole run", {"three": "hang 1 2"}, 1, [], "red: the test process broke off twice"),
    ("ends with an error after its tests", {"end": "1"}, 1, [], "red: the process ended with"),
]


def run(binary, case):
    title, told, code, flaky, part = case
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, SAMPLE_RUNS=folder, **told)
        listed = os.path.join(folder, "flaky")
        # Seconds without a word are a hang only where one is wanted: the machine may be busy.
        stall = "10" if any("hang" in words for words in told.values()) else "300"
        options = ["--stall", stall, "--width", "1000", "--flaky", listed, "--events", os.path.join(folder, "events")]
        result = subprocess.run([SCRIPT, *options, "--", binary, "--testing-library", "swift-testing"], env=environment, capture_output=True, text=True)
        output = result.stdout + result.stderr
        lines = re.findall(r"^flaky: (.*)$", output, re.M)
        kept = re.findall(r"^flaky: (.*)$", open(listed).read(), re.M) if os.path.exists(listed) else []
        faults = []
        if result.returncode != code:
            faults.append(f"exit code {result.returncode}, not {code}")
        if flaky is not None and sorted(lines) != sorted(flaky):
            faults.append(f"flaky are {lines}, not {flaky}")
        if kept != lines:
            faults.append(f"the file has {kept}, and the output {lines}")
        if part not in output:
            faults.append(f"does not say {part!r}")
        if not os.path.exists(os.path.join(folder, "events")):
            faults.append("left no events")
        return title, faults, output


def command(*words):
    """What the script makes of a command that runs no test."""
    result = subprocess.run([SCRIPT, "--", *words], capture_output=True, text=True)
    faults = [] if result.returncode == 1 and "red: no test was run" in result.stdout else [f"exit code {result.returncode}"]
    return f"runs {' '.join(words)}", faults, result.stdout + result.stderr


def main():
    build = ["swift", "build", "--build-tests", "--package-path", HERE, "--scratch-path", BUILD]
    subprocess.run(build, check=True)
    folder = subprocess.run([*build, "--show-bin-path"], check=True, capture_output=True, text=True).stdout.strip()
    binary = os.path.join(folder, "RerunsPackageTests.xctest")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda case: run(binary, case), CASES)) + [command("false"), command("true")]
    bad = [result for result in results if result[1]]
    for title, faults, output in bad:
        print(f"✘ {title}: {'; '.join(faults)}\n{output}\n")
    print(f"reruns: {len(results) - len(bad)} of {len(results)} cases are as they should be")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
