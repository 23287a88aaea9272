#if os(Linux)
    import CFirewheelCurl
    import Foundation
    import Glibc

    /// What the loop is told to do.
    enum CurlCommand: Sendable {
        case start(CurlChannelReference, TransportRequest, any TransportReceiver)
        case cancel(CurlChannelReference, TransportTaskID)
        case pause(CurlChannelReference, TransportTaskID)
        case resume(CurlChannelReference, TransportTaskID)
        case proceed(CurlChannelReference, TransportTaskID, TransportRequest.HeldBody)
        case acknowledge(CurlChannelReference, TransportTaskID, bytes: Int)
        case resolved(CurlChannelReference, host: String, answer: NameResolver.Answer)
        case closeIdleConnections(CurlChannelReference)
        case close(CurlChannelReference)
        /// For tests: look at what is the loop's alone.
        case inspect(@Sendable () -> Void)
    }

    /// Carries a channel to the loop.
    struct CurlChannelReference: @unchecked Sendable {
        // The reference may be held and passed on by any thread; what it refers to is only touched on the loop's thread, which is the only
        // one to take commands out of the inbox. The last reference may go elsewhere, with a lookup that took long: by then `close()` has
        // emptied the channel on the loop, and nothing of libcurl is left in it to be freed.
        let channel: CurlChannel

        init(_ channel: CurlChannel) {
            self.channel = channel
        }
    }

    /// The way into the loop from other threads: a list of commands and a descriptor that wakes the loop, written once per sleep.
    final class CurlInbox: Sendable {
        private struct State {
            var commands: [CurlCommand] = []
            var isLoopAsleep = false
            var hasToStop = false
        }

        /// Becomes readable when there are commands for a sleeping loop.
        let wakeDescriptor: Int32
        private let state = Locked(State())
        private let hasStopped = DispatchSemaphore(value: 0)

        /// nil if the process has no descriptor left.
        init?() {
            wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
            guard wakeDescriptor >= 0 else { return nil }
        }

        deinit {
            close(wakeDescriptor)
        }

        func post(_ command: CurlCommand) {
            change { $0.commands.append(command) }
        }

        private func change(_ change: (inout State) -> Void) {
            let needsWaking = state.withLock { state in
                change(&state)
                defer { state.isLoopAsleep = false }
                return state.isLoopAsleep
            }
            if needsWaking {
                var one: UInt64 = 1
                _ = write(wakeDescriptor, &one, 8)
            }
        }

        /// All commands so far. For the loop.
        func take() -> [CurlCommand] {
            state.withLock { state in
                state.isLoopAsleep = false
                guard !state.commands.isEmpty else { return [] }
                let commands = state.commands
                state.commands = []
                state.commands.reserveCapacity(commands.count)
                return commands
            }
        }

        /// Whether there is something to take.
        var hasCommands: Bool { state.withLock { !$0.commands.isEmpty } }

        /// Announces that the loop is about to sleep. False if there is something for it to do, and it may not.
        func prepareToSleep() -> Bool {
            state.withLock { state in
                state.isLoopAsleep = state.commands.isEmpty && !state.hasToStop
                return state.isLoopAsleep
            }
        }

        // MARK: The end of the process

        /// Has the loop do nothing more, and waits until it does so, for the given seconds at most.
        func stop(timeout: TimeInterval) {
            change { $0.hasToStop = true }
            _ = hasStopped.wait(timeout: .now() + timeout)
        }

        var hasToStop: Bool { state.withLock { $0.hasToStop } }

        /// The loop does nothing more with libcurl.
        func noteStopped() {
            state.withLock { $0.hasToStop = false }
            hasStopped.signal()
        }
    }
#endif
