/// A topic that a client certificate may push to.
public struct CertificateTopic: Hashable, Sendable {
    /// The value of `apns-topic`: "com.example.app.voip", say.
    public let name: String
    /// What Apple calls the kinds of pushes on it: "app", "voip", "complication".
    public let types: [String]

    /// A topic as a certificate lists it.
    public init(name: String, types: [String]) {
        self.name = name
        self.types = types
    }
}
