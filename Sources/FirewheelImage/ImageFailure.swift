import Firewheel

/// Why an image could not be loaded.
enum ImageFailure: Error {
    /// No known format starts like the data.
    case unknownFormat
    /// The image is truncated or corrupt, and how.
    case corrupt(ResponseImage.Format, String)
    /// The bitmap would exceed the bound.
    case tooLarge(width: Int, height: Int)
    case outOfMemory(width: Int, height: Int)
    /// The system has no decoder for the format.
    case libraryMissing(ResponseImage.Format, any Error)

    /// The public error.
    func asFirewheelError(data: Data, request: URLRequest? = nil, response: HTTPURLResponse? = nil) -> FirewheelError {
        let (reason, detail, cause): (FirewheelError.ResponseSerializationFailureReason, String?, (any Error)?) =
            switch self {
            case .unknownFormat: (.imageSerializationFailed, nil, nil)
            case .corrupt(let format, let fault): (.imageSerializationFailed, "a valid \(format.name) image (\(fault))", nil)
            case .tooLarge(let width, let height): (.imageTooLarge, ", \(width) × \(height) pixels, takes more than 1 GiB", nil)
            case .outOfMemory(let width, let height): (.imageTooLarge, ", \(width) × \(height) pixels, takes too much memory", nil)
            case .libraryMissing(let format, let error): (.imageLibraryMissing, format.name, error)
            }
        return FirewheelError(
            .responseSerializationFailed(reason), detail: detail, underlyingError: cause, request: request, response: response,
            responseData: data)
    }

    /// What is wrong with a file that ends before its image does.
    static let ending = "it ends too early"
}
