#if os(Linux)
    import CFirewheelCurl
    import Foundation
    import Glibc

    /// A command to the loop.
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
        /// For tests: inspects state that only the loop may access.
        case inspect(@Sendable () -> Void)
    }

    /// Carries a channel to the loop's thread.
    struct CurlChannelReference: @unchecked Sendable {
        // Any thread may hold the reference, but only the loop's thread takes commands from the inbox and uses the channel. The last
        // reference may be released elsewhere, by a slow lookup: by then `close()` has emptied the channel on the loop.
        let channel: CurlChannel

        init(_ channel: CurlChannel) {
            self.channel = channel
        }
    }

    /// The command queue to the loop from other threads, with an eventfd that is written once per sleep to wake the loop.
    final class CurlInbox: Sendable {
        private struct State {
            var commands: [CurlCommand] = []
            var isLoopAsleep = false
            var hasToStop = false
        }

        /// Becomes readable when commands arrive for a sleeping loop.
        let wakeDescriptor: Int32
        private let state = Locked(State())
        private let hasStopped = DispatchSemaphore(value: 0)

        /// nil if the process is out of file descriptors.
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

        /// Removes and returns all commands. Called by the loop.
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

        /// Whether there are commands to take.
        var hasCommands: Bool { state.withLock { !$0.commands.isEmpty } }

        /// Marks the loop as about to sleep. False if there are commands, so that it must not.
        func prepareToSleep() -> Bool {
            state.withLock { state in
                state.isLoopAsleep = state.commands.isEmpty && !state.hasToStop
                return state.isLoopAsleep
            }
        }

        // MARK: Process exit

        /// Asks the loop to stop, and waits until it has, or until the timeout in seconds.
        func stop(timeout: TimeInterval) {
            change { $0.hasToStop = true }
            _ = hasStopped.wait(timeout: .now() + timeout)
        }

        var hasToStop: Bool { state.withLock { $0.hasToStop } }

        /// Reports that the loop no longer uses libcurl.
        func noteStopped() {
            state.withLock { $0.hasToStop = false }
            hasStopped.signal()
        }
    }
#endif
