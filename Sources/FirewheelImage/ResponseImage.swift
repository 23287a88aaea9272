import Firewheel

/// An image of a response: a bitmap that is ready to draw, or the image as received with its size.
///
/// PNG and JPEG are decoded, other formats are only recognized. An image is delivered undecoded, which is not an error, if
/// - its format is GIF, TIFF, BMP, ICO or WebP,
/// - it has more pixels than the `pixelLimit`, or
/// - it is a JPEG in CMYK, with more than 8 bits per sample, lossless, hierarchical or in arithmetic coding, or, on Linux, an interlaced
///   PNG with 16 bits per sample.
///
/// Then ``pixels`` is nil, and ``data`` has the bytes for a decoder of your own. Its content beyond the header has not been checked.
public struct ResponseImage: Sendable {
    /// A format, recognized by the first bytes of the data, whatever the response's content type says.
    public enum Format: String, Sendable, CaseIterable {
        /// Portable Network Graphics. Of an animation (APNG) the default image is decoded.
        case png
        /// JPEG, with or without a JFIF or EXIF header.
        case jpeg
        /// Graphics Interchange Format, 87a and 89a. The size is that of the logical screen.
        case gif
        /// Tagged Image File Format, in either byte order. The size is that of the first image.
        case tiff
        /// Windows bitmap.
        case bmp
        /// Windows icon. The size is that of its largest image.
        case ico
        /// WebP: lossy, lossless and extended.
        case webp
    }

    /// The default limit: 1024 × 1024 pixels, as in AFNetworking.
    public static let defaultPixelLimit = 1024 * 1024

    /// The media types of the formats, for `validate(contentType:)`: those that AFNetworking accepts, the registered type of ICO, and WebP.
    public static let acceptableContentTypes = [
        "image/png", "image/jpeg", "image/gif", "image/tiff", "image/ico", "image/x-icon", "image/vnd.microsoft.icon", "image/bmp",
        "image/x-bmp", "image/x-xbitmap", "image/x-win-bitmap", "image/webp",
    ]

    /// The format of ``data``.
    public let format: Format
    /// The width in pixels. For a JPEG with an EXIF orientation it is the width after turning.
    public let width: Int
    /// The height in pixels. For a JPEG with an EXIF orientation it is the height after turning.
    public let height: Int
    /// The number of pixels per point: 2 for an image made for a display with twice the resolution.
    public let scale: Double
    /// The image as received.
    public let data: Data
    /// The bitmap: rows from the top without padding, each pixel red, green, blue and alpha with 8 bits each, in sRGB, with colours
    /// multiplied by alpha and rounded to the nearest integer. nil if the image is delivered undecoded.
    public let pixels: Data?

    /// The number of bytes in a row of ``pixels``.
    public var bytesPerRow: Int { width * 4 }

    /// Whether there is a bitmap.
    public var isDecoded: Bool { pixels != nil }

    /// The size in points: pixels divided by ``scale``.
    public var size: CGSize { CGSize(width: Double(width) / scale, height: Double(height) / scale) }

    /// Recognizes an image and, if possible, decodes it on the calling thread.
    ///
    /// A PNG is converted to sRGB by its `gAMA` and `cHRM` chunks; other colour profiles are ignored. Samples of 16 bits are rounded to 8.
    /// A JPEG's EXIF orientation is applied to the bitmap.
    ///
    /// - Parameters:
    ///   - data: The whole image.
    ///   - scale: The number of pixels per point. Default: 1.
    ///   - pixelLimit: The maximum number of pixels, width × height, of an image that is decoded. 0 decodes none, nil decodes all up to 1
    ///     GiB of pixels. Default: ``defaultPixelLimit``.
    /// - Throws: `FirewheelError` of kind `responseSerializationFailed`, with the reason `imageSerializationFailed` if the data is not an
    ///   image, or one that is truncated or corrupt; `imageTooLarge` if the bitmap would exceed 1 GiB or the available memory;
    ///   `imageLibraryMissing` if the system's decoder is missing.
    public init(data: Data, scale: Double = 1, pixelLimit: Int? = defaultPixelLimit) throws {
        do {
            try self.init(data: data, scale: scale, pixelLimit: pixelLimit, decoder: .system)
        } catch {
            throw error.asFirewheelError(data: data)
        }
    }

    init(data: Data, scale: Double, pixelLimit: Int?, decoder: ImageDecoder) throws(ImageFailure) {
        let header = try ImageHeader(data)
        format = header.format
        width = header.orientation.swapsSides ? header.height : header.width
        height = header.orientation.swapsSides ? header.width : header.height
        self.scale = scale
        self.data = data
        pixels =
            header.isDecodable && pixelLimit.map { header.pixelCount <= $0 } ?? true
            ? try Bitmap.decode(data, as: header, by: decoder) : nil
    }
}

extension ResponseImage: CustomStringConvertible {
    /// Format, size and whether it is decoded: `PNG, 640 × 480 pixels`.
    public var description: String {
        "\(format.name), \(width) × \(height) pixels" + (isDecoded ? "" : ", undecoded")
    }
}

extension ResponseImage.Format {
    /// The common name: `PNG`.
    var name: String { self == .webp ? "WebP" : rawValue.uppercased() }
}
