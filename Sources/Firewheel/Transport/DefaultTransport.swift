/// The transport of this platform: the one place that chooses.
func defaultTransport(_ configuration: SessionConfiguration) -> any Transport {
    #if os(Linux)
        CurlTransport(configuration: configuration)
    #else
        #error("Firewheel runs on Linux so far. The transport over URLSession, for Apple's platforms, is not part of it yet.")
    #endif
}
