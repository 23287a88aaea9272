import Foundation
import Testing

@testable import FirewheelImage

/// JPEGs of other programs.
@Suite("JPEG", .needsJPEG, .timeLimit(.minutes(5)))
struct JPEGTests {
    @Test(
        "Baseline, subsampled and progressive JPEGs and those with restart markers are decoded",
        arguments: [("rgb", 6), ("rgb-420", 10), ("rgb-progressive", 6), ("rgb-restarts", 6)])
    func color(name: String, tolerance: Int) throws {
        let image = try ResponseImage(data: ImageFixtures.data(name + ".jpeg"))
        #expect(image.format == .jpeg)
        #expect(image.hasSize(48, 32))
        for y in 0..<image.height {
            for x in 0..<image.width {
                let pixel = try image.pixel(x, y)
                let difference = zip(pixel, ImageFixtures.gradient(x, y)).map { abs($0 - $1) }.max() ?? 0
                #expect(difference <= tolerance && pixel[3] == 255, "\(pixel) at \(x), \(y)")
            }
        }
    }

    @Test("A grey JPEG is decoded to equal red, green and blue")
    func grey() throws {
        let image = try ResponseImage(data: ImageFixtures.data("grey.jpeg"))
        for y in 0..<image.height {
            for x in 0..<image.width {
                let pixel = try image.pixel(x, y)
                #expect(abs(pixel[0] - (x + y) * 3) <= 4 && pixel == [pixel[0], pixel[0], pixel[0], 255], "\(pixel) at \(x), \(y)")
            }
        }
    }

    /// Of each quarter, a pixel in the middle.
    @Test("Every EXIF orientation is applied (EXIF 2.32 section 4.6.4), in both byte orders", arguments: 1...8)
    func orientation(_ orientation: Int) throws {
        let image = try ResponseImage(data: ImageFixtures.data("orientation\(orientation).jpeg"))
        #expect(image.hasSize(24, 16))
        let expected = [(6, 4, [255, 0, 0]), (18, 4, [0, 255, 0]), (6, 12, [0, 0, 255]), (18, 12, [255, 255, 255])]
        for (x, y, color) in expected {
            let pixel = try image.pixel(x, y)
            #expect(zip(pixel, color).allSatisfy { abs($0 - $1) <= 8 }, "\(pixel) at \(x), \(y)")
        }
    }

    @Test("Turning moves every pixel to where its orientation says", arguments: Orientation.allCases)
    func turning(orientation: Orientation) {
        // The corners of a stored image of 3 × 2 pixels, from the first row's left one, in the upright image.
        let corners: [Orientation: [UInt32]] = [
            .up: [0, 2, 3, 5], .upMirrored: [2, 0, 5, 3], .down: [5, 3, 2, 0], .downMirrored: [3, 5, 0, 2],
            .leftMirrored: [0, 3, 2, 5], .right: [3, 0, 5, 2], .rightMirrored: [5, 2, 3, 0], .left: [2, 5, 0, 3],
        ]
        var stored: [UInt32] = [0, 1, 2, 3, 4, 5]
        var upright = [UInt32](repeating: 9, count: 6)
        stored.withUnsafeMutableBytes { stored in
            upright.withUnsafeMutableBytes { orientation.turn(stored, width: 3, height: 2, into: $0) }
        }
        let (columns, rows) = orientation.swapsSides ? (2, 3) : (3, 2)
        #expect([upright[0], upright[columns - 1], upright[columns * (rows - 1)], upright[5]] == corners[orientation])
        #expect(upright.sorted() == stored)
    }

    @Test("A JPEG in CMYK, in arithmetic coding or with 12 bits per sample is delivered undecoded")
    func undecoded() throws {
        var deep = try ImageFixtures.data("rgb.jpeg")
        let frame = try #require(deep.range(of: Data([0xFF, 0xC0]))).upperBound
        deep[frame + 2] = 12
        for data in [try ImageFixtures.data("cmyk.jpeg"), try ImageFixtures.data("rgb-arithmetic.jpeg"), deep] {
            let image = try ResponseImage(data: data, pixelLimit: nil)
            #expect(image.format == .jpeg && !image.isDecoded)
            #expect(image.hasSize(48, 32))
            #expect(image.data == data)
        }
    }

    @Test("An undecoded JPEG has the size that it has upright")
    func undecodedOrientation() throws {
        let image = try ResponseImage(data: ImageFixtures.data("orientation6.jpeg"), pixelLimit: 0)
        #expect(image.hasSize(24, 16) && !image.isDecoded)
    }

    @Test("Bytes behind the end of a JPEG are ignored")
    func trailing() throws {
        let image = try ResponseImage(data: ImageFixtures.data("rgb.jpeg") + Data("trailing".utf8))
        #expect(image.isDecoded)
    }

    @Test("A JPEG whose scan lacks data in the middle is an error, though its end is there")
    func gap() throws {
        var data = try ImageFixtures.data("rgb.jpeg")
        data.removeSubrange(data.count - 200..<data.count - 40)
        let error = try imageError(data)
        #expect(error.serializationReason == .imageSerializationFailed)
        #expect(error.description.hasPrefix("the body is not a valid JPEG image ("), "\(error)")
    }
}
