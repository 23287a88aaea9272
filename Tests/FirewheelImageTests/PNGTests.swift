import Foundation
import Testing

@testable import FirewheelImage

/// PNGs of other programs in every kind of sample.
@Suite("PNG", .needsPNG, .timeLimit(.minutes(5)))
struct PNGTests {
    /// A file and the color and alpha of its pixels before premultiplication.
    struct Example: Sendable, CustomTestStringConvertible {
        let name: String
        let expected: @Sendable (_ x: Int, _ y: Int) -> [Int]

        var testDescription: String { name }

        init(_ name: String, _ expected: @escaping @Sendable (Int, Int) -> [Int]) {
            self.name = name
            self.expected = expected
        }

        static func grey(_ name: String, _ depth: Int, alpha: Bool = false) -> Example {
            Example(name) { x, y in
                let grey = ImageFixtures.scaled(ImageFixtures.grey(x, y, depth), from: depth)
                return [grey, grey, grey, alpha ? ImageFixtures.scaled(ImageFixtures.alpha(x, y, depth), from: depth) : 255]
            }
        }

        static func color(_ name: String, _ depth: Int, alpha: Bool = false) -> Example {
            Example(name) { x, y in
                ImageFixtures.color(x, y, depth).map { ImageFixtures.scaled($0, from: depth) }
                    + [alpha ? ImageFixtures.scaled(ImageFixtures.alpha(x, y, depth), from: depth) : 255]
            }
        }

        static func palette(_ name: String, _ count: Int, alpha: Bool = false) -> Example {
            Example(name) { x, y in
                let index = ImageFixtures.grey(x, y, 16) % count
                return ImageFixtures.color(index, 3, 8) + [alpha ? ImageFixtures.alpha(index, 1, 8) : 255]
            }
        }

        static let all: [Example] =
            [1, 2, 4, 8, 16].map { .grey("grey\($0)", $0) }
            + [
                .grey("grey1-interlaced", 1), .grey("greyalpha8", 8, alpha: true), .grey("greyalpha16", 16, alpha: true),
                .color("rgb8", 8), .color("rgb16", 16), .color("rgba8", 8, alpha: true), .color("rgba16", 16, alpha: true),
                .color("rgba8-interlaced", 8, alpha: true), .color("rgba8-pillow", 8, alpha: true),
                .palette("palette1", 2), .palette("palette2", 4), .palette("palette4", 16), .palette("palette8", 200),
                .palette("palette8-alpha", 200, alpha: true),
                // One color is transparent (tRNS).
                Example("rgb8-key") { x, y in
                    let color = ImageFixtures.color(x, y, 8)
                    return color + [color == ImageFixtures.color(4, 2, 8) ? 0 : 255]
                },
            ]
    }

    @Test("Every kind of PNG is decoded to premultiplied RGBA, exactly", arguments: Example.all)
    func pixels(example: Example) throws {
        let image = try ResponseImage(data: ImageFixtures.data(example.name + ".png"))
        #expect(image.format == .png)
        #expect(image.hasSize(ImageFixtures.width, ImageFixtures.height) && image.bytesPerRow == ImageFixtures.width * 4)
        #expect(image.pixels?.count == image.height * image.bytesPerRow)
        for y in 0..<image.height {
            for x in 0..<image.width {
                let straight = example.expected(x, y)
                let color = straight.prefix(3).map { Int((Double($0) * Double(straight[3]) / 255).rounded()) }
                #expect(try image.pixel(x, y) == color + [straight[3]], "at \(x), \(y)")
            }
        }
    }

    @Test("Linear samples (gAMA of 1) are converted to sRGB")
    func gamma() throws {
        let image = try ResponseImage(data: ImageFixtures.data("grey8-linear.png"))
        for y in 0..<image.height {
            for x in 0..<image.width {
                let linear = Double(ImageFixtures.grey(x, y, 8)) / 255
                let encoded = (pow(linear, 1 / 2.2) * 255).rounded()
                #expect(abs(Double(try image.pixel(x, y)[0]) - encoded) <= 2, "\(linear)")
            }
        }
    }

    #if os(Linux)
        @Test("An interlaced PNG with 16 bits per sample is delivered undecoded (InterlacedPNGQuirk)")
        func deepInterlaced() throws {
            let image = try ResponseImage(data: ImageFixtures.data("rgba16-interlaced.png"), pixelLimit: nil)
            #expect(!image.isDecoded)
            #expect(image.hasSize(ImageFixtures.width, ImageFixtures.height))
        }
    #endif

    @Test("Premultiplication rounds to the nearest integer for every color and alpha")
    func premultiplication() {
        for alpha in UInt32(0)...255 {
            for color in UInt32(0)...255 {
                let product = Premultiplication.product(color, alpha)
                // Without floating point: the distance from color × alpha / 255 is at most one half.
                let distance = abs(Int(product) * 255 - Int(color * alpha)) * 2
                if distance > 255 { Issue.record("\(color) × \(alpha) is \(product)") }
            }
        }
    }

    @Test("A flipped bit in the image data is an error")
    func checksum() throws {
        var data = try ImageFixtures.data("rgba8.png")
        let start = try #require(data.range(of: Data("IDAT".utf8))).upperBound
        data[start + 20] ^= 1
        let error = try imageError(data)
        #expect(error.serializationReason == .imageSerializationFailed)
        #expect(error.description.hasPrefix("the body is not a valid PNG image ("), "\(error)")
    }
}
