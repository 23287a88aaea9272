/// How responses are validated: what ``SessionConfiguration/validation`` says for all requests of a session, and `validate(_:)` for one.
public enum ResponseValidation: Sendable, Hashable {
    /// Not at all: every response is a success, whatever its status.
    case none
    /// By status and media type, as `validate()` does it: a status from 200 to 299, and a media type that the request's `Accept` names.
    case standard
}
