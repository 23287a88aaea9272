/// Why a `URLSessionConfiguration` cannot be honored, and with it no request of its session be sent.
struct ConfigurationProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the property, as in Swift code.
    let field: String
    /// What is the matter with its value, as the end of a sentence, without secrets.
    let reason: String

    var description: String { "URLSessionConfiguration.\(field) cannot be honored: \(reason)" }
}

/// What is the matter with the value of a property.
struct ConfigurationRefusal: Error, Equatable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// The error of every request of a session whose `URLSessionConfiguration` cannot be honored.
struct UnsupportedConfiguration: LocalizedError, CustomStringConvertible {
    /// The properties, each with the reason.
    let description: String

    init(_ problem: String) {
        description = problem
    }

    var errorDescription: String? { description }
}
