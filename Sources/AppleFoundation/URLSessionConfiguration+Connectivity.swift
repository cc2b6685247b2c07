internal import Platform

extension URLSessionConfiguration {
    /// Wish to wait for a connection, without effect: here one is there at once or never. A session's copy forgets it.
    ///
    /// - Source: https://developer.apple.com/documentation/foundation/urlsessionconfiguration/waitsforconnectivity
    public var waitsForConnectivity: Bool {
        get { Waiting.all.withLock { $0.contains { $0.configuration === self } } }
        set {
            let waiting = Waiting(configuration: self)
            Waiting.all.withLock { all in
                all.removeAll { $0.configuration == nil || $0.configuration === waiting.configuration }
                if newValue { all.append(waiting) }
            }
        }
    }

    /// Unchecked: only compared.
    private struct Waiting: @unchecked Sendable {
        static let all = Guarded<[Waiting]>([])
        weak var configuration: URLSessionConfiguration?
    }
}
