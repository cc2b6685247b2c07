package import Envelope
import Primitives

// Outside: a generic type has no stored constants.
private let recordContext = Array("SealedPush/1 endpoint record".utf8)
private let hintContext = Array("SealedPush/1 endpoint hint".utf8)

extension EndpointID {
    package static var hintByteCount: Int { 8 }

    /// Names the endpoint in one push, for a device that knows its ids: Apple cannot tell by it which pushes are one
    /// endpoint's.
    package func hint(in trace: Trace) -> [UInt8] {
        Array(digest(hintContext, trace).prefix(Self.hintByteCount))
    }

    /// Name under which a device fetches the record of one push, 32 bytes. The push has no more than the hint, so Apple
    /// cannot fetch it.
    package func recordName(in trace: Trace) -> [UInt8] { digest(recordContext, trace) }

    private func digest(_ context: [UInt8], _ trace: Trace) -> [UInt8] {
        SHA256.hash(context, rawRepresentation + trace.rawRepresentation)
    }
}
