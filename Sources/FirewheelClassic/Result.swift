/// A value or an error: Swift's `Result` with the single type parameter of Alamofire 4's.
///
/// In a file that imports this module, `Result` is this one. Write `Swift.Result<Value, MyError>` for one with a specific error type.
public typealias Result<Value> = Swift.Result<Value, any Error>

// Extends Swift's Result, so that results from elsewhere have these members too.
extension Swift.Result {
    /// Whether this is a success.
    public var isSuccess: Bool {
        switch self {
        case .success: true
        case .failure: false
        }
    }

    /// Whether this is a failure.
    public var isFailure: Bool { !isSuccess }

    /// The value of a success; nil for a failure.
    public var value: Success? {
        switch self {
        case .success(let value): value
        case .failure: nil
        }
    }

    /// The error of a failure; nil for a success.
    public var error: Failure? {
        switch self {
        case .success: nil
        case .failure(let error): error
        }
    }

    /// The value of a success.
    ///
    /// - Throws: The error of a failure.
    public func unwrap() throws(Failure) -> Success { try get() }

    /// Calls the closure with the value of a success.
    ///
    /// - Throws: The closure's error.
    @discardableResult
    public func withValue(_ closure: (Success) throws -> Void) rethrows -> Self {
        if case .success(let value) = self { try closure(value) }
        return self
    }

    /// Calls the closure with the error of a failure.
    ///
    /// - Throws: The closure's error.
    @discardableResult
    public func withError(_ closure: (Failure) throws -> Void) rethrows -> Self {
        if case .failure(let error) = self { try closure(error) }
        return self
    }

    /// Calls the closure if this is a success.
    ///
    /// - Throws: The closure's error.
    @discardableResult
    public func ifSuccess(_ closure: () throws -> Void) rethrows -> Self {
        if isSuccess { try closure() }
        return self
    }

    /// Calls the closure if this is a failure.
    ///
    /// - Throws: The closure's error.
    @discardableResult
    public func ifFailure(_ closure: () throws -> Void) rethrows -> Self {
        if isFailure { try closure() }
        return self
    }
}

// MARK: - Throwing transformations

extension Swift.Result {
    /// The result with its value transformed. An error that the closure throws becomes the failure. A failure is kept.
    @_disfavoredOverload  // So that a closure that returns a Result does not lead to a nested one.
    public func flatMap<NewValue>(_ transform: (Success) throws -> NewValue) -> Swift.Result<NewValue, any Error> {
        switch self {
        case .success(let value): Swift.Result<NewValue, any Error> { try transform(value) }
        case .failure(let error): .failure(error)
        }
    }

    /// The result with its error transformed. An error that the closure throws becomes the failure. A success is kept.
    public func flatMapError<NewFailure: Error>(_ transform: (Failure) throws -> NewFailure) -> Swift.Result<Success, any Error> {
        switch self {
        case .success(let value): return .success(value)
        case .failure(let error):
            do {
                return .failure(try transform(error))
            } catch {
                return .failure(error)
            }
        }
    }
}

extension Swift.Result where Failure == any Error {
    /// The closure's value or error.
    @_disfavoredOverload  // Otherwise `Result { … }` would be ambiguous with Swift's `init(catching:)`, which does the same.
    public init(value: () throws -> Success) {
        self.init(catching: value)
    }

    /// The result that the closure returns for the value, or a failure with the error that it throws. A failure is kept.
    ///
    /// Swift's own does not accept a throwing closure, and the overload for plain values would return a nested result.
    public func flatMap<NewValue>(_ transform: (Success) throws -> Result<NewValue>) -> Result<NewValue> {
        switch self {
        case .success(let value):
            do {
                return try transform(value)
            } catch {
                return .failure(error)
            }
        case .failure(let error): return .failure(error)
        }
    }
}

extension Swift.Result where Success == Void {
    /// A success without a value, as the result of a check.
    public static var success: Self { .success(()) }
}
