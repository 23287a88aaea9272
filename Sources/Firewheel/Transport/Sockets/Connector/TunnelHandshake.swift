/// The handshake with a proxy before it connects to a server: bytes in, bytes out.
protocol TunnelHandshake {
    /// The bytes to send, from the first one on. What is read may add some.
    var output: [UInt8] { get }
    /// Whether a byte of the proxy's has come.
    var hasBegun: Bool { get }
    /// The proxy's response; nil before it has come, and for a proxy that does not speak HTTP.
    var head: ResponseHead? { get }
    /// That the proxy has refused with its response; nil otherwise.
    var refusal: TransportError? { get }

    /// Reads received bytes, all of them.
    mutating func read(_ bytes: UnsafeRawBufferPointer) -> TunnelStep
    /// Handles a connection whose TLS is broken.
    func violated(_ error: TransportError) -> TunnelStep
    /// Handles the end of the connection.
    ///
    /// - Parameter words: Why it has ended, if it was not the proxy that closed it.
    func connectionEnded(_ words: String?) -> TunnelStep
}

/// The result of reading bytes of a proxy.
enum TunnelStep: Equatable {
    case needsMore
    /// The bytes from now on are the server's, with those that have come already.
    case connected([UInt8])
    /// The refusal is complete, or as much of it as is kept. `stays` says whether the proxy takes another request.
    case refused(stays: Bool)
    case failed(TransportError)
}
