// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that what it needs (libcurl's headers, and peers to compare with) is no dependency of the library.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v13)],
    products: [
        .executable(name: "firewheel-benchmark", targets: ["FirewheelBenchmark"])
    ],
    traits: [
        .trait(name: "Peers", description: "Compares with AsyncHTTPClient too, which brings SwiftNIO: minutes of building.")
    ],
    dependencies: [
        .package(name: "Firewheel", path: "../.."),
        // Neither fetched nor built without the trait.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .target(name: "CurlLoop", linkerSettings: [.linkedLibrary("curl")]),
        // Both in the executable: functions of a library would not stand in front of the C library's.
        .target(name: "AllocationCounter"),
        .target(name: "PlainServer"),
        .executableTarget(
            name: "FirewheelBenchmark",
            dependencies: [
                "AllocationCounter", "CurlLoop", "PlainServer",
                .product(name: "Firewheel", package: "Firewheel"),
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: .when(traits: ["Peers"])),
                .product(name: "NIOFoundationCompat", package: "swift-nio", condition: .when(traits: ["Peers"])),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
