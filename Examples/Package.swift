// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "FirewheelExamples",
    platforms: [.macOS(.v13)],
    products: [
        .executable(name: "quickstart", targets: ["Quickstart"]),
        .executable(name: "classic", targets: ["Classic"]),
    ],
    dependencies: [
        // By name: the folder of a clone may be called anything.
        .package(name: "Firewheel", path: "..")
    ],
    targets: [
        .executableTarget(
            name: "Quickstart",
            dependencies: [.product(name: "Firewheel", package: "Firewheel"), .product(name: "FirewheelTesting", package: "Firewheel")]),
        .executableTarget(
            name: "Classic",
            dependencies: [
                .product(name: "FirewheelClassic", package: "Firewheel"), .product(name: "FirewheelTesting", package: "Firewheel"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
