// A single import gives the requests and, on Linux, `XMLParser` and `XMLDocument`.
@_exported import Firewheel

#if canImport(FoundationXML)
    @_exported import FoundationXML
#endif

extension Sequence where Self == [String] {
    /// The media types `application/xml` and `text/xml` (RFC 7303 section 9), AFNetworking's default, for
    /// `.validate(contentType: .xml)`. Formats with a type of their own, such as `application/atom+xml`, are not among them.
    public static var xml: [String] { ["application/xml", "text/xml"] }
}
