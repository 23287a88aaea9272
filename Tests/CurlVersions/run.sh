#!/usr/bin/env bash
# Runs the tests with another libcurl than the system's, because Firewheel must behave the same with every release.
#
#   run.sh FOLDER [FILTER]   FOLDER holds that libcurl.so.4;
#                            FILTER is a regular expression for test names, as for `swift test --filter`
#
# To build one from curl's source (a checkout needs `autoreconf -fi` first), with the headers of OpenSSL, nghttp2, zlib and brotli
# installed:
#
#   ./configure --with-openssl --with-nghttp2 --with-zlib --with-brotli --without-libpsl \
#     --enable-versioned-symbols --disable-static && make -C lib
#   run.sh …/lib/.libs
#
# Not in CI, which has one libcurl. Start Tests/Servers first and set its environment, because releases differ most in HTTP/2.
set -euo pipefail

folder="$(cd "${1:?the folder of a libcurl.so.4}" && pwd)"
[[ -e "$folder/libcurl.so.4" ]] || { echo "there is no libcurl.so.4 in $folder" >&2; exit 1; }
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

swift build --build-tests
tests="$(swift build --show-bin-path)/FirewheelPackageTests.xctest"
loaded="$(LD_LIBRARY_PATH="$folder" ldd "$tests" | awk '$1 == "libcurl.so.4" { print $3 }')"
[[ "$loaded" == "$folder/libcurl.so.4" ]] || { echo "the tests would load $loaded" >&2; exit 1; }

# The test program is started directly, because SwiftPM uses libcurl, too.
filter=()
[[ -z "${2:-}" ]] || filter=(--filter "$2")
LD_LIBRARY_PATH="$folder" "$tests" --testing-library swift-testing "${filter[@]}"
