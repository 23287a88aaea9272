import Foundation
import Testing

@testable import FirewheelImage

/// Images that are truncated, corrupt or claim more than they have: an error in bounded time and memory.
@Suite("Damaged images", .needsPNG, .needsJPEG, .timeLimit(.minutes(5)))
struct DamageTests {
    @Test(
        "An image cut at any byte is an error",
        arguments: [
            "rgba8.png", "palette8-alpha.png", "grey1-interlaced.png", "rgba8-pillow.png", "rgb.jpeg", "rgb-420.jpeg",
            "rgb-progressive.jpeg", "rgb-restarts.jpeg", "grey.jpeg", "orientation6.jpeg",
        ])
    func cuts(name: String) throws {
        let data = try ImageFixtures.data(name)
        #expect(try ResponseImage(data: data).isDecoded)
        for count in data.indices {
            let error = try imageError(data.prefix(count))
            #expect(error.serializationReason == .imageSerializationFailed, "\(name) cut at \(count): \(error)")
        }
    }

    @Test(
        "An image with random bytes changed is an error, or has a bitmap of its size",
        arguments: [
            "rgba8.png", "palette4.png", "rgba8-interlaced.png", "rgb16.png", "rgb-420.jpeg", "rgb-progressive.jpeg", "orientation7.jpeg",
        ])
    func changes(name: String) throws {
        let original = try ImageFixtures.data(name)
        var random = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            var data = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                data[Int.random(in: 0..<data.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            do {
                let image = try ResponseImage(data: data)
                if let pixels = image.pixels { #expect(pixels.count == image.width * image.height * 4) }
            } catch let error as FirewheelError {
                #expect(error.serializationReason == .imageSerializationFailed, "\(error)")
            }
        }
    }

    @Test("Random bytes behind a signature are an error or an image without a bitmap")
    func random() throws {
        var random = SeededGenerator(seed: 11)
        let signatures: [[UInt8]] = [
            PNGReader.signature, JPEGReader.signature, Array("GIF89a".utf8), [0x49, 0x49, 42, 0], [0x4D, 0x4D, 0, 42], [0, 0, 1, 0],
            Array("RIFF\0\0\0\0WEBPVP8 ".utf8), Array("RIFF\0\0\0\0WEBPVP8X".utf8), Array("BM".utf8), [],
        ]
        for round in 0..<2000 {
            let signature = signatures[round % signatures.count]
            let rest = (0..<Int.random(in: 0...80, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect((try? ResponseImage(data: Data(signature + rest)))?.isDecoded != true)
        }
    }

    /// A PNG or JPEG with another size in its header.
    private static func resized(_ name: String, _ width: Int, _ height: Int) throws -> Data {
        var data = try ImageFixtures.data(name)
        if name.hasSuffix("png") {
            for (offset, value) in [(16, width), (20, height)] {
                for index in 0..<4 { data[offset + index] = UInt8(truncatingIfNeeded: value >> (24 - index * 8)) }
            }
            let checksum = crc32(data[12..<29])
            for index in 0..<4 { data[29 + index] = UInt8(truncatingIfNeeded: checksum >> (24 - index * 8)) }
        } else {
            let frame = try #require(data.range(of: Data([0xFF, 0xC0]))).upperBound
            for (offset, value) in [(frame + 3, height), (frame + 5, width)] {
                data[offset] = UInt8(value >> 8)
                data[offset + 1] = UInt8(value & 0xFF)
            }
        }
        return data
    }

    /// The checksum of PNG chunks: https://www.w3.org/TR/png-3/ annex D.
    private static func crc32(_ bytes: Data) -> UInt32 {
        var checksum = ~UInt32(0)
        for byte in bytes {
            checksum ^= UInt32(byte)
            for _ in 0..<8 { checksum = checksum & 1 == 1 ? checksum >> 1 ^ 0xEDB8_8320 : checksum >> 1 }
        }
        return ~checksum
    }

    @Test("A header that claims 100,000 × 100,000 pixels is delivered undecoded, and without the limit it is an error")
    func huge() throws {
        let data = try Self.resized("rgba8.png", 100_000, 100_000)
        let image = try ResponseImage(data: data)
        #expect(image.width == 100_000 && image.height == 100_000 && !image.isDecoded)
        let error = try imageError(data, pixelLimit: nil)
        #expect(error.serializationReason == .imageTooLarge)
        #expect(
            error.description
                == "the image, 100000 × 100000 pixels, takes more than 1 GiB when decoded (a pixelLimit delivers it undecoded)")
        #expect(try imageError(data, pixelLimit: .max).serializationReason == .imageTooLarge)
    }

    @Test("An image with more pixels than its data can hold is an error before memory is allocated", arguments: ["rgba8.png", "rgb.jpeg"])
    func overstated(name: String) throws {
        let error = try imageError(try Self.resized(name, 16_000, 16_000), pixelLimit: nil)
        #expect(error.description.contains("image (it has too little data for its size)"), "\(error)")
    }

    @Test("The limit is the product of width and height, and an image of exactly that size is decoded")
    func limit() throws {
        let data = try ImageFixtures.data("rgba8.png")
        let count = ImageFixtures.width * ImageFixtures.height
        #expect(try ResponseImage(data: data, pixelLimit: count).isDecoded)
        #expect(try !ResponseImage(data: data, pixelLimit: count - 1).isDecoded)
        #expect(try !ResponseImage(data: data, pixelLimit: 0).isDecoded)
        #expect(try ResponseImage(data: data, pixelLimit: nil).isDecoded)
    }

    @Test("By default an image of 1024 × 1024 pixels is decoded, and one with a single pixel more is not")
    func defaultLimit() throws {
        let image = try ResponseImage(data: ImageFixtures.data("square.png"))
        #expect(image.hasSize(1024, 1024) && image.isDecoded)
        let larger = try ResponseImage(data: Self.resized("square.png", 61_681, 17))
        #expect(larger.hasSize(61_681, 17) && !larger.isDecoded)
    }

    /// Each scan may cost the time of the whole image, and a few bytes.
    @Test("A JPEG of more than 500 scans is an error before it is decoded, with every version of TurboJPEG")
    func scans() throws {
        let data = try ImageFixtures.data("rgb-progressive.jpeg")
        // The last scan, without the marker of the end.
        let start = try #require(data.range(of: Data([0xFF, 0xDA]), options: .backwards)).lowerBound
        let scan = data[start..<data.count - 2]
        let end = data.suffix(2)
        let bomb = (0..<1_000).reduce(into: data.dropLast(2)) { bomb, _ in bomb += scan } + end
        #expect(try imageError(bomb).description.contains("it has more than 500 scans"))
        #expect(try !ResponseImage(data: bomb, pixelLimit: 0).isDecoded)
        // 400 are left to TurboJPEG, which finds that these repeat each other.
        let few = (0..<400).reduce(into: data.dropLast(2)) { few, _ in few += scan } + end
        #expect(try !imageError(few).description.contains("scans"))
    }

    #if os(Linux)
        /// In a process of its own, whose peak is not that of other tests. The bitmaps that are claimed would have 24 and 32 MB.
        @Test("What a damaged image claims takes no physical memory")
        func memory() async {
            await #expect(processExitsWith: .success) {
                let images = [
                    try DamageTests.resized("rgb.jpeg", 3000, 2000), try DamageTests.resized("rgb-420.jpeg", 3000, 2000),
                    try DamageTests.resized("rgba8.png", 4000, 2000), try DamageTests.resized("rgb.jpeg", 60_000, 60_000),
                    try DamageTests.resized("rgba8.png", 100_000, 100_000),
                ]
                // The libraries are loaded before the first measurement.
                _ = try ResponseImage(data: ImageFixtures.data("rgba8.png"))
                _ = try ResponseImage(data: ImageFixtures.data("rgb.jpeg"))
                let before = try #require(DamageTests.memory("VmHWM:"))
                for _ in 0..<20 {
                    for image in images { _ = try imageError(image, pixelLimit: nil) }
                }
                let growth = try #require(DamageTests.memory("VmHWM:")) - before
                #expect(growth < 8 << 20, "\(growth) bytes")
            }
        }

        @Test("The memory of a bitmap is released with the image")
        func release() async {
            await #expect(processExitsWith: .success) {
                let images = [try ImageFixtures.data("rgba8.png"), try ImageFixtures.data("orientation6.jpeg")]
                for image in images { #expect(try ResponseImage(data: image).isDecoded) }
                let before = try #require(DamageTests.memory("VmSize:"))
                // A bitmap has at least a page of 4 KiB.
                for _ in 0..<2000 {
                    for image in images { #expect(try ResponseImage(data: image).isDecoded) }
                }
                let growth = try #require(DamageTests.memory("VmSize:")) - before
                #expect(growth < 8 << 20, "\(growth) bytes")
            }
        }

        /// A size in the process's status, in bytes.
        private static func memory(_ name: String) -> Int? {
            let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status?.split(separator: "\n").first { $0.hasPrefix(name) }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
        }
    #endif
}

/// SplitMix64, so that a failure can be repeated.
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
