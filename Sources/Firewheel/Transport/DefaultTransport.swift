/// The transport of this platform: the one place that chooses.
func defaultTransport(_ configuration: SessionConfiguration) -> any Transport {
    #if os(Linux)
        CurlTransport(configuration: configuration)
    #else
        URLSessionTransport(configuration: configuration)
    #endif
}
