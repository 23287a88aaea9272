#if os(Linux)
    import CFirewheelCurl
    import Foundation

    /// A reusable easy handle with all constant options set.
    ///
    /// The handle is the context of its callbacks and outlives the transfers that use it. Owned by a channel and used on the loop's thread
    /// only.
    final class CurlHandle {
        /// libcurl's read size, which decides the number of system calls for a large body. It stays below 64 KiB because some releases
        /// allocate the buffer for every request, and glibc's `malloc` frees larger blocks more slowly.
        private static let receiveBuffer = 60 * 1024

        let easy: UnsafeMutableRawPointer
        /// The transfer that currently uses the handle.
        var transfer: CurlTransfer?
        /// Its index among the handles in use.
        var place = 0

        private let errorText: UnsafeMutablePointer<CChar>
        fileprivate let loop: CurlLoop
        private let ages: CurlConnectionAges
        private let certificates: CurlCertificates
        private let count: Count
        /// Whether the handle is configured for a GET, so that only differences need to be set.
        private var isPlain = true
        private var waitsForMultiplexing = false
        /// The current header list and the headers it was built from: sessions tend to repeat the same headers.
        private var headerList: UnsafeMutablePointer<fwcurl_list>?
        private var listedHeaders: HTTPHeaders?
        private var listedFraming = Framing.none
        private var url = ""
        private var connectTimeout = -1
        private var resolveList: UnsafeMutablePointer<fwcurl_list>?

        /// How the request's header fields frame its body.
        private enum Framing {
            /// No field: there is no body, and the method does not imply one.
            case none
            case empty
            case sized
        }

        /// The number of a channel's easy handles that are not freed, wherever they are. Tests use it to detect leaks.
        final class Count {
            fileprivate(set) var value = 0
        }

        /// nil if libcurl is out of memory.
        init?(loop: CurlLoop, ages: CurlConnectionAges, certificates: CurlCertificates, count: Count) {
            guard let easy = fwcurl_easy_make() else { return nil }
            self.easy = easy
            self.loop = loop
            self.ages = ages
            self.certificates = certificates
            self.count = count
            count.value += 1
            errorText = .allocate(capacity: Int(FWCURL_ERROR_SIZE))
            errorText.initialize(repeating: 0, count: Int(FWCURL_ERROR_SIZE))
            setConstants()
        }

        deinit {
            count.value -= 1
            fwcurl_easy_free(easy)
            fwcurl_list_free(headerList)
            fwcurl_list_free(resolveList)
            errorText.deallocate()
        }

        /// The transfer that currently uses an easy handle.
        static func transfer(of easy: UnsafeMutableRawPointer) -> CurlTransfer? {
            handle(UnsafeMutableRawPointer(mutating: fwcurl_get_string(easy, Int32(FWCURLINFO_PRIVATE))))?.transfer
        }

        /// libcurl's message for the last failure; empty without one.
        var errorMessage: String { String(cString: errorText) }

        /// Clears the message, which libcurl never resets.
        func forgetError() { errorText.pointee = 0 }

        /// Sets the options of a transfer.
        func prepare(for transfer: CurlTransfer) {
            let request = transfer.request
            self.transfer = transfer
            forgetError()
            let bodySize = transfer.requestBody?.count ?? 0
            setURL(request.target.string)
            if let target = request.target.withEmptyQuery {
                set(FWCURLOPT_REQUEST_TARGET, target)
                isPlain = false
            }
            setConnectTimeout(request.connectTimeout ?? request.idleTimeout)
            setWaiting(isSecure: request.target.origin.isSecure)
            let isEmpty = (transfer.requestBody != nil || request.method.anticipatesBody) && request.method != .head
            setHeaders(request.headers, framing: bodySize > 0 ? .sized : isEmpty ? .empty : .none)
            if request.method != .get || bodySize > 0 { setMethod(request.method, bodySize: bodySize) }
            if request.delivery == .chunks {
                // A larger buffer for a body that is expected to be large.
                set(FWCURLOPT_BUFFERSIZE, 131_072)
                isPlain = false
            }
            if let told = transfer.told {
                for line in told.lines { resolveList = fwcurl_list_append(resolveList, line) }
                fwcurl_set_pointer(easy, Int32(FWCURLOPT_RESOLVE), resolveList)
            }
        }

        /// Sets up a connection lookup that finds none; opening a new one is refused in `onOpenSocket`.
        func prepareToReap() {
            // A port to which no connection exists. CURLOPT_FRESH_CONNECT would keep libcurl 8.22 from examining the existing connections.
            set(FWCURLOPT_URL, "http://127.0.0.1:1/")
            setWaiting(isSecure: false)
            isPlain = false
        }

        /// Closes the connection when the handle is removed from its multi handle.
        func forbidReuse() {
            set(FWCURLOPT_FORBID_REUSE, 1)
            isPlain = false
        }

        /// Ends the use by a transfer. The handle must have been removed from its multi handle.
        func recycle() {
            // libcurl counts a handle's resends over all its transfers and fails after five; only a reset clears the count. A refused new
            // connection counts as well.
            if transfer?.wasSentAgain == true || transfer?.hasFailed == true { isPlain = false }
            transfer = nil
            if resolveList != nil {
                fwcurl_set_pointer(easy, Int32(FWCURLOPT_RESOLVE), nil)
                fwcurl_list_free(resolveList)
                resolveList = nil
            }
            if !isPlain {
                fwcurl_easy_clear(easy)
                fwcurl_list_free(headerList)
                headerList = nil
                listedHeaders = nil
                url = ""
                connectTimeout = -1
                waitsForMultiplexing = false
                setConstants()
                isPlain = true
            }
        }

        /// Sets whether a request waits for a connection that is being opened, to share it over HTTP/2. Without TLS there is no HTTP/2, and
        /// the wait would last until the first response.
        private func setWaiting(isSecure: Bool) {
            let waits = isSecure && CurlVersion.multiplexes
            guard waits != waitsForMultiplexing else { return }
            waitsForMultiplexing = waits
            set(FWCURLOPT_PIPEWAIT, waits ? 1 : 0)
        }

        private func setURL(_ string: String) {
            guard string != url else { return }
            url = string
            set(FWCURLOPT_URL, string)
        }

        private func setConnectTimeout(_ seconds: TimeInterval) {
            let milliseconds = seconds > 0 ? max(1, Int(min(seconds, 1_000_000) * 1000)) : 1_000_000_000
            guard milliseconds != connectTimeout else { return }
            connectTimeout = milliseconds
            set(FWCURLOPT_CONNECTTIMEOUT_MS, milliseconds)
        }

        private func setMethod(_ method: HTTPMethod, bodySize: Int) {
            isPlain = false
            if method == .head {
                set(FWCURLOPT_NOBODY, 1)
                return
            }
            if bodySize > 0 {
                set(FWCURLOPT_UPLOAD, 1)
                fwcurl_set_offset(easy, Int32(FWCURLOPT_INFILESIZE_LARGE), Int64(bodySize))
            }
            set(FWCURLOPT_CUSTOMREQUEST, method.rawValue)
        }

        private func setHeaders(_ headers: HTTPHeaders, framing: Framing) {
            if let listedHeaders, listedFraming == framing, listedHeaders.hasSameBytes(as: headers) { return }
            var list: UnsafeMutablePointer<fwcurl_list>?
            for header in headers where !Self.isFraming(header.name) {
                // libcurl takes "Name:" as a request to remove the field, "Name;" as a field without value, and blank values as none.
                let isBlank = header.value.utf8.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
                let line = isBlank ? "\(header.name);" : "\(header.name): \(header.value)"
                list = header.isObsText ? fwcurl_list_append(list, Self.latin1(line)) : fwcurl_list_append(list, line)
            }
            // Otherwise libcurl would offer content codings that were not requested, and wait for "100 Continue" before larger bodies.
            for name in framing == .sized ? ["Accept-Encoding", "Expect"] : ["Accept-Encoding"] where !headers.contains(name: name) {
                list = fwcurl_list_append(list, "\(name):")
            }
            // Not an upload for libcurl: since 8.7 it asks for an upload's bytes after sending the head, and closes the connection if a
            // status of 300 or above comes first.
            if framing == .empty { list = fwcurl_list_append(list, "Content-Length: 0") }
            fwcurl_set_pointer(easy, Int32(FWCURLOPT_HTTPHEADER), list)
            fwcurl_list_free(headerList)
            headerList = list
            listedHeaders = headers
            listedFraming = framing
        }

        /// A C string with one byte per character; all are below U+0100.
        private static func latin1(_ line: String) -> [CChar] {
            line.unicodeScalars.map { CChar(truncatingIfNeeded: $0.value) } + [0]
        }

        /// Whether a field is part of the message framing. libcurl sets these, because a wrong value would allow request smuggling.
        private static func isFraming(_ name: String) -> Bool {
            name.equalsIgnoringASCIICase("Content-Length") || name.equalsIgnoringASCIICase("Transfer-Encoding")
        }

        private func setConstants() {
            let context = Unmanaged.passUnretained(self).toOpaque()
            let loopContext = Unmanaged.passUnretained(loop).toOpaque()
            fwcurl_set_pointer(easy, Int32(FWCURLOPT_ERRORBUFFER), errorText)
            set(FWCURLOPT_NOSIGNAL, 1)
            set(FWCURLOPT_BUFFERSIZE, Self.receiveBuffer)
            set(FWCURLOPT_PROTOCOLS, Int(FWCURL_PROTO_HTTP) | Int(FWCURL_PROTO_HTTPS))
            set(FWCURLOPT_HTTP_VERSION, Int(FWCURL_HTTP_VERSION_2TLS))
            set(FWCURLOPT_PATH_AS_IS, 1)
            // Without a value libcurl applies its own default limit.
            set(FWCURLOPT_MAXAGE_CONN, ages.idle ?? 1_000_000_000)
            // 0 means no limit; since 8.17 libcurl has a default limit.
            set(FWCURLOPT_MAXLIFETIME_CONN, ages.lifetime ?? 0)
            // Addresses come from Firewheel's resolver, which decides when they are stale.
            set(FWCURLOPT_DNS_CACHE_TIMEOUT, -1)
            set(FWCURLOPT_PROXY, "")
            // Enables decoding of all content codings that libcurl supports; the headers decide which are offered.
            set(FWCURLOPT_ACCEPT_ENCODING, "")
            if let file = certificates.file { set(FWCURLOPT_CAINFO, file) }
            if let directory = certificates.directory { set(FWCURLOPT_CAPATH, directory) }
            fwcurl_set_data_callback(easy, Int32(FWCURLOPT_WRITEFUNCTION), onBody)
            fwcurl_set_pointer(easy, Int32(FWCURLOPT_WRITEDATA), context)
            fwcurl_set_data_callback(easy, Int32(FWCURLOPT_HEADERFUNCTION), onHeaderLine)
            fwcurl_set_pointer(easy, Int32(FWCURLOPT_HEADERDATA), context)
            fwcurl_set_data_callback(easy, Int32(FWCURLOPT_READFUNCTION), onUpload)
            fwcurl_set_pointer(easy, Int32(FWCURLOPT_READDATA), context)
            fwcurl_set_seek_callback(easy, onRewind)
            fwcurl_set_pointer(easy, Int32(FWCURLOPT_SEEKDATA), context)
            fwcurl_set_prereq_callback(easy, onConnected)
            fwcurl_set_pointer(easy, Int32(FWCURLOPT_PREREQDATA), context)
            fwcurl_set_pointer(easy, Int32(FWCURLOPT_PRIVATE), context)
            fwcurl_set_open_callback(easy, onOpenSocket)
            fwcurl_set_pointer(easy, Int32(FWCURLOPT_OPENSOCKETDATA), context)
            fwcurl_set_close_callback(easy, onCloseSocket)
            fwcurl_set_pointer(easy, Int32(FWCURLOPT_CLOSESOCKETDATA), loopContext)
        }

        private func set<Option: BinaryInteger>(_ option: Option, _ value: Int) {
            fwcurl_set_long(easy, Int32(option), value)
        }

        private func set<Option: BinaryInteger>(_ option: Option, _ value: String) {
            _ = value.withCString { fwcurl_set_pointer(easy, Int32(option), $0) }
        }
    }

    /// The locations of trusted CA certificates, if they differ from libcurl's built-in ones.
    ///
    /// `SSL_CERT_FILE` and `SSL_CERT_DIR` are OpenSSL's variables, which libcurl itself does not read.
    struct CurlCertificates: Sendable {
        var file: String?
        var directory: String?

        /// The file if there is one, else the directory.
        var path: String? { file ?? directory }

        static func fromEnvironment() -> CurlCertificates {
            let environment = ProcessInfo.processInfo.environment
            func path(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
            return CurlCertificates(file: path("SSL_CERT_FILE"), directory: path("SSL_CERT_DIR"))
        }
    }

    // MARK: - Callbacks, all on the loop's thread

    private func handle(_ context: UnsafeMutableRawPointer?) -> CurlHandle? {
        context.map { Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    private let onBody: fwcurl_data_callback = { bytes, size, count, context in
        guard let transfer = handle(context)?.transfer else { return 0 }
        return transfer.takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }

    private let onHeaderLine: fwcurl_data_callback = { bytes, size, count, context in
        guard let transfer = handle(context)?.transfer else { return 0 }
        return transfer.takeHeaderLine(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }

    private let onUpload: fwcurl_data_callback = { bytes, size, count, context in
        guard let transfer = handle(context)?.transfer else { return Int(FWCURL_READFUNC_ABORT) }
        return transfer.giveBody(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
    }

    private let onRewind: fwcurl_seek_callback = { context, offset, origin in
        let isDone = handle(context)?.transfer?.rewindBody(to: offset, origin: origin) == true
        return Int32(isDone ? FWCURL_SEEKFUNC_OK : FWCURL_SEEKFUNC_FAIL)
    }

    private let onConnected: fwcurl_prereq_callback = { context, _, _, _, localPort in
        guard let handle = handle(context), let transfer = handle.transfer else { return Int32(FWCURL_PREREQFUNC_ABORT) }
        return Int32(transfer.connected(easy: handle.easy, localPort: localPort) ? FWCURL_PREREQFUNC_OK : FWCURL_PREREQFUNC_ABORT)
    }

    private let onOpenSocket: fwcurl_open_callback = { context, _, address in
        guard let handle = handle(context), let transfer = handle.transfer else { return -1 }
        transfer.connecting()
        let isPlain = !transfer.request.target.origin.isSecure
        let descriptor = handle.loop.openSocket(address.pointee, isPlain: isPlain, for: transfer.channel)
        transfer.socketError = descriptor < 0 ? errno : nil
        return descriptor
    }

    private let onCloseSocket: fwcurl_close_callback = { context, descriptor in
        guard let context else { return 1 }
        return Unmanaged<CurlLoop>.fromOpaque(context).takeUnretainedValue().closeSocket(descriptor)
    }
#endif
