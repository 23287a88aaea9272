#!/usr/bin/env bash
# The tests with a sanitizer of the compiler's built in, which finds what goes right by luck.
#
#   run.sh thread [filter]    data races (ThreadSanitizer)
#   run.sh address [filter]   memory used after it was freed or beyond its end (AddressSanitizer), and memory that nobody frees (LeakSanitizer)
#
# The filter is that of `swift test`; without one the whole suite runs. Ends with the numbers of tests and of findings, and fails if a test did or
# if there is a finding. Where servers run (Tests/Servers), their tests run as well: eval "$(Tests/Servers/servers.sh env)".
#
# The processes of exit tests are looked at as all others are. What a sanitizer says goes to a file for each process, in the folder `reports`, and is
# printed at the end. What is known and not ours is in `thread.txt` and `leak.txt`, each entry with its reason.
#
# Tests that measure what a sanitizer takes itself are left out: see `left_out`.
#
#   FIREWHEEL_SANITIZERS_DIR   where the builds and reports go; by default .build/sanitizers of the repository
#   SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH   tests at once; by default 4 here, since sanitized code is some ten times slower, and tests
#                              that let time pass shall still have their turns
#   FIREWHEEL_CHAOS_RUNS       runs of the chaos suite; by default 500 here
set -euo pipefail

folder="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
repository="$(cd "$folder/../.." && pwd)"

usage() {
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2
    exit 2
}

[[ $# == 1 || $# == 2 ]] || usage
case "$1" in
thread | address) kind="$1" ;;
*) usage ;;
esac
filter=()
[[ $# == 1 ]] || filter=(--filter "$2")

# What is left out, since it measures the sanitizer:
left_out=(
    # The time that megabytes take: minutes, in which other tests' requests wait for a processor.
    LinearTimeTests
    # The memory of many requests, some 120 kB each under TSan instead of less than 40.
    'ManyConnectionsTests/many'
    # A process that may take no more addresses, of which a sanitizer wants more for each thread.
    'ScarceThreadsTests/loop'
)
# Its process asks and cancels without end until it has an answer, which a server under TSan gives only after thousands of connections.
[[ "$kind" == address ]] || left_out+=('ProcessEndTests/exitsInHandler')
# A parser on a small stack, of which AddressSanitizer's frames take several times as much; and the memory of downloads, which it keeps when it is freed.
[[ "$kind" == thread ]] || left_out+=('JSONParsingTests/smallStack' 'ThousandSuspensionsTests/download' 'NginxBodyTests/memory')
# Processes that call exit() in the middle of transfers, whose memory hangs on pointers that LeakSanitizer does not see (`leak.txt`).
[[ "$kind" == thread ]] || left_out+=('ProcessEnd(TLS)?Tests/(exits|dropped|requestAtExit)')
# Foundation's URLSession on Linux loses some 45 bytes a request, the parts of its URL, within libcurl: a suppression would hide ours there too.
[[ "$kind" == thread ]] || left_out+=('URLSessionTransportTests' 'ConformanceTests/urlSession')

state="${FIREWHEEL_SANITIZERS_DIR:-$repository/.build/sanitizers}"
reports="$state/reports/$kind"
log="$state/$kind.log"
rm -rf "$reports"
mkdir -p "$reports"

build=(--package-path "$repository" --sanitize "$kind" --scratch-path "$state/$kind")
swift build --build-tests "${build[@]}" -j "${FIREWHEEL_SANITIZERS_JOBS:-$(nproc)}"

export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH="${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-4}"
export FIREWHEEL_CHAOS_RUNS="${FIREWHEEL_CHAOS_RUNS:-500}"
# A process with findings ends with a status of its own, so that `swift test` and exit tests fail by it.
export TSAN_OPTIONS="log_path=$reports/report suppressions=$folder/thread.txt second_deadlock_stack=1"
export ASAN_OPTIONS="log_path=$reports/report detect_leaks=1 detect_stack_use_after_return=0"
export LSAN_OPTIONS="suppressions=$folder/leak.txt print_suppressions=0 max_leaks=50"

status=0
# Without XCTest, which has no tests here and leaves the record of none to LeakSanitizer.
swift test --skip-build --disable-xctest "${build[@]}" "${filter[@]}" "${left_out[@]/#/--skip=}" >"$log" 2>&1 || status=$?

# Failures and their details; the rest, thousands of lines, stays in the log.
grep -E '^(✘|↳)' "$log" | grep -vE '^↳ (Testing Library Version|Target Platform)' || true
findings=0
for report in "$reports"/*; do
    [[ -s "$report" ]] || continue
    cat "$report"
    findings=$((findings + $(grep -cE '^(WARNING: ThreadSanitizer|==[0-9]+==ERROR: )' "$report" || true)))
done
printf '\n%s sanitizer, %s at once: %s\n' "$kind" "$SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH" \
    "$(grep -E 'Test run with' "$log" | tail -1 || true)"
printf '%s findings, status %s; log: %s\n' "$findings" "$status" "$log"
((findings == 0)) && exit "$status"
exit 1
