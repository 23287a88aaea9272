#if os(Linux)
    import CFirewheelSystem
    import Foundation
    import Testing

    @testable import Firewheel

    /// Compressed messages (RFC 7692), written and read.
    @Suite struct MessageCompressionTests {
        private let library: SystemLibraryTable

        init() throws { library = try CodingLibraries.system.zlib.get() }

        private func inflater(keepsContext: Bool = true) -> MessageInflater {
            MessageInflater(library, keepsContext: keepsContext)
        }

        private func writer(_ role: WebSocketReader.Role = .server, windowBits: Int = 15, keepsContext: Bool = true) -> WebSocketWriter {
            let library = library
            return WebSocketWriter(role) { MessageDeflater(library, windowBits: windowBits, keepsContext: keepsContext) }
        }

        private func written(_ writer: inout WebSocketWriter, _ messages: [WebSocketMessage]) -> [UInt8] {
            for (number, message) in messages.enumerated() { writer.add(message, ticket: number) }
            var output: [UInt8] = []
            while !writer.isEmpty { #expect(writer.write(to: &output, target: .max)) }
            return output
        }

        /// The examples of RFC 7692 section 7.2.3, and what they mean together.
        @Test func examples() {
            let hello = WebSocketReader.Event.text("Hello")
            let streams: [(String, [UInt8], [WebSocketReader.Event])] = [
                ("one frame", [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], [hello]),
                ("fragments", [0x41, 0x03, 0xF2, 0x48, 0xCD, 0x80, 0x04, 0xC9, 0xC9, 0x07, 0x00], [hello]),
                (
                    "a shared window",
                    [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0xC1, 0x05, 0xF2, 0x00, 0x11, 0x00, 0x00], [hello, hello]
                ),
                ("a stored block", [0xC1, 0x0B, 0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00], [hello]),
                ("a last block", [0xC1, 0x08, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00], [hello]),
                (
                    "a window shared beyond a last block",
                    [0xC1, 0x08, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00, 0xC1, 0x05, 0xF2, 0x00, 0x11, 0x00, 0x00], [hello, hello]
                ),
                (
                    "two blocks",
                    [0xC1, 0x0D, 0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00], [hello]
                ),
                ("an empty message", [0xC1, 0x01, 0x00, 0xC2, 0x01, 0x00], [.text(""), .data([])]),
                (
                    "an uncompressed message between",
                    frame(0xC1, [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]) + frame(0x81, [0x61])
                        + frame(0xC1, [0xF2, 0x00, 0x11, 0x00, 0x00]), [hello, .text("a"), hello]
                ),
                (
                    "a ping between fragments", [0x41, 0x03, 0xF2, 0x48, 0xCD] + frame(0x89, [9]) + [0x80, 0x04, 0xC9, 0xC9, 0x07, 0x00],
                    [.ping(Data([9])), hello]
                ),
            ]
            for (name, bytes, events) in streams {
                let make = { client(inflater: self.inflater()) }
                #expect(Reading(bytes, make).events == events, "\(name)")
                #expect(Reading.bytewise(bytes, make).events == events, "\(name), byte by byte")
                for place in 1..<bytes.count { #expect(Reading(bytes, pieces: [place], make).events == events, "\(name), cut at \(place)") }
            }
        }

        @Test func refused() {
            let malformed = WebSocketReader.Event.refused(.invalidFramePayloadData, "a compressed message that cannot be decompressed")
            let streams: [(String, [UInt8], WebSocketReader.Event)] = [
                ("no deflate", frame(0xC2, [0x07, 0xFF, 0xFF]), malformed),
                ("no bytes at all", frame(0xC2, []), malformed),
                ("a last block without what follows it", frame(0xC2, [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]), malformed),
                ("cut within a block", frame(0xC2, [0xF2, 0x48, 0xCD]), malformed),
                ("cut within a stored block that the removed bytes would end", frame(0xC2, [0x00, 0x04, 0x00, 0xFB, 0xFF]), malformed),
                ("cut within a stored block", frame(0xC2, [0x00, 0x06, 0x00, 0xF9, 0xFF, 0x48]), malformed),
                ("a distance beyond the beginning", frame(0xC2, [0xF2, 0x00, 0x11, 0x00, 0x00]), malformed),
                (
                    "RSV1 on a continuation", frame(0x41, [0xF2]) + [0xC0],
                    .refused(.protocolError, "a frame with a reserved bit set that no extension defines")
                ),
                (
                    "text that is not UTF-8", frame(0xC1, [0x00, 0x01, 0x00, 0xFE, 0xFF, 0xFF, 0x00]),
                    .refused(.invalidFramePayloadData, "text that is not UTF-8")
                ),
            ]
            for (name, bytes, event) in streams {
                let make = { client(inflater: self.inflater()) }
                #expect(Reading(bytes, make).events == [event], "\(name)")
                #expect(Reading.bytewise(bytes, make).events == [event], "\(name), byte by byte")
            }
        }

        /// Text is judged as it is decompressed, not at the end of its message.
        @Test func judgesTextAtOnce() {
            let start: [UInt8] = [0x00, 0x01, 0x00, 0xFE, 0xFF, 0xFF]
            let reading = Reading.bytewise(Array(frame(0x41, start + [UInt8](repeating: 0, count: 100)))) { client(inflater: inflater()) }
            #expect(reading.failedAfter == 8)
        }

        /// What exceeds the limit behind text that is not UTF-8 is not the reason.
        @Test func firstViolationCounts() {
            let text: [UInt8] = [0x61, 0xFF] + [UInt8](repeating: 0x61, count: 20)
            let bytes = frame(0xC1, [0x00, 22, 0x00, 0xE9, 0xFF] + text + [0x00])
            let make = { client(message: 10, inflater: self.inflater()) }
            let expected = [WebSocketReader.Event.refused(.invalidFramePayloadData, "text that is not UTF-8")]
            #expect(Reading(bytes, make).events == expected)
            #expect(Reading.bytewise(bytes, make).events == expected)
        }

        /// A distance beyond the window that the server has named is accepted, whatever pieces it arrives in.
        @Test func windowIsNotJudged() throws {
            let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* $0 &+ 7 &* $0) }
            var writer = writer(windowBits: 15)
            let compressed = written(&writer, [.data(Data(bytes + bytes))])
            #expect(Reading(compressed) { client(inflater: inflater()) }.events == [.data(bytes + bytes)])
            #expect(Reading.bytewise(compressed) { client(inflater: inflater()) }.events == [.data(bytes + bytes)])
        }

        /// Without a shared window, a message must not refer to the one before.
        @Test func forgetsContext() {
            let bytes: [UInt8] = [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0xC1, 0x05, 0xF2, 0x00, 0x11, 0x00, 0x00]
            let events = Reading(bytes) { client(inflater: inflater(keepsContext: false)) }.events
            let expected: [WebSocketReader.Event] = [
                .text("Hello"), .refused(.invalidFramePayloadData, "a compressed message that cannot be decompressed"),
            ]
            #expect(events == expected)
        }

        @Test func keepsContextIfAgreed() {
            let text = String(repeating: "nothing in here repeats: 0123456789 ", count: 2)
            var (keeping, forgetting) = (writer(), writer(keepsContext: false))
            let kept = (0..<5).map { _ in written(&keeping, [.text(text)]).count }
            let forgotten = (0..<5).map { _ in written(&forgetting, [.text(text)]).count }
            #expect(kept[1] < kept[0] / 2)
            #expect(Set(forgotten) == [kept[0]])
        }

        @Test func smallMessagesAreNotCompressed() {
            var writer = writer()
            let least = WebSocketWriter.leastCompressed
            let bytes = written(&writer, [.text(""), .text(String(repeating: "a", count: least - 1))])
            #expect(bytes == frame(0x81, []) + frame(0x81, [UInt8](repeating: 0x61, count: least - 1)))
            let compressed = written(&writer, [.text(String(repeating: "a", count: least))])
            #expect(compressed.first == 0xC1)
            #expect(compressed.count < least)
        }

        /// What is compressed to almost nothing is no endless work for one call.
        @Test func workOfACall() {
            var writer = writer()
            let message = WebSocketMessage.data(Data(count: 8 << 20))
            writer.add(message, ticket: 1)
            var (output, calls): ([UInt8], Int) = ([], 0)
            while !writer.isEmpty {
                let before = writer.taken
                #expect(writer.write(to: &output, target: output.count + 65_536))
                #expect(writer.taken - before <= UInt64(WebSocketWriter.mostCompressed + WebSocketWriter.mostOfFrame))
                calls += 1
            }
            #expect(calls >= 8)
            #expect(writer.takeSent(upTo: .max) == [1])
            #expect(Reading(output) { client(message: 8 << 20, inflater: inflater()) }.events == [.message(message)])
        }

        /// Decompression ends at the limit, and does not wait for the whole bomb.
        @Test func bombs() {
            var writer = writer()
            let bomb = written(&writer, [.data(Data(count: 16 << 20))])
            #expect(bomb.count < 100_000)
            let tooLarge = WebSocketReader.Event.refused(.messageTooBig, "a message of more than 1048576 bytes")
            let reading = Reading(bomb, pieces: Array(stride(from: 100, to: bomb.count, by: 100))) { client(inflater: inflater()) }
            #expect(reading.events == [tooLarge])
            #expect((reading.failedAfter ?? .max) < 2_000)
            let fits = Reading(bomb) { client(message: 16 << 20, inflater: inflater()) }
            #expect(fits.events == [.message(.data(Data(count: 16 << 20)))])
        }

        /// Empty blocks that each claim to be the last one are linear work.
        @Test func emptyLastBlocks() {
            let blocks = (0..<100_000).flatMap { _ -> [UInt8] in [0x03, 0x00] }
            let bytes = frame(0xC1, blocks + [0x00])
            #expect(Reading(bytes) { client(inflater: inflater()) }.events == [.text("")])
        }

        @Test(arguments: 8...15, [true, false]) func windows(_ bits: Int, _ keepsContext: Bool) {
            var random = SystemRandomNumberGenerator()
            // Text that repeats at every distance, so that one beyond the window would be used.
            let words = (0..<400).map { _ in String(UInt64.random(in: 0...(.max), using: &random), radix: 36) }
            var messages: [WebSocketMessage] = (0..<30).map { _ in
                .text((0..<Int.random(in: 0...300, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }.joined())
            }
            messages.append(.data(Data((0..<30_000).map { _ in UInt8.random(in: 0...255, using: &random) })))
            messages.append(.text(String(repeating: "a", count: 100_000)))
            var writer = writer(.client, windowBits: bits, keepsContext: keepsContext)
            let bytes = written(&writer, messages)
            let make = { server(inflater: self.inflater(keepsContext: keepsContext)) }
            #expect(Reading(bytes, make).events == messages.map { .message($0) })
            let cuts = (0..<200).map { _ in Int.random(in: 1..<bytes.count, using: &random) }.sorted()
            #expect(Reading(bytes, pieces: cuts, make).events == messages.map { .message($0) })
        }

        /// With room for one byte at a time, zlib refuses each distance beyond the window.
        @Test(arguments: 8...15) func distances(_ bits: Int) throws {
            let deflater = try #require(MessageDeflater(library, windowBits: bits, keepsContext: true))
            var random = SystemRandomNumberGenerator()
            // Pieces of random bytes that come again at growing distances.
            var input: [UInt8] = []
            for distance in [200, 249, 250, 251, 255, 256, 257, 262, 263, 300, 500, 511, 512, 513, 1 << bits, (1 << bits) + 1] {
                let piece = (0..<40).map { _ in UInt8.random(in: 0...255, using: &random) }
                input += piece + (0..<max(0, distance - 40)).map { _ in UInt8.random(in: 0...255, using: &random) } + piece
            }
            var compressed: [UInt8] = []
            #expect(input.withUnsafeBytes { deflater.compress($0, isLast: true, to: &compressed) })

            let decoder = try #require(fwzlib_create(library.functions, CInt(-bits)))
            defer { fwzlib_free(decoder) }
            var output: [UInt8] = []
            var consumed = 0
            while consumed < compressed.count || output.count < input.count {
                var byte: UInt8 = 0
                let (result, used, written) = compressed.withUnsafeBufferPointer { all in
                    withUnsafeMutablePointer(to: &byte) { room in
                        var buffers = fwcoding_buffers(
                            input: all.baseAddress.map { $0 + consumed }, input_count: all.count - consumed, output: room, output_count: 1)
                        let result = fwzlib_step(decoder, &buffers)
                        return (Int(result), all.count - consumed - buffers.input_count, 1 - buffers.output_count)
                    }
                }
                try #require(result == FWCODING_MORE)
                try #require(used > 0 || written > 0)
                consumed += used
                if written > 0 { output.append(byte) }
            }
            #expect(output == input)
        }

        /// Messages and control frames of any kind come out as they went in, wherever the bytes are cut.
        @Test(arguments: 0..<20) func conversations(_ seed: Int) throws {
            var random = SystemRandomNumberGenerator()
            let (bits, keeps) = (Int.random(in: 8...15, using: &random), Bool.random(using: &random))
            let isCompressed = seed % 4 != 0
            let fromClient = seed % 2 == 0
            var writer =
                isCompressed
                ? writer(fromClient ? .client : .server, windowBits: bits, keepsContext: keeps)
                : WebSocketWriter(fromClient ? .client : .server)
            var expected: [WebSocketReader.Event] = []
            var controls: [WebSocketReader.Event] = []
            var bytes: [UInt8] = []
            for number in 0..<50 {
                switch Int.random(in: 0..<6, using: &random) {
                case 0:
                    let payload = Data((0..<Int.random(in: 0...125, using: &random)).map { _ in .random(in: 0...255, using: &random) })
                    writer.addPing(payload)
                    controls.append(.ping(payload))
                case 1:
                    let data = Data((0..<Int.random(in: 0...40_000, using: &random)).map { _ in .random(in: 0...255, using: &random) })
                    writer.add(.data(data), ticket: number)
                    expected.append(.message(.data(data)))
                default:
                    let text = String(repeating: "häufig 😀 ", count: Int.random(in: 0...200, using: &random))
                    writer.add(.text(text), ticket: number)
                    expected.append(.message(.text(text)))
                }
                #expect(writer.write(to: &bytes, target: bytes.count + Int.random(in: 0...40_000, using: &random)))
            }
            writer.close(try #require(WebSocketWriter.closePayload(.normalClosure, "done")), isUrgent: false)
            while !writer.isEmpty { #expect(writer.write(to: &bytes, target: .max)) }
            expected.append(.close(.normalClosure, reason: "done"))
            let cuts = (0..<300).map { _ in Int.random(in: 1..<bytes.count, using: &random) }.sorted()
            let reading = Reading(bytes, pieces: cuts) {
                let inflater = isCompressed ? inflater(keepsContext: keeps) : nil
                return fromClient ? server(inflater: inflater) : client(inflater: inflater)
            }
            let isControl: (WebSocketReader.Event) -> Bool = { if case .ping = $0 { true } else { false } }
            #expect(reading.events.filter { !isControl($0) } == expected)
            #expect(reading.events.filter(isControl) == controls)
        }
    }
#endif
