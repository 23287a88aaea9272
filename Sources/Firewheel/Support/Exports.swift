// One import gives the reader of the first page everything it uses: URL, Data, JSONDecoder, and on Linux URLRequest and HTTPURLResponse.
@_exported import Foundation

#if canImport(FoundationNetworking)
    @_exported import FoundationNetworking
#endif
