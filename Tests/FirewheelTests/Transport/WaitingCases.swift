import FirewheelTesting

extension TransportConformance.Case {
    /// Whether the case mostly waits, for a second or more. Those of a transport run at once (`atOnce`).
    var waits: Bool { Self.waiting.contains(name) }

    static let waiting: Set<String> = [
        "The idle timeout does not run while a request is paused", "A body that may be quiet is not timedOut",
        "That timeout does not run while the request is paused", "The idle timeout does not run while a head is held",
        "A slowly dripping body is not idle", "A body that stalls is timedOut", "The deadline runs while a head is held",
        "A slow discarded body is not waited for", "Without an answer the body is sent after a second", "A body waits for a 100",
        "A discarded body may be cut short", "An idle timeout of 0 means no limit", "A discarded body may be above the size limit",
        "A server that begins a successful response without a 100 gets the body after a second",
        "A request paused before an acknowledgement stays paused until it is resumed",
        "A paused request takes nothing from its stream, and continues where it stopped",
    ]
}
