package import APNS
package import DeviceLink

package struct RegisteredApp: Hashable, Sendable {
    package let bundleID: Topic
    package let kind: TokenKind

    package init(bundleID: Topic, kind: TokenKind = .app) {
        self.bundleID = bundleID
        self.kind = kind
    }

    /// - Parameters:
    ///   - topic: bundle id, with Apple's suffix for all kinds but one.
    ///   - bundleIDs: apps whose bundle id ends like a suffix.
    init(topic: Topic, besides bundleIDs: Set<Topic> = []) {
        guard let owner = topic.suffixOwner, !bundleIDs.contains(topic) else {
            self.init(bundleID: topic)
            return
        }
        let bytes = topic.bytes.dropLast(owner.topicSuffix.utf8.count)
        // Part of a topic is a topic.
        guard let bundleID = try? Topic(bytes: Array(bytes).span) else { preconditionFailure("not empty") }
        self.init(bundleID: bundleID, kind: TokenKind(of: owner))
    }

    package var topic: Topic {
        // An app whose topic would be too long gets no push.
        (try? bundleID.appendingSuffix(of: kind.pushType)) ?? bundleID
    }
}
