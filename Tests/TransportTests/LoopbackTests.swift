import Testing

@testable import Transport

@Suite struct LoopbackTests {
    @Test func `a request reaches the handler and its answer the caller`() async throws {
        let loopback = try Loopback()
        let server = try await loopback.serve { request, responder in
            var headers = HeaderBlock()
            headers.append("apns-id", request.headers["apns-id"] ?? [])
            responder.respond(status: 201, headers: headers, body: request.path + request.body)
        }
        let client = try await loopback.connect(to: server.port)
        var request = HTTP2Request.post("/3/device/00", body: Array("hello".utf8))
        request.headers.append("apns-id", "42", indexing: .notIndexed)
        let response = try await client.send(request)
        #expect(response.status == 201)
        #expect(response.headers["apns-id"].map(Array.init) == Array("42".utf8))
        #expect(response.body == Array("/3/device/00hello".utf8))
        await client.close()
        await server.close()
    }

    @Test func `a thousand requests of one kilobyte share one connection`() async throws {
        let loopback = try Loopback()
        let server = try await loopback.serve { request, responder in
            responder.respond(status: 200, body: request.body)
        }
        let client = try await loopback.connect(to: server.port)
        let answers = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<1000 {
                group.addTask {
                    let body = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 1024)
                    // A failure counts as a wrong answer below.
                    guard let response = try? await client.send(.post("/", body: body)) else { return false }
                    return response.status == 200 && response.body == body
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(answers == 1000)
        await client.close()
        await server.close()
    }
}
