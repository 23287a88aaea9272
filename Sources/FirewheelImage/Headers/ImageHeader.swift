import Firewheel

/// What an image's header says, in any of the formats.
struct ImageHeader: Equatable, Sendable {
    let format: ResponseImage.Format
    /// The width of the stored image in pixels, at least 1.
    let width: Int
    /// The height of the stored image in pixels, at least 1.
    let height: Int
    /// How the stored image has to be turned.
    var orientation = Orientation.up
    /// Whether the decoders take this variant of the format.
    var isDecodable = false

    /// Width × height, or the largest number if that is more.
    var pixelCount: Int {
        let product = width.multipliedReportingOverflow(by: height)
        return product.overflow ? .max : product.partialValue
    }

    /// Recognizes the format and reads the size.
    init(_ data: Data) throws(ImageFailure) {
        self = try data.withUnsafeBytes { bytes in
            Result { () throws(ImageFailure) in try Self.read(ImageBytes(bytes)) }
        }.get()
    }

    init(format: ResponseImage.Format, width: Int, height: Int, orientation: Orientation = .up, isDecodable: Bool = false) {
        self.format = format
        self.width = width
        self.height = height
        self.orientation = orientation
        self.isDecodable = isDecodable
    }

    /// Checks that a decodable image is complete as far as its structure shows, and that its data can hold as many pixels as the header
    /// says, so that a few bytes cannot claim a large amount of memory.
    func checkContent(_ data: Data) throws(ImageFailure) {
        try data.withUnsafeBytes { bytes in
            Result { () throws(ImageFailure) in
                switch format {
                case .png: try PNGReader.checkContent(ImageBytes(bytes))
                case .jpeg: try JPEGReader.checkContent(ImageBytes(bytes), pixelCount: pixelCount)
                default: break
                }
            }
        }.get()
    }

    private static func read(_ bytes: ImageBytes) throws(ImageFailure) -> ImageHeader {
        let header: ImageHeader
        if bytes.has(PNGReader.signature) {
            header = try PNGReader.header(bytes)
        } else if bytes.has(JPEGReader.signature) {
            header = try JPEGReader.header(bytes)
        } else if bytes.has("GIF87a") || bytes.has("GIF89a") {
            header = try OtherFormats.gif(bytes)
        } else if bytes.has([0x49, 0x49, 42, 0]) || bytes.has([0x4D, 0x4D, 0, 42]) {
            header = try OtherFormats.tiff(bytes)
        } else if bytes.has("RIFF"), bytes.has("WEBP", at: 8) {
            header = try WebPReader.header(bytes)
        } else if bytes.has([0, 0, 1, 0]) {
            header = try OtherFormats.ico(bytes)
        } else if let bitmap = try OtherFormats.bmp(bytes) {
            header = bitmap
        } else {
            throw .unknownFormat
        }
        guard header.width > 0, header.height > 0 else { throw .corrupt(header.format, "it has no pixels") }
        return header
    }
}
