#!/usr/bin/env bash
# Independent parsers of multipart forms: `werkzeug` and `multipart` of PyPI.
#
#   multipart-parser.sh install   makes a Python environment with both (multipart-requirements.txt)
#   multipart-parser.sh env       prints the environment for tests: eval "$(Tests/Servers/multipart-parser.sh env)"
#   multipart-parser.sh parse     reads the forms in files, and prints the result of each as a line of JSON (parse-multipart.py)
#
# The environment is in FIREWHEEL_SERVERS_DIR, or .build/servers of the repository.
set -euo pipefail

folder="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
. "$folder/common.sh"

readonly environment="$state/multipart"
readonly python="$environment/bin/python"

is_there() {
    cmp -s "$folder/multipart-requirements.txt" "$environment/installed.txt" && "$python" -c 'import multipart, werkzeug' 2>/dev/null
}

# The list of installed packages is written last, so that an incomplete environment is made anew.
install() {
    local log="$state/multipart.log"
    is_there && return
    mkdir -p "$state"
    say "installing werkzeug and multipart"
    rm -rf "$environment"
    if ! python3 -m venv "$environment" >"$log" 2>&1; then
        rm -rf "$environment"
        install_packages python3-venv
        /usr/bin/python3 -m venv "$environment" >"$log" 2>&1 || die "could not make a Python environment; see $log"
    fi
    "$python" -m pip install --quiet --disable-pip-version-check --no-input -r "$folder/multipart-requirements.txt" >>"$log" 2>&1 \
        || die "could not install werkzeug and multipart; see $log"
    cp "$folder/multipart-requirements.txt" "$environment/installed.txt"
}

case "${1:-}" in
install) install ;;
env)
    is_there || die "werkzeug or multipart is missing: run multipart-parser.sh install"
    printf 'export FIREWHEEL_MULTIPART_PARSER=%q\n' "$folder/multipart-parser.sh"
    ;;
parse) exec "$python" "$folder/parse-multipart.py" "${@:2}" ;;
*)
    printf 'usage: %s install|env|parse\n' "$0" >&2
    exit 2
    ;;
esac
