#!/usr/bin/env python3
"""The table of every public symbol of Alamofire in Documentation/Migration/Alamofire5.md.

    symbols.py make ALAMOFIRE_GRAPHS GRAPHS     writes the table
    symbols.py check GRAPHS                     compares the table with FirewheelAlamofire; .ci/reference calls it

GRAPHS is the folder that .ci/reference writes: a folder of symbol graphs for each module. ALAMOFIRE_GRAPHS is one of Alamofire's, made on Linux:

    swift build --package-path Alamofire
    swift symbolgraph-extract -module-name Alamofire -target x86_64-unknown-linux-gnu -I Alamofire/.build/debug/Modules \\
        -minimum-access-level public -emit-extension-block-symbols -output-dir ALAMOFIRE_GRAPHS

symbols.txt says what differs, and why a symbol is missing. A symbol counts as the same if FirewheelAlamofire, or Firewheel, which it re-exports,
has one of the same name, argument labels included, as a member of the same type or of its superclass.
"""
import fnmatch
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "Documentation/Migration/Alamofire5.md"
BEGIN, END = "<!-- symbols: written by Tests/Alamofire/symbols.py -->\n", "<!-- end of symbols -->\n"
# Where members are inherited from.
INHERITED = {
    "DataRequest": ["Request"], "DataStreamRequest": ["Request"], "DownloadRequest": ["Request"], "UploadRequest": ["DataRequest"],
    "RequestInterceptor": ["RequestAdapter", "RequestRetrier"],
}


def symbols(folder, module, synthesized=True):
    """The public symbols of a module: their paths, each with None or the path that an alias stands for.

    synthesized: whether with members that a type has from a protocol's extension.
    """
    found = {}
    for file in sorted(pathlib.Path(folder).glob(f"{module}*.symbols.json")):
        for symbol in json.loads(file.read_text())["symbols"]:
            kind = symbol["kind"]["identifier"]
            if kind == "swift.extension" or not synthesized and "::SYNTHESIZED::" in symbol["identifier"]["precise"]:
                continue
            alias = None
            if kind == "swift.typealias":
                text = "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])
                alias = text.split(" = ")[-1].split("<")[0].removeprefix("Firewheel.")
            found[".".join(symbol["pathComponents"])] = alias
    if not found:
        sys.exit(f"symbols.py: {folder} has no symbols of {module}")
    return found


class Ours:
    def __init__(self, graphs):
        # FirewheelAlamofire's types hide Firewheel's of the same name, with their members.
        self.own = symbols(graphs / "FirewheelAlamofire", "FirewheelAlamofire")
        self.shared = symbols(graphs / "Firewheel", "Firewheel")

    def has(self, path):
        parts = path.split(".")
        if path in self.own:
            return True
        for count in range(len(parts) - 1, 0, -1):
            prefix = ".".join(parts[:count])
            if prefix in self.own:
                alias = self.own[prefix]
                if alias and alias != prefix:
                    return self.has(".".join([alias] + parts[count:]))
                if alias:
                    break
                return any(self.has(".".join([name] + parts[1:])) for name in INHERITED.get(parts[0], []))
        return self.shares(parts)

    def shares(self, parts):
        if ".".join(parts) in self.shared:
            return True
        for count in range(len(parts) - 1, 0, -1):
            alias = self.shared.get(".".join(parts[:count]))
            if alias and alias != ".".join(parts[:count]):
                return self.shares(alias.split(".") + parts[count:])
        return False


def notes():
    """The lines of symbols.txt: pattern, differs or missing, reason."""
    lines = [line.strip() for line in (HERE / "symbols.txt").read_text().splitlines()]
    parsed = [tuple(line.split(": ", 2)) for line in lines if line and not line.startswith("#")]
    for note in parsed:
        # "; " separates the reasons of a cell.
        if len(note) != 3 or note[1] not in ("differs", "missing") or "; " in note[2]:
            sys.exit(f"symbols.py: not a note: {note}")
    return parsed


def make(theirs, ours):
    """The table, from Alamofire's symbols."""
    used, rows, problems = set(), {}, []
    all_notes = notes()

    def note(path, status):
        for pattern, kind, reason in all_notes:
            if kind == status and fnmatch.fnmatchcase(path, pattern):
                used.add((pattern, kind))
                return reason
        return None

    for path in sorted(theirs):
        head, _, member = path.partition(".")
        row = rows.setdefault(head, ([], {}, {}))
        name = member or head
        if (reason := note(path, "differs")) is not None:
            row[1].setdefault(reason, []).append(name)
        elif ours.has(path):
            row[0].append(name)
        elif (reason := note(path, "missing")) is not None:
            row[2].setdefault(reason, []).append(name)
        else:
            problems.append(f"{path} is missing without a reason")
    problems += [f"{pattern} is no {kind} symbol" for pattern, kind, _ in all_notes if (pattern, kind) not in used]
    if problems:
        sys.exit("symbols.py: " + "\nsymbols.py: ".join(problems))

    def code(names):
        return ", ".join(f"`{name}`" for name in names)

    def reasons(groups):
        return "; ".join(f"{code(names)}: {reason}" for reason, names in groups.items())

    lines = ["| symbols of | the same | differs | missing |", "| --- | --- | --- | --- |"]
    lines += [f"| `{head}` | {code(same)} | {reasons(differs)} | {reasons(missing)} |" for head, (same, differs, missing) in sorted(rows.items())]
    return "\n".join(lines) + "\n"


def check(ours):
    """Fails if a symbol is not as the table says."""
    problems, count = [], 0
    for line in section().splitlines()[2:]:
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) != 4:
            sys.exit(f"symbols.py: not a row of the table: {line[:80]}")
        head = cells[0].strip("` ")
        for cell, is_here in zip(cells[1:], (True, None, False)):
            for name in names(cell):
                count += 1
                path = head if name == head else f"{head}.{name}"
                # What differs may have other argument labels.
                if is_here is not None and ours.has(path) != is_here:
                    problems.append(f"{path} is {'missing' if is_here else 'here'}, unlike what the table says")
    if problems or count < 900:
        sys.exit("symbols.py: " + "\nsymbols.py: ".join(problems or [f"only {count} symbols"]))
    print(f"symbols: {count} of Alamofire are as the table says")


def names(cell):
    """The names of a cell: those before the reasons, which may have code as well."""
    for group in cell.split("; "):
        yield from (name for name in group.split("`: ")[0].strip("`").split("`, `") if name)


def section():
    return PAGE.read_text().split(BEGIN)[1].split(END)[0]


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "make":
        table = make(symbols(sys.argv[2], "Alamofire", synthesized=False), Ours(pathlib.Path(sys.argv[3])))
        before, rest = PAGE.read_text().split(BEGIN)
        PAGE.write_text(before + BEGIN + table + END + rest.split(END)[1])
        check(Ours(pathlib.Path(sys.argv[3])))
    elif len(sys.argv) == 3 and sys.argv[1] == "check":
        check(Ours(pathlib.Path(sys.argv[2])))
    else:
        sys.exit(__doc__)


main()
