import InMemoryTracing
import Synchronization
import Tracing

/// A tracer that keeps its spans in memory and passes their context on as `traceparent` (W3C Trace Context). A real program uses the tracer
/// of a library such as swift-otel.
struct W3CTracer: Tracer {
    let memory: InMemoryTracer

    init() {
        let lastID = Counter()
        memory = InMemoryTracer(
            idGenerator: .init(nextTraceID: { lastID.next(length: 32) }, nextSpanID: { lastID.next(length: 16) }))
    }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> InMemorySpan {
        memory.startSpan(
            operationName, context: context(), ofKind: kind, at: instant(), function: function, file: fileID, line: line)
    }

    func forceFlush() { memory.forceFlush() }

    func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let span = context.inMemorySpanContext else { return }
        injector.inject("00-\(span.traceID)-\(span.spanID)-01", forKey: "traceparent", into: &carrier)
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        let parts = extractor.extract(key: "traceparent", from: carrier)?.split(separator: "-").map(String.init) ?? []
        guard parts.count == 4 else { return }
        context.inMemorySpanContext = InMemorySpanContext(traceID: parts[1], spanID: parts[2], parentSpanID: nil)
    }
}

/// Ids as hexadecimal numbers. A real tracer generates them at random.
private final class Counter: Sendable {
    private let last = Mutex<UInt64>(0)

    func next(length: Int) -> String {
        let number = last.withLock { last in
            last += 1
            return last
        }
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: length - digits.count) + digits
    }
}
