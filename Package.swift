// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Firewheel",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "Firewheel", targets: ["Firewheel"]),
        .library(name: "FirewheelTesting", targets: ["FirewheelTesting"]),
        .library(name: "FirewheelClassic", targets: ["FirewheelClassic"]),
        .library(name: "FirewheelAlamofire", targets: ["FirewheelAlamofire"]),
        .library(name: "FirewheelImage", targets: ["FirewheelImage"]),
        .library(name: "FirewheelXML", targets: ["FirewheelXML"]),
    ],
    targets: [
        // Loads libraries of the system that single features need, when they first do.
        .target(name: "CFirewheelSystem"),
        .target(name: "Firewheel", dependencies: ["CFirewheelSystem"]),
        .target(name: "FirewheelTesting", dependencies: ["Firewheel", "TLSTestServer"]),
        // TLS servers and certificates for tests, over the system's OpenSSL, which it loads at run time.
        .target(name: "TLSTestServer"),
        // Alamofire 4's own spelling, apart since its `Result` has one parameter.
        .target(name: "FirewheelClassic", dependencies: ["Firewheel"]),
        // Alamofire 5's own spelling, apart since its types hide Firewheel's of the same name.
        .target(name: "FirewheelAlamofire", dependencies: ["Firewheel"]),
        // Images as bitmaps, apart since it needs two more libraries of the system.
        .target(name: "FirewheelImage", dependencies: ["Firewheel", "CFirewheelSystem"]),
        // XML parsers and documents, apart since FoundationXML loads libxml2.
        .target(name: "FirewheelXML", dependencies: ["Firewheel"]),
        // Compares what CFirewheelSystem declares of zlib, brotli and zstd with their own headers where those are installed.
        .target(name: "CodingHeaderCheck", path: "Tests/CodingHeaderCheck"),
        // The same for libnghttp2.
        .target(name: "HTTP2HeaderCheck", path: "Tests/HTTP2HeaderCheck"),
        // The same for libpng and TurboJPEG.
        .target(name: "ImageHeaderCheck", path: "Tests/ImageHeaderCheck"),
        // Stands in front of the system's getaddrinfo in the tests' executable, to make chosen names slow.
        .target(name: "SlowLookup", path: "Tests/SlowLookup"),
        // Stands in front of the system's socket and its like, to let Firewheel alone run out of descriptors.
        .target(name: "ScarceDescriptors", path: "Tests/ScarceDescriptors"),
        // Compares what CFirewheelSystem declares of OpenSSL with its own headers where those are installed, and plays an older OpenSSL.
        .target(name: "TLSHeaderCheck", dependencies: ["CFirewheelSystem"], path: "Tests/TLSHeaderCheck"),
        // Lets a few tests run at once instead of all, each with a thread.
        .target(name: "TestWidth", path: "Tests/TestWidth"),
        .testTarget(
            name: "FirewheelTests",
            dependencies: [
                "Firewheel", "FirewheelTesting", "FirewheelImage", "FirewheelXML", "CFirewheelSystem", "CodingHeaderCheck",
                "HTTP2HeaderCheck", "ScarceDescriptors", "SlowLookup", "TLSHeaderCheck", "TLSTestServer", "TestWidth",
            ]
        ),
        // The same files in both language modes: the second folder is a symbolic link to the first.
        .testTarget(
            name: "FirewheelClassicTests", dependencies: ["FirewheelClassic", "FirewheelImage", "FirewheelTesting", "FirewheelXML"]
        ),
        .testTarget(
            name: "FirewheelClassicSwift5Tests", dependencies: ["FirewheelClassic", "FirewheelImage", "FirewheelTesting", "FirewheelXML"],
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .testTarget(name: "FirewheelAlamofireTests", dependencies: ["FirewheelAlamofire", "FirewheelTesting"]),
        .testTarget(
            name: "FirewheelImageTests", dependencies: ["FirewheelImage", "FirewheelTesting", "CFirewheelSystem", "ImageHeaderCheck"],
            exclude: ["Fixtures"]
        ),
        .testTarget(name: "FirewheelXMLTests", dependencies: ["FirewheelXML", "FirewheelTesting"]),
    ],
    swiftLanguageModes: [.v6]
)
