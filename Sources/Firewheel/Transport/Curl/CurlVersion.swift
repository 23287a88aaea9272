#if os(Linux)
    import CFirewheelCurl

    /// Properties of the libcurl release that the process has loaded.
    enum CurlVersion {
        static let number = fwcurl_version_number()

        /// Whether the release is recent enough.
        static let isSupported = number >= 0x075100

        /// Whether requests may share an HTTP/2 connection concurrently: with libcurl 8.5 only.
        ///
        /// - Before 8.0 a stream that the server resets may be reported as complete while another stream's buffer is full ("closed
        ///   overrides paused"): a response without `Content-Length` would be truncated silently.
        /// - Before 8.1 buffered data of a paused stream may outlive it and be delivered with the next response of its handle.
        /// - From 8.14 on the reset of a paused stream is reported very late, and requests fail if a server allows few concurrent streams.
        /// - The releases from 8.6 to 8.13 are unverified.
        static let multiplexes = (0x080500..<0x080600).contains(number)

        /// Whether libcurl goes on watching, and reading from, the socket of a paused transfer: 8.5.0 only, which Ubuntu 24.04 has.
        static let watchesPaused = number == 0x080500

        /// Whether `CURLINFO_REQUEST_SIZE` includes the request's body. (8.7 counts nothing.)
        static let countsBodyWithHead = number >= 0x080800
    }
#endif
