#if os(Linux)
    import Foundation

    // The URL parser of the linked libcurl, which only the tests use.
    @_silgen_name("curl_url") private func urlMake() -> OpaquePointer?
    @_silgen_name("curl_url_cleanup") private func urlFree(_ handle: OpaquePointer)
    @_silgen_name("curl_url_set") private func urlSet(
        _ handle: OpaquePointer, _ part: Int32, _ text: UnsafePointer<CChar>?, _ flags: UInt32
    )
        -> Int32
    @_silgen_name("curl_url_get") private func urlGet(
        _ handle: OpaquePointer, _ part: Int32, _ text: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, _ flags: UInt32
    ) -> Int32
    @_silgen_name("curl_free") private func textFree(_ pointer: UnsafeMutableRawPointer?)

    /// A URL as libcurl parses it, with the same flags as a transfer.
    struct CurlURLParser: Equatable {
        var scheme: String
        var user: String?
        var host: String
        var zone: String?
        var port: String
        var path: String
        var query: String?

        /// The host in the form of ``TargetURI/Origin/host``: without brackets, with the zone.
        var bareHost: String {
            (host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host) + (zone.map { "%25" + $0 } ?? "")
        }

        /// nil if libcurl refuses it.
        init?(_ text: String) {
            guard let handle = urlMake() else { return nil }
            defer { urlFree(handle) }
            // CURLU_NON_SUPPORT_SCHEME, CURLU_PATH_AS_IS, CURLU_GUESS_SCHEME.
            guard urlSet(handle, 0, text, 1 << 3 | 1 << 4 | 1 << 9) == 0 else { return nil }
            func part(_ number: Int32, _ flags: UInt32 = 0) -> String? {
                var pointer: UnsafeMutablePointer<CChar>?
                guard urlGet(handle, number, &pointer, flags) == 0, let pointer else { return nil }
                defer { textFree(pointer) }
                return String(cString: pointer)
            }
            // CURLU_DEFAULT_PORT.
            guard let scheme = part(1), let host = part(5), let port = part(6, 1) else { return nil }
            self.scheme = scheme
            self.host = host
            self.port = port
            zone = part(10)
            user = part(2)
            path = part(7) ?? ""
            query = part(8)
        }
    }
#endif
