// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that its dependencies (libcurl's headers and other clients) are not the library's.
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
        // Fetched and built only with the trait.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.36.0"),
    ],
    targets: [
        .target(name: "CurlLoop", linkerSettings: [.linkedLibrary("curl")]),
        // Both are linked into the executable, because malloc in a library would not replace the C library's.
        .target(name: "AllocationCounter"),
        .target(name: "PlainServer"),
        .executableTarget(
            name: "FirewheelBenchmark",
            dependencies: [
                "AllocationCounter", "CurlLoop", "PlainServer",
                .product(name: "Firewheel", package: "Firewheel"),
                .product(name: "FirewheelAlamofire", package: "Firewheel"),
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: .when(traits: ["Peers"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Peers"])),
                .product(name: "NIOFoundationCompat", package: "swift-nio", condition: .when(traits: ["Peers"])),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["Peers"])),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
