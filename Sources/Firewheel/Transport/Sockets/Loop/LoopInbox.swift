#if os(Linux)
    import CFirewheelSystem
    import Foundation
    import Glibc

    /// The command queue to a loop from other threads, with an eventfd that is written once per sleep to wake the loop.
    final class LoopInbox<Command: Sendable>: Sendable {
        private struct State {
            var commands: [Command] = []
            var isLoopAsleep = false
        }

        /// Becomes readable when commands arrive for a sleeping loop.
        let wakeDescriptor: Int32
        private let state = Locked(State())

        /// nil if the process is out of file descriptors.
        init?() {
            wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
            guard wakeDescriptor >= 0 else { return nil }
        }

        deinit {
            close(wakeDescriptor)
        }

        func post(_ command: consuming Command) {
            var command = Optional(command)
            let needsWaking = state.withLock { state in
                // Set above, and taken once: capturing the command itself would copy it, and a request is large.
                state.commands.append(command.take()!)
                defer { state.isLoopAsleep = false }
                return state.isLoopAsleep
            }
            if needsWaking {
                var one: UInt64 = 1
                _ = write(wakeDescriptor, &one, 8)
            }
        }

        /// Moves all commands into an empty array, whose memory is used for the next ones. Called by the loop.
        func take(_ commands: inout [Command]) {
            state.withLock { state in
                state.isLoopAsleep = false
                if !state.commands.isEmpty { swap(&state.commands, &commands) }
            }
        }

        /// Whether there are commands to take.
        var hasCommands: Bool { state.withLock { !$0.commands.isEmpty } }

        /// Marks the loop as about to sleep. False if there are commands, so that it must not.
        func prepareToSleep() -> Bool {
            state.withLock { state in
                state.isLoopAsleep = state.commands.isEmpty
                return state.isLoopAsleep
            }
        }
    }
#endif
