#!/usr/bin/env bash
# Compiles Moya over FirewheelAlamofire, with its imports as they are: -module-alias Alamofire=FirewheelAlamofire.
#
#   Tests/Alamofire/moya.sh <checkout of github.com/Moya/Moya>
#
# Everything is made in a new folder, which is removed at the end. Nothing of Moya's is kept here.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
. "$here/../Servers/common.sh"

checkout="${1:?the folder of a checkout of Moya}"
[[ -d "$checkout/Sources/Moya" ]] || die "$checkout is not a checkout of Moya"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

cp -R "$checkout/Sources/Moya" "$folder/Moya"
# Foundation on Linux is in two modules.
grep -rlZ '^import Foundation$' "$folder/Moya" | xargs -0 sed -i 's/^import Foundation$/import Foundation\nimport FoundationNetworking/'
# What Moya uses of Apple's systems.
cat >"$folder/Moya/OnLinux.swift" <<'SWIFT'
import Foundation

public struct ImageType {
    public init?(data: Data) { return nil }
}

let NSEC_PER_SEC: UInt64 = 1_000_000_000

extension NSDictionary {
    func value(forKeyPath path: String) -> Any? {
        path.split(separator: ".").reduce(self as Any?) { value, key in (value as? NSDictionary)?[String(key)] }
    }
}

extension FileManager: @retroactive Hashable {
    public static func == (left: FileManager, right: FileManager) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
SWIFT
cat >"$folder/Package.swift" <<SWIFT
// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "MoyaOverFirewheel",
    dependencies: [.package(name: "Firewheel", path: "$repository")],
    targets: [
        .target(
            name: "Moya", dependencies: [.product(name: "FirewheelAlamofire", package: "Firewheel")], path: "Moya",
            swiftSettings: [.swiftLanguageMode(.v5), .unsafeFlags(["-module-alias", "Alamofire=FirewheelAlamofire"])])
    ])
SWIFT

say "building $(find "$folder/Moya" -name '*.swift' | wc -l) files"
if ! swift build --package-path "$folder" >"$folder/build.log" 2>&1; then
    grep -E 'error: ' "$folder/build.log" | sort -u | head -n 40
    die "Moya does not compile"
fi
say "Moya compiles"
