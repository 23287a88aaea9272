#!/usr/bin/env bash
# Documents of other programs: feeds, pages, envelopes, drawings, property lists, images, and what those programs say is in them.
#
#   documents.sh install   makes a Python environment (documents-requirements.txt), installs ImageMagick if it is missing (apt, as root),
#                          and writes the documents
#   documents.sh env       prints the environment for tests: eval "$(Tests/Servers/documents.sh env)"
#
# Environment and documents are in FIREWHEEL_SERVERS_DIR, or .build/servers of the repository.
set -euo pipefail

folder="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
. "$folder/common.sh"

readonly environment="$state/documents"
readonly python="$environment/bin/python"
readonly output="$environment/made"

is_there() {
    cmp -s "$folder/documents-requirements.txt" "$environment/installed.txt" && "$python" -c 'import feedgen, zeep, PIL' 2>/dev/null
}

# The list of installed packages is written last, so that an incomplete environment is made anew.
install() {
    local log="$state/documents.log"
    mkdir -p "$state"
    [[ -x /usr/bin/convert ]] || install_packages --no-install-recommends imagemagick
    if ! is_there; then
        say "installing feedgen, zeep, docutils, svgwrite and Pillow"
        rm -rf "$environment"
        if ! python3 -m venv "$environment" >"$log" 2>&1; then
            rm -rf "$environment"
            install_packages python3-venv
            /usr/bin/python3 -m venv "$environment" >"$log" 2>&1 || die "could not make a Python environment; see $log"
        fi
        "$python" -m pip install --quiet --disable-pip-version-check --no-input -r "$folder/documents-requirements.txt" >>"$log" 2>&1 \
            || die "could not install the packages of documents-requirements.txt; see $log"
        cp "$folder/documents-requirements.txt" "$environment/installed.txt"
    fi
    rm -rf "$output"
    mkdir "$output"
    "$python" "$folder/make-documents.py" "$output" >>"$log" 2>&1 || die "could not make the documents; see $log"
}

case "${1:-}" in
install) install ;;
env)
    [[ -e "$output/contents.json" ]] || die "there are no documents: run documents.sh install"
    printf 'export FIREWHEEL_DOCUMENTS=%q\n' "$output"
    ;;
*)
    printf 'usage: %s install|env\n' "$0" >&2
    exit 2
    ;;
esac
