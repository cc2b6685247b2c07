/// Fair division of places, so that a tenant with a million does not starve one with two.
package enum FairShare {
    /// Gives one place each in turn, until none is left or wanted.
    ///
    /// - Parameter start: rotates the recipients of an uneven rest.
    package static func divide(_ limit: Int, among wanted: [Int], startingAt start: Int) -> [Int] {
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
