#!/usr/bin/env bash
# Runs the cookie and date cases of the http-state working group against CookieJar, and prints the counts.
#
#   Tests/HTTPState/run.sh [checkout of github.com/abarth/http-state]
#
# Without a checkout it clones one for the run. Nothing of the group's is kept here. The exit status is 1 if a case or a date has an
# unexpected result.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# The version whose cases Expected.swift covers.
version=155e45c
if (($#)); then
    checkout="$1"
else
    checkout="$(mktemp -d)"
    trap 'rm -rf "$checkout"' EXIT
    git clone --quiet https://github.com/abarth/http-state "$checkout" >&2
    git -C "$checkout" checkout --quiet "$version"
fi
build="${HTTP_STATE_BUILD:-$here/.build}"
swift build --package-path "$here" --scratch-path "$build" >&2
"$build/debug/HTTPState" "$checkout"
