#!/usr/bin/env bash
# Plays the public suite of HTTP caching tests with a session and its cache against the suite's own server. Prints the cases that do not
# pass, and the counts.
#
#   Tests/CacheTests/run.sh <checkout of github.com/http-tests/cache-tests>
#
# The cases are those of cache-tests.json here; only the server is the checkout's. It needs node, and nothing from npm. With
# FIREWHEEL_CACHE_TABLE=1 the results of all cases are printed. The exit status is 1 unless all required cases pass but for one that
# SocketTransport refuses, and as many optimal ones as in the best browser.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
if (($# != 1)); then
    echo "usage: Tests/CacheTests/run.sh <checkout of github.com/http-tests/cache-tests>" >&2
    exit 2
fi
checkout="$1"
if [[ ! -f "$checkout/test-engine/server/server.mjs" ]]; then
    echo "$checkout is not a checkout of github.com/http-tests/cache-tests" >&2
    exit 2
fi
if ! command -v node > /dev/null; then
    echo "The server of the suite needs node, which is not installed." >&2
    exit 2
fi
build="${CACHE_TESTS_BUILD:-$here/.build}"
swift build --package-path "$here" --scratch-path "$build" >&2

folder="$(mktemp -d)"
server=
program=
clean_up() {
    # Unquoted, because one that was not started has no id.
    for process in $program $server; do
        kill "$process" 2> /dev/null || true
        wait "$process" 2> /dev/null || true
    done
    rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

port="$(node -e 'const s = require("net").createServer().listen(0, () => { console.log(s.address().port); s.close() })')"
npm_config_protocol=http npm_config_port="$port" npm_config_pidfile="$folder/pid" \
    node "$checkout/test-engine/server/server.mjs" > "$folder/log" 2>&1 &
server=$!
# The server says when it listens; another process that has taken the port since would not.
for ((tries = 0; ; tries++)); do
    grep -q "^Listening on " "$folder/log" && break
    if ! kill -0 "$server" 2> /dev/null || ((tries == 100)); then
        echo "The server of the suite does not start:" >&2
        cat "$folder/log" >&2
        exit 1
    fi
    sleep 0.1
done
# Each case has connections of its own, which are more than some systems allow at first.
ulimit -n 4096 2> /dev/null || true
# In the background, so that a signal ends the script at once.
"$build/debug/CacheTests" "http://127.0.0.1:$port" &
program=$!
wait "$program"
