/// The requests that a connection may have in flight where connections are cut: as many as keep what a cut may double
/// below one in a hundred.
///
/// Requests in flight on a connection that ended may have been processed, and are sent again. With one cut for every n
/// answers, and 1 + n/100 requests on each connection, at most n/100 others are sent again for each cut: 1 % of all, whether
/// a way to APNs is bad, or a push whose arrival ends its connection is tried again and again. Before the first cut the
/// limit grows by one with each answer, as TCP's does in slow start (RFC 5681 section 3.1).
struct CutLimit {
    static let answersPerRepetition = 100
    static let firstLimit = 32
    private static let answerCountMax = answersPerRepetition * AdaptiveLimit.limitMax

    /// Answers for each cut; nil before the first.
    private var answersPerCut: Double?
    /// Since the last cut.
    private var answerCount = 0

    /// Of each connection of the pool.
    var value: Int {
        guard let answersPerCut else { return min(AdaptiveLimit.limitMax, Self.firstLimit + answerCount) }
        let count = max(Int(answersPerCut), answerCount)
        return min(AdaptiveLimit.limitMax, 1 + count / Self.answersPerRepetition)
    }

    mutating func didAnswer() { if answerCount < Self.answerCountMax { answerCount += 1 } }

    /// A connection ended with requests in flight. The mean is geometric: three cuts in a row are enough to notice a way
    /// that was good for long, and one is not.
    mutating func didCut() {
        let count = Double(max(1, answerCount))
        answersPerCut = answersPerCut.map { ($0 * count).squareRoot() } ?? count
        answerCount = 0
    }
}
