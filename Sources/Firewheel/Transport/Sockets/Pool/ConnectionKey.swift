/// What requests must have in common to share a connection.
struct ConnectionKey: Hashable {
    /// Where connections lead: the server; or a proxy to which the requests for any server are sent.
    let origin: TargetURI.Origin
    let route: TransportRoute
    /// Whether they are connections for WebSockets: with HTTP/1.1, and not counted among those to the host.
    var isForWebSockets = false
}
