#!/usr/bin/env bash
# Runs the tests with one of the compiler's sanitizers.
#
#   run.sh thread [filter]    data races (ThreadSanitizer)
#   run.sh address [filter]   memory used after it was freed or beyond its end (AddressSanitizer), and leaks (LeakSanitizer)
#   run.sh memory             the same for the tests that measure memory: what is freed is really freed, and not kept to find uses of it
#
# The filter is that of `swift test`; without one the whole suite runs. Prints the numbers of tests and findings at the end, and fails if a
# test failed or there is a finding. Where servers run (Tests/Servers), their tests run as well: eval "$(Tests/Servers/servers.sh env)".
#
# The processes of exit tests are checked too. Each process writes its findings to a file in the folder `reports`, which is printed at the
# end. Known findings in other software are listed with their reasons in `thread.txt` and `leak.txt`.
#
# Tests that measure what a sanitizer itself uses are left out: see `left_out`.
#
#   FIREWHEEL_SANITIZERS_DIR   the folder for builds and reports; by default .build/sanitizers of the repository
#   SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH   concurrent tests; by default 4 here, because sanitized code is slow
#                              and tests with timeouts must still be scheduled
#   FIREWHEEL_CHAOS_RUNS       runs of the chaos suite; by default 500 here
set -euo pipefail

folder="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
repository="$(cd "$folder/../.." && pwd)"

usage() {
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2
    exit 2
}

# Tests that measure memory.
measured='(CodingBombTests/memory|CompressedBodyTests/memory|DamageTests/memory|StreamPaceTests/loop|StreamFloodTests/|UploadMemoryTests/)'

[[ $# == 1 || ($# == 2 && "$1" != memory) ]] || usage
filter=()
[[ $# == 1 ]] || filter=(--filter "$2")
quarantine=''
case "$1" in
thread | address) kind="$1" ;;
memory)
    kind=address
    filter=(--filter "$measured")
    quarantine='quarantine_size_mb=1 thread_local_quarantine_size_kb=64'
    ;;
*) usage ;;
esac

# Left out, because they measure the sanitizer:
left_out=(
    # Parsing large inputs takes minutes and delays other tests' requests.
    LinearTimeTests
    # The memory per request, of which ThreadSanitizer needs several times as much.
    'ManyConnectionsTests/many'
    # The address space of a process, of which a sanitizer needs more for each thread.
    'ScarceThreadsTests/loop'
    # A handshake of more than a second, for which the requests that wait for it do not wait any longer.
    'NginxStreamTests/multiplexed'
    'HTTP2SecureTests/sharing'
    # How many requests are answered beside a hundred handshakes.
    'SecureProcessTests/manyHandshakes'
)
# This process repeats requests until it has a response, which takes very long under ThreadSanitizer.
[[ "$kind" == address ]] || left_out+=('ProcessEndTests/exitsInHandler')
# A parser on a small stack, of which AddressSanitizer needs more. The memory of downloads whose process ends with connections that use TLS:
# see below.
[[ "$kind" == thread ]] || left_out+=('JSONParsingTests/smallStack' 'ThousandSuspensionsTests/download' 'NginxBodyTests/memory')
[[ "$1" != address ]] || left_out+=("$measured")
# Processes that end during transfers or with a session whose connections use TLS. LeakSanitizer does not find what is held through
# enumerations (`leak.txt`), and its stacks end within libssl, so that no suppression is exact.
[[ "$kind" == thread ]] || left_out+=(
    'ProcessEnd(TLS)?Tests/(exits|dropped|requestAtExit)' 'ProcessEndTLSTests/brokenPipe' 'ConnectionAgeTLSTests/closed'
    'SecureProcessTests/(exits|descriptors|noDescriptor)' 'TLSGateTests/(handshakes|initialising|inside)'
    'TrustQuestionOnWireTests/idleVerdict' 'StreamPaceTests/(fairness|elementsOnTheMainActor)'
)
# Foundation's URLSession on Linux leaks a few bytes per request within libcurl, and suppressing that would hide this library's leaks.
[[ "$kind" == thread ]] || left_out+=('URLSessionTransportTests' 'URLSessionUploadTests' 'ConformanceTests/urlSession' 'TLSConfigurationTests/urlSession')

state="${FIREWHEEL_SANITIZERS_DIR:-$repository/.build/sanitizers}"
reports="$state/reports/$kind"
log="$state/$kind.log"
rm -rf "$reports"
mkdir -p "$reports"

build=(--package-path "$repository" --sanitize "$kind" --scratch-path "$state/$kind")
swift build --build-tests "${build[@]}" -j "${FIREWHEEL_SANITIZERS_JOBS:-$(nproc)}"

export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH="${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-4}"
export FIREWHEEL_SANITIZED=1
export FIREWHEEL_CHAOS_RUNS="${FIREWHEEL_CHAOS_RUNS:-500}"
# A process with findings ends with its own exit status, so that `swift test` and exit tests fail.
export TSAN_OPTIONS="log_path=$reports/report suppressions=$folder/thread.txt second_deadlock_stack=1"
export ASAN_OPTIONS="log_path=$reports/report detect_leaks=1 detect_stack_use_after_return=0 $quarantine"
export LSAN_OPTIONS="suppressions=$folder/leak.txt print_suppressions=0 max_leaks=50"

status=0
# Without XCTest, which has no tests here and causes a LeakSanitizer finding.
swift test --skip-build --disable-xctest "${build[@]}" "${filter[@]}" "${left_out[@]/#/--skip=}" >"$log" 2>&1 || status=$?

# Failures and their details; the rest stays in the log.
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
