import Envelope
import Primitives
import Testing

@testable import WebPush

/// Messages of http-ece, pywebpush and cryptography (Python).
struct OtherProgramsTests {
    @Test(arguments: try OtherRecords.load().opened.map(\.name))
    func `what other programs encrypted opens`(_ name: String) throws {
        let vectors = try OtherRecords.load()
        let vector = try #require(vectors.opened.first { $0.name == name })
        let plaintext = try vectors.opener().open(record: vector.record.bytes())
        #expect(Base64URL.string(plaintext) == vector.plaintext)
    }

    @Test(arguments: try OtherRecords.load().refused.map(\.name))
    func `a record with one thing wrong is refused for it (abuse case 41)`(_ name: String) throws {
        let vectors = try OtherRecords.load()
        let vector = try #require(vectors.refused.first { $0.name == name })
        let error = try #require(throws: WebPushError.self) { try vectors.opener().open(record: vector.record.bytes()) }
        #expect(kind(of: error) == vector.error)
    }

    @Test func `the vectors are all there, and their names differ`() throws {
        let vectors = try OtherRecords.load()
        #expect(Set(vectors.opened.map(\.name)).count == 50)
        #expect(Set(vectors.refused.map(\.name)).count == 23)
        #expect(Set(vectors.opened.map(\.record)).count == 50)
    }

    @Test func `the receiver's public key follows from its private one`() throws {
        let receiver = try OtherRecords.load().receiver
        let keys = try WebPushKeys(privateKey: receiver.private, authenticationSecret: receiver.auth)
        #expect(Base64URL.string(keys.publicKey.x963Representation) == receiver.public)
    }

    private func kind(of error: WebPushError) -> String {
        switch error {
        case .record(.tooLong): "tooLong"
        case .record(.truncated): "truncated"
        case .record(.recordSizeTooSmall): "recordSizeTooSmall"
        case .record(.wrongKeyIDLength): "wrongKeyIDLength"
        case .record(.severalRecords): "severalRecords"
        case .record(.badPublicKey): "badPublicKey"
        case .notOpened: "notOpened"
        case .fieldTooLong, .notBase64URL, .text: "of no record"
        }
    }
}
