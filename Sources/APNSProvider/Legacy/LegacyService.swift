/// Server of the binary interface or the feedback service. **Switched off** by Apple on 2021-03-31; a simulator is a
/// `LegacyService` too.
package struct LegacyService: Sendable, Hashable {
    package let host: String
    package let port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    package static let productionGateway = LegacyService(host: "gateway.push.apple.com", port: 2195)
    package static let sandboxGateway = LegacyService(host: "gateway.sandbox.push.apple.com", port: 2195)
    package static let productionFeedback = LegacyService(host: "feedback.push.apple.com", port: 2196)
    package static let sandboxFeedback = LegacyService(host: "feedback.sandbox.push.apple.com", port: 2196)
}
