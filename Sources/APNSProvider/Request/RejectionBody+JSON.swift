package import APNS
import Envelope

extension RejectionBody {
    /// A body beyond this is not read: Apple's are below 80 bytes.
    package static let byteCountMax = 1024

    /// Reads the body of an error answer, or the debug data of a GOAWAY.
    ///
    /// Members that we do not know are passed over: Apple may add some.
    package init?(json: [UInt8]) {
        let limits = JSONParser.Limits(byteCountMax: Self.byteCountMax, depthMax: 4, allowsFractions: true)
        // `try?`: an answer that cannot be read still has its status; where exactly it broke helps nobody.
        guard let value = try? JSONParser.parse(json, limits: limits) else { return nil }
        guard let reasonText = value["reason"]?.string else { return nil }
        if case .integer(let milliseconds) = value["timestamp"]?.content {
            self.init(reasonText: reasonText, timestampMilliseconds: milliseconds)
        } else {
            self.init(reasonText: reasonText, timestampMilliseconds: nil)
        }
    }
}
