/// Sends a body without waiting for the server's consent if the server refuses that (status 417, RFC 9110 section 15.5.18), once.
struct ExpectationHopPolicy: HopPolicy {
    let rule: ContinueExpectation

    var heldStatuses: Set<Int> { [417] }

    func judge(_ head: ResponseHead, of request: HopRequest, facts: () -> HopFacts) -> HopVerdict {
        // A body of which some was sent, and which cannot be produced again, leaves the response to be delivered.
        guard head.statusCode == 417, request.expectsContinue(by: rule), !request.isSpent else { return .pass }
        return .again(request.withoutExpectation())
    }
}
