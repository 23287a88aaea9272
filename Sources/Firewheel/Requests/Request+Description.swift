extension Request: CustomReflectable {
    /// What `dump` and debuggers show: which request it is and where it stands, and nothing of what it was made from, which holds credentials.
    public var customMirror: Mirror { Mirror(self, children: ["id": id, "state": state], displayStyle: .class) }
}
