internal import Envelope

/// A push that lies in a file: a payload as it came from APNs, or an `.apns` file as Xcode's simulator takes it.
///
/// Read strictly, unlike on a device: where two readers could differ (a name twice in an object, say) there is no one
/// answer to what the push becomes.
public enum CapturedPush: Sendable, Equatable {
    /// Becomes a notification.
    case notification(SimulatedPush)
    /// Changes a Live Activity: no service extension runs.
    case liveActivity(LiveActivityUpdate)

    /// Bytes of a file that is still read to its end, so that the fault in it can be named.
    public static let byteCountMax = 64 * 1_024

    /// - Parameter file: The file's bytes: one JSON object. Its member "Simulator Target Bundle", which tells the
    ///   simulator where to deliver, is no part of the payload. Where it is there the file was written by hand, and its
    ///   white space does not count either.
    /// - Throws: `CapturedPushError`, which says where in the file.
    public init(file: some Collection<UInt8>) throws(CapturedPushError) {
        let bytes = Array(file.prefix(Self.byteCountMax + 1))
        let document = try Self.document(bytes)
        if let update = try LiveActivityUpdate(document, in: bytes) {
            self = .liveActivity(update)
            return
        }
        do throws(SimulatedPushError) {
            self = .notification(try SimulatedPush(payload: Self.payload(document, in: bytes)))
        } catch {
            throw CapturedPushError(error, document, in: bytes)
        }
    }

    private static let targetName = "Simulator Target Bundle"

    private static func document(_ bytes: [UInt8]) throws(CapturedPushError) -> JSONValue {
        let limits = JSONParser.Limits(byteCountMax: byteCountMax, depthMax: 32, allowsFractions: true)
        do throws(JSONError) {
            return try JSONParser.parse(bytes, limits: limits)
        } catch {
            throw CapturedPushError(error.reason.description, at: error.offset, in: bytes)
        }
    }

    private static func payload(_ document: JSONValue, in bytes: [UInt8]) -> [UInt8] {
        guard let members = document.members, document[targetName] != nil else { return bytes }
        var writer = JSONWriter()
        writer.object { writer in
            for member in members where member.name != targetName {
                writer.name(member.name)
                writer.raw(JSONWriter.bytes(of: member.value))
            }
        }
        return writer.bytes
    }
}
