#if os(Linux)
    import CFirewheelCurl

    /// The easy handles of a channel that no transfer has: those that wait for one, and the one that has libcurl look through its
    /// connections.
    struct CurlHandlePool {
        private static let most = 64

        private(set) var idle: [CurlHandle] = []
        /// Those that have been given out. Each knows its place here.
        private(set) var inUse: [CurlHandle] = []
        /// The handle that makes libcurl look through its connections, while it does.
        private var reaper: CurlHandle?
        var isReaping: Bool { reaper != nil }

        /// - Parameter make: Makes a new one; nil if there is no memory for it.
        mutating func take(orMake make: () -> CurlHandle?) -> CurlHandle? {
            guard let handle = idle.popLast() ?? make() else { return nil }
            handle.place = inUse.count
            inUse.append(handle)
            return handle
        }

        mutating func giveBack(_ handle: CurlHandle, from multi: UnsafeMutableRawPointer?) {
            if let multi { _ = fwcurl_multi_remove(multi, handle.easy) }
            // The last one takes its place.
            inUse[handle.place] = inUse[inUse.count - 1]
            inUse[handle.place].place = handle.place
            inUse.removeLast()
            handle.recycle()
            if idle.count < Self.most { idle.append(handle) }
        }

        /// Has libcurl close the connections that are too old or dead. It looks through them only when a transfer needs a connection, and
        /// at most once a second: so it gets one, which then is refused a connection.
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
