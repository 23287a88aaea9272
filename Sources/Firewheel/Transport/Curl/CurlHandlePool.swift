#if os(Linux)
    import CFirewheelCurl

    /// The easy handles of a channel that no transfer has: those that wait for one, and the one that has libcurl look through its connections.
    struct CurlHandlePool {
        private static let most = 64

        private(set) var idle: [CurlHandle] = []
        /// The handle that makes libcurl look through its connections, while it does.
        private var reaper: CurlHandle?
        var isReaping: Bool { reaper != nil }

        mutating func take() -> CurlHandle? { idle.popLast() }

        mutating func giveBack(_ handle: CurlHandle, from multi: UnsafeMutableRawPointer?) {
            if let multi { _ = fwcurl_multi_remove(multi, handle.easy) }
            handle.recycle()
            if idle.count < Self.most { idle.append(handle) }
        }

        /// Has libcurl close the connections that are too old or dead. It looks through them only when a transfer needs a connection, and at
        /// most once a second: so it gets one, which then is refused a connection.
        mutating func reap(_ multi: UnsafeMutableRawPointer, with handle: CurlHandle) {
            handle.prepareToReap()
            reaper = handle
            if fwcurl_multi_add(multi, handle.easy) != 0 { endReaping(in: multi) }
        }

        /// libcurl has ended what a handle was in it for, or is to. Does nothing for another handle than that of ``reap(_:with:)``.
        mutating func endReaping(by easy: UnsafeMutableRawPointer? = nil, in multi: UnsafeMutableRawPointer?) {
            guard let handle = reaper, easy == nil || easy == handle.easy else { return }
            reaper = nil
            giveBack(handle, from: multi)
        }

        mutating func removeAll() { idle.removeAll() }
    }
#endif
