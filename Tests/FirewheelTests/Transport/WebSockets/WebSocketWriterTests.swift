import Foundation
import Testing

@testable import Firewheel

@Suite struct WebSocketWriterTests {
    private func written(_ writer: inout WebSocketWriter, target: Int = .max) -> [UInt8] {
        var output: [UInt8] = []
        #expect(writer.write(to: &output, target: target))
        return output
    }

    /// The headers of frames, with their payloads unmasked.
    private func frames(_ bytes: [UInt8]) -> [(first: UInt8, payload: [UInt8], mask: [UInt8]?)] {
        var (frames, rest): ([(UInt8, [UInt8], [UInt8]?)], ArraySlice<UInt8>) = ([], bytes[...])
        while let first = rest.popFirst(), let second = rest.popFirst() {
            let size = second & 0x7F == 127 ? 8 : second & 0x7F == 126 ? 2 : 0
            let length = size == 0 ? Int(second & 0x7F) : rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(size)
            var mask: [UInt8]?
            if second & 0x80 != 0 {
                mask = Array(rest.prefix(4))
                rest = rest.dropFirst(4)
            }
            let payload = rest.prefix(length).enumerated().map { $1 ^ (mask?[$0 % 4] ?? 0) }
            rest = rest.dropFirst(length)
            frames.append((first, payload, mask))
        }
        return frames
    }

    @Test func serverFrames() {
        var writer = WebSocketWriter(.server)
        writer.add(.text("Hello"), ticket: 1)
        writer.add(.data(Data(repeating: 5, count: 256)), ticket: 2)
        writer.add(.text(""), ticket: 3)
        writer.addPing(Data([1]))
        writer.addPong(Data([2]))
        let expected = frame(0x89, [1]) + frame(0x8A, [2]) + frame(0x81, Array("Hello".utf8))
        #expect(written(&writer) == expected + frame(0x82, [UInt8](repeating: 5, count: 256)) + frame(0x81, []))
        #expect(writer.isEmpty)
    }

    /// Each frame of a client has a mask of its own, which is not predictable (RFC 6455 section 5.3).
    @Test func clientFramesAreMasked() {
        var writer = WebSocketWriter(.client)
        for number in 0..<200 { writer.add(.text("message \(number)"), ticket: number) }
        let frames = frames(written(&writer))
        #expect(frames.map { String(decoding: $0.payload, as: UTF8.self) } == (0..<200).map { "message \($0)" })
        #expect(frames.allSatisfy { $0.first == 0x81 && $0.mask != nil })
        #expect(Set(frames.map(\.mask)).count > 190)
    }

    /// The mask is that of the payload's place, whatever its length.
    @Test func masks() {
        for count in 0..<40 {
            for offset in 0..<9 {
                let key: [UInt8] = [1, 20, 129, 255]
                var bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
                let expected = bytes.enumerated().map { $1 ^ key[($0 + offset) % 4] }
                let number = key.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
                bytes.withUnsafeMutableBytes { WebSocketMask.apply(number, to: $0, offset: UInt64(offset)) }
                #expect(bytes == expected)
            }
        }
    }

