extension ServerTrustManager {
    /// The evaluator for a host. Hides Firewheel's method, because Alamofire's throws `AFError`.
    ///
    /// - Parameter host: A host as URLs have it.
    /// - Returns: nil if there is none, and none is required.
    /// - Throws: ``AFError/serverTrustEvaluationFailed(reason:)`` with `noRequiredEvaluator` if there is none although one is required,
    ///   or if a key of the manager is not a pattern of hosts.
    public func serverTrustEvaluator(forHost host: String) throws -> (any ServerTrustEvaluating)? {
        do {
            return try evaluator(forHost: host)
        } catch let error as FirewheelError {
            throw AFError(error.with(subject: .host(host)))
        }
    }
}
