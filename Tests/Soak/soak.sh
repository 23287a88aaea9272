#!/usr/bin/env bash
# Minutes of mixed traffic (10 by default), after which the process must hold no more memory, descriptors and threads than after the first
# two.
# usage: Tests/Soak/soak.sh [minutes]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
# The servers use internals of the library.
arguments=(-c release -Xswiftc -enable-testing)
swift build "${arguments[@]}" --product Soak
exec "$(swift build "${arguments[@]}" --show-bin-path)/Soak" "${1:-10}"
