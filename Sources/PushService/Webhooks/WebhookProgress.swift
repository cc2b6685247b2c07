import HTTPSClient
import Platform

/// Progress of a post: whether bytes may have gone out, and the answer. From any thread.
final class WebhookProgress: Sendable {
    /// Called before the first byte, on the sending thread; nil permits it.
    typealias Permission = @Sendable () -> WebhookError?

    private static let answerByteCountMax = 64 << 10

    private struct State {
        var hasBegun = false
        var refusal: WebhookError?
        var answerByteCount = 0
        var status: Int?
    }

    private let allowedRanges: [IPRange]
    private let mayBegin: Permission
    private let state = Guarded(State())

    init(allowing allowedRanges: [IPRange], mayBegin: @escaping Permission = { nil }) {
        self.allowedRanges = allowedRanges
        self.mayBegin = mayBegin
    }

    /// Checks the address: a shared connection may come from another tenant's post, with other allowed ranges.
    func begins(at address: [UInt8]) -> Bool {
        let refusal = refusal(of: address).map { .address($0) } ?? mayBegin()
        state.withLock { state in
            state.refusal = refusal
            state.hasBegun = refusal == nil
        }
        return refusal == nil
    }

    private func refusal(of address: [UInt8]) -> AddressError? {
        guard let address = IPAddress(bytes: address) else { return AddressError.none }
        return AddressFilter.refusal(of: address, allowing: allowedRanges)
    }

    func take(_ head: HTTPSHead) -> Bool {
        state.withLock { $0.status = head.status }
        return true
    }

    func take(_ bytes: RawSpan) -> Bool {
        let count = bytes.byteCount
        return state.withLock { state in
            state.answerByteCount += count
            return state.answerByteCount <= Self.answerByteCountMax
        }
    }

    /// The answer's head decides, however its body ended.
    func result(_ error: HTTPSError?) -> WebhookResult {
        let state = state.withLock { $0 }
        if let status = state.status { return .answered(status: status) }
        if let refusal = state.refusal { return .notSent(refusal) }
        guard !state.hasBegun else { return .lost }
        return switch error {
        case .notTrusted, .certificateHasBadDate: .notSent(.notTrusted)
        case .cancelled: .notSent(.cancelled)
        default: .notSent(.notReached)
        }
    }
}
