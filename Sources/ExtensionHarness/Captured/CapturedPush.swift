internal import Envelope

/// Push from a file: a payload as from APNs, or an `.apns` file as Xcode's simulator takes it.
///
/// Parsing is stricter than on a device: ambiguous input, such as a duplicate name, is an error.
public enum CapturedPush: Sendable, Equatable {
    /// Becomes a notification.
    case notification(SimulatedPush)
    /// Changes a Live Activity; no service extension runs.
    case liveActivity(LiveActivityUpdate)

    /// Bytes read at most. More than a payload may have, to name that fault.
    public static let byteCountMax = 64 * 1_024

    /// Reads a file.
    ///
    /// - Parameter file: bytes of one JSON object. A member "Simulator Target Bundle" is not part of the payload; with
    ///   it the file was written by hand, and white space does not count towards the payload's length.
    /// - Throws: `CapturedPushError` with the position in the file.
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
