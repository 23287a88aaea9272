import Foundation

@testable import Firewheel

#if os(Linux)
    import CFirewheelCurl

    /// Inspects the easy handles of a transport on the loop, because libcurl does not report their number.
    final class ChaosHandles: Sendable {
        private let opened: CurlTransport.Opened

        struct Census: Sendable {
            /// Handles that have not been freed.
            var living = 0
            /// Idle handles, which are reused for the next transfer.
            var idle = 0
            /// Idle handles that are still in a multi handle.
            var attached = 0
            /// Idle handles that still have a transfer.
            var occupied = 0
        }

        /// nil for a transport without easy handles.
        init?(_ transport: any Transport) {
            guard let opened = try? (transport as? CurlTransport)?.open() else { return nil }
            self.opened = opened
        }

        /// Whether all handles are idle and in no multi handle.
        var areBack: Bool {
            let census = census
            return census.living == census.idle && census.attached == 0 && census.occupied == 0
        }

        /// Whether all handles are freed.
        var areFreed: Bool { census.living == 0 }

        var description: String { "\(census)" }

        private var census: Census {
            let found = Locked(Census())
            let isDone = DispatchSemaphore(value: 0)
            opened.inbox.post(
                .inspect { [reference = opened.reference] in
                    found.withLock { $0 = Self.count(reference.channel) }
                    isDone.signal()
                })
            isDone.wait()
            return found.withLock { $0 }
        }

        private static func count(_ channel: CurlChannel) -> Census {
            var census = Census(living: channel.handleCount.value, idle: channel.handles.idle.count)
            guard let multi = fwcurl_multi_make() else { return census }
            defer { _ = fwcurl_multi_free(multi) }
            for handle in channel.handles.idle {
                if handle.transfer != nil { census.occupied += 1 }
                // Adding fails for a handle that is in another multi handle.
                if fwcurl_multi_add(multi, handle.easy) == 0 {
                    _ = fwcurl_multi_remove(multi, handle.easy)
                } else {
                    census.attached += 1
                }
            }
            return census
        }
    }
#else
    /// Without libcurl there are no handles.
    final class ChaosHandles: Sendable {
        let areBack = true
        let areFreed = true
        let description = ""

        init?(_ transport: any Transport) { return nil }
    }
#endif
