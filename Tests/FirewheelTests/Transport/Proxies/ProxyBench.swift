#if os(Linux)
    import Foundation

    @testable import Firewheel

    /// Sessions that use a proxy.
    enum ProxyBench {
        static func session(_ proxy: ProxyConfiguration, _ change: (inout SessionConfiguration) -> Void = { _ in }) -> Session {
            var configuration = SessionConfiguration()
            configuration.timeoutIntervalForRequest = 20
            configuration.proxy = proxy
            change(&configuration)
            return Session(configuration: configuration)
        }
    }
#endif
