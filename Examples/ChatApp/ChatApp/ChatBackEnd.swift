import Envelope
import Foundation
import RelayClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The app's back end over HTTPS. Paths and fields are this example's own; the person's session is a cookie.
struct ChatBackEnd: BackEnd {
    var url = URL(string: "https://chat.example.com/api/")!
    var session = URLSession.shared

    /// The status was none that the call was meant to end with.
    struct StatusError: Error {
        let status: Int
    }

    private struct Friend: Codable {
        let key: String
        let name: String
    }

    private struct Registration: Codable {
        let relay: Data
        let identity: String
    }

    func friends() async throws -> [(key: String, name: String)] {
        let answer = try await call("friends", "GET", nil)
        return try JSONDecoder().decode([Friend].self, from: answer).map { ($0.key, $0.name) }
    }

    func time() async throws -> Timestamp { try await OnlineTime.ask(url.absoluteString) }

    func register(_ registration: [UInt8], identity: String) async throws -> [UInt8] {
        let registration = Registration(relay: Data(registration), identity: identity)
        return Array(try await call("device", "PUT", try JSONEncoder().encode(registration)))
    }

    private func call(_ path: String, _ method: String, _ body: Data?) async throws -> Data {
        var request = URLRequest(url: url.appendingPathComponent(path))
        request.httpMethod = method
        request.httpBody = body
        if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
        let (answer, response) = try await session.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200...299).contains(status) else { throw StatusError(status: status) }
        return answer
    }
}
