/// What requests must have in common to share a connection.
struct ConnectionKey: Hashable {
    let origin: TargetURI.Origin
    let route: TransportRoute
}
