// swift-tools-version: 6.2
import PackageDescription

// A separate package, because a program that runs for minutes is not part of the test suite.
let package = Package(
    name: "Soak",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "Firewheel", path: "../..")],
    targets: [
        .target(name: "CMalloc"),
        .executableTarget(
            name: "Soak",
            dependencies: [
                "CMalloc", .product(name: "Firewheel", package: "Firewheel"),
                .product(name: "FirewheelTesting", package: "Firewheel"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
