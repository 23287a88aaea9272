// swift-tools-version: 6.0
import PackageDescription

// A package of its own, so that what it needs (libcurl's headers, and peers to compare with) is no dependency of the library.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v13)],
    products: [
        .executable(name: "firewheel-benchmark", targets: ["FirewheelBenchmark"])
    ],
    dependencies: [
        .package(name: "Firewheel", path: "../..")
    ],
    targets: [
        .target(name: "CurlLoop", linkerSettings: [.linkedLibrary("curl")]),
        .executableTarget(
            name: "FirewheelBenchmark",
            dependencies: ["CurlLoop", .product(name: "Firewheel", package: "Firewheel")]
        ),
    ],
    swiftLanguageModes: [.v6]
)
