extension Device.AttachmentServer {
    /// What a test's fetcher gets from a server that behaves so.
    ///
    /// - Parameters:
    ///   - file: What was asked for.
    ///   - clock: The device's: waiting takes no real time.
    /// - Returns: What the server sends.
    /// - Throws: `CancellationError` where the caller is cancelled while it waits: a stalled server ends no other way.
    public func answer(with file: [UInt8], on clock: SimulatedClock) async throws -> [UInt8] {
        switch self {
        case .prompt: return file
        case .slow(let duration):
            try await clock.sleep(until: clock.now.advanced(by: duration))
            return file
        case .stalled:
            // Whoever waits for it has a deadline, and this is beyond all.
            while true { try await clock.sleep(until: clock.now.advanced(by: .seconds(86_400))) }
        case .truncated(let byteCount): return Array(file.prefix(max(byteCount, 0)))
        case .lying: return Array("<html>404 Not Found</html>".utf8)
        }
    }
}
