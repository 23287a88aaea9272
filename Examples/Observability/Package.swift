// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "FirewheelObservability",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "observability", targets: ["Observability"])],
    dependencies: [
        // By name: the folder of a clone may be called anything.
        .package(name: "Firewheel", path: "../.."),
        .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", exact: "1.7.3"),
    ],
    targets: [
        .executableTarget(
            name: "Observability",
            dependencies: [
                .product(name: "Firewheel", package: "Firewheel"), .product(name: "FirewheelTesting", package: "Firewheel"),
                .product(name: "Logging", package: "swift-log"), .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
