import Firewheel

/// Makes a ``ResponseImage`` of a body. The built-in serializers' rules apply: an earlier error is the result, and an empty body is an
/// error.
struct ImageSerializer: ResponseSerializer {
    let scale: Double
    let pixelLimit: Int?
    var decoder = ImageDecoder.system

    func serialize(request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?) throws -> ResponseImage {
        if let error { throw error }
        guard let data, !data.isEmpty else {
            let reason: FirewheelError.ResponseSerializationFailureReason =
                emptyResponseAllowed(forRequest: request, response: response)
                ? .invalidEmptyResponse(type: "\(ResponseImage.self)") : .inputDataNilOrZeroLength
            throw FirewheelError(.responseSerializationFailed(reason), request: request, response: response)
        }
        do {
            return try ResponseImage(data: data, scale: scale, pixelLimit: pixelLimit, decoder: decoder)
        } catch {
            throw error.asFirewheelError(data: data, request: request, response: response)
        }
    }
}

extension DataResponseSerializerProtocol where Self == DataResponseSerializer<ResponseImage> {
    /// The body as an image with a scale of 1, decoded if it has at most 1024 × 1024 pixels.
    public static var image: DataResponseSerializer<ResponseImage> { .image() }

    /// The body as an image. The response's content type is not looked at: see ``ResponseImage/acceptableContentTypes``.
    ///
    /// - Parameters:
    ///   - scale: The number of pixels per point. Default: 1.
    ///   - pixelLimit: The maximum number of pixels of an image that is decoded. 0 decodes none, nil decodes all up to 1 GiB of pixels.
    ///     Default: ``ResponseImage/defaultPixelLimit``.
    public static func image(
        scale: Double = 1, pixelLimit: Int? = ResponseImage.defaultPixelLimit
    ) -> DataResponseSerializer<ResponseImage> {
        DataResponseSerializer(ImageSerializer(scale: scale, pixelLimit: pixelLimit))
    }
}

extension DownloadResponseSerializerProtocol where Self == DownloadResponseSerializer<ResponseImage> {
    /// The file's content as an image with a scale of 1, decoded if it has at most 1024 × 1024 pixels.
    public static var image: DownloadResponseSerializer<ResponseImage> { .image() }

    /// The file's content as an image. The response's content type is not looked at: see ``ResponseImage/acceptableContentTypes``.
    ///
    /// - Parameters:
    ///   - scale: The number of pixels per point. Default: 1.
    ///   - pixelLimit: The maximum number of pixels of an image that is decoded. 0 decodes none, nil decodes all up to 1 GiB of pixels.
    ///     Default: ``ResponseImage/defaultPixelLimit``.
    public static func image(
        scale: Double = 1, pixelLimit: Int? = ResponseImage.defaultPixelLimit
    ) -> DownloadResponseSerializer<ResponseImage> {
        DownloadResponseSerializer(.image(scale: scale, pixelLimit: pixelLimit))
    }
}
