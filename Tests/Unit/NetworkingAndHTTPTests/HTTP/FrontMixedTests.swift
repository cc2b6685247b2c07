import TestCertificates
import TestSupport
import Testing

@testable import HTTP

@Suite struct FrontMixedTests {
    private struct Call {
        let method: String
        let path: String
        let body: [UInt8]

        static func random(_ number: Int, _ random: inout SeededRandom) -> Call {
            let method = ["GET", "POST", "PUT", "DELETE"].randomElement(using: &random) ?? "GET"
            let isLong = Int.random(in: 0..<20, using: &random) == 0
            let byteCount = method == "GET" ? 0 : Int.random(in: 0...(isLong ? 40_000 : 600), using: &random)
            let letter = UInt8.random(in: 0x61...0x7A, using: &random)
            return Call(method: method, path: "/\(number)", body: .init(repeating: letter, count: byteCount))
        }

        /// The mirror's answer; every third path is refused before its body.
        func isAnswered(_ status: Int, _ text: [UInt8]) -> Bool {
            if path.hasSuffix("7") { return status == 401 && text == Array("no".utf8) }
            return status == 200 && text == Array("\(method) \(path) ".utf8) + body
        }
    }

    @Test func `ten thousand requests of both versions have their own answers`() async throws {
        let seed = RunSeed.here()
        let stage = try await FrontStage { head in
            head.path.last == UInt8(ascii: "7") ? FrontStage.closed(head) : FrontStage.mirror(head)
        }
        let wrongCounts = try await withThrowingTaskGroup(of: Int.self) { group in
            for worker in 0..<2 {
                group.addTask { () throws in
                    var random = SeededRandom(seed: seed &+ UInt64(worker))
                    return try Self.serve(2500, try stage.client(), &random)
                }
                group.addTask { () async throws in
                    var random = SeededRandom(seed: seed &+ UInt64(10 + worker))
                    let client = try await stage.connect()
                    let calls = (0..<2500).map { Call.random($0, &random) }
                    let wrongCount = try await Self.serve(calls, client)
                    await client.close()
                    return wrongCount
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 }
        }
        #expect(wrongCounts == 0, "seed \(seed)")
        #expect(await stage.front.bodyMemoryByteCount() == 0)
        await stage.front.close(gracefully: false)
    }

    private static func serve(_ count: Int, _ client: TestClient, _ random: inout SeededRandom) throws -> Int {
        var wrongCount = 0
        var number = 0
        while number < count {
            let calls = (0..<Int.random(in: 1...8, using: &random)).map { Call.random(number + $0, &random) }
            number += calls.count
            for call in calls {
                let head =
                    "\(call.method) \(call.path) HTTP/1.1\r\nHost: x\r\nContent-Length: \(call.body.count)\r\n\r\n"
                client.send(Array(head.utf8) + call.body)
            }
            for call in calls {
                guard let response = client.response() else { return count }
                if !call.isAnswered(response.status, response.body) { wrongCount += 1 }
            }
        }
        return wrongCount
    }

    private static func serve(_ calls: [Call], _ client: HTTP2ClientConnection) async throws -> Int {
        var wrongCount = 0
        for start in stride(from: 0, to: calls.count, by: 50) {
            wrongCount += await withTaskGroup(of: Bool.self) { group in
                for call in calls[start..<min(start + 50, calls.count)] {
                    group.addTask {
                        // A failure counts as a wrong answer.
                        let response = try? await client.send(.make(call.method, call.path, body: call.body))
                        return response.map { call.isAnswered($0.status, $0.body) } ?? false
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 0 : 1 }
            }
        }
        return wrongCount
    }
}
