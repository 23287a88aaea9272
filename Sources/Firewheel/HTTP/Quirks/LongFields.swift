// swift-corelibs-foundation of Swift 6.3: `HTTPURLResponse(url:statusCode:httpVersion:headerFields:)` takes quadratic time to parse a
// Content-Type or a Content-Disposition, many seconds for the largest field that a response may have. Shown by `LongFieldTests`.
extension ResponseHead {
    /// The most bytes of such a field that is parsed. Those in use have a few hundred at most.
    private static let longestParsed = 8_192

    /// The fields for Foundation's response, without those that it would parse and that are too long to be meant. Of several it gets one,
    /// because it would take the text of all for one media type, or one file name.
    var foundationFields: [String: String] {
        var fields = headers
        for name in ["Content-Type", "Content-Disposition"] {
            guard let value = headers.singleton(name) else { continue }
            if value != headers.value(for: name) { fields.update(name: name, value: value) }
            if value.utf8.count > Self.longestParsed { fields.remove(name: name) }
        }
        return fields.dictionary
    }
}
