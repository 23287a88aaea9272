// One import provides the basic types that callers use: URL, Data, JSONDecoder, and on Linux URLRequest and HTTPURLResponse.
@_exported import Foundation

#if canImport(FoundationNetworking)
    @_exported import FoundationNetworking
#endif
