#if os(Linux)
    import CFirewheelCurl

    /// What depends on which libcurl the process has loaded.
    enum CurlVersion {
        static let number = fwcurl_version_number()

        /// The oldest that has all that is asked of it.
        static let isSupported = number >= 0x075100

        /// Whether requests may share a connection of HTTP/2 at the same time.
        ///
        /// Before 8.0 a stream that the server breaks off is for libcurl one that has ended well, if another one's buffer happens to be
        /// full ("closed overrides paused"): without a `Content-Length` the response would be short, and nobody would be told. Before 8.1
        /// what libcurl holds of a suspended stream outlives it, if others are on the connection, and comes with the next response of its
        /// handle. With 8.14 and newer a stream that is broken off while it is suspended was heard of a minute later, and requests failed
        /// where a server takes few streams at a time. With 8.5.0 all tests pass; the whole suite has not run with those between.
        static let multiplexes = (0x080500..<0x080600).contains(number)

        /// Whether it goes on watching, and reading, the socket of a transfer that is paused: 8.5.0 alone, which Ubuntu 24.04 has.
        static let watchesPaused = number == 0x080500

        /// Whether `CURLINFO_REQUEST_SIZE` counts the request's body, too. (8.7 counts nothing.)
        static let countsBodyWithHead = number >= 0x080800
    }
#endif
