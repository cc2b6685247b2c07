import APNS
import Envelope
import Foundation
import Networking
import Primitives
import PushStore
import TestSupport
import Testing

@testable import PushService

/// App Attest: vectors that a Python program makes with other libraries, one fault each, and a phone that attests what the
/// relay asked of it.
struct AppAttestTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let kind: String
        let name: String
        let expected: String
        let object: [UInt8]
        let keyID: [UInt8]
        let time: Int64

        var testDescription: String { "\(kind): \(name)" }
    }

    private struct Missing: Error {
        let name: String
    }

    struct Vectors: Sendable {
        let roots: [TLSCertificate]
        let publicKey: [UInt8]
        let clientDataHash: [UInt8]
        let all: [Vector]

        /// - Parameter path: of a file like app-attest.json.
        init(_ data: Data) throws {
            let limits = JSONParser.Limits(byteCountMax: 1 << 20, depthMax: 4, allowsFractions: false)
            let file = try JSONParser.parse(Array(data), limits: limits)
            let pem = Array((file["root"]?.string ?? "").utf8)
            roots = unsafe TLSCertificate.list(pem: pem.span.bytes)
            publicKey = try Self.bytes(file, "public-key")
            clientDataHash = try Self.bytes(file, "client-data-hash")
            all = try (file["vectors"]?.elements ?? []).map { one in
                guard case .integer(let time)? = one["time"]?.content else { throw Missing(name: "time") }
                return Vector(
                    kind: one["kind"]?.string ?? "",
                    name: one["name"]?.string ?? "",
                    expected: one["expected"]?.string ?? "",
                    object: try Self.bytes(one, "object"),
                    keyID: try Self.bytes(one, "key-id"),
                    time: time
                )
            }
        }

        private static func bytes(_ value: JSONValue, _ name: String) throws -> [UInt8] {
            guard let text = value[name]?.string, let bytes = Base64URL.decode(Array(text.utf8)) else {
                throw Missing(name: name)
            }
            return bytes
        }

        func rule(_ app: String = "com.example.chat", team: String = "TEAM123456", sandbox: Bool = false) throws
            -> AppAttestRule
        {
            AppAttestRule(
                teamID: team,
                app: try BundleID(app),
                environment: sandbox ? .sandbox : .production,
                roots: roots
            )
        }
    }

    private static let vectors = try? Vectors(VectorFile("app-attest.json", in: .module).data)

    private static func outcome(_ vector: Vector, _ vectors: Vectors, _ rule: AppAttestRule) -> String {
        do throws(AppAttestError) {
            if vector.kind == "assertion" {
                return try AppAssertion.verify(
                    vector.object,
                    publicKey: vectors.publicKey,
                    clientDataHash: vectors.clientDataHash,
                    rule
                ) == 7 ? "valid" : "another counter"
            }
            let key = try AppAttestation.verify(
                vector.object,
                keyID: vector.keyID,
                clientDataHash: vectors.clientDataHash,
                rule,
                now: vector.time
            )
            return key == vectors.publicKey ? "valid" : "another key"
        } catch {
            return name(error)
        }
    }

    private static func name(_ error: AppAttestError) -> String {
        switch error {
        case .malformed: "malformed"
        case .chain: "chain"
        case .nonce: "nonce"
        case .keyID: "key-id"
        case .appID: "app-id"
        case .counter: "counter"
        case .environment: "environment"
        case .signature: "signature"
        }
    }

    @Test(arguments: try #require(vectors).all)
    func `an object is taken, or refused the way the vector says`(_ vector: Vector) throws {
        let vectors = try #require(Self.vectors)
        #expect(Self.outcome(vector, vectors, try vectors.rule()) == vector.expected, "\(vector.name)")
    }

    @Test func `no object that is cut anywhere, or has one bit turned, is taken`() throws {
        let vectors = try #require(Self.vectors)
        let rule = try vectors.rule()
        for name in ["without a receipt", "whole"] {
            let kind = name == "whole" ? "assertion" : "attestation"
            let good = try #require(vectors.all.first { $0.name == name && $0.kind == kind })
            func refused(_ object: [UInt8]) -> Bool {
                let changed = Vector(
                    kind: kind,
                    name: "",
                    expected: "",
                    object: object,
                    keyID: good.keyID,
                    time: good.time
                )
                return Self.outcome(changed, vectors, rule) != "valid"
            }
            for count in good.object.indices { #expect(refused(Array(good.object.prefix(count))), "\(count)") }
            for index in good.object.indices {
                var object = good.object
                object[index] ^= 1 << (index % 8)
                #expect(refused(object), "\(kind), byte \(index)")
            }
        }
    }

    /// Apple's objects are not ours to publish: this reads them from a file like app-attest.json, with `app` and `team`.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["SEALEDPUSH_APP_ATTEST_EXAMPLE"] != nil))
    func `a real phone's objects are taken`() throws {
        let path = try #require(ProcessInfo.processInfo.environment["SEALEDPUSH_APP_ATTEST_EXAMPLE"])
        let data = try Data(contentsOf: URL(filePath: path))
        let vectors = try Vectors(data)
        let file = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let rule = try vectors.rule(
            try #require(file["app"] as? String),
            team: try #require(file["team"] as? String),
            sandbox: file["sandbox"] as? Bool ?? false
        )
        #expect(!vectors.all.isEmpty)
        for vector in vectors.all { #expect(Self.outcome(vector, vectors, rule) == vector.expected, "\(vector.name)") }
    }
}
