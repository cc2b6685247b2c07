import Opening
import Primitives

extension ReplayKey {
    /// The key of a Web Push record with any bytes.
    init(webPushRecord record: [UInt8]) { self.init(digest: SHA256.hash(record)) }
}
