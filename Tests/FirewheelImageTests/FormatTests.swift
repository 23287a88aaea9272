import Foundation
import Testing

@testable import FirewheelImage

/// Formats are recognized by their first bytes, and their size is read from the header.
@Suite("Formats of images", .timeLimit(.minutes(5)))
struct FormatTests {
    @Test(
        "GIF, TIFF, BMP, ICO and WebP of other programs are recognized with their size and delivered undecoded",
        arguments: [
            ("small.gif", .gif, 20, 11), ("small.tiff", .tiff, 20, 11), ("small.bmp", .bmp, 20, 11), ("small-alpha.bmp", .bmp, 20, 11),
            ("small.webp", .webp, 20, 11), ("small-lossless.webp", .webp, 20, 11), ("small-alpha.webp", .webp, 20, 11),
            ("small.ico", .ico, 48, 48),
        ] as [(String, ResponseImage.Format, Int, Int)])
    func recognized(name: String, format: ResponseImage.Format, width: Int, height: Int) throws {
        let data = try ImageFixtures.data(name)
        let image = try ResponseImage(data: data, scale: 2, pixelLimit: nil)
        #expect(image.format == format)
        #expect(image.hasSize(width, height))
        #expect(image.size == CGSize(width: Double(width) / 2, height: Double(height) / 2))
        #expect(!image.isDecoded && image.pixels == nil)
        #expect(image.data == data)
    }

    @Test(
        "Variants of headers that are rare today are read",
        arguments: [
            // Two SHORTs in the other byte order, the second one in the right place of its field: TIFF 6.0 section 2.
            (
                Data("MM\0*\0\0\0\u{8}\0\u{2}\u{1}\0\0\u{3}\0\0\0\u{1}\u{1}\u{2C}\0\0\u{1}\u{1}\0\u{3}\0\0\0\u{1}\0\u{7}\0\0".utf8), .tiff,
                300, 7
            ),
            // A bitmap of OS/2 with a header of 12 bytes.
            (Data([0x42, 0x4D] + [UInt8](repeating: 0, count: 12) + [12, 0, 0, 0, 44, 1, 7, 0, 1, 0, 24, 0]), .bmp, 300, 7),
            // Rows from the top: the height is -7.
            (Data([0x42, 0x4D] + [UInt8](repeating: 0, count: 12) + [40, 0, 0, 0, 44, 1, 0, 0, 0xF9, 0xFF, 0xFF, 0xFF]), .bmp, 300, 7),
            // 0 stands for 256.
            (Data([0, 0, 1, 0, 1, 0, 0, 0] + [UInt8](repeating: 0, count: 14)), .ico, 256, 256),
        ] as [(Data, ResponseImage.Format, Int, Int)])
    func variants(data: Data, format: ResponseImage.Format, width: Int, height: Int) throws {
        let image = try ResponseImage(data: data)
        #expect(image.format == format)
        #expect(image.hasSize(width, height))
    }

    @Test(
        "Other data is not an image",
        arguments: ["", "<html></html>", "BM, said the owl, is two letters and no bitmap", "RIFF1234WAVEfmt ", "\u{89}PNG", "GIF88a012345"])
    func unknown(text: String) throws {
        let error = try imageError(Data(text.utf8))
        #expect(error.serializationReason == .imageSerializationFailed)
        #expect(error.description.hasPrefix("the body is not an image"), "\(error)")
    }

    @Test("An image without pixels is an error")
    func empty() throws {
        let error = try imageError(Data("GIF89a\0\0\u{5}\0".utf8))
        #expect(error.description == "the body is not a valid GIF image (it has no pixels), 10 bytes")
    }

    @Test("Sizes up to the largest numbers of a format do not overflow")
    func largest() throws {
        let tiff = Data(
            [0x49, 0x49, 42, 0, 8, 0, 0, 0, 2, 0, 0, 1, 4, 0, 1, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 4)
                + [1, 1, 4, 0, 1, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 4))
        let image = try ResponseImage(data: tiff)
        #expect(image.hasSize(Int(UInt32.max), Int(UInt32.max)))
    }

    @Test("A header cut at every byte is an error or has the same size, and never anything else")
    func cuts() throws {
        for name in [
            "small.gif", "small.tiff", "small.bmp", "small-alpha.bmp", "small.webp", "small-lossless.webp", "small-alpha.webp", "small.ico",
            "rgba8.png", "rgb.jpeg", "orientation6.jpeg", "cmyk.jpeg",
        ] {
            let data = try ImageFixtures.data(name)
            let whole = try ResponseImage(data: data, pixelLimit: 0)
            for count in data.indices {
                guard let image = try? ResponseImage(data: data.prefix(count), pixelLimit: 0) else { continue }
                #expect(image.hasSize(whole.width, whole.height), "\(name) cut at \(count)")
            }
        }
    }

    @Test("A slice of data whose indices do not begin at 0 is read like a copy")
    func slice() throws {
        let data = try ImageFixtures.data("rgb.jpeg")
        let image = try ResponseImage(data: (Data([1, 2, 3]) + data).dropFirst(3), pixelLimit: 0)
        #expect(image.hasSize(48, 32))
    }

    @Test("An EXIF orientation that is none, or a broken directory, leaves the image as it is", arguments: [0, 9, 6])
    func orientation(value: UInt8) throws {
        var data = try ImageFixtures.data("orientation6.jpeg")
        let entry = try #require(data.range(of: Data([0x12, 0x01, 0x03, 0x00])))
        data[entry.upperBound + 4] = value
        // Of the value 6, the type is changed from SHORT to ASCII.
        if value == 6 { data[entry.lowerBound + 2] = 2 }
        let image = try ResponseImage(data: data, pixelLimit: 0)
        #expect(image.hasSize(16, 24))
    }

    @Test("The description has format, size and whether the image is decoded")
    func description() throws {
        #expect("\(try ResponseImage(data: ImageFixtures.data("small.webp")))" == "WebP, 20 × 11 pixels, undecoded")
    }
}
