#!/usr/bin/env bash
# All test servers at once: nginx.sh, httpbin.sh, frames.sh and proxies.sh, each with the same word.
#
#   servers.sh start|stop|env
set -euo pipefail

folder="$(dirname "${BASH_SOURCE[0]}")"

case "${1:-}" in
start | env)
    "$folder/nginx.sh" "$1"
    "$folder/httpbin.sh" "$1"
    "$folder/frames.sh" "$1"
    "$folder/proxies.sh" "$1"
    ;;
stop)
    status=0
    "$folder/nginx.sh" stop || status=1
    "$folder/httpbin.sh" stop || status=1
    "$folder/frames.sh" stop || status=1
    "$folder/proxies.sh" stop || status=1
    exit "$status"
    ;;
*)
    printf 'usage: %s start|stop|env\n' "$0" >&2
    exit 2
    ;;
esac
