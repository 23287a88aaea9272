// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "FirewheelExamples",
    // The view model is @Observable, which needs macOS 14; the library itself needs only macOS 13.
    platforms: [.macOS(.v14)],
    products: [
        .executable(name: "quickstart", targets: ["Quickstart"]),
        .executable(name: "classic", targets: ["Classic"]),
        .executable(name: "client", targets: ["Client"]),
        .executable(name: "download", targets: ["Download"]),
        .executable(name: "upload", targets: ["Upload"]),
        .executable(name: "stream", targets: ["Stream"]),
        .executable(name: "events", targets: ["Events"]),
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
        // A progress bar, and two programs that show it.
        .target(name: "Transfers"),
        .executableTarget(
            name: "Download",
            dependencies: [
                "Transfers", .product(name: "Firewheel", package: "Firewheel"), .product(name: "FirewheelTesting", package: "Firewheel"),
            ]),
        .executableTarget(
            name: "Upload",
            dependencies: [
                "Transfers", .product(name: "Firewheel", package: "Firewheel"), .product(name: "FirewheelTesting", package: "Firewheel"),
            ]),
        .executableTarget(
            name: "Stream",
            dependencies: [.product(name: "Firewheel", package: "Firewheel"), .product(name: "FirewheelTesting", package: "Firewheel")]),
        .executableTarget(
            name: "Events",
            dependencies: [.product(name: "Firewheel", package: "Firewheel"), .product(name: "FirewheelTesting", package: "Firewheel")]),
        // A typical layout of an API client: a library for the API, and its tests against a server in their process.
        .target(name: "ExampleClient", dependencies: [.product(name: "Firewheel", package: "Firewheel")]),
        .executableTarget(
            name: "Client",
            dependencies: ["ExampleClient", .product(name: "FirewheelTesting", package: "Firewheel")]),
        .testTarget(
            name: "ExampleClientTests",
            dependencies: ["ExampleClient", .product(name: "FirewheelTesting", package: "Firewheel")]),
    ],
    swiftLanguageModes: [.v6]
)
