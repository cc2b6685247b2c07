/// Divides a number of places among those who wait, so that one with a million does not keep out one with two.
enum FairShare {
    /// One place each in turn, until all are given or nobody wants more: nobody gets more than somebody who wants as much.
    ///
    /// - Parameters:
    ///   - limit: how many places there are.
    ///   - wanted: how many each could use.
    ///   - start: who is first; another at every call, for the places that cannot be shared evenly.
    /// - Returns: as many numbers as `wanted` has.
    static func divide(_ limit: Int, among wanted: [Int], startingAt start: Int) -> [Int] {
        var shares = wanted.map { _ in 0 }
        var left = limit
        var waiting = wanted.indices.filter { wanted[$0] > 0 }
        while left > 0, !waiting.isEmpty {
            let each = left / waiting.count
            guard each > 0 else {
                for step in 0..<left { shares[waiting[(start + step) % waiting.count]] += 1 }
                break
            }
            for index in waiting {
                let given = min(each, wanted[index] - shares[index])
                shares[index] += given
                left -= given
            }
            waiting.removeAll { shares[$0] == wanted[$0] }
        }
        return shares
    }
}
