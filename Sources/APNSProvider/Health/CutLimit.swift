/// Limit of requests in flight where connections are cut, so that at most 1 % are resent.
///
/// Requests on a cut connection may have been processed, and are resent. With one cut for every n answers and 1 + n/100
/// requests on each connection, a cut resends at most n/100 others: on a bad path, or for a push that ends its
/// connection each time. Before the first cut each answer adds one (slow start, RFC 5681 section 3.1).
struct CutLimit {
    static let answersPerRepetition = 100
    static let firstLimit = 32
    private static let answerCountMax = answersPerRepetition * AdaptiveLimit.limitMax

    /// Mean; nil before the first cut.
    private var answersPerCut: Double?
    private var answerCount = 0

    var value: Int {
        guard let answersPerCut else { return min(AdaptiveLimit.limitMax, Self.firstLimit + answerCount) }
        let count = max(Int(answersPerCut), answerCount)
        return min(AdaptiveLimit.limitMax, 1 + count / Self.answersPerRepetition)
    }

    mutating func didAnswer() { if answerCount < Self.answerCountMax { answerCount += 1 } }

    /// With a geometric mean, three cuts in a row reveal a bad path, and one does not.
    mutating func didCut() {
        let count = Double(max(1, answerCount))
        answersPerCut = answersPerCut.map { ($0 * count).squareRoot() } ?? count
        answerCount = 0
    }
}
