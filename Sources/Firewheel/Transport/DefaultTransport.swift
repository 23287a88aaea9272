/// Selects the transport of this platform. No other code does.
func defaultTransport(_ configuration: SessionConfiguration) -> any Transport {
    #if os(Linux)
        CurlTransport(configuration: configuration)
    #else
        URLSessionTransport(configuration: configuration)
    #endif
}
