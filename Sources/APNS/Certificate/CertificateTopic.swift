/// Topic that a client certificate may push to.
public struct CertificateTopic: Hashable, Sendable {
    /// Value of `apns-topic`, such as "com.example.app.voip".
    public let name: String
    /// Kinds of pushes, in Apple's words: "app", "voip", "complication".
    public let types: [String]

    /// Creates a topic.
    public init(name: String, types: [String]) {
        self.name = name
        self.types = types
    }
}
