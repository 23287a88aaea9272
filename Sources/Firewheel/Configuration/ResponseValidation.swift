/// How responses are validated: set by ``SessionConfiguration/validation`` for all requests of a session, and by `validate(_:)` for one.
public enum ResponseValidation: Sendable, Hashable {
    /// No validation: every response is a success, whatever its status.
    case none
    /// By status and media type, like `validate()`: a status from 200 to 299, and a media type that the request's `Accept` field allows.
    /// Also a 304 that the request has asked for.
    case standard
}
