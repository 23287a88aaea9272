import Foundation

/// A look at a container of Foundation's before it is cast to Swift's.
///
/// On Linux that cast, and every method that reads an element, turns all that is nested into Swift's containers at once: it overflows the
/// stack on an array a thousand levels deep, and never ends on one that holds itself. A mirror's children are the objects as they are
/// stored. On Apple's systems elements are turned one by one, when they are looked at.
enum FoundationNesting {
    /// - Parameter depth: The level at which the container stands.
    /// - Throws: ``ParameterFailure/tooDeep``.
    static func check(_ container: Any, depth: Int) throws {
        #if canImport(FoundationNetworking)
            // The last put in is looked at first, so that a loop is found on the shortest way. Not recursive, so as not to need a deep
            // stack.
            var rest = [(value: container, depth: depth)]
            while let (value, depth) = rest.popLast() {
                guard let object = value as AnyObject?, object is NSArray || object is NSDictionary || object is NSSet else { continue }
                guard depth < ParameterFailure.maximumDepth else { throw ParameterFailure.tooDeep }
                for child in Mirror(reflecting: object).children {
                    let field = child.value as? (key: NSObject, value: AnyObject)
                    rest.append((field?.value ?? child.value, depth + 1))
                }
            }
        #endif
    }
}
