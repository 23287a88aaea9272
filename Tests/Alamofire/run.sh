#!/usr/bin/env bash
# Runs Alamofire's own tests over FirewheelAlamofire, with the import changed, and prints the counts.
#
#   Tests/Alamofire/run.sh <checkout of github.com/Alamofire/Alamofire, 5.12> [regular expression for the functions to run]
#
# Everything it makes is in ALAMOFIRE_DIR, by default a new folder that is removed at the end. ALAMOFIRE_JOBS functions run at once, by
# default 1. Nothing of Alamofire's is kept here. The exit status is 1 if a function crashed, or failed that differences.txt does not list.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
. "$here/../Servers/common.sh"

checkout="${1:?the folder of a checkout of Alamofire}"
filter="${2:-}"
[[ -e "$checkout/Tests/BaseTestCase.swift" ]] || die "$checkout is not a checkout of Alamofire"
if [[ -n "${ALAMOFIRE_DIR:-}" ]]; then
    mkdir -p "$ALAMOFIRE_DIR"
    folder="$(cd "$ALAMOFIRE_DIR" && pwd)"
else
    folder="$(mktemp -d)"
fi
readonly checkout filter folder
readonly python="$folder/python/bin/python" server_log="$folder/firewalk.log" build_log="$folder/build.log"
server=""

clean_up() {
    if [[ -n "$server" ]]; then
        kill "$server" 2>/dev/null || true
        wait "$server" || true
    fi
    if [[ -z "${ALAMOFIRE_DIR:-}" ]]; then rm -rf "$folder"; fi
}
trap clean_up EXIT

# The list of installed packages is written last, so that an incomplete environment is made anew.
make_environment() {
    if cmp -s "$here/requirements.txt" "$folder/python/installed.txt"; then return; fi
    say "installing aiohttp"
    rm -rf "$folder/python"
    python3 -m venv "$folder/python" >"$server_log" 2>&1 || die "could not make a Python environment; see $server_log"
    "$python" -m pip install --quiet --disable-pip-version-check --no-input -r "$here/requirements.txt" >>"$server_log" 2>&1 \
        || die "could not install aiohttp: $(tail -n 1 "$server_log")"
    cp "$here/requirements.txt" "$folder/python/installed.txt"
}

port=8080
while answers "$port"; do port=$((port + 1)); done
make_environment
python3 "$here/convert.py" "$checkout" "$folder" FirewheelAlamofire "$repository" "$port"

say "building"
if ! swift build --build-tests --package-path "$folder" >"$build_log" 2>&1; then
    grep -E '^(/[^ ]*: )?error: ' "$build_log" | sed "s|^$folder/Tests/||" | sort -u >"$folder/errors.txt" || true
    say "the most frequent errors of the compiler:"
    sed 's/^.*: error: //' "$folder/errors.txt" | sort | uniq -c | sort -rn | head -n 40
    say "the first ones:"
    head -n 40 "$folder/errors.txt"
    die "$(wc -l <"$folder/errors.txt") errors of the compiler${ALAMOFIRE_DIR:+, in $folder/errors.txt}"
fi
say "$(grep -E "^$folder/Tests/.*: warning: " "$build_log" | sort -u | wc -l) warnings of the compiler in the tests"

"$python" "$here/firewalk.py" "$port" >"$server_log" 2>&1 &
server=$!
await_answers 20 "$server_log" "$port"
"$python" "$here/run-tests.py" "$folder/.build/debug/AlamofireSuitePackageTests.xctest" "$folder" ${filter:+"$filter"}