    @Test func largeMessagesAreFragmented() {
        let most = WebSocketWriter.mostOfFrame
        for count in [most - 1, most, most + 1, 2 * most, 2 * most + 5] {
            var writer = WebSocketWriter(.server)
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            writer.add(.data(Data(bytes)), ticket: 0)
            let frames = frames(written(&writer))
            #expect(frames.count == (count + most - 1) / most)
            #expect(frames.first?.first == (frames.count == 1 ? 0x82 : 0x02))
            #expect(frames.dropFirst().dropLast().allSatisfy { $0.first == 0x00 })
            if frames.count > 1 { #expect(frames.last?.first == 0x80) }
            #expect(frames.flatMap(\.payload) == bytes)
        }
    }

    /// Little more than the target is written at a time, and control frames go between the fragments.
    @Test func controlFramesGoBetween() {
        var writer = WebSocketWriter(.server)
        writer.add(.data(Data(count: 1 << 20)), ticket: 0)
        let first = written(&writer, target: 1)
        #expect(first.count == WebSocketWriter.mostOfFrame + 4)
        writer.addPong(Data([7]))
        writer.add(.text("later"), ticket: 1)
        let second = written(&writer, target: 100)
        #expect(frames(second).map(\.first) == [0x8A, 0x00])
        let rest = frames(written(&writer))
        #expect(rest.last?.payload == Array("later".utf8))
        #expect(rest.dropLast().last?.first == 0x80)
    }

    @Test func tickets() {
        var writer = WebSocketWriter(.server)
        writer.add(.text("one"), ticket: 7)
        writer.add(.text("three"), ticket: 8)
        writer.add(.data(Data(count: 40_000)), ticket: 9)
        #expect(writer.takeSent(upTo: .max) == [])
        let count = written(&writer).count
        #expect(writer.written == UInt64(count))
        #expect(writer.takeSent(upTo: 4) == [])
        #expect(writer.takeSent(upTo: 5) == [7])
        #expect(writer.takeSent(upTo: 5) == [])
        #expect(writer.takeSent(upTo: UInt64(count - 1)) == [8])
        #expect(writer.takeSent(upTo: UInt64(count)) == [9])
    }

    @Test func closesBehindWaitingMessages() throws {
        var writer = WebSocketWriter(.server)
        writer.add(.data(Data(count: 40_000)), ticket: 0)
        writer.close(try #require(WebSocketWriter.closePayload(.goingAway, "bye")), isUrgent: false)
        writer.add(.text("too late"), ticket: 1)
        writer.addPing(Data())
        #expect(frames(written(&writer)).map(\.first) == [0x89, 0x02, 0x80, 0x88])
        #expect(writer.isClosed)
        writer.addPing(Data())
        writer.close(Data(), isUrgent: true)
        #expect(written(&writer) == [])
        #expect(writer.isEmpty)
        #expect(writer.takeSent(upTo: .max) == [0])
    }

    @Test func urgentCloseGoesAhead() throws {
        var writer = WebSocketWriter(.server)
        writer.add(.data(Data(count: 1 << 20)), ticket: 0)
        writer.add(.text("waiting"), ticket: 1)
        _ = written(&writer, target: 1)
        writer.addPong(Data([7]))
        writer.close(try #require(WebSocketWriter.closePayload(.protocolError, "")), isUrgent: true)
        #expect(written(&writer) == closeFrame(1002))
        #expect(writer.takeSent(upTo: .max) == [])
    }

    /// A close that waits for messages becomes urgent, and keeps its code.
    @Test func firstCloseCounts() throws {
        var writer = WebSocketWriter(.server)
        writer.add(.text("waiting"), ticket: 1)
        writer.close(try #require(WebSocketWriter.closePayload(.normalClosure, "")), isUrgent: false)
        writer.close(try #require(WebSocketWriter.closePayload(.goingAway, "")), isUrgent: false)
        writer.close(try #require(WebSocketWriter.closePayload(.protocolError, "")), isUrgent: true)
        #expect(written(&writer) == closeFrame(1000))
    }

    @Test func closePayloads() {
        #expect(WebSocketWriter.closePayload(nil, "") == Data())
        #expect(WebSocketWriter.closePayload(nil, "why") == nil)
        #expect(WebSocketWriter.closePayload(.normalClosure, "día") == Data([0x03, 0xE8] + Array("día".utf8)))
        let longest = String(repeating: "é", count: 61) + "a"
        #expect(WebSocketWriter.closePayload(.normalClosure, longest)?.count == 125)
        #expect(WebSocketWriter.closePayload(.normalClosure, longest + "a") == nil)
        for code in UInt16.min...UInt16.max {
            let isValid = [1000...1003, 1007...1014, 3000...4999].contains { $0.contains(code) }
            let payload = WebSocketWriter.closePayload(WebSocketCloseCode(rawValue: code), "")
            if (payload != nil) != isValid { Issue.record("code \(code)") }
        }
    }

    /// A peer that sends pings and reads nothing makes no memory grow, and the last ping is answered.
    @Test func pongsAreLimited() {
        var writer = WebSocketWriter(.server)
        writer.addPing(Data([255]))
        for number in 0..<100 { writer.addPong(Data([UInt8(number)])) }
        let frames = frames(written(&writer))
        #expect(frames.first?.first == 0x89)
        #expect(frames.dropFirst().map { Int($0.payload[0]) } == Array(84..<100))
    }
}
