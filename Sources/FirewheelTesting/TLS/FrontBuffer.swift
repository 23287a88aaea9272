#if os(Linux)
    /// Bytes on their way, of a fixed size at the most. Used by one thread.
    final class FrontBuffer {
        private let storage: UnsafeMutableRawBufferPointer
        private var start = 0
        private var end = 0

        init(capacity: Int = 65_536) { storage = .allocate(byteCount: capacity, alignment: 1) }

        deinit { storage.deallocate() }

        var count: Int { end - start }
        var isEmpty: Bool { start == end }
        var space: Int { storage.count - count }

        /// The bytes that wait, the first of them first.
        var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[start..<end]) }

        func drop(_ count: Int) {
            start += count
            if start == end { (start, end) = (0, 0) }
        }

        /// Has `body` write into the free space.
        ///
        /// - Parameter body: Returns how much it has written, or what it has to report: 0 or less.
        @discardableResult
        func fill(_ body: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
            if start > 0 {
                storage.copyMemory(from: bytes)
                (start, end) = (0, count)
            }
            let written = body(UnsafeMutableRawBufferPointer(rebasing: storage[end...]))
            if written > 0 { end += written }
            return written
        }

        /// Takes as much as there is room for.
        ///
        /// - Returns: How much that was.
        @discardableResult
        func append(_ bytes: UnsafeRawBufferPointer) -> Int {
            fill { free in
                let count = min(free.count, bytes.count)
                free.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                return count
            }
        }
    }
#endif
