// swift-corelibs-foundation of Swift 6.3: `HTTPURLResponse(url:statusCode:httpVersion:headerFields:)` takes quadratic time to parse a
// Content-Type, seconds for the largest field that a response may have. Shown by `LongContentTypeTests`.
extension ResponseHead {
    /// The most bytes of a Content-Type that is parsed. Those in use have fewer than 100.
    private static let longestContentType = 16_384

    /// The fields for Foundation's response, without a Content-Type that is too long to be one.
    var foundationFields: [String: String] {
        guard let type = headers.value(for: "Content-Type"), type.utf8.count > Self.longestContentType else { return headers.dictionary }
        var shorter = headers
        shorter.remove(name: "Content-Type")
        return shorter.dictionary
    }
}
