// swift-tools-version: 6.2
import PackageDescription

// A package of its own: a program that runs for minutes is no test of the suite.
let package = Package(
    name: "Soak",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "Firewheel", path: "../..")],
    targets: [
        .target(name: "CMalloc"),
        .executableTarget(
            name: "Soak",
            dependencies: [
                "CMalloc", .product(name: "Firewheel", package: "Firewheel"), .product(name: "FirewheelTesting", package: "Firewheel"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
