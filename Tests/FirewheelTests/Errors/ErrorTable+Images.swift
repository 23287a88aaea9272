#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation

    @testable import FirewheelImage

    extension ErrorTable {
        /// Bodies that are not images, or cannot be decoded.
        static let images: [Failure] = [
            image("The body is not an image, by its content type", Data("<p>Not Found</p>\n".utf8), headers: ["Content-Type": "text/html"]),
            image("The body is in no known image format", Data("<p>Not Found</p>\n".utf8)),
            image("The image is truncated", png(width: 2)),
            image("The image without a pixel limit is too large", png(width: 100_000)),
            image("The library that decodes an image is missing", png(width: 2, rest: end), decoder: ImageDecoder(png: "libnothing.so.1")),
        ]

        private static func image(
            _ name: String, _ body: Data, headers: HTTPHeaders = [:], decoder: ImageDecoder = .system
        ) -> Failure {
            Failure(name) {
                let head = ResponseHead(statusCode: 200, headers: headers)
                let session = Session(transport: StubTransport { _ in [.response(head), .finish(body: body)] })
                defer { withExtendedLifetime(session) {} }
                let serializer = ImageSerializer(scale: 1, pixelLimit: nil, decoder: decoder)
                return await session.request("http://stub.test/")
                    .serializingResponse(using: DataResponseSerializer(serializer)).response.error
            }
        }

        /// The beginning of a PNG that is as high as wide, without the checksum of its header.
        private static func png(width: UInt32, rest: [UInt8] = []) -> Data {
            let size = (0..<4).map { UInt8(truncatingIfNeeded: width >> (24 - $0 * 8)) }
            return Data(
                [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + size + size + [8, 0, 0, 0, 0] + rest)
        }

        /// Room for the checksum, and the last chunk with its own.
        private static let end: [UInt8] = [0, 0, 0, 0] + [0, 0, 0, 0] + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]
    }
#endif
