#!/usr/bin/env bash
# Feeds libFuzzer's inputs to the parsers and checks their properties: see Targets.
#
#   Tests/Fuzz/fuzz.sh [seconds for each] [target…]     default: 120 s, every target
#   Tests/Fuzz/fuzz.sh check                            checks that the targets build and run: 1,000 inputs of each, always the same
#
# Everything it writes is in FUZZ_DIR, by default .build/fuzz: `corpus-<target>` grows from run to run, `found-<target>` holds inputs that
# broke a property, crashed, or took more than 10 s or 2 GB. The exit status is the number of targets with findings.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../.." && pwd)"
work="${FUZZ_DIR:-$root/.build/fuzz}"
length="${1:-120}"
shift || true
targets=("$@")
((${#targets[@]})) || targets=(media-type charset date form location url json http-date response chunks http2 gzip deflate br zstd image lines utf8 events xml plist socks connect proxy-variable websocket websocket-messages websocket-extensions)
if [[ "$length" == check ]]; then
    # Built without optimisation, which would take most of the time.
    optimisation=-Onone
    limit=(-runs=1000 -seed=1)
else
    optimisation=-O
    limit=(-max_total_time="$length")
fi
mkdir -p "$work"

# The library and the targets are one module, so that internal names are visible; it has the library's name, which the library uses itself.
objects=()
sources="$root/Sources/CFirewheelSystem"
echo "module CFirewheelSystem { header \"$sources/include/CFirewheelSystem.h\" export * }" >"$work/module.modulemap"
for source in "$sources"/*.c; do
    object="$work/$(basename "$source" .c).o"
    clang -O1 -g -fsanitize=address -I "$sources/include" -c "$source" -o "$object"
    objects+=("$object")
done
find "$root"/Sources/Firewheel{,Image,XML} "$here/Targets" "$root/Tests/FirewheelTests/HTTP/HTTPDateWriter.swift" \
    "$root/Tests/FirewheelTests/Serialization/Streams/StreamReference.swift" \
    -name '*.swift' -not -path '*/Sources/Firewheel[IX]*/Exports.swift' | sort >"$work/files"
cd "$work"
# Files of FirewheelImage and FirewheelXML import the module that they are part of here, which the compiler warns about.
swiftc -swift-version 6 -suppress-warnings -sanitize=fuzzer,address -parse-as-library -module-name Firewheel -package-name Firewheel "$optimisation" -g -whole-module-optimization -use-ld=lld \
    -Xcc "-fmodule-map-file=$work/module.modulemap" "@$work/files" "${objects[@]}" -o "$work/fuzz"

# libFuzzer prints the location; Swift's own backtrace takes minutes.
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0
failed=0
for target in "${targets[@]}"; do
    mkdir -p "$work/corpus-$target" "$work/found-$target"
    log="$work/$target.log"
    FUZZ_TARGET="$target" "$work/fuzz" "${limit[@]}" -max_len=1048576 -timeout=10 -rss_limit_mb=2048 \
        -dict="$here/Dictionaries/$target" -artifact_prefix="$work/found-$target/" -print_final_stats=1 \
        "$work/corpus-$target" "$here/Seeds/$target" >"$log" 2>&1 || failed=$((failed + 1))
    printf '%-20s %10s executions, %5s inputs that reached something new, %s found\n' "$target" \
        "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" "$(ls "$work/corpus-$target" | wc -l)" "$(ls "$work/found-$target" | wc -l)"
done
exit "$failed"
