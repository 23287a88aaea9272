#!/usr/bin/env bash
# Compiles each .swift file beside this script against the built module, as Swift 5 and as Swift 6: check.sh [OPTIONS OF swift build]
#
# A file begins with the errors that the compiler has to report for it, each on a line of its own, as often as it is reported:
# `// error: TEXT`. A file without any has to compile without a warning. No file may have other errors than those and "does not conform to
# protocol".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
built="$(swift build "$@" --show-bin-path)"
options=(-typecheck -I "$built/Modules" -Xcc "-fmodule-map-file=$built/CFirewheelSystem.build/module.modulemap" -I Sources/CFirewheelSystem/include)

faults=0
fault() {
    printf 'compile errors: %s as Swift %s: %s\n%s\n' "$file" "$version" "$1" "$output" >&2
    faults=$((faults + 1))
}

count=0
for file in Tests/CompileErrors/*.swift; do
    mapfile -t expected < <(sed -n 's|^// error: ||p' "$file")
    for version in 5 6; do
        count=$((count + 1))
        status=0
        output="$(swiftc "${options[@]}" -swift-version "$version" "$file" 2>&1)" || status=$?
        if ((${#expected[@]} == 0)); then
            [[ "$status" == 0 && -z "$output" ]] || fault "expected neither an error nor a warning"
            continue
        fi
        [[ "$status" != 0 ]] || fault "it compiles"
        # One line per diagnostic begins with the file's name. An error that is expected several times has several lines.
        errors="$(grep -E "^[^ ]*: error: " <<<"$output" || true)"
        for text in "${expected[@]}"; do
            wanted="$(printf '%s\n' "${expected[@]}" | grep -cxF -- "$text")"
            found="$(grep -cF -- "$text" <<<"$errors" || true)"
            [[ "$found" == "$wanted" ]] || fault "$found errors with \"$text\", not $wanted"
        done
        unexpected="$(cat <<<"$errors" | grep -vF -f <(printf '%s\n' "${expected[@]}") | grep -v "does not conform to protocol" || true)"
        [[ -z "$unexpected" ]] || fault "another error: $unexpected"
    done
done
((count > 0 && faults == 0)) || exit 1
echo "compile errors: $count compilations as expected"
