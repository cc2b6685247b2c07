package import APNS
package import DeviceLink

/// An app, and what it is registered for.
package struct RegisteredApp: Hashable, Sendable {
    package let bundleID: Topic
    package let kind: TokenKind

    package init(bundleID: Topic, kind: TokenKind = .app) {
        self.bundleID = bundleID
        self.kind = kind
    }

    /// - Parameters:
    ///   - topic: of pushes: a bundle id, with a suffix of Apple's for all kinds but one.
    ///   - bundleIDs: apps that are called as if theirs were a suffix.
    init(topic: Topic, besides bundleIDs: Set<Topic> = []) {
        guard let owner = topic.suffixOwner, !bundleIDs.contains(topic) else {
            self.init(bundleID: topic)
            return
        }
        let bytes = topic.bytes.dropLast(owner.topicSuffix.utf8.count)
        // A part of a topic is one, and without its suffix it has none.
        guard let bundleID = try? Topic(bytes: Array(bytes).span) else { preconditionFailure("not empty") }
        self.init(bundleID: bundleID, kind: TokenKind(of: owner))
    }

    /// Where its pushes go.
    package var topic: Topic {
        // One that is too long to be a topic gets no push, whatever it is called.
        (try? bundleID.appendingSuffix(of: kind.pushType)) ?? bundleID
    }
}
