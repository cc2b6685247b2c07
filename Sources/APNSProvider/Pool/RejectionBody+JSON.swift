package import APNS
import Envelope

extension RejectionBody {
    /// A longer body is not read: Apple's are below 80 bytes.
    package static let byteCountMax = 1024

    /// Reads an error answer or a GOAWAY's debug data. Ignores unknown members.
    package init?(json: [UInt8]) {
        let limits = JSONParser.Limits(byteCountMax: Self.byteCountMax, depthMax: 4, allowsFractions: true)
        // `try?`: the status still counts.
        guard let value = try? JSONParser.parse(json, limits: limits) else { return nil }
        guard let reasonText = value["reason"]?.string else { return nil }
        if case .integer(let milliseconds) = value["timestamp"]?.content {
            self.init(reasonText: reasonText, timestampMilliseconds: milliseconds)
        } else {
            self.init(reasonText: reasonText, timestampMilliseconds: nil)
        }
    }
}
