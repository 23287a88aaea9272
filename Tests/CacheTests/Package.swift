// swift-tools-version: 6.2
import PackageDescription

// A separate package, because no product of the library needs it.
let package = Package(
    name: "CacheTests",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "Firewheel", path: "../..")
    ],
    targets: [
        .executableTarget(name: "CacheTests", dependencies: [.product(name: "Firewheel", package: "Firewheel")]),
        .executableTarget(
            name: "CacheKill",
            dependencies: [
                .product(name: "Firewheel", package: "Firewheel"), .product(name: "FirewheelTesting", package: "Firewheel"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
