import Opening
import Primitives

extension ReplayKey {
    /// Stands for a Web Push record, whatever that is.
    init(webPushRecord record: [UInt8]) { self.init(digest: SHA256.hash(record)) }
}
