/// Selects the transport of this platform. No other code does.
func defaultTransport(_ configuration: SessionConfiguration) -> any Transport {
    #if os(Linux)
        SocketTransport(configuration: configuration)
    #else
        URLSessionTransport(configuration: configuration)
    #endif
}
