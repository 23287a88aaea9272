import Firewheel

extension DownloadRequest {
    /// Calls a handler on the main actor with the file's content as an image, which was decoded off the main actor.
    ///
    /// - Parameters:
    ///   - scale: The number of pixels per point. Default: 1.
    ///   - pixelLimit: The maximum number of pixels of an image that is decoded. 0 decodes none, nil decodes all up to 1 GiB of pixels.
    ///     Default: ``ResponseImage/defaultPixelLimit``.
    ///   - completionHandler: Called exactly once, also after a failure.
    @discardableResult
    public func responseImage(
        scale: Double = 1, pixelLimit: Int? = ResponseImage.defaultPixelLimit,
        completionHandler: @escaping @MainActor (DownloadResponse<ResponseImage>) -> Void
    ) -> Self {
        response(responseSerializer: .image(scale: scale, pixelLimit: pixelLimit), completionHandler: completionHandler)
    }

    /// Calls a handler on a queue with the file's content as an image, which was decoded off the queue.
    @discardableResult
    public func responseImage(
        queue: DispatchQueue, scale: Double = 1, pixelLimit: Int? = ResponseImage.defaultPixelLimit,
        completionHandler: @escaping @Sendable (DownloadResponse<ResponseImage>) -> Void
    ) -> Self {
        response(queue: queue, responseSerializer: .image(scale: scale, pixelLimit: pixelLimit), completionHandler: completionHandler)
    }

    /// The file's content as an image.
    ///
    /// - Parameters:
    ///   - automaticallyCancelling: Whether cancelling the awaiting task cancels the request. Default: true.
    ///   - scale: The number of pixels per point. Default: 1.
    ///   - pixelLimit: The maximum number of pixels of an image that is decoded. 0 decodes none, nil decodes all up to 1 GiB of pixels.
    ///     Default: ``ResponseImage/defaultPixelLimit``.
    public func serializingImage(
        automaticallyCancelling: Bool = true, scale: Double = 1, pixelLimit: Int? = ResponseImage.defaultPixelLimit
    ) -> DownloadTask<ResponseImage> {
        serializingDownload(
            using: .image(scale: scale, pixelLimit: pixelLimit), automaticallyCancelling: automaticallyCancelling)
    }
}
