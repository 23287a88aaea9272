// swift-tools-version: 6.2
import PackageDescription

// Tests that fail, crash and hang when they are told to, for `check.py`.
let package = Package(name: "Reruns", targets: [.testTarget(name: "SampleTests")], swiftLanguageModes: [.v6])
