/// A value, or what went wrong: Swift's own `Result` under the one-parameter name that Alamofire 4 gave to its own.
///
/// In a file that imports this module `Result` is this one. Write `Swift.Result<Value, MyError>` for one with an error type of your own.
public typealias Result<Value> = Swift.Result<Value, any Error>

// On all of Swift's Result, so that results from elsewhere have them too.
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
    /// - Throws: the error of a failure.
    public func unwrap() throws(Failure) -> Success { try get() }

    /// Calls the closure with the value of a success.
    ///
    /// - Throws: what the closure throws.
    @discardableResult
    public func withValue(_ closure: (Success) throws -> Void) rethrows -> Self {
        if case .success(let value) = self { try closure(value) }
        return self
    }

    /// Calls the closure with the error of a failure.
    ///
    /// - Throws: what the closure throws.
    @discardableResult
    public func withError(_ closure: (Failure) throws -> Void) rethrows -> Self {
        if case .failure(let error) = self { try closure(error) }
        return self
    }

    /// Calls the closure if this is a success.
    ///
    /// - Throws: what the closure throws.
    @discardableResult
    public func ifSuccess(_ closure: () throws -> Void) rethrows -> Self {
        if isSuccess { try closure() }
        return self
    }

    /// Calls the closure if this is a failure.
    ///
    /// - Throws: what the closure throws.
    @discardableResult
    public func ifFailure(_ closure: () throws -> Void) rethrows -> Self {
        if isFailure { try closure() }
        return self
    }
}

// MARK: - Transformations that may throw

extension Swift.Result {
    /// A success with what the closure makes of the value; a failure with what it throws, or with the error that was there.
    @_disfavoredOverload  // So that a closure that returns a Result is not nested in another.
    public func flatMap<NewValue>(_ transform: (Success) throws -> NewValue) -> Swift.Result<NewValue, any Error> {
        switch self {
        case .success(let value): Swift.Result<NewValue, any Error> { try transform(value) }
        case .failure(let error): .failure(error)
        }
    }

    /// A failure with the error that the closure makes of the one that was there, or with what it throws. A success stays.
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
    /// What the closure returns or throws.
    @_disfavoredOverload  // Swift's own `init(catching:)` is the same, and without this `Result { … }` could be either.
    public init(value: () throws -> Success) {
        self.init(catching: value)
    }

    /// The result that the closure makes of the value; a failure with what it throws, or with the error that was there.
    ///
    /// Swift's own takes no closure that throws, and the form that takes one for a plain value would make a result in a result.
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
    /// A success of a check, which has no value.
    public static var success: Self { .success(()) }
}
