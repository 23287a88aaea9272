#if os(Linux)
    import Foundation
    import ImageHeaderCheck
    import Testing

    @testable import FirewheelImage

    @Suite("Libraries of images", .timeLimit(.minutes(5)))
    struct ImageLibraryTests {
        private static let none = ImageDecoder(png: "libnothing.so.1", jpeg: "libnothing.so.2")

        @Test(
            "A missing library is an error that names it and its package",
            arguments: [
                ("rgba8.png", "PNG", "libnothing.so.1 (package libpng16-16"),
                ("rgb.jpeg", "JPEG", "libnothing.so.2 (package libturbojpeg0"),
            ])
        func missing(name: String, format: String, library: String) throws {
            let serializer = ImageSerializer(scale: 1, pixelLimit: nil, decoder: Self.none)
            let data = try ImageFixtures.data(name)
            let thrown = #expect(throws: FirewheelError.self) {
                try serializer.serialize(request: nil, response: nil, data: data, error: nil)
            }
            let error = try #require(thrown)
            #expect(error.serializationReason == .imageLibraryMissing)
            #expect(error.description.hasPrefix("images in \(format) cannot be decoded on this system: \(library)"), "\(error)")
        }

        @Test("Without libraries, images that are not to be decoded are delivered")
        func undecoded() throws {
            for (name, limit) in [("rgba8.png", 0), ("rgb.jpeg", 0), ("small.gif", 1 << 20), ("cmyk.jpeg", 1 << 20)] {
                let data = try ImageFixtures.data(name)
                #expect(try !ResponseImage(data: data, scale: 1, pixelLimit: limit, decoder: Self.none).isDecoded)
            }
        }

        @Test("A library without the functions is an error")
        func otherLibrary() throws {
            let decoder = ImageDecoder(png: "libz.so.1", jpeg: "libz.so.1")
            for format in [ResponseImage.Format.png, .jpeg] {
                guard case .failure(let error) = decoder.library(for: format) else {
                    Issue.record("zlib decodes \(format)")
                    continue
                }
                // Where zlib is missing too, the text is another.
                #expect("\(error)".contains("has no function") || "\(error)".contains("could not be loaded"))
            }
        }

        @Test(
            "Declarations of libpng and TurboJPEG are those of their headers",
            .enabled(
                if: image_header_check_has_png() && image_header_check_has_turbojpeg() || ImageLibraries.areRequired,
                "headers are missing: apt-get install libpng-dev libturbojpeg0-dev"))
        func headers() {
            #expect(image_header_check_has_png())
            #expect(image_header_check_has_turbojpeg())
        }

        @Test("Both libraries are there where they are required")
        func required() {
            guard ImageLibraries.areRequired else { return }
            #expect(ImageLibraries.has(.png) && ImageLibraries.has(.jpeg))
        }
    }
#endif
