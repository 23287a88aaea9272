#!/usr/bin/env bash
# An independent parser of URL-encoded forms: `qs` of Node.js.
#
#   form-parser.sh install   installs Debian's or Ubuntu's packages of Node.js and qs if they are missing (apt, as root)
#   form-parser.sh env       prints the environment for tests: eval "$(Tests/Servers/form-parser.sh env)"
#   form-parser.sh parse     reads forms, one a line, and prints the result of each as a line of JSON
set -euo pipefail

directory="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
readonly directory
# Debian's module folder, which another Node.js does not search.
export NODE_PATH="${NODE_PATH:+$NODE_PATH:}/usr/share/nodejs"

say() { printf 'form-parser.sh: %s\n' "$*" >&2; }

die() {
    say "$@"
    exit 1
}

is_there() { command -v node >/dev/null && node -e 'require("qs")' 2>/dev/null; }

install() {
    is_there && return
    command -v apt-get >/dev/null || die "Node.js or qs is not installed, and there is no apt-get to install them with"
    [[ "$(id -u)" == 0 ]] || die "Node.js or qs is not installed, and only root can install them: apt-get install nodejs node-qs"
    say "installing nodejs and node-qs"
    export DEBIAN_FRONTEND=noninteractive
    local options=(-y -q --no-install-recommends) packages=(node-qs)
    command -v node >/dev/null || packages+=(nodejs)
    apt-get install "${options[@]}" "${packages[@]}" >&2 \
        || { apt-get update -q >&2 && apt-get install "${options[@]}" "${packages[@]}" >&2; } \
        || die "could not install ${packages[*]}"
    is_there || die "Node.js does not find qs in $NODE_PATH"
}

case "${1:-}" in
install) install ;;
env)
    is_there || die "Node.js or qs is missing: run form-parser.sh install"
    printf 'export FIREWHEEL_FORM_PARSER=%q\n' "$directory/form-parser.sh"
    ;;
parse) exec node "$directory/parse-forms.js" ;;
*)
    printf 'usage: %s install|env|parse\n' "$0" >&2
    exit 2
    ;;
esac
