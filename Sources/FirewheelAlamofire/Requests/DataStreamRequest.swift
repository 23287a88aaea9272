/// A request whose response body is handed over as it arrives.
public final class DataStreamRequest: Request, @unchecked Sendable {
    // Sound like its base class.
    let streamBase: Firewheel.DataStreamRequest
    /// What makes the `URLRequest`.
    public let convertible: any URLRequestConvertible
    /// Whether an element that cannot be made ends the request.
    public let automaticallyCancelOnStreamError: Bool

    init(
        _ base: Firewheel.DataStreamRequest, convertible: any URLRequestConvertible, automaticallyCancelOnStreamError: Bool,
        settings: RequestSettings
    ) {
        streamBase = base
        self.convertible = convertible
        self.automaticallyCancelOnStreamError = automaticallyCancelOnStreamError
        super.init(base, settings: settings)
    }
}
