import Foundation

extension DataResponseSerializer {
    /// Makes the value of an exchange, building Foundation's request and response only for those that look at them.
    func serialize(_ exchange: Exchange, error: (any Error)?) -> Result<Value, any Error> {
        serialize(exchange.facts, data: exchange.data, error: error)
            ?? serializeResponse(exchange.request, exchange.response, exchange.data, error)
    }
}

extension DownloadResponseSerializer {
    /// Makes the value of an exchange, building Foundation's request and response only for those that look at them.
    func serialize(_ exchange: Exchange, error: (any Error)?) -> Result<Value, any Error> {
        let file = exchange.destinationURL ?? exchange.temporaryURL
        return serialize(exchange.facts, url: file, error: error)
            ?? serializeDownloadResponse(exchange.request, exchange.response, file, error)
    }
}
