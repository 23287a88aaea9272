// What the compiler would write calls itself for each level, and 512 levels take more stack than the threads of dispatch queues have.
extension JSONValue {
    /// Whether both are the same value: numbers by their value, names and strings like Swift strings, members in any order.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        var rest: [(JSONValue, JSONValue)] = []
        var pair = (left, right)
        while true {
            switch pair {
            case (.null, .null): break
            case (.bool(let left), .bool(let right)): guard left == right else { return false }
            case (.number(let left), .number(let right)): guard left == right else { return false }
            case (.string(let left), .string(let right)): guard left == right else { return false }
            case (.array(let left), .array(let right)):
                guard left.count == right.count else { return false }
                rest += zip(left, right)
            case (.object(let left), .object(let right)):
                guard left.count == right.count else { return false }
                for (name, member) in left {
                    guard let other = right[name] else { return false }
                    rest.append((member, other))
                }
            default: return false
            }
            guard let next = rest.popLast() else { return true }
            pair = next
        }
    }

    /// The levels that are hashed. Values that differ only below them have the same hash.
    private static let hashedLevels = 16

    /// Feeds the outer 16 levels of the value to a hasher, so that a deep value needs little stack.
    public func hash(into hasher: inout Hasher) { hash(into: &hasher, levels: Self.hashedLevels) }

    private func hash(into hasher: inout Hasher, levels: Int) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value):
            hasher.combine(1)
            hasher.combine(value)
        case .number(let value):
            hasher.combine(2)
            hasher.combine(value)
        case .string(let value):
            hasher.combine(3)
            hasher.combine(value)
        case .array(let elements):
            hasher.combine(4)
            hasher.combine(elements.count)
            guard levels > 1 else { return }
            for element in elements { element.hash(into: &hasher, levels: levels - 1) }
        case .object(let members):
            hasher.combine(5)
            hasher.combine(members.count)
            guard levels > 1 else { return }
            // Independent of the order, which equal dictionaries may have different.
            var all = 0
            for (name, member) in members {
                var one = hasher
                one.combine(name)
                member.hash(into: &one, levels: levels - 1)
                all ^= one.finalize()
            }
            hasher.combine(all)
        }
    }
}
