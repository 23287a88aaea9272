#!/usr/bin/env bash
# Many runs of the chaos suite (Tests/FirewheelTests/Chaos): random chains against hostile servers on the loopback address.
#
#   Tests/Chaos/chaos.sh [runs] [seed]
#
#   runs   the number of scenarios, in processes of 5,000 each. Default: 20,000.
#   seed   the first scenario's; the others' follow it. Default: a random one, which is printed.
#
# Environment:
#   FIREWHEEL_CHAOS_ARGUMENTS   more arguments for `swift test`, such as "--sanitize=thread --scratch-path /tmp/tsan"
#
# Every failure is printed with its seed, the problem and a description of the scenario. To repeat one scenario 100 times:
#
#   FIREWHEEL_CHAOS_SEED=<its seed> swift test --filter ChaosTests
#
# Exits with 1 if any process failed. On an overloaded machine a run may be reported as hanging.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

runs="${1:-20000}"
seed="${2:-$((RANDOM * 32768 + RANDOM))00000}"
piece=5000
read -r -a arguments <<<"${FIREWHEEL_CHAOS_ARGUMENTS:-}"

swift build --build-tests "${arguments[@]}" || exit 1
echo "chaos: $runs runs from seed $seed"
failed=0
for ((done = 0; done < runs; done += piece)); do
    count=$((runs - done < piece ? runs - done : piece))
    FIREWHEEL_CHAOS_RUNS="$count" FIREWHEEL_CHAOS_SEED="$((seed + done))" \
        swift test --skip-build "${arguments[@]}" --filter 'FirewheelTests\.ChaosTests' || failed=1
done
exit "$failed"
