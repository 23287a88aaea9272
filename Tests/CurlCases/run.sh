#!/usr/bin/env bash
# Serves the replies of curl's own HTTP test cases byte by byte, and compares the chain's results with curl's: the same body, or an error.
# Prints the counts.
#
#   Tests/CurlCases/run.sh <checkout of github.com/curl/curl> [test number…]
#
# Nothing of curl's is kept here. The exit status is 1 if a case differs for a reason that Explained.swift does not list.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
checkout="${1:?the folder of a checkout of curl}"
shift
swift build --package-path "$here" --scratch-path "${CURL_CASES_BUILD:-$here/.build}" >&2
exec "${CURL_CASES_BUILD:-$here/.build}/debug/CurlCases" "$checkout" "$@"
