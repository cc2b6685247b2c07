internal import Platform

extension Device.AttachmentServer {
    /// This server's answer, for a test's fetcher.
    ///
    /// - Parameters:
    ///   - file: bytes of a whole answer.
    ///   - clock: the device's: waiting takes no real time.
    /// - Throws: `CancellationError` if the waiting caller is cancelled; a stalled server ends no other way.
    public func answer(with file: [UInt8], on clock: SimulatedClock) async throws -> [UInt8] {
        switch self {
        case .prompt: return file
        case .slow(let duration):
            try await clock.sleep(until: clock.now.advanced(by: duration))
            return file
        case .stalled:
            // Longer than any caller's deadline.
            while true { try await clock.sleep(until: clock.now.advanced(by: .seconds(86_400))) }
        case .truncated(let byteCount): return Array(file.prefix(max(byteCount, 0)))
        case .lying: return Array("<html>404 Not Found</html>".utf8)
        }
    }
}

extension Device.AttachmentServer {
    /// The same answer over HTTPS, to a request from an offset.
    func networkAnswer(
        with file: [UInt8]?,
        from offset: UInt64,
        on clock: SimulatedClock
    ) async throws -> SimulatedDevice.NetworkAnswer {
        guard let file, offset < file.count else { return .init(status: 404, byteCount: 0, body: []) }
        let rest = Array(file.dropFirst(Int(offset)))
        let body = try await answer(with: rest, on: clock)
        let status = offset > 0 ? 206 : 200
        switch self {
        case .prompt, .slow, .stalled, .truncated: return .init(status: status, byteCount: rest.count, body: body)
        // A declared length would already give it away.
        case .lying: return .init(status: status, byteCount: nil, body: body)
        }
    }
}
