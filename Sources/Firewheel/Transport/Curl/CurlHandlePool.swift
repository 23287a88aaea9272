#if os(Linux)
    import CFirewheelCurl

    /// The easy handles of a channel: idle ones, those in use, and the one that makes libcurl examine its connections.
    struct CurlHandlePool {
        private static let most = 64

        private(set) var idle: [CurlHandle] = []
        /// The handles in use. Each knows its index here.
        private(set) var inUse: [CurlHandle] = []
        /// The handle that is making libcurl examine its connections; nil at other times.
        private var reaper: CurlHandle?
        var isReaping: Bool { reaper != nil }

        /// - Parameter make: Makes a new handle; nil if out of memory.
        mutating func take(orMake make: () -> CurlHandle?) -> CurlHandle? {
            guard let handle = idle.popLast() ?? make() else { return nil }
            handle.place = inUse.count
            inUse.append(handle)
            return handle
        }

        mutating func giveBack(_ handle: CurlHandle, from multi: UnsafeMutableRawPointer?) {
            if let multi { _ = fwcurl_multi_remove(multi, handle.easy) }
            // Swap removal: the last handle moves to the free index.
            inUse[handle.place] = inUse[inUse.count - 1]
            inUse[handle.place].place = handle.place
            inUse.removeLast()
            handle.recycle()
            if idle.count < Self.most { idle.append(handle) }
        }

        /// Makes libcurl close connections that are too old or dead. libcurl examines them only when a transfer needs a connection, at most
        /// once a second: so it is given a transfer that is then refused a connection.
        mutating func reap(_ multi: UnsafeMutableRawPointer, with handle: CurlHandle) {
            handle.prepareToReap()
            reaper = handle
            if fwcurl_multi_add(multi, handle.easy) != 0 { endReaping(in: multi) }
        }

        /// Removes the handle of ``reap(_:with:)`` once libcurl has finished with it. Ignores any other handle.
        mutating func endReaping(by easy: UnsafeMutableRawPointer? = nil, in multi: UnsafeMutableRawPointer?) {
            guard let handle = reaper, easy == nil || easy == handle.easy else { return }
            reaper = nil
            giveBack(handle, from: multi)
        }

        mutating func removeAll() { idle.removeAll() }
    }
#endif
