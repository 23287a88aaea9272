/// A form for uploads.
open class MultipartFormData: @unchecked Sendable {
    public static let encodingMemoryThreshold: UInt64 = 10_000_000
    let base: Firewheel.MultipartFormData
    public init(fileManager: FileManager = .default, boundary: String? = nil) { base = Firewheel.MultipartFormData(boundary: boundary) }
}
