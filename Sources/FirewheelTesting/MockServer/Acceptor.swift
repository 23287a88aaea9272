import Foundation

/// The listener, and a pipe that wakes the thread waiting on it: shutting down a listener wakes `accept` on Linux only.
struct Acceptor: Sendable {
    private let listener: Int32
    private let wakeRead: Int32
    private let wakeWrite: Int32
    let port: Int

    init(_ address: MockServer.Address) throws {
        (listener, port) = try PlatformSocket.listen(on: address)
        do {
            (wakeRead, wakeWrite) = try PlatformSocket.makePipe()
        } catch {
            PlatformSocket.close(listener)
            throw error
        }
    }

    /// Wakes the thread in ``run(for:)``. Must be called under the core's lock, which is also held when the pipe is closed.
    func wake() { PlatformSocket.writeByte(to: wakeWrite) }

    /// Reduces the buffers of connections accepted from now on.
    func narrow() { PlatformSocket.narrow(listener) }

    /// Accepts connections until the server is shut down; then closes the listener and the pipe.
    func run(for core: ServerCore) {
        while !core.isShutDown {
            _ = PlatformSocket.waitForInput([listener, wakeRead], milliseconds: -1)
            acceptAll(for: core)
        }
        core.state.change { state in
            state.acceptor = nil
            close()
        }
    }

    func close() {
        for descriptor in [listener, wakeRead, wakeWrite] { PlatformSocket.close(descriptor) }
    }

    private func acceptAll(for core: ServerCore) {
        while !core.isShutDown {
            switch PlatformSocket.accept(listener) {
            case .connection(let descriptor): core.admit(descriptor)
            case .nothing: return
            case .exhausted:
                // Waits, because a connection may end soon; a shutdown is noticed at once.
                _ = PlatformSocket.waitForInput([wakeRead], milliseconds: 20)
                return
            }
        }
    }
}
