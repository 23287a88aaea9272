import Foundation

extension URLSessionConfiguration: AlamofireExtended {}

extension URLSessionConfiguration {
    /// A copy that nobody else can change.
    var copied: URLSessionConfiguration { copy() as? URLSessionConfiguration ?? self }
}

extension AlamofireExtension where ExtendedType: URLSessionConfiguration {
    /// A new copy of Foundation's default configuration, with the default header fields: `Accept-Encoding`, `User-Agent`, and
    /// `Accept-Language` if the system has a language set.
    public static var `default`: URLSessionConfiguration { withDefaultHeaders(.default) }

    /// A new copy of Foundation's ephemeral configuration, which stores nothing on disk, with the default header fields.
    public static var ephemeral: URLSessionConfiguration { withDefaultHeaders(.ephemeral) }

    private static func withDefaultHeaders(_ configuration: URLSessionConfiguration) -> URLSessionConfiguration {
        configuration.headers = .default
        return configuration
    }
}
