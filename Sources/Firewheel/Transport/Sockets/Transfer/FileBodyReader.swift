#if os(Linux)
    import Foundation
    import Glibc

    /// Reads a part of a file as the body of a request, on a thread that may block.
    final class FileBodyReader: BodyReader {
        private struct State {
            var descriptor: Int32?
            var offset: Int64
            var remaining: Int64
            var isReading = false
            var isClosed = false
        }

        private let url: URL
        private let state: Locked<State>

        init(_ url: URL, offset: Int64, length: Int64) {
            self.url = url
            state = Locked(State(offset: offset, remaining: length))
        }

        deinit {
            if let descriptor = state.withLock({ $0.descriptor }) { Glibc.close(descriptor) }
        }

        func read(upTo count: Int, _ answer: @escaping @Sendable (BodyPiece) -> Void) {
            WorkerPool.shared.run { answer(self.read(upTo: count)) }
        }

        func close() {
            let descriptor = state.withLock { state -> Int32? in
                state.isClosed = true
                // Otherwise the thread that reads closes it.
                return state.isReading ? nil : state.descriptor.take()
            }
            if let descriptor { WorkerPool.shared.run { Glibc.close(descriptor) } }
        }

        private func read(upTo count: Int) -> BodyPiece {
            let plan = state.withLock { state -> State? in
                guard !state.isClosed else { return nil }
                state.isReading = true
                return state
            }
            guard var plan else { return .end() }
            let piece = read(upTo: count, &plan)
            let unneeded = state.withLock { state -> Int32? in
                plan.isReading = false
                plan.isClosed = state.isClosed
                let unneeded = plan.isClosed ? plan.descriptor.take() : nil
                state = plan
                return unneeded
            }
            if let unneeded { Glibc.close(unneeded) }
            return piece
        }

        private func read(upTo count: Int, _ state: inout State) -> BodyPiece {
            guard state.remaining > 0 else { return .end() }
            if state.descriptor == nil {
                let opened = url.withUnsafeFileSystemRepresentation { path in path.map { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) } ?? -1
                }
                guard opened >= 0 else { return failure(FirewheelError.words(forSystemError: errno)) }
                state.descriptor = opened
            }
            let size = Int(min(Int64(count), state.remaining))
            guard let descriptor = state.descriptor, let memory = malloc(size) else { return failure("out of memory") }
            var got = 0
            repeat { got = pread(descriptor, memory, size, off_t(state.offset)) } while got < 0 && errno == EINTR
            guard got > 0 else {
                let code = errno
                free(memory)
                return failure(got == 0 ? "it is shorter than it was" : FirewheelError.words(forSystemError: code))
            }
            state.offset += Int64(got)
            state.remaining -= Int64(got)
            return .data(Data(bytesNoCopy: memory, count: got, deallocator: .free))
        }

        private func failure(_ reason: String) -> BodyPiece {
            .failed(.failed(.requestBodyStreamExhausted, "cannot read the file \(url.lastPathComponent) for the request's body: \(reason)"))
        }
    }
#endif
