import APNS
import Envelope

extension BundleID {
    /// App of a topic: its bundle id, then its push type's suffix.
    init(of topic: Topic, _ pushType: PushType) {
        let suffixByteCount = topic.hasSuffix(of: pushType) ? pushType.topicSuffix.utf8.count : 0
        self.init(checked: Array(topic.bytes.dropLast(suffixByteCount)))
    }
}
