import Foundation
import Testing

@testable import FirewheelImage

/// The images in `Fixtures`, made by other programs (`make.py`), and the formulas of their pixels.
enum ImageFixtures {
    static let width = 13
    static let height = 9

    static func data(_ name: String) throws -> Data {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")
        return try Data(contentsOf: folder.appendingPathComponent(name))
    }

    static func grey(_ x: Int, _ y: Int, _ depth: Int) -> Int { (x * 2741 + y * 7919 * width) % (1 << depth) }

    static func color(_ x: Int, _ y: Int, _ depth: Int) -> [Int] {
        [1, 2, 3].map { (x * 4099 * $0 + y * 6007 * ($0 + 1) + 977 * $0) % (1 << depth) }
    }

    static func alpha(_ x: Int, _ y: Int, _ depth: Int) -> Int {
        [0, (1 << depth) - 1, (x * 5003 + y * 9001) % (1 << depth)][(x + y) % 3]
    }

    /// A sample with fewer or more bits as the nearest one with eight.
    static func scaled(_ sample: Int, from depth: Int) -> Int {
        let most = (1 << depth) - 1
        return (sample * 255 + most / 2) / most
    }

    /// The color of the JPEG gradient, which has 48 × 32 pixels.
    static func gradient(_ x: Int, _ y: Int) -> [Int] { [x * 5, y * 7, 255 - x * 2 - y * 4] }
}

/// Where a library is missing, the tests that need it are skipped, except in `.ci/run`, which installs all.
enum ImageLibraries {
    static let areRequired = ProcessInfo.processInfo.environment["FIREWHEEL_SERVERS_REQUIRED"] != nil

    static func has(_ format: ResponseImage.Format) -> Bool {
        #if os(Linux)
            if case .success = ImageDecoder.system.library(for: format) { true } else { false }
        #else
            true
        #endif
    }
}

extension Trait where Self == ConditionTrait {
    static var needsPNG: Self {
        .enabled(if: ImageLibraries.has(.png) || ImageLibraries.areRequired, "libpng is missing: apt-get install libpng16-16")
    }
    static var needsJPEG: Self {
        .enabled(if: ImageLibraries.has(.jpeg) || ImageLibraries.areRequired, "TurboJPEG is missing: apt-get install libturbojpeg0")
    }
}

extension ResponseImage {
    func hasSize(_ width: Int, _ height: Int) -> Bool { self.width == width && self.height == height }

    /// The samples of a pixel: red, green, blue and alpha.
    func pixel(_ x: Int, _ y: Int) throws -> [Int] {
        let pixels = try #require(pixels)
        let start = pixels.startIndex + y * bytesPerRow + x * 4
        return pixels[start..<start + 4].map(Int.init)
    }
}

extension FirewheelError {
    /// The reason why a body could not be serialized.
    var serializationReason: ResponseSerializationFailureReason? {
        if case .responseSerializationFailed(let reason) = kind { reason } else { nil }
    }
}

/// The error of loading an image, which has to fail.
func imageError(_ data: Data, pixelLimit: Int? = ResponseImage.defaultPixelLimit) throws -> FirewheelError {
    let thrown = #expect(throws: FirewheelError.self) { try ResponseImage(data: data, pixelLimit: pixelLimit) }
    return try #require(thrown)
}
