#!/usr/bin/env python3
"""Makes a package of Alamofire's tests that runs over another module: convert.py CHECKOUT FOLDER MODULE DEPENDENCY PORT

Copies the checkout's Tests into FOLDER/Tests. The import of Alamofire becomes one of MODULE, a product of the package in the folder
DEPENDENCY. What excluded.txt lists is left out, the server's port is replaced, and Support.swift is added. FOLDER/counts.json has the
number of test functions in all, and how many were left out. Prints the names in excluded.txt that Alamofire no longer has.
"""
import json
import os
import re
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

PACKAGE = """\
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "AlamofireSuite",
    dependencies: [.package(path: "%(dependency)s")],
    targets: [
        .testTarget(
            name: "AlamofireTests",
            dependencies: [.product(name: "%(module)s", package: "%(identity)s")],
            path: "Tests",
            resources: [.process("Resources")]
        )
    ],
    swiftLanguageModes: [.v5]
)
"""

# A check of Alamofire's own state in tests: Support.swift has one by the public interface.
STATE_CHECK = re.compile(r"assert\(on: session\.rootQueue\) \{\n\s*let \(isTaskMapEmpty, .*?\n        \}", re.S)

# Tests that Alamofire leaves out on Linux for want of something that only Foundation or zlib lacks there: they run.
MISSING_THERE = re.compile(
    r"^(?:#if canImport\(zlib\) && !os\(Android\)| +#if canImport\(Darwin\)| +#if !canImport\(FoundationNetworking\)) *(?=//|$)", re.M
)

TEST = re.compile(r"^\s*(?:@\w+(?:\(.*\))? )*func (test\w+)\(", re.M)
SWIFT_TEST = re.compile(r"^\s*@Test\b", re.M)


def exclusions():
    """The files, and the declarations as (type, member), in excluded.txt."""
    files, members = set(), set()
    with open(os.path.join(HERE, "excluded.txt"), encoding="utf-8") as lines:
        for line in lines:
            name = line.split(":")[0].strip()
            if not name or name.startswith("#"):
                continue
            if name.endswith(".swift"):
                files.add(name)
            else:
                members.add(tuple(name.split("/")))
    return files, members


def without(lines, first, name):
    """Cuts a member, its comments and attributes from the type that begins on the line `first`. Indentation says where each ends."""
    indent = len(lines[first]) - len(lines[first].lstrip())
    start = re.compile(rf"(?:@\w+(?:\(.*\))? |\w+ )*(?:func|class|struct|enum|var|let|init)\b *{re.escape(name)}\b")
    index = first + 1
    while index < len(lines) and lines[index] != " " * indent + "}":
        inner = len(lines[index]) - len(lines[index].lstrip())
        if inner == indent + 4 and start.match(lines[index].strip()):
            end = index
            if lines[index].count("{") != lines[index].count("}") or lines[index].rstrip().endswith("("):
                while lines[end] != " " * inner + "}":
                    end += 1
            begin = index
            while lines[begin - 1].strip().startswith(("@", "//")) and lines[begin - 1].startswith(" " * inner):
                begin -= 1
            del lines[begin : end + 1]
            return True
        index += 1
    return False


def cut(text, members):
    """Cuts members from a file's types, and says which ones it had."""
    lines, found = text.split("\n"), set()
    for kind, name in members:
        for first, line in enumerate(lines):
            if re.match(rf"(?:\w+ )*(?:class|struct|extension|enum) {kind}\b", line) and without(lines, first, name):
                found.add((kind, name))
                break
    return "\n".join(lines), found


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    """Leaves a file as it is that has this text already, so that it is not compiled again."""
    if not os.path.exists(path) or read(path) != text:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def count_tests(text):
    return len(TEST.findall(text)) + len(SWIFT_TEST.findall(text))


def convert(text, module, port):
    text = text.replace("@MainActor", "")
    text = re.sub(r"(?:@testable\s+)?\bimport Alamofire\b", f"import {module}", text)
    text = re.sub(r"\bAlamofire\.(?=[A-Z])", f"{module}.", text)
    text = MISSING_THERE.sub("#if true ", text)
    text = STATE_CHECK.sub("assertNoActiveRequests(in: session)", text)
    return re.sub(r"\b8080\b", port, text)


def main():
    checkout, folder, module, dependency, port = sys.argv[1:]
    source, target = os.path.join(checkout, "Tests"), os.path.join(folder, "Tests")
    os.makedirs(target, exist_ok=True)
    shutil.copytree(os.path.join(source, "Resources"), os.path.join(target, "Resources"), dirs_exist_ok=True)
    files, members = exclusions()
    known, total, left = set(), 0, 0
    converted = {"Support.swift": convert(read(os.path.join(HERE, "Support.swift")), module, port)}
    for name in os.listdir(source):
        if not name.endswith(".swift"):
            continue
        text = read(os.path.join(source, name))
        total += count_tests(text)
        if name in files:
            known.add(name)
            continue
        text, found = cut(text, members)
        known |= found
        left += count_tests(text)
        converted[name] = convert(text, module, port)
    for name in os.listdir(target):
        if name.endswith(".swift") and name not in converted:
            os.remove(os.path.join(target, name))
    for name, text in converted.items():
        write(os.path.join(target, name), text)
    dependency = os.path.realpath(dependency)
    values = {"dependency": dependency, "identity": os.path.basename(dependency).lower(), "module": module}
    write(os.path.join(folder, "Package.swift"), PACKAGE % values)
    write(os.path.join(folder, "counts.json"), json.dumps({"total": total, "excluded": total - left}))
    for name in sorted("/".join(name) if isinstance(name, tuple) else name for name in (files | members) - known):
        print(f"excluded.txt names {name}, which is not there")


if __name__ == "__main__":
    main()
