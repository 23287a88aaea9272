/// What requests must have in common to share a connection.
struct ConnectionKey: Hashable {
    /// Where connections lead: the server; or a proxy to which the requests for any server are sent.
    let origin: TargetURI.Origin
    let route: TransportRoute
}
